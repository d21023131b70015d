// SPDX-License-Identifier: Apache-2.0
/*
 * Netlink messages that no client should send: refused one by one, and then random messages for two seconds;
 * WD_TEST_LONG=1: for two minutes; WD_TEST_SEED=N.
 */
#include "kselftest_harness.h"
#include "netlink_test.h"

#define FUZZ_MS		2000
#define FUZZ_LONG_MS	120000

TEST_F(nl, attribute_of_another_command_is_refused)
{
	union nlm m;

	nlm_begin(&m, self->c->family, 0, UACCE_NL_DEV_GET);
	nlm_str(&m, UACCE_A_DEV, self->dev);
	nlm_str(&m, UACCE_A_SECTION, SECTION);
	EXPECT_EQ(-EINVAL, nlc_ask(self->c, &m));
	EXPECT_NE(0, self->c->bad);
	/* An attribute below the highest that the command knows, but not one of the command's own. */
	nlm_begin(&m, self->c->family, 0, UACCE_NL_SECTION_GET);
	nlm_str(&m, UACCE_A_SECTION, SECTION);
	nlm_u32(&m, UACCE_A_NODE, 0);
	EXPECT_EQ(-EINVAL, nlc_ask(self->c, &m));
	EXPECT_NE(0, self->c->bad);
}

TEST_F(nl, attribute_that_does_not_exist_is_refused)
{
	static const uint8_t cmds[] = {
		UACCE_NL_DEV_GET, UACCE_NL_SECTION_GET, UACCE_NL_SECTION_ATTACH, UACCE_NL_SECTION_DETACH,
	};
	union nlm m;

	for (int i = 0; i < 4; i++) {
		nlm_begin(&m, self->c->family, 0, cmds[i]);
		nlm_str(&m, UACCE_A_DEV, self->dev);
		nlm_u32(&m, UACCE_A_MAX + 1 + i, 1);
		EXPECT_EQ(-EINVAL, nlc_ask(self->c, &m));
		EXPECT_NE(0, self->c->bad);
	}
}

TEST_F(nl, wrong_lengths_are_refused)
{
	struct nlc *c = self->c;
	uint64_t wide = 1;
	char name[200];
	union nlm m;

	for (int len = 0; len <= 8; len++) {
		nlm_begin(&m, c->family, 0, UACCE_NL_SECTION_ATTACH);
		nlm_str(&m, UACCE_A_SECTION, "nothing");
		nlm_put(&m, UACCE_A_WAIT_MS, &wide, len);
		EXPECT_EQ(len == 4 ? -ENOENT : -EINVAL, nlc_ask(c, &m));
		EXPECT_NE(0, c->bad);
	}
	/* A name without a terminating 0, and names of the maximum length and longer. */
	nlm_begin(&m, c->family, 0, UACCE_NL_SECTION_GET);
	nlm_put(&m, UACCE_A_SECTION, SECTION, strlen(SECTION));
	EXPECT_EQ(-EINVAL, nlc_ask(c, &m));
	nlm_begin(&m, c->family, 0, UACCE_NL_SECTION_GET);
	nlm_put(&m, UACCE_A_SECTION, SECTION, 0);
	EXPECT_EQ(-EINVAL, nlc_ask(c, &m));
	memset(name, 'a', sizeof(name));
	name[31] = 0;
	EXPECT_EQ(-ENOENT, nlc_section_get(c, name));
	name[31] = 'a';
	name[32] = 0;
	EXPECT_NE(-ENOENT, nlc_section_get(c, name));
	EXPECT_NE(0, c->bad);
}

TEST_F(nl, string_that_says_that_it_is_a_nest_is_refused)
{
	union nlm m;

	nlm_begin(&m, self->c->family, 0, UACCE_NL_DEV_GET);
	nlm_str(&m, UACCE_A_DEV | NLA_F_NESTED, self->dev);
	EXPECT_EQ(-EINVAL, nlc_ask(self->c, &m));
	nlm_begin(&m, self->c->family, 0, UACCE_NL_SECTION_ATTACH);
	nlm_str(&m, UACCE_A_SECTION, SECTION);
	nlm_put(&m, UACCE_A_GRANT | NLA_F_NESTED, "", 0);
	EXPECT_EQ(-EINVAL, nlc_ask(self->c, &m));
}

