// SPDX-License-Identifier: Apache-2.0
/*
 * Sessions and requests. All parts of a process have one completion queue: a thread that waits takes what is complete,
 * whoever submitted it. Nothing is locked, because a fork might leave a lock locked: of two objects that are made at
 * once, one is dropped. zlib's functions neither change errno nor are cancellation points, and neither are these.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "device.h"
#include "generation.h"

#define DEADLINE_MS	5000	/* of a part: only a device that lost it takes longer */
#define SLICE_MS	20	/* of a sleep: programs close descriptors, the queue's, too */
#define RETRY_SECONDS	10	/* after a refusal */
#define BUSY_TRIES	50
#define DEPTH		1024	/* parts of a process in flight */
#define TAKE		16	/* completions at a time */
#define WINDOW_LOW	12
#define WINDOWS		4

struct slot {
	_Atomic handle_t h;
	_Atomic time_t retry;
};

/**
 * struct process - what one process has; a child of it makes its own
 * @retry: no device took a part; parts are the twin's until then
 */
struct process {
	unsigned int generation;
	handle_t cq;
	struct slot parts[WINDOWS][WDZ_SESSIONS];
	struct slot whole[WD_DEFLATE_RAW + 1];
	_Atomic time_t retry;
};

static struct process *_Atomic current;

/* What a function of libwd may change. */
struct kept {
	int err, cancel;
};

static struct kept keep(void)
{
	struct kept kept = { .err = errno };

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &kept.cancel);
	return kept;
}

static void restore(struct kept kept)
{
	pthread_setcancelstate(kept.cancel, NULL);
	errno = kept.err;
}

/* The parent's is left to it. NULL: no memory. */
static struct process *process_get(void)
{
	struct process *p = atomic_load(&current), *mine;
	unsigned int now = process_generation();

	if (p && p->generation == now)
		return p;
	mine = calloc(1, sizeof(*mine));
	if (!mine)
		return NULL;
	mine->generation = now;
	mine->cq = wdz_library()->cq_create(DEPTH);
	if (mine->cq && atomic_compare_exchange_strong(&current, &p, mine))
		return mine;
	if (mine->cq)
		wdz_library()->cq_destroy(mine->cq);
	free(mine);
	p = atomic_load(&current);
	return p && p->generation == now ? p : NULL;
}

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static bool rests(const _Atomic time_t *retry)
{
	time_t until = atomic_load_explicit(retry, memory_order_relaxed);

	return until && seconds() < until;
}

static void rest(_Atomic time_t *retry)
{
	atomic_store(retry, seconds() + RETRY_SECONDS);
}

static struct wd_comp_sess_setup setup_of(enum wd_comp_dir_type dir, enum wd_comp_alg_type alg, enum wd_comp_win_type win,
					  handle_t cq)
{
	return (struct wd_comp_sess_setup){
		.alg_type = alg,
		.op_type = cq ? WD_ASYNC : WD_SYNC,
		.dir_type = dir,
		.comp_lv = dir == WD_DIR_COMPRESS,
		.win_size = win,
		.data_fmt = WD_FLAT_BUF,
		.flags = WD_SESS_PATH_HW | (cq ? WD_SESS_CQ : 0),
		.timeout_ms = DEADLINE_MS,
		.cq = cq,
	};
}

static handle_t session_get(struct slot *at, const struct wd_comp_sess_setup *setup)
{
	handle_t h = atomic_load(&at->h), mine;

	if (h || rests(&at->retry))
		return h;
	mine = wdz_library()->alloc_sess(setup, NULL);
	if (!mine) {
		rest(&at->retry);
		return 0;
	}
	if (atomic_compare_exchange_strong(&at->h, &h, mine))
		return mine;
	wdz_library()->free_sess(mine);
	return h;
}

/* Formats without raw reach devices of generation 2 as well; parts are raw anyway. */
handle_t wdz_session_parts(int window_bits, unsigned long turn)
{
	static const enum wd_comp_win_type windows[WINDOWS] = {
		WD_COMP_WS_4K, WD_COMP_WS_8K, WD_COMP_WS_16K, WD_COMP_WS_32K,
	};
	int window = window_bits - WINDOW_LOW;
	struct kept kept = keep();
	struct process *p = process_get();
	struct wd_comp_sess_setup setup;
	handle_t h = 0;

	if (p && !rests(&p->retry)) {
		setup = setup_of(WD_DIR_COMPRESS, WD_ZLIB, windows[window], p->cq);
		h = session_get(&p->parts[window][turn % wdz_devices()], &setup);
	}
	restore(kept);
	return h;
}

