// SPDX-License-Identifier: Apache-2.0
/*
 * Contexts: open, map, start, stop, release.
 *
 * Locks: wd_ctx.lock protects state and map; the fork list's lock is taken
 * inside it. Neither is held while a context's file is opened.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/folders.h"
#include "base/sandbox.h"
#include "device/device.h"
#include "section/ctx.h"
#include "section/section.h"

#define UNKNOWN_CMD	_IO('W', 0xff)	/* no driver has this command: its error tells only whether the queue exists */

struct wd_ctx *wd_ctx_lookup(handle_t h, int *ret)
{
	struct wd_ctx *ctx = wd_handle_get(h, WD_KIND_CTX);

	if (!ctx) {
		*ret = wd_handle_bad(h, "a context");
		return NULL;
	}
	if (wd_stale(&ctx->obj)) {
		*ret = wd_fail_str(&ctx->obj, ESTALE, "%s: the context belongs to the parent process", ctx->name);
		return NULL;
	}
	return ctx;
}

int wd_fd_ioctl(int fd, unsigned long cmd, void *arg)
{
	int saved = errno, ret = ioctl(fd, cmd, arg);

	if (ret < 0)
		ret = errno == ENXIO ? -ENODEV : -errno;
	errno = saved;
	return ret;
}

int wd_ctx_ioctl(struct wd_ctx *ctx, unsigned long cmd, void *arg)
{
	int fd = wd_fork_file_own(&ctx->file);

	/* A program that has closed the file may have another one with that number. */
	return fd < 0 ? -EBADF : wd_fd_ioctl(fd, cmd, arg);
}

int wd_ctx_why_stopped(struct wd_ctx *ctx)
{
	struct uacce_dev_info info;

	if (wd_ctx_ioctl(ctx, UNKNOWN_CMD, NULL) != -ENODEV)
		return -EIO;
	/* A reset takes queues away, like a removal; but a device that is being removed leaves sysfs first. */
	return wd_device_read(ctx->name, &info) == -ENODEV ? -ENODEV : -EIO;
}

/* Whether the open file is the device that sysfs lists under this name, as far as sysfs says. */
static bool same_device(int fd, dev_t rdev)
{
	struct stat st;

	return !rdev || fstat(fd, &st) || (S_ISCHR(st.st_mode) && st.st_rdev == rdev);
}

static int open_fail(int err, const char *node_path)
{
	switch (err) {
	case EBUSY:
		return wd_fail_str(NULL, err, "%s: no queue is free on the device", node_path);
	case EDQUOT:
		return wd_fail_str(NULL, err, "%s: this process has all the queues that it may have", node_path);
	case ESHUTDOWN:
		return wd_fail_str(NULL, err, "%s: this process' section is not live", node_path);
	case EPERM:
		return wd_fail_str(NULL, err, "%s: the device is resetting, or access is not permitted", node_path);
	case ENODEV:
		return wd_fail_str(NULL, err, "%s: not a uacce device, or the device is gone", node_path);
	default:
		return wd_fail_str(NULL, err, "%s: can't be opened", node_path);
	}
}

static struct wd_fork_hook fork_hook = { .child = wd_sandbox_no_context };

static void file_close(struct wd_ctx *ctx)
{
	close(wd_fork_file_del(&ctx->file));
	wd_sandbox_context(-1);
}

/* Opens the node and fills in the constant members. 0 or -errno, recorded. */
static int ctx_open(struct wd_ctx *ctx, const char *node_path)
{
	struct uacce_dev_info info;
	const char *rest;
	int ret, dir, fd;
	dev_t rdev;

	ret = wd_device_of_node(node_path, &info, &rdev);
	if (ret)
		return open_fail(-ret, node_path);
	dir = wd_folder_of(node_path, &rest);
	fd = wd_fork_file_open(&ctx->file, dir, rest, O_RDWR);
	/* open() fails like this between a device's removal and its node's. */
	if (fd < 0)
		return open_fail(fd == -ENXIO || fd == -EINVAL ? ENODEV : -fd, node_path);
	wd_fork_hook_add(&fork_hook);
	wd_sandbox_context(1);
	if (!same_device(fd, rdev)) {
		file_close(ctx);
		return open_fail(ENODEV, node_path);
	}
	strcpy(ctx->name, info.name);
	strcpy(ctx->api, info.api);
	ctx->size[UACCE_QFRT_MMIO] = info.qfrs_offs[UACCE_QFRT_MMIO];
	ctx->size[UACCE_QFRT_DUS] = info.qfrs_offs[UACCE_QFRT_DUS];
	ctx->node_id = info.node_id;
	ctx->simulated = info.simulated;
	ctx->sva = info.flags & UACCE_DEV_SVA;
	return 0;
}