TEST_F(nl, truncated_messages_are_refused)
{
	struct nlc *c = self->c;
	struct nlattr *a;
	union nlm m;

	/* The attribute ends behind the message, before its own header or before the string does. */
	for (int len = 0; len < 200; len++) {
		nlm_begin(&m, c->family, 0, UACCE_NL_DEV_GET);
		a = nlm_str(&m, UACCE_A_DEV, "x");
		if (len >= a->nla_len && len <= NLA_ALIGN(a->nla_len))
			continue;
		a->nla_len = len;
		EXPECT_EQ(-EINVAL, nlc_ask(c, &m));
	}
	/* Bytes after the last attribute. */
	nlm_begin(&m, c->family, 0, UACCE_NL_DEV_GET);
	nlm_str(&m, UACCE_A_DEV, self->dev);
	m.h.nlmsg_len += 3;
	EXPECT_EQ(-EINVAL, nlc_ask(c, &m));
	/* No room for the family's header. */
	nlm_begin(&m, c->family, 0, UACCE_NL_DEV_GET);
	m.h.nlmsg_len = NLMSG_LENGTH(2);
	EXPECT_EQ(-EINVAL, nlc_ask(c, &m));
}

TEST_F(nl, reserved_parts_of_headers_are_refused)
{
	struct genlmsghdr *g;
	union nlm m;

	nlm_begin(&m, self->c->family, 0, UACCE_NL_DEV_GET);
	nlm_str(&m, UACCE_A_DEV, self->dev);
	g = NLMSG_DATA(&m.h);
	g->reserved = 1;
	EXPECT_EQ(-EINVAL, nlc_ask(self->c, &m));
	nlm_begin(&m, self->c->family, NLM_F_REPLACE << 2, UACCE_NL_DEV_GET);
	nlm_str(&m, UACCE_A_DEV, self->dev);
	EXPECT_EQ(-EINVAL, nlc_ask(self->c, &m));
}

TEST_F(nl, commands_that_are_not_requests_are_refused)
{
	union nlm m;

	for (int cmd = 0; cmd <= UACCE_NL_CMD_MAX + 2; cmd++) {
		if (cmd >= UACCE_NL_DEV_GET && cmd <= UACCE_NL_SECTION_DETACH)
			continue;
		nlm_begin(&m, self->c->family, 0, cmd);
		EXPECT_EQ(-EOPNOTSUPP, nlc_ask(self->c, &m));
	}
	for (int cmd = UACCE_NL_SECTION_ATTACH; cmd <= UACCE_NL_SECTION_DETACH; cmd++) {
		nlm_begin(&m, self->c->family, NLM_F_DUMP, cmd);
		EXPECT_EQ(-EOPNOTSUPP, nlc_ask(self->c, &m));
	}
}

TEST_F(nl, detach_takes_no_attributes)
{
	union nlm m;

	test_live("1");
	ASSERT_EQ(0, nlc_attach(self->c, SECTION, NULL, NULL, 0));
	nlm_begin(&m, self->c->family, 0, UACCE_NL_SECTION_DETACH);
	nlm_str(&m, UACCE_A_SECTION, SECTION);
	EXPECT_EQ(-EINVAL, nlc_ask(self->c, &m));
	EXPECT_EQ(0, nlc_detach(self->c));
}

/* ------ at random ------ */

static uint64_t rng_state;

static uint32_t rng(uint32_t below)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return (rng_state >> 16) % below;
}

