/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, contexts (one hardware queue each), device masks and context sets: the base of every WarpDrive library. */
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
 * Errors: a function that returns int returns 0 or a count on success, and
 * -errno on failure; it doesn't change errno. A function that returns a handle
 * or a pointer returns 0 or NULL on failure and sets errno. wd_error_detail()
 * describes the failure in words.
 *
 * Handles are checked: a stale handle, or one of another kind, is EINVAL and
 * no memory is accessed through it. Freeing an object while another thread is
 * inside a call with it is the caller's error.
 *
 * Threads: every function may be called by any thread at any time, unless its
 * comment says otherwise. Nothing here may be called from a signal handler.
 *
 * fork: contexts and sets of the parent return ESTALE in the child, where
 * releasing them only frees memory. The parent is not affected.
 *
 * exec: no descriptor survives.
 */

/* Names an object of these libraries; 0 never names one. */
typedef unsigned long long int handle_t;

#define WD_NAME_SIZE		64
#define MAX_ATTR_STR_SIZE	384
#define PATH_STR_SIZE		256

/* Priorities outside this range disable a device; smaller is preferred. */
#define WD_PRIORITY_MIN		(-100)
#define WD_PRIORITY_MAX		99

/* Features of an algorithm on a device: its sysfs attribute "flags". Bits 8 to 31 are specific to the algorithm. */
#define WD_CAPA_SHARE_ALL	(1u << 0)	/* works on all addresses of the process */
#define WD_CAPA_SGL_MEM		(1u << 1)	/* takes lists of pieces */
#define WD_CAPA_STREAM		(1u << 8)	/* a request can continue from the state of an earlier one */

/*
 * A device as sysfs describes it. Only the library allocates this struct, so
 * later versions may append members. A mainline kernel lacks the attributes
 * for priority, simulated and sometimes isolated: these members are then 0.
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

	int mediated;				/* 1: without UACCE_DEV_SVA; the kernel translates each request */
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
 * wd_error_detail() - describe the last failure of an object in words.
 *
 * h is a handle of any of these libraries, or 0 for the calling thread's last
 * failed call (for example a failed allocation). At most len - 1 characters
 * and a terminating 0 are written. Returns the length of the whole text as
 * snprintf() does, 0 (and "") if nothing has failed, -EINVAL for a bad handle,
 * a NULL buf or len 0.
 */
int wd_error_detail(handle_t h, char *buf, size_t len);

/*
 * wd_list_accels() - list the devices that offer an algorithm, best first.
 *
 * alg_name is compared with whole lines of the device's algorithms ("dh" does
 * not match "ecdh"). Disabled and isolated devices are left out. The order is
 * by priority, distance from the caller's NUMA node (unknown counts as near),
 * free queues, throughput. With alg_name NULL every device is listed, and
 * those that should not be used come last.
 *
 * Free the list with wd_free_list_accels(). NULL and errno: ENODEV (no such
 * device), EINVAL (empty name, or one with a line break), ENOMEM; EMFILE,
 * ENFILE, EACCES (the devices can't be read).
 */
struct uacce_dev_list *wd_list_accels(const char *alg_name);

/*
 * wd_list_accels_with() - list only devices that have features (WD_CAPA_*) for the algorithm.
 *
 * A device without the attribute (with a mainline kernel) is listed. NULL and
 * errno as wd_list_accels(); EOPNOTSUPP: devices offer the algorithm, none has
 * the features; EINVAL: features without an algorithm (alg_name NULL).
 */
struct uacce_dev_list *wd_list_accels_with(const char *alg_name, unsigned int features);

/* wd_free_list_accels() - free a list of devices; NULL is ignored. */
void wd_free_list_accels(struct uacce_dev_list *list);

