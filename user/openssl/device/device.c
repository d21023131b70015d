// SPDX-License-Identifier: Apache-2.0
/* Gives single operations to devices. After a failure the default provider computes, unless fallback = no. */
#include <errno.h>
#include <openssl/async.h>
#include <openssl/err.h>

#include "core/log.h"
#include "device.h"
#include "job.h"
#include "probes.h"

#define WRONG_IN_A_ROW	3u
#define REST_SECONDS	60
/*
 * A device that doesn't answer costs each operation its deadline, and the time to stop the queue. One such operation in
 * ten seconds is bearable. The rest after failures is short, because they say less about the device than wrong results.
 */
#define FAILED_IN_A_ROW	3u
#define TRIAL_SECONDS	10
#define SILENT_SECONDS	10

/*
 * This thread is inside libwd, whose software path may call libcrypto, which may choose this provider: such operations
 * go to the default provider. The flag is never set across a pause, after which a job may be in another thread. Errors
 * that libcrypto reports meanwhile are dropped, since libssl would take them for errors of the connection.
 */
static _Thread_local bool inside;

WD_PROBE_SEMAPHORE(wdossl, op_done);

static bool before(const _Atomic int64_t *until)
{
	int64_t seconds = atomic_load_explicit(until, memory_order_relaxed);

	return seconds && wdp_seconds() < seconds;
}

static bool is_resting(const struct wdp_provider *prov)
{
	return before(&prov->rests_until) || before(&prov->failed_until);
}

/* After a rest for failures one operation tries a device. For other operations the rest goes on meanwhile. */
static bool trial_begins(struct wdp_provider *prov)
{
	int64_t until = atomic_load_explicit(&prov->failed_until, memory_order_relaxed), now;

	if (!until)
		return true;
	now = wdp_seconds();
	return now >= until && atomic_compare_exchange_strong(&prov->failed_until, &until, now + TRIAL_SECONDS);
}

static __attribute__((noinline)) handle_t session_inside(const struct wdp_target *to, unsigned int op_type)
{
	handle_t h;

	inside = true;
	h = wdp_session_get(to, op_type);
	inside = false;
	return h;
}

static __attribute__((noinline)) void sync_inside(const struct wdp_target *to, handle_t h, const struct wdp_call *call,
						  struct wdp_result *result)
{
	inside = true;
	ERR_set_mark();
	to->class->sync(h, call, result);
	ERR_pop_to_mark();
	inside = false;
}

static void note_wrong(struct wdp_provider *prov)
{
	wdp_count(prov, WDP_COUNT_BAD);
	if (atomic_fetch_add(&prov->wrong_in_a_row, 1) + 1 < WRONG_IN_A_ROW)
		return;
	atomic_store(&prov->wrong_in_a_row, 0);
	atomic_store(&prov->rests_until, wdp_seconds() + REST_SECONDS);
	wdp_log(prov, WDP_LOG_ERRORS, "%u wrong results in a row: no device is used for %u seconds", WRONG_IN_A_ROW,
		REST_SECONDS);
}

/* Whatever its request was, a device that works answers it. */
static bool is_failure(int status)
{
	return status == -ETIMEDOUT || status == -EIO || status == -ENODEV;
}

/*
 * The row goes on through the rest, so that a trial that fails begins another. Without the default provider there is no
 * rest: the operation would only fail sooner.
 */
static void note_failure(struct wdp_provider *prov)
{
	unsigned int row;

	if (!prov->config.fallback)
		return;
	row = atomic_fetch_add(&prov->failed_in_a_row, 1) + 1;
	if (row < FAILED_IN_A_ROW)
		return;
	atomic_store(&prov->failed_until, wdp_seconds() + TRIAL_SECONDS);
	if (row == FAILED_IN_A_ROW)
		wdp_log(prov, WDP_LOG_ERRORS,
			"%u failures in a row: one operation in %u seconds tries a device, until one succeeds",
			FAILED_IN_A_ROW, TRIAL_SECONDS);
}

/* Both have to be reset: of two threads, one may have ended the row before the other began the rest. */
static void note_success(struct wdp_provider *prov)
{
	if (atomic_load_explicit(&prov->failed_in_a_row, memory_order_relaxed))
		atomic_store(&prov->failed_in_a_row, 0);
	if (atomic_load_explicit(&prov->failed_until, memory_order_relaxed))
		atomic_store(&prov->failed_until, 0);
}

