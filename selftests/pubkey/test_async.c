// SPDX-License-Identifier: Apache-2.0
/* Asynchronous RSA, DH and ECC: callbacks, bursts, waiting for room, completion queues, keys that are in use. */
#include <stdlib.h>
#include <wd_cq.h>

#include "async.h"
#include "dh_test.h"
#include "ecc_test.h"
#include "rsa_test.h"
#include "kselftest_harness.h"

#define REQUESTS	60
#define BYTES		128

/* One request of any of the three libraries, and the expected result. */
struct job {
	union {
		struct wd_rsa_arg r;
		struct wd_dh_arg d;
		struct wd_ecc_arg e;
	};
	size_t len;
	unsigned char src[BYTES], dst[BYTES], want[BYTES];
	unsigned int calls;
};

struct lib {
	const char *name;
	int opcode;
	handle_t (*open)(int op_type, unsigned int flags, handle_t cq);
	int (*close)(handle_t h);
	void (*fill)(struct job *j, unsigned int seed, bool cb);
	int (*sync)(handle_t h, struct job *j);
	int (*send)(handle_t h, struct job *j, const wd_ctx_set_t *set);
	int (*burst)(handle_t h, struct job *j[], int n, const wd_ctx_set_t *set);
	int (*poll)(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
	int (*wait)(handle_t h, unsigned int timeout_ms);
	int (*wakeup)(handle_t h);
	int (*rekey)(handle_t h);
	__s32 (*status)(const struct job *j);
};

static unsigned int total;

#define LIB(x, alg, member) \
ASYNC_LIB(x, alg, member) \
\
static int x##_sync(handle_t h, struct job *j) \
{ \
	return wd_##alg##_sync(h, &j->member); \
}

/* --- RSA --- */

static struct rsa_parts parts;

static int r_rekey(handle_t h)
{
	struct wd_rsa_key key = rsa_key_of(&parts, true, true);

	return wd_rsa_set_key(h, &key);
}

static handle_t r_open(int op_type, unsigned int flags, handle_t cq)
{
	struct wd_rsa_sess_setup s = { .key_bits = 1024, .op_type = (__u8)op_type, .flags = flags };
	handle_t h;

	if (flags & WD_SESS_CQ)
		s.cq = cq;
	h = wd_rsa_alloc_sess(&s, NULL);
	return h && (parts.k || !rsa_parts_own(&parts)) && !r_rekey(h) ? h : 0;
}

LIB(r, rsa, r)

static void r_fill(struct job *j, unsigned int seed, bool cb)
{
	memset(j, 0, sizeof(*j));
	fill_noise(j->src, sizeof(j->src), seed + 1);
	j->src[0] = 0;
	j->len = BYTES;
	j->r = (struct wd_rsa_arg){
		.src = j->src, .src_len = BYTES, .dst = j->dst, .dst_len = &j->len, .op = WD_RSA_SIGN,
		.cb = cb ? r_done : NULL, .cb_param = j, .wr_id = seed,
	};
}

/* --- DH --- */

static int d_rekey(handle_t h)
{
	struct wd_number x = number("a private value of the session", 30);

	return wd_dh_set_key(h, &x);
}

static handle_t d_open(int op_type, unsigned int flags, handle_t cq)
{
	struct wd_dh_sess_setup s = { .group = WD_DH_MODP_1024, .op_type = (__u8)op_type, .flags = flags };
	handle_t h;

	if (flags & WD_SESS_CQ)
		s.cq = cq;
	h = wd_dh_alloc_sess(&s, NULL);
	return h && !d_rekey(h) ? h : 0;
}

LIB(d, dh, d)

/* Every second request has a private value of its own. */
static void d_fill(struct job *j, unsigned int seed, bool cb)
{
	memset(j, 0, sizeof(*j));
	fill_noise(j->src, sizeof(j->src), seed + 1);
	j->len = BYTES;
	j->d = (struct wd_dh_arg){
		.dst = j->dst, .dst_len = &j->len, .op = WD_DH_PUBLIC, .cb = cb ? d_done : NULL, .cb_param = j,
		.wr_id = seed, .key = seed % 2 ? j->src : NULL, .key_len = seed % 2 ? 32 : 0,
	};
}

/* --- ECC --- */

static const char p256_d[] = "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721";

static int e_rekey(handle_t h)
{
	struct bytes d = bytes_of(p256_d);
	struct wd_ecc_key key = { .d = number_of(&d) };
	int ret = wd_ecc_set_key(h, &key);

	free(d.at);
	return ret;
}

static handle_t e_open(int op_type, unsigned int flags, handle_t cq)
{
	struct wd_ecc_sess_setup s = {
		.alg = WD_ECC_ECDSA, .curve = WD_ECC_SECP256R1, .op_type = (__u8)op_type, .flags = flags
	};
	handle_t h;

	if (flags & WD_SESS_CQ)
		s.cq = cq;
	h = wd_ecc_alloc_sess(&s, NULL);
	return h && !e_rekey(h) ? h : 0;
}

LIB(e, ecc, e)

/* The nonce makes the result predictable. */
static void e_fill(struct job *j, unsigned int seed, bool cb)
{
	memset(j, 0, sizeof(*j));
	fill_noise(j->src, sizeof(j->src), seed + 1);
	j->src[64] = 0;
	j->len = 64;
	j->e = (struct wd_ecc_arg){
		.src = j->src, .src_len = 32, .dst = j->dst, .dst_len = &j->len, .op = WD_ECC_SIGN,
		.cb = cb ? e_done : NULL, .cb_param = j, .wr_id = seed, .extra = j->src + 64, .extra_len = 32,
	};
}

static const struct lib libs[] = {
	{ "rsa", WD_WC_SIGN, r_open, wd_rsa_free_sess, r_fill, r_sync, r_send, r_burst, wd_rsa_poll, wd_rsa_wait,
	  wd_rsa_wakeup, r_rekey, r_status },
	{ "dh", WD_WC_KEYGEN, d_open, wd_dh_free_sess, d_fill, d_sync, d_send, d_burst, wd_dh_poll, wd_dh_wait,
	  wd_dh_wakeup, d_rekey, d_status },
	{ "ecdsa", WD_WC_SIGN, e_open, wd_ecc_free_sess, e_fill, e_sync, e_send, e_burst, wd_ecc_poll, wd_ecc_wait,
	  wd_ecc_wakeup, e_rekey, e_status },
};

/* --- the tests: for each of the libraries --- */

FIXTURE(async) {
	const struct lib *lib;
	struct job *job;
	handle_t h, sync;
};

FIXTURE_VARIANT(async) {
	unsigned int lib;
};

FIXTURE_VARIANT_ADD(async, rsa) { .lib = 0 };
FIXTURE_VARIANT_ADD(async, dh) { .lib = 1 };
FIXTURE_VARIANT_ADD(async, ecc) { .lib = 2 };

FIXTURE_SETUP(async)
{
	unsigned int i;

	self->lib = &libs[variant->lib];
	self->job = calloc(REQUESTS, sizeof(*self->job));
	self->h = self->lib->open(WD_ASYNC, 0, 0);
	self->sync = self->lib->open(WD_SYNC, 0, 0);
	ASSERT_TRUE(self->job && self->h && self->sync) TH_LOG("%s", detail(0));
	total = 0;
	for (i = 0; i < REQUESTS; i++) {
		struct job *j = &self->job[i];

		self->lib->fill(j, i, false);
		ASSERT_EQ(0, self->lib->sync(self->sync, j)) TH_LOG("%s", detail(self->sync));
		memcpy(j->want, j->dst, BYTES);
	}
	for (i = 0; i < REQUESTS; i++) {
		unsigned char want[BYTES];

		memcpy(want, self->job[i].want, BYTES);
		self->lib->fill(&self->job[i], i, true);
		memcpy(self->job[i].want, want, BYTES);
	}
}

FIXTURE_TEARDOWN(async)
{
	EXPECT_EQ(0, self->lib->close(self->h));
	EXPECT_EQ(0, self->lib->close(self->sync));
	free(self->job);
}

static bool all_right(const struct lib *lib, const struct job *j, unsigned int n, unsigned int calls)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (j[i].calls != calls || lib->status(&j[i]) || memcmp(j[i].dst, j[i].want, BYTES))
			return false;
	return true;
}