static void random_attr(union nlm *m)
{
	static const char *const strings[] = {
		SECTION, "hisi_zip-0", SECTION "_INT_0", "", "nothing", SECTION "_DEV0_INT_0"
	};
	uint16_t type = rng(8) ? rng(UACCE_A_MAX + 3) : rng(65536);
	uint32_t words[32];

	switch (rng(3)) {
	case 0:
		nlm_str(m, type, strings[rng(6)]);
		break;
	case 1:
		nlm_u32(m, type, rng(4) ? rng(5) : (uint32_t)rng_state);
		break;
	default:
		for (int i = 0; i < 32; i++)
			words[i] = rng(1u << 31);
		nlm_put(m, type, words, rng(sizeof(words)));
	}
}

static void random_message(union nlm *m, uint16_t family)
{
	static const uint16_t names[] = { UACCE_A_SECTION, UACCE_A_DEV, UACCE_A_SLOT };
	uint32_t len;

	nlm_begin(m, family, rng(4) ? NLM_F_ACK : rng(65536), rng(UACCE_NL_CMD_MAX + 3));
	if (rng(2))
		nlm_str(m, names[rng(3)], rng(2) ? SECTION : "hisi_zip-0");
	for (int i = rng(4); i; i--)
		random_attr(m);
	/* Sometimes some of the message's bytes, including its length, are replaced. */
	len = m->h.nlmsg_len;
	for (int i = rng(3) ? 0 : 1 + rng(4); i; i--)
		m->bytes[rng(len)] ^= 1 << rng(8);
	if (m->h.nlmsg_len > 4096)
		m->h.nlmsg_len = rng(4096);
	m->h.nlmsg_type = rng(50) ? family : m->h.nlmsg_type;
}

static void drain(int fd)
{
	static char buf[NL_BUF_BYTES];

	while (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) > 0 || errno == ENOBUFS)
		;
}

static int fuzzes(uint64_t seed, int root)
{
	static struct nlc c;
	long long end = now_ms() + (getenv("WD_TEST_LONG") ? FUZZ_LONG_MS : FUZZ_MS);
	union nlm m;

	rng_state = seed;
	if (!root && setresuid(NOBODY, NOBODY, NOBODY))
		return 90;
	for (int i = 0; now_ms() < end; i++) {
		if (i % 64 == 0) {
			if (i)
				nlc_close(&c);
			if (nlc_open(&c))
				return 91;
		}
		random_message(&m, c.family);
		if (m.h.nlmsg_len >= 4)
			send(c.fd, &m, m.h.nlmsg_len, MSG_DONTWAIT);
		if (rng(4))
			drain(c.fd);
	}
	return 0;
}

/* Everything but the sequence numbers of events, which attaching increases. */
static void add_up(const struct nlmsghdr *h, void *arg)
{
	uint64_t *sum = arg;
	const struct nlattr *a;

	for (int type = 1; type <= UACCE_A_MAX; type++) {
		if (type == UACCE_A_EVENT_SEQ || type == UACCE_A_PAD)
			continue;
		for (a = NULL; (a = nlm_next(h, type, a)); )
			for (int i = 0; i < a->nla_len; i++)
				*sum = (*sum ^ ((const uint8_t *)a)[i]) * 0x100000001b3ull;
	}
}

static uint64_t state_of(struct nlc *c)
{
	uint64_t sum = 0xcbf29ce484222325ull;

	nlc_dump(c, UACCE_NL_DEV_GET, add_up, &sum, NULL);
	nlc_dump(c, UACCE_NL_SECTION_GET, add_up, &sum, NULL);
	return sum;
}

TEST_F_TIMEOUT(nl, random_messages_change_nothing, 240)
{
	const char *text = getenv("WD_TEST_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) : (uint64_t)now_ms() * 2 + 1, before;
	pid_t pids[2];

	test_live("1");
	before = state_of(self->c);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(fuzzes(seed + 2 * i, i));
	}
	for (int i = 0; i < 2; i++)
		EXPECT_EQ(0, exit_code(pids[i]));
	EXPECT_EQ(before, state_of(self->c)) TH_LOG("WD_TEST_SEED=%llu", (unsigned long long)seed);
}

TEST_HARNESS_MAIN