handle_t wd_request_ctx(const char *node_path)
{
	struct wd_ctx *ctx;
	int ret;

	if (!node_path)
		return wd_no_handle(wd_fail(NULL, EINVAL, "wd_request_ctx: path is NULL"));
	ret = wd_section_usable();
	if (ret)
		return wd_no_handle(ret);
	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return wd_no_handle(wd_fail(NULL, ENOMEM, "no memory for the context"));
	ret = ctx_open(ctx, node_path);
	if (ret)
		goto free_ctx;
	pthread_mutex_init(&ctx->lock, NULL);
	atomic_init(&ctx->refs, 1);
	if (!wd_handle_new(WD_KIND_CTX, &ctx->obj)) {
		ret = wd_fail(NULL, ENOMEM, "no memory for the context's handle");
		goto close_file;
	}
	return ctx->obj.handle;

close_file:
	pthread_mutex_destroy(&ctx->lock);
	file_close(ctx);
free_ctx:
	free(ctx);
	return wd_no_handle(ret);
}

int wd_ctx_ref(handle_t h_ctx)
{
	struct wd_ctx *ctx;
	int ret = 0;

	ctx = wd_ctx_lookup(h_ctx, &ret);
	if (ctx)
		atomic_fetch_add_explicit(&ctx->refs, 1, memory_order_relaxed);
	return ret;
}

static void unmap(struct wd_ctx *ctx, unsigned int region)
{
	if (ctx->map[region])
		munmap(ctx->map[region], ctx->size[region]);
	ctx->map[region] = NULL;
}

/*
 * Files are opened, queried and closed under the lock, and a half closed queue has no owner: the thread must not be
 * cancelled meanwhile.
 */
static int ctx_lock(struct wd_ctx *ctx)
{
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&ctx->lock);
	return cancel;
}

static void ctx_unlock(struct wd_ctx *ctx, int cancel)
{
	pthread_mutex_unlock(&ctx->lock);
	pthread_setcancelstate(cancel, NULL);
}

static int queue_put(struct wd_ctx *ctx)
{
	int ret;

	if (ctx->stuck)
		return -EIO;
	do
		ret = wd_ctx_ioctl(ctx, UACCE_CMD_PUT_Q, NULL);
	while (ret == -EINTR);
	return ret;
}

/* Under the lock. Closes the queue in any case. */
static int ctx_stop(struct wd_ctx *ctx)
{
	int ret = queue_put(ctx);
	unsigned int i;

	for (i = 0; i < WD_CTX_REGIONS; i++)
		unmap(ctx, i);
	ctx->state = WD_CTX_STOPPED;
	file_close(ctx);
	/* -EBADF: the program has closed the file. */
	return ret == -ENODEV || ret == -EBADF ? 0 : ret;
}

void wd_release_ctx(handle_t h_ctx)
{
	struct wd_ctx *ctx = wd_handle_get(h_ctx, WD_KIND_CTX);
	int saved = errno, cancel;

	if (!ctx) {
		wd_handle_bad(h_ctx, "a context");
		return;
	}
	if (atomic_fetch_sub_explicit(&ctx->refs, 1, memory_order_acq_rel) != 1)
		return;
	wd_handle_free(h_ctx);
	/* A child has neither the file nor the mappings. */
	if (wd_stale(&ctx->obj)) {
		wd_fork_file_del(&ctx->file);
	} else if (ctx->state != WD_CTX_STOPPED) {
		cancel = ctx_lock(ctx);
		ctx_stop(ctx);
		ctx_unlock(ctx, cancel);
	}
	pthread_mutex_destroy(&ctx->lock);
	free(ctx);
	errno = saved;
}

static int stopped_fail(struct wd_ctx *ctx)
{
	return wd_fail_str(&ctx->obj, ESHUTDOWN, "%s: the context is stopped already", ctx->name);
}

/* Under the lock. NULL and *ret, recorded, on failure. */
static void *region_map(struct wd_ctx *ctx, enum uacce_qfrt qfrt, int *ret)
{
	off_t offset = (off_t)qfrt * sysconf(_SC_PAGESIZE);
	void *base;

	if (ctx->state == WD_CTX_STOPPED) {
		*ret = stopped_fail(ctx);
		return NULL;
	}
	if (ctx->map[qfrt])
		return ctx->map[qfrt];
	base = mmap(NULL, ctx->size[qfrt], PROT_READ | PROT_WRITE, MAP_SHARED, wd_fork_file_own(&ctx->file), offset);
	if (base == MAP_FAILED) {
		/* The mapping of a removed device's queue fails with ENXIO on newer kernels, EINVAL on older ones. */
		int err = wd_ctx_why_stopped(ctx) == -ENODEV ? ENODEV : errno;

		*ret = wd_fail_all(&ctx->obj, err, "%s: can't map region %d of %u bytes", ctx->name, qfrt,
				   ctx->size[qfrt]);
		return NULL;
	}
	ctx->map[qfrt] = base;
	return base;
}

void *wd_drv_mmap_qfr(handle_t h_ctx, enum uacce_qfrt qfrt)
{
	struct wd_ctx *ctx;
	void *base;
	int ret = 0, cancel;

	ctx = wd_ctx_lookup(h_ctx, &ret);
	if (!ctx)
		return wd_null(ret);
	if ((unsigned int)qfrt >= WD_CTX_REGIONS || !ctx->size[qfrt])
		return wd_null(wd_fail_all(&ctx->obj, EINVAL, "%s: the queue has no region %d", ctx->name,
					   (uint64_t)qfrt, 0));
	cancel = ctx_lock(ctx);
	base = region_map(ctx, qfrt, &ret);
	ctx_unlock(ctx, cancel);
	return base ? base : wd_null(ret);
}

