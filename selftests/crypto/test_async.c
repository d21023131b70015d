// SPDX-License-Identifier: Apache-2.0
/* Asynchronous ciphers, digests and AEAD: callbacks, bursts, waiting for room, completion queues, poll threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <wd_cq.h>

#include "aead_test.h"
#include "async.h"
#include "digest_test.h"
#include "kselftest_harness.h"

#define REQUESTS	600
#define BYTES		256

static const unsigned char key64[64] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
static const unsigned char iv16[16] = "an initial value";

/* One request of any of the three libraries, and the expected result. */
struct job {
	union {
		struct wd_cipher_arg c;
		struct wd_digest_arg d;
		struct wd_aead_arg a;
	};
	size_t len;
	unsigned char src[BYTES], dst[BYTES], mac[32];
	unsigned char want[BYTES], want_mac[32];
	_Atomic unsigned int calls;
};

struct lib {
	const char *name;
	int opcode;
	handle_t (*open)(int op_type, unsigned int flags, handle_t cq);
	int (*close)(handle_t h);
	void (*fill)(struct job *j, unsigned int seed, bool cb);
	void (*expect)(handle_t sync, struct job *j);
	int (*send)(handle_t h, struct job *j, const wd_ctx_set_t *set);
	int (*burst)(handle_t h, struct job *j[], int n, const wd_ctx_set_t *set);
	int (*poll)(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
	int (*wait)(handle_t h, unsigned int timeout_ms);
	int (*wakeup)(handle_t h);
	int (*rekey)(handle_t h);
	__s32 (*status)(const struct job *j);
};

static _Atomic unsigned int total;

/* --- ciphers --- */

static handle_t c_open(int op_type, unsigned int flags, handle_t cq)
{
	struct wd_cipher_sess_setup s = {
		.alg = WD_CIPHER_AES, .mode = WD_CIPHER_CBC, .op_type = (__u8)op_type, .flags = flags
	};
	handle_t h;

	if (flags & WD_SESS_CQ)
		s.cq = cq;
	h = wd_cipher_alloc_sess(&s, NULL);
	return h && !wd_cipher_set_key(h, key64, 16) ? h : 0;
}

ASYNC_LIB(c, cipher, c)

static void c_fill(struct job *j, unsigned int seed, bool cb)
{
	memset(j, 0, sizeof(*j));
	fill_noise(j->src, BYTES, seed);
	j->len = BYTES;
	j->c = (struct wd_cipher_arg){
		.src = j->src, .src_len = BYTES, .dst = j->dst, .dst_len = &j->len, .iv = (void *)iv16, .iv_len = 16,
		.op = seed & 1, .cb = cb ? c_done : NULL, .cb_param = j, .wr_id = seed,
	};
}

static void c_expect(handle_t sync, struct job *j)
{
	cipher_do(sync, (int)j->c.op, iv16, 16, j->src, BYTES, j->want);
}

static int c_rekey(handle_t h)
{
	return wd_cipher_set_key(h, key64 + 1, 16);
}

/* --- digests --- */

static handle_t d_open(int op_type, unsigned int flags, handle_t cq)
{
	struct wd_digest_sess_setup s = {
		.alg = WD_DIGEST_SHA256, .mode = WD_DIGEST_HMAC, .op_type = (__u8)op_type, .flags = flags
	};
	handle_t h;

	if (flags & WD_SESS_CQ)
		s.cq = cq;
	h = wd_digest_alloc_sess(&s, NULL);
	return h && !wd_digest_set_key(h, key64, 33) ? h : 0;
}

ASYNC_LIB(d, digest, d)

static void d_fill(struct job *j, unsigned int seed, bool cb)
{
	memset(j, 0, sizeof(*j));
	fill_noise(j->src, BYTES, seed);
	j->len = BYTES;
	j->d = (struct wd_digest_arg){
		.src = j->src, .src_len = BYTES - seed % 7, .dst = j->dst, .dst_len = &j->len, .cb = cb ? d_done : NULL,
		.cb_param = j, .wr_id = seed,
	};
}

static void d_expect(handle_t sync, struct job *j)
{
	digest_do(sync, j->src, j->d.src_len, j->want, 32);
}

static int d_rekey(handle_t h)
{
	return wd_digest_set_key(h, key64 + 1, 16);
}

/* --- AEAD --- */

static handle_t a_open(int op_type, unsigned int flags, handle_t cq)
{
	struct wd_aead_sess_setup s = {
		.calg = WD_CIPHER_AES, .cmode = WD_CIPHER_GCM, .op_type = (__u8)op_type, .flags = flags
	};
	handle_t h;

	if (flags & WD_SESS_CQ)
		s.cq = cq;
	h = wd_aead_alloc_sess(&s, NULL);
	return h && !wd_aead_set_ckey(h, key64, 32) ? h : 0;
}

ASYNC_LIB(a, aead, a)

static void a_fill(struct job *j, unsigned int seed, bool cb)
{
	memset(j, 0, sizeof(*j));
	fill_noise(j->src, BYTES, seed);
	j->len = BYTES;
	j->a = (struct wd_aead_arg){
		.src = j->src, .src_len = BYTES - seed % 7, .dst = j->dst, .dst_len = &j->len, .iv = (void *)iv16,
		.iv_len = 12, .mac = j->mac, .mac_len = 16, .assoc_len = seed % 40, .cb = cb ? a_done : NULL,
		.cb_param = j, .wr_id = seed,
	};
}

static void a_expect(handle_t sync, struct job *j)
{
	aead_do(sync, WD_CIPHER_ENCRYPTION, iv16, 12, j->src, j->a.assoc_len, j->a.src_len - j->a.assoc_len, j->want,
		j->want_mac);
}

static int a_rekey(handle_t h)
{
	return wd_aead_set_ckey(h, key64 + 1, 16);
}

static const struct lib libs[] = {
	{ "cipher", WD_WC_ENCRYPT, c_open, wd_cipher_free_sess, c_fill, c_expect, c_send, c_burst, wd_cipher_poll,
	  wd_cipher_wait, wd_cipher_wakeup, c_rekey, c_status },
	{ "digest", WD_WC_DIGEST, d_open, wd_digest_free_sess, d_fill, d_expect, d_send, d_burst, wd_digest_poll,
	  wd_digest_wait, wd_digest_wakeup, d_rekey, d_status },
	{ "aead", WD_WC_ENCRYPT, a_open, wd_aead_free_sess, a_fill, a_expect, a_send, a_burst, wd_aead_poll,
	  wd_aead_wait, wd_aead_wakeup, a_rekey, a_status },
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

FIXTURE_VARIANT_ADD(async, cipher) { .lib = 0 };
FIXTURE_VARIANT_ADD(async, digest) { .lib = 1 };
FIXTURE_VARIANT_ADD(async, aead) { .lib = 2 };

FIXTURE_SETUP(async)
{
	unsigned int i;

	self->lib = &libs[variant->lib];
	self->job = calloc(REQUESTS, sizeof(*self->job));
	self->h = self->lib->open(WD_ASYNC, 0, 0);
	/* The software path computes the expected results, whatever path the requests take. */
	self->sync = self->lib->open(WD_SYNC, WD_SESS_PATH_SOFT, 0);
	ASSERT_TRUE(self->job && self->h && self->sync);
	total = 0;
	for (i = 0; i < REQUESTS; i++) {
		self->lib->fill(&self->job[i], i, true);
		self->lib->expect(self->sync, &self->job[i]);
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
		if (j[i].calls != calls || lib->status(&j[i]) || memcmp(j[i].dst, j[i].want, BYTES) ||
		    memcmp(j[i].mac, j[i].want_mac, 32))
			return false;
	return true;
}

TEST_F(async, each_request_calls_back_once_with_its_result)
{
	unsigned int i, sent;

	for (i = 0; i < REQUESTS; i += sent) {
		for (sent = 0; sent < 50 && i + sent < REQUESTS; sent++) {
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
	struct job *many = calloc(5000, sizeof(*many));
	unsigned int sent = 0, busy = 0;
	int ret;

	ASSERT_NE(NULL, many);
	for (sent = 0; sent < 5000; ) {
		self->lib->fill(&many[sent], sent, true);
		ret = self->lib->send(self->h, &many[sent], NULL);
		if (ret == -EBUSY) {
			busy++;
			EXPECT_EQ(-ETIME, self->lib->wait(self->h, 1));
			EXPECT_EQ(0, self->lib->wakeup(self->h));
			ASSERT_LT(0, self->lib->poll(100, WAIT_MS, NULL));
			EXPECT_EQ(0, self->lib->wait(self->h, WAIT_MS));
			continue;
		}
		ASSERT_EQ(0, ret);
		sent++;
	}
	EXPECT_LT(0, busy);
	while (total < 5000) {
		ASSERT_LT(0, self->lib->poll(5000, WAIT_MS, NULL));
	}
	free(many);
}

TEST_F(async, completions_go_to_a_queue)
{
	handle_t cq = wd_cq_create(256), h;
	struct wd_wc wc[64];
	unsigned int i, got = 0, sent = 0;
	int n;

	ASSERT_NE(0, cq);
	h = self->lib->open(WD_ASYNC, WD_SESS_CQ, cq);
	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	for (i = 0; i < REQUESTS; i++)
		self->lib->fill(&self->job[i], i, false);
	while (got < REQUESTS) {
		while (sent < REQUESTS && !self->lib->send(h, &self->job[sent], NULL))
			sent++;
		n = wd_poll_cq(cq, 64, wc);
		ASSERT_LE(0, n);
		for (i = 0; i < (unsigned int)n; i++) {
			struct job *j = &self->job[wc[i].wr_id];

			EXPECT_EQ(0, wc[i].status);
			EXPECT_EQ(self->lib->opcode + (variant->lib == 0 ? (int)wc[i].wr_id % 2 : 0),
				  (int)wc[i].opcode);
			EXPECT_EQ(j->len, wc[i].byte_len);
			EXPECT_EQ(expected_path(self->lib->name), wc[i].path);
			j->calls++;
		}
		got += (unsigned int)n;
	}
	for (i = 0; i < REQUESTS; i++)
		EXPECT_EQ(1, self->job[i].calls);
	EXPECT_EQ(0, self->lib->close(h));
	EXPECT_EQ(0, wd_cq_destroy(cq));
}

TEST_F(async, poll_threads_run_the_callbacks)
{
	unsigned int i;

	ASSERT_EQ(0, wd_start_pollers("2"));
	for (i = 0; i < REQUESTS; i++)
		while (self->lib->send(self->h, &self->job[i], NULL) == -EBUSY)
			self->lib->wait(self->h, 100);
	for (i = 0; i < 2 * WAIT_MS && total < REQUESTS; i++)
		usleep(500);
	EXPECT_EQ(REQUESTS, total);
	EXPECT_EQ(0, wd_stop_pollers());
	EXPECT_TRUE(all_right(self->lib, self->job, REQUESTS, 1));
}

TEST(no_data_is_a_request_of_every_path)
{
	handle_t h = c_open(WD_ASYNC, 0, 0), d = d_open(WD_ASYNC, 0, 0);
	struct job c, m;

	ASSERT_TRUE(h && d);
	c_fill(&c, 0, true);
	c.c.src_len = 0;
	d_fill(&m, 0, true);
	m.d.src_len = 0;
	m.d.src = NULL;
	total = 0;
	ASSERT_EQ(0, wd_cipher_async(h, &c.c, NULL)) TH_LOG("%s", detail(h));
	ASSERT_EQ(0, wd_digest_async(d, &m.d, NULL)) TH_LOG("%s", detail(d));
	EXPECT_EQ(1, wd_cipher_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(1, wd_digest_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(0, c.c.status);
	EXPECT_EQ(0, c.len);
	EXPECT_EQ(0, m.d.status);
	EXPECT_EQ(32, m.len);
	EXPECT_EQ(expected_path("cipher"), c.c.path);
	EXPECT_EQ(0, wd_cipher_free_sess(h));
	EXPECT_EQ(0, wd_digest_free_sess(d));
}

static void tag_done(struct wd_aead_arg *arg, void *param)
{
	*(int *)param = arg->status;
	total++;
}

TEST(a_wrong_tag_is_told_to_the_callback_and_leaves_zeroes)
{
	handle_t h = a_open(WD_ASYNC, 0, 0), s = a_open(WD_SYNC, 0, 0);
	unsigned char in[200], buf[200], mac[16];
	size_t len = 200;
	int status = 1;
	unsigned int i;
	struct wd_aead_arg arg = {
		.src = buf, .src_len = 200, .dst = buf, .dst_len = &len, .iv = (void *)iv16, .iv_len = 12, .mac = mac,
		.mac_len = 16, .assoc_len = 8, .op = WD_CIPHER_DECRYPTION, .cb = tag_done, .cb_param = &status,
	};

	ASSERT_TRUE(h && s);
	fill_noise(in, 200, 1);
	ASSERT_EQ(0, aead_do(s, WD_CIPHER_ENCRYPTION, iv16, 12, in, 8, 192, buf, mac));
	mac[15] ^= 0x80;
	total = 0;
	ASSERT_EQ(0, wd_aead_async(h, &arg, NULL));
	EXPECT_EQ(1, wd_aead_poll(1, WAIT_MS, NULL));
	EXPECT_EQ(-EBADMSG, status);
	EXPECT_EQ(0, len);
	EXPECT_EQ(0, memcmp(in, buf, 8));
	for (i = 8; i < 200 && !buf[i]; i++)
		;
	EXPECT_EQ(200, i);
	EXPECT_EQ(0, wd_aead_free_sess(h));
	EXPECT_EQ(0, wd_aead_free_sess(s));
}

TEST_HARNESS_MAIN
