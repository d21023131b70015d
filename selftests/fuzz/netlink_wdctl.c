// SPDX-License-Identifier: Apache-2.0
/*
 * wdctl reads the kernel's answers: straight from a message, and through a socket. Its output is whole JSON, and it
 * sees the attributes that a plain walk over the message sees.
 * Input: which of the two, command, and attributes; or answers, each of flags, a length (2 bytes) and so many bytes.
 */
#include <errno.h>
#include <json-c/json.h>
#include <linux/netlink.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "event.h"
#include "facts.h"
#include "feed.h"
#include "json_facts.h"

#define FAMILY	0x1c
#define ROOM	(1 << 20)
#define WALL	65536	/* a page at least */

/* --- a message --- */

static void json_good(struct json_object *o)
{
	const char *text;
	struct json_object *back;

	MUST(o);
	text = json_object_to_json_string(o);
	back = json_tokener_parse(text);
	MUST(back, "not JSON: %s", text);
	json_object_put(back);
	json_object_put(o);
}

static void event_good(const struct wd_nl_message *m)
{
	struct event e;
	size_t len;
	char *text;
	FILE *f;
	int ret = event_parse(&e, m);

	MUST(!ret || ret == -EINVAL);
	if (ret)
		return;
	f = open_memstream(&text, &len);
	event_print(f, &e);
	fclose(f);
	free(text);
	json_good(json_from_event(&e));
	event_fini(&e);
}

static void facts_good(const struct wd_nl_message *m)
{
	struct fact_section section;
	struct fact_device device;
	struct fact_ctx ctx;

	fact_device_parse(&device, m);
	json_good(json_from_fact_device(&device));
	fact_ctx_parse(&ctx, m);
	json_good(json_from_fact_ctx(&ctx));
	MUST(!fact_section_parse(&section, m));
	MUST(section.nodes && section.uids && section.gids && section.reason);
	json_good(json_from_fact_section(&section));
	fact_section_fini(&section);
}

/* The last attribute of each type. */
static void walk(const uint8_t *attrs, size_t len, const void **seen)
{
	struct nlattr a;
	size_t at;

	for (at = 0; len - at >= sizeof(a); at += NLA_ALIGN(a.nla_len)) {
		memcpy(&a, attrs + at, sizeof(a));
		if (a.nla_len < sizeof(a) || a.nla_len > len - at)
			return;
		if ((a.nla_type & NLA_TYPE_MASK) <= UACCE_A_MAX)
			seen[a.nla_type & NLA_TYPE_MASK] = attrs + at;
		if (NLA_ALIGN(a.nla_len) > len - at)
			return;
	}
}

