// SPDX-License-Identifier: Apache-2.0
/*
 * wd-zstd's library, linked in front of libzstd as the loader puts it there: each way to call libzstd, in one thread,
 * in several, while devices fail or go, and after a fork. WD_TEST_LONG=1: each way in each thread.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "emulated.h"
#include "harness_long.h"
#include "tsan_fork.h"
#include "way.h"

#define LEN	200000u
#define THREADS	4

#ifdef __SANITIZE_ADDRESS__
/* The sessions serve the process until its end; LeakSanitizer can't see their handles, which are no pointers. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:wd_comp_alloc_sess\n";
}

const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}
#endif

/* Words of a few letters, so that there are matches; others for each seed. */
static void fill(unsigned char *p, size_t n, unsigned int seed)
{
	static const char words[] = "warp drive engine block match literal offset window ";
	size_t i = 0;

	while (i < n) {
		seed = seed * 1103515245u + 12345u;
		p[i++] = (unsigned char)words[(seed >> 16) % (sizeof(words) - 1)];
		if (i > 300 && i + 40 < n && !(seed >> 16 & 7)) {
			memcpy(p + i, p + i - 10 - (seed >> 19 & 255), 9);
			i += 9;
		}
	}
}

/* All ways, or every that many-th; the number of those that fail. */
static unsigned int ways_try(unsigned int seed, size_t step)
{
	unsigned char *bytes = malloc(LEN);
	const unsigned char *result;
	unsigned int bad = 0;
	const char *why;
	size_t i, n;

	fill(bytes, LEN, seed);
	if (!ways_begin(bytes, LEN))
		bad++;
	for (i = seed % step; !bad && i < ways_nr; i += step) {
		why = way_fails(&ways[i], &result, &n);
		if (why) {
			printf("# %s: %s\n", ways[i].name, why);
			bad++;
		}
	}
	ways_end();
	free(bytes);
	return bad;
}

static unsigned long long completions(void)
{
	return emulated_count("hisi_zip-0", "completions") + emulated_count("hisi_zip-1", "completions");
}

struct work {
	pthread_t thread;
	atomic_bool *go;
	unsigned int number, bad;
};

static void *work(void *p)
{
	struct work *w = p;

	while (!atomic_load(w->go))
		;
	w->bad = ways_try(w->number + 2, getenv("WD_TEST_LONG") ? 1 : 3);
	return NULL;
}

/* All begin at once: one of them makes the sessions. */
static unsigned int threads_try(const char *fault)
{
	struct work w[THREADS];
	atomic_bool go = false;
	unsigned int bad = 0, i;

	for (i = 0; i < THREADS; i++) {
		w[i] = (struct work){ .go = &go, .number = i };
		if (pthread_create(&w[i].thread, NULL, work, &w[i]))
			return 1;
	}
	atomic_store(&go, true);
	if (fault)
		emulated_control(EMULATED_DEVICE, fault);
	for (i = 0; i < THREADS; i++) {
		pthread_join(w[i].thread, NULL);
		bad += w[i].bad;
	}
	return bad;
}

TEST(threads_have_their_own_contexts)
{
	EXPECT_EQ(0, threads_try(NULL));
	EXPECT_TRUE(!emulated() || completions());
}

TEST(no_way_fails)
{
	unsigned long long before = completions();

	EXPECT_EQ(0, ways_try(1, 1));
	EXPECT_TRUE(!emulated() || completions() > before);
}

TEST(threads_while_devices_fail)
{
	if (!emulated())
		SKIP(return, "there are no emulated devices");
	setenv("WD_REST", "0", 1);
	EXPECT_EQ(0, threads_try("fault corrupt=1/3,fail=1/5:4,delay=1/9:1ms,reorder=1/7:1ms"));
}

TEST(threads_while_a_device_is_removed)
{
	if (!emulated())
		SKIP(return, "there are no emulated devices");
	EXPECT_EQ(0, threads_try("remove"));
}

TEST(a_child_has_its_own_sessions)
{
	int status = -1;
	pid_t child;

	EXPECT_EQ(0, ways_try(7, 3));
	child = fork();
	ASSERT_LE(0, child);
	/* Its first request makes its devices. */
	if (!child)
		_exit(ways_try(8, 1) != 0 || (emulated() && !completions()));
	EXPECT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, ways_try(9, 3));
}

TEST_HARNESS_MAIN
