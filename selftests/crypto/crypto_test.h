/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of ciphers, digests and AEAD: data, unmapped memory, sessions, words in messages. */
#ifndef CRYPTO_TEST_H
#define CRYPTO_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wd.h>
#include <wd_cipher.h>
#include <wd_request.h>

#include "noise.h"
#include "session.h"
#include "wait_ms.h"

#define KIB	1024u
#define MIB	(1024u * 1024u)

/* An address where nothing is mapped: so low that the kernel doesn't place any thread's later mapping there. */
#define NOWHERE	((unsigned char *)0x100000)

/* For tests that take minutes on a simulated CPU. */
#define LARGE() do { \
	if (getenv("WD_NO_LARGE")) \
		SKIP(return, "WD_NO_LARGE: large requests are left out"); \
} while (0)

/* --- ciphers --- */

static inline handle_t cipher_open(int alg, int mode, int op_type, int fmt, unsigned int flags)
{
	struct wd_cipher_sess_setup setup = {
		.alg = (__u8)alg, .mode = (__u8)mode, .op_type = (__u8)op_type, .data_fmt = (__u16)fmt, .flags = flags,
	};

	return wd_cipher_alloc_sess(&setup, NULL);
}

static inline handle_t cipher_keyed(int alg, int mode, const void *key, size_t key_len, unsigned int flags)
{
	handle_t h = cipher_open(alg, mode, WD_SYNC, WD_FLAT_BUF, flags);
	int ret = h ? wd_cipher_set_key(h, key, (__u32)key_len) : 0;

	if (!ret)
		return h;
	wd_cipher_free_sess(h);
	errno = -ret;
	return 0;
}

static inline int cipher_iv_len(int alg, int mode)
{
	return mode == WD_CIPHER_ECB ? 0 : alg == WD_CIPHER_3DES ? 8 : 16;
}

static inline int cipher_do(handle_t h, int op, const void *iv, size_t iv_len, const void *in, size_t len, void *out)
{
	size_t out_len = len;
	struct wd_cipher_arg arg = {
		.src = (void *)in, .src_len = len, .dst = out, .dst_len = &out_len, .iv = (void *)iv,
		.iv_len = (__u32)iv_len, .op = (__u32)op,
	};
	int ret = wd_cipher_sync(h, &arg);

	return ret ? ret : out_len == len && arg.consumed == len ? 0 : -EIO;
}

#endif
