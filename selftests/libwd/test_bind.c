// SPDX-License-Identifier: Apache-2.0
/* Which contexts sessions get, on several emulated devices whose attributes a test changes. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "device/recent.h"
#include "emulated.h"
#include "on_device.h"

#define LEN	1000

static handle_t session(int alg, int device)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = alg, .op_type = WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW,
	};
	wd_dev_mask_t *mask = device < 0 ? NULL : wd_dev_mask_alloc();
	handle_t h;

	if (mask)
		wd_dev_mask_set(mask, device);
	h = wd_comp_alloc_sess(&setup, mask);
	wd_dev_mask_free(mask);
	return h;
}

static bool lists;

static int compress(handle_t sess)
{
	static unsigned char src[LEN], dst[2 * LEN];
	size_t len = sizeof(dst);
	struct wd_datalist in = { .data = src, .len = LEN }, out = { .data = dst, .len = sizeof(dst) };
	struct wd_comp_arg arg = {
		.src = lists ? (void *)&in : src, .src_len = LEN, .dst = lists ? (void *)&out : dst, .dst_len = &len,
	};

	return wd_compress(sess, &arg);
}

/* The device that has completed the most requests since the last call; -1 if none has completed any. */
static int device_of(handle_t sess)
{
	static __u64 before[64];
	struct wd_ctx_stats st;
	struct wd_ctx_info info;
	unsigned int i;
	int device = -1;

	if (compress(sess))
		return -1;
	for (i = 0; i < 64 && !wd_ctx_stats(i, &st); i++) {
		if (st.all.completed != before[i] && !wd_ctx_info(i, &info))
			device = atoi(strrchr(info.dev_name, '-') + 1);
		before[i] = st.all.completed;
	}
	return device;
}

static int list_device_of(handle_t sess)
{
	int device;

	lists = true;
	device = device_of(sess);
	lists = false;
	return device;
}

/* Makes the next session see the change at once. */
static int attribute(unsigned int device, const char *name, const char *value)
{
	int ret = emulated_attribute(device, name, value);

	wd_recent_forget();
	return ret;
}

/* Restores the emulated devices' first values; changes of an earlier test are undone. */
static int devices_reset(void)
{
	unsigned int i;
	int ret = emulated() ? 0 : -ENODEV;

	for (i = 0; i < 2 && !ret; i++) {
		ret = attribute(i, "algorithms", "zlib\ngzip\ndeflate\n");
		if (!ret)
			ret = attribute(i, "priority", "0\n");
		if (!ret)
			ret = attribute(i, "isolate", "0\n");
		if (!ret)
			ret = attribute(i, "hisi_zip-zlib/flags", "0x00000003\n");
	}
	return ret;
}

#define NEED_DEVICES()	do { if (devices_reset()) SKIP(return, "not two emulated devices"); } while (0)

TEST(sessions_take_turns_among_the_contexts_of_a_node)
{
	handle_t s[4];
	int i, on[2] = { 0 };

	NEED_DEVICES();
	ASSERT_EQ(0, device_of(session(WD_ZLIB, 0)));
	ASSERT_EQ(1, device_of(session(WD_ZLIB, 1)));
	for (i = 0; i < 4; i++) {
		s[i] = session(WD_ZLIB, -1);
		on[device_of(s[i])]++;
	}
	EXPECT_EQ(2, on[0]);
	EXPECT_EQ(2, on[1]);
}

TEST(a_context_whose_device_lacks_the_algorithm_is_not_used)
{
	NEED_DEVICES();
	ASSERT_EQ(0, attribute(0, "algorithms", "zlib\n"));
	ASSERT_EQ(0, device_of(session(WD_ZLIB, 0)));
	EXPECT_EQ(1, device_of(session(WD_GZIP, -1)));
}

static handle_t list_session(__u32 flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.data_fmt = WD_SGL_BUF, .flags = flags,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

/* The device's flags for an algorithm: bit 1 means lists. */
TEST(lists_are_for_devices_that_take_them)
{
	unsigned int device;
	char text[256];

	NEED_DEVICES();
	for (device = 0; device < 2; device++) {
		ASSERT_EQ(0, devices_reset());
		ASSERT_EQ(0, attribute(device, "hisi_zip-zlib/flags", "0x00000001\n"));
		/* An open context of the other device doesn't serve lists either. */
		ASSERT_EQ(device, device_of(session(WD_ZLIB, device)));
		EXPECT_EQ(!device, list_device_of(list_session(WD_SESS_PATH_HW)));
	}
	ASSERT_EQ(0, attribute(0, "hisi_zip-zlib/flags", "0x00000001\n"));
	errno = 0;
	EXPECT_EQ(0, list_session(WD_SESS_PATH_HW));
	EXPECT_EQ(EOPNOTSUPP, errno);
	wd_error_detail(0, text, sizeof(text));
	EXPECT_NE(NULL, strstr(text, "no device has the features of zlib that this session needs"));
	/* The software path takes lists as well. */
	EXPECT_EQ(-1, list_device_of(list_session(0)));
	/* Other sessions aren't refused. */
	EXPECT_EQ(0, device_of(session(WD_ZLIB, 0)));
}

TEST(a_device_that_does_not_see_all_memory_gets_no_sessions)
{
	NEED_DEVICES();
	ASSERT_EQ(0, attribute(0, "hisi_zip-zlib/flags", "0x00000002\n"));
	EXPECT_EQ(1, device_of(session(WD_ZLIB, -1)));
	errno = 0;
	EXPECT_EQ(0, session(WD_ZLIB, 0));
	EXPECT_EQ(ENODEV, errno);
}

TEST(a_better_device_is_preferred_to_an_open_context)
{
	NEED_DEVICES();
	ASSERT_EQ(0, attribute(0, "priority", "5\n"));
	ASSERT_EQ(0, device_of(session(WD_ZLIB, 0)));
	EXPECT_EQ(1, device_of(session(WD_ZLIB, -1)));
}

TEST(an_isolated_device_gets_no_sessions)
{
	NEED_DEVICES();
	ASSERT_EQ(0, device_of(session(WD_ZLIB, 0)));
	ASSERT_EQ(0, attribute(0, "isolate", "1\n"));
	EXPECT_EQ(1, device_of(session(WD_ZLIB, -1)));
	errno = 0;
	EXPECT_EQ(0, session(WD_ZLIB, 0));
	EXPECT_EQ(ENODEV, errno);
}

TEST(a_stopped_context_of_an_isolated_device_stays_closed_until_it_is_released)
{
	handle_t sess;
	int i;

	NEED_DEVICES();
	sess = session(WD_ZLIB, 0);
	ASSERT_EQ(0, compress(sess));
	ASSERT_EQ(0, attribute(0, "isolate", "1\n"));
	ASSERT_EQ(0, emulated_control("hisi_zip-0", "reset"));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(-EIO, compress(sess));
	ASSERT_EQ(0, attribute(0, "isolate", "0\n"));
	for (i = 0; i < 10000 && compress(sess); i++)
		usleep(1000);
	EXPECT_EQ(0, compress(sess));
}

TEST_HARNESS_MAIN
