// SPDX-License-Identifier: Apache-2.0
/* Faults of emulated devices, and the guard over memory that a device may not touch. */
#include <pthread.h>
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

/* The host's fault belongs to the process, not to a device. Workers draw it; @on is read without the lock. */
static struct {
	atomic_bool on;
	pthread_mutex_t lock;
	struct wdm_fault_rule rule;
	struct wdm_fault_state state;
	unsigned long long random;
	_Atomic unsigned long long count;
} pages = { .lock = PTHREAD_MUTEX_INITIALIZER };

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
	pthread_mutex_lock(&pages.lock);
	pages.rule = *rule;
	pages.state = (struct wdm_fault_state){ 0 };
	pages.random = initial_seed;
	atomic_store(&pages.on, wdm_fault_may(rule));
	pthread_mutex_unlock(&pages.lock);
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

/* A worker of the parent may have had the lock. */
void emu_faults_after_fork(void)
{
	pthread_mutex_init(&pages.lock, NULL);
}

unsigned long long emu_faults_pages(void)
{
	return atomic_load(&pages.count);
}

unsigned long long emu_faults_patience(unsigned long long otherwise)
{
	return atomic_load(&hangs) ? PATIENCE_NS : otherwise;
}

/* Return: the delay in ns; 0 = none. */
static unsigned long long page_draw(void)
{
	unsigned long long ns = 0;

	if (!atomic_load_explicit(&pages.on, memory_order_relaxed))
		return 0;
	pthread_mutex_lock(&pages.lock);
	if (wdm_fault_happens(&pages.rule, &pages.state, emu_now(), &pages.random))
		ns = pages.rule.value;
	atomic_store(&pages.on, wdm_fault_may(&pages.rule));
	pthread_mutex_unlock(&pages.lock);
	return ns;
}

static void page_fault(void)
{
	unsigned long long ns = page_draw();
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u) };

	if (!ns)
		return;
	atomic_fetch_add(&pages.count, 1);
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
	n = snprintf(text, sizeof(text),
		     "wd-emulate: the device %s %u bytes at %#llx, which the program has taken back\n", what, len,
		     addr);
	if (write(STDERR_FILENO, text, (size_t)n) != n)
		abort();
	abort();
}

/* Checked before and after the copy: a buffer must not be given back during the copy either. */
int emu_payload_read(unsigned long long addr, void *buf, unsigned int len)
{
	int err;

	page_fault();
	guard_check("reads", addr, len);
	err = emu_memory_read(addr, buf, len);
	guard_check("read", addr, len);
	return err;
}

int emu_payload_write(unsigned long long addr, const void *buf, unsigned int len)
{
	int err;

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
