// SPDX-License-Identifier: Apache-2.0
/*
 * Random requests on the session's default path, and on the software path: the results must be equal. Without a device
 * the two requests differ in the layout of their data: in place, in lists, in parts. Algorithms that this libcrypto
 * lacks are compared with sm4_modes.h, and left out if no device has them either.
 *   WD_CROSS_CASES=N   how many (10,000), WD_CROSS_SEED=N the first random seed
 */
#include "aead_test.h"
#include "digest_test.h"
#include "kselftest_harness.h"
#include "sm4_modes.h"

#define BYTES_MAX	20000

static unsigned int seed = 1;

static unsigned int rnd(unsigned int n)
{
	seed = seed * 1664525u + 1013904223u;
	return (unsigned int)(((unsigned long long)seed * n) >> 32);
}

/* Mostly small, sometimes several pages. */
static size_t rnd_len(void)
{
	return rnd(8) ? rnd(200) : rnd(BYTES_MAX);
}

static unsigned char in[BYTES_MAX + 64], a[BYTES_MAX + 64], b[BYTES_MAX + 64], key[160], iv[16];
static unsigned char mac_a[64], mac_b[64];
static struct wd_datalist src[16], dst[16];

static struct wd_datalist *listed(struct wd_datalist *l, unsigned char *p, size_t len)
{
	unsigned int n = 1 + rnd(14), i;

	for (i = 0; i < n; i++) {
		size_t part = i + 1 == n ? len : rnd((unsigned int)len + 1);

		l[i] = (struct wd_datalist){
			.data = part ? p : NULL, .len = part, .next = i + 1 == n ? NULL : &l[i + 1]
		};
		p += part;
		len -= part;
	}
	return l;
}

/* The sessions of an algorithm: on the default path, and on the software path. */
struct pair {
	handle_t any[2];	/* flat, lists */
	handle_t soft;		/* 0: libcrypto lacks it */
};

/* --- ciphers --- */

static const struct {
	int alg, mode, keys[3];
} ciphers[] = {
	{ WD_CIPHER_AES, WD_CIPHER_ECB, { 16, 24, 32 } }, { WD_CIPHER_AES, WD_CIPHER_CBC, { 16, 24, 32 } },
	{ WD_CIPHER_AES, WD_CIPHER_CTR, { 16, 24, 32 } }, { WD_CIPHER_AES, WD_CIPHER_OFB, { 16, 24, 32 } },
	{ WD_CIPHER_AES, WD_CIPHER_CFB, { 16, 24, 32 } }, { WD_CIPHER_AES, WD_CIPHER_XTS, { 32, 64, 64 } },
	{ WD_CIPHER_AES, WD_CIPHER_CBC_CS1, { 16, 24, 32 } }, { WD_CIPHER_AES, WD_CIPHER_CBC_CS2, { 16, 24, 32 } },
	{ WD_CIPHER_AES, WD_CIPHER_CBC_CS3, { 16, 24, 32 } }, { WD_CIPHER_SM4, WD_CIPHER_ECB, { 16, 16, 16 } },
	{ WD_CIPHER_SM4, WD_CIPHER_CBC, { 16, 16, 16 } }, { WD_CIPHER_SM4, WD_CIPHER_CTR, { 16, 16, 16 } },
	{ WD_CIPHER_SM4, WD_CIPHER_OFB, { 16, 16, 16 } }, { WD_CIPHER_SM4, WD_CIPHER_CFB, { 16, 16, 16 } },
	{ WD_CIPHER_SM4, WD_CIPHER_XTS, { 32, 32, 32 } }, { WD_CIPHER_SM4, WD_CIPHER_CBC_CS1, { 16, 16, 16 } },
	{ WD_CIPHER_SM4, WD_CIPHER_CBC_CS2, { 16, 16, 16 } }, { WD_CIPHER_SM4, WD_CIPHER_CBC_CS3, { 16, 16, 16 } },
	{ WD_CIPHER_3DES, WD_CIPHER_ECB, { 16, 24, 24 } }, { WD_CIPHER_3DES, WD_CIPHER_CBC, { 16, 24, 24 } },
};
#define CIPHERS	(sizeof(ciphers) / sizeof(ciphers[0]))

static struct pair cipher_pairs[CIPHERS];

