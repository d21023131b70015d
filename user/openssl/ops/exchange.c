// SPDX-License-Identifier: Apache-2.0
/* Key agreement: ECDH, X25519, X448, DH. Functions that derive keys from the secret are the default provider's. */
#include <stdlib.h>
#include <string.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/params.h>

#include "exchange.h"
#include "key/dh.h"
#include "operation.h"

#define BYTES_MAX	WDP_CHECKED_MAX

struct exchange {
	struct wdp_operation op;	/* first: see operation.h */
	struct wdp_key *peer;		/* a reference */
	int pad;			/* DH: leading zeroes of the secret are kept */
	bool kdf;
};

/* The operands of a device: the peer's public value, the private one, and the length of the secret in bytes. */
struct operands {
	struct wdp_target to;
	unsigned int call;
	size_t public_len, private_len, secret_len;
	const unsigned char *public, *private;
	unsigned char public_number[BYTES_MAX], private_number[BYTES_MAX];	/* DH: here they are */
};

static void exchange_free(void *vctx)
{
	struct exchange *e = vctx;

	if (!e)
		return;
	wdp_key_put(e->peer);
	wdp_operation_clear(&e->op);
	free(e);
}

static void *exchange_dup(void *vctx)
{
	const struct exchange *from = vctx;
	struct exchange *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->pad = from->pad;
	e->peer = from->peer ? wdp_key_get(from->peer) : NULL;
	if (wdp_operation_copy(&e->op, &from->op))
		return e;
	exchange_free(e);
	return NULL;
}

/* Whether DH pads can be set, but not read. */
static bool note_pad(struct exchange *e, const OSSL_PARAM params[])
{
	const OSSL_PARAM *pad = params ? OSSL_PARAM_locate_const(params, OSSL_EXCHANGE_PARAM_PAD) : NULL;

	return !pad || OSSL_PARAM_get_int(pad, &e->pad);
}

static int exchange_init(void *vctx, void *key, const OSSL_PARAM params[])
{
	struct exchange *e = vctx;

	wdp_key_put(e->peer);
	e->peer = NULL;
	e->pad = 0;
	return wdp_operation_init(&e->op, key, EVP_PKEY_derive_init_ex, params) && note_pad(e, params);
}

static int exchange_set_peer(void *vctx, void *vpeer)
{
	struct exchange *e = vctx;
	struct wdp_key *peer = vpeer;

	if (!e->op.ctx || !peer || !peer->pkey || EVP_PKEY_derive_set_peer_ex(e->op.ctx, peer->pkey, 0) <= 0)
		return 0;
	wdp_key_get(peer);
	wdp_key_put(e->peer);
	e->peer = peer;
	return 1;
}

static int exchange_set_params(void *vctx, const OSSL_PARAM params[])
{
	return wdp_operation_set_params(vctx, params) && note_pad(vctx, params);
}

/* The cofactor of each of these curves is 1, so the mode of cofactors makes no difference. */
static bool curve_operands(struct exchange *e, struct operands *o)
{
	const struct wdp_key *key = e->op.key, *peer = e->peer;

	if (!key->curve || peer->curve != key->curve || !wdp_key_uses(key, key->curve->bit) || !key->private_len ||
	    !peer->public_len)
		return false;
	o->to = wdp_curve_target(e->op.prov, key->curve);
	o->call = WD_ECC_AGREE;
	o->public = peer->public_value;
	o->private = key->private_value;
	o->public_len = peer->public_len;
	o->private_len = o->secret_len = key->private_len;
	return true;
}

static bool dh_operands(struct exchange *e, struct operands *o)
{
	struct wdp_key *key = e->op.key;
	size_t k = (size_t)EVP_PKEY_get_bits(key->pkey) / 8;

	if (key->group < 0 || !wdp_key_uses(key, WDP_DH))
		return false;
	o->to = wdp_dh_target(key);
	o->call = WD_DH_SHARED;
	o->public = o->public_number;
	o->private = o->private_number;
	o->public_len = o->private_len = o->secret_len = k;
	return wdp_device_may(&o->to) && wdp_key_number(e->peer, OSSL_PKEY_PARAM_PUB_KEY, o->public_number, k) &&
	       wdp_key_number(key, OSSL_PKEY_PARAM_PRIV_KEY, o->private_number, k);
}

static bool (*const operands_of[WDP_KINDS])(struct exchange *e, struct operands *o) = {
	[WDP_KIND_ECDH] = curve_operands,
	[WDP_KIND_XDH] = curve_operands,
	[WDP_KIND_DH] = dh_operands,
};