TEST_F(async, each_request_calls_back_once_with_its_result)
{
	unsigned int i, sent;

	for (i = 0; i < REQUESTS; i += sent) {
		for (sent = 0; sent < 25 && i + sent < REQUESTS; sent++) {
			ASSERT_EQ(0, self->lib->send(self->h, &self->job[i + sent], NULL))
				TH_LOG("%s", detail(self->h));
		}
		EXPECT_EQ(-EBUSY, self->lib->close(self->h));
		EXPECT_EQ(-EBUSY, self->lib->rekey(self->h));
		while (total < i + sent) {
			ASSERT_LT(0, self->lib->poll(i + sent - total, WAIT_MS, NULL));
		}
	}
	EXPECT_EQ(0, self->lib->poll(1, 0, NULL));
	EXPECT_TRUE(all_right(self->lib, self->job, REQUESTS, 1));
	EXPECT_EQ(0, self->lib->rekey(self->h));
}

TEST_F(async, bursts_stop_at_the_first_that_is_refused)
{
	struct job *jobs[40];
	int i, n;

	for (i = 0; i < 40; i++)
		jobs[i] = &self->job[i];
	jobs[30] = NULL;
	n = self->lib->burst(self->h, jobs, 40, NULL);
	ASSERT_EQ(30, n);
	EXPECT_EQ(-EINVAL, self->lib->burst(self->h, jobs + 30, 10, NULL));
	EXPECT_EQ(0, self->lib->burst(self->h, jobs, 0, NULL));
	while (total < 30) {
		ASSERT_LT(0, self->lib->poll(30, WAIT_MS, NULL));
	}
	EXPECT_TRUE(all_right(self->lib, self->job, 30, 1));
}

