// SPDX-License-Identifier: Apache-2.0
/*
 * Threads that keep the queues of one device busy until each of their calls fails.
 * busy_client DEVICE THREADS: writes "busy" once each thread has completed a request; ends with 0 when all were refused
 * in order: stop word or poll() first, then ioctl and open.
 * busy_client DEVICE idle NUMBER: so many started queues of any device, until standard input ends.
 * busy_client DEVICE once: one request of each direction, without threads; ends with 0 if the data come back.
 */
#include <pthread.h>
#include <stdatomic.h>
#include "turn.h"
#include "zip_client.h"

#define LEN	8192
#define ROOM	(LEN + LEN / 8 + 256)

static const char *device;
static atomic_int running;
static atomic_int wrong;

static void complain(const char *what, int ret)
{
	fprintf(stderr, "busy_client: %s: %d\n", what, ret);
	atomic_store(&wrong, 1);
}

/* Checks a queue after the device was taken away. */
static void check_gone(struct rawq *q)
{
	int ret = uacce_poll_gone(q->fd, CLIENT_WAIT_MS);

	if ((ret & (POLLIN | POLLERR | POLLHUP)) != (POLLIN | POLLERR | POLLHUP))
		complain("poll() of a removed queue", ret);
	ret = uacce_start_q(q->fd);
	if (ret != -ENXIO)
		complain("START_Q on a removed queue", ret);
	ret = uacce_put_q(q->fd);
	if (ret != -ENXIO)
		complain("PUT_Q on a removed queue", ret);
	if (!rawq_tx_stop(q) || !rawq_let_go(q, CLIENT_WAIT_MS))
		complain("stop words", rawq_tx_stop(q) << 1 | rawq_rx_stop(q));
	/* The doorbell has no effect, and raises no SIGBUS. */
	client_ring(q);
}

static void *work(void *arg)
{
	static uint8_t src[LEN];
	uint8_t *dst = malloc(ROOM);
	uint32_t produced;
	struct rawq q;
	int ret, counted = 0;

	ret = rawq_begin(&q, device, ZIP_QC_COMPRESS);
	if (ret || !dst) {
		complain("begin", ret);
		return NULL;
	}
	while (!rawq_tx_stop(&q)) {
		ret = rawq_zip(&q, ZIP_REQ_DEFLATE, src, LEN, dst, ROOM, &produced, CLIENT_WAIT_MS);
		/* A request may end early, with an error of the device, while its queue is being stopped. */
		if (ret == -ETIMEDOUT || (ret > 0 && !rawq_tx_stop(&q)))
			complain("request", ret);
		if (ret < 0)
			break;
		rawq_ack(&q, 0);
		if (!counted++)
			atomic_fetch_add(&running, 1);
	}
	check_gone(&q);
	rawq_close(&q);
	free(dst);
	return NULL;
}

static int once(void)
{
	struct rawq comp, decomp;
	int ret = rawq_begin(&comp, device, ZIP_QC_COMPRESS);

	if (ret) {
		complain("begin", ret);
		return 1;
	}
	ret = rawq_begin(&decomp, device, ZIP_QC_DECOMPRESS);
	if (!ret) {
		ret = client_round_trip(&comp, &decomp, LEN, 1);
		rawq_close(&decomp);
	}
	if (ret)
		complain("round trip", ret);
	rawq_close(&comp);
	return ret != 0;
}

static int idle(int nr)
{
	struct rawq *q = calloc(nr + 1, sizeof(*q));
	int ret = 0;

	for (int i = 0; i < nr && !ret; i++)
		ret = rawq_begin(&q[i], device, 0);
	if (ret)
		complain("begin", ret);
	puts("idle");
	fflush(stdout);
	getchar();
	free(q);
	return ret != 0;
}

int main(int argc, char **argv)
{
	int nr = argc == 3 ? atoi(argv[2]) : 0;
	pthread_t threads[64];
	long long deadline = now_ms() + CLIENT_WAIT_MS;

	device = argv[1];
	if (argc == 3 && !strcmp(argv[2], "once"))
		return once();
	if (argc == 4 && !strcmp(argv[2], "idle"))
		return idle(atoi(argv[3]));
	if (nr < 1 || nr > 64) {
		fprintf(stderr, "usage: busy_client DEVICE THREADS|once|idle NUMBER\n");
		return 2;
	}
	for (int i = 0; i < nr; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	while (atomic_load(&running) < nr && !atomic_load(&wrong) && now_ms() < deadline)
		turn_over();
	puts(atomic_load(&running) == nr ? "busy" : "not busy");
	fflush(stdout);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return atomic_load(&wrong);
}
