/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices, contexts and memory pools for programs that were written for UADK 2. Names, values and layouts are those of
 * UADK 2.10; docs/uadk.md says what behaves differently.
 */
#ifndef UADK_WD_H
#define UADK_WD_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>
#include <linux/types.h>
/* Only the tag "struct bitmask" is needed here, and programs for UADK expect the rest of it. */
#ifdef __has_include
#if __has_include(<numa.h>)
#include <numa.h>
#endif
#endif

#include "uacce.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PATH_STR_SIZE		256
#define MAX_ATTR_STR_SIZE	384
#define WD_NAME_SIZE		64
#define MAX_DEV_NAME_LEN	256
#define WD_CTX_CNT_NUM		1024
#define CRYPTO_MAX_ALG_NAME	128
#define NUMA_NO_NODE		(-1)

#ifndef likely
#define likely(x)		__builtin_expect(!!(x), 1)
#endif
#ifndef unlikely
#define unlikely(x)		__builtin_expect(!!(x), 0)
#endif

/* Programs for UADK may test whether this is a macro. */
#define handle_t		uintptr_t

/* Functions return one of these, negative; requests have them in status or state, positive. */
#define WD_SUCCESS		0
#define WD_STREAM_END		1
#define WD_STREAM_START		2
#define WD_SOFT_COMPUTING	3
#define WD_EIO			EIO
#define WD_EAGAIN		EAGAIN
#define WD_ENOMEM		ENOMEM
#define WD_EACCES		EACCES
#define WD_EBUSY		EBUSY
#define WD_EEXIST		EEXIST
#define WD_ENODEV		ENODEV
#define WD_EINVAL		EINVAL
#define WD_ETIMEDOUT		ETIMEDOUT
#define WD_ADDR_ERR		61
#define WD_HW_EACCESS		62	/* the device is being reset, or is gone */
#define WD_SGL_ERR		63
#define WD_VERIFY_ERR		64	/* a tag or signature is wrong */
#define WD_OUT_EPARA		66	/* the destination is too small */
#define WD_IN_EPARA		67	/* the source is no valid data */
#define WD_ENOPROC		68

#define WD_HANDLE_ERR(h)	((long long)(h))
#define WD_IS_ERR(h)		((uintptr_t)(h) > (uintptr_t)(-1000))

static inline void *WD_ERR_PTR(uintptr_t error)
{
	return (void *)error;
}

static inline long WD_PTR_ERR(const void *ptr)
{
	return (long)(intptr_t)ptr;
}

enum wd_alg_type {
	WD_CIPHER,
	WD_DIGEST,
	WD_AEAD,
};

enum wd_buff_type {
	WD_FLAT_BUF,			/* bytes */
	WD_SGL_BUF,			/* struct wd_datalist */
};

/* Where a device's memory comes from. Each value is accepted, and none makes a difference: any memory will do. */
enum wd_mem_type {
	UADK_MEM_AUTO,
	UADK_MEM_USER,
	UADK_MEM_PROXY,
};

typedef void *(*wd_alloc)(void *usr, size_t size);
typedef void (*wd_free)(void *usr, void *va);
typedef void *(*wd_map)(void *usr, void *va, size_t sz);
typedef void (*wd_unmap)(void *usr, void *va, void *dma, size_t sz);
typedef __u32 (*wd_bufsize)(void *usr);

/* Never called. */
struct wd_mm_ops {
	wd_alloc alloc;
	wd_free free;
	wd_map iova_map;
	wd_unmap iova_unmap;
	wd_bufsize get_bufsize;
	void *usr;
	bool sva_mode;
};

/* A number, most significant byte first: dsize bytes in a buffer of bsize. */
struct wd_dtb {
	char *data;
	__u32 dsize;
	__u32 bsize;
};

/* One block of malloc(): programs pass it to free(). */
struct uacce_dev {
	int flags;			/* UACCE_DEV_SVA */
	int numa_id;
	char api[WD_NAME_SIZE];		/* "hisi_qm_v3" */
	char algs[MAX_ATTR_STR_SIZE];	/* one name a line */
	char dev_root[PATH_STR_SIZE];	/* its folder in sysfs */
	char char_dev_path[MAX_DEV_NAME_LEN];	/* "/dev/hisi_zip-0" */
	unsigned long qfrs_offs[UACCE_QFRT_MAX];
};

struct uacce_dev_list {
	struct uacce_dev *dev;
	struct uacce_dev_list *next;
};

