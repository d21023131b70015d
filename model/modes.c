// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Modes of operation: SP 800-38A with its addendum, IEEE 1619, GB/T 17964. */
#include "block.h"
#include "internal.h"

static void xor(u8 *p, const u8 *with, u32 n)
{
	while (n--)
		*p++ ^= *with++;
}

static u32 batch_bytes(const struct wdm_mode *m, u32 left)
{
	u32 most = WDM_BLOCK_BATCH * m->block.bytes;

	return left < most ? left : most;
}

static u32 blocks(const struct wdm_mode *m, u32 n)
{
	return (n + m->block.bytes - 1) / m->block.bytes;
}

static void cbc_encrypt(struct wdm_mode *m, u8 *p, u32 len)
{
	u32 n = m->block.bytes;

	for (; len; len -= n, p += n) {
		xor(p, m->iv, n);
		wdm_block_crypt(&m->block, true, p, p, 1);
		memcpy(m->iv, p, n);
	}
}

static void cbc_decrypt(struct wdm_mode *m, u8 *p, u32 len)
{
	u8 last[WDM_BLOCK_BYTES];
	u32 n, step = m->block.bytes;

	for (; len; len -= n, p += n) {
		n = batch_bytes(m, len);
		memcpy(last, p + n - step, step);
		wdm_block_crypt(&m->block, false, p, m->batch, n / step);
		xor(m->batch, m->iv, step);
		xor(m->batch + step, p, n - step);
		memcpy(p, m->batch, n);
		memcpy(m->iv, last, step);
	}
}

static void cbc(struct wdm_mode *m, u8 *p, u32 len)
{
	if (m->encrypt)
		cbc_encrypt(m, p, len);
	else
		cbc_decrypt(m, p, len);
}

/* Are the last two blocks of ciphertext swapped? Always in CS3, only with a short last block in CS2, never in CS1. */
static bool cs_swaps(const struct wdm_mode *m, u32 tail)
{
	return m->kind == WDM_MODE_CBC_CS3 || (m->kind == WDM_MODE_CBC_CS2 && tail < WDM_BLOCK_BYTES);
}

/* @p: the end of the message, a whole block and @tail more bytes, 1 to 16 */
static void cs_encrypt(struct wdm_mode *m, u8 *p, u32 tail)
{
	u8 first[WDM_BLOCK_BYTES], last[WDM_BLOCK_BYTES] = { 0 };

	memcpy(last, p + WDM_BLOCK_BYTES, tail);
	cbc_encrypt(m, p, WDM_BLOCK_BYTES);
	memcpy(first, p, sizeof(first));
	cbc_encrypt(m, last, WDM_BLOCK_BYTES);
	if (cs_swaps(m, tail)) {
		memcpy(p, last, sizeof(last));
		memcpy(p + WDM_BLOCK_BYTES, first, tail);
	} else {
		memcpy(p + tail, last, sizeof(last));
	}
}

static void cs_decrypt(struct wdm_mode *m, u8 *p, u32 tail)
{
	u8 first[WDM_BLOCK_BYTES], last[WDM_BLOCK_BYTES], plain[WDM_BLOCK_BYTES];

	if (cs_swaps(m, tail)) {
		memcpy(last, p, sizeof(last));
		memcpy(first, p + WDM_BLOCK_BYTES, tail);
	} else {
		memcpy(first, p, tail);
		memcpy(last, p + tail, sizeof(last));
	}
	/* The padding is zeroes, so the decrypted second block reveals the missing bytes of the first. */
	wdm_block_crypt(&m->block, false, last, plain, 1);
	memcpy(first + tail, plain + tail, WDM_BLOCK_BYTES - tail);
	xor(plain, first, WDM_BLOCK_BYTES);
	memcpy(p, first, sizeof(first));
	cbc_decrypt(m, p, WDM_BLOCK_BYTES);
	memcpy(p + WDM_BLOCK_BYTES, plain, tail);
	wdm_wipe(plain, sizeof(plain));
}

static void cbc_cs(struct wdm_mode *m, u8 *p, u32 len, bool last)
{
	u32 tail = len % WDM_BLOCK_BYTES ? len % WDM_BLOCK_BYTES : WDM_BLOCK_BYTES;

	if (!last) {
		cbc(m, p, len);
		return;
	}
	len -= WDM_BLOCK_BYTES + tail;
	cbc(m, p, len);
	if (m->encrypt)
		cs_encrypt(m, p + len, tail);
	else
		cs_decrypt(m, p + len, tail);
}

static void cfb(struct wdm_mode *m, u8 *p, u32 len)
{
	u8 in[WDM_BLOCK_BYTES];
	u32 n, step = m->block.bytes;

	for (; len; len -= n, p += n) {
		n = len < step ? len : step;
		wdm_block_crypt(&m->block, true, m->iv, m->iv, 1);
		memcpy(in, p, n);
		xor(p, m->iv, n);
		memcpy(m->iv, m->encrypt ? p : in, n);
	}
	wdm_wipe(in, sizeof(in));
}

