// SPDX-License-Identifier: Apache-2.0
/*
 * Powers, of RSA and DH, wherever operand and result lie: in each other, in memory that is read-only, at any address. A
 * device works in the caller's memory, and in copies where others must not reach it; emulated devices show which, since
 * an access to memory that isn't lent to them ends the process.
 */
#include <pthread.h>
#include <signal.h>

#include "dh_test.h"
#include "emulated.h"
#include "in_child.h"
#include "mediated.h"
#include "rsa_test.h"
#include "kselftest_harness.h"
#include "turn.h"

#define DEVICE	"hisi_hpre-0"
#define OTHER	"hisi_hpre-1"
#define K	128
#define MARK	0x5a
#define FAULT_MS 150	/* how long the device stays inside a request */

enum power {
	RSA_PUBLIC,	/* to e */
	RSA_PRIVATE,	/* to d, without the primes */
	RSA_PRIMES,
	DH_SHARED,	/* to the session's x */
	DH_OWN,		/* to the request's x */
};

FIXTURE(power) {
	struct rsa_parts parts;
	enum power what;
	handle_t h;
	unsigned char src[K], want[K], x[40];
	const unsigned char *key;
	unsigned int timeout_ms;
	struct loans loans;
};

FIXTURE_VARIANT(power) {
	enum power what;
};

FIXTURE_VARIANT_ADD(power, rsa_public) { .what = RSA_PUBLIC };
FIXTURE_VARIANT_ADD(power, rsa_private) { .what = RSA_PRIVATE };
FIXTURE_VARIANT_ADD(power, rsa_primes) { .what = RSA_PRIMES };
FIXTURE_VARIANT_ADD(power, dh_shared) { .what = DH_SHARED };
FIXTURE_VARIANT_ADD(power, dh_own) { .what = DH_OWN };

static bool is_rsa(const FIXTURE_DATA(power) *self)
{
	return self->what <= RSA_PRIMES;
}

static handle_t session(FIXTURE_DATA(power) *self, unsigned int flags)
{
	handle_t h = is_rsa(self) ? rsa_open(8 * K, WD_SYNC, flags) : dh_open(WD_DH_MODP_1024, WD_SYNC, flags);
	struct wd_number x = number(self->x, sizeof(self->x));
	struct wd_rsa_key key;

	if (is_rsa(self)) {
		key = rsa_key_of(&self->parts, true, self->what == RSA_PRIMES);
		return h && !wd_rsa_set_key(h, &key) ? h : 0;
	}
	return h && (self->what == DH_OWN || !wd_dh_set_key(h, &x)) ? h : 0;
}

static int session_free(const FIXTURE_DATA(power) *self, handle_t h)
{
	return is_rsa(self) ? wd_rsa_free_sess(h) : wd_dh_free_sess(h);
}

static int power_in(FIXTURE_DATA(power) *self, handle_t h, const void *src, void *dst)
{
	size_t len = K;
	struct wd_rsa_arg r = {
		.src = src, .src_len = K, .dst = dst, .dst_len = &len, .timeout_ms = self->timeout_ms,
		.op = self->what == RSA_PUBLIC ? WD_RSA_VERIFY : WD_RSA_SIGN,
	};
	struct wd_dh_arg d = {
		.src = src, .src_len = K, .dst = dst, .dst_len = &len, .timeout_ms = self->timeout_ms,
		.op = WD_DH_SHARED, .key = self->what == DH_OWN ? self->key : NULL,
		.key_len = self->what == DH_OWN ? sizeof(self->x) : 0,
	};
	int ret = is_rsa(self) ? wd_rsa_sync(h, &r) : wd_dh_sync(h, &d);

	return len != (ret ? 0 : K) ? -EPROTO : ret;
}

static int power(FIXTURE_DATA(power) *self, const void *src, void *dst)
{
	return power_in(self, self->h, src, dst);
}

/* What software computes from src is wanted. */
static int want(FIXTURE_DATA(power) *self)
{
	handle_t soft = session(self, WD_SESS_PATH_SOFT);
	int ret = soft ? power_in(self, soft, self->src, self->want) : -errno;

	session_free(self, soft);
	return ret;
}

