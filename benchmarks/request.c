// SPDX-License-Identifier: Apache-2.0
/* Requests through libwd_comp: one at a time, a window in flight, a whole window at once. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <wd_cq.h>
#include "bench.h"

static void done(struct wd_comp_arg *arg, void *param)
{
	struct client *c = param;

	(void)arg;
	c->done++;
}

int session_alg = WD_DEFLATE_RAW;

handle_t session_open(int mode, int level, __u32 flags, int device)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = (__u8)session_alg, .op_type = (__u8)mode, .dir_type = WD_DIR_COMPRESS,
		.comp_lv = (__u8)level, .win_size = WD_COMP_WS_32K, .flags = flags,
	};
	wd_dev_mask_t *mask = device == ANY_DEVICE ? NULL : wd_dev_mask_alloc();
	handle_t sess;

	if (mask)
		wd_dev_mask_set(mask, device);
	sess = wd_comp_alloc_sess(&setup, mask);
	if (!sess)
		die("wd_comp_alloc_sess", -errno);
	wd_dev_mask_free(mask);
	return sess;
}

void client_open(struct client *c, int mode, int device)
{
	int i;

	memset(c, 0, sizeof(*c));
	c->src = calloc(1, BYTES);
	c->dst = calloc(WINDOW, 2 * BYTES);
	if (!c->src || !c->dst)
		die("client_open", -ENOMEM);
	c->sess = session_open(mode, 1, WD_SESS_PATH_HW, device);
	for (i = 0; i < WINDOW; i++) {
		c->arg[i].src = c->src;
		c->arg[i].src_len = BYTES;
		c->arg[i].dst = c->dst + (size_t)i * 2 * BYTES;
		c->arg[i].dst_len = &c->room[i];
		c->arg[i].cb = mode == WD_ASYNC ? done : NULL;
		c->arg[i].cb_param = c;
		c->room[i] = 2 * BYTES;
	}
}

void client_close(struct client *c)
{
	wd_comp_free_sess(c->sess);
	free(c->src);
	free(c->dst);
}

void client_sync(struct client *c, unsigned int n)
{
	int ret;

	while (n--) {
		c->room[0] = 2 * BYTES;
		ret = wd_compress(c->sess, &c->arg[0]);
		if (ret)
			die("wd_compress", ret);
	}
}

static void poll_all(struct client *c, unsigned int until)
{
	int ret;

	while (c->done != until) {
		ret = wd_comp_poll(until - c->done, STALL_MS, NULL);
		if (ret <= 0)
			die("wd_comp_poll", ret);
	}
}

void client_async(struct client *c, unsigned int n)
{
	unsigned int i, window;
	int ret;

	for (; n; n -= window) {
		window = n < WINDOW ? n : WINDOW;
		for (i = 0; i < window; i++) {
			c->room[i] = 2 * BYTES;
			ret = wd_comp_async(c->sess, &c->arg[i], NULL);
			if (ret)
				die("wd_comp_async", ret);
		}
		poll_all(c, c->done + window);
	}
}

void client_burst(struct client *c, unsigned int n)
{
	struct wd_comp_arg *args[WINDOW];
	unsigned int i, window;
	int ret;

	for (i = 0; i < WINDOW; i++)
		args[i] = &c->arg[i];
	for (; n; n -= window) {
		window = n < WINDOW ? n : WINDOW;
		for (i = 0; i < window; i++)
			c->room[i] = 2 * BYTES;
		ret = wd_comp_async_burst(c->sess, args, (int)window, NULL);
		if (ret != (int)window)
			die("wd_comp_async_burst", ret);
		poll_all(c, c->done + window);
	}
}

void client_single(struct client *c, unsigned int n)
{
	int ret;

	while (n--) {
		c->room[0] = 2 * BYTES;
		ret = wd_comp_async(c->sess, &c->arg[0], NULL);
		if (ret)
			die("wd_comp_async", ret);
		poll_all(c, c->done + 1);
	}
}

static void queue_wait(handle_t cq, struct pollfd *pfd)
{
	struct wd_wc wc;

	while (wd_poll_cq(cq, 1, &wc) != 1) {
		if (wd_cq_arm(cq))
			die("wd_cq_arm", -EIO);
		if (wd_poll_cq(cq, 1, &wc) == 1)
			return;
		if (poll(pfd, 1, STALL_MS) != 1)
			die("poll", -ETIME);
	}
}

/* Its own session: that of the client delivers to callbacks. */
void client_queue(struct client *c, unsigned int n)
{
	handle_t cq = wd_cq_create(WINDOW), sess;
	struct wd_comp_sess_setup setup = {
		.alg_type = (__u8)session_alg, .op_type = WD_ASYNC, .dir_type = WD_DIR_COMPRESS, .comp_lv = 1,
		.win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW | WD_SESS_CQ, .cq = cq,
	};
	struct pollfd pfd = { .events = POLLIN };
	int ret;

	sess = wd_comp_alloc_sess(&setup, NULL);
	pfd.fd = wd_cq_fd(cq);
	if (!sess || pfd.fd < 0)
		die("wd_comp_alloc_sess", -errno);
	c->arg[0].cb = NULL;
	while (n--) {
		c->room[0] = 2 * BYTES;
		ret = wd_comp_async(sess, &c->arg[0], NULL);
		if (ret)
			die("wd_comp_async", ret);
		queue_wait(cq, &pfd);
	}
	wd_comp_free_sess(sess);
	wd_cq_destroy(cq);
}

void client_sessions(struct client *c, unsigned int n)
{
	(void)c;
	while (n--)
		wd_comp_free_sess(session_open(WD_SYNC, 1, WD_SESS_PATH_HW, ANY_DEVICE));
}
