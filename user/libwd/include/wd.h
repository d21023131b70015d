/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, contexts (one hardware queue each), device masks and context sets: what every WarpDrive library stands on. */
#ifndef WD_H
#define WD_H

#include <stddef.h>
#include <linux/types.h>
#include <misc/uacce/uacce.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Rules that hold for every function here
 *
 * Errors: functions returning int give 0 or a count, or -errno; errno itself
 * is left alone. Functions returning a handle or a pointer give 0 or NULL and
 * set errno. The words for it: wd_error_detail().
 *
 * Handles are checked: a stale one, or one of another kind, is EINVAL and
 * never touches memory. Freeing an object while another thread is inside a
 * call with it is the caller's error.
 *
 * Threads: every function may be called by any thread at any time, unless its
 * comment says otherwise. Nothing here may be called from a signal handler.
 *
 * fork: contexts and sets of the parent answer ESTALE in the child, where
 * releasing them only frees memory. The parent notices nothing.
 *
 * exec: no descriptor survives it.
 */

/* What names an object of these libraries; 0 never does. */
typedef unsigned long long int handle_t;

#define WD_NAME_SIZE		64
#define MAX_ATTR_STR_SIZE	384
#define PATH_STR_SIZE		256

/* Priorities outside this range disable a device; smaller is preferred. */
#define WD_PRIORITY_MIN		(-100)
#define WD_PRIORITY_MAX		99

/* Features of an algorithm on a device, its sysfs attribute "flags"; bits 8 to 31 are the algorithm's own. */
#define WD_CAPA_SHARE_ALL	(1u << 0)	/* it works on all addresses of the process */
#define WD_CAPA_SGL_MEM		(1u << 1)	/* and on lists of pieces */
#define WD_CAPA_STREAM		(1u << 8)	/* a request goes on with the state of an earlier one */

/*
 * A device as sysfs describes it. Allocated by this library only, so that a
 * later version may append members. A mainline kernel lacks the attributes of
 * priority, simulated and sometimes isolated: they read 0 there.
 */
struct uacce_dev_info {
	int flags;				/* UACCE_DEV_SVA */
	char api[WD_NAME_SIZE];			/* "hisi_qm_v3" */
	char algs[MAX_ATTR_STR_SIZE];		/* one name per line */
	unsigned long qfrs_offs[UACCE_QFRT_MAX];	/* bytes of each region, index enum uacce_qfrt */

	char name[WD_NAME_SIZE];		/* "hisi_zip-0" */
	char alg_path[PATH_STR_SIZE];		/* its folder in sysfs */
	char dev_root[PATH_STR_SIZE];		/* its node, "/dev/hisi_zip-0" */

	int node_id;				/* the device's number: 0 for hisi_zip-0 */

	int numa_node;				/* NUMA node; -1 unknown */
	int priority;				/* WD_PRIORITY_MIN .. _MAX, else disabled */
	int simulated;				/* 1: software behind the same interface */
	int isolated;				/* 1: taken out of use after errors */
	int avail;				/* queues that were free when this was read */
};

struct uacce_dev_list {
	struct uacce_dev_info *info;
	struct uacce_dev_list *next;
};

/* A set of devices; bit = uacce_dev_info.node_id. Members are read-only for users. */
typedef struct wd_dev_mask {
	unsigned char *mask;
	int len;			/* bytes */
	unsigned int magic;
} wd_dev_mask_t;

/* A set of this process' contexts; bit = context number. Members are read-only for users. */
struct wd_context_set {
	unsigned char *set;
	int len;			/* bytes */
	unsigned int magic;
};

typedef struct wd_context_set wd_ctx_set_t;

enum wd_buff_type {
	WD_FLAT_BUF,			/* bytes */
	WD_SGL_BUF,			/* struct wd_datalist */
};

/* A piece of a scattered buffer. Pieces with len 0 are skipped (data may be NULL); the last has next NULL. */
struct wd_datalist {
	void *data;
	__u64 len;			/* bytes */
	struct wd_datalist *next;
};

/* wd_version() - version of the library in use, "major.minor.patch". Static storage, never NULL. */
const char *wd_version(void);

/*
 * wd_error_detail() - the last failure of an object, in words.
 *
 * h: a handle of any of these libraries; 0: the calling thread's last failed
 * call (the way to ask when an allocation failed). At most len - 1 characters
 * and a terminating 0 are written. Returns the length of the whole text as
 * snprintf() does, 0 (and "") when nothing has failed, -EINVAL for a bad
 * handle, a NULL buf or len 0.
 */
