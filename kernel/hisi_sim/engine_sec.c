// SPDX-License-Identifier: GPL-2.0-or-later
/* The model's mathematics in the kernel: block ciphers of the kernel's library, compression functions of its hashes. */
#include <crypto/aes.h>
#include <crypto/des.h>
#include <crypto/hash.h>
#include <linux/err.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "model/env.h"
#include "internal.h"

#define CORES	(WDM_HASH_SHA512 + 1)
#define STATE_MAX	512	/* most bytes that a shash may export */

struct cipher_key {
	enum wdm_block_alg alg;
	union {
		struct aes_key aes;
		struct des_ctx des[3];
	};
};

struct workspace {
	struct cipher_key key[WDM_BLOCK_SLOTS];
	struct crypto_shash *hash[CORES];
	u8 state[STATE_MAX] __aligned(8);
};

/* shash algorithms are always software, never a hardware driver. */
static const struct {
	const char *name;
	unsigned int words_bytes;	/* bytes of chaining values, first in the state of every implementation */
	unsigned int block_bytes;
} cores[CORES] = {
	[WDM_HASH_MD5] = { "md5", 16, 64 },
	[WDM_HASH_SHA1] = { "sha1", 20, 64 },
	[WDM_HASH_SHA256] = { "sha256", 32, 64 },
	[WDM_HASH_SHA512] = { "sha512", 64, 128 },
};

/* The library reports weak keys after it has expanded them; hardware doesn't check. */
static int des_keys(struct cipher_key *k, const u8 *key, u32 bytes)
{
	unsigned int i;

	for (i = 0; i < bytes / DES_KEY_SIZE; i++) {
		int err = des_expand_key(&k->des[i], key + i * DES_KEY_SIZE, DES_KEY_SIZE);

		if (err && err != -ENOKEY)
			return err;
	}
	return 0;
}

static int block_key(void *ws, u32 slot, enum wdm_block_alg alg, const u8 *key, u32 bytes)
{
	struct cipher_key *k = &((struct workspace *)ws)->key[slot];

	k->alg = alg;
	switch (alg) {
	case WDM_BLOCK_AES:
		return aes_preparekey(&k->aes, key, bytes);
	case WDM_BLOCK_DES:
	case WDM_BLOCK_3DES:
		return des_keys(k, key, bytes);
	case WDM_BLOCK_SM4:
		break;
	}
	return -EOPNOTSUPP;
}

static void aes_block(const struct cipher_key *k, bool encrypt, const u8 *in, u8 *out)
{
	if (encrypt)
		aes_encrypt(&k->aes, out, in);
	else
		aes_decrypt(&k->aes, out, in);
}

static void des_one(const struct des_ctx *des, bool encrypt, const u8 *in, u8 *out)
{
	if (encrypt)
		des_encrypt(des, out, in);
	else
		des_decrypt(des, out, in);
}

static void des_block(const struct cipher_key *k, bool encrypt, const u8 *in, u8 *out)
{
	if (k->alg == WDM_BLOCK_DES) {
		des_one(&k->des[0], encrypt, in, out);
		return;
	}
	des_one(&k->des[encrypt ? 0 : 2], encrypt, in, out);
	des_one(&k->des[1], !encrypt, out, out);
	des_one(&k->des[encrypt ? 2 : 0], encrypt, out, out);
}

static int cipher_blocks(void *ws, u32 slot, bool encrypt, const u8 *in, u8 *out, u32 blocks)
{
	const struct cipher_key *k = &((struct workspace *)ws)->key[slot];
	unsigned int step = k->alg == WDM_BLOCK_AES ? AES_BLOCK_SIZE : DES_BLOCK_SIZE;

	for (; blocks; blocks--, in += step, out += step) {
		if (k->alg == WDM_BLOCK_AES)
			aes_block(k, encrypt, in, out);
		else
			des_block(k, encrypt, in, out);
	}
	return 0;
}

/* A state in which only the chaining values matter: it has no buffered bytes, and its length isn't used. */
static int hash_compress(struct crypto_shash *tfm, u8 *state, const u8 *data, unsigned int bytes)
{
	SHASH_DESC_ON_STACK(desc, tfm);
	int err;

	desc->tfm = tfm;
	err = crypto_shash_import(desc, state);
	if (!err)
		err = crypto_shash_update(desc, data, bytes);
	if (!err)
		err = crypto_shash_export(desc, state);
	shash_desc_zero(desc);
	return err;
}

static int hash_blocks(void *ws, enum wdm_hash_core core, void *words, const u8 *data, u32 blocks)
{
	struct workspace *w = ws;
	int err;

	if (core >= CORES || !w->hash[core])
		return -EOPNOTSUPP;
	memset(w->state, 0, crypto_shash_statesize(w->hash[core]));
	memcpy(w->state, words, cores[core].words_bytes);
	err = hash_compress(w->hash[core], w->state, data, blocks * cores[core].block_bytes);
	if (!err)
		memcpy(words, w->state, cores[core].words_bytes);
	return err;
}

static void sec_forget(void *ws)
{
	struct workspace *w = ws;

	memzero_explicit(w->key, sizeof(w->key));
	memzero_explicit(w->state, sizeof(w->state));
}

static void workspace_exit(void *ws)
{
	struct workspace *w = ws;
	unsigned int i;

	for (i = 0; i < CORES; i++)
		crypto_free_shash(w->hash[i]);
	memzero_explicit(w, sizeof(*w));
}

/* A hash that this kernel lacks is refused when it is used. */
static struct crypto_shash *hash_alloc(const char *name)
{
	struct crypto_shash *tfm = crypto_alloc_shash(name, 0, 0);

	if (tfm == ERR_PTR(-ENOENT)) {
		pr_warn_once("hisi_sim: hash %s is missing in this kernel: SEC devices refuse it\n", name);
		return NULL;
	}
	if (!IS_ERR(tfm) && crypto_shash_statesize(tfm) > STATE_MAX) {
		crypto_free_shash(tfm);
		return ERR_PTR(-EINVAL);
	}
	return tfm;
}

static int workspace_init(void *ws)
{
	struct workspace *w = ws;
	struct crypto_shash *tfm;
	unsigned int i;

	for (i = 0; i < CORES; i++) {
		tfm = hash_alloc(cores[i].name);
		if (IS_ERR(tfm)) {
			workspace_exit(w);
			return PTR_ERR(tfm);
		}
		w->hash[i] = tfm;
	}
	return 0;
}

static size_t workspace_size(void)
{
	return sizeof(struct workspace);
}

static const struct wdm_engine_ops ops = {
	.block_key = block_key,
	.block = cipher_blocks,
	.hash = hash_blocks,
	.forget = sec_forget,
};

const struct sim_engine sim_engine_sec = {
	.ops = &ops,
	.workspace_size = workspace_size,
	.workspace_init = workspace_init,
	.workspace_exit = workspace_exit,
};
