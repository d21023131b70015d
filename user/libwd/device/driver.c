// SPDX-License-Identifier: Apache-2.0
/* Finds the driver for a device, and supplies refusing defaults for operations that a driver leaves out. */
#include <string.h>

#include "device/device.h"
#include "driver.h"

static int no_open(struct wd_queue *q, const struct uacce_dev_info *dev)
{
	(void)q;
	(void)dev;
	return -EOPNOTSUPP;
}

static void no_close(struct wd_queue *q)
{
	(void)q;
}

static int no_stop(struct wd_queue *q)
{
	(void)q;
	return 0;
}

static int no_push(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n)
{
	(void)q;
	(void)msgs;
	(void)n;
	return -EOPNOTSUPP;
}

static int no_sync(struct wd_session *s, void *req, __u64 deadline, struct wd_queue *q)
{
	_Alignas(max_align_t) char buf[WD_MSG_BYTES_MAX];
	struct wd_msg *msg = (struct wd_msg *)buf;

	(void)q;
	(void)deadline;
	msg->req = req;
	return s->cls->sync_other(s, msg, false);
}

static int no_async_one(struct wd_session *s, void *req, struct wd_queue *q)
{
	(void)q;
	return s->cls->async_other(s, req);
}

static unsigned int no_async(struct wd_session *s, void *const reqs[], unsigned int n, struct wd_queue *q)
{
	(void)q;
	(void)s;
	(void)reqs;
	(void)n;
	return 0;
}

static bool no_tell(struct wd_queue *q, struct wd_slot *slot, unsigned int index)
{
	(void)q;
	(void)slot;
	(void)index;
	return false;
}

static int no_pull(struct wd_queue *q, unsigned int max)
{
	(void)q;
	(void)max;
	return 0;
}

/* A software queue's requests stay in their slots until a poller computes them. */
static int keep(struct wd_queue *q, struct wd_msg *const msgs[], unsigned int n)
{
	(void)q;
	(void)msgs;
	return n;
}

static void no_result(struct wd_queue *q, struct wd_msg *msg, unsigned int index)
{
	(void)q;
	(void)index;
	msg->status = -EOPNOTSUPP;
}

static void no_abort(struct wd_queue *q, unsigned int index)
{
	(void)q;
	(void)index;
}

static bool no_stopped(struct wd_queue *q, unsigned int index)
{
	(void)q;
	(void)index;
	return false;
}

static bool no_ready(struct wd_queue *q)
{
	(void)q;
	return false;
}

static void no_arm(struct wd_queue *q)
{
	(void)q;
}

static bool all_served(const struct wd_session_attr *attr)
{
	(void)attr;
	return true;
}

static int no_exec(struct wd_msg *msg)
{
	msg->status = -EOPNOTSUPP;
	return msg->status;
}

void wd_driver_fill(struct wd_driver *full, const struct wd_driver *drv)
{
	*full = *drv;
	full->serves = drv->serves ? drv->serves : all_served;
	full->open = drv->open ? drv->open : no_open;
	full->close = drv->close ? drv->close : no_close;
	full->stop = drv->stop ? drv->stop : no_stop;
	full->push = drv->push ? drv->push : drv->exec ? keep : no_push;
	full->sync = drv->sync ? drv->sync : no_sync;
	full->async_one = drv->async_one ? drv->async_one : no_async_one;
	full->async = drv->async ? drv->async : no_async;
	full->tell = drv->tell ? drv->tell : no_tell;
	full->pull = drv->pull ? drv->pull : no_pull;
	full->result = drv->result ? drv->result : no_result;
	full->abort = drv->abort ? drv->abort : no_abort;
	full->stopped = drv->stopped ? drv->stopped : no_stopped;
	full->ready = drv->ready ? drv->ready : no_ready;
	full->arm = drv->arm ? drv->arm : no_arm;
	full->disarm = drv->disarm ? drv->disarm : no_arm;
	full->exec = drv->exec ? drv->exec : no_exec;
}

const struct wd_driver *wd_driver_find(const struct wd_class *cls, const char *api)
{
	const struct wd_driver *const *drv;
	const char *const *name;

	for (drv = cls->drivers; drv && *drv; drv++)
		for (name = (*drv)->apis; name && *name; name++)
			if (!strcmp(*name, api))
				return *drv;
	return NULL;
}
