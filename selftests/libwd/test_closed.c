// SPDX-License-Identifier: Apache-2.0
/* open.c with devices that open at once: a closed context is opened again for a session; fork meanwhile. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/device.h"
#include "kselftest_harness.h"
#include "request/cq.h"
#include "request/pollers.h"
#include "section/section.h"

#define DEPTH	4

static struct wd_queue *opened;
static bool role_held;

int wd_cq_add(struct wd_cq *cq, struct wd_queue *q)
{
	return 0;
}

bool wd_cq_has(struct wd_cq *cq, struct wd_queue *q)
{
	return false;
}

bool wd_cq_may_add(struct wd_cq *cq, struct wd_queue *q)
{
	return true;
}

void wd_cq_watch(struct wd_queue *q)
{
}

void wd_cq_unwatch(struct wd_queue *q)
{
}

int wd_device_read(const char *name, struct uacce_dev_info *info)
{
	*info = (struct uacce_dev_info){ 0 };
	strcpy(info->name, name);
	return 0;
}

bool wd_device_usable(const struct uacce_dev_info *info)
{
	return true;
}

void wd_driver_fill(struct wd_driver *full, const struct wd_driver *drv)
{
	*full = *drv;
}

void wd_grant_lock(void)
{
}

void wd_grant_unlock(void)
{
}

int wd_grant_place(const struct wd_queue *q, enum wd_place how)
{
	return 0;
}

int wd_grant_refuse(const struct wd_queue *q)
{
	return -EDQUOT;
}

int wd_evict_for(const struct wd_queue *q)
{
	return -EDQUOT;
}

void wd_grant_wait(void)
{
}

void wd_grant_hold(struct wd_queue *q)
{
	atomic_store(&q->held, true);
}

void wd_grant_let_go(struct wd_queue *q)
{
	atomic_store(&q->held, false);
}

int wd_section_usable(void)
{
	return 0;
}

int wd_grant_open(struct wd_queue *q, const struct uacce_dev_info *info, bool *refused)
{
	*refused = false;
	opened = q;
	role_held = atomic_load(&q->sleeper);
	q->pub.depth = q->pub.limit = DEPTH;
	return 0;
}

void wd_pollers_changed(void)
{
}

bool wd_sleeper_enter(struct wd_queue *q)
{
	return !atomic_exchange(&q->sleeper, 1);
}

void wd_sleeper_wait(struct wd_queue *q)
{
	while (!wd_sleeper_enter(q))
		;
}

void wd_sleeper_leave(struct wd_queue *q)
{
	atomic_store(&q->sleeper, 0);
}

static void never_open(struct wd_queue *q)
{
}

static const struct wd_class cls = { .name = "test" };
static const struct wd_driver drv = { .name = "test", .close = never_open };
static const struct uacce_dev_info device = { .name = "dev-0" };

FIXTURE(closed) {
	struct wd_slot slots[DEPTH];
	struct wd_cq cq;
	struct wd_queue q;
	struct wd_session s;
	struct wd_queue *res;
};

FIXTURE_SETUP(closed)
{
	self->q = (struct wd_queue){
		.cls = &cls, .drv = drv, .state = -EDQUOT, .settled = true, .pub.depth = DEPTH,
		.pub.slots = self->slots, .pub.path = WD_PATH_SIM, .pub.fd = -1, .for_cq = true, .async = true,
	};
	strcpy(self->q.dev_name, device.name);
	/* Without contexts. */
	self->s = (struct wd_session){ .cls = &cls, .cq = &self->cq, .attr.async = true };
	wd_engine.queue[0] = &self->q;
	atomic_store(&wd_engine.nr, 1);
	pthread_mutex_lock(&wd_engine.lock);
}

FIXTURE_TEARDOWN(closed)
{
	pthread_mutex_unlock(&wd_engine.lock);
}

/* The thread that has the role may be about to close the context. */
TEST_F(closed, is_opened_with_the_sleepers_role)
{
	ASSERT_EQ(0, wd_queue_open(&self->s, &drv, &device, WD_PLACE_FREE, &self->res));
	EXPECT_EQ(&self->q, self->res);
	EXPECT_EQ(&self->q, opened);
	EXPECT_TRUE(role_held);
	EXPECT_EQ(0, atomic_load(&self->q.sleeper));
	EXPECT_EQ(0, atomic_load(&self->q.state));
}

TEST_F(closed, is_left_alone_while_another_has_the_role)
{
	atomic_store(&self->q.sleeper, 1);
	EXPECT_EQ(-EBUSY, wd_queue_open(&self->s, &drv, &device, WD_PLACE_FREE, &self->res));
	EXPECT_EQ(NULL, opened);
	EXPECT_EQ(1, atomic_load(&self->q.sleeper));
	EXPECT_EQ(-EDQUOT, atomic_load(&self->q.state));
}

TEST_F(closed, is_not_for_callbacks_when_it_is_for_completion_queues)
{
	self->s.cq = NULL;
	ASSERT_EQ(0, wd_queue_open(&self->s, &drv, &device, WD_PLACE_FREE, &self->res));
	EXPECT_NE(&self->q, self->res);
	EXPECT_EQ(self->res, opened);
	EXPECT_EQ(-EDQUOT, atomic_load(&self->q.state));
}

static void *hold_until(void *over)
{
	pthread_mutex_lock(&wd_engine.lock);
	pthread_barrier_wait(over);
	pthread_barrier_wait(over);
	pthread_mutex_unlock(&wd_engine.lock);
	return NULL;
}

/* The thread that holds it may not exist in the child. */
TEST(fork_does_not_wait_for_the_engine_and_the_child_has_it_free)
{
	pthread_barrier_t over;
	pthread_t thread;
	int status;
	pid_t pid;

	wd_table_init();
	pthread_barrier_init(&over, NULL, 2);
	ASSERT_EQ(0, pthread_create(&thread, NULL, hold_until, &over));
	pthread_barrier_wait(&over);
	pid = fork();
	if (!pid)
		_exit(pthread_mutex_trylock(&wd_engine.lock));
	pthread_barrier_wait(&over);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	pthread_join(thread, NULL);
}

TEST_HARNESS_MAIN
