// SPDX-License-Identifier: Apache-2.0
/*
 * count_client DEVICE REQUESTS: does that many compressions on one queue, one after the other, and writes how many
 * bytes went in and out. Then it keeps the queue open until its standard input ends.
 */
#include "zip_client.h"

#define LEN	4096
#define ROOM	(LEN + LEN / 8 + 256)

int main(int argc, char **argv)
{
	static uint8_t src[LEN], dst[ROOM];
	int nr = argc == 3 ? atoi(argv[2]) : 0, ret, i;
	uint32_t produced = 0, sum = 0;
	struct rawq q;

	if (nr < 1) {
		fprintf(stderr, "usage: count_client DEVICE REQUESTS\n");
		return 2;
	}
	client_fill(src, LEN, 1);
	ret = rawq_begin(&q, argv[1], ZIP_QC_COMPRESS);
	for (i = 0; !ret && i < nr; i++) {
		ret = rawq_zip(&q, ZIP_REQ_DEFLATE, src, LEN, dst, ROOM, &produced, CLIENT_WAIT_MS);
		sum += produced;
		rawq_ack(&q, 0);
	}
	if (ret) {
		fprintf(stderr, "count_client: request %d: %d\n", i, ret);
		return 1;
	}
	printf("%d %u\n", nr * LEN, sum);
	fflush(stdout);
	while (getchar() != EOF)
		;
	rawq_close(&q);
	return 0;
}
