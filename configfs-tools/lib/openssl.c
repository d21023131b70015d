// SPDX-License-Identifier: Apache-2.0
/* The provider for OpenSSL: where its module is, which algorithms it has, and a configuration that turns it on. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "openssl.h"

#define INFO_MODULES_DIR 1003		/* OPENSSL_INFO_MODULES_DIR */

/* Without the first one, also the names that devices have in sysfs. Bits of masks. */
static const struct {
	const char *name;
	unsigned int bits;
} algs[] = {
	{ "pkey", 0x7f }, { "rsa", 0x01 }, { "ecdsa", 0x02 }, { "ecdh", 0x04 },
	{ "x25519", 0x08 }, { "x448", 0x10 }, { "dh", 0x20 }, { "sm2", 0x40 },
};

static unsigned int alg_bits(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(algs) / sizeof(algs[0]); i++)
		if (strlen(algs[i].name) == len && !memcmp(algs[i].name, name, len))
			return algs[i].bits;
	return 0;
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
	/* The build folder has programs and modules side by side. */
	static const char *const places[] = { "lib", "lib64", "." };
	char self[PATH_MAX], path[2 * PATH_MAX], real[PATH_MAX], *slash;
	ssize_t got = readlink("/proc/self/exe", self, sizeof(self) - 1);
	size_t i;

	if (got < 0)
		return -ENOENT;
	self[got] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return -ENOENT;
	*slash = '\0';
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/../%s/ossl-modules/" OPENSSL_MODULE, self, places[i]);
		if (realpath(path, real) && strlen(real) < len) {
			strcpy(buf, real);
			return 0;
		}
	}
	return -ENOENT;
}

bool openssl_device_fits(const char *algorithms)
{
	size_t len;

	for (; *algorithms; algorithms += len + strspn(algorithms + len, " ")) {
		len = strcspn(algorithms, " ");
		if (alg_bits(algorithms, len))
			return true;
	}
	return false;
}

int openssl_algorithms_check(const char *list, struct ini_word *wrong)
{
	unsigned int chosen = 0, bits;
	bool less;
	size_t len;

	for (list += strspn(list, " ,"); *list; list += len + strspn(list + len, " ,")) {
		less = *list == '-';
		len = strcspn(list, " ,");
		bits = alg_bits(list + less, len - less);
		if (!bits) {
			*wrong = (struct ini_word){ list, len };
			return -EINVAL;
		}
		chosen = less ? chosen & ~bits : chosen | bits;
	}
	*wrong = (struct ini_word){ NULL, 0 };
	return chosen ? 0 : -EINVAL;
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
		"# Without the question mark libcrypto finds no decoders of keys and no random numbers.\n"
		"default_properties = ?provider=warpdrive\n"
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