void *wd_ctx_map_device_cq(struct wd_ctx *ctx, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int saved = errno, cancel = ctx_lock(ctx);
	void **map = &ctx->map[UACCE_QFRT_DEVICE_CQ], *base;

	if (!*map) {
		bytes = (bytes + page - 1) & ~(page - 1);
		base = mmap(NULL, bytes, PROT_READ, MAP_SHARED, wd_fork_file_own(&ctx->file),
			    (off_t)(UACCE_QFRT_DEVICE_CQ * page));
		*map = base == MAP_FAILED ? NULL : base;
		ctx->size[UACCE_QFRT_DEVICE_CQ] = *map ? bytes : 0;
	}
	ctx_unlock(ctx, cancel);
	errno = saved;
	return *map;
}

void wd_drv_unmap_qfr(handle_t h_ctx, enum uacce_qfrt qfrt)
{
	struct wd_ctx *ctx;
	int ret, cancel;

	ctx = wd_ctx_lookup(h_ctx, &ret);
	if (!ctx || (unsigned int)qfrt >= WD_CTX_REGIONS)
		return;
	cancel = ctx_lock(ctx);
	unmap(ctx, qfrt);
	ctx_unlock(ctx, cancel);
}

/* Under the lock. */
static int ctx_start(struct wd_ctx *ctx)
{
	int ret;

	if (ctx->state == WD_CTX_STOPPED)
		return stopped_fail(ctx);
	if (ctx->state == WD_CTX_STARTED)
		return wd_fail_str(&ctx->obj, EINVAL, "%s: the context is started already", ctx->name);
	do
		ret = wd_ctx_ioctl(ctx, UACCE_CMD_START_Q, NULL);
	while (ret == -EINTR);
	if (ret < 0)
		return wd_fail_str(&ctx->obj, -ret, "%s: can't start the queue", ctx->name);
	ctx->state = WD_CTX_STARTED;
	return 0;
}

int wd_ctx_start(handle_t h_ctx)
{
	struct wd_ctx *ctx;
	int ret, cancel;

	ctx = wd_ctx_lookup(h_ctx, &ret);
	if (!ctx)
		return ret;
	cancel = ctx_lock(ctx);
	ret = ctx_start(ctx);
	ctx_unlock(ctx, cancel);
	return ret;
}

int wd_ctx_stop(handle_t h_ctx)
{
	struct wd_ctx *ctx;
	int saved = errno;
	int ret, cancel;

	ctx = wd_ctx_lookup(h_ctx, &ret);
	if (!ctx)
		return ret;
	cancel = ctx_lock(ctx);
	if (ctx->state == WD_CTX_STOPPED) {
		ret = stopped_fail(ctx);
	} else {
		ret = ctx_stop(ctx);
		if (ret < 0)
			wd_fail_str(&ctx->obj, -ret, "%s: the device failed to stop the queue", ctx->name);
	}
	ctx_unlock(ctx, cancel);
	errno = saved;
	return ret;
}

char *wd_ctx_get_api(handle_t h_ctx)
{
	struct wd_ctx *ctx;
	int ret;

	ctx = wd_ctx_lookup(h_ctx, &ret);
	return ctx ? ctx->api : wd_null(ret);
}

void *wd_ctx_get_priv(handle_t h_ctx)
{
	struct wd_ctx *ctx;
	int ret;

	ctx = wd_ctx_lookup(h_ctx, &ret);
	return ctx ? atomic_load_explicit(&ctx->priv, memory_order_acquire) : wd_null(ret);
}

void wd_ctx_set_priv(handle_t h_ctx, void *priv)
{
	struct wd_ctx *ctx;
	int ret;

	ctx = wd_ctx_lookup(h_ctx, &ret);
	if (ctx)
		atomic_store_explicit(&ctx->priv, priv, memory_order_release);
}

int wd_ctx_set_io_cmd(handle_t h_ctx, int cmd, void *arg)
{
	unsigned int number = (unsigned int)cmd;
	struct wd_ctx *ctx;
	bool stopped;
	int ret, cancel;

	ctx = wd_ctx_lookup(h_ctx, &ret);
	if (!ctx)
		return ret;
	if (number == UACCE_CMD_START_Q || number == UACCE_CMD_PUT_Q)
		return wd_fail_str(&ctx->obj, EINVAL, "%s: use wd_ctx_start() or wd_ctx_stop() for this command",
				   ctx->name);
	cancel = ctx_lock(ctx);
	stopped = ctx->state == WD_CTX_STOPPED;
	ret = stopped ? stopped_fail(ctx) : wd_ctx_ioctl(ctx, number, arg);
	ctx_unlock(ctx, cancel);
	if (ret < 0 && !stopped)
		wd_fail_all(&ctx->obj, -ret, "%s: command %x failed", ctx->name, number, 0);
	return ret;
}
