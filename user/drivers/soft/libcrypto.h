/* SPDX-License-Identifier: Apache-2.0 */
/* Initialises libcrypto before a class's first session; for the one driver of a library that uses it. */
#ifndef WD_SOFT_LIBCRYPTO_H
#define WD_SOFT_LIBCRYPTO_H

#include <openssl/crypto.h>
#include <errno.h>
#include <pthread.h>

#include "driver.h"

/*
 * libcrypto registers its cleanup with atexit() when it is initialised. Handlers run in reverse order, so the handler
 * that ends the poll threads has to be registered later. An initialisation without any option may do nothing.
 */
static void soft_libcrypto_init(void)
{
	OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CRYPTO_STRINGS, NULL);
	wd_pollers_end_at_exit();
}

static inline int soft_libcrypto_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, soft_libcrypto_init);
	/* It has no other way to tell. */
	if (OPENSSL_init_crypto(0, NULL) != 1)
		return wd_fail(NULL, EOPNOTSUPP, "libcrypto was ended by OPENSSL_cleanup()");
	return 0;
}

#endif
