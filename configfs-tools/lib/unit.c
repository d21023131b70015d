// SPDX-License-Identifier: Apache-2.0
/* A unit of systemd, as 'systemctl show' has it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "unit.h"

#define SYSTEMCTL_SECONDS 30

#define PROPERTIES "LoadState,User,SupplementaryGroups,DynamicUser,PrivateDevices,PrivateUsers,DevicePolicy," \
	"DeviceAllow,RestrictAddressFamilies,SystemCallFilter,RootDirectory,RootImage,MountAPIVFS," \
	"ProtectKernelTunables,Environment,ControlGroup"

/* To open a device, map it, wait, and ask the kernel's family. */
static const char *const calls[] = { "openat", "ioctl", "mmap", "munmap", "poll", "ppoll", "socket", "bind",
				     "setsockopt", "sendmsg", "recvmsg", "futex" };

int unit_read(struct unit *u, const char *name, char *why, size_t size)
{
	const char *argv[] = { "systemctl", "show", "--property=" PROPERTIES, "--", name, NULL };
	struct command_output o;
	int ret = command_run(argv, SYSTEMCTL_SECONDS, &o);

	u->text = NULL;
	if (ret) {
		snprintf(why, size, "systemctl: %s", strerror(-ret));
		return ret;
	}
	if (o.status || !strstr(o.out, "LoadState=")) {
		snprintf(why, size, "systemctl show %s: %s", name, *o.err ? o.err : "systemd doesn't answer");
		command_free(&o);
		return -EIO;
	}
	u->text = o.out;
	if (!unit_is(u, "LoadState", "not-found"))
		return 0;
	snprintf(why, size, "unit %s: systemd has none of this name", name);
	unit_free(u);
	return -ENOENT;
}

void unit_free(struct unit *u)
{
	free(u->text);
	u->text = NULL;
}

/* The next line of this property, from *@at on. */
static const char *value_find(const char **at, const char *key, size_t *len)
{
	size_t key_len = strlen(key);
	const char *line;

	while (**at) {
		line = *at;
		*len = strcspn(line, "\n");
		*at += *len + (line[*len] == '\n');
		if (*len > key_len && !memcmp(line, key, key_len) && line[key_len] == '=') {
			*len -= key_len + 1;
			return line + key_len + 1;
		}
	}
	return NULL;
}

const char *unit_get(const struct unit *u, const char *key, size_t *len)
{
	const char *at = u->text, *value, *found = "";
	size_t n;

	*len = 0;
	while ((value = value_find(&at, key, &n))) {
		found = value;
		*len = n;
	}
	return found;
}

const char *unit_copy(const struct unit *u, const char *key, char *buf, size_t size)
{
	size_t len;
	const char *value = unit_get(u, key, &len);

	snprintf(buf, size, "%.*s", (int)len, value);
	return buf;
}

bool unit_is(const struct unit *u, const char *key, const char *value)
{
	size_t len;
	const char *have = unit_get(u, key, &len);

	return len == strlen(value) && !memcmp(have, value, len);
}

bool unit_limits_devices(const struct unit *u)
{
	size_t len;

	unit_get(u, "DeviceAllow", &len);
	return len || unit_is(u, "DevicePolicy", "closed") || unit_is(u, "DevicePolicy", "strict");
}

bool unit_allows_devices(const struct unit *u)
{
	static const char *const names[] = { UNIT_DEVICES, "char-*", "/dev/hisi_" };
	const char *at = u->text, *value;
	size_t len, i;

	while (unit_limits_devices(u) && (value = value_find(&at, "DeviceAllow", &len)))
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (len > strlen(names[i]) && !memcmp(value, names[i], strlen(names[i])))
				return true;
	return !unit_limits_devices(u);
}

/* An element may have an error number behind a colon. */
static bool words_have(const char *words, size_t len, const char *word)
{
	size_t n = strlen(word), at, end;

	for (at = 0; at < len; at = end + 1) {
		for (end = at; end < len && words[end] != ' '; end++)
			;
		if (end - at >= n && !memcmp(words + at, word, n) && (end - at == n || words[at + n] == ':'))
			return true;
	}
	return false;
}

bool unit_filters(const struct unit *u, const char *key, const char *word)
{
	size_t len;
	const char *value = unit_get(u, key, &len);

	if (!len)
		return false;
	return *value == '~' ? words_have(value + 1, len - 1, word) : !words_have(value, len, word);
}

const char *unit_filtered_calls(const struct unit *u, char *buf, size_t size)
{
	size_t i, used = 0;

	buf[0] = '\0';
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]) && used < size; i++)
		if (unit_filters(u, "SystemCallFilter", calls[i]))
			used += snprintf(buf + used, size - used, "%s%s", used ? " " : "", calls[i]);
	return buf;
}

const char *unit_environment(const struct unit *u, const char *name, char *buf, size_t size)
{
	size_t len, at, end, n = strlen(name);
	const char *value = unit_get(u, "Environment", &len);

	for (at = 0; at < len; at = end + 1) {
		for (end = at; end < len && value[end] != ' '; end++)
			;
		if (end - at <= n || memcmp(value + at, name, n) || value[at + n] != '=')
			continue;
		snprintf(buf, size, "%.*s", (int)(end - at - n - 1), value + at + n + 1);
		return buf;
	}
	return NULL;
}