TEST_F(async, who_finds_no_room_waits_and_loses_nothing)
{
	struct job *many;
	unsigned int sent, busy = 0;
	int ret;

	if (getenv("WD_FEW_REQUESTS"))
		SKIP(return, "WD_FEW_REQUESTS: a full ring takes a device that computes slowly too long");
	many = calloc(1500, sizeof(*many));
	ASSERT_NE(NULL, many);
	for (sent = 0; sent < 1500; ) {
		self->lib->fill(&many[sent], sent % REQUESTS, true);
		memcpy(many[sent].want, self->job[sent % REQUESTS].want, BYTES);
		ret = self->lib->send(self->h, &many[sent], NULL);
		if (ret == -EBUSY) {
			busy++;
			EXPECT_EQ(0, self->lib->wakeup(self->h));
			ASSERT_LT(0, self->lib->poll(100, WAIT_MS, NULL));
			EXPECT_EQ(0, self->lib->wait(self->h, WAIT_MS));
			continue;
		}
		ASSERT_EQ(0, ret);
		sent++;
	}
	while (total < 1500) {
		ASSERT_LT(0, self->lib->poll(1500, WAIT_MS, NULL));
	}
	EXPECT_LT(0, busy);
	EXPECT_TRUE(all_right(self->lib, many, 1500, 1));
	free(many);
}

TEST_F(async, completions_go_to_a_queue)
{
	handle_t cq = wd_cq_create(32), h;
	unsigned int i, got = 0, sent = 0;
	struct wd_wc wc[16];
	int n;

	ASSERT_NE(0, cq);
	h = self->lib->open(WD_ASYNC, WD_SESS_CQ, cq);
	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	for (i = 0; i < REQUESTS; i++) {
		unsigned char want[BYTES];

		memcpy(want, self->job[i].want, BYTES);
		self->lib->fill(&self->job[i], i, false);
		memcpy(self->job[i].want, want, BYTES);
	}
	while (got < REQUESTS) {
		while (sent < REQUESTS && !self->lib->send(h, &self->job[sent], NULL))
			sent++;
		n = wd_poll_cq(cq, 16, wc);
		ASSERT_LE(0, n);
		for (i = 0; i < (unsigned int)n; i++) {
			struct job *j = &self->job[wc[i].wr_id];

			EXPECT_EQ(0, wc[i].status);
			EXPECT_EQ(self->lib->opcode, (int)wc[i].opcode);
			EXPECT_EQ(j->len, wc[i].byte_len);
			EXPECT_EQ(expected_path(self->lib->name), wc[i].path);
			j->calls++;
		}
		got += (unsigned int)n;
	}
	EXPECT_TRUE(all_right(self->lib, self->job, REQUESTS, 1));
	EXPECT_EQ(0, self->lib->close(h));
	EXPECT_EQ(0, wd_cq_destroy(cq));
}

static void wrong_done(struct wd_ecc_arg *arg, void *param)
{
	*(int *)param = arg->status;
	total++;
}

TEST(a_wrong_signature_and_a_bad_point_are_told)
{
	handle_t h = e_open(WD_ASYNC, 0, 0), g = ecc_open(WD_ECC_ECDH, WD_ECC_SECP256R1, WD_ASYNC, 0);
	unsigned char digest[32] = { 1 }, r_s[64] = { 1, [63] = 1 }, point[64] = { 1 }, d[32] = { 2 }, out[32];
	size_t len = sizeof(out);
	int status = 1;
	struct wd_ecc_arg arg = {
		.src = digest, .src_len = 32, .extra = r_s, .extra_len = 64, .op = WD_ECC_VERIFY, .cb = wrong_done,
		.cb_param = &status,
	}, bad = {
		.src = point, .src_len = 64, .extra = d, .extra_len = 32, .op = WD_ECC_AGREE, .cb = wrong_done,
		.dst = out, .dst_len = &len, .cb_param = &status,
	};

	ASSERT_TRUE(h && g);
	total = 0;
	ASSERT_EQ(0, wd_ecc_async(h, &arg, NULL)) TH_LOG("%s", detail(h));
	EXPECT_EQ(1, wd_ecc_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(-EBADMSG, status);
	/* Refused before the request reaches either path. */
	REFUSED(EINVAL, g, wd_ecc_async(g, &bad, NULL), "not a point");
	EXPECT_EQ(1, total);
	EXPECT_EQ(32, len);
	EXPECT_EQ(0, wd_ecc_free_sess(h));
	EXPECT_EQ(0, wd_ecc_free_sess(g));
}

TEST_HARNESS_MAIN