/*
 * wd_get_accel_name() - extract the device name from the path of a node.
 *
 * "/dev/hisi_zip-0" gives "hisi_zip-0", or "hisi_zip" if no_apdx is not 0. Only
 * the string is examined. The caller passes the result to free(). NULL and
 * errno: EINVAL (NULL, or not <driver>-<number>), ENAMETOOLONG, ENOMEM.
 */
char *wd_get_accel_name(const char *node_path, int no_apdx);

/*
 * wd_ctx_get_avail_ctx() - count the contexts that this process could still open.
 *
 * A hint only, since other processes open and close contexts. Returns the
 * count, or -EINVAL (NULL), -ENOENT (no such path), -ENODEV (not a node of a
 * uacce device, or the device is gone), -EACCES.
 */
int wd_ctx_get_avail_ctx(const char *node_path);

/*
 * wd_request_ctx() - open a context: one queue of the device.
 *
 * The context starts with one reference, and lives until wd_release_ctx() has
 * dropped all references. Returns a handle, or 0 and errno: EINVAL (NULL),
 * ENOENT (no such path), ENODEV (not a node of a uacce device, or the device
 * is gone), EBUSY (no queue is free), EDQUOT (the section's slot, or the
 * process, has as many as it may), EACCES (not permitted, or the section has
 * no share of the device), ESHUTDOWN (after wd_user_stop(), or the section was
 * shut down), EPERM (resetting, or not permitted), EMFILE, ENFILE, ENOMEM.
 */
handle_t wd_request_ctx(const char *node_path);

/* wd_ctx_ref() - take one more reference. Returns 0, -EINVAL, -ESTALE. */
int wd_ctx_ref(handle_t h_ctx);

/*
 * wd_release_ctx() - drop a reference; the last one stops, unmaps and closes the context.
 *
 * A bad handle is ignored; wd_error_detail(0, ...) then says so. In a fork's
 * child this only frees the memory of an inherited context.
 */
void wd_release_ctx(handle_t h_ctx);

/*
 * wd_drv_mmap_qfr() - return the address of a region of the context; the first call maps it.
 *
 * A region keeps its address until wd_drv_unmap_qfr(). Its size is
 * uacce_dev_info.qfrs_offs[qfrt]. NULL and errno: EINVAL (bad handle, or no
 * such region), ESHUTDOWN (after wd_ctx_stop()), ENODEV (device gone), ESTALE,
 * ENOMEM.
 *
 * When the device is removed, the mapping stays valid with the kernel modules
 * of WarpDrive. With a mainline kernel the next access raises SIGBUS.
 */
void *wd_drv_mmap_qfr(handle_t h_ctx, enum uacce_qfrt qfrt);

/* wd_drv_unmap_qfr() - unmap a region for all users of the context. A bad handle or an unmapped region is ignored. */
void wd_drv_unmap_qfr(handle_t h_ctx, enum uacce_qfrt qfrt);

/*
 * wd_ctx_start() - start the queue.
 *
 * The kernel may wait for minutes while the device finishes another process' queue.
 * Returns 0, -EINVAL (bad handle, or started before), -ESHUTDOWN (after
 * wd_ctx_stop()), -ENODEV (device gone), -ESTALE, or the error of the
 * kernel's START_Q.
 */
int wd_ctx_start(handle_t h_ctx);

/*
 * wd_ctx_stop() - return the hardware queue at once.
 *
 * The queue is stopped and drained, its regions unmapped, its file closed.
 * The handle stays valid for wd_ctx_get_api(), _priv() and wd_release_ctx().
 * When the call returns, the device no longer accesses the process' memory for
 * this context. No other thread may use the context's regions meanwhile. The
 * kernel may wait for minutes while the device finishes another process'
 * queue. Returns 0, -EINVAL (bad handle), -ESHUTDOWN (stopped before), -ESTALE,
 * or the error of the kernel's PUT_Q; the queue is closed nevertheless.
 */
int wd_ctx_stop(handle_t h_ctx);

/*
 * wd_ctx_get_api() - return the device's "api" string; it belongs to the context. NULL and errno EINVAL for a bad
 * handle.
 */
