// SPDX-License-Identifier: Apache-2.0
/* Devices without shared virtual addresses: found as others are, and used in pieces that the kernel can map. */
#include <pthread.h>
#include "comp_test.h"
#include "emulated.h"
#include "wait_ms.h"
#include "kselftest_harness.h"

#define LEN	(3 * MIB + 5)
#define MANY	300
#define SHORT	1000
#define THREADS	8
#define AT_ONCE	6	/* of their requests, at least */

/* Without an IOMMU a buffer is in as many pieces as it has pages. */
#define DIRECT		1
#define DIRECT_NAME	"hisi_zip-1"

static unsigned int calls;

FIXTURE(mediated) {
	wd_dev_mask_t *mask;
	unsigned char *plain, *packed, *back;
};

FIXTURE_SETUP(mediated)
{
	self->mask = wd_dev_mask_alloc();
	self->plain = malloc(LEN);
	self->packed = malloc(2 * LEN);
	self->back = malloc(2 * LEN);
	ASSERT_TRUE(self->mask && self->plain && self->packed && self->back);
	ASSERT_EQ(0, wd_dev_mask_set(self->mask, DIRECT));
	fill_text(self->plain, LEN, 3);
}

FIXTURE_TEARDOWN(mediated)
{
	wd_dev_mask_free(self->mask);
	free(self->plain);
	free(self->packed);
	free(self->back);
	EXPECT_EQ(0, emulated_count(DIRECT_NAME, "outside"));
}

static handle_t sess(FIXTURE_DATA(mediated) *self, int dir, int op, int fmt)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_GZIP, .op_type = op, .dir_type = dir, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.data_fmt = fmt, .flags = WD_SESS_PATH_HW,
	};

	return wd_comp_alloc_sess(&setup, self->mask);
}

TEST_F(mediated, the_list_says_how_they_reach_memory)
{
	struct uacce_dev_list *list = wd_list_accels("gzip"), *l;

	ASSERT_NE(NULL, list);
	for (l = list; l; l = l->next) {
		EXPECT_EQ(0, l->info->flags & UACCE_DEV_SVA);
		EXPECT_EQ(1, l->info->mediated);
	}
	wd_free_list_accels(list);
}

static int call(FIXTURE_DATA(mediated) *self, int dir, const void *from, size_t n, void *to, size_t *room)
{
	handle_t h = sess(self, dir, WD_SYNC, WD_FLAT_BUF);
	struct wd_comp_arg arg = { .src = from, .src_len = n, .dst = to, .dst_len = room };
	int ret = !h ? -errno : dir == WD_DIR_COMPRESS ? wd_compress(h, &arg) : wd_decompress(h, &arg);

	if (!ret && arg.path != WD_PATH_SIM)
		ret = -ENODEV;
	if (h)
		wd_comp_free_sess(h);
	return ret;
}

/* Its buffers become lists of hundreds of pages. */
TEST_F(mediated, whole_buffers)
{
	size_t len = 2 * LEN, back = 2 * LEN;

	ASSERT_EQ(0, call(self, WD_DIR_COMPRESS, self->plain, LEN, self->packed, &len));
	ASSERT_EQ(0, call(self, WD_DIR_DECOMPRESS, self->packed, len, self->back, &back));
	EXPECT_EQ(LEN, back);
	EXPECT_EQ(0, memcmp(self->plain, self->back, LEN));
}

TEST_F(mediated, memory_that_is_not_there_is_an_error_of_the_request)
{
	size_t len = 2 * LEN;

	EXPECT_EQ(-EFAULT, call(self, WD_DIR_COMPRESS, NOWHERE, 5000, self->packed, &len));
	len = 2 * LEN;
	EXPECT_EQ(-EFAULT, call(self, WD_DIR_COMPRESS, self->plain, 5000, NOWHERE, &len));
}

/* One call for all of it. */
static int stream(FIXTURE_DATA(mediated) *self, int dir, const void *from, size_t n, void *to, size_t *room)
{
	handle_t h = sess(self, dir, WD_SYNC, WD_FLAT_BUF);
	struct wd_comp_strm strm = { .src = (void *)from, .src_len = &n, .dst = to, .dst_len = room, .last = 1 };
	int ret = !h ? -errno : dir == WD_DIR_COMPRESS ? wd_strm_compress(h, &strm) : wd_strm_decompress(h, &strm);

	if (ret == 1 && strm.path != WD_PATH_SIM)
		ret = -ENODEV;
	if (h)
		wd_comp_free_sess(h);
	return ret;
}

TEST_F(mediated, a_stream_is_cut_where_the_kernel_makes_data_contiguous)
{
	unsigned long long before = emulated_count(DIRECT_NAME, "completions");
	size_t len = 2 * LEN, back = 2 * LEN;

	ASSERT_EQ(1, stream(self, WD_DIR_COMPRESS, self->plain, LEN, self->packed, &len));
	EXPECT_LE(before + LEN / (512 * KIB), emulated_count(DIRECT_NAME, "completions"));
	ASSERT_EQ(1, stream(self, WD_DIR_DECOMPRESS, self->packed, len, self->back, &back));
	EXPECT_EQ(LEN, back);
	EXPECT_EQ(0, memcmp(self->plain, self->back, LEN));
}

