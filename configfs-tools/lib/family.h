/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the kernel's generic netlink family "uacce" (libnl). */
#ifndef WDCTL_FAMILY_H
#define WDCTL_FAMILY_H

#include <netlink/genl/genl.h>
#include <stdbool.h>
#include <stdint.h>

#include <linux/uacce_netlink.h>

struct family {
	struct nl_sock *sock;
	int id;
	char why[160];	/* the kernel's sentence why it refused the last request, "" if it gave none */
};

/* A message of the family, taken apart: attributes by type, NULL where there is none. */
struct family_message {
	uint8_t cmd;
	uint32_t seq;
	struct nlattr *attr[UACCE_A_MAX + 1];
	struct nlattr *first;	/* all of them, for those that are there more than once */
	int len;
};

/* What is done with each message. Return: 0, or -errno, which ends the reading. */
typedef int (*family_take)(void *arg, const struct family_message *m);

/** family_open() - blocking. Return: 0, -ENOENT when the kernel doesn't have it, other -errno. */
int family_open(struct family *f);
void family_close(struct family *f);

/** family_request() - a request without attributes; NULL without memory. */
struct nl_msg *family_request(const struct family *f, enum uacce_nl_cmd cmd, int flags);

/**
 * family_ask() - send a request and take what comes until the kernel is done with it.
 * Frees @msg; NULL, or -ENOMEM in @put, what putting attributes into it returned, counts as out of memory.
 * Return: 0; what the kernel refused it with, a sentence then in @f->why; what @take returned;
 * -EINTR when things came or went during a dump, which is of no use then; other -errno.
 */
int family_ask(struct family *f, struct nl_msg *msg, int put, family_take take, void *arg);

/**
 * family_receive() - take what is there already, or comes if the socket blocks: one datagram.
 * Return: 0, -EAGAIN, -ENOBUFS when messages were lost, what @take returned, other -errno.
 */
int family_receive(struct family *f, family_take take, void *arg);

/** family_parse() - false: it isn't one of this family, or not as it should be. */
bool family_parse(const struct family *f, struct nlmsghdr *h, struct family_message *m);

/** family_join() - Return: 0, -EPERM, -ENOENT no such group, other -errno. */
int family_join(struct family *f, const char *group);

#endif
