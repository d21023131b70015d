// SPDX-License-Identifier: Apache-2.0
/* The file of sections: what is accepted and what it means; what is refused, and with which message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <kselftest_harness.h>

#include "config.h"
#include "escape.h"

static int names_find(void *arg, bool group, const char *name, uint32_t *id)
{
	if (strcmp(name, group ? "www-data" : "alice"))
		return -1;
	*id = group ? 33 : 1000;
	return 0;
}

static const struct id_names names = { NULL, names_find };

static int parse(struct config *c, const char *text)
{
	return config_parse(c, text, strlen(text), &names);
}

/* One value, as it is written to configfs. */
struct good {
	const char *text;
	enum object_kind kind;
	size_t attr;
	const char *value;
};

static const struct good good[] = {
	{ "[S]", OBJECT_SECTION, SECTION_NUM_PROCESSES, "1" },
	{ "[S]", OBJECT_SECTION, SECTION_LIVE, "1" },
	{ "[S]", OBJECT_SECTION, SECTION_ASYNC_CTXS, "1" },
	{ "[S]", OBJECT_SECTION, SECTION_DEVICES, "" },
	{ "[S]\nNumProcesses = 65535", OBJECT_SECTION, SECTION_NUM_PROCESSES, "65535" },
	{ "[S]\nnumprocesses=2", OBJECT_SECTION, SECTION_NUM_PROCESSES, "2" },
	{ "\xef\xbb\xbf[S]\r\n  NumProcesses\t=\t2  \r\n", OBJECT_SECTION, SECTION_NUM_PROCESSES, "2" },
	{ "[ S ] NumProcesses = 4 LimitDevAccess = 1", OBJECT_SECTION, SECTION_NUM_PROCESSES, "4" },
	{ "[S] NumProcesses = 4 LimitDevAccess = 1", OBJECT_SECTION, SECTION_LIMIT_DEV_ACCESS, "1" },
	{ "[S]\nNumProcesses=4 LimitDevAccess=1;x", OBJECT_SECTION, SECTION_LIMIT_DEV_ACCESS, "1" },
	{ "; a\n# b\n\n[S] ; c\nNumProcesses = 3 # d\n", OBJECT_SECTION, SECTION_NUM_PROCESSES, "3" },
	{ "[S]\nLive = no", OBJECT_SECTION, SECTION_LIVE, "0" },
	{ "[S]\nLive = TRUE", OBJECT_SECTION, SECTION_LIVE, "1" },
	{ "[S]\nNodes = 1=1+0, 0=2+2", OBJECT_SECTION, SECTION_NODES, "0=2+2 1=1+0" },
	{ "[S]\nNodes = 1=1+0\t0=2+2 Live = 0", OBJECT_SECTION, SECTION_NODES, "0=2+2 1=1+0" },
	{ "[S]\nNodes =\nSyncCtxs = 2", OBJECT_SECTION, SECTION_NODES, "" },
	{ "[S]\nNodes = SyncCtxs = 2", OBJECT_SECTION, SECTION_SYNC_CTXS, "2" },
	{ "[S]\nDevices = hisi_zip-10,hisi_zip-9 ,0000:75:00.0", OBJECT_SECTION, SECTION_DEVICES,
	  "0000:75:00.0 hisi_zip-9 hisi_zip-10" },
	{ "[S]\nDevices = HISI02A1:00 soc@0", OBJECT_SECTION, SECTION_DEVICES, "HISI02A1:00 soc@0" },
	{ "[S]\nAllowedUsers = 1000-1999, 0, alice 2000", OBJECT_SECTION, SECTION_ALLOWED_UIDS, "0,1000-2000" },
	{ "[S]\nAllowedUsers = *", OBJECT_SECTION, SECTION_ALLOWED_UIDS, "*" },
	{ "[S]\nAllowedUsers = 4294967294", OBJECT_SECTION, SECTION_ALLOWED_UIDS, "4294967294" },
	{ "[S]\nAllowedGroups = www-data", OBJECT_SECTION, SECTION_ALLOWED_GIDS, "33" },
	{ "[S]\nSyncCtxs = 0\nAsyncCtxs = 0\nNodes = 0=0+1", OBJECT_SECTION, SECTION_SYNC_CTXS, "0" },
	{ "[device]\nNumProcesses = 2", OBJECT_SECTION, SECTION_NUM_PROCESSES, "2" },
	{ "[device 0000:75:00.0]\nPriority = -100", OBJECT_DEVICE, DEVICE_PRIORITY, "-100" },
	{ "[S]\nMaxExtraCtxs = 4294967295", OBJECT_SECTION, SECTION_MAX_EXTRA_CTXS, "4294967295" },
	{ "[device hisi_zip-0]\nPriority = 1000", OBJECT_DEVICE, DEVICE_PRIORITY, "1000" },
	{ "[device hisi_zip-0]\nZone = -1 Latency = 99", OBJECT_DEVICE, DEVICE_ZONE_ID, "-1" },
	{ "[device hisi_zip-0]\nMemory = SVA", OBJECT_DEVICE, DEVICE_MEMORY, "sva" },
	{ "[device hisi_zip-0]\nPriority = 1", OBJECT_DEVICE, DEVICE_LATENCY, NULL },
};

