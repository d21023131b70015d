// SPDX-License-Identifier: Apache-2.0
/* Libraries that are loaded with dlopen() and closed again, as a server's modules do. */
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wd_comp.h>

#include "kselftest_harness.h"

#define CYCLES	20

/* The library's functions: this program isn't linked with it. */
struct comp {
	void *lib;
	__typeof__(&wd_comp_alloc_sess) alloc;
	__typeof__(&wd_comp_free_sess) free;
	__typeof__(&wd_compress) compress;
};

static void *function(void *lib, const char *name)
{
	void *p = dlsym(lib, name);

	if (!p)
		abort();
	return p;
}

/* By its full path: a sanitizer's dlopen() doesn't search this program's rpath. */
static void *library(const char *name)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);
	void *lib;

	if (n < 0)
		abort();
	path[n] = '\0';
	snprintf(strrchr(path, '/'), 64, "/../../lib/%s", name);
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		fprintf(stderr, "# %s\n", dlerror());
		abort();
	}
	return lib;
}

static struct comp load(void)
{
	struct comp c = { .lib = library("libwd_comp.so.0") };

	*(void **)&c.alloc = function(c.lib, "wd_comp_alloc_sess");
	*(void **)&c.free = function(c.lib, "wd_comp_free_sess");
	*(void **)&c.compress = function(c.lib, "wd_compress");
	return c;
}

static handle_t session(const struct comp *c)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.flags = WD_SESS_PATH_HW,
	};

	return c->alloc(&setup, NULL);
}

static int compress(const struct comp *c, handle_t sess)
{
	static unsigned char src[1000], dst[2000];
	size_t len = sizeof(dst);
	struct wd_comp_arg arg = { .src = src, .src_len = sizeof(src), .dst = dst, .dst_len = &len };

	return c->compress(sess, &arg);
}

/* Descriptors that this process has open, including the folder's own. */
static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	if (!dir)
		abort();
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

TEST(a_session_outlives_the_closing_of_its_library)
{
	struct comp c = load();
	handle_t sess = session(&c);

	ASSERT_NE(0, sess);
	ASSERT_EQ(0, compress(&c, sess));
	ASSERT_EQ(0, dlclose(c.lib));
	c = load();
	EXPECT_EQ(0, compress(&c, sess));
	EXPECT_EQ(0, c.free(sess));
	dlclose(c.lib);
}

TEST(a_library_that_is_loaded_again_and_again_takes_no_more_queues)
{
	int first = 0, i;

	for (i = 0; i < CYCLES; i++) {
		struct comp c = load();
		handle_t sess = session(&c);

		ASSERT_NE(0, sess);
		ASSERT_EQ(0, compress(&c, sess));
		/* Exactly one context is open now, whatever happens to it when its last session is freed. */
		if (!i)
			first = descriptors();
		EXPECT_EQ(first, descriptors());
		ASSERT_EQ(0, c.free(sess));
		dlclose(c.lib);
	}
}

TEST_HARNESS_MAIN
