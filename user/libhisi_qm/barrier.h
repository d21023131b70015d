/* SPDX-License-Identifier: Apache-2.0 */
/* Memory ordering between this process and a device, named by purpose. */
#ifndef HISI_QM_BARRIER_H
#define HISI_QM_BARRIER_H

#include <endian.h>
#include <stdatomic.h>
#include <stdint.h>

/*
 * Each access is also a C11 atomic, so that ThreadSanitizer, and a device made of
 * threads in this process (the emulator), see the same order. Doorbells are uncached
 * device memory: never use a read-modify-write there.
 */

/*
 * Sets a word that must be visible before the descriptors that are written next. An exchange wouldn't do: on arm64 its
 * store may become visible after later stores.
 */
static inline void wd_ring_announce(_Atomic uint32_t *word)
{
	atomic_store_explicit(word, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
}

/* Ring a doorbell: the device sees it only after all earlier stores to normal memory. One 64-bit store. */
static inline void wd_ring_publish(_Atomic uint64_t *doorbell, uint64_t value)
{
#ifdef __aarch64__
	/* A release orders stores only for other CPUs; a device reads by DMA. */
	__asm__ volatile("dmb oshst" ::: "memory");
#endif
	atomic_store_explicit(doorbell, htole64(value), memory_order_release);
}

/* Read the word that shows that an entry is valid: later reads don't return older data. */
static inline uint16_t wd_ring_consume(const _Atomic uint16_t *word)
{
	uint16_t value = le16toh(atomic_load_explicit(word, memory_order_acquire));

#ifdef __aarch64__
	__asm__ volatile("dmb oshld" ::: "memory");
#endif
	return value;
}

/* Between asking for an event and the last check of the ring: the device sees the request before the check. */
static inline void wd_ring_settle(void)
{
#if defined(__aarch64__)
	__asm__ volatile("dsb sy" ::: "memory");
#elif defined(__x86_64__)
	__asm__ volatile("mfence" ::: "memory");
#else
	atomic_thread_fence(memory_order_seq_cst);
#endif
}

#endif
