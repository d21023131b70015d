// SPDX-License-Identifier: Apache-2.0
/* The provider for OpenSSL: where its module is, which algorithms it has, and a configuration that turns it on. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "openssl.h"

#define INFO_MODULES_DIR 1003		/* OPENSSL_INFO_MODULES_DIR */

/* As the provider has them. */
static const struct {
	const char *name, *group;
	const char *device;		/* the name in sysfs */
	bool alone;			/* the group's name doesn't choose it */
} algs[] = {
	{ "rsa", "pkey", "rsa", false },
	{ "rsa-public", "", "rsa", false },
	{ "ecdsa", "pkey", "ecdsa", false },
	{ "ecdh", "pkey", "ecdh", false },
	{ "x25519", "pkey", "x25519", false },
	{ "x448", "pkey", "x448", false },
	{ "dh", "pkey", "dh", false },
	{ "sm2", "pkey", "sm2", false },
	{ "aes-cbc", "ciphers", "cipher", false },
	{ "aes-xts", "ciphers", "cipher", false },
	{ "aes-cfb", "ciphers", "cipher", false },
	{ "aes-ofb", "ciphers", "cipher", false },
	{ "aes-ctr", "ciphers", "cipher", true },
	{ "aes-ecb", "ciphers", "cipher", true },
	{ "aes-gcm", "ciphers", "aead", false },
	{ "aes-ccm", "ciphers", "aead", false },
	{ "3des", "ciphers", "cipher", false },
	{ "sm4", "ciphers", "cipher", false },
	{ "md5", "digests", "digest", false },
	{ "sha1", "digests", "digest", false },
	{ "sha2", "digests", "digest", false },
	{ "sm3", "digests", "digest", false },
	{ "hmac", "digests", "digest", false },
};

#define ALGS (sizeof(algs) / sizeof(algs[0]))

static bool is(const char *name, const char *text, size_t len)
{
	return len && strlen(name) == len && !memcmp(name, text, len);
}

/* A bit for each algorithm. all: a group's name stands also for those that it doesn't choose. */
static unsigned int alg_bits(const char *text, size_t len, bool all)
{
	unsigned int bits = 0;
	size_t i;

	for (i = 0; i < ALGS; i++)
		if (is(algs[i].name, text, len) || (is(algs[i].group, text, len) && (all || !algs[i].alone)))
			bits |= 1u << i;
	return bits;
}

bool openssl_symbol(void *lib, void *to, const char *name)
{
	void *at = dlsym(lib, name);

	memcpy(to, &at, sizeof(at));
	return at;
}

int openssl_modules_dir(char *buf, size_t len)
{
	void *lib = dlopen(OPENSSL_LIBCRYPTO, RTLD_NOW | RTLD_LOCAL);
	const char *(*info)(int what) = NULL;
	const char *dir = NULL;
	int ret = -ENOENT;

	if (!lib)
		return ret;
	if (openssl_symbol(lib, &info, "OPENSSL_info"))
		dir = info(INFO_MODULES_DIR);
	if (dir && (size_t)snprintf(buf, len, "%s", dir) < len)
		ret = 0;
	dlclose(lib);
	return ret;
}

int openssl_module_beside(char *buf, size_t len)
{
	return beside_find(buf, len, "ossl-modules/" OPENSSL_MODULE) ? -ENOENT : 0;
}

/* What a list chooses; after a word that is none, what it has chosen so far. */
static unsigned int list_bits(const char *list, struct ini_word *wrong)
{
	unsigned int chosen = 0, bits;
	bool less;
	size_t len;

	for (list += strspn(list, " ,"); *list; list += len + strspn(list + len, " ,")) {
		less = *list == '-';
		len = strcspn(list, " ,");
		bits = alg_bits(list + less, len - less, less);
		if (!bits) {
			*wrong = (struct ini_word){ list, len };
			return chosen;
		}
		chosen = less ? chosen & ~bits : chosen | bits;
	}
	*wrong = (struct ini_word){ NULL, 0 };
	return chosen;
}

int openssl_algorithms_check(const char *list, struct ini_word *wrong)
{
	return list_bits(list, wrong) && !wrong->text ? 0 : -EINVAL;
}

static unsigned int work_bits(const char *list, enum openssl_work work)
{
	struct ini_word wrong;
	unsigned int chosen = list_bits(list ? list : "pkey", &wrong), bits = 0;
	bool bulk;
	size_t i;

	for (i = 0; i < ALGS; i++) {
		bulk = !strcmp(algs[i].group, "ciphers") || !strcmp(algs[i].group, "digests");
		if (bulk == (work == OPENSSL_BULK))
			bits |= 1u << i;
	}
	return chosen & bits;
}

bool openssl_names(const char *list, enum openssl_work work)
{
	return work_bits(list, work);
}

bool openssl_device_fits(const char *algorithms, const char *list, enum openssl_work work)
{
	unsigned int bits = work_bits(list, work);
	size_t len, i;

	for (; *algorithms; algorithms += len + strspn(algorithms + len, " ")) {
		len = strcspn(algorithms, " ");
		for (i = 0; i < ALGS; i++)
			if (bits >> i & 1 && is(algs[i].device, algorithms, len))
				return true;
	}
	return false;
}

/* A value of libcrypto's configuration: a backslash takes the meaning of the next character away. */
static void print_value(FILE *f, const char *key, const char *value)
{
	fprintf(f, "%s = ", key);
	for (; *value; value++) {
		if (strchr("\\$#'\"` ", *value))
			fputc('\\', f);
		fputc(*value, f);
	}
	fputc('\n', f);
}

void export_openssl(FILE *f, const char *module, const char *algorithms)
{
	fprintf(f,
		"# Written by 'wdctl export openssl'. Save it, for example as /etc/ssl/warpdrive.cnf, and name it to a program:\n"
		"#   OPENSSL_CONF=/etc/ssl/warpdrive.cnf openssl list -providers -verbose\n"
		"# In a systemd service that is the line Environment=OPENSSL_CONF=/etc/ssl/warpdrive.cnf below [Service]. The\n"
		"# program then doesn't read the system's openssl.cnf: copy what it needs from there, such as ssl_conf.\n"
		"openssl_conf = warpdrive_init\n"
		"\n"
		"[warpdrive_init]\n"
		"providers = warpdrive_providers\n"
		"alg_section = warpdrive_preferred\n"
		"\n"
		"[warpdrive_preferred]\n"
		"# Without the question marks libcrypto finds no decoders of keys and no random numbers.\n"
		"default_properties = ?provider=warpdrive,?warpdrive.device=yes\n"
		"\n"
		"[warpdrive_providers]\n"
		"default = default_section\n"
		"warpdrive = warpdrive_section\n"
		"\n"
		"[default_section]\n"
		"activate = 1\n"
		"\n"
		"[warpdrive_section]\n"
		"# warpdrive-provider(7) has more keys.\n");
	if (module)
		print_value(f, "module", module);
	fprintf(f, "activate = 1\n");
	if (algorithms)
		fprintf(f, "algorithms = %s\n", algorithms);
}
