// SPDX-License-Identifier: Apache-2.0
/* Finds out why this kernel refuses a module that is installed: version, signature, lockdown, blacklist. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "refusal.h"

#define KEYS_MAX (1 << 20)

static void explain(struct refusal *refusal, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void explain(struct refusal *refusal, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(refusal->why, sizeof(refusal->why), fmt, ap);
	va_end(ap);
}

static void advise(struct refusal *refusal, bool command, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void advise(struct refusal *refusal, bool command, const char *fmt, ...)
{
	va_list ap;

	refusal->command = command;
	va_start(ap, fmt);
	vsnprintf(refusal->remedy, sizeof(refusal->remedy), fmt, ap);
	va_end(ap);
}

bool refusal_enforcement(const struct root *r, const struct kconfig *k, char *why, size_t len)
{
	char text[128];

	if (!root_read(r, text, sizeof(text), "/sys/kernel/security/lockdown") && !strstr(text, "[none]"))
		return snprintf(why, len, "it is locked down (%s)", text);
	if (!root_read(r, text, sizeof(text), "/sys/module/module/parameters/sig_enforce") && text[0] == 'Y')
		return snprintf(why, len, "/sys/module/module/parameters/sig_enforce is Y");
	if (k && kconfig_get(k, "MODULE_SIG_FORCE") == 'y')
		return snprintf(why, len, "CONFIG_MODULE_SIG_FORCE");
	return false;
}

/* The kernel compares the first word of vermagic with its own name. */
static bool other_version(const struct root *r, const struct module *m, struct refusal *refusal)
{
	size_t len = strcspn(m->vermagic, " ");

	if (!len || (strlen(r->release) == len && !strncmp(m->vermagic, r->release, len)))
		return false;
	explain(refusal, "it was built for kernel %.*s, not for %s", (int)len, m->vermagic, r->release);
	advise(refusal, true, "make install-modules");
	return true;
}

static bool is_key_of(const char *line, const char *name)
{
	const char *type = strstr(line, " asymmetri "), *found;
	size_t len = strlen(name);

	if (!type)
		return false;
	found = strstr(type, name);
	return found && found[len] == ':';
}

/* Does the kernel know a certificate of that name? True also if its keys can't be read. */
static bool key_known(const struct root *r, const char *name)
{
	bool any = false, known = false;
	char *text, *line, *save = NULL;

	text = malloc(KEYS_MAX);
	if (!text)
		return true;
	if (!root_read(r, text, KEYS_MAX, "/proc/keys")) {
		for (line = strtok_r(text, "\n", &save); line && !known; line = strtok_r(NULL, "\n", &save)) {
			any |= strstr(line, " asymmetri ") != NULL;
			known = is_key_of(line, name);
		}
	}
	free(text);
	return known || !any;
}

static bool not_trusted(const struct root *r, const struct kconfig *k, const struct module *m, struct refusal *refusal)
{
	char why[192];

	if (!refusal_enforcement(r, k, why, sizeof(why)))
		return false;
	if (!m->is_signed) {
		explain(refusal, "it is unsigned, and this kernel loads signed modules only: %s", why);
		advise(refusal, false,
		       "Create a key (docs/guide/administer.md, Secure Boot), let the firmware trust it, and "
		       "run 'make install-modules', which signs.");
		return true;
	}
	if (m->signer[0] && !key_known(r, m->signer)) {
		explain(refusal, "it is signed with the key '%s', which this kernel doesn't trust: %s", m->signer, why);
		advise(refusal, false,
		       "Run 'mokutil --import' with that key's certificate, for example /var/lib/dkms/mok.pub, "
		       "reboot, and choose 'Enroll MOK'.");
		return true;
	}
	return false;
}

/* The kernel's parameter module_blacklist=A,B. */
static bool refused_at_boot(const struct root *r, const char *name)
{
	char line[4096], *word, *save = NULL, *item, *save_item = NULL;

	if (root_read(r, line, sizeof(line), "/proc/cmdline"))
		return false;
	for (word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (strncmp(word, "module_blacklist=", 17))
			continue;
		for (item = strtok_r(word + 17, ",", &save_item); item; item = strtok_r(NULL, ",", &save_item))
			if (!strcmp(item, name))
				return true;
	}
	return false;
}

static bool forbidden(const struct root *r, struct module_db *db, const struct module *m, struct refusal *refusal)
{
	const char *command;

	if (refused_at_boot(r, m->name)) {
		explain(refusal, "the kernel was booted with module_blacklist=%s", m->name);
		advise(refusal, false, "Boot without that parameter.");
		return true;
	}
	command = module_install_command(db, m->name);
	if (command) {
		explain(refusal, "modprobe.d says 'install %s %s', which runs instead", m->name, command);
		advise(refusal, false, "Remove that line from /etc/modprobe.d, /run/modprobe.d or /lib/modprobe.d.");
		return true;
	}
	if (module_is_blacklisted(db, m->name)) {
		explain(refusal, "modprobe.d says 'blacklist %s', so udev doesn't load it", m->name);
		advise(refusal,
		       false, "Remove that line from /etc/modprobe.d, /run/modprobe.d or /lib/modprobe.d, and run "
			      "'wdctl load'.");
		return true;
	}
	return false;
}

bool refusal_find(const struct root *r, const struct kconfig *k, struct module_db *db, const struct module *m,
		  struct refusal *refusal)
{
	return other_version(r, m, refusal) || not_trusted(r, k, m, refusal) || forbidden(r, db, m, refusal);
}
