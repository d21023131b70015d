// SPDX-License-Identifier: Apache-2.0
/* Threads with streams of their own, both ways, while devices fail. */
#include <pthread.h>
#include <stdatomic.h>

#include "edges.h"
#include "tsan_fork.h"
#include "harness_long.h"

#define THREADS	4

struct work {
	const struct zlib *z;
	struct bytes in;
	unsigned int rounds, number;
	atomic_bool *go;
	bool ok;
	pthread_t thread;
};

static bool round_trip(const struct work *w, unsigned int round)
{
	static const int bits[] = { 15, -15, 31 };
	static const size_t cuts[] = { 0, 70000, 300000 };
	struct how how = HOW(1 + (int)(w->number + round) % 7, bits[round % 3]);
	unsigned char *got = malloc(w->in.len);
	uLong len = w->in.len, room = w->z[SHIM].compressBound(len);
	struct bytes out;
	bool ok;

	how.cut = cuts[(round + w->number) % 3];
	out = squeeze(&w->z[SHIM], &how, w->in.p, w->in.len);
	ok = out.len && restores(&w->z[STOCK], how.bits, &out, w->in.p, w->in.len) &&
	     restores(&w->z[SHIM], how.bits, &out, w->in.p, w->in.len);
	out.p = realloc(out.p, room);
	ok &= w->z[SHIM].compress(out.p, &room, w->in.p, len) == Z_OK &&
	      w->z[SHIM].uncompress(got, &len, out.p, room) == Z_OK && len == w->in.len && !memcmp(got, w->in.p, len);
	bytes_free(&out);
	free(got);
	return ok;
}

static void *work(void *p)
{
	struct work *w = p;
	unsigned int i;

	while (!atomic_load(w->go))
		;
	w->ok = true;
	for (i = 0; i < w->rounds; i++)
		w->ok &= round_trip(w, i);
	return NULL;
}

FIXTURE(threads) {
	struct zlib z[SIDES];
	struct work w[THREADS];
};

/* All begin at once: one of them opens the devices. */
FIXTURE_SETUP(threads)
{
	unsigned int i, rounds = getenv("WD_TEST_LONG") ? 200 : getenv("WD_TEST_BRIEF") ? 3 : 6;

	zlibs_open(self->z);
	for (i = 0; i < THREADS; i++)
		self->w[i] = (struct work){ .z = self->z, .in = bytes_of((enum data_kind)i, MIB + i * 1000),
					    .rounds = rounds, .number = i };
}

FIXTURE_TEARDOWN(threads)
{
	unsigned int i;

	for (i = 0; i < THREADS; i++)
		bytes_free(&self->w[i].in);
}

static bool all_work(FIXTURE_DATA(threads) *self, const char *fault)
{
	atomic_bool go = false;
	bool ok = true;
	unsigned int i;

	for (i = 0; i < THREADS; i++) {
		self->w[i].go = &go;
		pthread_create(&self->w[i].thread, NULL, work, &self->w[i]);
	}
	atomic_store(&go, true);
	if (fault)
		emulated_control("hisi_zip-0", fault);
	for (i = 0; i < THREADS; i++) {
		pthread_join(self->w[i].thread, NULL);
		ok &= self->w[i].ok;
	}
	return ok;
}

TEST_F(threads, rule_13_each_has_its_own_streams)
{
	EXPECT_TRUE(all_work(self, NULL));
	EXPECT_TRUE(as_with_devices(0));
}

TEST_F(threads, rule_13_while_requests_fail)
{
	if (!emulated())
		SKIP(return, "there are no emulated devices");
	EXPECT_TRUE(all_work(self, "fault fail=1/3,delay=1/5:1ms,reorder=1/7:1ms"));
}

TEST_F(threads, rule_13_while_a_device_is_removed)
{
	if (!emulated())
		SKIP(return, "there are no emulated devices");
	EXPECT_TRUE(all_work(self, "remove"));
	EXPECT_TRUE(all_work(self, "return"));
}

ZLIB_TEST_MAIN