static size_t cipher_len(int alg, int mode)
{
	size_t len = rnd_len(), block = alg == WD_CIPHER_3DES ? 8 : 16;

	if (mode == WD_CIPHER_ECB || mode == WD_CIPHER_CBC)
		return len / block * block;
	return len < 16 && (mode == WD_CIPHER_XTS || mode >= WD_CIPHER_CBC_CS1) ? len + 16 : len;
}

/* got is the result for in, which is unchanged. */
static bool cipher_same(const struct pair *p, int mode, int op, size_t iv_len, size_t len, const unsigned char *got)
{
	const unsigned char *from = op == WD_CIPHER_ENCRYPTION ? in : got, *to = op == WD_CIPHER_ENCRYPTION ? got : in;

	if (p->soft)
		return !cipher_do(p->soft, op, iv, iv_len, in, len, b) && !memcmp(got, b, len);
	if (mode == WD_CIPHER_XTS)
		ecb_xts(key, iv, from, len, b);
	else
		ecb_cbc_cs(1 + (unsigned int)(mode - WD_CIPHER_CBC_CS1), key, iv, from, len, b);
	return !memcmp(to, b, len);
}

static bool cipher_case(void)
{
	unsigned int i = rnd(CIPHERS), iv_len = (unsigned int)cipher_iv_len(ciphers[i].alg, ciphers[i].mode),
		     op = rnd(2), off = rnd(17);
	int klen = ciphers[i].keys[rnd(3)];
	size_t len = cipher_len(ciphers[i].alg, ciphers[i].mode);
	struct pair *p = &cipher_pairs[i];
	bool lists = rnd(3) == 0;
	handle_t h = p->any[lists];
	int ret;

	if (!h)
		return true;
	fill_noise(in, len, seed);
	if (wd_cipher_set_key(h, key, (__u32)klen) || (p->soft && wd_cipher_set_key(p->soft, key, (__u32)klen)))
		return false;
	if (lists) {
		ret = cipher_do(h, (int)op, iv, iv_len, listed(src, in, len), len, listed(dst, a, len));
	} else {
		memcpy(a + off, in, len);
		ret = cipher_do(h, (int)op, iv, iv_len, rnd(2) ? in : a + off, len, a + off);
	}
	if (ret)
		printf("# %d: %s\n", ret, detail(h));
	return !ret && cipher_same(p, ciphers[i].mode, (int)op, iv_len, len, lists ? a : a + off);
}

/* --- digests --- */

static struct pair digest_pairs[9][2];

static bool digest_case(void)
{
	unsigned int alg = rnd(9), mode = rnd(2), off = rnd(17), parts = rnd(3);
	struct pair *p = &digest_pairs[alg][mode];
	size_t len = rnd_len(), klen = rnd(160), at;
	int out = 32;
	handle_t h = p->any[parts == 1];
	int ret = 0;

	if (alg == WD_DIGEST_MD5)
		out = 16;
	else if (alg == WD_DIGEST_SHA1)
		out = 20;
	else if (alg == WD_DIGEST_SHA224 || alg == WD_DIGEST_SHA512_224)
		out = 28;
	else if (alg == WD_DIGEST_SHA384)
		out = 48;
	else if (alg == WD_DIGEST_SHA512)
		out = 64;
	fill_noise(in + off, len, seed);
	if (mode && (wd_digest_set_key(h, key, (__u32)klen) || wd_digest_set_key(p->soft, key, (__u32)klen)))
		return false;
	if (parts == 0) {
		ret = digest_do(h, in + off, len, mac_a, (size_t)out);
	} else if (parts == 1) {
		ret = digest_do(h, listed(src, in + off, len), len, mac_a, (size_t)out);
	} else {
		size_t n;

		for (at = 0; !ret && at < len; at += n) {
			n = 1 + rnd(5000);
			if (n > len - at)
				n = len - at;
			ret = digest_part(h, in + off + at, n, NULL);
		}
		if (!ret)
			ret = digest_part(h, NULL, 0, mac_a);
	}
	if (ret || digest_do(p->soft, in + off, len, mac_b, (size_t)out)) {
		printf("# %d: %s\n", ret, detail(h));
		return false;
	}
	return !memcmp(mac_a, mac_b, (size_t)out);
}

/* --- AEAD --- */

