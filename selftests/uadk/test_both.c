// SPDX-License-Identifier: Apache-2.0
/*
 * One process with our library and with that of UADK's names, as a program may have whose plugin was written for UADK:
 * each call binds to its own.
 */
#include <dlfcn.h>
#include <wd_comp.h>
#include <zlib.h>

#include "both.h"
#include "in_child.h"
#include "kselftest_harness.h"
#include "uacce_tree.h"

static unsigned char plain[3000], packed[6000];

static int ours(void)
{
	struct wd_comp_sess_setup setup = { .alg_type = WD_ZLIB, .comp_lv = 6, .win_size = WD_COMP_WS_32K };
	size_t len = sizeof(packed);
	struct wd_comp_arg arg = { .src = plain, .src_len = sizeof(plain), .dst = packed, .dst_len = &len };
	unsigned char back[sizeof(plain)];
	uLongf n = sizeof(back);
	handle_t h = wd_comp_alloc_sess(&setup, NULL);
	int ret = h ? wd_compress(h, &arg) : -1;

	if (h)
		wd_comp_free_sess(h);
	return ret ? ret : uncompress(back, &n, packed, len) != Z_OK || n != sizeof(plain);
}

static int child(void *lib)
{
	return ours() || both_theirs(lib, plain, sizeof(plain));
}

TEST(take_turns)
{
	void *lib = dlopen(UADK_COMP, RTLD_NOW | RTLD_LOCAL);

	ASSERT_NE(NULL, lib) TH_LOG("%s", dlerror());
	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (unsigned char)(i * i >> 5);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(0, ours());
		EXPECT_EQ(0, both_theirs(lib, plain, sizeof(plain)));
	}
	EXPECT_EQ(0, in_child(child, lib));
	EXPECT_EQ(0, ours());
}

/* The first has the process' slot, the second joins it. */
TEST(share_a_slot)
{
	void *lib = dlopen(UADK_COMP, RTLD_NOW | RTLD_LOCAL);

	ASSERT_NE(NULL, lib) TH_LOG("%s", dlerror());
	if (access(TREE, W_OK))
		SKIP(return, "there are no sections");
	memset(plain, 'a', sizeof(plain));
	ASSERT_EQ(0, sec_make("BOTH", DEV0, 1, 2, 0));
	setenv("WD_SECTION", "BOTH", 1);
	setenv("WD_PATH", "hw", 1);
	EXPECT_EQ(0, in_child(child, lib));
	EXPECT_EQ(0, sec_end("BOTH"));
}

TEST_HARNESS_MAIN
