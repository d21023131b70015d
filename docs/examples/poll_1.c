// SPDX-License-Identifier: Apache-2.0
/*
 * POLL-1: one thread submits until there is no room, polls what it has sent, and goes on.
 *
 * The pattern is often written with a for loop that steps on to the next
 * request after -EBUSY as well: the request that found no room is then lost.
 * Here it is tried again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "poll_blocks.h"

static int submit_all(handle_t sess, struct block *blocks)
{
	unsigned int i = 0, cached = 0;
	int ret;

	while (i < BLOCKS || cached) {
		ret = i < BLOCKS ? wd_comp_async(sess, &blocks[i].arg, NULL) : -EBUSY;
		if (!ret) {
			i++;
			cached++;
			continue;
		}
		if (ret != -EBUSY)
			return ret;
		ret = wd_comp_poll(cached, POLL_MS, NULL);
		if (ret <= 0)
			return ret ? ret : -EIO;
		cached -= ret;
	}
	return 0;
}

int main(void)
{
	struct block *blocks = blocks_new();
	handle_t sess = blocks ? session_new() : 0;
	int ret;

	if (!sess) {
		perror("poll_1");
		return 1;
	}
	ret = submit_all(sess, blocks);
	if (!ret)
		ret = blocks_report(blocks);
	else
		fprintf(stderr, "poll_1: %s\n", strerror(-ret));
	/* Refused while requests are in flight: then the buffers must stay as well. */
	if (!wd_comp_free_sess(sess))
		free(blocks);
	return ret != 0;
}