int wd_error_detail(handle_t h, char *buf, size_t len);

/*
 * wd_list_accels() - the devices that offer an algorithm, best first.
 *
 * alg_name is compared with whole lines of the device's algorithms ("dh" is
 * not "ecdh"). Disabled and isolated devices are left out. Order: priority,
 * distance of the caller's NUMA node (unknown counts as near), free queues,
 * throughput. NULL: every device, those that are not to be used at the end.
 *
 * The list is the caller's: wd_free_list_accels(). NULL and errno: ENODEV (no
 * such device), EINVAL (empty name, or one with a line break), ENOMEM; EMFILE,
 * ENFILE, EACCES (it can't be found out now).
 */
struct uacce_dev_list *wd_list_accels(const char *alg_name);

/*
 * wd_list_accels_with() - those of them that have features (WD_CAPA_*) for the algorithm.
 *
 * A device that doesn't say (mainline's) is listed. NULL and errno as
 * wd_list_accels(); EOPNOTSUPP: devices offer the algorithm, none has the
 * features; EINVAL: features of no algorithm (alg_name NULL).
 */
struct uacce_dev_list *wd_list_accels_with(const char *alg_name, unsigned int features);

/* wd_free_list_accels() - free a list of these; NULL is ignored. */
void wd_free_list_accels(struct uacce_dev_list *list);

/*
 * wd_get_accel_name() - device name in a node's path.
 *
 * "/dev/hisi_zip-0" gives "hisi_zip-0", or "hisi_zip" with no_apdx != 0. Only
 * the string is looked at. The caller passes the result to free(). NULL and
 * errno: EINVAL (NULL, or not <driver>-<number>), ENAMETOOLONG, ENOMEM.
 */
char *wd_get_accel_name(const char *node_path, int no_apdx);

/*
 * wd_ctx_get_avail_ctx() - how many contexts this process could still open.
 *
 * Others open and close meanwhile: it is a hint. Returns the count, or
 * -EINVAL (NULL), -ENOENT (no such path), -ENODEV (not a node of a uacce
 * device, or the device is gone), -EACCES.
 */
int wd_ctx_get_avail_ctx(const char *node_path);

/*
 * wd_request_ctx() - open a context: one queue of the device.
 *
 * The context has one reference, and lives until wd_release_ctx() has been
 * called as often as references were taken. Returns a handle, or 0 and errno:
 * EINVAL (NULL), ENOENT (no such path), ENODEV (not a node of a uacce device,
 * or the device is gone), EBUSY (no queue is free), EDQUOT (the section's slot,
 * or the process, has as many as it may), EACCES (also of a device that the
 * section hasn't), ESHUTDOWN (after wd_user_stop(), or the section was shut
 * down), EPERM (resetting, or not permitted), EMFILE, ENFILE, ENOMEM.
 */
handle_t wd_request_ctx(const char *node_path);

/* wd_ctx_ref() - take one more reference. Returns 0, -EINVAL, -ESTALE. */
int wd_ctx_ref(handle_t h_ctx);

/*
 * wd_release_ctx() - drop a reference; the last one stops, unmaps and closes.
 *
 * A bad handle is ignored; wd_error_detail(0, ...) then says so. Works on
 * contexts inherited over fork(), too: only memory is freed.
 */
void wd_release_ctx(handle_t h_ctx);

/*
 * wd_drv_mmap_qfr() - address of a region of the context, mapped at first use.
 *
 * The same region has the same address until wd_drv_unmap_qfr(). Its size is
 * uacce_dev_info.qfrs_offs[qfrt]. NULL and errno: EINVAL (bad handle, or no
 * such region), ESHUTDOWN (after wd_ctx_stop()), ENODEV (device gone), ESTALE,
 * ENOMEM.
 *
 * When the device is removed under the warpdrive kernel the mapping stays
 * valid; under a mainline kernel the next access is a SIGBUS.
 */
void *wd_drv_mmap_qfr(handle_t h_ctx, enum uacce_qfrt qfrt);

/* wd_drv_unmap_qfr() - undo it, for all who share the context. A bad handle or a region that isn't mapped is ignored. */
void wd_drv_unmap_qfr(handle_t h_ctx, enum uacce_qfrt qfrt);

/*
 * wd_ctx_start() - let the queue work.
 *
 * Returns 0, -EINVAL (bad handle, or started before), -ESHUTDOWN (after
 * wd_ctx_stop()), -ENODEV (device gone), -ESTALE, or what the kernel's
 * START_Q said.
 */