char *wd_ctx_get_api(handle_t h_ctx);

/*
 * wd_ctx_get_priv(), wd_ctx_set_priv() - get and set a pointer of the program; NULL at first.
 *
 * For a bad handle wd_ctx_get_priv() returns NULL and sets errno to EINVAL;
 * wd_ctx_set_priv() ignores it.
 */
void *wd_ctx_get_priv(handle_t h_ctx);
void wd_ctx_set_priv(handle_t h_ctx, void *priv);

/*
 * wd_ctx_set_io_cmd() - send an ioctl of the device's driver to the context.
 *
 * uacce's own START_Q and PUT_Q are refused (-EINVAL). Returns the result of
 * ioctl(), or -errno; -ENODEV if the device is gone, -ESHUTDOWN after
 * wd_ctx_stop(), -ESTALE.
 */
int wd_ctx_set_io_cmd(handle_t h_ctx, int cmd, void *arg);

/*
 * wd_dev_mask_alloc() - create an empty set of devices. NULL and errno ENOMEM.
 * wd_dev_mask_from_list() - create a set of the devices in a list. NULL and errno EINVAL (NULL list), ENOMEM.
 * wd_dev_mask_free() - free a set; NULL and pointers that are not masks are ignored.
 *
 * wd_dev_mask_set(), wd_clear_mask(): 0, -EINVAL (not a mask, number out of
 * range), -ENOMEM. wd_dev_mask_test(): 1, 0, -EINVAL. Setting widens the mask
 * as needed; clearing or testing beyond its width is no error. One thread at a
 * time may change a mask. fork: a mask stays valid in the child.
 */
wd_dev_mask_t *wd_dev_mask_alloc(void);
wd_dev_mask_t *wd_dev_mask_from_list(const struct uacce_dev_list *list);
void wd_dev_mask_free(wd_dev_mask_t *dev_mask);
int wd_dev_mask_set(wd_dev_mask_t *dev_mask, int idx);
int wd_clear_mask(wd_dev_mask_t *dev_mask, int idx);
int wd_dev_mask_test(const wd_dev_mask_t *dev_mask, int idx);

/*
 * wd_ctx_set_alloc() - create an empty set of contexts. NULL and errno ENOMEM.
 * wd_ctx_set_free() - free a set; NULL and pointers that are not sets are ignored.
 *
 * wd_ctx_set_set(), wd_ctx_set_clear(): 0, -EINVAL (not a set, number out of
 * range), -ENOMEM, -ESTALE (created before fork()). wd_ctx_set_test(): 1, 0,
 * -EINVAL, -ESTALE. Setting widens the set as needed; clearing or testing
 * beyond its width is no error. wd_ctx_set_or() adds the contexts in src to
 * dst: 0, -EINVAL, -ENOMEM, -ESTALE. One thread at a time may change a set.
 */
wd_ctx_set_t *wd_ctx_set_alloc(void);
void wd_ctx_set_free(wd_ctx_set_t *set);
int wd_ctx_set_set(wd_ctx_set_t *set, int ctx);
int wd_ctx_set_clear(wd_ctx_set_t *set, int ctx);
int wd_ctx_set_test(const wd_ctx_set_t *set, int ctx);
int wd_ctx_set_or(wd_ctx_set_t *dst, const wd_ctx_set_t *src);

/*
 * wd_prefault() - bring a buffer's pages into memory before a device uses them.
 *
 * If a device is the first to touch a page, the request pays for a page fault.
 * Contents are kept; read-only memory is made readable only. Pages may be
 * swapped out later. Returns 0, -EINVAL (NULL with len > 0, or wrapping
 * around), -EFAULT or -ENOMEM (not mapped), -EOPNOTSUPP (Linux before 5.14).
 */
int wd_prefault(void *buf, size_t len);

#ifdef __cplusplus
}
#endif
#endif
