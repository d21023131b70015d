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
TRACE_DEFINE_ENUM(UACCE_NL_DEV_RESET);
TRACE_DEFINE_ENUM(UACCE_NL_DEV_ISOLATE);
TRACE_DEFINE_ENUM(UACCE_NL_DEV_READY);

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

/* The time at which a stop begins, for queue_stop; 0, without reading the clock, while nobody traces that. */
#ifndef TRACE_HEADER_MULTI_READ
#define uacce_stop_begins()	(trace_queue_stop_enabled() ? ktime_get_ns() : 0)
#endif

/* killed: taken from its user by a reset, a removal or a revoked section; result is 0 then. */
TRACE_EVENT(queue_stop,
	TP_PROTO(const struct uacce_ctx *ctx, bool killed, int result, u64 begin),
	TP_ARGS(ctx, killed, result, begin),
	TP_STRUCT__entry(
		__array(char, device, UACCE_NAME_SIZE)
		__field(int, id)
		__field(bool, killed)
		__field(int, result)
		__field(u64, ns)
	),
	TP_fast_assign(
		strscpy(__entry->device, dev_name(&ctx->q.uacce->dev), sizeof(__entry->device));
		__entry->id = ctx->q.id;
		__entry->killed = killed;
		__entry->result = result;
		__entry->ns = begin ? ktime_get_ns() - begin : 0;
	),
	TP_printk("device=%s id=%d killed=%d result=%d ns=%llu", __entry->device, __entry->id, __entry->killed,
		  __entry->result, __entry->ns)
);

/* The device failed to stop the queue; @quarantined: how many of its contexts are lost now. */
TRACE_EVENT(queue_quarantined,
	TP_PROTO(const struct uacce_ctx *ctx, u32 quarantined),
	TP_ARGS(ctx, quarantined),
	TP_STRUCT__entry(
		__array(char, device, UACCE_NAME_SIZE)
		__field(int, id)
		__field(u32, quarantined)
	),
	TP_fast_assign(
		strscpy(__entry->device, dev_name(&ctx->q.uacce->dev), sizeof(__entry->device));
		__entry->id = ctx->q.id;
		__entry->quarantined = quarantined;
	),
	TP_printk("device=%s id=%d quarantined=%u", __entry->device, __entry->id, __entry->quarantined)
);

/* Each open() that fails, after quota_refused if the accounts refused it. section "": not attached. */
TRACE_EVENT(queue_refused,
	TP_PROTO(const struct uacce_device *uacce, const struct uacce_section *section, int error),
	TP_ARGS(uacce, section, error),
	TP_STRUCT__entry(
		__array(char, device, UACCE_NAME_SIZE)
		__array(char, section, UACCE_SECTION_NAME_MAX + 1)
		__field(int, error)
	),
	TP_fast_assign(
		strscpy(__entry->device, dev_name(&uacce->dev), sizeof(__entry->device));
		strscpy(__entry->section, section ? uacce_section_name(section) : "", sizeof(__entry->section));
		__entry->error = error;
	),
	TP_printk("device=%s section=%s error=%d reason=%s", __entry->device, __entry->section, __entry->error,
		  __print_symbolic(__entry->error, { -EBUSY, "full" }, { -EDQUOT, "quota" }, { -EACCES, "device" },
				   { -ESHUTDOWN, "section" }, { -EOPNOTSUPP, "memory_way" }, { -EIO, "isolated" },
				   { -EPERM, "reset" }, { -EINVAL, "removed" }, { -ENOMEM, "no_memory" }))
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

/* A process gets a slot, or leaves it. */
DECLARE_EVENT_CLASS(attachment,
	TP_PROTO(const struct uacce_attachment *a),
	TP_ARGS(a),
	TP_STRUCT__entry(
		__array(char, section, UACCE_SECTION_NAME_MAX + 1)
		__array(char, comm, TASK_COMM_LEN)
		__field(int, pid)
		__field(u32, index)
		__field(int, endpoint)
	),
	TP_fast_assign(
		strscpy(__entry->section, uacce_section_name(a->section), sizeof(__entry->section));
		memcpy(__entry->comm, a->comm, sizeof(__entry->comm));
		__entry->pid = pid_nr(a->owner->pid);
		__entry->index = a->slot->index;
		__entry->endpoint = a->slot->endpoint;
	),
	TP_printk("section=%s comm=%s pid=%d index=%u endpoint=%d", __entry->section, __entry->comm, __entry->pid,
		  __entry->index, __entry->endpoint)
);
DEFINE_EVENT(attachment, attach, TP_PROTO(const struct uacce_attachment *a), TP_ARGS(a));
DEFINE_EVENT(attachment, detach, TP_PROTO(const struct uacce_attachment *a), TP_ARGS(a));

/* Device states as in the events DEV_RESET, DEV_ISOLATE and DEV_READY. */
TRACE_EVENT(device_state,
	TP_PROTO(const struct uacce_device *uacce, int state),
	TP_ARGS(uacce, state),
	TP_STRUCT__entry(
		__array(char, device, UACCE_NAME_SIZE)
		__field(int, state)
	),
	TP_fast_assign(
		strscpy(__entry->device, dev_name(&uacce->dev), sizeof(__entry->device));
		__entry->state = state;
	),
	TP_printk("device=%s state=%s", __entry->device,
		  __print_symbolic(__entry->state, { UACCE_NL_DEV_RESET, "resetting" },
				   { UACCE_NL_DEV_ISOLATE, "isolated" }, { UACCE_NL_DEV_READY, "ok" }))
);

/* A reset that ended well; @resets counts them since the device was registered. */
TRACE_EVENT(reset,
	TP_PROTO(const struct uacce_device *uacce, u32 resets),
	TP_ARGS(uacce, resets),
	TP_STRUCT__entry(
		__array(char, device, UACCE_NAME_SIZE)
		__field(u32, resets)
	),
	TP_fast_assign(
		strscpy(__entry->device, dev_name(&uacce->dev), sizeof(__entry->device));
		__entry->resets = resets;
	),
	TP_printk("device=%s resets=%u", __entry->device, __entry->resets)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH uacce
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
