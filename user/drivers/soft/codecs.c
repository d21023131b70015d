// SPDX-License-Identifier: Apache-2.0
/*
 * Loads libzstd and liblz4 when the first session of their formats is allocated. RTLD_LOCAL keeps their names from the
 * program, which may have other libraries of those names.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "codecs.h"
#include "comp.h"

#define ZSTD_NAME	"libzstd.so.1"
#define LZ4_NAME	"liblz4.so.1"

struct function {
	const char *name;
	size_t at;	/* offset of its pointer */
};

#define ZSTD_ROW(name)	{ "ZSTD_" #name, offsetof(struct zstd_codec, name) },
#define LZ4F_ROW(name)	{ "LZ4F_" #name, offsetof(struct lz4_codec, name) },
#define LZ4_ROW(name)	{ "LZ4_" #name, offsetof(struct lz4_codec, name) },

static const struct function zstd_rows[] = { ZSTD_FUNCTIONS(ZSTD_ROW) { NULL, 0 } };
static const struct function lz4_rows[] = { LZ4F_FUNCTIONS(LZ4F_ROW) LZ4_FUNCTIONS(LZ4_ROW) { NULL, 0 } };

static pthread_once_t zstd_once = PTHREAD_ONCE_INIT, lz4_once = PTHREAD_ONCE_INIT;
static struct zstd_codec zstd_codec;
static struct lz4_codec lz4_codec;
static bool zstd_there, lz4_there;

/* The library stays loaded: its functions may run in any thread until the process ends. */
static bool codec_load(const char *library, const struct function *row, void *codec)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL), *function;

	if (!handle)
		return false;
	for (; row->name; row++) {
		function = dlsym(handle, row->name);
		if (!function)
			return false;
		/* POSIX: a function's address fits a pointer to void; C has no conversion for it. */
		memcpy((char *)codec + row->at, &function, sizeof(function));
	}
	return true;
}

static void zstd_load(void)
{
	zstd_there = codec_load(ZSTD_NAME, zstd_rows, &zstd_codec);
}

static void lz4_load(void)
{
	lz4_there = codec_load(LZ4_NAME, lz4_rows, &lz4_codec);
}

const struct zstd_codec *soft_zstd(void)
{
	pthread_once(&zstd_once, zstd_load);
	return zstd_there ? &zstd_codec : NULL;
}

const struct lz4_codec *soft_lz4(void)
{
	pthread_once(&lz4_once, lz4_load);
	return lz4_there ? &lz4_codec : NULL;
}

int soft_frames_ready(__u8 alg)
{
	if (alg == WD_ZSTD && !soft_zstd())
		return wd_fail(NULL, EOPNOTSUPP, ZSTD_NAME " can't be loaded, or is too old: WD_ZSTD needs it");
	if (alg == WD_LZ4 && !soft_lz4())
		return wd_fail(NULL, EOPNOTSUPP, LZ4_NAME " can't be loaded, or is too old: WD_LZ4 needs it");
	return 0;
}
