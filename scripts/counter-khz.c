// SPDX-License-Identifier: Apache-2.0
/* Prints the frequency, in kHz, of the CPU's counter, which QEMU's TCG shows its guests as theirs. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#if defined(__x86_64__)
static uint64_t counter(void)
{
	return __builtin_ia32_rdtsc();
}
#elif defined(__aarch64__)
static uint64_t counter(void)
{
	uint64_t n;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(n));
	return n;
}
#else
#error "which counter does TCG show on this architecture?"
#endif

#define TRIES	1000
#define PAUSE	100000000	/* ns */

struct reading {
	uint64_t ns, ticks;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Of many readings the one that took the shortest time: on a busy machine others run in the middle of some. */
static struct reading both(void)
{
	struct reading best = { 0, 0 };
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = now(), ticks = counter(), took = now() - before;

		if (took < shortest) {
			shortest = took;
			best = (struct reading){ before + took / 2, ticks };
		}
	}
	return best;
}

int main(void)
{
	struct reading first = both(), last;

	nanosleep(&(struct timespec){ .tv_nsec = PAUSE }, NULL);
	last = both();
	printf("%" PRIu64 "\n", (last.ticks - first.ticks) * 1000000 / (last.ns - first.ns));
	return 0;
}
