/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client of the kernel's generic netlink family "uacce", compiled into libwd and into wdctl: one request at a time
 * on a socket, and the kernel's events. libnl builds and parses the messages.
 */
#ifndef WD_NETLINK_H
#define WD_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/genetlink.h>
#include <linux/types.h>
#include <linux/uacce_netlink.h>
#include <netlink/attr.h>

#define WD_NL_WHY	160
#define WD_NL_GROUPS	4
#define WD_NL_CONTROL	"nlctrl"	/* the family that reports on families, changes to its group "notify" */

struct nl_msg;
struct nlmsghdr;

/*
 * A parsed message: attributes by type, NULL where there is none. Each attribute is complete and has the length of its
 * type, and strings are terminated, in nests as well. Valid until the next message is read.
 */
struct wd_nl_message {
	__u8 cmd;
	__u32 seq;		/* of the request that it answers; 0: of none */
	struct nlattr *attr[UACCE_A_MAX + 1];
	struct nlattr *first;	/* start of all attributes, for types that occur more than once */
	int len;
};

/* Handles one message. 0, or -errno, which ends the reading. */
typedef int (*wd_nl_take)(void *arg, const struct wd_nl_message *m);

/*
 * A socket, which may belong to any part of the program, and the memory for a request and its answers. For one thread
 * at a time.
 */
struct wd_nl {
	int fd;
	int family;
	bool joined;
	char why[WD_NL_WHY];	/* the kernel's text on why it refused the last request; "": none */
	struct nl_msg *request;
	int put;		/* why an attribute couldn't be added to the request */
	char *buf;
	size_t size;
	unsigned int nr_groups;
	struct {
		__u32 id;
		char name[GENL_NAMSIZ];
	} group[WD_NL_GROUPS];
};

/* A new socket, closed by exec, or -errno; -EAFNOSUPPORT, -EPROTONOSUPPORT: this kernel has no netlink. */
int wd_nl_socket(void);
/* Whether fd is such a socket. */
bool wd_nl_is_socket(int fd);

/* Uses an existing socket, or -1. 0, -ENOMEM. Allocates all memory but that for answers above 8 KiB. */
int wd_nl_init(struct wd_nl *nl, int fd, int family);
/* The socket stays open. */
void wd_nl_fini(struct wd_nl *nl);

/* Asks for the family's number and its groups. 0; -ENOENT: the kernel doesn't have the family; other -errno. */
int wd_nl_find(struct wd_nl *nl, const char *family);

/*
 * wd_nl_socket(), wd_nl_init() and wd_nl_find(): errors as of wd_nl_find(), and -ENOENT for a kernel without generic
 * netlink.
 */
int wd_nl_open(struct wd_nl *nl, const char *family);
void wd_nl_close(struct wd_nl *nl);

/* A request: begin, attributes, ask. */
void wd_nl_begin(struct wd_nl *nl, __u8 cmd, int flags);
void wd_nl_put_string(struct wd_nl *nl, int type, const char *text);
void wd_nl_put_u32(struct wd_nl *nl, int type, __u32 value);
void wd_nl_put_flag(struct wd_nl *nl, int type);

/*
 * Sends the request and passes its answers to take, which may be NULL: up to the acknowledgement or the end of the dump
 * if the request has NLM_F_ACK or NLM_F_DUMP, else one answer. Other messages are ignored.
 *
 * 0; the kernel's error, with its text in why; the error that take returned; -EPROTO: an answer is malformed; -EINTR:
 * objects came or went during a dump, whose result is useless then; -ETIME: no answer came for ten seconds; -EMSGSIZE:
 * the request or an answer is too long; -EBUSY: this socket has joined a group, and its events must not be lost; other
 * -errno.
 */
int wd_nl_ask(struct wd_nl *nl, wd_nl_take take, void *arg);

/*
 * Reads one more answer to that request, until an absolute time: also -ETIME, and with signals -EINTR when a signal
 * handler has run.
 */
int wd_nl_wait(struct wd_nl *nl, wd_nl_take take, void *arg, __u64 until, bool signals);

/*
 * Passes the family's messages of one waiting datagram to take: 0, -EAGAIN, -ENOBUFS when some were lost, the error of
 * take, other -errno.
 */
int wd_nl_receive(struct wd_nl *nl, wd_nl_take take, void *arg);

/* From now on the socket is for wd_nl_receive() only. 0, -EPERM, -ENOENT: no such group, other -errno. */
int wd_nl_join(struct wd_nl *nl, const char *group);

/* 0; -ENOENT: not of this family; -EPROTO: malformed. */
int wd_nl_parse(int family, struct nlmsghdr *h, struct wd_nl_message *m);
/* Parse a nested attribute of a message. */
void wd_nl_grant(struct nlattr *nest, struct nlattr *attr[UACCE_A_GRANT_MAX + 1]);
void wd_nl_member(struct nlattr *nest, struct nlattr *attr[UACCE_A_MEMBER_MAX + 1]);

/* 0 if attr is NULL. */
static inline __u32 wd_nl_u32(const struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

/* Copies the part of the string that fits, always terminated; "" if attr is NULL. */
static inline void wd_nl_string(const struct nlattr *attr, char *text, size_t size)
{
	text[0] = '\0';
	if (attr)
		nla_strlcpy(text, attr, size);
}

/* The error that the attribute holds, a number above 0, as -errno; -EPROTO if the value isn't an error number. */
int wd_nl_error(const struct nlattr *attr);

#endif
