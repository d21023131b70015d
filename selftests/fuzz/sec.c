// SPDX-License-Identifier: Apache-2.0
/*
 * The SEC engine: a process does what it likes to a queue; on another queue, a request has the same result in every
 * form: by either type of descriptor, flat or through lists, in place or not. Encrypted data decrypts, and digests are
 * libcrypto's.
 * Input: steps of hostile.c, up to a byte 0xff; then struct wish, and data.
 */
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "hostile.h"
#include "sec_rig.h"

#define QUEUE_GOOD	0	/* the queue that sec_rig.c submits to */
#define QUEUE_BAD	1
#define DATA_MAX	1024u
#define BAD_SRC		(RIG_USER_BASE + (1u << 20))
#define BAD_DST		(RIG_USER_BASE + (2u << 20))
#define BAD_LIST	(RIG_USER_BASE + (3u << 20))
#define BAD_KEYS	(RIG_USER_BASE + (4u << 20))

static const u64 areas[] = { BAD_SRC, BAD_DST, BAD_LIST, BAD_KEYS };

enum what {
	WHAT_CIPHER,
	WHAT_DIGEST,
	WHAT_AEAD,		/* GCM, CCM */
	WHAT_CHAIN,		/* a cipher and a MAC */
	WHAT_SHIFT = 5,
	WHAT_STRAY = 0x80,	/* with fields that the request doesn't use, or that contradict others */
};

/* Fields by their numbers, most of them valid. */
struct wish {
	u8 what, c_alg, c_mode, c_width, c_key_len, c_icv_len, a_alg, a_key_words, mac_words, ai_gen, pad, scene,
	   ctr_xts, offset;
	u8 a_len, total;
	u16 c_len;
	u32 seed;
};

static void only_cipher(struct ask *a)
{
	a->cipher = a->cipher == SEC_CIPHER_DECRYPT ? SEC_CIPHER_DECRYPT : SEC_CIPHER_ENCRYPT;
	a->auth = a->a_alg = a->a_key_bytes = a->mac_bytes = a->a_len = a->ai_gen = a->pad = a->offset = a->c_icv_len =
		0;
	a->seq = 0;
	if (a->c_mode != SEC_C_CBC_CS)
		a->c_width = 0;
	a->ctr_xts &= a->c_mode == SEC_C_CTR ? SEC_CTR_ROLLOVER_128 : a->c_mode == SEC_C_XTS ? SEC_XTS_SM4_GB : 0;
	a->total = 0;
	a->scene %= 2;
}

static void only_digest(struct ask *a)
{
	a->cipher = a->c_alg = a->c_mode = a->c_width = a->c_key_len = a->c_icv_len = a->c_len = a->offset =
		a->ctr_xts = a->seq = 0;
	a->auth = SEC_AUTH_CALCULATE;
	if (a->a_alg < SEC_A_HMAC)
		a->a_key_bytes = 0;
	if (a->scene != SEC_SCENE_STREAM)
		a->ai_gen = a->pad = (u32)(a->total = 0);
}

static void only_aead(struct ask *a)
{
	u32 tag = a->c_icv_len, aad = a->a_len;

	only_cipher(a);
	a->c_mode = a->c_mode & 1 ? SEC_C_CCM : SEC_C_GCM;
	a->c_icv_len = tag;
	a->a_len = a->offset = aad;
	a->c_width = a->ctr_xts = 0;
	a->seq = a->cipher == SEC_CIPHER_ENCRYPT ? SEC_SEQ_CIPHER_FIRST : SEC_SEQ_DIGEST_FIRST;
}

static void only_chain(struct ask *a)
{
	u32 alg = SEC_A_HMAC + a->a_alg % 8, key = a->a_key_bytes, tag = a->mac_bytes, at = a->offset;

	only_cipher(a);
	a->c_mode = SEC_C_CBC;
	a->c_width = a->ctr_xts = 0;
	a->a_alg = alg;
	a->a_key_bytes = key;
	a->mac_bytes = tag;
	a->offset = at;
	a->a_len = at + a->c_len;
	a->auth = a->cipher == SEC_CIPHER_ENCRYPT ? SEC_AUTH_CALCULATE : SEC_AUTH_VERIFY;
	a->seq = a->cipher == SEC_CIPHER_ENCRYPT ? SEC_SEQ_CIPHER_FIRST : SEC_SEQ_DIGEST_FIRST;
}

