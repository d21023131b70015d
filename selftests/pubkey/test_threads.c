// SPDX-License-Identifier: Apache-2.0
/* ECC from several threads with the same sessions: each operation gets its own result, complete. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#include "ecc_test.h"
#include "kselftest_harness.h"
#include "turn.h"

#define THREADS		6
#define ROUNDS		30
#define REQUESTS	40	/* asynchronous requests per thread */

FIXTURE(shared) {
	handle_t ecdh, ecdsa, async;
	unsigned char pair[96], want[32], bad[64];
};

FIXTURE_SETUP(shared)
{
	struct wd_ecc_key key = { .d = number(self->pair + 64, 32) };
	size_t len = sizeof(self->pair);

	self->ecdh = ecc_open(WD_ECC_ECDH, WD_ECC_SECP256R1, WD_SYNC, 0);
	self->ecdsa = ecc_open(WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_SYNC, 0);
	self->async = ecc_open(WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_ASYNC, 0);
	ASSERT_TRUE(self->ecdh && self->ecdsa && self->async);
	ASSERT_EQ(0, ecc_do(self->ecdh, WD_ECC_KEYGEN, NULL, 0, NULL, 0, self->pair, &len));
	ASSERT_EQ(0, wd_ecc_set_key(self->ecdh, &key));
	ASSERT_EQ(0, wd_ecc_set_key(self->ecdsa, &key));
	ASSERT_EQ(0, wd_ecc_set_key(self->async, &key));
	len = sizeof(self->want);
	ASSERT_EQ(0, ecc_do(self->ecdh, WD_ECC_AGREE, self->pair, 64, NULL, 0, self->want, &len));
	memcpy(self->bad, self->pair, 64);
	self->bad[63] ^= 1;
}

FIXTURE_TEARDOWN(shared)
{
	EXPECT_EQ(0, wd_ecc_free_sess(self->ecdh));
	EXPECT_EQ(0, wd_ecc_free_sess(self->ecdsa));
	EXPECT_EQ(0, wd_ecc_free_sess(self->async));
}

struct thread {
	pthread_t id;
	FIXTURE_DATA(shared) *self;
	unsigned int nr, wrong;
	atomic_uint ended;
};

static bool agrees(const struct thread *t)
{
	unsigned char out[32];
	size_t len = sizeof(out);

	if (ecc_do(t->self->ecdh, WD_ECC_AGREE, t->self->pair, 64, NULL, 0, out, &len) ||
	    memcmp(out, t->self->want, 32))
		return false;
	len = sizeof(out);
	return ecc_do(t->self->ecdh, WD_ECC_AGREE, t->self->bad, 64, NULL, 0, out, &len) == -EINVAL && !len;
}

static bool signs(const struct thread *t, unsigned int round)
{
	unsigned char digest[32], sig[64];
	size_t len = sizeof(sig);

	fill_noise(digest, sizeof(digest), ROUNDS * t->nr + round + 1);
	if (ecc_do(t->self->ecdsa, WD_ECC_SIGN, digest, 32, NULL, 0, sig, &len) ||
	    ecc_do(t->self->ecdsa, WD_ECC_VERIFY, digest, 32, sig, 64, NULL, NULL))
		return false;
	digest[round % 32] ^= 1;
	return ecc_do(t->self->ecdsa, WD_ECC_VERIFY, digest, 32, sig, 64, NULL, NULL) == -EBADMSG;
}

static void *agree_and_sign(void *p)
{
	struct thread *t = p;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		t->wrong += !((t->nr + i) % 2 ? agrees(t) : signs(t, i));
	return NULL;
}

TEST_F(shared, each_thread_has_its_own_results)
{
	struct thread t[THREADS] = { { .nr = 0 } };
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		t[i].self = self;
		t[i].nr = i;
		ASSERT_EQ(0, pthread_create(&t[i].id, NULL, agree_and_sign, &t[i]));
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(t[i].id, NULL);
		EXPECT_EQ(0, t[i].wrong);
	}
}

/* --- asynchronous --- */

struct job {
	struct wd_ecc_arg arg;
	struct thread *of;
	unsigned char digest[32], nonce[32], sig[64];
	size_t len;
	atomic_uint calls;
};

