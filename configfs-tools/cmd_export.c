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
#include "lib/export_metrics.h"
#include "lib/idname.h"
#include "lib/openssl.h"
#include "openssl_algs.h"
#include "section_export.h"

#define GID 'G'

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

static enum wdctl_exit systemd_cdi(const struct wdctl_run *r)
{
	return with_program(r, export_systemd_cdi);
}

static enum wdctl_exit systemd_cdi_path(const struct wdctl_run *r)
{
	(void)r;
	export_systemd_cdi_path(stdout);
	return EXIT_DONE;
}

static enum wdctl_exit slurm_prolog(const struct wdctl_run *r)
{
	return with_program(r, export_slurm_prolog);
}

static enum wdctl_exit slurm_task_prolog(const struct wdctl_run *r)
{
	return with_program(r, export_slurm_task_prolog);
}

static enum wdctl_exit slurm_epilog(const struct wdctl_run *r)
{
	return with_program(r, export_slurm_epilog);
}

static enum wdctl_exit metrics_socket(const struct wdctl_run *r)
{
	return with_program(r, export_metrics_socket);
}

static enum wdctl_exit metrics_http(const struct wdctl_run *r)
{
	return with_program(r, export_metrics_http);
}

static enum wdctl_exit metrics_file(const struct wdctl_run *r)
{
	return with_program(r, export_metrics_file);
}

static enum wdctl_exit metrics_timer(const struct wdctl_run *r)
{
	return with_program(r, export_metrics_timer);
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

/* The group of the nodes in a container. */
static enum wdctl_exit cdi_group(const struct wdctl_run *r, uint32_t *gid, struct cdi_group *group)
{
	const char *name = r->opt['g'] ? r->opt['g'] : EXPORT_GROUP;
	struct id_names names = idname_source(&r->root);
	bool has_group;

	if (!word_good("group", name, ALNUM "_-"))
		return EXIT_USAGE;
	has_group = !names.find(names.arg, true, name, gid);
	if (!has_group && (r->opt['g'] || r->opt[GID])) {
		wdctl_error("export", "group %s doesn't exist", name);
		return EXIT_FAILED;
	}
	if (!has_group)
		fprintf(stderr, "group %s doesn't exist, so only root will open the nodes; --group names another\n",
			name);
	*group = (struct cdi_group){ has_group ? gid : NULL, r->opt[GID] };
	return EXIT_DONE;
}

static enum wdctl_exit cdi(const struct wdctl_run *r)
{
	struct device_list devices;
	struct cdi_group group;
	enum wdctl_exit result;
	uint32_t gid;
	int ret;

	result = cdi_group(r, &gid, &group);
	if (result != EXIT_DONE)
		return result;
	if (r->opt[EXPORT_SECTIONS])
		return section_export_cdi(r, &group);
	ret = device_list_read(&r->root, &devices);
	if (ret) {
		wdctl_error("export", "%s/sys/class/uacce: %s", r->root.dir, strerror(-ret));
		return EXIT_FAILED;
	}
	if (!devices.count)
		fprintf(stderr, "no accelerators found; run 'wdctl doctor' for the cause\n");
	result = section_export_put(r, cdi_devices(&devices, &group));
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

#define FORMATS "systemd, systemd-device, systemd-cdi, systemd-cdi-path, systemd-dropin, udev, sysusers, " \
	"cdi, k8s, openssl, metrics-socket, metrics-http, metrics-file, metrics-timer, slurm-prolog, " \
	"slurm-task-prolog or slurm-epilog"

static const struct format {
	const char *name;
	const char *options;	/* keys of those that it has */
	int args;		/* what it takes behind its name */
	enum wdctl_exit (*run)(const struct wdctl_run *r);
} formats[] = {
	{ "systemd", "b", 0, systemd },
	{ "systemd-device", "b", 0, systemd_device },
	{ "systemd-cdi", "b", 0, systemd_cdi },
	{ "systemd-cdi-path", "", 0, systemd_cdi_path },
	{ "udev", "g", 0, udev },
	{ "sysusers", "g", 0, sysusers },
	{ "cdi", "gsoG", 0, cdi },
	{ "systemd-dropin", "u", 2, section_export_dropin },
	{ "k8s", "gS", 0, section_export_k8s },
	{ "openssl", "a", 0, openssl },
	{ "metrics-socket", "b", 0, metrics_socket },
	{ "metrics-http", "b", 0, metrics_http },
	{ "metrics-file", "b", 0, metrics_file },
	{ "metrics-timer", "b", 0, metrics_timer },
	{ "slurm-prolog", "b", 0, slurm_prolog },
	{ "slurm-task-prolog", "b", 0, slurm_task_prolog },
	{ "slurm-epilog", "b", 0, slurm_epilog },
};

static const struct wdctl_option export_options[] = {
	{ 'b', "program", "PATH", "path of wdctl in a unit (default: this program's)" },
	{ 'g', "group", "NAME", "group that may open the devices (" EXPORT_GROUP ")" },
	{ 'a', "algorithms", "LIST", "what OpenSSL gives to devices (pkey, " WDP_JOBS_ONLY ")" },
	{ EXPORT_SECTIONS, "sections", NULL, "cdi: a device for each live section, in place of each accelerator" },
	{ EXPORT_OUTPUT, "output", "FILE", "cdi: replace FILE in one step instead of printing" },
	{ EXPORT_SECTION, "section", "NAME", "k8s: the section" },
	{ EXPORT_USER, "user", "NAME", "systemd-dropin: a rule for udev that lets this user open the devices" },
	{ GID, "gid", NULL, "cdi: make the container's process a member of the group (CDI 0.7.0)" },
	{ 0 },
};

static bool options_good(const struct wdctl_run *r, const struct format *format)
{
	const struct wdctl_option *o;

	for (o = export_options; o->key; o++) {
		if (!r->opt[(unsigned char)o->key] || strchr(format->options, o->key))
			continue;
		wdctl_error("export", "--%s: not an option of %s", o->name, format->name);
		return false;
	}
	return true;
}

static enum wdctl_exit export_run(const struct wdctl_run *r)
{
	const char *format = r->args_nr ? r->args[0] : "";
	char shown[ESCAPE_SIZE];
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(format, formats[i].name))
			continue;
		if (r->args_nr - 1 == formats[i].args)
			return options_good(r, &formats[i]) ? formats[i].run(r) : EXIT_USAGE;
		wdctl_error("export", "%s: expected %s", format, formats[i].args ? "SECTION UNIT" : "no argument");
		return EXIT_USAGE;
	}
	wdctl_error("export", "expected " FORMATS ", not '%s'",
		    escape(shown, sizeof(shown), format, strlen(format)));
	return EXIT_USAGE;
}

const struct wdctl_cmd cmd_export = {
	.name = "export",
	.help = "print systemd units, udev rules, CDI specifications or OpenSSL's configuration",
	.args = "systemd|systemd-device|systemd-cdi|systemd-cdi-path|udev|sysusers|cdi|k8s|openssl|\n"
		"       systemd-dropin SECTION UNIT|metrics-socket|metrics-http|metrics-file|metrics-timer|\n"
		"       slurm-prolog|slurm-task-prolog|slurm-epilog",
	.kind = WDCTL_HAS_ROOT,
	.options = export_options,
	.run = export_run,
};
