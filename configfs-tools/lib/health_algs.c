// SPDX-License-Identifier: Apache-2.0
/* Checks the algorithms of simulated devices on this kernel, and those of the software path with this libcrypto. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "health.h"
#include "openssl.h"

enum kind {
	CIPHER,
	DIGEST,
	KINDS,
};

/* The algorithms' names in the libraries and in libcrypto. HMACs and CBC with HMAC consist of these. */
static const struct {
	enum kind kind;
	const char *name;
	const char *evp;	/* NULL: only devices compute it */
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

static bool libcrypto_find(void *lib, struct libcrypto *c)
{
	return openssl_symbol(lib, &c->fetch[CIPHER], "EVP_CIPHER_fetch") &&
	       openssl_symbol(lib, &c->free[CIPHER], "EVP_CIPHER_free") &&
	       openssl_symbol(lib, &c->fetch[DIGEST], "EVP_MD_fetch") &&
	       openssl_symbol(lib, &c->free[DIGEST], "EVP_MD_free") &&
	       openssl_symbol(lib, &c->version, "OpenSSL_version");
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
		health_add(h, HEALTH_OK, "algorithms", "software path: all algorithms, with %s", c->version(0));
	else if (used < sizeof(lacks))
		health_add(h, HEALTH_NOTE, "algorithms", "software path: all algorithms but%s, with %s", lacks,
			   c->version(0));
	else
		health_add(h, HEALTH_NOTE, "algorithms", "software path: %zu of %zu algorithms, with %s", ALGS - nr,
			   ALGS, c->version(0));
	if (nr)
		health_remedy(h, "Only devices compute the missing ones; without a device their sessions fail with "
			      "EOPNOTSUPP.");
}

static void check_libcrypto(struct health *h)
{
	void *lib = dlopen(OPENSSL_LIBCRYPTO, RTLD_NOW | RTLD_LOCAL);
	struct libcrypto c;

	if (!lib) {
		health_add(h, HEALTH_NOTE, "algorithms",
			   "software path: no ciphers, digests or AEAD without " OPENSSL_LIBCRYPTO);
		health_remedy(h, "Install OpenSSL 3, unless a device computes all that is needed.");
		return;
	}
	if (libcrypto_find(lib, &c)) {
		ask_libcrypto(h, &c);
	} else {
		health_add(h, HEALTH_PROBLEM, "algorithms", OPENSSL_LIBCRYPTO " lacks functions of OpenSSL 3");
		health_remedy(h, "Install OpenSSL 3, and remove the other " OPENSSL_LIBCRYPTO ".");
	}
	dlclose(lib);
}

/* A simulated device takes hashes from its kernel once, when it is made. */
static void lacks_remedy(struct health *h, const struct root *r, const struct device *d)
{
	static const char *const hashes[] = { "md5", "sha1", "sha256", "sha512" };
	char fips[8], devices[256] = "", modules[128] = "";
	size_t i, used = 0;

	if (!root_read(r, fips, sizeof(fips), "/proc/sys/crypto/fips_enabled") && fips[0] == '1') {
		health_remedy(h, "Boot without fips=1: in FIPS mode the kernel doesn't offer these hashes.");
		return;
	}
	for (i = 0; i < sizeof(hashes) / sizeof(hashes[0]); i++)
		if (strstr(d->lacks, hashes[i]))
			used += (size_t)snprintf(modules + used, sizeof(modules) - used, " crypto-%s", hashes[i]);
	if (!root_read(r, devices, sizeof(devices), "/sys/module/%s/parameters/devices", module_sim_name) &&
	    devices[0] && strcmp(devices, "(null)"))
		health_command(h, "modprobe -a%s && wdctl unload && wdctl load --sim %s", modules, devices);
	else
		health_remedy(h, "Run 'modprobe -a%s', then write 0 and 1 to the file live of the device in "
			      "/sys/kernel/config/%s.", modules, module_sim_name);
}

void health_check_algorithms(struct health *h, const struct health_input *in)
{
	size_t i;

	for (i = 0; i < in->devices->count; i++) {
		const struct device *d = &in->devices->dev[i];

		if (!d->lacks[0])
			continue;
		health_add(h, HEALTH_NOTE, "algorithms", "%s: lacks %s, which this kernel doesn't compute for it",
			   d->name, d->lacks);
		lacks_remedy(h, in->root, d);
	}
	if (!root_is_fake(in->root))
		check_libcrypto(h);
}