size_t wdz_session_bound(handle_t sess, size_t len)
{
	return wdz_library()->bound(sess, len);
}

handle_t wdz_session_whole(enum wd_comp_alg_type alg)
{
	struct wd_comp_sess_setup setup = setup_of(WD_DIR_DECOMPRESS, alg, WD_COMP_WS_32K, 0);
	struct kept kept = keep();
	struct process *p = process_get();
	handle_t h = p ? session_get(&p->whole[alg], &setup) : 0;

	restore(kept);
	return h;
}

handle_t wdz_session_stream(enum wd_comp_alg_type alg)
{
	struct wd_comp_sess_setup setup = setup_of(WD_DIR_DECOMPRESS, alg, WD_COMP_WS_32K, 0);
	struct kept kept = keep();
	handle_t h = wdz_library()->alloc_sess(&setup, NULL);

	restore(kept);
	return h;
}

void wdz_session_close(handle_t sess)
{
	struct kept kept = keep();

	wdz_library()->free_sess(sess);
	restore(kept);
}

/* Takes what is complete, and returns how many. A request's memory may be gone once it is done. */
static int completions_take(handle_t cq)
{
	struct wd_wc wc[TAKE];
	int n = wdz_library()->poll_cq(cq, TAKE, wc), i;

	for (i = 0; i < n; i++)
		atomic_store(&((struct wdz_request *)(uintptr_t)wc[i].wr_id)->done, true);
	return n;
}

/* Sleeps until something completes, here or in another thread, which may have taken the caller's. */
static void completions_wait(handle_t cq)
{
	const struct wdz_library *lib = wdz_library();
	struct pollfd pfd = { .events = POLLIN };

	if (completions_take(cq) > 0)
		return;
	pfd.fd = lib->cq_fd(cq);
	if (lib->cq_arm(cq) || completions_take(cq) > 0)
		return;
	/* Without the descriptor the thread looks again and again. */
	if (poll(&pfd, 1, SLICE_MS) < 0 || pfd.revents & POLLNVAL)
		sched_yield();
}

bool wdz_submit(struct wdz_request *r, handle_t sess)
{
	struct kept kept = keep();
	struct process *p = process_get();
	unsigned int tries;
	int ret = p ? -EBUSY : -ENOMEM;

	r->generation = process_generation();
	r->arg.wr_id = (uintptr_t)r;
	atomic_store(&r->done, false);
	for (tries = 0; ret == -EBUSY && tries < BUSY_TRIES; tries++) {
		if (tries)
			completions_wait(p->cq);
		ret = wdz_library()->async(sess, &r->arg, NULL);
	}
	if (ret == -ENODEV)
		rest(&p->retry);
	restore(kept);
	return !ret;
}

static bool is_lost(const struct wdz_request *r)
{
	return r->generation != process_generation();
}

bool wdz_request_ended(const struct wdz_request *r)
{
	struct kept kept;

	if (is_lost(r) || atomic_load(&r->done))
		return true;
	kept = keep();
	completions_take(process_get()->cq);
	restore(kept);
	return atomic_load(&r->done);
}

bool wdz_wait(struct wdz_request *r)
{
	struct process *p;
	struct kept kept;

	if (is_lost(r))
		return false;
	kept = keep();
	p = process_get();
	while (!atomic_load(&r->done))
		completions_wait(p->cq);
	if (r->arg.status == -ENODEV)
		rest(&p->retry);
	restore(kept);
	return true;
}

int wdz_decompress(handle_t sess, struct wd_comp_arg *arg)
{
	struct kept kept = keep();
	int ret = wdz_library()->decompress(sess, arg);

	restore(kept);
	return ret;
}

int wdz_strm_decompress(handle_t sess, struct wd_comp_strm *strm)
{
	struct kept kept = keep();
	int ret = wdz_library()->strm_decompress(sess, strm);

	restore(kept);
	return ret;
}
