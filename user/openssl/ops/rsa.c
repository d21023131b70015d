// SPDX-License-Identifier: Apache-2.0
/* Operations with RSA's private keys on devices. */
#include <string.h>
#include <strings.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

#include "rsa.h"
#include "rsa_padding.h"
#include "signature.h"

static size_t bytes_of(const struct wdp_key *key, enum wdp_alg alg, unsigned int selection)
{
	int bits = EVP_PKEY_get_bits(key->pkey);

	if (!wdp_key_uses(key, alg) || !(key->has & selection))
		return 0;
	return bits == 1024 || bits == 2048 || bits == 3072 || bits == 4096 ? (size_t)bits / 8 : 0;
}

size_t wdp_rsa_bytes(const struct wdp_key *key)
{
	return bytes_of(key, WDP_RSA, OSSL_KEYMGMT_SELECT_PRIVATE_KEY);
}

size_t wdp_rsa_public_bytes(const struct wdp_key *key)
{
	return bytes_of(key, WDP_RSA_PUBLIC, OSSL_KEYMGMT_SELECT_PUBLIC_KEY);
}

/* --- the key --- */

struct numbers {
	unsigned char n[WDP_RSA_MAX], d[WDP_RSA_MAX];
	unsigned char p[WDP_RSA_MAX / 2], q[WDP_RSA_MAX / 2], dp[WDP_RSA_MAX / 2], dq[WDP_RSA_MAX / 2],
		      qinv[WDP_RSA_MAX / 2];
	unsigned char e[4];
};

#define ROW(param, member, whole) \
	{ param, offsetof(struct numbers, member), offsetof(struct wd_rsa_key, member), whole }

/* whole: as long as the modulus; else as long as a prime. */
static const struct {
	const char *name;
	size_t field, number;
	bool whole;
} rows[] = {
	ROW(OSSL_PKEY_PARAM_RSA_N, n, true),
	ROW(OSSL_PKEY_PARAM_RSA_D, d, true),
	ROW(OSSL_PKEY_PARAM_RSA_FACTOR1, p, false),
	ROW(OSSL_PKEY_PARAM_RSA_FACTOR2, q, false),
	ROW(OSSL_PKEY_PARAM_RSA_EXPONENT1, dp, false),
	ROW(OSSL_PKEY_PARAM_RSA_EXPONENT2, dq, false),
	ROW(OSSL_PKEY_PARAM_RSA_COEFFICIENT1, qinv, false),
};

/*
 * Reads all numbers of two primes of the same size, and a small e. libwd needs them to verify a device's result before
 * it hands it out. Every other key is the default provider's.
 */
static bool numbers_read(const struct wdp_key *key, struct numbers *numbers, struct wd_rsa_key *rsa, size_t k)
{
	unsigned char third[WDP_RSA_MAX];
	size_t i, len;

	if (wdp_key_number(key, OSSL_PKEY_PARAM_RSA_FACTOR3, third, sizeof(third))) {
		OPENSSL_cleanse(third, sizeof(third));
		return false;
	}
	if (!wdp_key_number(key, OSSL_PKEY_PARAM_RSA_E, numbers->e, sizeof(numbers->e)))
		return false;
	rsa->e = (struct wd_number){ numbers->e, sizeof(numbers->e) };
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		len = rows[i].whole ? k : k / 2;
		if (!wdp_key_number(key, rows[i].name, (unsigned char *)numbers + rows[i].field, len))
			return false;
		*(struct wd_number *)((char *)rsa + rows[i].number) =
			(struct wd_number){ (unsigned char *)numbers + rows[i].field, (__u32)len };
	}
	return true;
}

static handle_t session_with(const struct wdp_target *to, unsigned int op_type, const struct wd_rsa_key *rsa, size_t k)
{
	struct wd_rsa_sess_setup setup = {
		.key_bits = (__u32)(8 * k), .op_type = (__u8)op_type, .flags = WD_SESS_PATH_HW,
		.timeout_ms = to->prov->config.timeout_ms,
	};
	handle_t h = wd_rsa_alloc_sess(&setup, NULL);

	if (h && wd_rsa_set_key(h, rsa)) {
		wd_rsa_free_sess(h);
		h = 0;
	}
	return h;
}

static handle_t key_open(const struct wdp_target *to, unsigned int op_type)
{
	const struct wdp_key *key = to->owner;
	size_t k = wdp_rsa_bytes(key);
	struct wd_rsa_key rsa = { .n = { NULL, 0 } };
	struct numbers numbers;
	handle_t h = 0;

	if (numbers_read(key, &numbers, &rsa, k))
		h = session_with(to, op_type, &rsa, k);
	OPENSSL_cleanse(&numbers, sizeof(numbers));
	return h;
}

static handle_t public_open(const struct wdp_target *to, unsigned int op_type)
{
	const struct wdp_key *key = to->owner;
	unsigned char n[WDP_RSA_MAX], e[WDP_RSA_MAX];
	size_t k = wdp_rsa_public_bytes(key);
	struct wd_rsa_key rsa = { .n = { n, (__u32)k }, .e = { e, (__u32)k } };

	if (!wdp_key_number(key, OSSL_PKEY_PARAM_RSA_N, n, k) || !wdp_key_number(key, OSSL_PKEY_PARAM_RSA_E, e, k))
		return 0;
	return session_with(to, op_type, &rsa, k);
}

enum wdp_outcome wdp_rsa_private(struct wdp_operation *op, const unsigned char *in, unsigned char *out, size_t k)
{
	struct wdp_target to = {
		.prov = op->prov, .class = &wdp_class_rsa, .session = &op->key->session, .make = key_open,
		.owner = op->key,
	};
	struct wdp_call call = { .op = WD_RSA_SIGN, .src = in, .src_len = k, .dst = out, .dst_len = k };
	enum wdp_outcome outcome = wdp_device_do(&to, &call, &op->path);

