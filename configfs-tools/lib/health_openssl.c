// SPDX-License-Identifier: Apache-2.0
/*
 * Checks the provider for OpenSSL: its module, the configuration that libcrypto reads for the caller, and its devices.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "health.h"
#include "openssl.h"
#include "openssl_algs.h"
#include "pci.h"

#define AREA "openssl"

/* libcrypto's own reader of its configuration: it knows included files and variables. */
struct libcrypto {
	char *(*default_file)(void);
	void *(*conf_new)(void *method);
	int (*conf_load)(void *conf, const char *file, long *line);
	char *(*conf_string)(const void *conf, const char *section, const char *key);
	void (*conf_free)(void *conf);
	void (*mem_free)(void *at, const char *file, int line);
	void (*errors_clear)(void);
	int (*available)(void *ctx, const char *provider);
};

static bool libcrypto_find(void *lib, struct libcrypto *c)
{
	return openssl_symbol(lib, &c->default_file, "CONF_get1_default_config_file") &&
	       openssl_symbol(lib, &c->conf_new, "NCONF_new") && openssl_symbol(lib, &c->conf_load, "NCONF_load") &&
	       openssl_symbol(lib, &c->conf_string, "NCONF_get_string") &&
	       openssl_symbol(lib, &c->conf_free, "NCONF_free") && openssl_symbol(lib, &c->mem_free, "CRYPTO_free") &&
	       openssl_symbol(lib, &c->errors_clear, "ERR_clear_error") &&
	       openssl_symbol(lib, &c->available, "OSSL_PROVIDER_available");
}

/* The settings of the configuration; the texts belong to conf. */
struct settings {
	const struct libcrypto *crypto;
	const char *file;
	void *conf;			/* NULL: there is no such file */
	const char *providers;		/* names of sections, NULL if there are none */
	const char *section;		/* the provider's */
	const char *properties;		/* the default ones */
	const char *algorithms;		/* the provider's key, NULL without it */
};

static const char *value(const struct settings *s, const char *section, const char *key)
{
	return s->conf && (section || !strcmp(key, "openssl_conf")) ? s->crypto->conf_string(s->conf, section, key) :
	       NULL;
}

static void settings_read(struct settings *s)
{
	const char *init = value(s, NULL, "openssl_conf"), *set = secure_getenv("WD_OPENSSL_ALGORITHMS");

	s->providers = value(s, init, "providers");
	s->section = value(s, s->providers, "warpdrive");
	s->properties = value(s, value(s, init, "alg_section"), "default_properties");
	/* The provider reads them in this order, too. */
	s->algorithms = set && *set ? set : value(s, s->section, "algorithms");
}

static bool activates(const struct settings *s, const char *provider)
{
	static const char *const off[] = { "0", "no", "off", "false" };
	const char *text = value(s, value(s, s->providers, provider), "activate");
	size_t i;

	for (i = 0; text && i < sizeof(off) / sizeof(off[0]); i++)
		if (!strcasecmp(text, off[i]))
			return false;
	return text;
}

/* --- the module --- */

static void folder_of_modules(char *buf, size_t len)
{
	const char *set = secure_getenv("OPENSSL_MODULES");

	if (set)
		snprintf(buf, len, "%s", set);
	else if (openssl_modules_dir(buf, len))
		*buf = '\0';
}

static void module_path(const struct settings *s, char *buf, size_t len)
{
	const char *named = value(s, s->section, "module");
	char dir[PATH_MAX];

	folder_of_modules(dir, sizeof(dir));
	if (named && named[0] == '/')
		snprintf(buf, len, "%s", named);
	else
		snprintf(buf, len, "%s/%s", dir, named ? named : OPENSSL_MODULE);
}

static void missing(struct health *h, const struct settings *s, const char *path)
{
	char beside[PATH_MAX];
	bool there = !openssl_module_beside(beside, sizeof(beside));

	if (s->section)
		health_add(h, HEALTH_PROBLEM, AREA, "%s: names the provider warpdrive, but there is no %s", s->file,
			   path);
	else
		health_add(h, HEALTH_NOTE, AREA, "the provider isn't in libcrypto's folder: there is no %s", path);
	if (there && s->section)
		health_remedy(h, "Add the line 'module = %s' to the section [%s].", beside, s->section);
	else if (there)
		health_remedy(h,
			      "If programs shall use it, 'wdctl export openssl' prints a configuration that names %s.",
			      beside);
	else if (s->section)
		health_remedy(h, "Install the package openssl-provider-warpdrive, or run 'make install-user' "
			      "and name the module that it installs in a line 'module'.");
	else
		health_remedy(h, "If programs that use OpenSSL shall use devices, "
			      "install the package openssl-provider-warpdrive.");
}