static bool has_kdf(struct exchange *e)
{
	char type[64];

	if (e->op.fresh) {
		wdp_operation_text(&e->op, OSSL_EXCHANGE_PARAM_KDF_TYPE, type, sizeof(type));
		e->kdf = *type;
		e->op.fresh = false;
	}
	return e->kdf;
}

/* Branches only on the number of zeroes, which the length shows anyway. */
static size_t strip(unsigned char *secret, size_t len)
{
	size_t zeroes = 0;

	while (zeroes < len && !secret[zeroes])
		zeroes++;
	memmove(secret, secret + zeroes, len - zeroes);
	memset(secret + len - zeroes, 0, zeroes);
	return len - zeroes;
}

static int derive(EVP_PKEY_CTX *ctx, unsigned char *secret, size_t *len, const unsigned char *in, size_t in_len)
{
	(void)in;
	(void)in_len;
	return EVP_PKEY_derive(ctx, secret, len);
}

static enum wdp_outcome on_device(struct exchange *e, unsigned char *secret, size_t *len, size_t room)
{
	enum wdp_outcome outcome = WDP_TO_DEFAULT;
	struct operands o;
	struct wdp_call call;

	if (!e->peer || has_kdf(e))
		return WDP_TO_DEFAULT;
	if (operands_of[e->op.kind](e, &o) && room >= o.secret_len) {
		call = (struct wdp_call){
			.op = o.call, .src = o.public, .src_len = o.public_len, .dst = secret, .dst_len = o.secret_len,
			.extra = o.private, .extra_len = (unsigned int)o.private_len,
		};
		outcome = wdp_device_do(&o.to, &call, &e->op.path);
	}
	if (outcome == WDP_DONE) {
		*len = e->op.kind == WDP_KIND_DH && !e->pad ? strip(secret, o.secret_len) : o.secret_len;
		outcome = wdp_operation_checked(&e->op, o.to.class->name, derive, secret, *len, NULL, 0);
	}
	OPENSSL_cleanse(o.private_number, sizeof(o.private_number));
	return outcome;
}

static int exchange_derive(void *vctx, unsigned char *secret, size_t *len, size_t room)
{
	struct exchange *e = vctx;
	enum wdp_outcome outcome;

	if (!e->op.ctx)
		return 0;
	if (!secret)
		return EVP_PKEY_derive(e->op.ctx, NULL, len);
	outcome = on_device(e, secret, len, room);
	if (outcome != WDP_TO_DEFAULT)
		return (int)outcome;
	*len = room;
	return wdp_operation_by_default(&e->op, EVP_PKEY_derive(e->op.ctx, secret, len));
}

#define EXCHANGE(name, kind, ...)									\
static void *name##_new(void *provctx) { return wdp_operation_new(sizeof(struct exchange), provctx, kind); }\
WDP_LIST(name, kind, gettable)										\
const OSSL_DISPATCH wdp_exchange_##name[] = {								\
	WDP_FUNCTION(OSSL_FUNC_KEYEXCH_NEWCTX, name##_new),						\
	WDP_FUNCTION(OSSL_FUNC_KEYEXCH_FREECTX, exchange_free),						\
	WDP_FUNCTION(OSSL_FUNC_KEYEXCH_DUPCTX, exchange_dup),						\
	WDP_FUNCTION(OSSL_FUNC_KEYEXCH_INIT, exchange_init),						\
	WDP_FUNCTION(OSSL_FUNC_KEYEXCH_SET_PEER, exchange_set_peer),					\
	WDP_FUNCTION(OSSL_FUNC_KEYEXCH_DERIVE, exchange_derive),					\
	WDP_FUNCTION(OSSL_FUNC_KEYEXCH_GET_CTX_PARAMS, wdp_operation_get_params),			\
	WDP_FUNCTION(OSSL_FUNC_KEYEXCH_GETTABLE_CTX_PARAMS, name##_gettable),				\
	__VA_ARGS__											\
	{ 0, NULL },											\
}

/* X25519 and X448 have nothing to set. */
#define SETS(name)										\
	WDP_FUNCTION(OSSL_FUNC_KEYEXCH_SET_CTX_PARAMS, exchange_set_params),			\
	WDP_FUNCTION(OSSL_FUNC_KEYEXCH_SETTABLE_CTX_PARAMS, name##_settable),

WDP_LIST(ecdh, WDP_KIND_ECDH, settable)
WDP_LIST(dh, WDP_KIND_DH, settable)
EXCHANGE(ecdh, WDP_KIND_ECDH, SETS(ecdh));
EXCHANGE(xdh, WDP_KIND_XDH, );
EXCHANGE(dh, WDP_KIND_DH, SETS(dh));
