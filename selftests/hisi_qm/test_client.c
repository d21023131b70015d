// SPDX-License-Identifier: Apache-2.0
/* Clients that die or misbehave: the queues come back, and other clients notice nothing. */
#include <signal.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#define NEED_DEVICES	1
#include "need_machine.h"
#include "zip_client.h"

#define LEN	16384
#define ROOM	(LEN + LEN / 8 + 256)
#define KILLS	200

FIXTURE(client) {
	char name[UACCE_NAME_MAX];
	long available;
};

FIXTURE_SETUP(client)
{
	if (!client_device(self->name))
		SKIP(return, "no ZIP device");
	self->available = uacce_attr_num(self->name, "available_instances");
	ASSERT_GT(self->available, 4);
}

FIXTURE_TEARDOWN(client)
{
	EXPECT_EQ(0, client_wait_available(self->name, self->available));
}

/* Keeps a queue full until it is killed; reports when requests are in flight. */
static void victim(const char *name, int tell)
{
	static uint8_t src[LEN], dst[32][ROOM];
	struct rawq_done done;
	struct rawq q;

	if (rawq_begin(&q, name, ZIP_QC_COMPRESS))
		_exit(1);
	client_fill(src, LEN, 1);
	for (int i = 0; i < 32; i++)
		client_queue(&q, src, LEN, dst[i], ROOM);
	client_ring(&q);
	if (write(tell, "x", 1) != 1)
		_exit(1);
	for (;;) {
		if (rawq_wait(&q, &done, CLIENT_WAIT_MS))
			_exit(1);
		rawq_ack(&q, 0);
		client_queue(&q, src, LEN, dst[q.sq_tail % 32], ROOM);
		client_ring(&q);
	}
}

static int kill_one(const char *name)
{
	char byte;
	int tell[2], status, ret = 0;
	pid_t pid;

	if (pipe(tell))
		return -errno;
	pid = fork();
	if (!pid) {
		close(tell[0]);
		victim(name, tell[1]);
	}
	close(tell[1]);
	if (read(tell[0], &byte, 1) != 1)
		ret = -ECHILD;
	close(tell[0]);
	kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
		ret = -ECHILD;
	return ret;
}

TEST_F_TIMEOUT(client, gives_its_queue_back_when_killed, 500)
{
	int kills = getenv("WD_TEST_BRIEF") ? KILLS / 5 : KILLS;

	for (int i = 0; i < kills; i++) {
		ASSERT_EQ(0, kill_one(self->name)) TH_LOG("round %d", i);
		ASSERT_EQ(0, client_wait_available(self->name, self->available)) TH_LOG("round %d", i);
	}
}

static uint32_t random_next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/* Garbage into ring, stop words and doorbell window, some of it shaped like the real thing. */
static void vandal_round(struct rawq *q, uint32_t *seed)
{
	uint32_t *words = (uint32_t *)q->dus;
	uint64_t value;

	for (int i = 0; i < 256; i++)
		words[random_next(seed) % (q->dus_size / 4)] = random_next(seed);
	for (int i = 0; i < 8; i++) {
		value = (uint64_t)random_next(seed) << 32 | random_next(seed);
		if (i & 1)
			value = qm_db_value(i & 2 ? q->id : random_next(seed), random_next(seed) & 7,
					    random_next(seed), random_next(seed) & 1);
		rawq_doorbell(q, value);
		((volatile uint32_t *)q->mmio)[random_next(seed) % (q->mmio_size / 4)] = random_next(seed);
	}
}

/*
 * A start waits half a minute for a queue that drains, which a slow machine may exceed. It doesn't wait at all for
 * another client's command that was abandoned after five seconds, and a machine may stall that long.
 */
static int begin_in_the_end(struct rawq *q, const char *name, unsigned int qc_type)
{
	long long deadline = now_ms() + CLIENT_WAIT_MS;
	int ret;

	while ((ret = rawq_begin(q, name, qc_type)) == -EBUSY && now_ms() < deadline)
		;
	return ret;
}

static void vandal(const char *name, uint32_t seed)
{
	for (;;) {
		struct rawq q;

		if (begin_in_the_end(&q, name, seed & 1))
			_exit(1);
		for (int i = 0; i < 50; i++)
			vandal_round(&q, &seed);
		rawq_close(&q);
	}
}

TEST_F_TIMEOUT(client, is_not_hurt_by_garbage_of_others, 120)
{
	struct rawq comp, decomp;
	pid_t pids[2];

	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (!pids[i])
			vandal(self->name, 77 + i);
	}
	ASSERT_EQ(0, begin_in_the_end(&comp, self->name, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, begin_in_the_end(&decomp, self->name, ZIP_QC_DECOMPRESS));
	for (int i = 0; i < 100; i++) {
		ASSERT_EQ(0, client_round_trip(&comp, &decomp, 1 + i * 331, i)) TH_LOG("round %d", i);
	}
	rawq_close(&comp);
	rawq_close(&decomp);
	for (int i = 0; i < 2; i++) {
		int status;

		EXPECT_EQ(0, kill(pids[i], SIGKILL));
		EXPECT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status)) TH_LOG("a vandal was refused a queue");
	}
}

TEST_F_TIMEOUT(client, opens_and_starts_while_another_one_drains, 120)
{
	enum { BIG = 4 << 20, NR = 16 };
	uint8_t *src = malloc(BIG), *dst = malloc(BIG + BIG / 8);
	struct rawq slow, comp, decomp;
	pid_t pid;

	ASSERT_TRUE(src && dst);
	client_fill(src, BIG, 3);
	ASSERT_EQ(0, rawq_begin(&comp, self->name, ZIP_QC_COMPRESS));
	pid = fork();
	if (!pid) {
		if (rawq_begin(&slow, self->name, ZIP_QC_COMPRESS))
			_exit(1);
		for (int i = 0; i < NR; i++)
			client_queue(&slow, src, BIG, dst, BIG + BIG / 8);
		client_ring(&slow);
		_exit(uacce_put_q(slow.fd) ? 1 : 0);
	}
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, begin_in_the_end(&decomp, self->name, ZIP_QC_DECOMPRESS));
		ASSERT_EQ(0, client_round_trip(&comp, &decomp, 4096, i));
		rawq_close(&decomp);
	}
	ASSERT_EQ(pid, waitpid(pid, &(int){0}, 0));
	rawq_close(&comp);
}

TEST_HARNESS_MAIN
