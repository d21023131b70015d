// SPDX-License-Identifier: Apache-2.0
/* zlib's own code reads and writes gzip files, by the functions here. Its buffers are larger if there is a device. */
#include <stdbool.h>
#include <string.h>

#include "stream.h"

/* zlib.h's, where files are large by default. */
#undef gzopen

#define BUFFER	(128u << 10)	/* zlib's 8 KiB would reach a device in as many calls */

/* Whether a file of this mode may be written by a device; its strategy and level are letters and digits of the mode. */
static bool mode_wants(const char *mode)
{
	int level = Z_DEFAULT_COMPRESSION;
	bool writes = false;

	for (; *mode; mode++) {
		if (*mode >= '0' && *mode <= '9')
			level = *mode - '0';
		else if (*mode == 'w' || *mode == 'a')
			writes = true;
		else if (strchr("fhRFT", *mode))
			return false;
	}
	return writes && wdz_stream_wants(level, Z_DEFAULT_STRATEGY);
}

static gzFile with_buffer(gzFile file, const char *mode)
{
	if (file && wdz_device_here() && mode_wants(mode))
		gzbuffer(file, BUFFER);
	return file;
}

PUBLIC gzFile ZEXPORT gzopen(const char *path, const char *mode)
{
	return with_buffer(zlib_gzopen(path, mode), mode);
}

PUBLIC gzFile ZEXPORT gzopen64(const char *path, const char *mode)
{
	return with_buffer(zlib_gzopen64(path, mode), mode);
}

PUBLIC gzFile ZEXPORT gzdopen(int fd, const char *mode)
{
	return with_buffer(zlib_gzdopen(fd, mode), mode);
}