/* Room that ends before an unmapped page: libnl's own code is not instrumented to notice an access beyond the end. */
static uint8_t *before_wall(size_t len)
{
	static uint8_t *room;

	if (!room) {
		room = mmap(NULL, ROOM + WALL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		MUST(room != MAP_FAILED && !mprotect(room + ROOM, WALL, PROT_NONE));
	}
	MUST(len <= ROOM);
	return memset(room + ROOM - NLMSG_ALIGN(len), 0, NLMSG_ALIGN(len));
}

static void one_message(struct feed *f)
{
	uint8_t cmd = feed_u8(f) % (UACCE_NL_CMD_MAX + 2);
	size_t len = NLMSG_HDRLEN + GENL_HDRLEN + f->left;
	const void *seen[UACCE_A_MAX + 1] = { NULL };
	struct wd_nl_message m;
	struct nlmsghdr *h;
	uint8_t *whole;
	int type;

	if (len > ROOM)
		return;
	whole = before_wall(len);
	h = (struct nlmsghdr *)(void *)whole;
	whole[NLMSG_HDRLEN] = cmd;
	h->nlmsg_type = FAMILY;
	h->nlmsg_len = (uint32_t)len;
	feed_bytes(f, whole + NLMSG_HDRLEN + GENL_HDRLEN, f->left);
	if (!wd_nl_parse(FAMILY, h, &m)) {
		walk(whole + NLMSG_HDRLEN + GENL_HDRLEN, len - NLMSG_HDRLEN - GENL_HDRLEN, seen);
		for (type = 1; type <= UACCE_A_MAX; type++)
			MUST(seen[type] == m.attr[type], "attribute %d is another", type);
		event_good(&m);
		facts_good(&m);
	}
}

/* --- answers --- */

enum answer {
	ANSWER_RAW = 1,
	ANSWER_ERROR = 2,
	ANSWER_DONE = 4,
	ANSWER_TLVS = 8,
	ANSWER_CAPPED = 16,
	ANSWER_MULTI = 32,
	ANSWER_TORN = 64,	/* NLM_F_DUMP_INTR */
};

static struct {
	struct feed f;
	uint32_t seq;
	uint8_t next[NLMSG_HDRLEN + 2048];
	size_t len;		/* of the answer that was peeked at, and not yet read */
} kernel;

static void next_answer(void)
{
	uint8_t flags = feed_u8(&kernel.f);
	size_t len = feed_u16(&kernel.f) % 2048, head = 0;
	struct nlmsghdr h = { .nlmsg_seq = kernel.seq };

	if (!(flags & ANSWER_RAW)) {
		head = NLMSG_HDRLEN;
		len = len < kernel.f.left ? len : kernel.f.left;
		h.nlmsg_len = (uint32_t)(head + len);
		h.nlmsg_type = flags & ANSWER_ERROR ? NLMSG_ERROR : flags & ANSWER_DONE ? NLMSG_DONE : FAMILY;
		h.nlmsg_flags = (flags & ANSWER_TLVS ? NLM_F_ACK_TLVS : 0) |
				(flags & ANSWER_CAPPED ? NLM_F_CAPPED : 0) | (flags & ANSWER_MULTI ? NLM_F_MULTI : 0) |
				(flags & ANSWER_TORN ? NLM_F_DUMP_INTR : 0);
		memcpy(kernel.next, &h, sizeof(h));
	}
	kernel.len = feed_bytes(&kernel.f, kernel.next + head, len) + head;
}

ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags);
ssize_t __wrap_recvfrom(int fd, void *buf, size_t len, int flags, struct sockaddr *from, socklen_t *from_len);

ssize_t __wrap_send(int fd, const void *buf, size_t len, int flags)
{
	const struct nlmsghdr *h = buf;

	(void)fd;
	(void)flags;
	MUST(len >= NLMSG_HDRLEN + GENL_HDRLEN && h->nlmsg_len == len);
	kernel.seq = h->nlmsg_seq;
	return (ssize_t)len;
}

ssize_t __wrap_recvfrom(int fd, void *buf, size_t room, int flags, struct sockaddr *from, socklen_t *from_len)
{
	struct sockaddr_nl kernels = { .nl_family = AF_NETLINK };
	size_t n;

	(void)fd;
	if (!kernel.len) {
		if (!kernel.f.left) {
			errno = ECONNRESET;
			return -1;
		}
		next_answer();
	}
	if (flags & MSG_PEEK)
		return (ssize_t)kernel.len;
	MUST(kernel.len <= room && *from_len >= sizeof(kernels));
	memcpy(from, &kernels, sizeof(kernels));
	*from_len = sizeof(kernels);
	n = kernel.len;
	memcpy(buf, kernel.next, n);
	kernel.len = 0;
	return (ssize_t)n;
}

static int show(void *arg, const struct wd_nl_message *m)
{
	(void)arg;
	event_good(m);
	return 0;
}

static void answers(struct feed *f)
{
	struct wd_nl family;
	struct fact_sections sections;
	struct fact_devices devices;
	struct fact_section section;
	struct fact_ctxs ctxs;
	uint8_t what = feed_u8(f);

	MUST(!wd_nl_init(&family, -1, FAMILY));
	kernel.f = *f;
	kernel.len = 0;
	switch (what % 5) {
	case 0:
		facts_devices(&family, &devices);
		fact_devices_free(&devices);
		break;
	case 1:
		facts_sections(&family, &sections);
		fact_section_find(&sections, "SSL");
		fact_sections_free(&sections);
		break;
	case 2:
		facts_ctxs(&family, &ctxs);
		fact_ctxs_free(&ctxs);
		break;
	case 3:
		if (!facts_section(&family, "SSL", &section))
			fact_section_fini(&section);
		break;
	default:
		while (!wd_nl_receive(&family, show, NULL))
			;
	}
	MUST(memchr(family.why, 0, sizeof(family.why)));
	wd_nl_fini(&family);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed f = { data, size };

	if (feed_u8(&f) & 1)
		answers(&f);
	else
		one_message(&f);
	return 0;
}
