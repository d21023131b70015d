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
#define PRODUCER_LEAST	10504

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

static bool functions_find(void *handle, const struct function *row, void *codec)
{
	void *function;

	for (; row->name; row++) {
		function = dlsym(handle, row->name);
		if (!function)
			return false;
		/* POSIX: a function's address fits a pointer to void; C has no conversion for it. */
		memcpy((char *)codec + row->at, &function, sizeof(function));
	}
	return true;
}

/* The library stays loaded: its functions may run in any thread until the process ends. */
static void zstd_load(void)
{
	static const struct function rows[] = {
		{ "ZSTD_registerSequenceProducer", offsetof(struct zstd_codec, take_sequences) }, { NULL, 0 }
	};
	void *handle = dlopen(ZSTD_NAME, RTLD_NOW | RTLD_LOCAL);

	zstd_there = handle && functions_find(handle, zstd_rows, &zstd_codec);
	/* Its interface may change with the library: it is declared for static linking only. */
	if (zstd_there && zstd_codec.versionNumber() >= PRODUCER_LEAST)
		functions_find(handle, rows, &zstd_codec);
}

static void lz4_load(void)
{
	void *handle = dlopen(LZ4_NAME, RTLD_NOW | RTLD_LOCAL);

	lz4_there = handle && functions_find(handle, lz4_rows, &lz4_codec);
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

bool soft_zstd_takes_sequences(void)
{
	return soft_zstd() && zstd_codec.take_sequences;
}
