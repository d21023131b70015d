// SPDX-License-Identifier: Apache-2.0
/* Operands and results of elliptic curves. */
#include <stdlib.h>
#include <string.h>

#include "ecc.h"

#define SM3_BYTES	32u

static struct ecc_sess *sess_of(handle_t sess)
{
	return (struct ecc_sess *)sess;
}

static struct wd_ecc_in *in_new(__u64 src_len, __u32 extra_len, __u32 id_len)
{
	struct wd_ecc_in *in = src_len > UINT32_MAX ? NULL : calloc(1, sizeof(*in) + src_len + extra_len + id_len);

	if (in)
		*in = (struct wd_ecc_in){ .src_len = (__u32)src_len, .extra_len = extra_len, .id_len = id_len };
	return in;
}

/* The size is kept in front of what is wiped. */
void wd_ecc_del_in(handle_t sess, struct wd_ecc_in *in)
{
	(void)sess;
	if (in)
		explicit_bzero(in->data, (size_t)in->src_len + in->extra_len + in->id_len);
	free(in);
}

void wd_ecc_del_out(handle_t sess, struct wd_ecc_out *out)
{
	(void)sess;
	if (out)
		explicit_bzero(out->data, out->room);
	free(out);
}

static struct wd_ecc_in *in_or_none(struct wd_ecc_in *in, bool good)
{
	if (good || !in)
		return in;
	wd_ecc_del_in(0, in);
	return NULL;
}

static bool point_put(__u8 *to, const struct wd_ecc_key *k, const struct wd_ecc_point *from)
{
	__u8 big[ECC_BYTES];

	if (!k->string)
		return number_put(to, k->w, &from->x) && number_put(to + k->w, k->w, &from->y);
	if (!number_put(big, k->w, &from->x))
		return false;
	ecc_reverse(to, big, k->w);
	return true;
}

struct wd_ecc_in *wd_ecxdh_new_in(handle_t sess, struct wd_ecc_point *in)
{
	const struct wd_ecc_key *k = sess ? &sess_of(sess)->key : NULL;
	struct wd_ecc_in *new;

	if (!k || !in || !number_given(&in->x) || (!k->string && !number_given(&in->y)))
		return NULL;
	new = in_new(k->string ? k->w : 2 * k->w, 0, 0);
	return in_or_none(new, new && point_put(new->data, k, in));
}

/* A text or digest, up to two numbers, and an identity. */
static struct wd_ecc_in *sign_in_new(handle_t sess, const struct wd_dtb *e, const struct wd_dtb *a,
				     const struct wd_dtb *b, const struct wd_dtb *id)
{
	__u32 w = sess ? sess_of(sess)->key.w : 0;
	__u32 extra = w * ((a ? 1 : 0) + (b ? 1 : 0));
	struct wd_ecc_in *new;
	__u8 *at;

	if (!w || !number_given(e) || (a && !number_given(a)) || (b && !number_given(b)))
		return NULL;
	new = in_new(e->dsize, extra, number_given(id) ? id->dsize : 0);
	if (!new)
		return NULL;
	memcpy(new->data, e->data, e->dsize);
	at = new->data + e->dsize;
	if ((a && !number_put(at, w, a)) || (b && !number_put(at + w, w, b)))
		return in_or_none(new, false);
	if (new->id_len)
		memcpy(at + extra, id->data, new->id_len);
	return new;
}

struct wd_ecc_in *wd_ecdsa_new_sign_in(handle_t sess, struct wd_dtb *dgst, struct wd_dtb *k)
{
	return sign_in_new(sess, dgst, number_given(k) ? k : NULL, NULL, NULL);
}

struct wd_ecc_in *wd_ecdsa_new_verf_in(handle_t sess, struct wd_dtb *dgst, struct wd_dtb *r, struct wd_dtb *s)
{
	return r && s ? sign_in_new(sess, dgst, r, s, NULL) : NULL;
}

struct wd_ecc_in *wd_sm2_new_sign_in(handle_t sess, struct wd_dtb *e, struct wd_dtb *k, struct wd_dtb *id,
				     __u8 is_dgst)
{
	struct wd_ecc_in *new = sign_in_new(sess, e, number_given(k) ? k : NULL, NULL, id);

	if (new)
		new->text = !is_dgst;
	return new;
}

struct wd_ecc_in *wd_sm2_new_verf_in(handle_t sess, struct wd_dtb *e, struct wd_dtb *r, struct wd_dtb *s,
				     struct wd_dtb *id, __u8 is_dgst)
{
	struct wd_ecc_in *new = r && s ? sign_in_new(sess, e, r, s, id) : NULL;

	if (new)
		new->text = !is_dgst;
	return new;
}

struct wd_ecc_in *wd_sm2_new_enc_in(handle_t sess, struct wd_dtb *k, struct wd_dtb *plaintext)
{
	return sign_in_new(sess, plaintext, number_given(k) ? k : NULL, NULL, NULL);
}

struct wd_ecc_in *wd_sm2_new_dec_in(handle_t sess, struct wd_ecc_point *c1, struct wd_dtb *c2, struct wd_dtb *c3)
{
	const struct wd_ecc_key *k = sess ? &sess_of(sess)->key : NULL;
	struct wd_ecc_in *new;

