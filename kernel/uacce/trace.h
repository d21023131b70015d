/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tracepoints uacce:*, which show what a process or a section does to queues. Names are copied
 * into fixed-size arrays, because assigning strings of any length differs between kernels.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM uacce

#if !defined(WD_UACCE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define WD_UACCE_TRACE_H

#include <linux/tracepoint.h>
#include "provision.h"

TRACE_DEFINE_ENUM(UACCE_NL_CTX_POOL);
TRACE_DEFINE_ENUM(UACCE_NL_CTX_EXTRA);
TRACE_DEFINE_ENUM(UACCE_NL_CTX_SLOT);
TRACE_DEFINE_ENUM(UACCE_NL_SECTION_CONFIGURED);
TRACE_DEFINE_ENUM(UACCE_NL_SECTION_LIVE);
TRACE_DEFINE_ENUM(UACCE_NL_SECTION_DRAINING);

/* id -1: the driver assigned no queue. */
TRACE_EVENT(queue_open,
	TP_PROTO(const struct uacce_ctx *ctx, int result),
	TP_ARGS(ctx, result),
	TP_STRUCT__entry(
		__array(char, device, UACCE_NAME_SIZE)
		__field(int, id)
		__field(int, class)
		__field(u32, pasid)
		__field(int, result)
	),
	TP_fast_assign(
		strscpy(__entry->device, dev_name(&ctx->q.uacce->dev), sizeof(__entry->device));
		__entry->id = result ? -1 : (int)ctx->q.id;
		__entry->class = ctx->charge.class;
		__entry->pasid = ctx->q.pasid;
		__entry->result = result;
	),
	TP_printk("device=%s id=%d class=%s pasid=%u result=%d", __entry->device, __entry->id,
		  __print_symbolic(__entry->class, { UACCE_NL_CTX_POOL, "pool" }, { UACCE_NL_CTX_EXTRA, "extra" },
				   { UACCE_NL_CTX_SLOT, "slot" }),
		  __entry->pasid, __entry->result)
);

/* The last close; the queue may have been taken back long before. */
TRACE_EVENT(queue_close,
	TP_PROTO(const struct uacce_ctx *ctx),
	TP_ARGS(ctx),
	TP_STRUCT__entry(
		__array(char, device, UACCE_NAME_SIZE)
		__field(int, id)
		__field(s64, age_us)
	),
	TP_fast_assign(
		strscpy(__entry->device, dev_name(&ctx->q.uacce->dev), sizeof(__entry->device));
		__entry->id = ctx->q.id;
		__entry->age_us = ktime_us_delta(ktime_get(), ctx->charge.since);
	),
	TP_printk("device=%s id=%d age_us=%lld", __entry->device, __entry->id, __entry->age_us)
);

TRACE_EVENT(queue_start,
	TP_PROTO(const struct uacce_ctx *ctx, int result),
	TP_ARGS(ctx, result),
	TP_STRUCT__entry(
		__array(char, device, UACCE_NAME_SIZE)
		__field(int, id)
		__field(u8, priority)
		__field(int, result)
	),
	TP_fast_assign(
		strscpy(__entry->device, dev_name(&ctx->q.uacce->dev), sizeof(__entry->device));
		__entry->id = ctx->q.id;
		__entry->priority = ctx->q.priority;
		__entry->result = result;
	),
	TP_printk("device=%s id=%d priority=%u result=%d", __entry->device, __entry->id, __entry->priority,
		  __entry->result)
);

/* killed: taken from its user by a reset, a removal or a revoked section; result is 0 then. */
TRACE_EVENT(queue_stop,
	TP_PROTO(const struct uacce_ctx *ctx, bool killed, int result),
	TP_ARGS(ctx, killed, result),
	TP_STRUCT__entry(
		__array(char, device, UACCE_NAME_SIZE)
		__field(int, id)
		__field(bool, killed)
		__field(int, result)
	),
	TP_fast_assign(
		strscpy(__entry->device, dev_name(&ctx->q.uacce->dev), sizeof(__entry->device));
		__entry->id = ctx->q.id;
		__entry->killed = killed;
		__entry->result = result;
	),
	TP_printk("device=%s id=%d killed=%d result=%d", __entry->device, __entry->id, __entry->killed, __entry->result)
);

/* Each refusal of open(); the event QUOTA sums them up. section "": not attached. */
TRACE_EVENT(quota_refused,
	TP_PROTO(const struct uacce_device *uacce, const struct uacce_section *section, int error),
	TP_ARGS(uacce, section, error),
	TP_STRUCT__entry(
		__array(char, device, UACCE_NAME_SIZE)
		__array(char, section, UACCE_SECTION_NAME_MAX + 1)
		__field(int, error)
		__field(u32, used)
		__field(s64, free)
	),
	TP_fast_assign(
		strscpy(__entry->device, dev_name(&uacce->dev), sizeof(__entry->device));
		strscpy(__entry->section, section ? uacce_section_name(section) : "", sizeof(__entry->section));
		__entry->error = error;
		__entry->used = uacce->acct.used;
		__entry->free = uacce_account_free(uacce);
	),
	TP_printk("device=%s section=%s error=%d used=%u free=%lld", __entry->device, __entry->section, __entry->error,
		  __entry->used, __entry->free)
);

TRACE_EVENT(section_state,
	TP_PROTO(const struct uacce_section *section),
	TP_ARGS(section),
	TP_STRUCT__entry(
		__array(char, section, UACCE_SECTION_NAME_MAX + 1)
		__field(int, state)
		__field(u32, attached)
		__field(u32, lingering)
		__field(u32, waiting)
	),
	TP_fast_assign(
		strscpy(__entry->section, uacce_section_name(section), sizeof(__entry->section));
		__entry->state = section->state;
		__entry->attached = section->attached;
		__entry->lingering = section->lingering;
		__entry->waiting = section->waiting;
	),
	TP_printk("section=%s state=%s attached=%u lingering=%u waiting=%u", __entry->section,
		  __print_symbolic(__entry->state, { UACCE_NL_SECTION_CONFIGURED, "configured" },
				   { UACCE_NL_SECTION_LIVE, "live" }, { UACCE_NL_SECTION_DRAINING, "draining" }),
		  __entry->attached, __entry->lingering, __entry->waiting)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH uacce
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
