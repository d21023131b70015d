// SPDX-License-Identifier: Apache-2.0
/*
 * Asynchronous operations. A device reads and writes memory of the job only: a connection may be freed while its
 * request is in flight.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/async.h>
#include <openssl/crypto.h>
#include <openssl/err.h>

#include "core/log.h"
#include "generation.h"
#include "job.h"

static void job_put(struct wdp_job *job)
{
	if (atomic_fetch_sub(&job->refs, 1) != 1)
		return;
	if (job->wait)
		wdp_wait_put(job->wait);
	OPENSSL_cleanse(job->data, job->size);
	free(job);
}

/* The paused code never gives back its reference. */
static void job_drop(struct wdp_waiter *waiter)
{
	job_put((struct wdp_job *)((char *)waiter - offsetof(struct wdp_job, waiter)));
}

static struct wdp_job *job_make(const struct wdp_call *call, struct wdp_call *own)
{
	size_t size = call->src_len + call->extra_len + call->dst_len + call->mac_len;
	struct wdp_job *job = calloc(1, sizeof(*job) + size);

	if (!job)
		return NULL;
	job->refs = 1;
	job->waiter.drop = job_drop;
	job->size = size;
	job->wanted = call->dst_len;
	*own = *call;
	own->dst = call->dst_len ? job->data : NULL;
	own->src = call->src_len ? memcpy(job->data + call->dst_len, call->src, call->src_len) : NULL;
	if (call->extra_len)
		own->extra = memcpy(job->data + call->dst_len + call->src_len, call->extra, call->extra_len);
	if (call->mac_len)
		own->mac = memcpy(job->data + size - call->mac_len, call->mac, call->mac_len);
	return job;
}

void wdp_job_done(struct wdp_job *job, struct wdp_result result)
{
	job->result = result;
	wdp_wait_wake(job->wait, &job->waiter);
	job_put(job);
}

/* Threads of a parent process aren't here. The program may have started its own, or another provider. */
static int pollers_start(struct wdp_provider *prov)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	unsigned int now = process_generation();
	char why[256];
	int ret;

	if (atomic_load(&prov->polls) == now)
		return 0;
	ret = wd_start_pollers(prov->config.pollers);
	if (!ret || ret == -EALREADY) {
		atomic_store(&prov->polls, now);
		return 0;
	}
	if (wd_error_detail(0, why, sizeof(why)) <= 0)
		snprintf(why, sizeof(why), "%s", wd_status_str(ret));
	if (!atomic_flag_test_and_set(&said))
		wdp_log(prov, WDP_LOG_ERRORS, "pollers = %s: %s", prov->config.pollers, why);
	return -EAGAIN;
}

/* When all queues are full, a millisecond is worth waiting: the default provider takes as long. */
static int submit(handle_t h, const struct wdp_class *class, const struct wdp_call *call, struct wdp_job *job)
{
	int ret;

	atomic_fetch_add(&job->refs, 1);
	ERR_set_mark();
	ret = class->async(h, call, job);
	if (ret == -EBUSY && !class->wait(h, 1))
		ret = class->async(h, call, job);
	ERR_pop_to_mark();
	if (ret)
		atomic_fetch_sub(&job->refs, 1);
	return ret;
}

/* A pause ends at once if pausing is blocked or there is no job any more. The program may end it early. */
static void pause_until_done(struct wdp_job *job)
{
	while (!atomic_load_explicit(&job->waiter.done, memory_order_acquire)) {
		ASYNC_pause_job();
		if (!atomic_load_explicit(&job->waiter.done, memory_order_acquire))
			wdp_wait_sleep(job->wait, &job->waiter);
	}
}

int wdp_job_do(struct wdp_provider *prov, handle_t h, const struct wdp_class *class, const struct wdp_call *call,
	       struct wdp_result *result)
{
	struct wdp_call own;
	struct wdp_job *job = job_make(call, &own);
	ASYNC_WAIT_CTX *ctx = ASYNC_get_wait_ctx(ASYNC_get_current_job());
	int ret = -ENOMEM;

	if (!job)
		return ret;
	job->wait = wdp_wait_begin(ctx, &job->waiter);
	if (!job->wait)
		goto put_job;
	/* Without them nothing would end the job. */
	ret = pollers_start(prov);
	if (!ret)
		ret = submit(h, class, &own, job);
	if (!ret) {
		/* The program may ask whether its callback will be called. */
		ASYNC_WAIT_CTX_set_status(ctx, ASYNC_STATUS_OK);
		pause_until_done(job);
		*result = job->result;
		if (!result->status && call->dst_len)
			memcpy(call->dst, job->data, call->dst_len);
		if (!result->status && call->mac_len)
			memcpy(call->mac, own.mac, call->mac_len);
	}
	wdp_wait_end(job->wait, &job->waiter);
	wdp_wait_forget(ctx);
put_job:
	job_put(job);
	return ret;
}
