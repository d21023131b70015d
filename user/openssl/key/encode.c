// SPDX-License-Identifier: Apache-2.0
/*
 * Encoders of EC and SM2. libcrypto gives a key of ours to the default provider's encoders by way of an import there.
 * It makes keys of EC on the curve of SM2, but imports none: they could not be written. These encoders let the default
 * provider's key be written; libcrypto prefers them for keys of the same provider, and uses them for no others. Another
 * libcrypto has none of them: the default provider would write into an object of ours, whose insides that one doesn't
 * know.
 */
#include <stdlib.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/encoder.h>

#include "core/offer.h"
#include "core/settings.h"
#include "encode.h"
#include "key.h"

#define PRIVATE	OSSL_KEYMGMT_SELECT_PRIVATE_KEY
#define PUBLIC	OSSL_KEYMGMT_SELECT_PUBLIC_KEY
#define DOMAIN	OSSL_KEYMGMT_SELECT_ALL_PARAMETERS

struct form {
	const char *output, *structure;	/* structure: NULL: the output has none */
};

struct encoder {
	struct wdp_provider *prov;
	const struct form *form;
	OSSL_PARAM *settings;		/* of the default provider's encoder: cipher and the like */
};

static void *encoder_new(void *provctx, const struct form *form)
{
	struct encoder *e = calloc(1, sizeof(*e));

	if (e) {
		e->prov = provctx;
		e->form = form;
	}
	return e;
}

static void encoder_free(void *vctx)
{
	struct encoder *e = vctx;

	if (e)
		OSSL_PARAM_free(e->settings);
	free(e);
}

static int encoder_set_params(void *vctx, const OSSL_PARAM params[])
{
	struct encoder *e = vctx;

	return !params || !params->key || wdp_settings_add(&e->settings, params);
}

static const OSSL_PARAM *encoder_settable(void *provctx)
{
	static const OSSL_PARAM list[] = {
		OSSL_PARAM_utf8_string(OSSL_ENCODER_PARAM_CIPHER, NULL, 0),
		OSSL_PARAM_utf8_string(OSSL_ENCODER_PARAM_PROPERTIES, NULL, 0),
		OSSL_PARAM_int(OSSL_ENCODER_PARAM_SAVE_PARAMETERS, NULL),
		OSSL_PARAM_END,
	};

	(void)provctx;
	return list;
}

/* The most secret part of the selection decides, because it comes with the others. */
static int selects(int selection, int parts)
{
	static const int levels[] = { PRIVATE, PUBLIC, DOMAIN };
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (selection & levels[i])
			return !!(parts & levels[i]);
	return !selection;
}

static int encode(void *vctx, OSSL_CORE_BIO *out, const void *keydata, const OSSL_PARAM abstract[], int selection,
		  OSSL_PASSPHRASE_CALLBACK *cb, void *arg)
{
	const struct wdp_key *key = keydata;
	struct encoder *e = vctx;
	OSSL_ENCODER_CTX *ctx;
	unsigned char *data = NULL;
	size_t len = 0, written = 0;
	int ok;

	if (abstract || !key->pkey)
		return 0;
	ctx = OSSL_ENCODER_CTX_new_for_pkey(key->pkey, selection, e->form->output, e->form->structure, NULL);
	ok = ctx && (!e->settings || OSSL_ENCODER_CTX_set_params(ctx, e->settings)) &&
	     (!cb || OSSL_ENCODER_CTX_set_passphrase_cb(ctx, cb, arg)) && OSSL_ENCODER_to_data(ctx, &data, &len) &&
	     e->prov->core.bio_write(out, data, len, &written) && written == len;
	OSSL_ENCODER_CTX_free(ctx);
	OPENSSL_clear_free(data, len);
	return ok;
}