FIXTURE_SETUP(power)
{
	self->what = variant->what;
	self->key = self->x;
	ASSERT_EQ(0, rsa_parts_own(&self->parts));
	fill_noise(self->x, sizeof(self->x), 2);
	fill_noise(self->src, K, 1);
	/* Below the modulus, and not so far that the fast path leaves it to the other. */
	self->src[0] = 1;
	ASSERT_EQ(0, want(self)) TH_LOG("%s", detail(0));
	self->h = session(self, expected_path("rsa") == WD_PATH_SOFT ? 0 : WD_SESS_PATH_HW);
	ASSERT_NE(0, self->h) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(power)
{
	EXPECT_EQ(0, session_free(self, self->h));
}

/* --- on every path --- */

TEST_F(power, source_and_room_may_overlap_in_every_way)
{
	static const int apart[] = { -K, 1 - K, -8, -1, 0, 1, 8, K - 1, K };
	unsigned char buf[3 * K], *src = buf + K;
	unsigned int i;

	for (i = 0; i < sizeof(apart) / sizeof(apart[0]); i++) {
		memcpy(src, self->src, K);
		ASSERT_EQ(0, power(self, src, src + apart[i])) TH_LOG("%d: %s", apart[i], detail(self->h));
		EXPECT_EQ(0, memcmp(self->want, src + apart[i], K)) TH_LOG("%d", apart[i]);
	}
}

TEST_F(power, the_private_value_may_lie_in_the_room)
{
	static const size_t at[] = { 0, K - 20, K };
	unsigned char buf[20 + K + 40];
	unsigned int i;

	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		self->key = memcpy(buf + at[i], self->x, sizeof(self->x));
		ASSERT_EQ(0, power(self, self->src, buf + 20)) TH_LOG("%zu: %s", at[i], detail(self->h));
		EXPECT_EQ(0, memcmp(self->want, buf + 20, K)) TH_LOG("%zu", at[i]);
	}
}

TEST_F(power, any_address_will_do_and_nothing_else_is_written)
{
	unsigned char src[K + 64], dst[K + 64];
	unsigned int i, k;

	for (i = 0; i < 64; i += 7) {
		memset(dst, MARK, sizeof(dst));
		memcpy(src + 63 - i, self->src, K);
		ASSERT_EQ(0, power(self, src + 63 - i, dst + i)) TH_LOG("%u: %s", i, detail(self->h));
		EXPECT_EQ(0, memcmp(self->want, dst + i, K));
		EXPECT_EQ(0, memcmp(self->src, src + 63 - i, K));
		for (k = 0; k < sizeof(dst); k++)
			if (k < i || k >= i + K)
				EXPECT_EQ(MARK, dst[k]) TH_LOG("%u: byte %u", i, k);
	}
}

TEST_F(power, short_operands_fill_their_field_with_zeroes)
{
	unsigned char dst[K];

	memset(self->src, 0, K);
	self->src[K - 1] = 3;
	ASSERT_EQ(0, want(self));
	memset(dst, MARK, K);
	ASSERT_EQ(0, power(self, self->src, dst)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, memcmp(self->want, dst, K));
}

static int power_again(void *p)
{
	FIXTURE_DATA(power) *self = p;
	unsigned char dst[K];

	return power(self, self->src, dst) || memcmp(self->want, dst, K);
}

TEST_F(power, a_child_of_fork_has_its_own_memory)
{
	ASSERT_EQ(0, power_again(self));
	EXPECT_EQ(0, in_child(power_again, self));
	EXPECT_EQ(0, power_again(self));
}

/* --- on emulated devices --- */

#define NEEDS_EMULATOR() \
	do { \
		if (!emulated() || expected_path("rsa") != WD_PATH_SIM) \
			SKIP(return, "needs wd-emulate --hpre"); \
	} while (0)

static int control(const char *command)
{
	return emulated_control(DEVICE, command) | emulated_control(OTHER, command);
}

static bool is_marked(const unsigned char *p)
{
	size_t i;

	for (i = 0; i < K && p[i] == MARK; i++)
		;
	return i == K;
}

TEST_F(power, a_room_that_is_read_only_is_an_error)
{
	unsigned char *dst = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	NEEDS_EMULATOR();
	/* The library itself writes there, as the software path does. */
	if (self->what == RSA_PRIMES)
		return;
	ASSERT_NE(MAP_FAILED, dst);
	EXPECT_EQ(-EFAULT, power(self, self->src, dst)) TH_LOG("%s", detail(self->h));
	ASSERT_EQ(0, mprotect(dst, 4096, PROT_READ | PROT_WRITE));
	EXPECT_EQ(0, power(self, self->src, dst)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, memcmp(self->want, dst, K));
	munmap(dst, 4096);
}

TEST_F(power, after_a_failure_of_the_device_the_room_is_as_before)
{
	unsigned char dst[K];

	NEEDS_EMULATOR();
	memset(dst, MARK, K);
	ASSERT_EQ(0, control("fault fail=1:6"));
	EXPECT_EQ(-EIO, power(self, self->src, dst));
	EXPECT_TRUE(is_marked(dst));
	ASSERT_EQ(0, control("fault fail=0"));
	EXPECT_EQ(0, power(self, self->src, dst)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, memcmp(self->want, dst, K));
}

static unsigned long long running(void)
{
	return emulated_count(DEVICE, "running") + emulated_count(OTHER, "running");
}

