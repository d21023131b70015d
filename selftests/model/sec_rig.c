// SPDX-License-Identifier: Apache-2.0
/* A SEC device of the rig. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sec_rig.h"

void sec_rig_init_of(struct rig *r, u32 generation)
{
	struct wdm_attr attr = { .type = WDM_SEC, .generation = generation };

	rig_init(r, &attr);
	r->user_hole = AT_HOLE;
	r->user_hole_end = AT_HOLE + 4096;
	if (rig_queue_start(r, 0, NULL))
		abort();
}

void sec_rig_init(struct rig *r)
{
	sec_rig_init_of(r, 3);
	rig_other_generation(r, &(struct wdm_attr){ .type = WDM_SEC, .generation = 2 });
	if (rig_queue_start(r->other, 0, NULL))
		abort();
}

bool sec_has2(const struct ask *a)
{
	bool aes = a->c_alg == SEC_C_AES, sm4 = a->c_alg == SEC_C_SM4;

	if (!a->cipher)
		return (a->a_alg != SEC_A_AES_GMAC || a->scene == SEC_SCENE_STREAM) && a->a_alg != SEC_A_AES_XCBC &&
		       a->a_alg != SEC_A_AES_CMAC;
	if (a->auth)
		return aes && a->c_mode == SEC_C_CBC && a->a_alg != SEC_A_HMAC_SM3;
	switch (a->c_mode) {
	case SEC_C_ECB:
	case SEC_C_CBC:
		return true;
	case SEC_C_XTS:
		return (aes || sm4) && !(a->ctr_xts & SEC_XTS_SM4_GB);
	case SEC_C_GCM:
	case SEC_C_CCM:
		return aes;
	default:
		return false;
	}
}

static void fill2(struct sec_bd *bd, const struct ask *a)
{
	sec_put(bd, SEC_BD2_CIPHER, a->cipher);
	sec_put(bd, SEC_BD2_AUTH, a->auth);
	sec_put(bd, SEC_BD2_SEQ, a->seq);
	sec_put(bd, SEC_BD2_DE, a->cipher && !a->in_place);
	sec_put(bd, SEC_BD2_SCENE, a->scene);
	sec_put(bd, SEC_BD2_SRC_TYPE, a->src_type);
	sec_put(bd, SEC_BD2_DST_TYPE, a->dst_type);
	sec_put(bd, SEC_BD2_AI_GEN, a->ai_gen);
	sec_put(bd, SEC_BD2_AUTH_PAD, a->pad);
	sec_put(bd, SEC_BD2_MAC_LEN, a->mac_bytes / 4);
	sec_put(bd, SEC_BD2_A_KEY_LEN, a->a_key_bytes / 4);
	sec_put(bd, SEC_BD2_A_ALG, a->a_alg);
	sec_put(bd, SEC_BD2_C_ICV_LEN, a->c_icv_len);
	sec_put(bd, SEC_BD2_C_WIDTH, a->c_width);
	sec_put(bd, SEC_BD2_C_KEY_LEN, a->c_key_len);
	sec_put(bd, SEC_BD2_C_MODE, a->c_mode);
	sec_put(bd, SEC_BD2_C_ALG, a->c_alg);
	sec_put(bd, SEC_BD2_A_LEN, a->a_len);
	sec_put(bd, SEC_BD2_C_LEN, a->c_len);
	sec_put(bd, SEC_BD2_CIPHER_SRC_OFFSET, a->offset);
	sec_put(bd, SEC_BD2_TAG, 0x1234);
	sec_put64(bd, SEC_BD2_LONG_A_DATA_LEN, a->total * 8);
	sec_put64(bd, SEC_BD2_SRC, a->src ? a->src : AT_SRC);
	sec_put64(bd, SEC_BD2_DST, a->dst ? a->dst : AT_DST);
	sec_put64(bd, SEC_BD2_MAC, AT_MAC);
	sec_put64(bd, SEC_BD2_C_KEY, AT_C_KEY);
	sec_put64(bd, SEC_BD2_A_KEY, AT_A_KEY);
	sec_put64(bd, SEC_BD2_C_IVIN, AT_C_IV);
	sec_put64(bd, SEC_BD2_A_IVIN, a->a_iv ? a->a_iv : AT_A_IV);
}

static void fill3(struct sec_bd *bd, const struct ask *a)
{
	sec_put(bd, SEC_BD3_CIPHER, a->cipher);
	sec_put(bd, SEC_BD3_AUTH, a->auth);
	sec_put(bd, SEC_BD3_SEQ, a->seq);
	sec_put(bd, SEC_BD3_DE, a->cipher && !a->in_place);
	sec_put(bd, SEC_BD3_SCENE, a->scene);
	sec_put(bd, SEC_BD3_SRC_TYPE, a->src_type);
	sec_put(bd, SEC_BD3_DST_TYPE, a->dst_type);
	sec_put(bd, SEC_BD3_AI_GEN, a->ai_gen);
	sec_put(bd, SEC_BD3_AUTH_PAD, a->pad);
	sec_put(bd, SEC_BD3_MAC_LEN, a->mac_bytes / 4);
	sec_put(bd, SEC_BD3_A_KEY_LEN, a->a_key_bytes / 4);
	sec_put(bd, SEC_BD3_A_ALG, a->a_alg);
	sec_put(bd, SEC_BD3_C_ICV_LEN, a->c_icv_len);
	sec_put(bd, SEC_BD3_C_WIDTH, a->c_width);
	sec_put(bd, SEC_BD3_C_KEY_LEN, a->c_key_len);
	sec_put(bd, SEC_BD3_C_MODE, a->c_mode);
	sec_put(bd, SEC_BD3_C_ALG, a->c_alg);
	sec_put(bd, SEC_BD3_A_LEN, a->a_len);
	sec_put(bd, SEC_BD3_C_LEN, a->c_len);
	sec_put(bd, SEC_BD3_CIPHER_SRC_OFFSET, a->offset);
	sec_put(bd, SEC_BD3_CTR_XTS, a->ctr_xts);
	sec_put(bd, SEC_BD3_MAC_SEL, a->mac_sel);
	sec_put(bd, SEC_BD3_SVA_PREFETCH, a->prefetch);
	sec_put64(bd, SEC_BD3_TAG, 0x123456789abcdef0ull);
	sec_put64(bd, SEC_BD3_LONG_A_DATA_LEN, a->total * 8);
	sec_put64(bd, SEC_BD3_SRC, a->src ? a->src : AT_SRC);
	sec_put64(bd, SEC_BD3_DST, a->dst ? a->dst : AT_DST);
	sec_put64(bd, SEC_BD3_MAC, AT_MAC);
	sec_put64(bd, SEC_BD3_C_KEY, AT_C_KEY);
	sec_put64(bd, SEC_BD3_A_KEY, AT_A_KEY);
	sec_put64(bd, SEC_BD3_C_IVIN, AT_C_IV);
	sec_put64(bd, SEC_BD3_A_IVIN, a->a_iv ? a->a_iv : AT_A_IV);
}

void ask_fill(struct sec_bd *bd, const struct ask *a)
{
	memset(bd, 0, sizeof(*bd));
	sec_put(bd, SEC_BD_TYPE, a->type);
	if (a->type == SEC_BD_TYPE3)
		fill3(bd, a);
	else
		fill2(bd, a);
}

int sec_do(struct rig *r, struct sec_bd *bd)
{
	u32 icv;

	if (r->other && sec_get(bd, SEC_BD_TYPE) == SEC_BD_TYPE2)
		r = r->other;
	if (!rig_do(r, 0, bd) || !sec_get(bd, SEC_BD_DONE))
		return -1;
	icv = sec_get(bd, SEC_BD_ICV);
	if (sec_get(bd, SEC_BD_ERROR))
		return icv || sec_get(bd, SEC_BD_FLAG) ? -1 : (int)sec_get(bd, SEC_BD_ERROR);
	return icv == SEC_ICV_MISMATCH ? SEC_RIG_MISMATCH : 0;
}

int ask_do(struct rig *r, const struct ask *a)
{
	struct sec_bd bd;
	u32 flag;
	int ret;

	ask_fill(&bd, a);
	ret = sec_do(r, &bd);
	flag = !a->cipher ? SEC_FLAG_DIGEST :
	       a->c_mode == SEC_C_GCM || a->c_mode == SEC_C_CCM || a->auth ? SEC_FLAG_AEAD : SEC_FLAG_CIPHER;
	if (ret && ret != SEC_RIG_MISMATCH)
		return ret;
	return sec_get(&bd, SEC_BD_FLAG) == flag ? ret : -1;
}

void sgl_make(struct rig *r, u64 where, u64 data, u32 len)
{
	struct qm_sgl *list = rig_user(r, where);
	struct qm_sge *e = (struct qm_sge *)(list + 1);
	u32 n, piece, most = len / 20 + 30;

	memset(list, 0, sizeof(*list));
	for (n = 0; len && n < 120; n++) {
		piece = 1 + rnd() % most;
		piece = piece < len && n < 119 ? piece : len;
		e[n] = (struct qm_sge){ .buf = data, .len = piece };
		data += piece + rnd() % 3;
		len -= piece;
	}
	list->entry_sum_in_sgl = list->entry_sum_in_chain = (u16)n;
	list->entry_length_in_sgl = 120;
}

static void sgl_copy(struct rig *r, u64 where, unsigned char *p, u32 len, bool put)
{
	struct qm_sgl *list = rig_user(r, where);
	struct qm_sge *e = (struct qm_sge *)(list + 1);

	for (; len; p += e->len, len -= e->len, e++)
		memcpy(put ? at(r, e->buf) : p, put ? p : at(r, e->buf), e->len);
}

void sgl_put(struct rig *r, u64 where, const unsigned char *p, u32 len)
{
	sgl_copy(r, where, (unsigned char *)p, len, true);
}

void sgl_get(struct rig *r, u64 where, unsigned char *p, u32 len)
{
	sgl_copy(r, where, p, len, false);
}
