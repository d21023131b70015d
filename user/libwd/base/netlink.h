/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the kernel's generic netlink family "uacce", one at a time on a socket. */
#ifndef WD_NETLINK_H
#define WD_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/types.h>
#include <linux/uacce_netlink.h>

#define WD_NL_WHY	92	/* the kernel's sentence why it refused */

/* A request that is being put together: begin, attributes, ask. */
struct wd_nl_request {
	struct nlmsghdr h;
	struct genlmsghdr g;
	char attrs[256];
};

/* An answer: begin with wd_nl_first(). */
struct wd_nl_reply {
	__u8 cmd;
	const char *attrs;
	size_t len;
	char why[WD_NL_WHY];	/* "" unless the kernel gave a reason */
	char *buf;
};

/* A socket that no program after exec keeps, or -errno; -EAFNOSUPPORT, -EPROTONOSUPPORT: this kernel has none. */
int wd_nl_socket(void);
/* Is it one of those? */
bool wd_nl_is_socket(int fd);

/* 0, -ENOMEM. The reply may be used for one request after the other. */
int wd_nl_reply_init(struct wd_nl_reply *reply);
void wd_nl_reply_fini(struct wd_nl_reply *reply);

/* Number of the family; 0: the kernel doesn't have it; -errno. */
int wd_nl_family(int fd, struct wd_nl_reply *reply);

void wd_nl_begin(struct wd_nl_request *r, int family, __u8 cmd, __u16 flags);
void wd_nl_put_string(struct wd_nl_request *r, __u16 type, const char *text);
void wd_nl_put_u32(struct wd_nl_request *r, __u16 type, __u32 value);

/* Send it and take the first answer: 0, or what the kernel refused it with, or what kept it from being asked. */
int wd_nl_ask(int fd, struct wd_nl_request *r, struct wd_nl_reply *reply);
/* One more answer to the same request, until an absolute time: also -ETIME, and with signals -EINTR when a handler has run. */
int wd_nl_wait(int fd, const struct wd_nl_request *r, struct wd_nl_reply *reply, __u64 until, bool signals);

/* Attributes in turn: *at begins with 0; NULL after the last. */
const struct nlattr *wd_nl_next(const char *attrs, size_t len, size_t *at);

static inline unsigned int wd_nl_type(const struct nlattr *a)
{
	return a->nla_type & NLA_TYPE_MASK;
}

static inline const char *wd_nl_data(const struct nlattr *a)
{
	return (const char *)a + NLA_HDRLEN;
}

static inline size_t wd_nl_len(const struct nlattr *a)
{
	return a->nla_len - NLA_HDRLEN;
}

/* 0 if it isn't one. */
__u32 wd_nl_u32(const struct nlattr *a);
/* The error that it tells, a number above 0, as -errno; -EPROTO if it isn't one. */
int wd_nl_error(const struct nlattr *a);
/* What of it fits, always ended. */
void wd_nl_string(const struct nlattr *a, char *text, size_t size);

#endif