TEST_F(power, after_a_deadline_the_room_stays_as_it_is)
{
	unsigned char dst[K], then[K];

	NEEDS_EMULATOR();
	memset(dst, MARK, K);
	ASSERT_EQ(0, control("hold"));
	self->timeout_ms = 50;
	EXPECT_EQ(-ETIMEDOUT, power(self, self->src, dst));
	memcpy(then, dst, K);
	ASSERT_EQ(0, control("release"));
	while (running())
		turn_over();
	EXPECT_EQ(0, memcmp(then, dst, K));
	/* A stopped device of generation 2 finishes its requests. What can't be verified any more is wiped. */
	EXPECT_TRUE(is_marked(dst) || !memcmp(self->want, dst, K) == (self->what != RSA_PRIMES));
	self->timeout_ms = 0;
	EXPECT_EQ(0, power(self, self->src, dst)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, memcmp(self->want, dst, K));
}

struct held {
	FIXTURE_DATA(power) *self;
	const unsigned char *src;
	unsigned char *dst;
	int ret;
	unsigned long long running;	/* requests in the device when the call returned */
};

static void *held_run(void *p)
{
	struct held *held = p;

	held->ret = power(held->self, held->src, held->dst);
	held->running = running();
	return NULL;
}

/* Resets the devices while one of them executes the request, which they do again. */
static int reset_during(struct held *held)
{
	/* A device whose memory the kernel has pinned has no page faults. */
	const char *kind = devices_mediated("rsa") ? "delay" : "page-fault";
	unsigned long long before = emulated_count(DEVICE, kind);
	char fault[32];
	pthread_t t;

	snprintf(fault, sizeof(fault), "fault %s=1:%ums", kind, FAULT_MS);
	if (emulated_control(DEVICE, fault) || pthread_create(&t, NULL, held_run, held))
		return -EIO;
	while (emulated_count(DEVICE, kind) == before)
		turn_over();
	control("reset");
	pthread_join(t, NULL);
	return held->ret;
}

TEST_F(power, what_a_reset_stops_is_done_again_whatever_overlaps)
{
	unsigned char buf[2 * K];
	struct held held = { .self = self, .src = buf, .dst = buf + K };

	NEEDS_EMULATOR();
	memcpy(buf, self->src, K);
	EXPECT_EQ(0, reset_during(&held)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, memcmp(self->want, held.dst, K));
	EXPECT_EQ(0, held.running);
	held.dst = buf;
	EXPECT_EQ(0, reset_during(&held)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, memcmp(self->want, held.dst, K));
	held.src = self->src;
	self->key = memcpy(buf, self->x, sizeof(self->x));
	EXPECT_EQ(0, reset_during(&held)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, memcmp(self->want, held.dst, K));
}

/* --- whose memory the device accesses --- */

/* Source and room are in granules; lent: these, to the device. */
static bool loan_begin(FIXTURE_DATA(power) *self, bool lent)
{
	if (loans_open(&self->loans, 2))
		return false;
	memcpy(self->loans.base, self->src, K);
	if (lent)
		lend(&self->loans, self->loans.base, 2);
	return true;
}

static int power_of_loan(void *p)
{
	FIXTURE_DATA(power) *self = p;

	return power(self, self->loans.base, loans_at(&self->loans, 1)) ? 1 : 0;
}

/* Whether the device has accessed the caller's memory. */
static bool was_accessed(FIXTURE_DATA(power) *self)
{
	return in_child(power_of_loan, self) < 0;
}

TEST_F(power, the_device_works_in_the_callers_memory_or_keeps_off_it)
{
	NEEDS_EMULATOR();
	ASSERT_TRUE(loan_begin(self, false));
	/* A result of the primes must be verified first. Without SVA the device works in slots of the kernel. */
	EXPECT_EQ(self->what != RSA_PRIMES && !devices_mediated("rsa"), was_accessed(self));
	/* After a deadline the memory is the caller's, whether the device can be stopped or not. */
	self->timeout_ms = WAIT_MS;
	EXPECT_FALSE(was_accessed(self));
	loans_close(&self->loans);
}

TEST_F(power, in_place_the_device_keeps_off_the_callers_memory)
{
	NEEDS_EMULATOR();
	ASSERT_TRUE(loan_begin(self, false));
	ASSERT_EQ(0, power(self, self->loans.base, self->loans.base + 1)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, memcmp(self->want, self->loans.base + 1, K));
	loans_close(&self->loans);
}

TEST_F(power, when_the_call_returns_the_device_is_done_with_the_memory)
{
	struct held held = { .self = self };
	unsigned int i;

	NEEDS_EMULATOR();
	ASSERT_TRUE(loan_begin(self, true));
	held.src = self->loans.base;
	held.dst = loans_at(&self->loans, 1);
	for (i = 0; i < 3; i++) {
		lend(&self->loans, self->loans.base, 2);
		EXPECT_EQ(0, i ? reset_during(&held) : power(self, held.src, held.dst));
		take_back(&self->loans, self->loans.base, 2);
		EXPECT_EQ(0, memcmp(self->want, held.dst, K));
	}
	while (running())
		turn_over();
	loans_close(&self->loans);
}

TEST_HARNESS_MAIN
