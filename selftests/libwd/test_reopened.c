// SPDX-License-Identifier: Apache-2.0
/*
 * Two threads find the same context's ring stopped. One of them stops the context and opens it again, at each point
 * where the other takes a lock: the other must not stop what was opened.
 */
#include <limits.h>
#include <misc/uacce/hisi_qm.h>
#include <misc/uacce/uacce.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>

#define HOOKED_IOCTL_AFTER
#include "hooked_ioctl.h"
#include "need_device.h"
#include "on_device.h"

#define LEN		256
#define POINTS		200	/* a request takes fewer locks */
#define BLOCKED_MS	200	/* the other thread waits for a lock of this one */
#define NO_MORE		INT_MAX

struct request {
	handle_t h;
	int ret, path;
	unsigned char dst[2 * LEN];
	size_t len;
	atomic_bool over;
};

static unsigned char src[LEN];
static atomic_uint starts;
static struct request other;
static pthread_t other_thread;
static _Thread_local int points_left = -1;	/* until the other thread's turn; below 0: none */
static _Thread_local bool in_kernel;		/* the locks of the emulator's ioctl() are no points */

/*
 * Where the kernel executes submissions, a thread that waits calls it again and again. So the points end with the
 * submission to what was opened.
 */
static int before_ioctl(int fd, unsigned long cmd)
{
	(void)fd;
	if (cmd == UACCE_CMD_START_Q)
		starts++;
	else if (cmd == UACCE_CMD_QM_DOORBELL && starts && points_left >= 0)
		points_left = NO_MORE;
	in_kernel = true;
	return 0;
}

static void after_ioctl(unsigned long cmd, int ret)
{
	(void)cmd;
	(void)ret;
	in_kernel = false;
}

static void *request_do(void *p)
{
	struct request *r = p;
	struct wd_comp_arg arg = { .src = src, .src_len = LEN, .dst = r->dst, .dst_len = &r->len };

	r->len = sizeof(r->dst);
	r->ret = wd_compress(r->h, &arg);
	r->path = arg.path;
	atomic_store(&r->over, true);
	return NULL;
}

/* The other thread makes its request, as far as this one's locks let it. */
static void others_turn(void)
{
	int i;

	if (pthread_create(&other_thread, NULL, request_do, &other))
		abort();
	for (i = 0; i < BLOCKED_MS && !atomic_load(&other.over); i++)
		poll(NULL, 0, 1);
}

/* The libraries' mutexes, too. */
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static _Atomic(void *) next;
	union { void *p; __typeof__(&pthread_mutex_lock) f; } u = { .p = atomic_load(&next) };

	if (!u.p) {
		u.p = dlsym(RTLD_NEXT, "pthread_mutex_lock");
		atomic_store(&next, u.p);
	}
	if (!in_kernel && points_left >= 0 && !points_left--)
		others_turn();
	return u.f(mutex);
}

FIXTURE(reopened) {
	struct request mine;
	handle_t h;
};

FIXTURE_SETUP(reopened)
{
	if (!emulated())
		SKIP(return, "needs an emulated device, which can be reset");
	self->h = session_on_device(false, true);
	ASSERT_NE(0, self->h);
}

FIXTURE_TEARDOWN(reopened)
{
	EXPECT_EQ(0, wd_comp_free_sess(self->h));
}

/* false: the request took fewer locks than that. */
static bool with_the_other_at(struct request *mine, handle_t h, int point)
{
	bool met;

	other = (struct request){ .h = h };
	mine->h = h;
	points_left = point;
	request_do(mine);
	met = points_left < 0;
	points_left = -1;
	if (met)
		pthread_join(other_thread, NULL);
	return met;
}

TEST_F(reopened, is_not_stopped_by_a_thread_that_saw_the_ring_before)
{
	int point;

	request_do(&(struct request){ .h = self->h });
	for (point = 0; point < POINTS; point++) {
		ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "reset"));
		starts = 0;
		if (!with_the_other_at(&self->mine, self->h, point))
			break;
		EXPECT_EQ(0, self->mine.ret) TH_LOG("at point %d", point);
		EXPECT_EQ(0, other.ret) TH_LOG("at point %d", point);
		EXPECT_EQ(1, starts) TH_LOG("at point %d", point);
	}
	EXPECT_LT(0, point);
	EXPECT_LT(point, POINTS);
}

/* As if another device had come under that name: its folder is a new one. */
static int interface_set(const char *api)
{
	char folder[4096];
	int ret = emulated_attribute(0, "api", api);

	if (!ret)
		ret = emulated_attribute(0, "hisi_zip-zlib/device_api", api);
	snprintf(folder, sizeof(folder), "%s/sys/class/uacce/" EMULATED_DEVICE, getenv("WD_EMULATE_ROOT"));
	/* A change of the mode changes the folder's time, too. */
	return ret ? ret : (int)syscall(SYS_fchmodat, AT_FDCWD, folder, 0755);
}

/*
 * A device that has come back under a name may be of another generation. Here it only says so: it refuses the
 * descriptors of the driver for that one, and would take those of the context's old driver.
 */
TEST_F(reopened, is_not_opened_by_its_old_driver_if_the_interface_is_another)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.dir_type = WD_DIR_COMPRESS, .flags = WD_SESS_PATH_HW,
	};

	self->mine.h = alloc_on_device(&setup);
	ASSERT_NE(0, self->mine.h);
	request_do(&self->mine);
	EXPECT_EQ(0, self->mine.ret);
	ASSERT_EQ(0, interface_set("hisi_qm_v2\n"));
	ASSERT_EQ(0, emulated_control(EMULATED_DEVICE, "reset"));
	request_do(&self->mine);
	EXPECT_NE(0, self->mine.ret);
	ASSERT_EQ(0, interface_set("hisi_qm_v3\n"));
	EXPECT_EQ(0, wd_comp_free_sess(self->mine.h));
}
