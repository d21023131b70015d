// SPDX-License-Identifier: Apache-2.0
/*
 * Texts encrypted with SM2: devices decrypt them. Encryption is the default provider's, which writes what libcrypto
 * writes.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/asn1.h>
#include <openssl/core_names.h>
#include <openssl/err.h>

#include "ecdsa.h"
#include "operation.h"
#include "sm2.h"

#define W		32u	/* bytes of a number, and of a digest of SM3 */
#define TEXT_MAX	((unsigned int)WDP_CHECKED_MAX)	/* bytes of a text that devices take */
#define PARTS_MAX	(TEXT_MAX + WD_ECC_SM2_EXTRA)

static void *sm2_cipher_new(void *provctx)
{
	return wdp_operation_new(sizeof(struct wdp_operation), provctx, WDP_KIND_SM2_CIPHER);
}

static void sm2_cipher_free(void *vctx)
{
	if (!vctx)
		return;
	wdp_operation_clear(vctx);
	free(vctx);
}

static void *sm2_cipher_dup(void *vctx)
{
	struct wdp_operation *op = calloc(1, sizeof(*op));

	if (op && wdp_operation_copy(op, vctx))
		return op;
	sm2_cipher_free(op);
	return NULL;
}

static int sm2_cipher_encrypt_init(void *vctx, void *key, const OSSL_PARAM params[])
{
	return wdp_operation_init(vctx, key, EVP_PKEY_encrypt_init_ex, params);
}

static int sm2_cipher_decrypt_init(void *vctx, void *key, const OSSL_PARAM params[])
{
	return wdp_operation_init(vctx, key, EVP_PKEY_decrypt_init_ex, params);
}

/* --- a text's encoding: a sequence of x, y, the digest, the text --- */

static bool number_read(const unsigned char **at, const unsigned char *end, unsigned char *to)
{
	ASN1_INTEGER *number = d2i_ASN1_INTEGER(NULL, at, end - *at);
	BIGNUM *bn = number ? ASN1_INTEGER_to_BN(number, NULL) : NULL;
	bool ok = bn && !BN_is_negative(bn) && BN_bn2binpad(bn, to, W) == W;

	BN_free(bn);
	ASN1_INTEGER_free(number);
	return ok;
}

/* Returns the length, which is at least 1, or 0. */
static size_t string_read(const unsigned char **at, const unsigned char *end, unsigned char *to, size_t room)
{
	ASN1_OCTET_STRING *string = d2i_ASN1_OCTET_STRING(NULL, at, end - *at);
	size_t len = string ? (size_t)ASN1_STRING_length(string) : 0;

	if (len > room)
		len = 0;
	if (len)
		memcpy(to, ASN1_STRING_get0_data(string), len);
	ASN1_OCTET_STRING_free(string);
	return len;
}

/*
 * In libwd's order: x, y, the text, the digest. Returns the length of the text, or 0: the default provider says what is
 * wrong.
 */
static size_t parts_read(const unsigned char *in, size_t in_len, unsigned char parts[PARTS_MAX])
{
	const unsigned char *at = in, *end = in + in_len;
	unsigned char digest[W];
	int tag, class;
	size_t n = 0;
	long len;

	if (in_len > LONG_MAX)
		return 0;
	ERR_set_mark();
	if (ASN1_get_object(&at, &len, &tag, &class, (long)in_len) == V_ASN1_CONSTRUCTED && tag == V_ASN1_SEQUENCE &&
	    class == V_ASN1_UNIVERSAL && at + len == end && number_read(&at, end, parts) &&
	    number_read(&at, end, parts + W) && string_read(&at, end, digest, W) == W)
		n = string_read(&at, end, parts + 2 * W, TEXT_MAX);
	ERR_pop_to_mark();
	if (at != end)
		return 0;
	memcpy(parts + 2 * W + n, digest, W);
	return n;
}

/* --- decryption --- */

static bool is_sm3(const struct wdp_operation *op)
{
	char digest[64];

	wdp_operation_text(op, OSSL_ASYM_CIPHER_PARAM_DIGEST, digest, sizeof(digest));
	return !*digest || !strcmp(digest, "SM3");
}

static enum wdp_outcome on_device(struct wdp_operation *op, unsigned char *out, size_t *len, size_t room,
				  const unsigned char *in, size_t in_len)
{
	unsigned char parts[PARTS_MAX], text[TEXT_MAX];
	struct wdp_target to = wdp_curve_key(op);
	struct wdp_call call = { .op = WD_ECC_DECRYPT, .src = parts, .dst = text };
	enum wdp_outcome outcome;

	if (!wdp_curve_takes_private(op->key, WDP_SM2) || !is_sm3(op))
		return WDP_TO_DEFAULT;
	call.dst_len = parts_read(in, in_len, parts);
	if (!call.dst_len || room < call.dst_len)
		return WDP_TO_DEFAULT;
	call.src_len = call.dst_len + WD_ECC_SM2_EXTRA;
	outcome = wdp_device_do(&to, &call, &op->path);
	if (outcome == WDP_DONE) {
		memcpy(out, text, call.dst_len);
		*len = call.dst_len;
		outcome = wdp_operation_checked(op, "sm2", EVP_PKEY_decrypt, out, *len, in, in_len);
	}
	OPENSSL_cleanse(text, sizeof(text));
	return outcome;
}

static int sm2_cipher_encrypt(void *vctx, unsigned char *out, size_t *len, size_t room, const unsigned char *in,
			      size_t in_len)
{
	struct wdp_operation *op = vctx;

	if (!op->ctx)
		return 0;
	*len = room;
	return EVP_PKEY_encrypt(op->ctx, out, len, in, in_len);
}

static int sm2_cipher_decrypt(void *vctx, unsigned char *out, size_t *len, size_t room, const unsigned char *in,
			      size_t in_len)
{
	struct wdp_operation *op = vctx;

	if (!op->ctx)
		return 0;
	if (!out)
		return EVP_PKEY_decrypt(op->ctx, NULL, len, in, in_len);
	return wdp_operation_end(op, on_device(op, out, len, room, in, in_len), EVP_PKEY_decrypt, out, len, room, in,
				 in_len);
}

WDP_LIST(sm2_cipher, WDP_KIND_SM2_CIPHER, gettable)
WDP_LIST(sm2_cipher, WDP_KIND_SM2_CIPHER, settable)

const OSSL_DISPATCH wdp_cipher_sm2[] = {
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_NEWCTX, sm2_cipher_new),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_FREECTX, sm2_cipher_free),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_DUPCTX, sm2_cipher_dup),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_ENCRYPT_INIT, sm2_cipher_encrypt_init),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_ENCRYPT, sm2_cipher_encrypt),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT, sm2_cipher_decrypt_init),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_DECRYPT, sm2_cipher_decrypt),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_GET_CTX_PARAMS, wdp_operation_get_params),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS, sm2_cipher_gettable),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_SET_CTX_PARAMS, wdp_operation_set_params),
	WDP_FUNCTION(OSSL_FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS, sm2_cipher_settable),
	{ 0, NULL },
};
