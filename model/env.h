/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Services that the host provides to the model: fixed types, register access, memory, interrupts, time, mathematics. */
#ifndef WDM_ENV_H
#define WDM_ENV_H

#include <linux/types.h>

#ifdef __KERNEL__

#include <linux/errno.h>
#include <linux/io.h>
#include <linux/sched.h>
#include <linux/stddef.h>
#include <linux/string.h>

#define WDM_IOMEM __iomem

static inline u32 wdm_readl(const void WDM_IOMEM *p)
{
	return readl(p);
}

static inline void wdm_writel(u32 v, void WDM_IOMEM *p)
{
	writel(v, p);
}

static inline u64 wdm_readq(const void WDM_IOMEM *p)
{
	return readq(p);
}

static inline void wdm_writeq(u64 v, void WDM_IOMEM *p)
{
	writeq(v, p);
}

#define wdm_load(p)		READ_ONCE(*(p))
#define wdm_store(p, v)		WRITE_ONCE(*(p), (v))
/* orders all earlier memory writes before all later ones, as seen by a driver on another CPU */
#define wdm_wmb()		mb()
/* called in long computations, to let other threads run */
#define wdm_relax()		cond_resched()
/* never optimised away */
#define wdm_wipe(p, bytes)	memzero_explicit((p), (bytes))

#else /* user space */

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s32 s32;
typedef __s64 s64;

#define WDM_IOMEM

static inline u32 wdm_readl(const void *p)
{
	return __atomic_load_n((const u32 *)p, __ATOMIC_ACQUIRE);
}

static inline void wdm_writel(u32 v, void *p)
{
	__atomic_store_n((u32 *)p, v, __ATOMIC_RELEASE);
}

static inline u64 wdm_readq(const void *p)
{
	return __atomic_load_n((const u64 *)p, __ATOMIC_ACQUIRE);
}

static inline void wdm_writeq(u64 v, void *p)
{
	__atomic_store_n((u64 *)p, v, __ATOMIC_RELEASE);
}

#define wdm_load(p)		__atomic_load_n((p), __ATOMIC_ACQUIRE)
#define wdm_store(p, v)		__atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define wdm_wmb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define wdm_relax()		do { } while (0)

static inline void wdm_wipe(void *p, size_t bytes)
{
	memset(p, 0, bytes);
	__asm__ __volatile__("" : : "r" (p) : "memory");
}

#endif

enum wdm_flush {
	WDM_FLUSH_NONE,
	WDM_FLUSH_SYNC,		/* end on a byte boundary with an empty stored block */
	WDM_FLUSH_FINISH,	/* last block */
};

/* The callee advances all four members by the amounts that it used. */
struct wdm_deflate_io {
	const u8 *in;
	u32 in_len;
	u8 *out;
	u32 out_len;
};

enum wdm_block_alg {
	WDM_BLOCK_AES,		/* key of 16, 24 or 32 bytes */
	WDM_BLOCK_DES,		/* key of 8 bytes */
	WDM_BLOCK_3DES,		/* key of 24 bytes */
	WDM_BLOCK_SM4,		/* implemented in the model */
};

enum wdm_hash_core {
	WDM_HASH_MD5,		/* state of four 32-bit words */
	WDM_HASH_SHA1,		/* state of five 32-bit words */
	WDM_HASH_SHA256,	/* state of eight 32-bit words */
	WDM_HASH_SHA512,	/* state of eight 64-bit words */
	WDM_HASH_SM3,		/* implemented in the model */
};

#define WDM_BLOCK_SLOTS	2

/* Numbers are big-endian with @bytes bytes, except the base, which may have any length and exceed the modulus. */
struct wdm_power {
	const u8 *base;
	u32 base_bytes;
	const u8 *exponent;
	const u8 *modulus;	/* odd, above 1 */
	u8 *result;
	u32 bytes;
};