TEST(each_good_file_means_what_it_says)
{
	struct config c;
	const char *value;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ASSERT_EQ(0, parse(&c, good[i].text));
		ASSERT_EQ(0, c.errors) TH_LOG("%s: %s", good[i].text, c.error[0].text);
		ASSERT_EQ(1, c.objects[good[i].kind].count);
		value = c.objects[good[i].kind].item[0].value[good[i].attr];
		EXPECT_EQ(!good[i].value, !value);
		EXPECT_STREQ(good[i].value ? good[i].value : "", value ? value : "") TH_LOG("%s", good[i].text);
		config_free(&c);
	}
}

struct bad {
	const char *text;
	size_t line;
	const char *says;
};

static const struct bad bad[] = {
	{ "NumProcesses = 2", 1, "NumProcesses: expected [SECTION] before the first key" },
	{ "[S]\n\nNumberOfProcesses = 2", 3,
	  "[S] unknown key 'NumberOfProcesses', expected one of NumProcesses, LimitDevAccess" },
	{ "[device hisi_zip-0]\nNumProcesses = 2", 2,
	  "[device hisi_zip-0] unknown key 'NumProcesses', expected one of Priority, Zone" },
	{ "[S]\nNumProcesses = N", 2, "[S] NumProcesses: expected a number from 1 to 65535, not 'N'" },
	{ "[S]\nNumProcesses =", 2, "NumProcesses: expected a number from 1 to 65535, not ''" },
	{ "[S]\nNumProcesses = 0", 2, "from 1 to 65535, not '0'" },
	{ "[S]\nNumProcesses = 65536", 2, "not '65536'" },
	{ "[S]\nNumProcesses = -1", 2, "not '-1'" },
	{ "[S]\nNumProcesses = 010", 2, "not '010'" },
	{ "[S]\nNumProcesses = 0x10", 2, "not '0x10'" },
	{ "[S]\nNumProcesses = +1", 2, "not '+1'" },
	{ "[S]\nNumProcesses = 1 2", 2, "not '1 2'" },
	{ "[S]\nNumProcesses = 99999999999999999999999999", 2, "not '99999999999999999999999999'" },
	{ "[S]\nNumProcesses = 2\nNumProcesses = 2", 3, "NumProcesses: expected once" },
	{ "[S] NumProcesses = x NumProcesses = 2", 1, "NumProcesses: expected a number" },
	{ "[S]\nLimitDevAccess = 2", 2, "LimitDevAccess: expected 0 or 1" },
	{ "[S]\nSyncCtxs = 1025", 2, "SyncCtxs: expected a number from 0 to 1024" },
	{ "[S]\nBandwidth = 1001", 2, "Bandwidth: expected a number from 0 to 1000" },
	{ "[S]\nQueuePriority = 8", 2, "QueuePriority: expected a number from 0 to 7" },
	{ "[S]\nNodes = 0", 2, "Nodes: expected NODE=SYNC+ASYNC" },
	{ "[S]\nNodes = 0=1", 2, "Nodes: expected NODE=SYNC+ASYNC" },
	{ "[S]\nNodes = 0=1+", 2, "not '0=1+'" },
	{ "[S]\nNodes = 0=1+1025", 2, "not '0=1+1025'" },
	{ "[S]\nNodes = 0=1+1 0=2+2", 2, "expected each node once, found 0 twice" },
	{ "[S]\nNodes = 0=0+0 1=0+0", 1, "[S] expected at least one context" },
	{ "[S]\nSyncCtxs = 0\nAsyncCtxs = 0", 1, "[S] expected at least one context" },
	{ "[S]\nDevices = a,,b", 2, "expected an element before and after each comma" },
	{ "[S]\nDevices = ,a", 2, "before and after each comma" },
	{ "[S]\nDevices = a,", 2, "before and after each comma" },
	{ "[S]\nDevices = ../x", 2, "Devices: expected names of devices" },
	{ "[S]\nDevices = a/b", 2, "Devices: expected names of devices" },
	{ "[S]\nDevices = hisi_zip-0 hisi_zip-0", 2, "expected each device once, found hisi_zip-0 twice" },
	{ "[S]\nAllowedUsers = nobody-here", 2, "expected the name of an existing user, not 'nobody-here'" },
	{ "[S]\nAllowedGroups = alice", 2, "expected the name of an existing group, not 'alice'" },
	{ "[S]\nAllowedUsers = 5-4", 2, "expected a number or range" },
	{ "[S]\nAllowedUsers = 4294967295", 2, "from 0 to 4294967294" },
	{ "[S]\nAllowedUsers = 1-", 2, "not '1-'" },
	{ "[S]\nAllowedUsers = *, 5", 2, "not '*'" },
	{ "[S]\n[T]\n[S]", 3, "[S] expected once, found in line 1 too" },
	{ "[device a]\n[device a]", 2, "[device a] expected once, found in line 1 too" },
	{ "[S\nNumProcesses = 2", 1, "expected ']' at the end of a section's name, not '[S'" },
	{ "[]", 1, "not '[]'" },
	{ "[a b]", 1, "not '[a b]'" },
	{ "[../a]", 1, "not '[../a]'" },
	{ "[.]", 1, "not '[.]'" },
	{ "[abcdefghijklmnopqrstuvwxyz123456]", 1, "of 1 to 31 letters" },
	{ "[device ../x]", 1, "[device NAME] or [slurm NAME], not '[device ../x]'" },
	{ "[device a b]", 1, "not '[device a b]'" },
	{ "[S]\nhello", 2, "expected [SECTION] or KEY = VALUE, not 'hello'" },
	{ "[S]\n= 3", 2, "expected [SECTION] or KEY = VALUE, not '= 3'" },
	{ "[S] [T]", 1, "expected [SECTION] or KEY = VALUE, not '[T]'" },
	{ "[S]\nNumProcesses = \033[31m\xc2\x9b", 2, "not '\\x1b[31m\\xc2\\x9b'" },
	{ "[S]\n\033]0;x\007", 2, "not '\\x1b]0'" },
	{ "[device hisi_zip-0]\nLatency = 100", 2, "Latency: expected a number from 0 to 99" },
	{ "[device hisi_zip-0]\nDoorbells = all", 2, "Doorbells: expected kernel, exclusive or mapped, not 'all'" },
	{ "[device hisi_zip-0]\nMemory = all", 2, "Memory: expected auto, sva or mediated, not 'all'" },
	{ "[device hisi_zip-0]\nZone = -2", 2, "Zone: expected a number from -1 to" },
};

