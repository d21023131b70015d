// SPDX-License-Identifier: Apache-2.0
/* Claims on a device that goes and comes: when they are served, and which waiting process gets what. */
#include <pthread.h>
#include <stdatomic.h>
#include "kselftest_harness.h"
#include "worker.h"

#define S	"SSL"
#define DRIVER	"/sys/bus/pci/drivers/hisi_zip"
#define BACK_MS	300000

FIXTURE(claims) {
	struct worker w[4];
	char pci[64];
	long total;
};

static int device_goes(const char *pci)
{
	return text_write(DRIVER "/unbind", pci);
}

static int device_comes(const char *pci)
{
	int i, ret = text_write(DRIVER "/bind", pci);

	for (i = 0; !ret && i < BACK_MS && access("/dev/" DEV0, F_OK); i++)
		usleep(1000);
	return ret ? ret : access("/dev/" DEV0, F_OK);
}

FIXTURE_SETUP(claims)
{
	char link[256];
	ssize_t n = readlink("/sys/class/uacce/" DEV0 "/device", link, sizeof(link) - 1);
	int i;

	ASSERT_LT(0, n);
	link[n] = 0;
	snprintf(self->pci, sizeof(self->pci), "%s", strrchr(link, '/') + 1);
	self->total = dev_num(DEV0, "total_ctxs");
	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, worker_start(&self->w[i]));
	}
}

FIXTURE_TEARDOWN(claims)
{
	int i;

	for (i = 0; i < 4; i++)
		worker_kill(&self->w[i]);
	if (access("/dev/" DEV0, F_OK))
		EXPECT_EQ(0, device_comes(self->pci));
	if (!access(sec_path(S, NULL), F_OK))
		EXPECT_EQ(0, sec_end(S));
	if (!access(sec_path("other", NULL), F_OK))
		EXPECT_EQ(0, sec_end("other"));
	EXPECT_EQ(0, soon_zero(DEV0, "used_ctxs"));
	EXPECT_EQ(0, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(self->total, dev_num(DEV0, "free_ctxs"));
	EXPECT_TRUE(accounts_ok());
}

static atomic_bool enough;

static void *goes_live_and_down(void *arg)
{
	while (!enough) {
		sec_set(S, "live", "1");
		sec_set(S, "live", "0");
	}
	return NULL;
}

/* The device takes back its queues over a while, in which no section may reserve any; the kernel warns if one does. */
TEST_F_TIMEOUT(claims, a_device_that_goes_is_absent, 120)
{
	struct worker *w = self->w;
	pthread_t thread;
	int i, k;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 0));
	enough = false;
	ASSERT_EQ(0, pthread_create(&thread, NULL, goes_live_and_down, NULL));
	for (k = 0; k < 5; k++) {
		for (i = 0; i < 60; i++)
			EXPECT_EQ(0, w_open(&w[0], DEV0));
		EXPECT_EQ(0, device_goes(self->pci));
		EXPECT_EQ(0, device_comes(self->pci));
		EXPECT_TRUE(accounts_ok());
		for (i = 0; i < 60; i++)
			w_close(&w[0]);
	}
	enough = true;
	pthread_join(thread, NULL);
}

TEST_F_TIMEOUT(claims, who_waits_for_a_slot_that_goes_is_told, 120)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, device_goes(self->pci));
	ASSERT_EQ(0, sec_make(S, DEV0 " " DEV1, 10, 1, 1));
	ASSERT_EQ(1, w_attach_slot(&w[0], S, "SSL_DEV0_INT_9", WAIT_MS));
	ASSERT_EQ(1, w_attach_slot(&w[1], S, "SSL_DEV0_INT_4", WAIT_MS));
	ASSERT_EQ(0, sec_set(S, "num_processes", "5"));
	EXPECT_EQ(-ENOENT, w_granted(&w[0], WAIT_MS));
	ASSERT_EQ(0, device_comes(self->pci));
	EXPECT_EQ(5, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(-ENOENT, w_attach_slot(&w[0], S, "SSL_DEV0_INT_9", 0));
}