/* A context isn't told which encoder's it is, so each has its own functions. */
#define ENCODER(name, output, structure, parts)									\
static void *name##_new(void *provctx)										\
{														\
	static const struct form form = { output, structure };							\
														\
	return encoder_new(provctx, &form);									\
}														\
static int name##_selects(void *provctx, int selection)								\
{														\
	(void)provctx;												\
	return selects(selection, parts);									\
}														\
static const OSSL_DISPATCH name[] = {										\
	WDP_FUNCTION(OSSL_FUNC_ENCODER_NEWCTX, name##_new),							\
	WDP_FUNCTION(OSSL_FUNC_ENCODER_FREECTX, encoder_free),							\
	WDP_FUNCTION(OSSL_FUNC_ENCODER_SET_CTX_PARAMS, encoder_set_params),					\
	WDP_FUNCTION(OSSL_FUNC_ENCODER_SETTABLE_CTX_PARAMS, encoder_settable),					\
	WDP_FUNCTION(OSSL_FUNC_ENCODER_DOES_SELECTION, name##_selects),						\
	WDP_FUNCTION(OSSL_FUNC_ENCODER_ENCODE, encode),								\
	{ 0, NULL },												\
}

ENCODER(text, "text", NULL, PRIVATE | PUBLIC | DOMAIN);
ENCODER(blob, "blob", NULL, PUBLIC | DOMAIN);
ENCODER(specific_der, "der", "type-specific", PRIVATE | DOMAIN);
ENCODER(specific_pem, "pem", "type-specific", PRIVATE | DOMAIN);
ENCODER(ec_der, "der", "EC", PRIVATE | DOMAIN);
ENCODER(ec_pem, "pem", "EC", PRIVATE | DOMAIN);
ENCODER(x962_der, "der", "X9.62", PRIVATE | DOMAIN);
ENCODER(x962_pem, "pem", "X9.62", PRIVATE | DOMAIN);
ENCODER(private_der, "der", "PrivateKeyInfo", PRIVATE);
ENCODER(private_pem, "pem", "PrivateKeyInfo", PRIVATE);
ENCODER(encrypted_der, "der", "EncryptedPrivateKeyInfo", PRIVATE);
ENCODER(encrypted_pem, "pem", "EncryptedPrivateKeyInfo", PRIVATE);
ENCODER(public_der, "der", "SubjectPublicKeyInfo", PUBLIC);
ENCODER(public_pem, "pem", "SubjectPublicKeyInfo", PUBLIC);

#define IS(output)		WDP_PROPERTIES ",output=" output
#define IN(output, structure)	IS(output) ",structure=" structure
#define OF_BOTH(properties, functions)				\
	{ WDP_FAM_EC, { "EC", properties, functions, NULL } },	\
	{ WDP_FAM_SM2, { "SM2", properties, functions, NULL } }

/* The default provider's encoders, in its order: where several fit, libcrypto takes the last one. */
static const struct row {
	enum wdp_family_id family;
	OSSL_ALGORITHM offer;
} rows[] = {
	OF_BOTH(IS("text"), text),
	OF_BOTH(IN("der", "type-specific"), specific_der),
	OF_BOTH(IN("pem", "type-specific"), specific_pem),
	OF_BOTH(IS("blob"), blob),
	OF_BOTH(IN("der", "EncryptedPrivateKeyInfo"), encrypted_der),
	OF_BOTH(IN("pem", "EncryptedPrivateKeyInfo"), encrypted_pem),
	OF_BOTH(IN("der", "PrivateKeyInfo"), private_der),
	OF_BOTH(IN("pem", "PrivateKeyInfo"), private_pem),
	OF_BOTH(IN("der", "SubjectPublicKeyInfo"), public_der),
	OF_BOTH(IN("pem", "SubjectPublicKeyInfo"), public_pem),
	{ WDP_FAM_EC, { "EC", IN("der", "EC"), ec_der, NULL } },
	{ WDP_FAM_EC, { "EC", IN("pem", "EC"), ec_pem, NULL } },
	{ WDP_FAM_EC, { "EC", IN("der", "X9.62"), x962_der, NULL } },
	{ WDP_FAM_EC, { "EC", IN("pem", "X9.62"), x962_pem, NULL } },
};

bool wdp_encoders_offer(struct wdp_provider *prov)
{
	const struct row *row;

	if (!prov->core.bio_write || prov->core.foreign)
		return true;
	for (row = rows; row < rows + sizeof(rows) / sizeof(rows[0]); row++)
		if (wdp_families[row->family].algs & prov->algs && !wdp_offer(prov, OSSL_OP_ENCODER, &row->offer))
			return false;
	return true;
}
