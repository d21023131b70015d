/* SPDX-License-Identifier: Apache-2.0 */
/* A context: one open queue of a uacce device. */
#ifndef WD_CTX_H
#define WD_CTX_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include "base/fork.h"
#include "base/handle.h"

enum wd_ctx_state {
	WD_CTX_OPEN,
	WD_CTX_STARTED,
	WD_CTX_STOPPED,		/* queue released, file closed */
};

#define WD_CTX_REGIONS	(UACCE_QFRT_DEVICE_CQ + 1)

struct wd_ctx {
	struct wd_object obj;
	struct wd_fork_file file;
	atomic_uint refs;
	pthread_mutex_t lock;	/* state, map */
	enum wd_ctx_state state;
	void *map[WD_CTX_REGIONS];
	bool stuck;		/* its owner's: PUT_Q has failed, so that only the file is left to be closed */
	size_t size[WD_CTX_REGIONS];	/* constant, like all members below but priv */
	int node_id;
	bool simulated;
	bool sva;
	char name[WD_NAME_SIZE];
	char api[WD_NAME_SIZE];
	_Atomic(void *) priv;
};

/* The context of a handle, valid as long as the caller's reference; NULL and *ret -EINVAL or -ESTALE, recorded. */
struct wd_ctx *wd_ctx_lookup(handle_t h, int *ret);

/*
 * ioctl() that doesn't change errno: its result or -errno, with -ENODEV for a queue whose device is gone. Records
 * nothing.
 */
int wd_ctx_ioctl(struct wd_ctx *ctx, unsigned long cmd, void *arg);
/* The same for a descriptor that is used as it is. */
int wd_fd_ioctl(int fd, unsigned long cmd, void *arg);

/* Maps the ring that the device of a mediated queue completes to; NULL: not permitted, or unknown. Records nothing. */
void *wd_ctx_map_device_cq(struct wd_ctx *ctx, size_t bytes);

/* Why a queue whose stop word is set was stopped: -ENODEV if the device is gone, else -EIO. A system call. */
int wd_ctx_why_stopped(struct wd_ctx *ctx);

/* The descriptor to sleep on; -1 if stopped or inherited. */
static inline int wd_ctx_fd(const struct wd_ctx *ctx)
{
	return ctx->file.fd;
}

#endif
