// SPDX-License-Identifier: Apache-2.0
/*
 * Sessions and requests. All parts of a process have one completion queue: a thread that waits takes all complete
 * requests, of other threads as well. Nothing is locked, because a fork might leave a lock locked: of two objects that
 * are made at once, one is dropped. Like zlib's functions, these neither change errno nor are cancellation points.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

#include "device.h"
#include "generation.h"
#include "slot.h"
#include "stats.h"

#define DEADLINE_MS	5000	/* of a part: only a device that lost it takes longer */
#define SLICE_MS	20	/* of a sleep: programs close descriptors, the queue's, too */
#define BUSY_TRIES	50
#define DEPTH		1024	/* parts of a process in flight */
#define TAKE		8	/* completions at a time */
#define WINDOW_LOW	12
#define WINDOWS		4

/* Sessions and queue of one process; a child of it makes its own. */
struct process {
	unsigned int generation;
	handle_t cq;
	struct wdz_slot parts[WINDOWS][WDZ_SESSIONS];
	struct wdz_slot whole[WD_DEFLATE_RAW + 1];
};

static struct process *_Atomic current;

/* State of the calling thread that functions of libwd may change. */
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

/* A child leaves its parent's to it. NULL: no memory. */
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

static struct wd_comp_sess_setup setup_of(enum wd_comp_dir_type dir, enum wd_comp_alg_type alg,
					  enum wd_comp_win_type win, handle_t cq)
{
	return (struct wd_comp_sess_setup){
		.alg_type = alg,
		.op_type = cq ? WD_ASYNC : WD_SYNC,
		.dir_type = dir,
		.comp_lv = dir == WD_DIR_COMPRESS,
		.win_size = win,
		.data_fmt = WD_FLAT_BUF,
		/* zlib itself does again what a device made wrong. */
		.flags = WD_SESS_PATH_HW | WD_SESS_VERIFY | (cq ? WD_SESS_CQ : 0),
		.timeout_ms = DEADLINE_MS,
		.cq = cq,
	};
}

static handle_t session_get(struct wdz_slot *slot, const struct wd_comp_sess_setup *setup)
{
	handle_t h = atomic_load(&slot->h), mine;

	if (h)
		return h;
	mine = wdz_library()->alloc_sess(setup, NULL);
	if (!mine) {
		wdz_slot_leave(slot, 0, -ENODEV);
		return 0;
	}
	if (atomic_compare_exchange_strong(&slot->h, &h, mine))
		return mine;
	wdz_library()->free_sess(mine);
	return h;
}

/* libwd binds each session to a device. Sessions of successive turns are on different devices. */
static struct wdz_slot *parts_slot(struct process *p, int window_bits, unsigned long turn)
{
	return &p->parts[window_bits - WINDOW_LOW][turn % wdz_devices()];
}

/* Formats without raw reach devices of generation 2 as well; parts are raw anyway. */
static handle_t parts_session(struct process *p, struct wdz_slot *slot, int window_bits)
{
	static const enum wd_comp_win_type windows[WINDOWS] = {
		WD_COMP_WS_4K, WD_COMP_WS_8K, WD_COMP_WS_16K, WD_COMP_WS_32K,
	};
	struct wd_comp_sess_setup setup = setup_of(WD_DIR_COMPRESS, WD_ZLIB, windows[window_bits - WINDOW_LOW], p->cq);

	return session_get(slot, &setup);
}

size_t wdz_parts_bound(int window_bits, unsigned long turn, size_t len)
{
	struct kept kept = keep();
	struct process *p = process_get();
	struct wdz_slot *slot;
	unsigned int i;
	handle_t h = 0;

	for (i = 0; p && !h && i < wdz_devices(); i++) {
		slot = parts_slot(p, window_bits, turn + i);
		h = wdz_slot_is_resting(slot) ? 0 : parts_session(p, slot, window_bits);
	}
	restore(kept);
	return h ? wdz_library()->bound(h, len) : 0;
}

handle_t wdz_session_stream(enum wd_comp_alg_type alg)
{
	struct wd_comp_sess_setup setup = setup_of(WD_DIR_DECOMPRESS, alg, WD_COMP_WS_32K, 0);
	struct kept kept = keep();
	struct process *p = process_get();
	handle_t h = p && !wdz_slot_is_resting(&p->whole[alg]) ? wdz_library()->alloc_sess(&setup, NULL) : 0;

	restore(kept);
	return h;
}