static void ask_of(struct ask *a, const struct wish *w)
{
	static void (*const only[])(struct ask *a) = {
		[WHAT_CIPHER] = only_cipher, [WHAT_DIGEST] = only_digest, [WHAT_AEAD] = only_aead,
		[WHAT_CHAIN] = only_chain,
	};

	*a = (struct ask){
		.type = SEC_BD_TYPE3, .cipher = w->what & 3, .auth = (w->what >> 2) % 3, .seq = w->what >> 4 & 1,
		.c_alg = w->c_alg % 5, .c_mode = w->c_mode % 11, .c_width = w->c_width % 5,
		.c_key_len = w->c_key_len % 5, .c_icv_len = w->c_icv_len % 18, .c_len = w->c_len % DATA_MAX,
		.a_alg = w->a_alg % 0x40, .a_key_bytes = w->a_key_words % 34 * 4, .mac_bytes = w->mac_words % 18 * 4,
		.a_len = w->a_len, .ai_gen = w->ai_gen % 4, .pad = w->pad & 1, .scene = w->scene % 9,
		.ctr_xts = w->ctr_xts % 4, .offset = w->offset, .total = w->total,
	};
	if (!(w->what & WHAT_STRAY))
		only[w->what >> WHAT_SHIFT & 3](a);
}

static void descriptor(struct feed *f, u32 queue, u32 *sqe)
{
	struct sec_bd bd;
	struct wish w;
	struct ask a;
	u32 flags;

	(void)queue;
	feed_bytes(f, &w, sizeof(w));
	ask_of(&a, &w);
	flags = feed_u8(f);
	a.type = flags % 4;
	a.src_type = flags >> 2 & 1;
	a.dst_type = flags >> 3 & 1;
	a.in_place = flags & 16;
	a.src = a.src_type ? BAD_LIST : BAD_SRC;
	a.dst = a.dst_type ? BAD_LIST : BAD_DST;
	a.a_iv = BAD_KEYS;
	ask_fill(&bd, &a);
	memcpy(sqe, &bd, sizeof(bd));
}

static const struct hostile sec_process = { areas, sizeof(areas) / sizeof(areas[0]), QUEUE_BAD, 1, 48, descriptor };

/* --- the other queue --- */

#define RESULT_MAX	(2 * DATA_MAX)

struct result {
	int ret;
	u8 dst[RESULT_MAX];
	u8 mac[80];
};

struct given {
	u8 data[RESULT_MAX];
	u8 keys[4][512];
	u8 mac[80];
};

enum way {
	WAY_TYPE2 = 1,
	WAY_LIST_SRC = 2,
	WAY_LIST_DST = 4,
	WAY_IN_PLACE = 8,
};

/* sec_rig.c's function on this queue; everything but the result is restored first. */
static void do_it(struct rig *r, const struct ask *how, u32 way, const struct given *g, struct result *got)
{
	struct ask a = *how;
	u32 i;

	a.type = way & WAY_TYPE2 ? SEC_BD_TYPE2 : SEC_BD_TYPE3;
	a.in_place = way & WAY_IN_PLACE;
	for (i = 0; i < 4; i++)
		memcpy(at(r, AT_SMALL(i)), g->keys[i], sizeof(g->keys[i]));
	memcpy(at(r, AT_MAC), g->mac, sizeof(g->mac));
	memset(at(r, AT_DST), 0, RESULT_MAX);
	if (way & WAY_LIST_SRC) {
		a.src_type = SEC_ADDR_SGL;
		a.src = AT_SGL;
		sgl_make(r, AT_SGL, AT_SRC, RESULT_MAX);
		sgl_put(r, AT_SGL, g->data, RESULT_MAX);
	} else {
		memcpy(at(r, AT_SRC), g->data, RESULT_MAX);
	}
	if (way & WAY_LIST_DST) {
		a.dst_type = SEC_ADDR_SGL;
		a.dst = AT_SGL + 0x2000;
		sgl_make(r, a.dst, AT_DST, RESULT_MAX);
		sgl_put(r, a.dst, got->dst, 0);
	}
	got->ret = ask_do(r, &a);
	memcpy(got->mac, at(r, AT_MAC), sizeof(got->mac));
	if (way & WAY_IN_PLACE && way & WAY_LIST_SRC)
		sgl_get(r, AT_SGL, got->dst, RESULT_MAX);
	else if (way & WAY_LIST_DST)
		sgl_get(r, a.dst, got->dst, RESULT_MAX);
	else
		memcpy(got->dst, at(r, way & WAY_IN_PLACE ? AT_SRC : AT_DST), RESULT_MAX);
}

static bool done(int ret)
{
	return !ret || ret == SEC_RIG_MISMATCH;
}

