// SPDX-License-Identifier: Apache-2.0
/* The replacement of zlib beside the distribution's, both in this process. */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "bench.h"

#define MIB		(1u << 20)
#define MOST		(8 * MIB)
#define ROUNDS		5
#define SMALL_BYTES	100
#define RAW_WINDOW	-15

/* One of the two libraries. */
struct lib {
	__typeof__(deflateInit2_) *init;
	__typeof__(deflate) *deflate;
	__typeof__(deflateReset) *reset;
	__typeof__(deflateEnd) *end;
};

/* What one measurement compresses. */
struct job {
	const struct lib *lib;
	int level;
	const unsigned char *src;
	size_t size;
	unsigned char *dst;
	size_t room, packed;
};

static void *function(void *library, const char *name)
{
	void *at = dlsym(library, name);

	if (!at)
		die(name, -ENOENT);
	return at;
}

static void lib_open(struct lib *lib, const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library) {
		fprintf(stderr, "wd-bench: %s\n", dlerror());
		exit(1);
	}
	*(void **)&lib->init = function(library, "deflateInit2_");
	*(void **)&lib->deflate = function(library, "deflate");
	*(void **)&lib->reset = function(library, "deflateReset");
	*(void **)&lib->end = function(library, "deflateEnd");
}

/* The distribution's library, which this program is linked with. */
static const char *stock_path(void)
{
	static Dl_info info;

	if (!dladdr((void *)(uintptr_t)zlibVersion, &info))
		die("dladdr", -ENOENT);
	return info.dli_fname;
}

static void libs_open(struct lib *ours, struct lib *stock, const char *shim)
{
	lib_open(stock, stock_path());
	lib_open(ours, shim);
}

static void stream_open(const struct lib *lib, z_stream *z, int level)
{
	*z = (z_stream){ 0 };
	if (lib->init(z, level, Z_DEFLATED, RAW_WINDOW, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, sizeof(*z)) != Z_OK)
		die("deflateInit2", -EINVAL);
}

static void pack(struct job *j)
{
	z_stream z;

	stream_open(j->lib, &z, j->level);
	z.next_in = (Bytef *)j->src;
	z.avail_in = (uInt)j->size;
	z.next_out = j->dst;
	z.avail_out = (uInt)j->room;
	if (j->lib->deflate(&z, Z_FINISH) != Z_STREAM_END)
		die("deflate", -EIO);
	j->packed = z.total_out;
	j->lib->end(&z);
}

static unsigned long long pack_ns(void *arg, unsigned int n)
{
	unsigned long long start = cpu_ns();

	while (n--)
		pack(arg);
	return cpu_ns() - start;
}

static void data_text(unsigned char *to, size_t size)
{
	text_fill(to, size);
}

/* Records of counters, small numbers and zeroes, as databases and programs have them. */
static void data_binary(unsigned char *to, size_t size)
{
	unsigned int state = 1, i, v;

	for (i = 0; i < size / 16; i++) {
		state = state * 1664525u + 1013904223u;
		v = state >> 20;
		memcpy(to + 16 * i, &i, 4);
		memcpy(to + 16 * i + 4, &v, 4);
		memset(to + 16 * i + 8, (int)(state >> 30), 8);
	}
}

static void data_packed(unsigned char *to, size_t size)
{
	unsigned int state = 1;
	size_t i;

	for (i = 0; i < size; i++) {
		state = state * 1664525u + 1013904223u;
		to[i] = state >> 24 & 0xff;
	}
}

static const struct {
	const char *name;
	void (*fill)(unsigned char *to, size_t size);
} data[] = { { "text", data_text }, { "binary", data_binary }, { "packed", data_packed } };

/* The same data as one request, whose matches may reach back everywhere. */
static size_t whole_bytes(const unsigned char *src, size_t size, unsigned char *dst, size_t room)
{
	handle_t h = session_open(WD_SYNC, 1, WD_SESS_PATH_HW, ANY_DEVICE);
	struct wd_comp_arg arg = { .src = src, .src_len = size, .dst = dst, .dst_len = &room };
	int ret = wd_compress(h, &arg);

	if (ret)
		die("wd_compress", ret);
	wd_comp_free_sess(h);
	return room;
}