static void ended(struct wd_ecc_arg *arg, void *param)
{
	struct job *j = param;

	(void)arg;
	atomic_fetch_add(&j->calls, 1);
	/* The job's thread checks the result when all have ended. */
	atomic_fetch_add(&j->of->ended, 1);
}

static int send_one(struct thread *t, struct job *j, unsigned int i)
{
	fill_noise(j->digest, sizeof(j->digest), REQUESTS * t->nr + i + 1);
	fill_noise(j->nonce, sizeof(j->nonce), REQUESTS * t->nr + i + 1000);
	j->nonce[0] = 1;
	j->of = t;
	j->len = sizeof(j->sig);
	j->arg = (struct wd_ecc_arg){
		.src = j->digest, .src_len = 32, .dst = j->sig, .dst_len = &j->len, .op = WD_ECC_SIGN,
		.extra = j->nonce, .extra_len = 32, .cb = ended, .cb_param = j,
	};
	return wd_ecc_async(t->self->async, &j->arg, NULL);
}

static bool is_right(const struct thread *t, struct job *j)
{
	unsigned char sig[64];
	size_t len = sizeof(sig);

	return atomic_load(&j->calls) == 1 && !j->arg.status && j->len == 64 &&
	       !ecc_do(t->self->ecdsa, WD_ECC_SIGN, j->digest, 32, j->nonce, 32, sig, &len) && !memcmp(sig, j->sig, 64);
}

static void *send_and_poll(void *p)
{
	struct thread *t = p;
	struct job *jobs = calloc(REQUESTS, sizeof(*jobs));
	unsigned int i;
	int ret;

	for (i = 0; jobs && i < REQUESTS; i++)
		if (send_one(t, &jobs[i], i))
			break;
	t->wrong = REQUESTS - i;
	/* Another thread may run these callbacks, and leave nothing to poll here. */
	while (atomic_load(&t->ended) < i)
		if ((ret = wd_ecc_poll(1, 1000, NULL)) < 0 && ret != -ETIME)
			return NULL;
	for (i = 0; jobs && i < REQUESTS; i++)
		t->wrong += !is_right(t, &jobs[i]);
	free(jobs);
	return NULL;
}

TEST_F(shared, two_threads_poll_what_both_have_sent)
{
	struct thread t[2] = { { .nr = 0 } };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		t[i].self = self;
		t[i].nr = i;
		ASSERT_EQ(0, pthread_create(&t[i].id, NULL, send_and_poll, &t[i]));
	}
	for (i = 0; i < 2; i++) {
		pthread_join(t[i].id, NULL);
		EXPECT_EQ(0, t[i].wrong);
		EXPECT_EQ(REQUESTS, atomic_load(&t[i].ended));
	}
}

/* --- another thread that writes to the operand --- */

static atomic_bool stop;

/* The race is intended. */
__attribute__((no_sanitize("thread")))
static void *turn(void *p)
{
	volatile unsigned char *last = p;

	while (!atomic_load_explicit(&stop, memory_order_relaxed))
		*last ^= 1;
	return NULL;
}

TEST_F(shared, a_point_that_changes_is_refused_or_was_good)
{
	unsigned char point[64], out[32];
	unsigned int i;
	pthread_t t;

	memcpy(point, self->pair, 64);
	atomic_store(&stop, false);
	ASSERT_EQ(0, pthread_create(&t, NULL, turn, &point[63]));
	for (i = 0; i < 400; i++) {
		size_t len = sizeof(out);
		struct wd_ecc_arg arg = {
			.src = point, .src_len = 64, .dst = out, .dst_len = &len, .op = WD_ECC_AGREE
		};
		int ret = wd_ecc_sync(self->ecdh, &arg);

		EXPECT_TRUE(!ret || ret == -EINVAL) TH_LOG("%d: %s", ret, detail(self->ecdh));
		EXPECT_TRUE(ret || !memcmp(out, self->want, 32));
		/* On a single CPU, the other thread runs now at the latest. */
		turn_over();
	}
	atomic_store(&stop, true);
	pthread_join(t, NULL);
}

TEST_HARNESS_MAIN