/*
 * wd_get_accel_list() - list the devices for an algorithm, best first: "zlib", "cbc(aes)", "cipher", "rsa", ..
 * wd_get_accel_dev() - the best of them; the caller passes it to free().
 * wd_free_list_accels() - free a list with its devices.
 *
 * NULL and errno: EINVAL (NULL, or an unknown name), ENODEV, ENOMEM.
 */
struct uacce_dev_list *wd_get_accel_list(const char *alg_name);
struct uacce_dev *wd_get_accel_dev(const char *alg_name);
void wd_free_list_accels(struct uacce_dev_list *list);

/* wd_find_dev_by_numa() - the first device of the list on that node; NULL without one. */
struct uacce_dev *wd_find_dev_by_numa(struct uacce_dev_list *list, int numa_id);

/* wd_clone_dev() - copy a device, as one block of malloc(). */
struct uacce_dev *wd_clone_dev(struct uacce_dev *dev);

/* wd_add_dev_to_list() - append a node to a list. */
void wd_add_dev_to_list(struct uacce_dev_list *head, struct uacce_dev_list *node);

/* wd_get_accel_name() - "/dev/hisi_zip-0" gives "hisi_zip-0", or "hisi_zip" with no_apdx; to be freed. */
char *wd_get_accel_name(char *dev_path, int no_apdx);

/* wd_get_avail_ctx() - how many contexts the process could still open, or -WD_E*. */
int wd_get_avail_ctx(struct uacce_dev *dev);

/* wd_is_isolate() - 1: the device was taken out of use after errors; 0; -WD_EINVAL, -WD_ENODEV. */
int wd_is_isolate(struct uacce_dev *dev);

/*
 * wd_request_ctx() - a token for a context of the device. It holds no queue: sessions open those that they need.
 *
 * 0 and errno: EINVAL (NULL), ENODEV (no such device), ENOMEM.
 */
handle_t wd_request_ctx(struct uacce_dev *dev);
void wd_release_ctx(handle_t h_ctx);
int wd_ctx_set_priv(handle_t h_ctx, void *priv);
void *wd_ctx_get_priv(handle_t h_ctx);
char *wd_ctx_get_api(handle_t h_ctx);
char *wd_ctx_get_dev_name(handle_t h_ctx);
int wd_get_numa_id(handle_t h_ctx);
int wd_is_sva(handle_t h_ctx);
unsigned long wd_ctx_get_region_size(handle_t h_ctx, enum uacce_qfrt qfrt);

/* A token has no queue, so these are refused: -WD_EINVAL, or NULL. */
int wd_ctx_start(handle_t h_ctx);
int wd_release_ctx_force(handle_t h_ctx);
int wd_ctx_wait(handle_t h_ctx, __u16 ms);
void *wd_ctx_mmap_qfr(handle_t h_ctx, enum uacce_qfrt qfrt);
void wd_ctx_unmap_qfr(handle_t h_ctx, enum uacce_qfrt qfrt);
int wd_ctx_set_io_cmd(handle_t h_ctx, unsigned long cmd, void *arg);

enum wd_page_type {
	WD_HUGE_PAGE = 0,
	WD_NORMAL_PAGE,
};

struct wd_mempool_stats {
	enum wd_page_type page_type;
	unsigned long page_size;
	unsigned long page_num;
	unsigned long blk_size;
	unsigned long blk_num;
	unsigned long free_blk_num;
	unsigned long blk_usage_rate;	/* percent */
};

struct wd_blockpool_stats {
	unsigned long block_size;
	unsigned long block_num;
	unsigned long free_block_num;
	unsigned long block_usage_rate;	/* percent */
	unsigned long mem_waste_rate;	/* percent */
};

/*
 * Pools of blocks. They are memory of malloc(), which devices can use as well as any other. A block pool takes its
 * memory from the mempool's size. 0 or NULL and errno: EINVAL, ENOMEM.
 */
handle_t wd_mempool_create(size_t size, int node);
void wd_mempool_destroy(handle_t mempool);
void wd_mempool_stats(handle_t mempool, struct wd_mempool_stats *stats);
handle_t wd_blockpool_create(handle_t mempool, size_t block_size, size_t block_num);
void wd_blockpool_destroy(handle_t blkpool);
void wd_blockpool_stats(handle_t blkpool, struct wd_blockpool_stats *stats);
void *wd_block_alloc(handle_t blkpool);
void wd_block_free(handle_t blkpool, void *addr);

/* wd_get_version() - print the version to standard output. */
void wd_get_version(void);

/* Whether a program should log: never. */
bool wd_need_debug(void);
bool wd_need_info(void);

#ifdef __cplusplus
}
#endif

#endif
