// SPDX-License-Identifier: Apache-2.0
/* Requests of each engine with known answers. */
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "hw/hpre_hw.h"
#include "mix.h"
#include "sec_rig.h"

#define OUT_AT		0x8000	/* behind the operands */
#define RSA_BYTES	128

u64 mix_random(u64 *random)
{
	u64 x = *random += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static void fill(unsigned char *p, u32 len, u32 values, u64 *random)
{
	while (len--)
		*p++ = (unsigned char)(mix_random(random) % values);
}

u32 mix_alg(enum wdm_type type, u32 q)
{
	return type == WDM_ZIP ? q & 1 : type == WDM_HPRE ? HPRE_QC_RSA_DH : 0;
}

/* --- ZIP: even queues pack, odd ones unpack --- */

static u32 pack(const unsigned char *plain, unsigned char *to, u32 room)
{
	z_stream z = { .next_in = (unsigned char *)plain, .avail_in = MIX_LEN, .next_out = to, .avail_out = room };

	if (deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) || deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	deflateEnd(&z);
	return room - z.avail_out;
}

static bool unpacks(unsigned char *packed, u32 len, const unsigned char *plain)
{
	unsigned char out[MIX_LEN];
	z_stream z = { .next_in = packed, .avail_in = len, .next_out = out, .avail_out = sizeof(out) };
	bool ok = !inflateInit2(&z, -15) && inflate(&z, Z_FINISH) == Z_STREAM_END && !z.avail_out;

	inflateEnd(&z);
	return ok && !memcmp(out, plain, MIX_LEN);
}

static void zip_make(struct rig *r, u32 q, u64 at_, u64 *random, struct mix_req *req)
{
	u32 len = MIX_LEN;

	fill(req->want, MIX_LEN, 4, random);
	req->want_len = MIX_LEN;
	req->packed = !(q & 1);
	if (req->packed)
		memcpy(rig_user(r, at_), req->want, MIX_LEN);
	else
		len = pack(req->want, rig_user(r, at_), 4 * MIX_LEN);
	rig_sqe((struct zip_sqe *)req->sqe, ZIP_REQ_DEFLATE, at_, len, req->out, 2 * MIX_LEN);
}

static bool zip_is_right(struct rig *r, const struct mix_req *req, const struct zip_sqe *sqe)
{
	unsigned char *out = rig_user(r, req->out);

	if ((sqe->dw3 & ZIP_DW3_STATUS_MASK) != ZIP_ST_OK || sqe->produced > 2 * MIX_LEN)
		return false;
	return req->packed ? unpacks(out, sqe->produced, req->want) :
	       sqe->produced == MIX_LEN && !memcmp(out, req->want, MIX_LEN);
}

/* --- SEC: digests --- */

static void sec_make(struct rig *r, u64 at_, u64 *random, struct mix_req *req)
{
	u32 len = 1 + mix_random(random) % MIX_LEN;
	struct ask a = { .type = SEC_BD_TYPE3, .auth = SEC_AUTH_CALCULATE, .a_alg = SEC_A_SHA256, .mac_bytes = 32,
			 .a_len = len, .src = at_ };
	unsigned int n;

	fill(rig_user(r, at_), len, 256, random);
	EVP_Digest(rig_user(r, at_), len, req->want, &n, EVP_sha256(), NULL);
	req->want_len = n;
	ask_fill((struct sec_bd *)req->sqe, &a);
	sec_put64((struct sec_bd *)req->sqe, SEC_BD3_MAC, req->out);
}

/* --- HPRE: powers --- */

static void hpre_make(struct rig *r, u64 at_, u64 *random, struct mix_req *req)
{
	struct hpre_sqe *sqe = (struct hpre_sqe *)req->sqe;
	unsigned char *p = rig_user(r, at_);
	BIGNUM *b, *e = BN_new(), *m, *res = BN_new();
	BN_CTX *ctx = BN_CTX_new();

	memset(p, 0, 3 * RSA_BYTES);
	p[RSA_BYTES - 1] = 17;
	fill(p + RSA_BYTES, 2 * RSA_BYTES, 256, random);
	p[RSA_BYTES] |= 0x80;
	p[2 * RSA_BYTES - 1] |= 1;
	p[2 * RSA_BYTES] &= 0x7f;
	m = BN_bin2bn(p + RSA_BYTES, RSA_BYTES, NULL);
	b = BN_bin2bn(p + 2 * RSA_BYTES, RSA_BYTES, NULL);
	if (!BN_set_word(e, 17) || !BN_mod_exp(res, b, e, m, ctx) || BN_bn2binpad(res, req->want, RSA_BYTES) < 0)
		abort();
	req->want_len = RSA_BYTES;
	*sqe = (struct hpre_sqe){
		.dw0 = HPRE_RSA | HPRE_DONE_SOFTWARE << HPRE_DW0_DONE_SHIFT, .task_len1 = RSA_BYTES / 8 - 1,
		.key = at_, .in = at_ + 2 * RSA_BYTES, .out = req->out,
	};
	BN_free(b);
	BN_free(e);
	BN_free(m);
	BN_free(res);
	BN_CTX_free(ctx);
}

static bool hpre_is_good(const struct hpre_sqe *sqe)
{
	return sqe->dw0 >> HPRE_DW0_DONE_SHIFT == HPRE_DONE_HARDWARE &&
	       !(sqe->dw0 >> HPRE_DW0_ETYPE_SHIFT & HPRE_DW0_ETYPE_MASK);
}

void mix_make(enum wdm_type type, struct rig *r, u32 q, u64 at_, u64 *random, struct mix_req *req)
{
	*req = (struct mix_req){ .out = at_ + OUT_AT };
	memset(rig_user(r, req->out), 0x55, 2 * MIX_LEN);
	if (type == WDM_ZIP)
		zip_make(r, q, at_, random, req);
	else if (type == WDM_SEC)
		sec_make(r, at_, random, req);
	else
		hpre_make(r, at_, random, req);
}

bool mix_is_right(enum wdm_type type, struct rig *r, const struct mix_req *req, const void *sqe)
{
	bool good = type == WDM_SEC ? sec_get(sqe, SEC_BD_DONE) && !sec_get(sqe, SEC_BD_ERROR) : hpre_is_good(sqe);

	if (type == WDM_ZIP)
		return zip_is_right(r, req, sqe);
	return good && !memcmp(rig_user(r, req->out), req->want, req->want_len);
}
