// SPDX-License-Identifier: Apache-2.0
/* Names of algorithms, and numbers of errors. */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "alg.h"
#include "uadk/wd.h"

static const struct {
	const char *begin;		/* of a program's name; with a final bracket or blank, else all of it */
	const char *alg;
} names[] = {
	{ "zlib", "zlib" }, { "gzip", "gzip" }, { "deflate", "deflate" }, { "lz4", "lz4" },
	{ "rsa", "rsa" }, { "dh", "dh" },
	{ "ecdh", "ecdh" }, { "ecdsa", "ecdsa" }, { "sm2", "sm2" }, { "x25519", "x25519" }, { "x448", "x448" },
	{ "cipher", "cipher" }, { "digest", "digest" }, { "aead", "aead" },
	{ "gcm(", "aead" }, { "ccm(", "aead" }, { "authenc(", "aead" },
	{ "ecb(", "cipher" }, { "cbc(", "cipher" }, { "ctr(", "cipher" }, { "xts(", "cipher" }, { "ofb(", "cipher" },
	{ "cfb(", "cipher" }, { "cbc-cs1(", "cipher" }, { "cbc-cs2(", "cipher" }, { "cbc-cs3(", "cipher" },
	{ "sm3", "digest" }, { "md5", "digest" }, { "sha1", "digest" }, { "sha224", "digest" },
	{ "sha256", "digest" }, { "sha384", "digest" }, { "sha512", "digest" }, { "sha512-224", "digest" },
	{ "sha512-256", "digest" }, { "hmac(", "digest" },
};

const char *uadk_alg_of_devices(const char *name)
{
	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i].begin);
		bool whole = names[i].begin[len - 1] != '(';

		if (whole ? !strcmp(name, names[i].begin) : !strncmp(name, names[i].begin, len))
			return names[i].alg;
	}
	return NULL;
}

int uadk_error(int ret, int bad)
{
	switch (-ret) {
	case EBADMSG:
		return bad;
	case ENOSPC:
		return WD_OUT_EPARA;
	case EFAULT:
		return WD_ADDR_ERR;
	case E2BIG:
		return WD_SGL_ERR;
	case ESHUTDOWN:
		return WD_HW_EACCESS;
	/* Not WD_EBUSY: programs submit again until it goes away. */
	case EDQUOT:
		return WD_EACCES;
	case EFBIG:
	case EOPNOTSUPP:
		return WD_EINVAL;
	case EACCES:
	case EBUSY:
	case EINVAL:
	case ENODEV:
	case ENOMEM:
	case ETIMEDOUT:
		return -ret;
	default:
		return WD_EIO;
	}
}