static const struct {
	struct aead_kind kind;
	int keys[3];
} aeads[] = {
	{ { WD_CIPHER_AES, WD_CIPHER_GCM, 0 }, { 16, 24, 32 } },
	{ { WD_CIPHER_AES, WD_CIPHER_CCM, 0 }, { 16, 24, 32 } },
	{ { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA1 }, { 16, 24, 32 } },
	{ { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA256 }, { 16, 24, 32 } },
	{ { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA512 }, { 16, 24, 32 } },
	{ { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SM3 }, { 16, 24, 32 } },
	{ { WD_CIPHER_SM4, WD_CIPHER_GCM, 0 }, { 16, 16, 16 } },
	{ { WD_CIPHER_SM4, WD_CIPHER_CCM, 0 }, { 16, 16, 16 } },
	{ { WD_CIPHER_SM4, WD_CIPHER_CBC, WD_DIGEST_SHA1 }, { 16, 16, 16 } },
	{ { WD_CIPHER_SM4, WD_CIPHER_CBC, WD_DIGEST_SHA256 }, { 16, 16, 16 } },
	{ { WD_CIPHER_SM4, WD_CIPHER_CBC, WD_DIGEST_SHA512 }, { 16, 16, 16 } },
	{ { WD_CIPHER_SM4, WD_CIPHER_CBC, WD_DIGEST_SM3 }, { 16, 16, 16 } },
};
#define AEADS	(sizeof(aeads) / sizeof(aeads[0]))

static struct pair aead_pairs[AEADS];

static bool aead_keys(handle_t h, unsigned int i, int klen, size_t alen, unsigned int tag)
{
	if (wd_aead_set_ckey(h, key, (__u32)klen))
		return false;
	if (aeads[i].kind.cmode == WD_CIPHER_CBC && wd_aead_set_akey(h, key + 3, (__u32)alen))
		return false;
	return !wd_aead_set_authsize(h, tag);
}

/* Computes the expected result of an encryption in b and mac_b. */
static bool aead_by_libcrypto(const struct pair *p, int mode, size_t iv_len, size_t assoc, size_t len, unsigned int tag)
{
	if (p->soft)
		return !aead_do(p->soft, WD_CIPHER_ENCRYPTION, iv, iv_len, in, assoc, len, b, mac_b);
	memcpy(b, in, assoc);
	if (mode == WD_CIPHER_GCM)
		ecb_gcm(key, iv, in, assoc, in + assoc, len, b + assoc, mac_b);
	else
		ecb_ccm(key, iv, iv_len, in, assoc, in + assoc, len, b + assoc, mac_b, tag);
	return true;
}

/* No device takes a request with neither data nor associated data. */
static size_t aead_len(const struct pair *p, int mode, size_t assoc)
{
	size_t len = rnd_len();

	if (mode == WD_CIPHER_CBC)
		len = len / 16 * 16;
	return len || assoc || p->soft ? len : 1;
}

static bool aead_case(void)
{
	unsigned int i = rnd(AEADS), off = rnd(17), tag, bit;
	int mode = aeads[i].kind.cmode, klen = aeads[i].keys[rnd(3)], ret, back;
	size_t assoc = rnd(4) ? rnd(40) : rnd(300),
	       iv_len = mode == WD_CIPHER_GCM ? 12 : mode == WD_CIPHER_CCM ? 7 + rnd(7) : 16;
	struct pair *p = &aead_pairs[i];
	size_t len = aead_len(p, mode, assoc);
	bool lists = rnd(3) == 0, spoil = rnd(4) == 0;
	handle_t h = p->any[lists];
	size_t alen = rnd(150);

	if (!h)
		return true;
	tag = 4 * (1 + rnd((unsigned int)wd_aead_get_maxauthsize(h) / 4));
	if (assoc + len > BYTES_MAX)
		assoc = 0;
	fill_noise(in, assoc + len, seed);
	if (!aead_keys(h, i, klen, alen, tag) || (p->soft && !aead_keys(p->soft, i, klen, alen, tag)))
		return false;
	if (lists) {
		ret = aead_do(h, WD_CIPHER_ENCRYPTION, iv, iv_len, listed(src, in, assoc + len), assoc, len,
			      listed(dst, a, assoc + len), mac_a);
		off = 0;
	} else {
		memcpy(a + off, in, assoc + len);
		ret = aead_do(h, WD_CIPHER_ENCRYPTION, iv, iv_len, rnd(2) ? in : a + off, assoc, len, a + off, mac_a);
	}
	if (ret || !aead_by_libcrypto(p, mode, iv_len, assoc, len, tag)) {
		printf("# %d: %s\n", ret, detail(h));
		return false;
	}
	if (memcmp(a + off, b, assoc + len) || memcmp(mac_a, mac_b, tag))
		return false;
	bit = rnd(8 * tag);
	if (spoil)
		mac_b[bit / 8] ^= (unsigned char)(1 << bit % 8);
	if (lists)
		back = aead_do(h, WD_CIPHER_DECRYPTION, iv, iv_len, dst, assoc, len, dst, mac_b);
	else
		back = aead_do(h, WD_CIPHER_DECRYPTION, iv, iv_len, a + off, assoc, len, a + off, mac_b);
	if (back != (spoil ? -EBADMSG : 0) || memcmp(a + off, in, assoc))
		return false;
	if (spoil)
		memset(in + assoc, 0, len);
	return !memcmp(a + off, in, assoc + len);
}

