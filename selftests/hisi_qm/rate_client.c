// SPDX-License-Identifier: Apache-2.0
/*
 * Compares the rates of two devices that both have more work than they may do.
 * rate_client DEVICE DEVICE NUMBER: writes how many requests each completed while both together did NUMBER, after each
 * has used up what an idle function saves.
 */
#include <pthread.h>
#include <stdatomic.h>
#include "zip_client.h"

#define LEN	8192
#define ROOM	(LEN + LEN / 8 + 256)
#define THREADS	16	/* of each device: enough in flight where a request waits long for a CPU */
#define SAVED	48	/* requests, after which both have used up their bursts, even the one that is slow to do so */

static uint8_t src[LEN];
static const char *devices[2];
static atomic_int completed[2];
static atomic_int end, wrong;

static void complain(const char *what, int ret)
{
	fprintf(stderr, "rate_client: %s: %d\n", what, ret);
	atomic_store(&wrong, 1);
}

static void *work(void *arg)
{
	atomic_int *count = arg;
	uint8_t *dst = malloc(ROOM);
	uint32_t produced;
	struct rawq q;
	int ret;

	ret = rawq_begin(&q, devices[count - completed], ZIP_QC_COMPRESS);
	if (ret || !dst) {
		complain("begin", ret);
		return NULL;
	}
	memset(dst, 0xdb, ROOM);
	while (!atomic_load(&end) && !ret) {
		ret = rawq_zip(&q, ZIP_REQ_DEFLATE, src, LEN, dst, ROOM, &produced, CLIENT_WAIT_MS);
		rawq_ack(&q, 0);
		atomic_fetch_add(count, 1);
	}
	if (ret)
		complain("request", ret);
	rawq_close(&q);
	free(dst);
	return NULL;
}

static bool goes_on(long long deadline)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };

	nanosleep(&pause, NULL);
	return !atomic_load(&wrong) && now_ms() < deadline;
}

int main(int argc, char **argv)
{
	int nr = argc == 4 ? atoi(argv[3]) : 0, mark[2], got[2];
	long long deadline = now_ms() + CLIENT_WAIT_MS;
	pthread_t threads[2 * THREADS];

	if (nr < 1) {
		fprintf(stderr, "usage: rate_client DEVICE DEVICE NUMBER\n");
		return 2;
	}
	/*
	 * Both touch their pages, here and in work(): a simulated device fails on a page that stays absent for a while,
	 * as it may where so many threads map memory. That isn't tested here.
	 */
	memset(src, 0xdb, LEN);
	devices[0] = argv[1];
	devices[1] = argv[2];
	for (int i = 0; i < 2 * THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, &completed[i % 2]))
			return 1;
	do {
		mark[0] = atomic_load(&completed[0]);
		mark[1] = atomic_load(&completed[1]);
	} while ((mark[0] < SAVED || mark[1] < SAVED) && goes_on(deadline));
	do {
		got[0] = atomic_load(&completed[0]) - mark[0];
		got[1] = atomic_load(&completed[1]) - mark[1];
	} while (got[0] + got[1] < nr && goes_on(deadline));
	atomic_store(&end, 1);
	printf("%d %d\n", got[0], got[1]);
	for (int i = 0; i < 2 * THREADS; i++)
		pthread_join(threads[i], NULL);
	return atomic_load(&wrong) || got[0] + got[1] < nr;
}
