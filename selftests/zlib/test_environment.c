// SPDX-License-Identifier: Apache-2.0
/*
 * What a program reads from its environment when it uses the shim, and what it writes at its end. zlib_once is that
 * program; without emulated devices around this test, it starts some where it needs them.
 */
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "edges.h"
#include "kselftest_harness.h"

#define TEXT	8192

FIXTURE(once) {
	char folder[32], stats[64];
	char bin[PATH_MAX];	/* this program's folder */
	char text[TEXT];	/* what the last command has written to stdout and stderr */
};

FIXTURE_SETUP(once)
{
	ssize_t n = readlink("/proc/self/exe", self->bin, sizeof(self->bin) - 1);

	ASSERT_LT(0, n);
	self->bin[n] = '\0';
	*strrchr(self->bin, '/') = '\0';
	strcpy(self->folder, "/tmp/wd-zlib.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->folder));
	snprintf(self->stats, sizeof(self->stats), "%s/stats", self->folder);
}

FIXTURE_TEARDOWN(once)
{
	unlink(self->stats);
	rmdir(self->folder);
}

/* Runs zlib_once with these words before it, and arguments. Returns its exit status. */
static int once(FIXTURE_DATA(once) *self, const char *before, const char *library, const char *arguments)
{
	char command[3 * PATH_MAX];
	size_t n;
	FILE *f;

	snprintf(command, sizeof(command), "%s '%s/zlib_once' '%s' %s 2>&1", before, self->bin, library, arguments);
	f = popen(command, "r");
	n = f ? fread(self->text, 1, TEXT - 1, f) : 0;
	self->text[n] = '\0';
	return f ? WEXITSTATUS(pclose(f)) : -1;
}

/* The same with two devices, and with faults of theirs. */
static int once_on_devices(FIXTURE_DATA(once) *self, const char *fault, const char *before, const char *arguments)
{
	char words[2 * PATH_MAX];

	snprintf(words, sizeof(words), "%s '%s/../../bin/wd-emulate' --zip 2 %s --", before, self->bin, fault);
	return once(self, words, zlib_shim_path(), arguments);
}

struct stats {
	char program[64];
	unsigned long long pid, deflate_streams, deflate_device, deflate_zlib, parts, redone;
	unsigned long long inflate_streams, inflate_device, inflate_zlib, wrong;
};

/* The n-th line. Returns how many lines there are. */
static int stats_read(FIXTURE_DATA(once) *self, int n, struct stats *s)
{
	FILE *f = fopen(self->stats, "r");
	char line[1024];
	int lines = 0, end = 0;

	memset(s, 0, sizeof(*s));
	while (f && fgets(line, sizeof(line), f))
		if (lines++ == n && (sscanf(line, "program=%63s pid=%llu deflate_streams=%llu deflate_device_bytes=%llu"
					    " deflate_zlib_bytes=%llu parts=%llu parts_redone=%llu inflate_streams=%llu"
					    " inflate_device_bytes=%llu inflate_zlib_bytes=%llu wrong=%llu%n",
					    s->program, &s->pid, &s->deflate_streams, &s->deflate_device,
					    &s->deflate_zlib, &s->parts,
					    &s->redone, &s->inflate_streams, &s->inflate_device, &s->inflate_zlib,
					    &s->wrong, &end) != 11 || strcmp(line + end, "\n")))
			printf("# not as documented: %s", line);
	if (f)
		fclose(f);
	return lines;
}

TEST_F(once, rule_14_a_line_at_the_end)
{
	struct stats s;

	setenv("WD_ZLIB_STATS", self->stats, 1);
	ASSERT_EQ(0, once(self, "", zlib_shim_path(), "deflate 6 1048576")) TH_LOG("%s", self->text);
	ASSERT_EQ(1, stats_read(self, 0, &s));
	EXPECT_STREQ("zlib_once", s.program);
	EXPECT_LT(1, s.pid);
	EXPECT_EQ(1, s.deflate_streams);
	EXPECT_EQ(MIB, s.deflate_device + s.deflate_zlib);
	EXPECT_EQ(emulated() ? MIB : 0, s.deflate_device);
	EXPECT_EQ(emulated() ? 4 : 0, s.parts);
	EXPECT_EQ(0, s.redone);
	/* The program looks at what came back. */
	EXPECT_EQ(1, s.inflate_streams);
	ASSERT_EQ(0, once(self, "", zlib_shim_path(), "deflate 6 1000"));
	ASSERT_EQ(2, stats_read(self, 1, &s));
	EXPECT_EQ(1, s.deflate_streams);
	EXPECT_EQ(1000, s.deflate_zlib);
	EXPECT_EQ(0, s.parts);
}

TEST_F(once, rule_14_streams_both_ways)
{
	struct stats s;

	setenv("WD_ZLIB_STATS", self->stats, 1);
	ASSERT_EQ(0, once(self, "", zlib_shim_path(), "uncompress 1048576")) TH_LOG("%s", self->text);
	ASSERT_EQ(1, stats_read(self, 0, &s));
	EXPECT_EQ(1, s.deflate_streams);
	EXPECT_EQ(MIB, s.deflate_zlib);
	EXPECT_EQ(1, s.inflate_streams);
	EXPECT_EQ(emulated() ? MIB : 0, s.inflate_device);
	EXPECT_EQ(emulated() ? 0 : MIB, s.inflate_zlib);
}

/* The first time is a device's if there is one, the second zlib's. The stream is never ended. */
TEST_F(once, rule_14_streams_that_are_reset)
{
	static const char *const resets[] = { "inflateReset", "inflateResetKeep", "inflateReset2" };
	char arguments[64];
	struct stats s;
	int i;

	setenv("WD_ZLIB_STATS", self->stats, 1);
	for (i = 0; i < 3; i++) {
		snprintf(arguments, sizeof(arguments), "again %s 1048576", resets[i]);
		ASSERT_EQ(0, once(self, "", zlib_shim_path(), arguments)) TH_LOG("%s: %s", arguments, self->text);
		ASSERT_EQ(i + 1, stats_read(self, i, &s));
		EXPECT_EQ(1, s.inflate_streams);
		EXPECT_EQ(emulated() ? MIB : 0, s.inflate_device) TH_LOG("%s", arguments);
		EXPECT_EQ(emulated() ? MIB : 2 * MIB, s.inflate_zlib) TH_LOG("%s", arguments);
	}
}

TEST_F(once, rule_14_streams_of_inflateBack)
{
	struct stats s;

	setenv("WD_ZLIB_STATS", self->stats, 1);
	ASSERT_EQ(0, once(self, "", zlib_shim_path(), "back 1048576")) TH_LOG("%s", self->text);
	ASSERT_EQ(1, stats_read(self, 0, &s));
	EXPECT_EQ(1, s.inflate_streams);
	EXPECT_EQ(0, s.inflate_device);
	EXPECT_EQ(MIB, s.inflate_zlib);
}

TEST_F(once, rule_14_chunks_that_were_done_again)
{
	struct stats s;

	if (emulated())
		SKIP(return, "it starts devices with faults of their own");
	setenv("WD_ZLIB_STATS", self->stats, 1);
	ASSERT_EQ(0, once_on_devices(self, "--fault fail=1000", "", "deflate 1 1048576")) TH_LOG("%s", self->text);
	ASSERT_EQ(1, stats_read(self, 0, &s));
	EXPECT_LT(0, s.redone);
	EXPECT_EQ(MIB, s.deflate_device + s.deflate_zlib);
	ASSERT_EQ(0, once_on_devices(self, "", "", "deflate 1 1048576 100000")) TH_LOG("%s", self->text);
	ASSERT_EQ(2, stats_read(self, 1, &s));
	EXPECT_EQ(MIB, s.deflate_device);
	EXPECT_EQ(0, s.redone);
}

TEST_F(once, rule_14_nothing_else_is_written)
{
	ASSERT_EQ(0, once(self, "", zlib_shim_path(), "nothing"));
	EXPECT_STREQ("", self->text);
	ASSERT_EQ(0, once(self, "", zlib_shim_path(), "uncompress 1048576"));
	EXPECT_STREQ("", self->text);
	EXPECT_NE(0, access(self->stats, F_OK));
}

TEST_F(once, rule_14_a_file_that_cannot_be_written_harms_nothing)
{
	setenv("WD_ZLIB_STATS", "/nonexistent/stats", 1);
	EXPECT_EQ(0, once(self, "", zlib_shim_path(), "uncompress 1048576")) TH_LOG("%s", self->text);
}

/* open() would wait for one. */
TEST_F(once, rule_14_a_pipe_without_a_reader_harms_nothing)
{
	setenv("WD_ZLIB_STATS", self->stats, 1);
	ASSERT_EQ(0, mkfifo(self->stats, 0600));
	EXPECT_EQ(0, once(self, "timeout 20", zlib_shim_path(), "uncompress 1000")) TH_LOG("%s", self->text);
}

/* The number behind ; is the program's status: 128 and the number of a signal, or 0. */
TEST_F(once, rule_14_a_reader_that_has_left_harms_nothing)
{
	EXPECT_EQ(0, once(self, "exec 3>&1; { sleep 0.2; WD_ZLIB_STATS=/proc/self/fd/1", zlib_shim_path(),
			  "uncompress 1000; echo \"status $?\" >&3; } | :"));
	EXPECT_STREQ("status 0\n", self->text);
}

TEST_F(once, rule_14_a_file_that_may_not_grow_harms_nothing)
{
	setenv("WD_ZLIB_STATS", self->stats, 1);
	once(self, "ulimit -f 0;", zlib_shim_path(), "uncompress 1000; echo \"status $?\"");
	EXPECT_STREQ("status 0\n", self->text);
}

/* A value of a key, and whether it is a good one. */
static const struct {
	const char *key, *value;
	bool good;
} values[] = {
	{ "WD_ZLIB", "on", true }, { "WD_ZLIB", "off", true }, { "WD_ZLIB", "perhaps", false },
	{ "WD_ZLIB", "1", false }, { "WD_ZLIB_LEVELS", "1-9", true }, { "WD_ZLIB_LEVELS", "3-3", true },
	{ "WD_ZLIB_LEVELS", "6-1", false }, { "WD_ZLIB_LEVELS", "1-10", false }, { "WD_ZLIB_LEVELS", "low", false },
	{ "WD_ZLIB_LEVELS", "1-6x", false }, { "WD_ZLIB_CHUNK", "64k", true }, { "WD_ZLIB_CHUNK", "1m", true },
	{ "WD_ZLIB_CHUNK", "100000", true }, { "WD_ZLIB_CHUNK", "63k", false },
	{ "WD_ZLIB_CHUNK", "2m", false }, { "WD_ZLIB_CHUNK", "256kk", false }, { "WD_ZLIB_CHUNK", "-256k", false },
	{ "WD_ZLIB_CHUNK", "99999999999999999999", false }, { "WD_ZLIB_MIN", "1", true }, { "WD_ZLIB_MIN", "1m", true },
	{ "WD_ZLIB_MIN", "0", false }, { "WD_ZLIB_MIN", "2m", false }, { "WD_ZLIB_MIN", "x", false },
	{ "WD_ZLIB_INFLATE", "whole", true }, { "WD_ZLIB_INFLATE", "stream", true }, { "WD_ZLIB_INFLATE", "off", true },
	{ "WD_ZLIB_INFLATE", "some", false },
};

static unsigned int lines(const char *text)
{
	unsigned int n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

TEST_F(once, a_value_that_is_wrong_is_named_once_and_the_default_is_used)
{
	char before[256];
	struct stats s;
	int i, n = 0;

	setenv("WD_ZLIB_STATS", self->stats, 1);
	for (i = 0; i < (int)(sizeof(values) / sizeof(values[0])); i++) {
		snprintf(before, sizeof(before), "%s=%s", values[i].key, values[i].value);
		ASSERT_EQ(0, once(self, before, zlib_shim_path(), "uncompress 1048576"))
			TH_LOG("%s: %s", before, self->text);
		if (values[i].good) {
			EXPECT_STREQ("", self->text) TH_LOG("%s", before);
		} else {
			EXPECT_EQ(1, lines(self->text)) TH_LOG("%s: %s", before, self->text);
			EXPECT_NE(NULL, strstr(self->text, values[i].key)) TH_LOG("%s: %s", before, self->text);
			EXPECT_NE(NULL, strstr(self->text, values[i].value)) TH_LOG("%s: %s", before, self->text);
			ASSERT_EQ(++n, stats_read(self, n - 1, &s));
			EXPECT_EQ(emulated() ? MIB : 0, s.inflate_device) TH_LOG("%s", before);
			continue;
		}
		n++;
	}
}

/* zlib compresses, since no session can be had. */
TEST_F(once, a_section_that_does_not_exist_does_no_harm)
{
	setenv("WD_SECTION", "nowhere", 1);
	EXPECT_EQ(0, once(self, "", zlib_shim_path(), "deflate 6 1048576")) TH_LOG("%s", self->text);
}

/* As a program uses it that knows nothing of it. */
TEST_F(once, a_preloaded_library_is_the_program_s_zlib)
{
	char before[PATH_MAX + 64];
	struct stats s;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	SKIP(return, "a sanitizer wants to be the first library");
#endif
	setenv("WD_ZLIB_STATS", self->stats, 1);
	snprintf(before, sizeof(before), "LD_PRELOAD='%s':$LD_PRELOAD", zlib_shim_path());
	ASSERT_EQ(0, once(self, before, "libz.so.1", "deflate 6 1048576")) TH_LOG("%s", self->text);
	/* The shell has used it as well, or not. */
	ASSERT_LE(1, stats_read(self, 0, &s));
	EXPECT_EQ(emulated() ? MIB : 0, s.deflate_device);
	EXPECT_EQ(1, s.deflate_streams);
}

ZLIB_TEST_MAIN
