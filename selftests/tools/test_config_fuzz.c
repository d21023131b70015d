// SPDX-License-Identifier: Apache-2.0
/*
 * Damaged and random files of sections, under the sanitizers: nothing breaks, errors are printable and in order, and
 * accepted content stays the same after being printed and read again.
 * A hundred thousand files; WD_TEST_LONG=1: ten million; WD_TEST_SEED=N.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kselftest_harness.h>

#include "config_checks.h"

#define FILE_MAX 2048
#define FILES 100000
#define FILES_LONG 10000000

static const char *const words[] = {
	"[SSL]", "[IPSec] ", "[device hisi_zip-0]", "[device ", "[", "]", "\n", "\n", "\n", " ", "\t", "\r\n", "=",
	" = ", "NumProcesses", "LimitDevAccess", "SyncCtxs", "AsyncCtxs", "Nodes", "Devices", "QueuePriority",
	"MaxExtraCtxs", "Bandwidth", "AllowedUsers", "AllowedGroups", "Live", "Priority", "Zone", "MaxCtxsPerProcess",
	"Latency", "Throughput", "Doorbells", "kernel", "mapped", "Memory", "auto", "sva", "0", "1", "2", "65535", "-1",
	"0=2+2", "1=1+0", "1024", "*", "0-5", "1000-1999", "alice", "hisi_zip-0", "0000:75:00.0", ",", ", ", "-", "+",
	";", "#", "\\", "\"", "..", "/", "\x80", "\x01", "4294967295", "[a]\nNumProcesses = 2\n",
	"Nodes = 0=2+2 1=1+0\n", "Devices = hisi_zip-0, hisi_zip-1\n", "Live = no\n",
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

/* Half of the files begin like a good one, which the rest may spoil. */
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
		/* Allocates exactly the file's length, so that an access beyond its end is noticed. */
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
