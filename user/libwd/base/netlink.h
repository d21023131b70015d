/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client of the kernel's generic netlink family "uacce", of libwd and of wdctl, into which it is compiled, too: one
 * request at a time on a socket, and what the kernel reports by itself. libnl puts messages together and takes them apart.
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
#define WD_NL_CONTROL	"nlctrl"	/* the family that tells of families, by its group "notify" */

struct nl_msg;
struct nlmsghdr;

/*
 * A message, taken apart: attributes by type, NULL where there is none. Each is whole and of the length of its type, and
 * strings end, in nests as well. Valid until the next message is read.
 */
struct wd_nl_message {
	__u8 cmd;
	__u32 seq;		/* of the request that it belongs to; 0: of none */
	struct nlattr *attr[UACCE_A_MAX + 1];
	struct nlattr *first;	/* all of them, for those that are there more than once */
	int len;
};

/* What is done with a message. 0, or -errno, which ends the reading. */
typedef int (*wd_nl_take)(void *arg, const struct wd_nl_message *m);

/* A socket, whoever it belongs to, and the memory for a request and its answers. Of one thread at a time. */
struct wd_nl {
	int fd;
	int family;
	bool joined;
	char why[WD_NL_WHY];	/* the kernel's sentence why it refused the last request; "": it gave none */
	struct nl_msg *request;
	int put;		/* what kept an attribute out of the request */
	char *buf;
	size_t size;
	unsigned int nr_groups;
	struct {
		__u32 id;
		char name[GENL_NAMSIZ];
	} group[WD_NL_GROUPS];
};

/* A socket that no program after exec keeps, or -errno; -EAFNOSUPPORT, -EPROTONOSUPPORT: this kernel has none. */
int wd_nl_socket(void);
/* Is it one of those? */
bool wd_nl_is_socket(int fd);

/* On a socket that is there already, or -1. 0, -ENOMEM. All memory but what answers of more than 8 KiB take. */
int wd_nl_init(struct wd_nl *nl, int fd, int family);
/* The socket stays open. */
void wd_nl_fini(struct wd_nl *nl);

/* Ask for the family's number and its groups. 0; -ENOENT: the kernel doesn't have it; other -errno. */
int wd_nl_find(struct wd_nl *nl, const char *family);

/* All three, on a socket of its own: as wd_nl_find(), and -ENOENT of a kernel without generic netlink. */
int wd_nl_open(struct wd_nl *nl, const char *family);
void wd_nl_close(struct wd_nl *nl);

/* A request: begin, attributes, ask. */
void wd_nl_begin(struct wd_nl *nl, __u8 cmd, int flags);
void wd_nl_put_string(struct wd_nl *nl, int type, const char *text);
void wd_nl_put_u32(struct wd_nl *nl, int type, __u32 value);

/*
 * Send it, and take what answers it (take may be NULL): up to the end of a dump or the acknowledgement where the request has
 * NLM_F_DUMP or NLM_F_ACK, else one. What is no answer to it is passed over. 0; what the kernel has refused it with, and
 * why; what take has returned; -EPROTO: an answer isn't as it should be; -EINTR: things came or went during a dump, which
 * is of no use then; -ETIME: nothing came for ten seconds; -EMSGSIZE: the request or an answer is too long; -EBUSY: this
 * socket has joined a group, and what it reports must not be passed over; other -errno.
 */
int wd_nl_ask(struct wd_nl *nl, wd_nl_take take, void *arg);

/* One more answer to that request, until an absolute time: also -ETIME, and with signals -EINTR when a handler has run. */
int wd_nl_wait(struct wd_nl *nl, wd_nl_take take, void *arg, __u64 until, bool signals);

/* Take what is there of the family, one datagram: 0, -EAGAIN, -ENOBUFS when some were lost, as take has returned, other -errno. */
int wd_nl_receive(struct wd_nl *nl, wd_nl_take take, void *arg);

/* From now on the socket is for wd_nl_receive() only. 0, -EPERM, -ENOENT: no such group, other -errno. */
int wd_nl_join(struct wd_nl *nl, const char *group);

/* 0; -ENOENT: not of this family; -EPROTO: not as it should be. */
int wd_nl_parse(int family, struct nlmsghdr *h, struct wd_nl_message *m);
/* Attributes of a nest of a message. */
void wd_nl_grant(struct nlattr *nest, struct nlattr *attr[UACCE_A_GRANT_MAX + 1]);
void wd_nl_member(struct nlattr *nest, struct nlattr *attr[UACCE_A_MEMBER_MAX + 1]);

/* 0 where there is none. */
static inline __u32 wd_nl_u32(const struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

/* What of it fits, always ended; "" where there is none. */
static inline void wd_nl_string(const struct nlattr *attr, char *text, size_t size)
{
	text[0] = '\0';
	if (attr)
		nla_strlcpy(text, attr, size);
}

/* The error that it tells, a number above 0, as -errno; -EPROTO if it isn't one. */
int wd_nl_error(const struct nlattr *attr);

#endif