TEST(each_bad_file_is_refused_with_line_key_and_what_was_expected)
{
	struct config c;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ASSERT_EQ(0, parse(&c, bad[i].text));
		ASSERT_LE(1, c.errors) TH_LOG("accepted: %s", bad[i].text);
		EXPECT_EQ(bad[i].line, c.error[0].line) TH_LOG("%s", bad[i].text);
		EXPECT_NE(NULL, strstr(c.error[0].text, bad[i].says))
			TH_LOG("'%s', expected '%s'", c.error[0].text, bad[i].says);
		config_free(&c);
	}
}

/* As the QAT driver installs one, shortened. */
static const char qat_file[] =
	"[GENERAL]\nServicesEnabled = cy;dc\nConfigVersion = 2\nCyHmacAuthMode = 1\nstatsGeneral = 1\n"
	"[KERNEL]\nNumberCyInstances = 0\nNumberDcInstances = 0\n"
	"[SSL]\nNumberCyInstances = 1\nNumberDcInstances = 1\nNumProcesses = 3\nLimitDevAccess = 1\n"
	"# Crypto - User instance #0\nCy0Name = \"SSL0\"\ncy0ispolled = 1\nCy0CoreAffinity = 1\nDc0Name = \"Dc0\"\n"
	"[Own]\nSyncCtxs = 2\n";

