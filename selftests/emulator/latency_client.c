// SPDX-License-Identifier: Apache-2.0
/*
 * Under wd-emulate --engine none --latency NS, with NS in argv: many requests at once, each completed NS after its
 * doorbell.
 */
#include <stdlib.h>
#include "rawq.h"
#include "wait_ms.h"

#define REQUESTS	1000

static unsigned char src[4096], dst[8192];

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long long latency = argc == 2 ? atoll(argv[1]) : 0, start, first;
	struct rawq_done done;
	unsigned int i;
	struct rawq q;

	if (latency <= 0 || rawq_begin(&q, "hisi_zip-0", ZIP_QC_COMPRESS))
		return 2;
	start = now_ns();
	for (i = 0; i < REQUESTS; i++) {
		rawq_zip_fill(rawq_slot(&q), ZIP_REQ_DEFLATE, src, sizeof(src), dst, sizeof(dst), i);
		rawq_push(&q, 1);
	}
	if (rawq_wait(&q, &done, WAIT_MS) || rawq_zip_status(rawq_zip_done(&q, &done)) != ZIP_ST_OK)
		return 3;
	first = now_ns() - start;
	for (i = 1; i < REQUESTS; i++)
		if (rawq_wait(&q, &done, WAIT_MS) || rawq_zip_status(rawq_zip_done(&q, &done)) != ZIP_ST_OK)
			return 4;
	rawq_close(&q);
	if (first < latency)
		return 5;
	/* One by one they would take REQUESTS times the latency, however slow this machine is. */
	return now_ns() - start < REQUESTS / 2 * latency ? 0 : 6;
}