/* It is one request, and too long for the kernel to make it contiguous. */
TEST_F(mediated, a_part_is_not_cut)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_DEFLATE_RAW, .op_type = WD_SYNC, .dir_type = WD_DIR_COMPRESS, .comp_lv = 1,
		.win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW,
	};
	static const unsigned char end[] = { 3, 0 };
	handle_t h = wd_comp_alloc_sess(&setup, self->mask);
	size_t len = 2 * LEN - sizeof(end);
	struct wd_comp_arg arg = {
		.src = self->plain, .src_len = LEN, .dst = self->packed, .dst_len = &len, .flags = WD_COMP_PART,
	};

	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, wd_compress(h, &arg)) TH_LOG("%s", detail(h));
	EXPECT_EQ(WD_PATH_SIM, arg.path);
	memcpy(self->packed + len, end, sizeof(end));
	EXPECT_EQ(LEN, z_decompress(WD_DEFLATE_RAW, self->packed, len + sizeof(end), self->back, LEN, 15));
	EXPECT_EQ(0, memcmp(self->plain, self->back, LEN));
	wd_comp_free_sess(h);
}

static void done(struct wd_comp_arg *arg, void *status)
{
	*(int *)status = arg->status;
	calls++;
}

/* More than its queue has places for in the device. */
TEST_F(mediated, requests_wait_for_room_in_the_kernel)
{
	handle_t h = sess(self, WD_DIR_COMPRESS, WD_ASYNC, WD_FLAT_BUF);
	struct wd_comp_arg args[MANY];
	static int status[MANY];
	size_t len[MANY];
	unsigned int i;

	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, emulated_control(DIRECT_NAME, "hold"));
	for (i = 0; i < MANY; i++) {
		len[i] = 2 * SHORT;
		status[i] = 1;
		args[i] = (struct wd_comp_arg){
			.src = self->plain, .src_len = SHORT, .dst = self->packed + i * 2 * SHORT, .dst_len = &len[i],
			.cb = done, .cb_param = &status[i],
		};
		ASSERT_EQ(0, wd_comp_async(h, &args[i], NULL)) TH_LOG("%s", detail(h));
	}
	ASSERT_EQ(0, emulated_control(DIRECT_NAME, "release"));
	while (calls < MANY) {
		ASSERT_LT(0, wd_comp_poll(MANY, 60000, NULL)) TH_LOG("%u of them are over", calls);
	}
	for (i = 0; i < MANY; i++) {
		EXPECT_EQ(0, status[i]);
		EXPECT_EQ(SHORT, z_decompress(WD_GZIP, self->packed + i * 2 * SHORT, len[i], self->back, SHORT, 15));
	}
	wd_comp_free_sess(h);
}

struct caller {
	pthread_t thread;
	handle_t sess;
	const unsigned char *from;
	unsigned char to[2 * SHORT];
	size_t len;
	int ret;
};

static void *caller_run(void *arg)
{
	struct caller *c = arg;
	struct wd_comp_arg request = { .src = c->from, .src_len = SHORT, .dst = c->to, .dst_len = &c->len };

	c->len = sizeof(c->to);
	c->ret = wd_compress(c->sess, &request);
	return NULL;
}

static unsigned long long in_device(void)
{
	return emulated_count(DIRECT_NAME, "descriptors") - emulated_count(DIRECT_NAME, "completions");
}

/* The device loses the requests. It is reset, and the library repeats them. */
TEST_F(mediated, requests_of_the_threads_of_a_context_are_in_the_device_at_once)
{
	handle_t h = sess(self, WD_DIR_COMPRESS, WD_SYNC, WD_FLAT_BUF);
	static struct caller c[THREADS];
	unsigned long long before = in_device();
	unsigned int i, looks;

	ASSERT_NE(0, h) TH_LOG("%s", detail(0));
	ASSERT_EQ(0, emulated_control(DIRECT_NAME, "fault drop=8"));
	for (i = 0; i < THREADS; i++) {
		c[i] = (struct caller){ .sess = h, .from = self->plain };
		ASSERT_EQ(0, pthread_create(&c[i].thread, NULL, caller_run, &c[i]));
	}
	for (looks = 0; looks < WAIT_MS / 2 && in_device() - before < THREADS; looks++)
		usleep(1000);
	EXPECT_LE(AT_ONCE, in_device() - before);
	ASSERT_EQ(0, emulated_control(DIRECT_NAME, "fault drop=0"));
	ASSERT_EQ(0, emulated_control(DIRECT_NAME, "reset"));
	for (i = 0; i < THREADS; i++) {
		pthread_join(c[i].thread, NULL);
		EXPECT_EQ(0, c[i].ret) TH_LOG("%s", detail(h));
		EXPECT_EQ(SHORT, z_decompress(WD_GZIP, c[i].to, c[i].len, self->back, SHORT, 15));
	}
	wd_comp_free_sess(h);
}

/* A thread that only looks, and one that sleeps at once. */
TEST_F(mediated, a_spinning_thread_calls_the_kernel)
{
	size_t len = 2 * LEN;

	setenv("WD_WAIT", "spin", 1);
	EXPECT_EQ(0, call(self, WD_DIR_COMPRESS, self->plain, 100 * KIB, self->packed, &len));
}

TEST_F(mediated, so_does_a_sleeping_one)
{
	size_t len = 2 * LEN;

	setenv("WD_WAIT", "sleep", 1);
	EXPECT_EQ(0, call(self, WD_DIR_COMPRESS, self->plain, 100 * KIB, self->packed, &len));
}

TEST_HARNESS_MAIN