TEST(a_file_of_qat_keeps_its_sections_and_notes_what_has_no_effect)
{
	const struct object_list *sections;
	struct config c;

	ASSERT_EQ(0, parse(&c, qat_file));
	ASSERT_EQ(0, c.errors) TH_LOG("%s", c.error[0].text);
	sections = &c.objects[OBJECT_SECTION];
	ASSERT_EQ(2, sections->count);
	EXPECT_STREQ("SSL", sections->item[0].name);
	EXPECT_STREQ("3", sections->item[0].value[SECTION_NUM_PROCESSES]);
	EXPECT_STREQ("Own", sections->item[1].name);
	EXPECT_EQ(14, c.notes);
	EXPECT_EQ(1, c.note[0].line);
	EXPECT_STREQ("[GENERAL] is about a QAT device and makes no section here", c.note[0].text);
	EXPECT_NE(NULL, strstr(c.note[8].text, "SyncCtxs and AsyncCtxs")) TH_LOG("%s", c.note[8].text);
	config_free(&c);
}

TEST(a_key_that_only_looks_like_one_of_qat_is_an_error)
{
	static const char *const keys[] = { "Cy0Names", "CyName", "Ab0Name", "NumberCyInstance", "Cy0" };
	struct config c;
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		snprintf(text, sizeof(text), "[GENERAL]\n%s = 1\n", keys[i]);
		ASSERT_EQ(0, parse(&c, text));
		EXPECT_EQ(1, c.errors) TH_LOG("%s", keys[i]);
		EXPECT_EQ(0, c.notes);
		config_free(&c);
	}
}

TEST(a_section_with_a_name_of_qat_and_keys_of_ours_is_one)
{
	struct config c;

	ASSERT_EQ(0, parse(&c, "[KERNEL]\nSyncCtxs = 1\nNumberCyInstances = 0\n[GENERAL]\n"));
	EXPECT_EQ(0, c.errors);
	EXPECT_EQ(2, c.objects[OBJECT_SECTION].count);
	EXPECT_EQ(1, c.notes);
	config_free(&c);
}

TEST(all_errors_of_a_file_are_reported_in_order)
{
	struct config c;

	ASSERT_EQ(0, parse(&c, "[S]\nNumProcesses = x\nFoo = 1\n[T]\nNodes = y\n[S]\n[U]\nSyncCtxs=0 AsyncCtxs=0\n"));
	ASSERT_EQ(5, c.errors);
	EXPECT_EQ(2, c.error[0].line);
	EXPECT_EQ(3, c.error[1].line);
	EXPECT_EQ(5, c.error[2].line);
	EXPECT_EQ(6, c.error[3].line);
	EXPECT_EQ(7, c.error[4].line);
	config_free(&c);
}

TEST(a_nul_byte_is_an_error_of_its_line)
{
	static const char text[] = "[S]\nNumProcesses = 2\0 3\nLive = 1\n";
	struct config c;

	ASSERT_EQ(0, config_parse(&c, text, sizeof(text) - 1, &names));
	ASSERT_EQ(1, c.errors);
	EXPECT_EQ(2, c.error[0].line);
	EXPECT_NE(NULL, strstr(c.error[0].text, "NUL"));
	config_free(&c);
}

TEST(what_the_seed_writes_on_one_line_is_accepted)
{
	const struct object *s;
	struct config c;

	ASSERT_EQ(0, parse(&c,
			   "[IPSec] NumProcesses = 5 LimitDevAccess = 0\n[SSL] NumProcesses = 6 LimitDevAccess = 1\n"));
	ASSERT_EQ(0, c.errors);
	ASSERT_EQ(2, c.objects[OBJECT_SECTION].count);
	s = c.objects[OBJECT_SECTION].item;
	EXPECT_STREQ("IPSec", s[0].name);
	EXPECT_STREQ("5", s[0].value[SECTION_NUM_PROCESSES]);
	EXPECT_STREQ("0", s[0].value[SECTION_LIMIT_DEV_ACCESS]);
	EXPECT_STREQ("SSL", s[1].name);
	EXPECT_STREQ("6", s[1].value[SECTION_NUM_PROCESSES]);
	EXPECT_STREQ("1", s[1].value[SECTION_LIMIT_DEV_ACCESS]);
	config_free(&c);
}

/* Makes "[S]\nKEY = " and then FORMAT for each number. */
static char *list_of(const char *key, const char *format, int count)
{
	size_t size;
	char *text;
	FILE *f = open_memstream(&text, &size);
	int i;

	fprintf(f, "[S]\n%s = ", key);
	for (i = 0; i < count; i++) {
		if (i)
			fputc(' ', f);
		fprintf(f, format, i);
	}
	fclose(f);
	return text;
}

