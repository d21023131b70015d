// SPDX-License-Identifier: Apache-2.0
/* wdctl export: files for systemd, udev, container runtimes and OpenSSL. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "lib/escape.h"
#include "lib/export.h"
#include "lib/idname.h"
#include "lib/openssl.h"
#include "openssl_algs.h"
#include "provision.h"

/* The values become words in another program's file, so they must need no quotes. */
static bool word_good(const char *option, const char *word, const char *chars)
{
	char shown[ESCAPE_SIZE];

	if (*word && *word != '-' && !word[strspn(word, chars)])
		return true;
	wdctl_error("export", "--%s: expected only %s, not '%s'", option, chars,
		    escape(shown, sizeof(shown), word, strlen(word)));
	return false;
}

#define ALNUM "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static enum wdctl_exit with_program(const struct wdctl_run *r, void (*write)(FILE *f, const char *program))
{
	const char *program = r->opt['b'];
	char self[PATH_MAX];
	ssize_t len;

	if (!program) {
		len = readlink("/proc/self/exe", self, sizeof(self) - 1);
		if (len < 0) {
			wdctl_error("export", "/proc/self/exe: %s", strerror(errno));
			return EXIT_FAILED;
		}
		self[len] = '\0';
		program = self;
	}
	if (program[0] != '/') {
		wdctl_error("export", "--program %s: expected an absolute path", program);
		return EXIT_USAGE;
	}
	if (!word_good("program", program, ALNUM "/._+-"))
		return EXIT_USAGE;
	write(stdout, program);
	return EXIT_DONE;
}

static enum wdctl_exit systemd(const struct wdctl_run *r)
{
	return with_program(r, export_systemd);
}

static enum wdctl_exit systemd_device(const struct wdctl_run *r)
{
	return with_program(r, export_systemd_device);
}

static enum wdctl_exit for_group(const struct wdctl_run *r, void (*write)(FILE *f, const char *group))
{
	const char *group = r->opt['g'] ? r->opt['g'] : EXPORT_GROUP;

	if (!word_good("group", group, ALNUM "_-"))
		return EXIT_USAGE;
	write(stdout, group);
	return EXIT_DONE;
}

static enum wdctl_exit udev(const struct wdctl_run *r)
{
	return for_group(r, export_udev);
}

static enum wdctl_exit sysusers(const struct wdctl_run *r)
{
	return for_group(r, export_sysusers);
}

static enum wdctl_exit cdi(const struct wdctl_run *r)
{
	const char *group = r->opt['g'] ? r->opt['g'] : EXPORT_GROUP;
	struct id_names names = idname_source(&r->root);
	struct device_list devices;
	enum wdctl_exit result;
	bool has_group;
	uint32_t gid;
	int ret;

	if (!word_good("group", group, ALNUM "_-"))
		return EXIT_USAGE;
	has_group = !names.find(names.arg, true, group, &gid);
	if (!has_group && r->opt['g']) {
		wdctl_error("export", "group %s doesn't exist", group);
		return EXIT_FAILED;
	}
	if (!has_group)
		fprintf(stderr, "group %s doesn't exist, so only root will open the nodes; --group names another\n",
			group);
	ret = device_list_read(&r->root, &devices);
	if (ret) {
		wdctl_error("export", "%s/sys/class/uacce: %s", r->root.dir, strerror(-ret));
		return EXIT_FAILED;
	}
	if (!devices.count)
		fprintf(stderr, "no accelerators found; run 'wdctl doctor' for the cause\n");
	result = provision_print_json("export", export_cdi(&devices, has_group ? &gid : NULL));
	device_list_free(&devices);
	return result;
}

static bool algorithms_good(const char *list)
{
	char shown[ESCAPE_SIZE];
	struct ini_word wrong;

	if (!list || !openssl_algorithms_check(list, &wrong))
		return true;
	if (wrong.text)
		wdctl_error("export", "--algorithms: expected " WDP_ALGS_EXPECTED ", not '%s'",
			    escape(shown, sizeof(shown), wrong.text, wrong.len));
	else
		wdctl_error("export", "--algorithms '%s': nothing is left; expected one that stays, as in 'pkey -dh'",
			    escape(shown, sizeof(shown), list, strlen(list)));
	return false;
}

/* The folder is libcrypto's own, and not that of OPENSSL_MODULES: the file is for other programs. */
static enum wdctl_exit openssl(const struct wdctl_run *r)
{
	char dir[PATH_MAX] = "", path[PATH_MAX + sizeof("/" OPENSSL_MODULE)], beside[PATH_MAX];
	const char *module = NULL;

	if (!algorithms_good(r->opt['a']))
		return EXIT_USAGE;
	if (openssl_modules_dir(dir, sizeof(dir)))
		fprintf(stderr, OPENSSL_LIBCRYPTO " can't be loaded; install OpenSSL 3\n");
	snprintf(path, sizeof(path), "%s/" OPENSSL_MODULE, dir);
	if (!*dir || access(path, F_OK)) {
		if (!openssl_module_beside(beside, sizeof(beside)))
			module = beside;
		else
			fprintf(stderr, OPENSSL_MODULE " is neither in libcrypto's folder %s nor installed with wdctl; "
				"install the package openssl-provider-warpdrive, or run 'make install-user'\n", dir);
	}
	export_openssl(stdout, module, r->opt['a']);
	return EXIT_DONE;
}

static const struct {
	const char *name;
	enum wdctl_exit (*run)(const struct wdctl_run *r);
} formats[] = {
	{ "systemd", systemd },
	{ "systemd-device", systemd_device },
	{ "udev", udev },
	{ "sysusers", sysusers },
	{ "cdi", cdi },
	{ "openssl", openssl },
};

static enum wdctl_exit export_run(const struct wdctl_run *r)
{
	size_t i;

	for (i = 0; r->args_nr == 1 && i < sizeof(formats) / sizeof(formats[0]); i++)
		if (!strcmp(r->args[0], formats[i].name))
			return formats[i].run(r);
	wdctl_error("export", "expected systemd, systemd-device, udev, sysusers, cdi or openssl");
	return EXIT_USAGE;
}

static const struct wdctl_option export_options[] = {
	{ 'b', "program", "PATH", "path of wdctl in a unit (default: this program's)" },
	{ 'g', "group", "NAME", "group that may open the devices (" EXPORT_GROUP ")" },
	{ 'a', "algorithms", "LIST", "what OpenSSL gives to devices (pkey, " WDP_JOBS_ONLY ")" },
	{ 0 },
};

const struct wdctl_cmd cmd_export = {
	.name = "export",
	.help = "print systemd units, udev rules, a CDI specification or OpenSSL's configuration",
	.args = "systemd|systemd-device|udev|sysusers|cdi|openssl",
	.kind = WDCTL_HAS_ROOT,
	.options = export_options,
	.run = export_run,
};
