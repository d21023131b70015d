// SPDX-License-Identifier: Apache-2.0
/* Checks of what can be computed where: by simulated devices with their kernel, by this CPU with libcrypto. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "health.h"

#define LIBCRYPTO "libcrypto.so.3"

enum kind {
	CIPHER,
	DIGEST,
	KINDS,
};

/* The libraries' names and libcrypto's; those of HMACs and of CBC with HMAC are made of these. */
static const struct {
	enum kind kind;
	const char *name;
	const char *evp;	/* NULL: done by devices only */
} algs[] = {
	{ CIPHER, "ecb(aes)", "AES-128-ECB" },
	{ CIPHER, "cbc(aes)", "AES-128-CBC" },
	{ CIPHER, "ctr(aes)", "AES-128-CTR" },
	{ CIPHER, "ofb(aes)", "AES-128-OFB" },
	{ CIPHER, "cfb(aes)", "AES-128-CFB" },
	{ CIPHER, "xts(aes)", "AES-128-XTS" },
	{ CIPHER, "cbc-cs(aes)", "AES-128-CBC-CTS" },
	{ CIPHER, "gcm(aes)", "AES-128-GCM" },
	{ CIPHER, "ccm(aes)", "AES-128-CCM" },
	{ CIPHER, "ecb(sm4)", "SM4-ECB" },
	{ CIPHER, "cbc(sm4)", "SM4-CBC" },
	{ CIPHER, "ctr(sm4)", "SM4-CTR" },
	{ CIPHER, "ofb(sm4)", "SM4-OFB" },
	{ CIPHER, "cfb(sm4)", "SM4-CFB" },
	{ CIPHER, "xts(sm4)", NULL },
	{ CIPHER, "cbc-cs(sm4)", NULL },
	{ CIPHER, "gcm(sm4)", "SM4-GCM" },
	{ CIPHER, "ccm(sm4)", "SM4-CCM" },
	{ CIPHER, "ecb(des3_ede)", "DES-EDE3-ECB" },
	{ CIPHER, "cbc(des3_ede)", "DES-EDE3-CBC" },
	{ DIGEST, "sm3", "SM3" },
	{ DIGEST, "md5", "MD5" },
	{ DIGEST, "sha1", "SHA1" },
	{ DIGEST, "sha224", "SHA2-224" },
	{ DIGEST, "sha256", "SHA2-256" },
	{ DIGEST, "sha384", "SHA2-384" },
	{ DIGEST, "sha512", "SHA2-512" },
	{ DIGEST, "sha512/224", "SHA2-512/224" },
	{ DIGEST, "sha512/256", "SHA2-512/256" },
};

#define ALGS (sizeof(algs) / sizeof(algs[0]))

struct libcrypto {
	void *(*fetch[KINDS])(void *ctx, const char *name, const char *properties);
	void (*free[KINDS])(void *method);
	const char *(*version)(int what);
};

static bool symbol(void *lib, void *to, const char *name)
{
	void *at = dlsym(lib, name);

	memcpy(to, &at, sizeof(at));
	return at;
}

static bool libcrypto_find(void *lib, struct libcrypto *c)
{
	return symbol(lib, &c->fetch[CIPHER], "EVP_CIPHER_fetch") && symbol(lib, &c->free[CIPHER], "EVP_CIPHER_free") &&
	       symbol(lib, &c->fetch[DIGEST], "EVP_MD_fetch") && symbol(lib, &c->free[DIGEST], "EVP_MD_free") &&
	       symbol(lib, &c->version, "OpenSSL_version");
}

static bool libcrypto_has(const struct libcrypto *c, size_t i)
{
	void *method = algs[i].evp ? c->fetch[algs[i].kind](NULL, algs[i].evp, NULL) : NULL;

	if (method)
		c->free[algs[i].kind](method);
	return method;
}

static void ask_libcrypto(struct health *h, const struct libcrypto *c)
{
	char lacks[sizeof(h->item->text) / 2] = "";
	size_t i, nr = 0, used = 0;

	for (i = 0; i < ALGS; i++) {
		if (libcrypto_has(c, i))
			continue;
		nr++;
		if (used < sizeof(lacks))
			used += (size_t)snprintf(lacks + used, sizeof(lacks) - used, " %s", algs[i].name);
	}
	if (!nr)
		health_add(h, HEALTH_OK, "algorithms", "this CPU: all, with %s", c->version(0));
	else if (used < sizeof(lacks))
		health_add(h, HEALTH_NOTE, "algorithms", "this CPU: all but%s, with %s", lacks, c->version(0));
	else
		health_add(h, HEALTH_NOTE, "algorithms", "this CPU: %zu of %zu, with %s", ALGS - nr, ALGS, c->version(0));
	if (nr)
		health_remedy(h, "these are done by devices only; without one a session for them is refused (EOPNOTSUPP)");
}

static void check_libcrypto(struct health *h)
{
	void *lib = dlopen(LIBCRYPTO, RTLD_NOW | RTLD_LOCAL);
	struct libcrypto c;

	if (!lib) {
		health_add(h, HEALTH_NOTE, "algorithms", "this CPU: no ciphers, digests or AEAD, for want of " LIBCRYPTO);
		health_remedy(h, "install OpenSSL 3, unless devices do it all");
		return;
	}
	if (libcrypto_find(lib, &c))
		ask_libcrypto(h, &c);
	else
		health_add(h, HEALTH_PROBLEM, "algorithms", LIBCRYPTO " isn't OpenSSL's: it lacks functions");
	dlclose(lib);
}

void health_check_algorithms(struct health *h, const struct health_input *in)
{
	size_t i;

	for (i = 0; i < in->devices->count; i++) {
		const struct device *d = &in->devices->dev[i];

		if (!d->lacks[0])
			continue;
		health_add(h, HEALTH_NOTE, "algorithms", "%s: all but %s, which this kernel can't compute for it", d->name,
			   d->lacks);
		health_remedy(h, "load the kernel's modules of that name or leave its FIPS mode, then make the device live anew");
	}
	if (!root_is_fake(in->root))
		check_libcrypto(h);
}
