// SPDX-License-Identifier: Apache-2.0
/*
 * libwd attaches to a section, and the kernel answers arbitrarily: libwd reads nothing beyond an answer's end, names
 * are terminated, and the result is an error or an attachment.
 * Input: answers, each a byte of flags, a length (2 bytes) and so many bytes.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <sanitizer/asan_interface.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/netlink.h"
#include "feed.h"
#include "section/section.h"

enum answer {
	ANSWER_RAW = 1,		/* raw bytes; else with a good header */
	ANSWER_ERROR = 2,	/* the answer's type */
	ANSWER_OTHER = 4,	/* an answer to another request */
	ANSWER_TLVS = 8,	/* flags of the answer's header */
	ANSWER_CAPPED = 16,
	ANSWER_INTERRUPTED = 32,	/* a signal comes first */
	ANSWER_FAMILY = 64,	/* alone, to the request for the family: a good answer */
};

static struct {
	struct feed f;
	uint32_t seq;
	bool asked_family, interrupted;
	uint8_t next[NLMSG_HDRLEN + 2048];
	size_t len;		/* of the answer that was peeked at, and not yet read */
	uint8_t *poisoned;
	size_t poisoned_len;
} kernel;

int __wrap_socket(int domain, int type, int protocol);
ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags);
ssize_t __wrap_recvfrom(int fd, void *buf, size_t len, int flags, struct sockaddr *from, socklen_t *from_len);

int __wrap_socket(int domain, int type, int protocol)
{
	(void)domain;
	(void)type;
	(void)protocol;
	return dup(STDERR_FILENO);
}

ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags)
{
	const struct nlmsghdr *h = buf;

	(void)fd;
	(void)flags;
	MUST(len >= NLMSG_HDRLEN + GENL_HDRLEN && h->nlmsg_len == len);
	kernel.seq = h->nlmsg_seq;
	kernel.asked_family = h->nlmsg_type == GENL_ID_CTRL;
	return (ssize_t)len;
}

static size_t family_answer(uint8_t *to)
{
	struct nlmsghdr h = {
		.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN + 8, .nlmsg_type = GENL_ID_CTRL, .nlmsg_seq = kernel.seq
	};
	static const uint16_t rest[] = { CTRL_CMD_NEWFAMILY, 0, 6, CTRL_ATTR_FAMILY_ID, 0x1c, 0 };

	memcpy(to, &h, sizeof(h));
	memcpy(to + sizeof(h), rest, sizeof(rest));
	return h.nlmsg_len;
}

static size_t next_answer(uint8_t *to)
{
	uint8_t flags = feed_u8(&kernel.f);
	size_t len = feed_u16(&kernel.f) % 2048, head = 0;
	struct nlmsghdr h = { .nlmsg_seq = kernel.seq + !!(flags & ANSWER_OTHER) };

	if (!(flags & ANSWER_RAW)) {
		head = NLMSG_HDRLEN;
		len = len < kernel.f.left ? len : kernel.f.left;
		h.nlmsg_len = (uint32_t)(head + len);
		h.nlmsg_type = flags & ANSWER_ERROR ? NLMSG_ERROR : 0x1c;
		h.nlmsg_flags = (flags & ANSWER_TLVS ? NLM_F_ACK_TLVS : 0) | (flags & ANSWER_CAPPED ? NLM_F_CAPPED : 0);
		memcpy(to, &h, sizeof(h));
	}
	len = feed_bytes(&kernel.f, to + head, len) + head;
	/* A raw answer that is a message may still have the request's sequence number. */
	if (flags & ANSWER_RAW && len >= NLMSG_HDRLEN && !(flags & ANSWER_OTHER))
		memcpy(to + offsetof(struct nlmsghdr, nlmsg_seq), &kernel.seq, sizeof(kernel.seq));
	return len;
}

/* The bytes behind an answer must not be read. */
static void close_behind(uint8_t *buf, size_t len, size_t room)
{
	ASAN_UNPOISON_MEMORY_REGION(kernel.poisoned, kernel.poisoned_len);
	kernel.poisoned = buf + ((len + 7) & ~(size_t)7);
	kernel.poisoned_len = room - (kernel.poisoned - buf);
	ASAN_POISON_MEMORY_REGION(kernel.poisoned, kernel.poisoned_len);
}

/* The next answer exists from the first peek on. */
static bool look_ahead(void)
{
	if (kernel.len)
		return true;
	if (!kernel.f.left)
		return false;
	if (kernel.asked_family && *kernel.f.at & ANSWER_FAMILY) {
		feed_u8(&kernel.f);
		kernel.len = family_answer(kernel.next);
		kernel.asked_family = false;
	} else {
		kernel.len = next_answer(kernel.next);
	}
	return kernel.len;
}

ssize_t __wrap_recvfrom(int fd, void *buf, size_t len, int flags, struct sockaddr *from, socklen_t *from_len)
{
	struct sockaddr_nl kernels = { .nl_family = AF_NETLINK };
	size_t n;

	(void)fd;
	ASAN_UNPOISON_MEMORY_REGION(kernel.poisoned, kernel.poisoned_len);
	kernel.poisoned_len = 0;
	if (!kernel.len && kernel.f.left && *kernel.f.at & ANSWER_INTERRUPTED && !kernel.interrupted) {
		kernel.interrupted = true;
		errno = EINTR;
		return -1;
	}
	kernel.interrupted = false;
	if (!look_ahead())
		return 0;
	if (flags & MSG_PEEK)
		return (ssize_t)kernel.len;
	MUST(kernel.len <= len && *from_len >= sizeof(kernels));
	memcpy(from, &kernels, sizeof(kernels));
	*from_len = sizeof(kernels);
	n = kernel.len;
	memcpy(buf, kernel.next, n);
	close_behind(buf, n, len);
	kernel.len = 0;
	return (ssize_t)n;
}

static void look(const struct wd_section *a)
{
	unsigned int i;

	MUST(memchr(a->name, 0, sizeof(a->name)) && memchr(a->slot, 0, sizeof(a->slot)));
	for (i = 0; i < a->nr; i++)
		MUST(memchr(a->grants[i].dev, 0, sizeof(a->grants[i].dev)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wd_section a = { .state = 0 };
	char text[64], name[WD_SECTION_NAME_MAX + 1];
	int ret;

	kernel.f = (struct feed){ data, size };
	kernel.interrupted = false;
	kernel.len = 0;
	/* Makes libwd believe a kernel that says that the process is attached already. */
	snprintf(text, sizeof(text), "%d,%d,SSL,SSL_DEV1_INT_0", getpid(), STDERR_FILENO);
	setenv("WD_ATTACHED", size & 1 ? text : "", 1);
	wd_attach_inherited(name);
	ret = wd_attach(&a, "SSL", feed_u8(&kernel.f) & 1 ? 1000 : 0);
	MUST(ret <= 0 && ret > -4096);
	if (!ret) {
		MUST(*a.slot, "attached to nothing");
		look(&a);
		wd_attach_refresh(&a);
		look(&a);
		wd_attach_alive(&a);
		wd_detach(&a);
	}
	ASAN_UNPOISON_MEMORY_REGION(kernel.poisoned, kernel.poisoned_len);
	kernel.poisoned_len = 0;
	free(a.grants);
	return 0;
}