/**
 * struct wdm_engine_ops - the mathematics that differ between hosts
 * @deflate_start: begin a raw deflate stream in the worker's workspace @ws. Matches must not
 *		reach further back than @window_bytes (4096, 8192, 16384, 24576 or 32768). To
 *		keep incompressible data below the driver's 9/8 rule, zlib hosts use windowBits
 *		w (14 for 24576) and memLevel w - 7. 0 or -errno.
 * @deflate: 1 when all input is consumed and all output that @flush requires is written; 0 when
 *		it stopped because @io->out_len is 0 (call again with the same flush); -errno on
 *		failure. Calling again after 1 with new input continues the same stream (except after
 *		WDM_FLUSH_FINISH).
 * @block_key: expand a key into schedule @slot (below WDM_BLOCK_SLOTS) of @ws. 0 or -errno.
 * @block: process @blocks independent blocks with that schedule; @in may be @out. 0 or -errno.
 * @hash: apply the compression function to @blocks blocks; the words of @state have the host's
 *		byte order. 0 or -errno.
 * @forget: erase all keys and states in @ws; called after each request that may have left one
 * @power: compute a power modulo an odd number of up to 4096 bits. 0 or -errno. NULL: the host
 *		has no HPRE.
 * @random: fill with unpredictable bytes. 0 or -errno.
 *
 * A host sets the members for the engines that it offers. They are called only from
 * wdm_job_run(), with each @ws used by one worker at a time. They may sleep if the worker may.
 * -EOPNOTSUPP: the host doesn't have the algorithm.
 */
struct wdm_engine_ops {
	int (*deflate_start)(void *ws, u32 window_bytes);
	int (*deflate)(void *ws, struct wdm_deflate_io *io, enum wdm_flush flush);
	int (*block_key)(void *ws, u32 slot, enum wdm_block_alg alg, const u8 *key, u32 bytes);
	int (*block)(void *ws, u32 slot, bool encrypt, const u8 *in, u8 *out, u32 blocks);
	int (*hash)(void *ws, enum wdm_hash_core core, void *state, const u8 *data, u32 blocks);
	void (*forget)(void *ws);
	int (*power)(void *ws, const struct wdm_power *p);
	int (*random)(void *ws, u8 *p, u32 len);
};

/**
 * struct wdm_env - services of the host
 * @dma_read, @dma_write: memory at a bus address of function @fn: rings, contexts, and the
 *		payload of queues without a PASID. 0 or -EFAULT; the address isn't
 *		trusted, so the host checks it. A naturally aligned access of 4 or 8
 *		bytes must be single-copy atomic, and a reader must see writes of one
 *		caller in order when wdm_wmb() separates them.
 * @dma_swap: one atomic operation on a naturally aligned word of such memory: stores @new if the word is @old,
 *		both as they are in memory. 0, -EAGAIN if it is another one, or -EFAULT.
 * @sva_read, @sva_write: payload at a virtual address of the process bound to @pasid. 0, or
 *		-EFAULT when any byte can't be reached (part may have been copied), also
 *		when the PASID is gone.
 * @irq: raise MSI vector @vector of function @fn; the host handles MSI enable, mask and pending.
 * @now_ns: monotonic time.
 * @hold: optional; true if requests of queues bound to @pasid must not start now. wdm_job_next()
 *		then takes another queue; wdm_look.jobs counts held requests all the same.
 * @fault: optional; a request has brought about that fault of the whole device (enum wdm_fault:
 *		WDM_FAULT_ERROR or WDM_FAULT_REMOVE). The host acts on it after the present call.
 * @engine: mathematics
 *
 * Control context calls dma_*, irq, now_ns, hold and fault; workers call dma_*, sva_* and the engine,
 * any number in parallel. None may call back into the model.
 */
struct wdm_env {
	int (*dma_read)(void *host, u32 fn, u64 addr, void *buf, u32 len);
	int (*dma_write)(void *host, u32 fn, u64 addr, const void *buf, u32 len);
	int (*dma_swap)(void *host, u32 fn, u64 addr, u32 old, u32 new);
	int (*sva_read)(void *host, u32 fn, u32 pasid, u64 addr, void *buf, u32 len);
	int (*sva_write)(void *host, u32 fn, u32 pasid, u64 addr, const void *buf, u32 len);
	void (*irq)(void *host, u32 fn, u32 vector);
	u64 (*now_ns)(void *host);
	bool (*hold)(void *host, u32 fn, u32 pasid);
	void (*fault)(void *host, u32 kind);
	const struct wdm_engine_ops *engine;
};

#endif