	if (!k || k->string || !c1 || !number_given(&c1->x) || !number_given(&c1->y) || !number_given(c2) ||
	    !number_given(c3) || c3->dsize > SM3_BYTES)
		return NULL;
	new = in_new((__u64)2 * k->w + c2->dsize + SM3_BYTES, 0, 0);
	if (!new)
		return NULL;
	memcpy(new->data + 2 * k->w, c2->data, c2->dsize);
	number_put(new->data + 2 * k->w + c2->dsize, SM3_BYTES, c3);
	return in_or_none(new, point_put(new->data, k, c1));
}

static struct wd_ecc_out *out_new(handle_t sess, unsigned int numbers, __u64 more)
{
	__u32 w = sess ? sess_of(sess)->key.w : 0;
	size_t room = (size_t)numbers * w + more;
	struct wd_ecc_out *out = w ? calloc(1, sizeof(*out) + room) : NULL;

	if (!out)
		return NULL;
	out->w = w;
	out->room = room;
	return out;
}

struct wd_ecc_out *wd_ecxdh_new_out(handle_t sess)
{
	return out_new(sess, 2, 0);
}

struct wd_ecc_out *wd_ecdsa_new_sign_out(handle_t sess)
{
	return out_new(sess, 2, 0);
}

struct wd_ecc_out *wd_sm2_new_sign_out(handle_t sess)
{
	return out_new(sess, 2, 0);
}

struct wd_ecc_out *wd_sm2_new_kg_out(handle_t sess)
{
	return out_new(sess, 3, 0);
}

struct wd_ecc_out *wd_sm2_new_enc_out(handle_t sess, __u32 plaintext_len)
{
	struct wd_ecc_out *out = out_new(sess, 2, (__u64)plaintext_len + SM3_BYTES);

	if (out)
		out->text_len = plaintext_len;
	return out;
}

struct wd_ecc_out *wd_sm2_new_dec_out(handle_t sess, __u32 plaintext_len)
{
	struct wd_ecc_out *out = out_new(sess, 0, plaintext_len);

	if (out)
		out->text_len = plaintext_len;
	return out;
}

static void bytes_get(struct wd_dtb *to, __u8 *from, __u32 len)
{
	*to = (struct wd_dtb){ (char *)from, len, len };
}

/* A string becomes a number in place. */
static void string_get(struct wd_dtb *to, __u8 *from, __u32 w)
{
	__u8 little[ECC_BYTES];

	memcpy(little, from, w);
	ecc_reverse(from, little, w);
	number_get(to, from, w);
	explicit_bzero(little, sizeof(little));
}

void ecc_out_fill(struct wd_ecc_out *out, __u8 op, bool string)
{
	__u8 *at = out->data;
	__u32 w = out->w;

	switch (op) {
	case WD_ECXDH_GEN_KEY:
	case WD_ECXDH_COMPUTE_KEY:
		if (string)
			string_get(&out->point.x, at, w);
		else
			number_get(&out->point.x, at, w);
		if (!string && op == WD_ECXDH_GEN_KEY)
			number_get(&out->point.y, at + w, w);
		break;
	case WD_ECDSA_SIGN:
	case WD_SM2_SIGN:
		number_get(&out->number[0], at, w);
		number_get(&out->number[1], at + w, w);
		break;
	case WD_SM2_KG:
		number_get(&out->point.x, at, w);
		number_get(&out->point.y, at + w, w);
		number_get(&out->number[0], at + 2 * w, w);
		break;
	case WD_SM2_ENCRYPT:
		number_get(&out->point.x, at, w);
		number_get(&out->point.y, at + w, w);
		bytes_get(&out->number[0], at + 2 * w, out->text_len);
		bytes_get(&out->number[1], at + 2 * w + out->text_len, SM3_BYTES);
		break;
	case WD_SM2_DECRYPT:
		bytes_get(&out->number[0], at, out->text_len);
		break;
	}
}

static void get(struct wd_dtb **to, struct wd_dtb *from)
{
	if (to)
		*to = from;
}

void wd_ecxdh_get_out_params(struct wd_ecc_out *out, struct wd_ecc_point **pbk)
{
	if (out && pbk)
		*pbk = &out->point;
}

void wd_ecdsa_get_sign_out_params(struct wd_ecc_out *out, struct wd_dtb **r, struct wd_dtb **s)
{
	if (!out)
		return;
	get(r, &out->number[0]);
	get(s, &out->number[1]);
}

void wd_sm2_get_sign_out_params(struct wd_ecc_out *out, struct wd_dtb **r, struct wd_dtb **s)
{
	wd_ecdsa_get_sign_out_params(out, r, s);
}

void wd_sm2_get_kg_out_params(struct wd_ecc_out *out, struct wd_dtb **privkey, struct wd_ecc_point **pubkey)
{
	if (!out)
		return;
	get(privkey, &out->number[0]);
	wd_ecxdh_get_out_params(out, pubkey);
}

void wd_sm2_get_enc_out_params(struct wd_ecc_out *out, struct wd_ecc_point **c1, struct wd_dtb **c2,
			       struct wd_dtb **c3)
{
	wd_ecxdh_get_out_params(out, c1);
	wd_ecdsa_get_sign_out_params(out, c2, c3);
}

void wd_sm2_get_dec_out_params(struct wd_ecc_out *out, struct wd_dtb **plaintext)
{
	wd_ecdsa_get_sign_out_params(out, plaintext, NULL);
}