/* A device that is gone fails at each operation. */
static void failure_log(struct wdp_provider *prov, const char *what, const char *why)
{
	int64_t now = wdp_seconds();

	if (now < atomic_load_explicit(&prov->silent_until, memory_order_relaxed))
		return;
	atomic_store(&prov->silent_until, now + SILENT_SECONDS);
	wdp_log(prov, WDP_LOG_ERRORS, "%s: %s", what, why);
}

static enum wdp_outcome failed(struct wdp_provider *prov, const char *what, const char *why)
{
	failure_log(prov, what, why);
	if (!prov->config.fallback) {
		wdp_raise(&prov->core, ERR_R_OPERATION_FAIL, "warpdrive: %s: %s", what, why);
		return WDP_ERROR;
	}
	wdp_count(prov, WDP_COUNT_FALLBACKS);
	return WDP_TO_DEFAULT;
}

/*
 * These are no failures of a device. The operands are invalid, which libcrypto reports in its own words, or no device
 * takes them; or the queues are full, and the default provider takes as long as waiting.
 */
static bool not_taken(int status)
{
	return status == -EBUSY || status == -EINVAL || status == -EBADMSG || status == -EOPNOTSUPP || status == -EFBIG;
}

static enum wdp_outcome conclude(const struct wdp_target *to, handle_t h, const struct wdp_result *result)
{
	struct wdp_provider *prov = to->prov;
	char why[256];

	if (!result->status) {
		note_success(prov);
		return WDP_DONE;
	}
	if (not_taken(result->status))
		return WDP_TO_DEFAULT;
	if (result->reason == WD_REASON_WRONG)
		note_wrong(prov);
	else if (is_failure(result->status))
		note_failure(prov);
	if (wd_error_detail(h, why, sizeof(why)) <= 0)
		return failed(prov, to->class->name, wd_status_str(result->status));
	return failed(prov, to->class->name, why);
}

static handle_t session_now(const struct wdp_target *to, bool job)
{
	if (inside || (to->jobs_only && !job) || is_resting(to->prov))
		return 0;
	return session_inside(to, job ? WD_ASYNC : WD_SYNC);
}

bool wdp_device_may(const struct wdp_target *to)
{
	return session_now(to, ASYNC_get_current_job());
}

enum wdp_outcome wdp_device_do(const struct wdp_target *to, const struct wdp_call *call, unsigned int *path)
{
	bool bad;

	return wdp_device_verify(to, call, path, &bad);
}

enum wdp_outcome wdp_device_verify(const struct wdp_target *to, const struct wdp_call *call, unsigned int *path,
				   bool *bad)
{
	bool job = ASYNC_get_current_job();
	struct wdp_result result = { 0 };
	enum wdp_outcome outcome;
	unsigned long long begin;
	int submitted = 0;
	handle_t h = session_now(to, job);

	*bad = false;
	if (!h || !trial_begins(to->prov))
		return WDP_TO_DEFAULT;
	begin = wdp_op_begins();
	if (job)
		submitted = wdp_job_do(to->prov, h, to->class, call, &result);
	else
		sync_inside(to, h, call, &result);
	if (submitted)
		result.status = submitted;
	WD_PROBE(wdossl, op_done, wd_probe_text(to->class->name), result.path, result.status,
		 begin ? wdp_op_begins() - begin : 0);
	*bad = result.status == -EBADMSG;
	outcome = conclude(to, h, &result);
	if (outcome == WDP_DONE) {
		*path = result.path;
		wdp_count(to->prov, result.path == WD_PATH_HW ? WDP_COUNT_HW : WDP_COUNT_SIM);
	}
	return outcome;
}

void wdp_device_right(struct wdp_provider *prov)
{
	if (atomic_load_explicit(&prov->wrong_in_a_row, memory_order_relaxed))
		atomic_store_explicit(&prov->wrong_in_a_row, 0, memory_order_relaxed);
}

enum wdp_outcome wdp_device_wrong(struct wdp_provider *prov, const char *what, const char *why)
{
	note_wrong(prov);
	return failed(prov, what, why);
}

void wdp_device_was_wrong(struct wdp_provider *prov, const char *what, const char *why)
{
	note_wrong(prov);
	failure_log(prov, what, why);
	wdp_count(prov, WDP_COUNT_FALLBACKS);
}
