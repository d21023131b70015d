// SPDX-License-Identifier: Apache-2.0
/*
 * A program closes all descriptors after it has used devices, and gets the library's numbers for event files, timers,
 * epoll sets and devices of its own. The library leaves them alone, in that process and in its children, and serves
 * requests as before.
 */
#include <dlfcn.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <wd_cq.h>

#include "hooked_ioctl.h"
#include "in_child.h"
#include "need_device.h"
#include "on_device.h"

#define LEN		1000
#define FIRST		3
#define FILES		100
#define COUNT		7
#define SLICE_MS	20
#define CANT		99	/* the child can't be made what the test needs */

static bool mine[FILES];
static unsigned int touched;

static void note(int fd)
{
	touched += fd >= 0 && fd < FILES && mine[fd];
}

static int before_ioctl(int fd, unsigned long cmd)
{
	note(fd);
	return 0;
}

#define NEXT(name) (((union { void *p; __typeof__(&name) f; }){ .p = dlsym(RTLD_NEXT, #name) }).f)

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	nfds_t i;

	for (i = 0; i < n; i++)
		note(fds[i].fd);
	return NEXT(ppoll)(fds, n, timeout, mask);
}

int epoll_ctl(int ep, int op, int fd, struct epoll_event *event)
{
	note(ep);
	note(fd);
	return NEXT(epoll_ctl)(ep, op, fd, event);
}

int timerfd_settime(int fd, int flags, const struct itimerspec *when, struct itimerspec *old)
{
	note(fd);
	return NEXT(timerfd_settime)(fd, flags, when, old);
}

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	if (!(flags & MAP_ANONYMOUS))
		note(fd);
	return NEXT(mmap)(addr, len, prot, flags, fd, offset);
}

/* --- work --- */

struct user {
	handle_t cq, on_cq[2], called, alone;
	unsigned char src[LEN], dst[2 * LEN];
	size_t len;
	struct wd_comp_arg arg;
	bool over;
};

static handle_t session(handle_t cq, bool async, __u32 path)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = async ? WD_ASYNC : WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K,
		.dir_type = WD_DIR_COMPRESS, .flags = path | (cq ? WD_SESS_CQ : 0), .cq = cq,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static int user_open(struct user *u)
{
	u->cq = wd_cq_create(16);
	u->on_cq[0] = session(u->cq, true, WD_SESS_PATH_HW);
	u->on_cq[1] = session(u->cq, true, WD_SESS_PATH_SOFT);
	u->called = session(0, true, WD_SESS_PATH_HW);
	u->alone = session(0, false, WD_SESS_PATH_HW);
	return u->cq && u->on_cq[0] && u->on_cq[1] && u->called && u->alone ? 0 : -1;
}

static int user_close(struct user *u)
{
	wd_comp_free_sess(u->on_cq[0]);
	wd_comp_free_sess(u->on_cq[1]);
	wd_comp_free_sess(u->called);
	wd_comp_free_sess(u->alone);
	return wd_cq_destroy(u->cq);
}

static void done(struct wd_comp_arg *arg, void *param)
{
	((struct user *)param)->over = true;
}

static struct wd_comp_arg *request(struct user *u)
{
	u->len = sizeof(u->dst);
	u->arg = (struct wd_comp_arg){ .src = u->src, .src_len = LEN, .dst = u->dst, .dst_len = &u->len };
	return &u->arg;
}

/*
 * Arms before it submits: the signal of a request for software, and the timer of one for the device, come afterwards.
 */
static int by_queue(struct user *u, handle_t h)
{
	struct pollfd pfd = { .events = POLLIN };
	struct wd_wc wc;
	int got = 0;

	if (wd_cq_arm(u->cq) || wd_comp_async(h, request(u), NULL))
		return -1;
	while (!got) {
		pfd.fd = wd_cq_fd(u->cq);
		if (pfd.fd < 0 || wd_cq_arm(u->cq))
			return -1;
		poll(&pfd, 1, SLICE_MS);
		got = wd_poll_cq(u->cq, 1, &wc);
	}
	return got == 1 ? wc.status : -1;
}

static int by_callback(struct user *u)
{
	struct wd_comp_arg *arg = request(u);

	u->over = false;
	arg->cb = done;
	arg->cb_param = u;
	if (wd_comp_async(u->called, arg, NULL))
		return -1;
	while (!u->over)
		if (wd_comp_poll_wait(1, SLICE_MS, NULL) < 0 && !u->over)
			poll(NULL, 0, 1);
	return arg->status;
}

static int all_work(struct user *u)
{
	return by_queue(u, u->on_cq[0]) || by_queue(u, u->on_cq[1]) || by_callback(u) ||
	       wd_compress(u->alone, request(u));
}

/* --- files of the program --- */

static int event_open(void)
{
	return eventfd(COUNT, EFD_NONBLOCK);
}

static int timer_open(void)
{
	return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
}

static int set_open(void)
{
	return epoll_create1(0);
}