int wd_ctx_start(handle_t h_ctx);

/*
 * wd_ctx_stop() - give the hardware queue back at once.
 *
 * The queue is stopped and drained, its regions unmapped, its file closed.
 * The handle lives on for wd_ctx_get_api(), _priv() and wd_release_ctx().
 * When it returns, the device does not touch the process' memory for this
 * context any more. Not while another thread uses the context's regions.
 * The kernel may wait for minutes while the device finishes another process' queue.
 * Returns 0, -EINVAL (bad handle), -ESHUTDOWN (stopped before), -ESTALE; or
 * what the kernel's PUT_Q said, but the queue is closed all the same.
 */
int wd_ctx_stop(handle_t h_ctx);

/* wd_ctx_get_api() - the device's "api" string; it belongs to the context. NULL and errno EINVAL for a bad handle. */
char *wd_ctx_get_api(handle_t h_ctx);

/* wd_ctx_get_priv(), wd_ctx_set_priv() - a pointer kept for the user; NULL at first. A bad handle: NULL and errno EINVAL, or ignored. */
void *wd_ctx_get_priv(handle_t h_ctx);
void wd_ctx_set_priv(handle_t h_ctx, void *priv);

/*
 * wd_ctx_set_io_cmd() - an ioctl of the device's driver on the context.
 *
 * Not for uacce's own START_Q and PUT_Q (-EINVAL). Returns what ioctl()
 * returned, or -errno; -ENODEV when the device is gone, -ESHUTDOWN after
 * wd_ctx_stop(), -ESTALE.
 */
int wd_ctx_set_io_cmd(handle_t h_ctx, int cmd, void *arg);

/*
 * wd_dev_mask_alloc() - an empty set of devices. NULL and errno ENOMEM.
 * wd_dev_mask_from_list() - the devices of a list. NULL and errno EINVAL (NULL list), ENOMEM.
 * wd_dev_mask_free() - free one; NULL and what is not one are ignored.
 *
 * wd_dev_mask_set(), wd_clear_mask(): 0, -EINVAL (not a mask, number out of
 * range), -ENOMEM. wd_dev_mask_test(): 1, 0, -EINVAL. Setting makes the mask
 * wider as needed; clearing or testing beyond its width is no error.
 * One thread at a time may change a mask. fork: a mask goes on working.
 */
wd_dev_mask_t *wd_dev_mask_alloc(void);
wd_dev_mask_t *wd_dev_mask_from_list(const struct uacce_dev_list *list);
void wd_dev_mask_free(wd_dev_mask_t *dev_mask);
int wd_dev_mask_set(wd_dev_mask_t *dev_mask, int idx);
int wd_clear_mask(wd_dev_mask_t *dev_mask, int idx);
int wd_dev_mask_test(const wd_dev_mask_t *dev_mask, int idx);

/*
 * wd_ctx_set_alloc() - an empty set of contexts. NULL and errno ENOMEM.
 * wd_ctx_set_free() - free one; NULL and what is not one are ignored.
 *
 * wd_ctx_set_set(), wd_ctx_set_clear(): 0, -EINVAL (not a set, number out of
 * range), -ENOMEM, -ESTALE (made before fork). wd_ctx_set_test(): 1, 0,
 * -EINVAL, -ESTALE. Setting makes the set wider as needed; clearing or testing
 * beyond its width is no error. wd_ctx_set_or() adds what is in src to dst: 0,
 * -EINVAL, -ENOMEM, -ESTALE. One thread at a time may change a set.
 */
wd_ctx_set_t *wd_ctx_set_alloc(void);
void wd_ctx_set_free(wd_ctx_set_t *set);
int wd_ctx_set_set(wd_ctx_set_t *set, int ctx);
int wd_ctx_set_clear(wd_ctx_set_t *set, int ctx);
int wd_ctx_set_test(const wd_ctx_set_t *set, int ctx);
int wd_ctx_set_or(wd_ctx_set_t *dst, const wd_ctx_set_t *src);

/*
 * wd_prefault() - have a buffer's pages in memory before a device uses them.
 *
 * A page that a device touches first costs a page fault on the request's
 * path. Contents are kept; read-only memory is made readable only. Pages may
 * be swapped out later. Returns 0, -EINVAL (NULL with len > 0, or wrapping
 * around), -EFAULT or -ENOMEM (not mapped), -EOPNOTSUPP (Linux before 5.14).
 */
int wd_prefault(void *buf, size_t len);

#ifdef __cplusplus
}
#endif
#endif