/* Whether the dynamic linker finds the file's libraries. */
static bool loads(struct health *h, const char *path)
{
	void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	bool ok = module && dlsym(module, "OSSL_provider_init");

	if (!ok) {
		health_add(h, HEALTH_PROBLEM, AREA, "%s can't be loaded: %s", path, dlerror());
		health_command(h, "make install-user && ldconfig");
	}
	if (module)
		dlclose(module);
	return ok;
}

/* The file that the module loads if there is a device: beside the module itself, not beside a link to it. */
static void path_of_devices(char *buf, size_t len, const char *module)
{
	char real[PATH_MAX];

	if (realpath(module, real))
		module = real;
	snprintf(buf, len, "%.*s/" OPENSSL_MODULE_DEVICES, (int)(strrchr(module, '/') - module), module);
}

static bool check_module(struct health *h, const struct settings *s)
{
	char path[2 * PATH_MAX], devices[sizeof(path)];

	module_path(s, path, sizeof(path));
	if (access(path, F_OK)) {
		missing(h, s, path);
		return false;
	}
	path_of_devices(devices, sizeof(devices), path);
	if (loads(h, path) && loads(h, devices))
		health_add(h, HEALTH_OK, AREA, "%s", path);
	return true;
}

/* --- the configuration --- */

enum preference {
	PREFERS_NOT,
	PREFERS,
	DEMANDS,		/* without the question mark */
};

static enum preference preference(const char *properties)
{
	static const char *const wanted[] = { "provider=warpdrive", "warpdrive.device=yes" };
	enum preference found = PREFERS_NOT;
	char text[256], *word, *save = NULL;
	size_t n = 0, i;

	for (; properties && *properties && n < sizeof(text) - 1; properties++)
		if (*properties != ' ' && *properties != '\t')
			text[n++] = *properties;
	text[n] = '\0';
	for (word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
			if (!strcasecmp(word, wanted[i]))
				return DEMANDS;
			if (*word == '?' && !strcasecmp(word + 1, wanted[i]))
				found = PREFERS;
		}
	}
	return found;
}

static void check_properties(struct health *h, const struct settings *s)
{
	switch (preference(s->properties)) {
	case DEMANDS:
		health_add(h, HEALTH_PROBLEM, AREA,
			   "%s: default_properties = %s lacks the question mark: libcrypto finds no decoders of "
			   "keys and no random numbers", s->file, s->properties);
		health_remedy(h, "Write 'default_properties = ?provider=warpdrive,?warpdrive.device=yes'.");
		break;
	case PREFERS_NOT:
		health_add(h, HEALTH_NOTE, AREA,
			   "%s: doesn't prefer the provider warpdrive, so only programs that ask for it use it",
			   s->file);
		health_remedy(h, "Write 'default_properties = ?provider=warpdrive,?warpdrive.device=yes' into "
			      "the section that alg_section names; 'wdctl export openssl' prints an example.");
		break;
	case PREFERS:
		health_add(h, HEALTH_OK, AREA, "%s: activates the provider warpdrive, and prefers it", s->file);
		break;
	}
}

/* libcrypto drops the reason for which it doesn't load a provider; the provider logs it. */
static bool check_config(struct health *h, const struct settings *s, bool there)
{
	if (!activates(s, "warpdrive")) {
		health_add(h, HEALTH_PROBLEM, AREA, "%s: names the provider warpdrive, but doesn't activate it",
			   s->file);
		health_remedy(h, "Add the line 'activate = 1' to the section [%s].", s->section);
		return false;
	}
	if (!activates(s, "default") && !activates(s, "fips")) {
		health_add(h, HEALTH_PROBLEM, AREA,
			   "%s: activates no provider but warpdrive, so ciphers and digests are missing", s->file);
		health_remedy(h, "Name the provider default among the providers, "
			      "with a line 'activate = 1' in a section of its own.");
	}
	check_properties(h, s);
	if (!there || s->crypto->available(NULL, "warpdrive"))
		return there;
	health_add(h, HEALTH_PROBLEM, AREA, "%s: libcrypto doesn't load the provider warpdrive", s->file);
	health_remedy(h, "Read the reason in the system's log, in a line with 'warpdrive-provider': "
		      "a key of the section [%s] or a variable WD_OPENSSL_... has a wrong value, "
		      "or a device is required that isn't there.", s->section);
	return false;
}