static int node_open(void)
{
	return open("/dev/" EMULATED_DEVICE, O_RDWR);
}

static bool event_changed(int fd)
{
	eventfd_t count;

	return eventfd_read(fd, &count) || count != COUNT;
}

static bool timer_changed(int fd)
{
	struct itimerspec now;

	return timerfd_gettime(fd, &now) || now.it_value.tv_sec || now.it_value.tv_nsec;
}

/* No file is ever added: the hooks report that. */
static bool is_closed(int fd)
{
	return fcntl(fd, F_GETFD) < 0;
}

/* With the numbers of all files that were open. */
static int files_open(int (*one)(void))
{
	int fd, last = FIRST;

	for (fd = FIRST; fd < FILES; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			last = fd;
	closefrom(FIRST);
	for (fd = FIRST; fd <= last; fd++) {
		if (one() != fd)
			return -1;
		mine[fd] = true;
	}
	return 0;
}

static unsigned int files_changed(bool (*is_changed)(int fd))
{
	unsigned int n = 0;
	int fd;

	for (fd = FIRST; fd < FILES; fd++)
		n += mine[fd] && is_changed(fd);
	return n;
}

/* --- */

FIXTURE(numbers) {
};

FIXTURE_VARIANT(numbers) {
	int (*open)(void);
	bool (*is_changed)(int fd);
};

FIXTURE_VARIANT_ADD(numbers, of_events) { .open = event_open, .is_changed = event_changed };
FIXTURE_VARIANT_ADD(numbers, of_timers) { .open = timer_open, .is_changed = timer_changed };
FIXTURE_VARIANT_ADD(numbers, of_sets) { .open = set_open, .is_changed = is_closed };
FIXTURE_VARIANT_ADD(numbers, of_devices) { .open = node_open, .is_changed = is_closed };

FIXTURE_SETUP(numbers)
{
	setenv("WD_WAIT", "sleep", 1);
}

FIXTURE_TEARDOWN(numbers)
{
}

static struct user user;

static int used_and_closed(const FIXTURE_VARIANT(numbers) *variant)
{
	if (user_open(&user) || all_work(&user))
		return -1;
	return files_open(variant->open);
}

static int goes_on(void *p)
{
	const FIXTURE_VARIANT(numbers) *variant = p;

	if (used_and_closed(variant))
		return CANT;
	if (all_work(&user) || all_work(&user))
		return 1;
	return touched ? 2 : files_changed(variant->is_changed) ? 3 : 0;
}

TEST_F(numbers, are_not_used_by_the_requests_that_follow)
{
	EXPECT_EQ(0, in_child(goes_on, (void *)variant));
}

static int ends(void *p)
{
	const FIXTURE_VARIANT(numbers) *variant = p;

	if (used_and_closed(variant))
		return CANT;
	if (user_close(&user))
		return 1;
	return touched ? 2 : files_changed(variant->is_changed) ? 3 : 0;
}

TEST_F(numbers, are_not_closed_with_their_users)
{
	EXPECT_EQ(0, in_child(ends, (void *)variant));
}

static int child_works(void *p)
{
	const FIXTURE_VARIANT(numbers) *variant = p;
	unsigned int closed = files_changed(is_closed);
	handle_t h = session(0, false, 0);

	if (closed || !h || wd_compress(h, request(&user)))
		return 1;
	return touched ? 2 : files_changed(variant->is_changed) ? 3 : 0;
}

static int forks(void *p)
{
	return used_and_closed(p) ? CANT : in_child(child_works, p);
}

TEST_F(numbers, are_not_closed_in_a_child)
{
	EXPECT_EQ(0, in_child(forks, (void *)variant));
}

static unsigned int files(void)
{
	unsigned int n = 0;
	int fd;

	for (fd = FIRST; fd < FILES; fd++)
		n += !is_closed(fd);
	return n;
}

/* The library's own new files may have the numbers of its old ones. */
static int ends_beside_another(void *p)
{
	static struct user other;
	unsigned int before;

	if (user_open(&user) || all_work(&user))
		return CANT;
	closefrom(FIRST);
	if (user_open(&other) || all_work(&other))
		return 1;
	before = files();
	if (user_close(&user))
		return 2;
	return files() != before ? 3 : all_work(&other) ? 4 : 0;
}

TEST(old_files_with_the_numbers_of_new_ones_are_not_closed)
{
	EXPECT_EQ(0, in_child(ends_beside_another, NULL));
}

static int works_beside_another(void *p)
{
	static struct user other;

	if (user_open(&user) || all_work(&user))
		return CANT;
	closefrom(FIRST);
	if (user_open(&other) || all_work(&other))
		return 1;
	if (all_work(&user) || user_close(&user))
		return 2;
	return all_work(&other) || user_close(&other) ? 3 : 0;
}

TEST(old_files_are_replaced_beside_new_ones_with_their_numbers)
{
	EXPECT_EQ(0, in_child(works_beside_another, NULL));
}