TEST(lists_have_at_most_128_elements)
{
	struct config c;
	char *text;
	int count;

	for (count = 128; count <= 129; count++) {
		text = list_of("Nodes", "%d=1+1", count);
		ASSERT_EQ(0, parse(&c, text));
		EXPECT_EQ(count > 128, c.errors);
		config_free(&c);
		free(text);
	}
	/* Ranges that touch are merged. */
	text = list_of("AllowedUsers", "%d", 2000);
	ASSERT_EQ(0, parse(&c, text));
	ASSERT_EQ(0, c.errors);
	EXPECT_STREQ("0-1999", c.objects[OBJECT_SECTION].item[0].value[SECTION_ALLOWED_UIDS]);
	config_free(&c);
	free(text);
}

TEST(a_value_has_at_most_4000_bytes)
{
	struct config c;
	char *text;

	text = list_of("Devices", "a_device_with_a_name_that_is_longer_than_most_%d", 100);
	ASSERT_EQ(0, parse(&c, text));
	ASSERT_EQ(1, c.errors);
	EXPECT_NE(NULL, strstr(c.error[0].text, "expected at most 4000 bytes"));
	config_free(&c);
	free(text);
}

/* A megabyte of each: the time must not grow faster than the size. */
#define MANY (1 << 20)

TEST(noise_is_survived)
{
	static const char *const pieces[] = {
		"[a]\n", "[", "a = ", "=", "\n", "x ", "[S] Nodes = ", ",", "a\n", "[device b]\n"
	};
	struct config c;
	size_t i, len;
	char *text = malloc(MANY);

	ASSERT_NE(NULL, text);
	for (i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		for (len = 0; len + strlen(pieces[i]) <= MANY; len += strlen(pieces[i]))
			memcpy(text + len, pieces[i], strlen(pieces[i]));
		ASSERT_EQ(0, config_parse(&c, text, len, &names));
		config_free(&c);
	}
	srand(1);
	for (i = 0; i < MANY; i++)
		text[i] = rand();
	ASSERT_EQ(0, config_parse(&c, text, MANY, &names));
	EXPECT_LT(0, c.errors);
	config_free(&c);
	free(text);
}

TEST(what_is_printed_is_read_as_the_same)
{
	static const char text[] =
		"[device 0000:75:00.0]\nPriority = -10\nZone = 1\nMaxCtxsPerProcess = 4\nLatency = 1\nThroughput = 2\n"
		"Doorbells = exclusive\nMemory = mediated\n"
		"[S]\nNumProcesses = 7\nLimitDevAccess = 1\nSyncCtxs = 3\nAsyncCtxs = 0\n"
		"Nodes = 0=2+2 3=1+0\n"
		"Devices = 0000:75:00.0, hisi_zip-1\nQueuePriority = 7\nMaxExtraCtxs = 9\nAllowedUsers = 0,5-9\n"
		"AllowedGroups = *\nLive = 0\n[T]\n";
	struct config first, second;
	size_t i, size;
	char *printed;
	FILE *f;
	int kind;

	ASSERT_EQ(0, parse(&first, text));
	ASSERT_EQ(0, first.errors);
	f = open_memstream(&printed, &size);
	config_print(f, &first);
	fclose(f);
	ASSERT_EQ(0, parse(&second, printed));
	ASSERT_EQ(0, second.errors) TH_LOG("%s: %s", printed, second.error[0].text);
	for (kind = OBJECT_SECTION; kind <= OBJECT_DEVICE; kind++)
		for (i = 0; i < attr_count(kind); i++)
			EXPECT_STREQ(first.objects[kind].item[0].value[i], second.objects[kind].item[0].value[i]);
	free(printed);
	config_free(&first);
	config_free(&second);
}

TEST(escaped_text_is_printable_and_bounded)
{
	char buf[16], noise[256];
	size_t i, size;

	for (i = 0; i < sizeof(noise); i++)
		noise[i] = i;
	for (size = 8; size <= sizeof(buf); size++) {
		escape(buf, size, noise, sizeof(noise));
		EXPECT_LT(strlen(buf), size);
		EXPECT_STREQ("...", buf + strlen(buf) - 3);
	}
	EXPECT_STREQ("a\\x0ab", escape(buf, sizeof(buf), "a\nb", 3));
}

TEST_HARNESS_MAIN