	/* libwd has verified it. */
	if (outcome == WDP_DONE)
		wdp_device_right(op->prov);
	return outcome;
}

enum wdp_outcome wdp_rsa_public(struct wdp_operation *op, const unsigned char *in, unsigned char *out, size_t k)
{
	struct wdp_target to = {
		.prov = op->prov, .class = &wdp_class_rsa, .session = &op->key->public, .make = public_open,
		.owner = op->key,
	};
	struct wdp_call call = { .op = WD_RSA_VERIFY, .src = in, .src_len = k, .dst = out, .dst_len = k };

	return wdp_device_do(&to, &call, &op->path);
}

/* --- signatures --- */

void wdp_rsa_scheme_clear(struct wdp_rsa_scheme *scheme)
{
	EVP_MD_free(scheme->md);
	EVP_MD_free(scheme->mgf1);
	scheme->md = NULL;
	scheme->mgf1 = NULL;
}

static bool pss_read(struct wdp_operation *op, struct wdp_rsa_scheme *scheme)
{
	char mgf1[64];

	wdp_operation_text(op, OSSL_SIGNATURE_PARAM_MGF1_DIGEST, mgf1, sizeof(mgf1));
	scheme->salt = wdp_operation_int(op, OSSL_SIGNATURE_PARAM_PSS_SALTLEN, RSA_PSS_SALTLEN_AUTO);
	if (*mgf1)
		scheme->mgf1 = EVP_MD_fetch(op->prov->default_provider.libctx, mgf1, NULL);
	else if (EVP_MD_up_ref(scheme->md))
		scheme->mgf1 = scheme->md;
	return scheme->mgf1;
}

bool wdp_rsa_scheme_read(struct wdp_operation *op, struct wdp_rsa_scheme *scheme)
{
	char digest[64];

	if (!op->fresh)
		return true;
	wdp_rsa_scheme_clear(scheme);
	scheme->pad = wdp_operation_int(op, OSSL_SIGNATURE_PARAM_PAD_MODE, 0);
	wdp_operation_text(op, OSSL_SIGNATURE_PARAM_DIGEST, digest, sizeof(digest));
	if (*digest) {
		scheme->md = EVP_MD_fetch(op->prov->default_provider.libctx, digest, NULL);
		if (!scheme->md)
			return false;
	}
	if (scheme->pad == RSA_PKCS1_PSS_PADDING && (!scheme->md || !pss_read(op, scheme)))
		return false;
	op->fresh = false;
	return true;
}

/* Encodes the block that a device gets; false: there is no such encoding here, or none at all. */
static bool encode(const struct wdp_rsa_scheme *scheme, unsigned char *em, const struct wdp_key *key, size_t k,
		   const unsigned char *tbs, size_t len)
{
	switch (scheme->pad) {
	case RSA_PKCS1_PADDING:
		return wdp_pkcs1_encode(em, k, scheme->md, tbs, len);
	case RSA_PKCS1_PSS_PADDING:
		return wdp_pss_encode(em, k, scheme, key->prov->default_provider.libctx, tbs, len);
	case RSA_NO_PADDING:
		if (len != k || scheme->md)
			return false;
		memcpy(em, tbs, k);
		return true;
	}
	return false;
}

enum wdp_outcome wdp_rsa_sign(struct wdp_operation *op, struct wdp_rsa_scheme *scheme, unsigned char *sig, size_t *len,
			      size_t room, const unsigned char *digest, size_t digest_len)
{
	size_t k = wdp_rsa_bytes(op->key);
	unsigned char em[WDP_RSA_MAX];
	enum wdp_outcome outcome;

	if (!k || room < k || !wdp_rsa_scheme_read(op, scheme) || !encode(scheme, em, op->key, k, digest, digest_len))
		return WDP_TO_DEFAULT;
	outcome = wdp_rsa_private(op, em, sig, k);
	if (outcome == WDP_DONE)
		*len = k;
	OPENSSL_cleanse(em, sizeof(em));
	return outcome;
}

/* em: the encoded block out of which the signature was made. */
static bool is_good(const struct wdp_rsa_scheme *scheme, unsigned char *em, const struct wdp_key *key, size_t k,
		    const unsigned char *digest, size_t len)
{
	unsigned char own[WDP_RSA_MAX];

	/* libcrypto signs an empty text, and finds the signature wrong. */
	if (!len)
		return false;
	if (scheme->pad == RSA_PKCS1_PSS_PADDING)
		return wdp_pss_verify(em, k, scheme, digest, len);
	return encode(scheme, own, key, k, digest, len) && !memcmp(own, em, k);
}

bool wdp_rsa_verifies(const struct wdp_key *key)
{
	return wdp_rsa_public_bytes(key);
}

enum wdp_outcome wdp_rsa_verify(struct wdp_operation *op, struct wdp_rsa_scheme *scheme, const unsigned char *sig,
				size_t len, const unsigned char *digest, size_t digest_len)
{
	size_t k = wdp_rsa_public_bytes(op->key);
	unsigned char em[WDP_RSA_MAX];
	enum wdp_outcome outcome;

	if (!k || len != k || !wdp_rsa_scheme_read(op, scheme))
		return WDP_TO_DEFAULT;
	outcome = wdp_rsa_public(op, sig, em, k);
	return outcome == WDP_DONE && !is_good(scheme, em, op->key, k, digest, digest_len) ? WDP_TO_DEFAULT : outcome;
}
