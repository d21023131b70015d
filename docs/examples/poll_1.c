// SPDX-License-Identifier: Apache-2.0
/*
 * POLL-1: one thread submits until there is no room, polls what it has sent, and goes on.
 *
 * Edits of the pattern as it is usually written:
 *  - Buffers and callback are in a struct, one for each request; the last argument is a set of contexts (NULL: the
 *    session's).
 *  - After -EBUSY the same request is submitted again (i--); the for loop would skip it and lose it.
 *  - wd_comp_poll() returns how many callbacks ran, maybe not all: hence async_cached -= ret, and "while" at the end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "poll_blocks.h"

static int send_async_usr(handle_t h_sess, struct block *input, int nums, unsigned int timeout)
{
	int i, async_cached, ret;

	/* poll all packets on single context */
	for (i = 0, async_cached = 0; i < nums; i++) {
		ret = wd_comp_async(h_sess, &input[i].arg, NULL);
		if (ret == -EBUSY) {
			ret = wd_comp_poll(async_cached, timeout, NULL);
			if (ret < 0)
				return ret;
			async_cached -= ret;
			i--;
		} else if (ret < 0) {
			/* error case */
			return ret;
		} else if (ret == 0) {
			async_cached++;
		}
	}
	while (async_cached) {
		ret = wd_comp_poll(async_cached, timeout, NULL);
		if (ret < 0)
			return ret;
		async_cached -= ret;
	}
	return 0;
}

int main(void)
{
	struct block *blocks = blocks_new();
	handle_t sess = blocks ? session_new() : 0;
	int ret;

	if (!sess) {
		fprintf(stderr, "poll_1: %s\n", wd_status_str(-errno));
		return 1;
	}
	ret = send_async_usr(sess, blocks, BLOCKS, POLL_MS);
	if (!ret)
		ret = blocks_report(blocks);
	else
		fprintf(stderr, "poll_1: %s\n", wd_status_str(ret));
	/* The session can't be freed while requests are in flight: then the buffers must stay as well. */
	if (!wd_comp_free_sess(sess))
		free(blocks);
	return ret != 0;
}