TEST_F_TIMEOUT(claims, who_waits_for_a_device_gets_its_slots_in_order, 120)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, device_goes(self->pci));
	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 1));
	ASSERT_EQ(1, w_attach(&w[0], S, WAIT_MS));
	ASSERT_EQ(1, w_attach(&w[1], S, WAIT_MS));
	ASSERT_EQ(0, device_comes(self->pci));
	EXPECT_EQ(-EUSERS, w_attach(&w[2], S, 0));
	EXPECT_EQ(0, w_granted(&w[0], WAIT_MS));
	EXPECT_STREQ("SSL_DEV0_INT_0", w[0].last.slot);
	EXPECT_EQ(1, w[0].last.grants);
	EXPECT_EQ(0, w_open(&w[0], DEV0));
	EXPECT_EQ(0, w_close(&w[0]));
	EXPECT_EQ(0, w_detach(&w[0]));
	EXPECT_EQ(0, w_granted(&w[1], WAIT_MS));
}

/* The slot is freed when the removal ends the context that held it. */
TEST_F_TIMEOUT(claims, a_device_that_goes_gives_out_no_slot, 120)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(S, DEV0, 1, 1, 1));
	ASSERT_EQ(0, w_attach(&w[0], S, 0));
	ASSERT_EQ(0, w_open(&w[0], DEV0));
	ASSERT_EQ(0, w_detach(&w[0]));
	ASSERT_EQ(1, w_attach(&w[1], S, WAIT_MS));
	ASSERT_EQ(0, device_goes(self->pci));
	EXPECT_EQ(-ETIME, w_granted(&w[1], 100));
	ASSERT_EQ(0, device_comes(self->pci));
	EXPECT_EQ(0, w_granted(&w[1], WAIT_MS));
	EXPECT_EQ(1, w[1].last.grants);
	EXPECT_EQ(0, w_open(&w[1], DEV0));
}

/* When the device comes, "other" leaves @free contexts of DEV0; the @slots of S, live by then, need more than that. */
static int make_short(const char *pci, long total, long free, int slots)
{
	int ret = device_goes(pci);

	if (!ret)
		ret = sec_make("other", DEV0, total - free, 1, 0);
	if (!ret)
		ret = sec_make(S, DEV0, slots, 1, 0);
	return ret ? ret : device_comes(pci);
}

TEST_F_TIMEOUT(claims, what_the_pool_gives_back_serves_a_short_claim, 120)
{
	char slots[32];

	ASSERT_EQ(0, make_short(self->pci, self->total, 3, 4));
	EXPECT_EQ(self->total - 3, dev_num(DEV0, "reserved_ctxs"));
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(0, w_open(&self->w[0], DEV0));
	/* There is room for the claim, except for the contexts that the pool has. */
	snprintf(slots, sizeof(slots), "%ld", self->total - 4);
	EXPECT_EQ(0, sec_set("other", "num_processes", slots));
	EXPECT_EQ(self->total - 4, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(0, w_close(&self->w[0]));
	EXPECT_EQ(0, w_close(&self->w[0]));
	EXPECT_EQ(self->total - 4, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(0, w_close(&self->w[0]));
	EXPECT_EQ(self->total, dev_num(DEV0, "reserved_ctxs"));
}

TEST_F_TIMEOUT(claims, a_section_that_shrinks_is_served_what_it_still_needs, 120)
{
	ASSERT_EQ(0, make_short(self->pci, self->total, 3, 5));
	EXPECT_EQ(0, sec_set(S, "num_processes", "4"));
	EXPECT_EQ(self->total - 3, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(0, sec_set(S, "num_processes", "2"));
	EXPECT_EQ(self->total - 1, dev_num(DEV0, "reserved_ctxs"));
}

/* The number of events about the section that have come. */
static int changes(struct nlc *c)
{
	struct nlmsghdr *h = NULL;
	int nr = 0;

	while (!nlc_next(c, &h, 0))
		nr += nlm_cmd(h) == UACCE_NL_SECTION_CHANGE && !strcmp(S, nlm_string(h, UACCE_A_SECTION));
	return nr;
}

TEST_F_TIMEOUT(claims, each_time_that_a_device_is_short_is_told, 120)
{
	struct nlc *c = malloc(sizeof(*c));
	int i;

	ASSERT_EQ(0, nlc_open(c));
	ASSERT_EQ(0, make_short(self->pci, self->total, 3, 4));
	ASSERT_EQ(0, nlc_join(c, c->config_group));
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, device_goes(self->pci));
		EXPECT_EQ(1, changes(c));
		ASSERT_EQ(0, device_comes(self->pci));
		EXPECT_EQ(1, changes(c));
	}
	nlc_close(c);
	free(c);
}

TEST_HARNESS_MAIN
