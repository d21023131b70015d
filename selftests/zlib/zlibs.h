/* SPDX-License-Identifier: Apache-2.0 */
/* Two libraries of zlib's API side by side: the distribution's and the shim, each with all of its functions. */
#ifndef ZLIBS_H
#define ZLIBS_H

#include <stdbool.h>
#include <zlib.h>

#define ZLIB_FUNCTIONS(X) \
	X(adler32) X(adler32_combine) X(adler32_z) X(compress) X(compress2) X(compressBound) X(crc32) X(crc32_combine) \
	X(crc32_combine_gen) X(crc32_combine_op) X(crc32_z) X(deflate) X(deflateBound) X(deflateCopy) X(deflateEnd) \
	X(deflateGetDictionary) X(deflateInit_) X(deflateInit2_) X(deflateParams) X(deflatePending) X(deflatePrime) \
	X(deflateReset) X(deflateResetKeep) X(deflateSetDictionary) X(deflateSetHeader) X(deflateTune) \
	X(get_crc_table) X(gzbuffer) X(gzclearerr) X(gzclose) X(gzclose_r) X(gzclose_w) X(gzdirect) X(gzdopen) \
	X(gzeof) X(gzerror) X(gzflush) X(gzfread) X(gzfwrite) X(gzgetc_) X(gzgets) X(gzoffset) X(gzopen) X(gzprintf) \
	X(gzputc) X(gzputs) X(gzread) X(gzrewind) X(gzseek) X(gzsetparams) X(gztell) X(gzungetc) X(gzwrite) X(inflate) \
	X(inflateBack) X(inflateBackEnd) X(inflateBackInit_) X(inflateCodesUsed) X(inflateCopy) X(inflateEnd) \
	X(inflateGetDictionary) X(inflateGetHeader) X(inflateInit_) X(inflateInit2_) X(inflateMark) X(inflatePrime) \
	X(inflateReset) X(inflateReset2) X(inflateResetKeep) X(inflateSetDictionary) X(inflateSync) \
	X(inflateSyncPoint) X(inflateUndermine) X(inflateValidate) X(uncompress) X(uncompress2) X(zError) \
	X(zlibCompileFlags) X(zlibVersion)

#define ZLIB_MEMBER(name)	__typeof__(&name) name;

struct zlib {
	void *lib;
	ZLIB_FUNCTIONS(ZLIB_MEMBER)
};

enum { STOCK, SHIM, SIDES };

/* The shim's file: WD_TEST_SHIM, or what the build has made. */
const char *zlib_shim_path(void);

/* main() begins with it: lets the shim find libraries of the build under a sanitizer. */
void zlibs_start(char **argv);

/* Is the shim there? Prints the reason of a skip if it isn't. */
bool zlib_shim_built(void);

/* Loads a library, "libz.so.1" or a full path, and all its functions; ends the program if that fails. */
void zlib_open(struct zlib *z, const char *path);

/* Both of them. Ends the program if they are one and the same. */
void zlibs_open(struct zlib z[SIDES]);

/* deflateInit2() and inflateInit2() are macros that name one library's function. */
static inline int zlib_deflate_init(const struct zlib *z, z_streamp s, int level, int bits, int memory, int strategy)
{
	return z->deflateInit2_(s, level, Z_DEFLATED, bits, memory, strategy, ZLIB_VERSION, (int)sizeof(z_stream));
}

static inline int zlib_inflate_init(const struct zlib *z, z_streamp s, int bits)
{
	return z->inflateInit2_(s, bits, ZLIB_VERSION, (int)sizeof(z_stream));
}

#endif
