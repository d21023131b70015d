// SPDX-License-Identifier: Apache-2.0
/* Statuses as text: the library has its own text for each error that the public headers name. */
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wd_comp.h>
#include <wd_request.h>
#include "kselftest_harness.h"

#define ERRNO_END	256

/* 0 if it isn't an error's name, "ECDSA" for example. */
static int errno_of(const char *name, size_t len)
{
	int err;

	for (err = 1; err < ERRNO_END; err++) {
		const char *other = strerrorname_np(err);

		if (other && strlen(other) == len && !strncmp(other, name, len))
			return err;
	}
	/* Second names of errors. */
	return len == 10 && !strncmp(name, "EOPNOTSUPP", len) ? EOPNOTSUPP :
	       len == 11 && !strncmp(name, "EWOULDBLOCK", len) ? EAGAIN : 0;
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void text_scan(const char *text, bool named[ERRNO_END])
{
	const char *p = text, *end;

	while (*p) {
		for (end = p; in_word(*end); end++)
			;
		if (end > p && *p == 'E')
			named[errno_of(p, (size_t)(end - p))] = true;
		p = end > p ? end : p + 1;
	}
}

static bool file_scan(const char *path, bool named[ERRNO_END])
{
	FILE *f = fopen(path, "r");
	char line[1024];

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f))
		text_scan(line, named);
	fclose(f);
	return true;
}

/* The errors that the headers name. The headers are in the runner's tree, or in the working directory. */
FIXTURE(headers) {
	bool named[ERRNO_END];
};

FIXTURE_SETUP(headers)
{
	static const char *const folders[] = { "user/libwd/include", "user/libhisi_qm/include", "user/algs/*/include" };
	const char *top = getenv("TOP");
	char pattern[512];
	size_t i, j;
	glob_t g;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(pattern, sizeof(pattern), "%s/%s/*.h", top ? top : ".", folders[i]);
		ASSERT_EQ(0, glob(pattern, 0, NULL, &g)) TH_LOG("%s", pattern);
		for (j = 0; j < g.gl_pathc; j++)
			ASSERT_TRUE(file_scan(g.gl_pathv[j], self->named)) TH_LOG("%s", g.gl_pathv[j]);
		globfree(&g);
	}
	self->named[0] = false;
}

FIXTURE_TEARDOWN(headers)
{
}

TEST_F(headers, every_error_that_they_name_has_words_of_its_own)
{
	unsigned int err, nr = 0;

	for (err = 1; err < ERRNO_END; err++) {
		if (!self->named[err])
			continue;
		nr++;
		EXPECT_STRNE(strerrordesc_np((int)err), wd_status_str(-(int)err))
			TH_LOG("%s", strerrorname_np((int)err));
		EXPECT_STRNE("unknown status", wd_status_str(-(int)err));
	}
	/* Some that must be found. */
	EXPECT_TRUE(self->named[ESHUTDOWN] && self->named[EUSERS] && self->named[EBADMSG] && self->named[EDQUOT] &&
		    self->named[EOPNOTSUPP]);
	EXPECT_LE(20, nr);
}

TEST_F(headers, no_two_errors_have_the_same_words)
{
	unsigned int a, b;

	for (a = 1; a < ERRNO_END; a++)
		for (b = a + 1; self->named[a] && b < ERRNO_END; b++)
			if (self->named[b])
				EXPECT_STRNE(wd_status_str(-(int)a), wd_status_str(-(int)b));
}

TEST(the_words_are_about_devices_and_sections)
{
	EXPECT_STREQ("success", wd_status_str(0));
	EXPECT_NE(NULL, strstr(wd_status_str(-ESHUTDOWN), "section was shut down"));
	EXPECT_NE(NULL, strstr(wd_status_str(-EUSERS), "section is full"));
	EXPECT_NE(NULL, strstr(wd_status_str(-EDQUOT), "grants no more"));
	EXPECT_NE(NULL, strstr(wd_status_str(-EBADMSG), "tag"));
}

TEST(every_number_has_words)
{
	static const int odd[] = { 1, EINVAL, INT_MAX, INT_MIN, -4095, -4096, -4097, -ERRNO_END, -133, -134 };
	size_t i;

	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		ASSERT_NE(NULL, wd_status_str(odd[i]));
		EXPECT_LT(0, strlen(wd_status_str(odd[i])));
	}
	EXPECT_STREQ("unknown status", wd_status_str(-4095));
	EXPECT_STREQ("unknown status", wd_status_str(INT_MIN));
	/* A kernel error that is passed on. */
	EXPECT_STREQ(strerrordesc_np(EXDEV), wd_status_str(-EXDEV));
	EXPECT_STRNE(wd_status_str(-EINVAL), wd_status_str(EINVAL));
}

TEST(a_status_of_compression_is_told_from_the_errors_with_its_number)
{
	EXPECT_STREQ("success", wd_comp_status_str(WD_COMP_OK));
	EXPECT_STREQ(wd_status_str(-EINVAL), wd_comp_status_str(WD_COMP_PARMS));
	EXPECT_STREQ(wd_status_str(-ENOSPC), wd_comp_status_str(WD_COMP_OUT_NOSPACE));
	EXPECT_NE(NULL, strstr(wd_comp_status_str(WD_DATA_ERR), "corrupt"));
	EXPECT_STRNE(wd_status_str(WD_COMP_PARMS), wd_comp_status_str(WD_COMP_PARMS));
	EXPECT_STREQ(wd_status_str(-ETIMEDOUT), wd_comp_status_str(-ETIMEDOUT));
	EXPECT_STREQ(wd_status_str(-4000), wd_comp_status_str(-4000));
}

TEST_HARNESS_MAIN
