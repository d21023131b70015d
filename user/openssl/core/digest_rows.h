/* SPDX-License-Identifier: Apache-2.0 */
/* The digests that are offered, and that HMAC is done with. */
#ifndef WDP_DIGEST_ROWS_H
#define WDP_DIGEST_ROWS_H

#include <stddef.h>
#include <openssl/core.h>
#include <openssl/types.h>
#include <linux/types.h>

#include "handles.h"

/* ROW(identifier, the default provider's name, bit in the configuration, libwd's algorithm). */
#define WDP_DIGEST_ROWS(ROW)						\
	ROW(md5, "MD5", WDP_MD5, WD_DIGEST_MD5)				\
	ROW(sha1, "SHA1", WDP_SHA1, WD_DIGEST_SHA1)			\
	ROW(sha224, "SHA2-224", WDP_SHA2, WD_DIGEST_SHA224)		\
	ROW(sha256, "SHA2-256", WDP_SHA2, WD_DIGEST_SHA256)		\
	ROW(sha384, "SHA2-384", WDP_SHA2, WD_DIGEST_SHA384)		\
	ROW(sha512, "SHA2-512", WDP_SHA2, WD_DIGEST_SHA512)		\
	ROW(sha512_224, "SHA2-512/224", WDP_SHA2, WD_DIGEST_SHA512_224)	\
	ROW(sha512_256, "SHA2-512/256", WDP_SHA2, WD_DIGEST_SHA512_256)	\
	ROW(sm3, "SM3", WDP_SM3, WD_DIGEST_SM3)

#define WDP_DIGEST_ID(id, name, bit, alg)	WDP_DIGEST_##id,
enum wdp_digest_id { WDP_DIGEST_ROWS(WDP_DIGEST_ID) WDP_DIGESTS };

/* A digest of one provider. */
struct wdp_digest {
	EVP_MD *fetched;		/* NULL: not offered */
	char *names;			/* the default provider's, for OSSL_ALGORITHM */
	OSSL_PARAM *gettable;		/* the default provider's contexts', and "warpdrive-path" */
	size_t size;
	__u8 alg;			/* enum wd_digest_alg */
	struct wdp_session session;	/* of all contexts */
};

#endif
