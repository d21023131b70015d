// SPDX-License-Identifier: Apache-2.0
/* The file of sections: wdctl's, as far as an emulator needs it. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sections.h"

struct section sections[SECTIONS_MAX];
unsigned int nr_sections;

static const char *file_name;
static unsigned int line_nr;

__attribute__((format(printf, 1, 2))) static int complain(const char *format, ...)
{
	va_list ap;

	fprintf(stderr, "wd-emulate: %s:%u: ", file_name, line_nr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -1;
}

static int number(const char *text, unsigned long most, unsigned int *value)
{
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (errno || end == text || *end || !isdigit((unsigned char)*text) || v > most)
		return complain("%s: expected a number from 0 to %lu", text, most);
	*value = (unsigned int)v;
	return 0;
}

static int nodes(struct section *s, char *text)
{
	char *save = NULL, *word, tail;

	for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (s->nr_nodes == DEVICES_MAX)
			return complain("more than %d nodes", DEVICES_MAX);
		if (sscanf(word, "%d=%u+%u%c", &s->nodes[s->nr_nodes].node, &s->nodes[s->nr_nodes].sync,
			   &s->nodes[s->nr_nodes].async, &tail) != 3)
			return complain("%s: expected NODE=SYNC+ASYNC", word);
		s->nr_nodes++;
	}
	return 0;
}

static int devices(struct section *s, char *text)
{
	char *save = NULL, *word;
	int id;

	for (word = strtok_r(text, " ,", &save); word; word = strtok_r(NULL, " ,", &save)) {
		id = device_find(word);
		if (id < 0)
			return complain("%s: there is no such device", word);
		s->device[s->nr_devices++] = (unsigned int)id;
	}
	return 0;
}

static int users(struct section *s, char *text)
{
	char *save = NULL, *word;

	s->everybody = !strcmp(text, "*");
	if (s->everybody)
		return 0;
	for (word = strtok_r(text, " ,", &save); word; word = strtok_r(NULL, " ,", &save)) {
		unsigned int uid;

		if (s->nr_allowed == ALLOWED_MAX)
			return complain("more than %d users", ALLOWED_MAX);
		if (number(word, 4294967294ul, &uid))
			return -1;
		s->allowed[s->nr_allowed++] = uid;
	}
	return 0;
}

static int pair(struct section *s, const char *key, char *value)
{
	const struct {
		const char *key;
		unsigned long most;
		unsigned int *to;
	} numbers[] = {
		{ "NumProcesses", SLOTS_MAX, &s->num_processes }, { "LimitDevAccess", 1, &s->limit },
		{ "SyncCtxs", 1024, &s->sync }, { "AsyncCtxs", 1024, &s->async },
		{ "QueuePriority", 7, &s->priority }, { "MaxExtraCtxs", 1024, &s->max_extra },
	};
	unsigned int live;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcasecmp(key, numbers[i].key))
			return number(value, numbers[i].most, numbers[i].to);
	if (!strcasecmp(key, "Nodes"))
		return nodes(s, value);
	if (!strcasecmp(key, "Devices"))
		return devices(s, value);
	if (!strcasecmp(key, "AllowedUsers"))
		return users(s, value);
	if (strcasecmp(key, "Live"))
		return complain("%s: expected NumProcesses, LimitDevAccess, SyncCtxs, AsyncCtxs, Nodes, Devices, QueuePriority, "
				"MaxExtraCtxs, AllowedUsers or Live", key);
	if (number(value, 1, &live))
		return -1;
	s->state = live ? SECTION_LIVE : SECTION_CONFIGURED;
	return 0;
}

static struct section *header(char *name)
{
	struct section *s = &sections[nr_sections];
	char *end = strchr(name, ']');

	if (!end || end[1] || end == name || end - name > 31) {
		complain("[%s: expected a section's name of 1 to 31 characters", name);
		return NULL;
	}
	*end = '\0';
	if (section_find(name)) {
		complain("section %s: a second time", name);
		return NULL;
	}
	if (nr_sections == SECTIONS_MAX) {
		complain("more than %d sections", SECTIONS_MAX);
		return NULL;
	}
	strcpy(s->name, name);
	s->num_processes = s->sync = s->async = 1;
	s->state = SECTION_LIVE;
	nr_sections++;
	return s;
}

static char *trim(char *text)
{
	size_t n;

	text[strcspn(text, ";#\n")] = '\0';
	text += strspn(text, " \t\r");
	for (n = strlen(text); n && isspace((unsigned char)text[n - 1]); n--)
		text[n - 1] = '\0';
	return text;
}

static int line(struct section **s, char *text)
{
	char *value;

	text = trim(text);
	if (!*text)
		return 0;
	if (*text == '[') {
		*s = header(text + 1);
		return *s ? 0 : -1;
	}
	value = strchr(text, '=');
	if (!value || !*s)
		return complain("%s: expected [NAME], then Key = value", text);
	*value++ = '\0';
	return pair(*s, trim(text), trim(value));
}

int sections_read(const char *path)
{
	struct section *s = NULL;
	char text[1024];
	int ret = 0;
	FILE *f = fopen(path, "re");

	file_name = path;
	if (!f) {
		fprintf(stderr, "wd-emulate: %s: %s\n", path, strerror(errno));
		return -1;
	}
	for (line_nr = 1; !ret && fgets(text, sizeof(text), f); line_nr++)
		ret = line(&s, text);
	fclose(f);
	return ret;
}
