// SPDX-License-Identifier: Apache-2.0
/*
 * Damaged and invented files of sections, under the sanitizers: nothing breaks, errors are printable and in
 * order, and what is accepted is the same after being printed and read again.
 * A hundred thousand files; WD_TEST_LONG=1: ten million; WD_TEST_SEED=N.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kselftest_harness.h>

#include "config.h"

#define FILE_MAX 2048
#define FILES 100000
#define FILES_LONG 10000000

static const char *const words[] = {
	"[SSL]", "[IPSec] ", "[device hisi_zip-0]", "[device ", "[", "]", "\n", "\n", "\n", " ", "\t", "\r\n", "=", " = ",
	"NumProcesses", "LimitDevAccess", "SyncCtxs", "AsyncCtxs", "Nodes", "Devices", "QueuePriority", "MaxExtraCtxs",
	"AllowedUsers", "AllowedGroups", "Live", "Priority", "Zone", "MaxCtxsPerProcess", "Latency", "Throughput",
	"0", "1", "2", "65535", "-1", "0=2+2", "1=1+0", "1024", "*", "0-5", "1000-1999", "alice", "hisi_zip-0",
	"0000:75:00.0", ",", ", ", "-", "+", ";", "#", "\\", "\"", "..", "/", "\x80", "\x01", "4294967295",
	"[a]\nNumProcesses = 2\n", "Nodes = 0=2+2 1=1+0\n", "Devices = hisi_zip-0, hisi_zip-1\n", "Live = no\n",
};
#define WORDS (sizeof(words) / sizeof(words[0]))

static uint64_t state;

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 32) % below;
}

static int names_find(void *arg, bool group, const char *name, uint32_t *id)
{
	*id = 1000;
	return strcmp(name, "alice") ? -1 : 0;
}

static const struct id_names names = { NULL, names_find };

/* Half of them begin as a good file, which the rest may spoil. */
static const char good_start[] =
	"[SSL]\nNumProcesses = 2\nLimitDevAccess = 1\nDevices = hisi_sec2-0, hisi_hpre-0 ; default\n"
	"Nodes = 0=2+2 1=1+0\nAllowedUsers = alice, 5-9\n[device 0000:75:00.0] Priority = -10 Zone = 1\n";

static size_t invent(char *text)
{
	size_t len = 0, n = draw(40), size;
	const char *word;

	if (draw(2)) {
		len = sizeof(good_start) - 1;
		memcpy(text, good_start, len);
		n = draw(4);
	}
	while (n--) {
		word = words[draw(WORDS)];
		size = strlen(word);
		if (len + size > FILE_MAX)
			break;
		memcpy(text + len, word, size);
		len += size;
	}
	for (n = draw(4) ? 0 : draw(4); n && len; n--)
		text[draw(len)] = draw(256);
	return len;
}

static bool printable(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text >= 0x7f)
			return false;
	return true;
}

static bool errors_good(const struct config *c, size_t lines)
{
	size_t i, last = 1;

	for (i = 0; i < c->errors && i < CONFIG_ERRORS_SHOWN; i++) {
		if (!printable(c->error[i].text) || c->error[i].line < last || c->error[i].line > lines)
			return false;
		last = c->error[i].line;
	}
	return true;
}

static bool values_same(const struct object *a, const struct object *b)
{
	size_t i;

	for (i = 0; i < OBJECT_ATTRS_MAX; i++)
		if (!a->value[i] != !b->value[i] || (a->value[i] && strcmp(a->value[i], b->value[i])))
			return false;
	return !strcmp(a->name, b->name);
}

/* Devices may be printed in another order: each is looked for. */
static bool config_same(const struct config *a, const struct config *b)
{
	const struct object *other;
	size_t i;
	int kind;

	for (kind = OBJECT_SECTION; kind <= OBJECT_DEVICE; kind++) {
		if (a->objects[kind].count != b->objects[kind].count)
			return false;
		for (i = 0; i < a->objects[kind].count; i++) {
			other = config_find(b, kind, a->objects[kind].item[i].name);
			if (!other || !values_same(&a->objects[kind].item[i], other))
				return false;
		}
	}
	return true;
}

static bool survives_printing(const struct config *c)
{
	struct config again;
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);
	bool same;

	config_print(f, c);
	fclose(f);
	same = !config_parse(&again, text, size, &names) && !again.errors && config_same(c, &again);
	if (!same)
		fprintf(stderr, "printed:\n%s\n", text);
	config_free(&again);
	free(text);
	return same;
}

FIXTURE(fuzz)
{
};

FIXTURE_SETUP(fuzz)
{
}

FIXTURE_TEARDOWN(fuzz)
{
}

TEST_F_TIMEOUT(fuzz, any_file_is_read_without_harm, 3600)
{
	const char *seed = getenv("WD_TEST_SEED");
	size_t i, files = getenv("WD_TEST_LONG") ? FILES_LONG : FILES, good = 0, len, lines, at;
	struct config c;
	char *text;

	state = seed ? strtoull(seed, NULL, 0) : 0x9e3779b97f4a7c15;
	for (i = 0; i < files; i++) {
		/* Exactly as long as it is, so that a step beyond its end is noticed. */
		char whole[FILE_MAX];

		len = invent(whole);
		text = malloc(len ? len : 1);
		memcpy(text, whole, len);
		for (at = 0, lines = 1; at < len; at++)
			lines += text[at] == '\n';
		ASSERT_EQ(0, config_parse(&c, text, len, &names));
		ASSERT_TRUE(errors_good(&c, lines)) TH_LOG("file %zu: %.*s", i, (int)len, text);
		if (!c.errors) {
			good++;
			ASSERT_TRUE(survives_printing(&c)) TH_LOG("file %zu: %.*s", i, (int)len, text);
		}
		config_free(&c);
		free(text);
	}
	TH_LOG("%zu of %zu files were good", good, files);
	EXPECT_LT(files / 100, good);
}

TEST_HARNESS_MAIN
