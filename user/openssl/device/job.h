/* SPDX-License-Identifier: Apache-2.0 */
/* Requests in flight while libcrypto's job is paused. */
#ifndef WDP_JOB_H
#define WDP_JOB_H

#include <stdatomic.h>
#include <stdbool.h>

#include "class.h"
#include "core/provider.h"
#include "wait.h"

/* Two references: the paused code's and the device's. Operands and result are in data, wiped at the end. */
struct wdp_job {
	_Atomic unsigned int refs;
	struct wdp_waiter waiter;
	struct wdp_wait *wait;
	struct wdp_result result;
	union wdp_arg arg;
	size_t len, wanted;		/* of the result */
	size_t size;
	unsigned char data[];
};

/* wdp_job_do() - submit a call, pause until it has ended. 0: *result is set; else the -errno of the submission. */
int wdp_job_do(struct wdp_provider *prov, handle_t h, const struct wdp_class *class, const struct wdp_call *call,
	       struct wdp_result *result);

void wdp_job_done(struct wdp_job *job, struct wdp_result result);

#endif