static void sizes_and_times(struct job *ours, struct job *stock, const char *what, const char *size)
{
	static const int levels[] = { 1, 6 };
	unsigned int i;
	struct pair p;
	char name[64];

	for (i = 0; i < 2; i++) {
		ours->level = stock->level = levels[i];
		p = measure_pair(pack_ns, ours, pack_ns, stock, 1, ROUNDS);
		snprintf(name, sizeof(name), "zlib.%s.%s.%d.cpu", what, size, levels[i]);
		printf("row %s %.2f ns/byte %.2f %.3f\n", name, p.ours / (double)ours->size,
		       p.floor / (double)ours->size, p.ratio);
		snprintf(name, sizeof(name), "zlib.%s.%s.%d.bytes", what, size, levels[i]);
		row(name, (double)ours->packed, "bytes", (double)stock->packed);
	}
}

/* wd-bench zlib SHIM */
int zlib_rows(int argc, char **argv)
{
	static const struct {
		const char *name;
		size_t bytes;
	} sizes[] = { { "256k", 256 << 10 }, { "1m", MIB }, { "8m", MOST } };
	unsigned char *src = malloc(MOST), *dst = malloc(2 * MOST);
	struct lib ours, stock;
	unsigned int i, k;
	char name[64];

	if (argc < 1 || !src || !dst)
		die("wd-bench zlib SHIM", -EINVAL);
	libs_open(&ours, &stock, argv[0]);
	for (i = 0; i < 3; i++) {
		data[i].fill(src, MOST);
		for (k = 0; k < 3; k++) {
			struct job a = { .lib = &ours, .src = src, .size = sizes[k].bytes, .dst = dst,
					 .room = 2 * MOST }, b = a;

			b.lib = &stock;
			sizes_and_times(&a, &b, data[i].name, sizes[k].name);
			if (sizes[k].bytes < MOST)
				continue;
			snprintf(name, sizeof(name), "zlib.%s.parts.bytes", data[i].name);
			row(name, (double)a.packed, "bytes", (double)whole_bytes(src, MOST, dst, 2 * MOST));
		}
	}
	free(src);
	free(dst);
	return 0;
}

/* wd-bench zlib-wall SHIM: bytes per second of a large stream, by the clock, on whatever devices there are. */
int zlib_wall(int argc, char **argv)
{
	unsigned char *src = malloc(MOST), *dst = malloc(2 * MOST);
	struct lib ours, stock;
	unsigned long long start;
	struct job j = { .lib = &ours, .level = 1, .src = src, .size = MOST, .dst = dst, .room = 2 * MOST };

	if (argc < 1 || !src || !dst)
		die("wd-bench zlib-wall SHIM", -EINVAL);
	libs_open(&ours, &stock, argv[0]);
	text_fill(src, MOST);
	pack(&j);
	start = now_ns();
	pack(&j);
	printf("%.0f\n", 1e9 * (double)MOST / (double)(now_ns() - start));
	free(src);
	free(dst);
	return 0;
}

/* wd-bench zlib-path */
int zlib_path(int argc, char **argv)
{
	(void)argc, (void)argv;
	printf("%s\n", stock_path());
	return 0;
}

/* wd-bench zlib-small LIBRARY N: N streams of 100 bytes, two calls each, for the instruction counts. */
int zlib_small(int argc, char **argv)
{
	static unsigned char src[SMALL_BYTES], dst[1024];
	unsigned int n = argc > 1 ? (unsigned int)atoi(argv[1]) : 0;
	struct lib lib;
	z_stream z;

	if (!n)
		die("wd-bench zlib-small LIBRARY N", -EINVAL);
	lib_open(&lib, argv[0]);
	text_fill(src, sizeof(src));
	stream_open(&lib, &z, 1);
	while (n--) {
		z.next_in = src;
		z.avail_in = sizeof(src);
		z.next_out = dst;
		z.avail_out = sizeof(dst);
		if (lib.deflate(&z, Z_FINISH) != Z_STREAM_END || lib.reset(&z) != Z_OK)
			die("deflate", -EIO);
	}
	lib.end(&z);
	return 0;
}