/* --- */

/* OpenSSL 3.0 lacks the modes of SM4 that sm4_modes.h has. */
static bool may_lack(int alg, int mode)
{
	return alg == WD_CIPHER_SM4 && errno == EOPNOTSUPP && (mode == WD_CIPHER_XTS || mode >= WD_CIPHER_CBC_CS1);
}

static bool sessions_open(void)
{
	unsigned int i, k;
	bool good = true;

	for (i = 0; i < CIPHERS; i++) {
		struct pair *p = &cipher_pairs[i];
		int alg = ciphers[i].alg, mode = ciphers[i].mode;

		for (k = 0; k < 2; k++)
			good &= (p->any[k] = cipher_open(alg, mode, WD_SYNC, (int)k, 0)) || may_lack(alg, mode);
		good &= (p->soft = cipher_open(alg, mode, WD_SYNC, WD_FLAT_BUF, WD_SESS_PATH_SOFT)) ||
			may_lack(alg, mode);
	}
	for (i = 0; i < 18; i++) {
		struct pair *p = &digest_pairs[i / 2][i % 2];

		for (k = 0; k < 2; k++)
			good &= !!(p->any[k] = digest_open((int)i / 2, (int)i % 2, WD_SYNC, (int)k, 0, 0));
		good &= !!(p->soft = digest_open((int)i / 2, (int)i % 2, WD_SYNC, WD_FLAT_BUF, 0, WD_SESS_PATH_SOFT));
	}
	for (i = 0; i < AEADS; i++) {
		struct pair *p = &aead_pairs[i];
		struct aead_kind kind = aeads[i].kind;

		for (k = 0; k < 2; k++)
			good &= (p->any[k] = aead_open(kind, WD_SYNC, (int)k, 0)) || may_lack(kind.calg, kind.cmode);
		good &= (p->soft = aead_open(kind, WD_SYNC, WD_FLAT_BUF, WD_SESS_PATH_SOFT)) ||
			may_lack(kind.calg, kind.cmode);
	}
	return good;
}

FIXTURE(cross) {
	char unused;
};

FIXTURE_SETUP(cross)
{
	ASSERT_TRUE(sessions_open()) TH_LOG("%s", detail(0));
}

FIXTURE_TEARDOWN(cross)
{
}

TEST_F_TIMEOUT(cross, random_requests_give_the_same_on_every_path, 280)
{
	static bool (*const cases[])(void) = { cipher_case, digest_case, aead_case };
	const char *n = getenv("WD_CROSS_CASES"), *first = getenv("WD_CROSS_SEED");
	unsigned int todo = n ? (unsigned int)strtoul(n, NULL, 10) : 10000, i;

	if (first)
		seed = (unsigned int)strtoul(first, NULL, 10);
	for (i = 0; i < todo; i++) {
		unsigned int was = seed, kind = rnd(3);

		fill_noise(key, sizeof(key), seed);
		fill_noise(iv, sizeof(iv), seed + 1);
		ASSERT_TRUE(cases[kind]())
			TH_LOG("case %u of kind %u: WD_CROSS_SEED=%u WD_CROSS_CASES=1", i, kind, was);
	}
}

TEST_HARNESS_MAIN
