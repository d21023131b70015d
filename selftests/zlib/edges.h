/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the tests of single rules: both libraries, loaded after a test has set its environment, and what the
 * emulated devices have done. Each test is a process of its own, so that the shim reads its environment anew.
 */
#ifndef ZLIB_TEST_EDGES_H
#define ZLIB_TEST_EDGES_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulated.h"
#include "streams.h"

#define KIB	1024u
#define MIB	(KIB * KIB)
#define DEVICES	2

/* A number of all devices of this process together. */
static inline unsigned long long devices_count(const char *what)
{
	char name[32];
	unsigned long long n = 0;
	int i;

	for (i = 0; i < DEVICES; i++) {
		snprintf(name, sizeof(name), "hisi_zip-%d", i);
		n += emulated_count(name, what);
	}
	return n;
}

/* Requests that they have got. */
static inline unsigned long long requests(void)
{
	return devices_count("descriptors");
}

/* Has a device had a part since then, as it should when there are devices? */
static inline bool as_with_devices(unsigned long long before)
{
	return (requests() > before) == emulated();
}

/* Compresses with both. */
static inline void squeeze_both(const struct zlib z[SIDES], const struct how *how, const struct bytes *in,
				struct bytes out[SIDES])
{
	int side;

	for (side = STOCK; side < SIDES; side++)
		out[side] = squeeze(&z[side], how, in->p, in->len);
}

static inline bool bytes_same(const struct bytes *a, const struct bytes *b)
{
	return a->len && a->len == b->len && !memcmp(a->p, b->p, a->len);
}

/* Do both libraries make the same bytes, and no device any? */
static inline bool is_stock_s(const struct zlib z[SIDES], const struct how *how, const struct bytes *in)
{
	unsigned long long before = requests();
	struct bytes out[SIDES];
	bool same;

	squeeze_both(z, how, in, out);
	same = bytes_same(&out[STOCK], &out[SHIM]) && requests() == before;
	bytes_free(&out[STOCK]);
	bytes_free(&out[SHIM]);
	return same;
}

/* Does the shim's output restore, and has a device had a part in it? Without devices, is it stock's? */
static inline bool is_a_device_s(const struct zlib z[SIDES], const struct how *how, const struct bytes *in)
{
	unsigned long long before = requests();
	struct bytes out;
	bool ok;

	if (!emulated())
		return is_stock_s(z, how, in);
	out = squeeze(&z[SHIM], how, in->p, in->len);
	ok = out.len && restores(&z[STOCK], how->bits, &out, in->p, in->len) && requests() > before;
	bytes_free(&out);
	return ok;
}

/* main() of a file of tests. */
#define ZLIB_TEST_MAIN \
int main(int argc, char **argv) \
{ \
	zlibs_start(argv); \
	return zlib_shim_built() ? test_harness_run(argc, argv) : 4; \
}

#endif