/* The result for a slot. WD_REASON_WRONG remains only when verifying has found the result wrong. */
static int result_of(int status, __u16 reason)
{
	if (reason != WD_REASON_WRONG)
		return status;
	wdz_count(WDZ_WRONG, 1);
	return WDZ_SLOT_WRONG;
}

/* The device is at fault for these; errors of the data are not its own. */
static int fault_of(int result)
{
	return result == -ENODEV || result == -ETIMEDOUT || result == WDZ_SLOT_WRONG ? result : 0;
}

void wdz_stream_failed(enum wd_comp_alg_type alg, int err)
{
	struct kept kept = keep();
	struct process *p = process_get();
	struct wdz_slot *slot = p ? &p->whole[alg] : NULL;

	if (slot && fault_of(err))
		wdz_slot_leave(slot, atomic_load(&slot->rest_count), err);
	restore(kept);
}

void wdz_session_close(handle_t sess)
{
	struct kept kept = keep();

	wdz_library()->free_sess(sess);
	restore(kept);
}

/* Takes complete requests, and returns their number. A request's memory may be gone once it is done. */
static int completions_take(handle_t cq)
{
	struct wd_wc wc[TAKE];
	int n = wdz_library()->poll_cq(cq, TAKE, wc), i;
	struct wdz_request *r;

	for (i = 0; i < n; i++) {
		r = (struct wdz_request *)(uintptr_t)wc[i].wr_id;
		wdz_slot_leave(r->slot, r->rest_count, result_of(r->arg.status, r->arg.path_reason));
		atomic_store(&r->done, true);
	}
	return n;
}

/* Sleeps until a request completes. Another thread may have taken the completion of the caller's request. */
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

/* -ENODEV: another device may take it. */
static int submit_to(struct process *p, struct wdz_slot *slot, int window_bits, struct wdz_request *r)
{
	unsigned int tries;
	int ret = -EBUSY;
	handle_t h;

	if (!wdz_slot_enter(slot, &r->rest_count))
		return -ENODEV;
	h = parts_session(p, slot, window_bits);
	if (!h)
		return -ENODEV;
	r->slot = slot;
	for (tries = 0; ret == -EBUSY && tries < BUSY_TRIES; tries++) {
		if (tries)
			completions_wait(p->cq);
		ret = wdz_library()->async(h, &r->arg, NULL);
	}
	if (ret == -ENODEV)
		wdz_slot_leave(slot, r->rest_count, ret);
	return ret;
}

bool wdz_submit(struct wdz_request *r, int window_bits, unsigned long turn)
{
	struct kept kept = keep();
	struct process *p = process_get();
	int ret = -ENODEV;
	unsigned int i;

	r->generation = process_generation();
	r->arg.wr_id = (uintptr_t)r;
	atomic_store(&r->done, false);
	for (i = 0; p && ret == -ENODEV && i < wdz_devices(); i++)
		ret = submit_to(p, parts_slot(p, window_bits, turn + i), window_bits, r);
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
	restore(kept);
	return true;
}

static bool whole_done(struct wdz_slot *slot, const struct wd_comp_sess_setup *setup, struct wd_comp_arg *arg)
{
	unsigned int rest_count;
	handle_t h;
	int ret;

	if (!wdz_slot_enter(slot, &rest_count))
		return false;
	h = session_get(slot, setup);
	if (!h)
		return false;
	ret = wdz_library()->decompress(h, arg);
	wdz_slot_leave(slot, rest_count, fault_of(result_of(ret, arg->path_reason)));
	return !ret;
}

bool wdz_decompress(enum wd_comp_alg_type alg, struct wd_comp_arg *arg)
{
	struct wd_comp_sess_setup setup = setup_of(WD_DIR_DECOMPRESS, alg, WD_COMP_WS_32K, 0);
	struct kept kept = keep();
	struct process *p = process_get();
	bool done = p && whole_done(&p->whole[alg], &setup, arg);

	restore(kept);
	return done;
}

int wdz_strm_decompress(handle_t sess, struct wd_comp_strm *strm)
{
	struct kept kept = keep();
	int ret = wdz_library()->strm_decompress(sess, strm);

	ret = result_of(ret, strm->path_reason);
	restore(kept);
	return ret;
}
