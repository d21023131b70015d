// SPDX-License-Identifier: Apache-2.0
/*
 * The provider for OpenSSL: where its module is, for which algorithms it needs devices, and a configuration that turns
 * it on.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "openssl.h"
#include "openssl_algs.h"

#define INFO_MODULES_DIR 1003		/* OPENSSL_INFO_MODULES_DIR */

static bool is_name(const char *name, const char *text, size_t len)
{
	return len && strlen(name) == len && !memcmp(name, text, len);
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

int openssl_algorithms_check(const char *list, struct ini_word *wrong)
{
	*wrong = (struct ini_word){ NULL, 0 };
	return wdp_algs_chosen(list, &wrong->text, &wrong->len).algs && !wrong->text ? 0 : -EINVAL;
}

static unsigned int work_bits(const char *list, enum openssl_work work)
{
	unsigned int chosen, bits = 0, alg;
	const char *wrong, *group;
	bool bulk;
	size_t len;

	chosen = wdp_algs_chosen(list, &wrong, &len).algs;
	for (alg = 0; alg < WDP_ALGS; alg++) {
		group = wdp_alg_facts[alg].group;
		bulk = !strcmp(group, "ciphers") || !strcmp(group, "digests");
		if (bulk == (work == OPENSSL_BULK))
			bits |= WDP_BIT(alg);
	}
	return chosen & bits;
}

bool openssl_names(const char *list, enum openssl_work work)
{
	return work_bits(list, work);
}

bool openssl_jobs_only(const char *list)
{
	const char *wrong;
	size_t len;

	return wdp_algs_chosen(list, &wrong, &len).jobs;
}

bool openssl_device_fits(const char *algorithms, const char *list, enum openssl_work work)
{
	unsigned int bits = work_bits(list, work), alg;
	size_t len;

	for (; *algorithms; algorithms += len + strspn(algorithms + len, " ")) {
		len = strcspn(algorithms, " ");
		for (alg = 0; alg < WDP_ALGS; alg++)
			if (bits & WDP_BIT(alg) && is_name(wdp_alg_facts[alg].accel, algorithms, len))
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
		"# Written by 'wdctl export openssl'. Save it, for example as /etc/ssl/warpdrive.cnf, "
		"and name it to a program:\n"
		"#   OPENSSL_CONF=/etc/ssl/warpdrive.cnf openssl list -providers -verbose\n"
		"# In a systemd service that is the line Environment=OPENSSL_CONF=/etc/ssl/warpdrive.cnf "
		"below [Service]. The\n"
		"# program then doesn't read the system's openssl.cnf: "
		"copy what it needs from there, such as ssl_conf.\n"
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
	if (openssl_jobs_only(algorithms))
		fprintf(f, "# Devices are given " WDP_JOBS_ONLY ", because a CPU is as quick. Names in\n"
			"# the key algorithms change that: 'algorithms = pkey' stands for all.\n");
	if (module)
		print_value(f, "module", module);
	fprintf(f, "activate = 1\n");
	if (algorithms)
		fprintf(f, "algorithms = %s\n", algorithms);
}
