// SPDX-License-Identifier: Apache-2.0
/* The algorithms that the provider for OpenSSL gives to devices, and lists of them. */
#include <string.h>

#include "openssl_algs.h"

#define DEFAULT	"pkey"

/* Before OpenSSL 3.5 libcrypto's random numbers use AES-CTR or AES-ECB of the provider that the program prefers. */
const struct wdp_alg_facts wdp_alg_facts[WDP_ALGS] = {
	[WDP_RSA] = { "rsa", "rsa", "pkey", false, NULL },
	[WDP_RSA_PUBLIC] = { "rsa-public", "rsa", "", false, NULL },
	[WDP_ECDSA] = { "ecdsa", "ecdsa", "pkey", false, "P-256" },
	[WDP_ECDH] = { "ecdh", "ecdh", "pkey", false, "P-256" },
	[WDP_X25519] = { "x25519", "x25519", "pkey", false, "X25519" },
	[WDP_X448] = { "x448", "x448", "pkey", false, NULL },
	[WDP_DH] = { "dh", "dh", "pkey", false, NULL },
	[WDP_SM2] = { "sm2", "sm2", "pkey", false, NULL },
	[WDP_AES_CBC] = { "aes-cbc", "cipher", "ciphers", false, NULL },
	[WDP_AES_XTS] = { "aes-xts", "cipher", "ciphers", false, NULL },
	[WDP_AES_CFB] = { "aes-cfb", "cipher", "ciphers", false, NULL },
	[WDP_AES_OFB] = { "aes-ofb", "cipher", "ciphers", false, NULL },
	[WDP_AES_CTR] = { "aes-ctr", "cipher", "ciphers", true, NULL },
	[WDP_AES_ECB] = { "aes-ecb", "cipher", "ciphers", true, NULL },
	[WDP_AES_GCM] = { "aes-gcm", "aead", "ciphers", false, NULL },
	[WDP_AES_CCM] = { "aes-ccm", "aead", "ciphers", false, NULL },
	[WDP_3DES] = { "3des", "cipher", "ciphers", false, NULL },
	[WDP_SM4] = { "sm4", "cipher", "ciphers", false, NULL },
	[WDP_MD5] = { "md5", "digest", "digests", false, NULL },
	[WDP_SHA1] = { "sha1", "digest", "digests", false, NULL },
	[WDP_SHA2] = { "sha2", "digest", "digests", false, NULL },
	[WDP_SM3] = { "sm3", "digest", "digests", false, NULL },
	[WDP_HMAC] = { "hmac", "digest", "digests", false, NULL },
};

static bool is_name(const char *name, const char *text, size_t len)
{
	return len && strlen(name) == len && !memcmp(name, text, len);
}

/* A name that takes away stands also for those that it doesn't choose. */
static bool names(const struct wdp_alg_facts *facts, const char *text, size_t len, bool less)
{
	if (is_name(facts->name, text, len))
		return true;
	if (is_name("all", text, len))
		return less || (*facts->group && !facts->alone);
	return is_name(facts->group, text, len) && (less || !facts->alone);
}

static unsigned int algs_of(const char *text, size_t len, bool less)
{
	unsigned int alg, algs = 0;

	for (alg = 0; alg < WDP_ALGS; alg++)
		if (names(&wdp_alg_facts[alg], text, len, less))
			algs |= WDP_BIT(alg);
	return algs;
}

static struct wdp_choice choice_default(void)
{
	struct wdp_choice choice = { .algs = algs_of(DEFAULT, strlen(DEFAULT), false) };
	unsigned int alg;

	for (alg = 0; alg < WDP_ALGS; alg++)
		if (choice.algs & WDP_BIT(alg) && wdp_alg_facts[alg].quick)
			choice.jobs |= WDP_BIT(alg);
	return choice;
}

bool wdp_jobs_only(const struct wdp_choice *choice, enum wdp_alg alg, const char *curve)
{
	return choice->jobs & WDP_BIT(alg) && !strcmp(wdp_alg_facts[alg].quick, curve);
}

struct wdp_choice wdp_algs_chosen(const char *list, const char **wrong, size_t *wrong_len)
{
	struct wdp_choice choice = { 0 };
	unsigned int algs;
	size_t len;
	bool less;

	*wrong = NULL;
	if (!list)
		return choice_default();
	list += strspn(list, " ,");
	if (*list == '-')
		choice = choice_default();
	for (; *list; list += len + strspn(list + len, " ,")) {
		less = *list == '-';
		len = strcspn(list, " ,");
		algs = algs_of(list + less, len - less, less);
		if (!algs) {
			*wrong = list;
			*wrong_len = len;
			break;
		}
		choice.algs = less ? choice.algs & ~algs : choice.algs | algs;
		choice.jobs &= ~algs;
	}
	return choice;
}
