// SPDX-License-Identifier: Apache-2.0
/* Faults of emulated devices, and the guard over memory that a device may not touch. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <stdint.h>
#include <unistd.h>
#include "control.h"
#include "emu.h"
#include "faults.h"

#define PATIENCE_NS	200000000ull

static struct emu_faults initial;
static unsigned long long initial_seed;
static atomic_bool hangs;	/* a driver call is going to hang: use short deadlines */

/* The host's fault belongs to the process, not to a device, because workers draw it without a lock. */
static _Atomic unsigned int page_next, page_one_in;
static _Atomic unsigned long long page_ns, page_random, page_count;

static struct {
	atomic_bool on;
	uintptr_t base;
	size_t len;
	unsigned int shift;
	const unsigned char *map;
} guard;

bool emu_faults_word(const char *word, const char *value)
{
	char why[128];

	if (!strcmp(word, "seed"))
		initial_seed = strtoull(value, NULL, 0);
	else if (strcmp(word, "fault") || emu_faults_parse(&initial, value, why, sizeof(why)))
		return false;
	return true;
}

static void page_set(const struct wdm_fault_rule *rule)
{
	atomic_store(&page_ns, rule->value);
	atomic_store(&page_next, rule->next);
	atomic_store(&page_one_in, rule->one_in);
}

/* Called with the device's lock held. */
static int faults_apply(struct emu_device *dev, const struct emu_faults *f)
{
	unsigned int kind;
	int err = 0;

	for (kind = 0; kind < WDM_FAULT_NR && !err; kind++) {
		if (!(f->set & 1u << kind))
			continue;
		err = wdm_fault_set(dev->model, kind, &f->rule[kind]);
		if (kind == WDM_FAULT_STUCK || kind == WDM_FAULT_MAILBOX)
			atomic_store(&hangs, true);
	}
	if (f->set & 1u << WDM_FAULT_PAGE)
		page_set(&f->rule[WDM_FAULT_PAGE]);
	return err;
}

int emu_faults_up(struct emu_device *dev)
{
	wdm_fault_seed(dev->model, initial_seed + dev->index);
	return faults_apply(dev, &initial);
}

int emu_faults_change(struct emu_device *dev, const char *text)
{
	struct emu_faults f = { 0 };
	char why[128];

	return emu_faults_parse(&f, text, why, sizeof(why)) ? -EINVAL : faults_apply(dev, &f);
}

unsigned long long emu_faults_pages(void)
{
	return atomic_load(&page_count);
}

unsigned long long emu_faults_patience(unsigned long long otherwise)
{
	return atomic_load(&hangs) ? PATIENCE_NS : otherwise;
}

static bool page_draw(void)
{
	unsigned int next = atomic_load_explicit(&page_next, memory_order_relaxed);
	unsigned int one_in = atomic_load_explicit(&page_one_in, memory_order_relaxed);
	unsigned long long x;

	while (next)
		if (atomic_compare_exchange_weak(&page_next, &next, next - 1))
			return true;
	if (!one_in)
		return false;
	x = atomic_fetch_add(&page_random, 0x9e3779b97f4a7c15ull) + initial_seed;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	return (unsigned int)(x >> 33) % one_in == 0;
}

static void page_fault(void)
{
	unsigned long long ns = atomic_load(&page_ns);
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u) };

	atomic_fetch_add(&page_count, 1);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

static bool guarded(uintptr_t from, size_t len)
{
	uintptr_t to = from + len;
	size_t i;

	if (!len || to <= guard.base || from >= guard.base + guard.len)
		return false;
	from = from > guard.base ? from - guard.base : 0;
	to = to - guard.base < guard.len ? to - guard.base : guard.len;
	for (i = from >> guard.shift; i <= (to - 1) >> guard.shift; i++)
		if (__atomic_load_n(&guard.map[i], __ATOMIC_ACQUIRE))
			return true;
	return false;
}

static void guard_check(const char *what, unsigned long long addr, unsigned int len)
{
	char text[160];
	int n;

	if (!atomic_load_explicit(&guard.on, memory_order_acquire) || !guarded((uintptr_t)addr, len))
		return;
	n = snprintf(text, sizeof(text), "wd-emulate: the device %s %u bytes at %#llx, which the program has taken back\n",
		     what, len, addr);
	if (write(STDERR_FILENO, text, (size_t)n) != n)
		abort();
	abort();
}

/* Checked before and after the copy: a buffer must not be given back during the copy either. */
int emu_payload_read(unsigned long long addr, void *buf, unsigned int len)
{
	int err;

	if (page_draw())
		page_fault();
	guard_check("reads", addr, len);
	err = emu_memory_read(addr, buf, len);
	guard_check("read", addr, len);
	return err;
}

int emu_payload_write(unsigned long long addr, const void *buf, unsigned int len)
{
	int err;

	if (page_draw())
		page_fault();
	guard_check("writes", addr, len);
	err = emu_memory_write(addr, buf, len);
	guard_check("wrote", addr, len);
	return err;
}

void wd_emulate_guard(const void *base, size_t len, unsigned int shift, const unsigned char *map)
{
	atomic_store(&guard.on, false);
	guard.base = (uintptr_t)base;
	guard.len = len;
	guard.shift = shift;
	guard.map = map;
	atomic_store(&guard.on, len > 0);
}