static void ofb(struct wdm_mode *m, u8 *p, u32 len)
{
	u32 n, step = m->block.bytes;

	for (; len; len -= n, p += n) {
		n = len < step ? len : step;
		wdm_block_crypt(&m->block, true, m->iv, m->iv, 1);
		xor(p, m->iv, n);
	}
}

void wdm_counter_add(u8 *counter, u32 bytes, u32 n)
{
	for (; bytes-- && n; n >>= 8) {
		n += counter[bytes];
		counter[bytes] = (u8)n;
	}
}

static void ctr(struct wdm_mode *m, u8 *p, u32 len)
{
	u32 n, i, nr, step = m->block.bytes;

	for (; len; len -= n, p += n) {
		n = batch_bytes(m, len);
		nr = blocks(m, n);
		for (i = 0; i < nr; i++) {
			memcpy(m->batch + i * step, m->iv, step);
			wdm_counter_add(m->iv + step - m->ctr_bytes, m->ctr_bytes, 1);
		}
		wdm_block_crypt(&m->block, true, m->batch, m->batch, nr);
		xor(p, m->batch, n);
	}
}

/* The next block's tweak: multiplied by x, in the bit order of IEEE 1619 or of GB/T 17964, which is that of GCM. */
static void xts_double(u8 *t, bool gb)
{
	u32 i, carry;

	if (gb) {
		carry = t[15] & 1;
		for (i = 15; i; i--)
			t[i] = (u8)(t[i] >> 1 | t[i - 1] << 7);
		t[0] = (u8)(t[0] >> 1 ^ (carry ? 0xe1 : 0));
		return;
	}
	carry = t[15] >> 7;
	for (i = 15; i; i--)
		t[i] = (u8)(t[i] << 1 | t[i - 1] >> 7);
	t[0] = (u8)(t[0] << 1 ^ (carry ? 0x87 : 0));
}

static void xts_whole(struct wdm_mode *m, u8 *p, u32 len)
{
	u32 n, i;

	for (; len; len -= n, p += n) {
		n = batch_bytes(m, len);
		for (i = 0; i < n; i += WDM_BLOCK_BYTES) {
			memcpy(m->batch + i, m->iv, WDM_BLOCK_BYTES);
			xts_double(m->iv, m->gb);
		}
		xor(p, m->batch, n);
		wdm_block_crypt(&m->block, m->encrypt, p, p, n / WDM_BLOCK_BYTES);
		xor(p, m->batch, n);
	}
}

/* A whole block and @tail more bytes, 1 to 15. Decryption uses the last two tweaks in reverse order. */
static void xts_steal(struct wdm_mode *m, u8 *p, u32 tail)
{
	u8 next[WDM_BLOCK_BYTES], first[WDM_BLOCK_BYTES];

	memcpy(first, m->iv, sizeof(first));
	memcpy(next, m->iv, sizeof(next));
	xts_double(next, m->gb);
	memcpy(m->iv, m->encrypt ? first : next, WDM_BLOCK_BYTES);
	xts_whole(m, p, WDM_BLOCK_BYTES);
	memcpy(m->iv, m->encrypt ? next : first, WDM_BLOCK_BYTES);
	memcpy(first, p, WDM_BLOCK_BYTES);
	memcpy(p, p + WDM_BLOCK_BYTES, tail);
	memcpy(p + WDM_BLOCK_BYTES, first, tail);
	xts_whole(m, p, WDM_BLOCK_BYTES);
	wdm_wipe(next, sizeof(next));
	wdm_wipe(first, sizeof(first));
}

static void xts(struct wdm_mode *m, u8 *p, u32 len)
{
	u32 tail = len % WDM_BLOCK_BYTES, whole = len - tail - (tail ? WDM_BLOCK_BYTES : 0);

	xts_whole(m, p, whole);
	if (tail)
		xts_steal(m, p + whole, tail);
}

void wdm_mode_crypt(struct wdm_mode *m, u8 *p, u32 len, bool last)
{
	switch (m->kind) {
	case WDM_MODE_ECB:
		wdm_block_crypt(&m->block, m->encrypt, p, p, len / m->block.bytes);
		break;
	case WDM_MODE_CBC:
		cbc(m, p, len);
		break;
	case WDM_MODE_CBC_CS1:
	case WDM_MODE_CBC_CS2:
	case WDM_MODE_CBC_CS3:
		cbc_cs(m, p, len, last);
		break;
	case WDM_MODE_CFB:
		cfb(m, p, len);
		break;
	case WDM_MODE_OFB:
		ofb(m, p, len);
		break;
	case WDM_MODE_CTR:
		ctr(m, p, len);
		break;
	case WDM_MODE_XTS:
		xts(m, p, len);
		break;
	}
}
