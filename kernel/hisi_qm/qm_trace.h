/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints hisi_qm:*. Not named trace.h, because the framework has a trace.h in the include path. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hisi_qm

#if !defined(WD_QM_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define WD_QM_TRACE_H

#include <linux/tracepoint.h>
#include "internal.h"

/* A command that has ended. -EBUSY: not sent, because the device takes no commands. */
TRACE_EVENT(mailbox,
	TP_PROTO(const struct hisi_qm *qm, u16 w0, u16 queue, u64 base, int result),
	TP_ARGS(qm, w0, queue, base, result),
	TP_STRUCT__entry(
		__array(char, pci, 16)
		__field(u16, w0)
		__field(u16, queue)
		__field(u64, base)
		__field(int, result)
	),
	TP_fast_assign(
		strscpy(__entry->pci, dev_name(&qm->pdev->dev), sizeof(__entry->pci));
		__entry->w0 = w0;
		__entry->queue = queue;
		__entry->base = base;
		__entry->result = result;
	),
	TP_printk("pci=%s command=0x%x read=%d queue=%u base=0x%llx result=%d", __entry->pci,
		  __entry->w0 & QM_MB_CMD_MASK, !!(__entry->w0 & QM_MB_OP_GET), __entry->queue, __entry->base,
		  __entry->result)
);

/* error: after an error of the device, otherwise by PCI or, for a virtual function, by a message. */
TRACE_EVENT(reset_begin,
	TP_PROTO(const struct hisi_qm *qm),
	TP_ARGS(qm),
	TP_STRUCT__entry(
		__array(char, pci, 16)
		__field(bool, pf)
		__field(bool, error)
	),
	TP_fast_assign(
		strscpy(__entry->pci, dev_name(&qm->pdev->dev), sizeof(__entry->pci));
		__entry->pf = qm->pf;
		__entry->error = READ_ONCE(qm->broken);
	),
	TP_printk("pci=%s pf=%d error=%d", __entry->pci, __entry->pf, __entry->error)
);

/*
 * result: 0, or -EIO: the function can't be used, because its reset failed or because it was reset too often. -EAGAIN:
 * a virtual function whose device broke meanwhile, and is reset again.
 */
TRACE_EVENT(reset_end,
	TP_PROTO(const struct hisi_qm *qm, int result),
	TP_ARGS(qm, result),
	TP_STRUCT__entry(
		__array(char, pci, 16)
		__field(bool, pf)
		__field(int, result)
	),
	TP_fast_assign(
		strscpy(__entry->pci, dev_name(&qm->pdev->dev), sizeof(__entry->pci));
		__entry->pf = qm->pf;
		__entry->result = result;
	),
	TP_printk("pci=%s pf=%d result=%d", __entry->pci, __entry->pf, __entry->result)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH hisi_qm
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE qm_trace
#include <trace/define_trace.h>