static bool config_load(struct health *h, struct settings *s)
{
	long line = 0;

	if (access(s->file, R_OK))
		return true;
	s->conf = s->crypto->conf_new(NULL);
	if (s->conf && s->crypto->conf_load(s->conf, s->file, &line) > 0)
		return true;
	health_add(h, HEALTH_PROBLEM, AREA, "%s: libcrypto can't read it, from line %ld on", s->file, line);
	health_remedy(h, "Correct the file; 'man 5 config' has its format.");
	return false;
}

/* --- devices --- */

/* The algorithms that devices compute, and the devices that do. */
static const struct {
	const char *what, *driver, *sim;
} works[OPENSSL_WORKS] = {
	[OPENSSL_KEYS] = { "with public keys", "hisi_hpre", "hpre" },
	[OPENSSL_BULK] = { "ciphers and digests", "hisi_sec2", "sec" },
};

/* A device for this work, if possible one that the caller may open. */
static const struct device *device_for(const struct health_input *in, const char *list, enum openssl_work work)
{
	const struct device *d, *fits = NULL;
	size_t i;

	for (i = 0; i < in->devices->count; i++) {
		d = &in->devices->dev[i];
		if (d->state != DEVICE_OK || !openssl_device_fits(d->algorithms, list, work))
			continue;
		fits = d;
		if (device_may_open(in->root, d))
			break;
	}
	return fits;
}

/* Perhaps there is a device for what the configuration leaves to libcrypto. */
static void no_device(struct health *h, const struct health_input *in, const char *list, enum openssl_work work)
{
	enum openssl_work other = work == OPENSSL_KEYS ? OPENSSL_BULK : OPENSSL_KEYS;
	const struct device *idle = openssl_names(list, other) ? NULL : device_for(in, "pkey ciphers digests", other);

	if (idle)
		health_add(h, HEALTH_PROBLEM, AREA,
			   "no device computes %s, so libcrypto does; %s computes %s, which the key algorithms "
			   "doesn't name", works[work].what, idle->name, works[other].what);
	else
		health_add(h, HEALTH_PROBLEM, AREA, "no device computes %s, so libcrypto does", works[work].what);
	if (pci_present(in->root, works[work].driver))
		health_command(h, "wdctl load");
	else
		health_command(h, "wdctl load --sim %s", works[work].sim);
}

static void check_devices(struct health *h, const struct health_input *in, const char *list, enum openssl_work work)
{
	const struct device *d = device_for(in, list, work);

	if (!d) {
		no_device(h, in, list, work);
	} else if (device_may_open(in->root, d)) {
		health_add(h, HEALTH_OK, AREA, "%s computes %s for the provider%s", d->name, works[work].what,
			   work == OPENSSL_KEYS && openssl_jobs_only(list) ? ", " WDP_JOBS_ONLY : "");
	} else {
		health_add(h, HEALTH_PROBLEM, AREA, "user %u can't open %s, so libcrypto computes %s for this user",
			   getuid(), d->name, works[work].what);
		health_remedy(h, "Do what the findings about nodes say, for the user of the program.");
	}
}

static void examine(struct health *h, const struct health_input *in, struct settings *s)
{
	unsigned int work;
	bool there;

	if (!config_load(h, s))
		return;
	settings_read(s);
	there = check_module(h, s);
	if (s->section) {
		there = check_config(h, s, there);
		for (work = 0; there && work < OPENSSL_WORKS; work++)
			if (openssl_names(s->algorithms, work))
				check_devices(h, in, s->algorithms, work);
	} else if (there) {
		health_add(h, HEALTH_NOTE, AREA, "%s: doesn't name the provider warpdrive, so programs don't use it",
			   s->file);
		health_remedy(h, "Write the output of 'wdctl export openssl' to a file, "
			      "and name that file to programs in OPENSSL_CONF.");
	}
}

void health_check_openssl(struct health *h, const struct health_input *in)
{
	struct settings s = { NULL };
	struct libcrypto crypto;
	char *file;
	void *lib;

	if (root_is_fake(in->root))
		return;
	/* Without it, the check of algorithms has a finding. */
	lib = dlopen(OPENSSL_LIBCRYPTO, RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		return;
	file = libcrypto_find(lib, &crypto) ? crypto.default_file() : NULL;
	if (file) {
		s.crypto = &crypto;
		s.file = file;
		examine(h, in, &s);
		if (s.conf)
			crypto.conf_free(s.conf);
		crypto.mem_free(file, __FILE__, __LINE__);
		crypto.errors_clear();
	}
	dlclose(lib);
}