static void compare_ways(struct rig *r, const struct ask *a, const struct given *g, const struct result *want, u32 seed)
{
	struct result got = { 0 };
	/* In place there is only one list: the source's. */
	u32 way = 1 + drawn(&seed, 15);

	if (way & WAY_IN_PLACE)
		way &= ~(u32)WAY_LIST_DST;
	/* A digest's result doesn't have the data's size, and a stream has no lists. */
	if (!a->cipher)
		way &= WAY_TYPE2 | WAY_LIST_SRC;
	if (a->scene == SEC_SCENE_STREAM)
		way &= WAY_TYPE2 | WAY_IN_PLACE;
	/* The older descriptor type can't request the other variant of XTS. */
	if (a->ctr_xts & SEC_XTS_SM4_GB)
		way &= ~(u32)WAY_TYPE2;
	do_it(r, a, way, g, &got);
	/* Fields differ between the types: one type may accept what the other refuses. */
	if (way & WAY_TYPE2 && !(done(got.ret) && done(want->ret)))
		return;
	MUST(got.ret == want->ret, "way %u: %d, not %d", way, got.ret, want->ret);
	if (!done(want->ret))
		return;
	MUST(!memcmp(got.mac, want->mac, sizeof(got.mac)), "way %u: another tag", way);
	if (a->cipher && a->offset + a->c_len <= RESULT_MAX)
		MUST(!memcmp(got.dst + a->offset, want->dst + a->offset, a->c_len), "way %u: another result", way);
}

static bool can_be_undone(const struct ask *a)
{
	return a->cipher == SEC_CIPHER_ENCRYPT && a->auth != SEC_AUTH_VERIFY && a->seq == SEC_SEQ_CIPHER_FIRST &&
	       a->scene < SEC_SCENE_STREAM && a->offset + a->c_len <= RESULT_MAX;
}

static void compare_inverse(struct rig *r, const struct ask *a, const struct given *g, const struct result *made)
{
	struct given packed = *g;
	struct result back = { 0 };
	struct ask inverse = *a;
	memcpy(packed.data + a->offset, made->dst + a->offset, a->c_len);
	memcpy(packed.mac, made->mac, sizeof(packed.mac));
	inverse.cipher = SEC_CIPHER_DECRYPT;
	if (a->auth || a->c_mode == SEC_C_GCM || a->c_mode == SEC_C_CCM) {
		inverse.seq = SEC_SEQ_DIGEST_FIRST;
		inverse.auth = a->auth ? SEC_AUTH_VERIFY : 0;
	}
	do_it(r, &inverse, 0, &packed, &back);
	MUST(!back.ret, "decrypting: %d", back.ret);
	MUST(!memcmp(back.dst + a->offset, g->data + a->offset, a->c_len), "it doesn't decrypt");
}

static void compare_digest(const struct ask *a, const struct given *g, const struct result *got)
{
	const EVP_MD *const mds[] = {
		EVP_sha1(), EVP_sha256(), EVP_md5(), EVP_sha224(), EVP_sha384(), EVP_sha512(), EVP_sha512_224(),
		EVP_sha512_256(),
	};
	const EVP_MD *md = mds[a->a_alg & 7];
	u8 want[64];
	unsigned int n;

	if (a->a_alg & SEC_A_HMAC)
		MUST(HMAC(md, g->keys[1], (int)a->a_key_bytes, g->data, a->a_len, want, &n));
	else
		MUST(EVP_Digest(g->data, a->a_len, want, &n, md, NULL));
	MUST(a->mac_bytes <= n && !memcmp(got->mac, want, a->mac_bytes), "not libcrypto's digest");
}

static bool plain_digest(const struct ask *a)
{
	return !a->cipher && a->auth == SEC_AUTH_CALCULATE && a->a_alg < 0x18 && !(a->a_alg & 8) &&
	       a->scene < SEC_SCENE_STREAM && !a->pad && !a->ai_gen;
}

static void honest(struct rig *r, struct feed *f)
{
	struct given *g = calloc(1, sizeof(*g));
	struct result *want = calloc(1, sizeof(*want));
	struct wish w;
	struct ask a;

	feed_bytes(f, &w, sizeof(w));
	ask_of(&a, &w);
	feed_bytes(f, g->keys, sizeof(g->keys));
	feed_bytes(f, g->mac, sizeof(g->mac));
	feed_bytes(f, g->data, sizeof(g->data));
	do_it(r, &a, 0, g, want);
	MUST(want->ret >= 0, "what came back makes no sense");
	compare_ways(r, &a, g, want, w.seed);
	if (!want->ret && can_be_undone(&a))
		compare_inverse(r, &a, g, want);
	if (!want->ret && plain_digest(&a))
		compare_digest(&a, g, want);
	free(want);
	free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct feed f = { data, size };
	struct rig r;

	sec_rig_init(&r);
	MUST(!rig_queue_start(&r, QUEUE_BAD, NULL));
	hostile_run(&r, &f, &sec_process);
	honest(&r, &f);
	rig_free(&r);
	return 0;
}
