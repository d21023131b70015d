// SPDX-License-Identifier: Apache-2.0
/* Devices that are held, reset and removed, with requests of programs for UADK in flight. */
#include <zlib.h>

#include "uadk/wd_comp.h"
#include "uadk/wd_sched.h"
#include "uadk_test.h"

#include "emulated.h"
#include "kselftest_harness.h"

#define DEVICE	"hisi_zip-0"
#define MANY	100
#define BYTES	2000u

static unsigned char plain[BYTES], packed[MANY][2 * BYTES];
static __u32 len[MANY], status[MANY];
static int calls;

static void *heard(struct wd_comp_req *req, void *param)
{
	size_t i = (size_t)((__u32 *)param - len);

	len[i] = req->dst_len;
	status[i] = req->status;
	calls++;
	return NULL;
}

static handle_t session(void)
{
	struct wd_comp_sess_setup setup = { .alg_type = WD_ZLIB, .comp_lv = WD_COMP_L1, .win_sz = WD_COMP_WS_32K };

	return wd_comp_alloc_sess(&setup);
}

static int submit(handle_t h, int i)
{
	struct wd_comp_req req = { .src = plain, .src_len = BYTES, .dst = packed[i], .dst_len = sizeof(packed[i]),
				   .cb = heard, .cb_param = &len[i] };

	return wd_do_comp_async(h, &req);
}

static bool right(int i)
{
	unsigned char back[BYTES];
	uLongf n = BYTES;

	return !status[i] && uncompress(back, &n, packed[i], len[i]) == Z_OK && n == BYTES && !memcmp(back, plain, n);
}

FIXTURE(faults) { handle_t h; };
FIXTURE_VARIANT(faults) { int task; };
FIXTURE_VARIANT_ADD(faults, any) { TASK_MIX };
FIXTURE_VARIANT_ADD(faults, devices) { TASK_HW };

FIXTURE_SETUP(faults)
{
	fill_text(plain, BYTES, 9);
	calls = 0;
	ASSERT_EQ(0, wd_comp_init2("zlib", SCHED_POLICY_RR, variant->task));
	self->h = session();
	ASSERT_NE(0, self->h);
	ASSERT_EQ(0, submit(self->h, 0));
	ASSERT_EQ(0, wd_comp_poll(1, &(__u32){ 0 }));
	ASSERT_TRUE(right(0));
}

FIXTURE_TEARDOWN(faults)
{
	wd_comp_free_sess(self->h);
	wd_comp_uninit2();
}

TEST_F(faults, device_works)
{
	unsigned long long before = emulated_count(DEVICE, "completions");
	struct wd_comp_req req = { .src = plain, .src_len = BYTES, .dst = packed[0], .dst_len = sizeof(packed[0]) };

	ASSERT_EQ(0, wd_do_comp_sync(self->h, &req));
	EXPECT_LT(before, emulated_count(DEVICE, "completions"));
}

TEST_F(faults, reset)
{
	__u32 count = 0;

	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	for (int i = 0; i < MANY; i++)
		ASSERT_EQ(0, submit(self->h, i));
	ASSERT_EQ(0, emulated_control(DEVICE, "reset"));
	ASSERT_EQ(0, emulated_control(DEVICE, "release"));
	ASSERT_EQ(0, wd_comp_poll(MANY, &count));
	EXPECT_EQ(MANY, count);
	EXPECT_EQ(MANY + 1, calls);
	for (int i = 0; i < MANY; i++)
		EXPECT_TRUE(right(i));
}

/* The session ends its requests, and other sessions go on. */
TEST_F(faults, freed_while_held)
{
	handle_t other = session();
	__u32 count = 0;

	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	for (int i = 0; i < MANY; i++)
		ASSERT_EQ(0, submit(other, i));
	wd_comp_free_sess(other);
	ASSERT_EQ(0, emulated_control(DEVICE, "release"));
	EXPECT_EQ(1, calls);
	ASSERT_EQ(0, submit(self->h, 0));
	ASSERT_EQ(0, wd_comp_poll(1, &count));
	EXPECT_EQ(1, count);
	EXPECT_EQ(2, calls);
}

/* It stays away, so this is the last one. Sessions for any path go on with the CPU. */
TEST_F(faults, removed)
{
	handle_t any;
	__u32 count = 0;

	if (variant->task == TASK_MIX)
		SKIP(return, "once, at the end");
	wd_comp_uninit2();
	ASSERT_EQ(0, wd_comp_init2("zlib", SCHED_POLICY_RR, TASK_MIX));
	any = session();
	ASSERT_EQ(0, emulated_control(DEVICE, "hold"));
	for (int i = 0; i < MANY; i++)
		ASSERT_EQ(0, submit(i % 2 ? any : self->h, i));
	ASSERT_EQ(0, emulated_control(DEVICE, "remove"));
	ASSERT_EQ(0, wd_comp_poll(MANY, &count));
	EXPECT_EQ(MANY, count);
	for (int i = 0; i < MANY; i++) {
		EXPECT_EQ(i % 2, right(i));
		EXPECT_EQ(i % 2 ? 0 : WD_ENODEV, status[i]);
	}
	wd_comp_free_sess(any);
}

TEST_HARNESS_MAIN
