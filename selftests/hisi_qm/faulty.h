/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated ZIP device of the test's own, with faults to order. */
#ifndef WD_TEST_FAULTY_H
#define WD_TEST_FAULTY_H

#include <stdbool.h>
/* The device itself is made by each test. */
#define NEED_DEVICES	1
#define NEED_SIM	"the tests order faults and reset devices"
#include "need_machine.h"
#include "../sim/sim_item.h"
#include "uacce_nl.h"
#include "zip_client.h"

#define FAULTY_NAME	"faulty"
#define FAULTY_QUEUES	8	/* the attribute "queues" */
#define FAULTY_BYTES	4096	/* of a request */
#ifndef FAULTY_GENERATION
#define FAULTY_GENERATION	"3"
#endif
/* An expression that sets further attributes: 0, or -errno. WD_TEST_SVA=0: the kernel executes all submissions. */
#ifndef FAULTY_SHAPE
#define FAULTY_SHAPE		sim_set(FAULTY_NAME, "sva", getenv("WD_TEST_SVA") ? getenv("WD_TEST_SVA") : "1")
#endif

/* The uacce device of a PCI function. */
static inline bool device_of(const char *address, char dev[UACCE_NAME_MAX])
{
	return uacce_of_parent("hisi_zip", address, dev);
}

/* Removes what a test that ended by an assertion has left. */
static inline void faulty_drop(void)
{
	sim_set(FAULTY_NAME, "live", "0");
	sim_rmdir(FAULTY_NAME);
}

static inline int faults(const char *attr, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "faults/%s", attr);
	return sim_set(FAULTY_NAME, path, text);
}

/* How often @kind has happened. */
static inline long fault_count(const char *kind)
{
	char buf[512], *at;

	if (sim_get(FAULTY_NAME, "faults/counts", buf, sizeof(buf)) < 0)
		return -1;
	at = strstr(buf, kind);
	return at ? strtol(at + strlen(kind), NULL, 10) : -1;
}

/* Waits until @kind has happened @nr times. */
static inline int fault_wait(const char *kind, long nr)
{
	long long deadline = now_ms() + CLIENT_WAIT_MS;

	while (fault_count(kind) < nr)
		if (now_ms() > deadline)
			return -ETIMEDOUT;
		else
			poll(NULL, 0, 1);
	return 0;
}

/* Is this process or thread in the kernel, in a sleep that ordinary signals don't end (state D in /proc)? */
static inline bool sleeps(int tid)
{
	char path[64], stat[256], *at;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	if (text_read(path, stat, sizeof(stat)) < 0)
		return false;
	at = strrchr(stat, ')');
	return at && !strncmp(at, ") D", 3);
}

/* For a test of bound address spaces, page faults, or completions that nobody but the owner takes. */
#define FAULTY_NEEDS_SVA do {									\
	if (getenv("WD_TEST_SVA"))								\
		SKIP(return, "a device without shared virtual addresses");			\
} while (0)

/* ------ a fixture: the device, clients of it, and sockets for its events and for requests about it ------ */

#define FAULTY_MEMBERS										\
	struct nlc *event, *ask;								\
	char address[64];									\
	char dev[UACCE_NAME_MAX];								\
	struct rawq q, other;									\
	uint8_t src[FAULTY_BYTES], dst[2 * FAULTY_BYTES]

#define FAULTY_BEGIN(self) do {									\
	(self)->q.fd = -1;									\
	(self)->other.fd = -1;									\
	(self)->event = malloc(sizeof(*(self)->event));						\
	(self)->ask = malloc(sizeof(*(self)->ask));						\
	ASSERT_EQ(0, nlc_open((self)->event));							\
	ASSERT_EQ(0, nlc_open((self)->ask));							\
	faulty_drop();										\
	ASSERT_EQ(0, sim_mkdir(FAULTY_NAME)) TH_LOG("no hisi_sim in configfs");			\
	ASSERT_EQ(0, sim_set(FAULTY_NAME, "queues", "8"));					\
	ASSERT_EQ(0, sim_set(FAULTY_NAME, "generation", FAULTY_GENERATION));			\
	ASSERT_EQ(0, FAULTY_SHAPE);								\
	ASSERT_EQ(0, sim_set(FAULTY_NAME, "live", "1"));					\
	ASSERT_LT(0, sim_get(FAULTY_NAME, "address", (self)->address, sizeof((self)->address)));	\
	ASSERT_TRUE(device_of((self)->address, (self)->dev));					\
	client_fill((self)->src, FAULTY_BYTES, 1);						\
} while (0)

/* Receive events from now on. */
#define FAULTY_LISTEN(self) ASSERT_EQ(0, nlc_join((self)->event, (self)->event->event_group))

/* The device's reset of that number has ended. */
#define EXPECT_READY(self, number) do {								\
	struct nlmsghdr *h_ = NULL;								\
												\
	ASSERT_EQ(0, nlc_event((self)->event, UACCE_NL_DEV_READY, &h_, NL_WAIT_MS));		\
	EXPECT_STREQ((self)->dev, nlm_string(h_, UACCE_A_DEV));					\
	EXPECT_EQ(number, nlm_num(h_, UACCE_A_DEV_RESETS));					\
} while (0)

#define FAULTY_END(self) do {									\
	rawq_close(&(self)->q);									\
	rawq_close(&(self)->other);								\
	EXPECT_EQ(0, sim_set(FAULTY_NAME, "live", "0"));					\
	EXPECT_EQ(0, sim_rmdir(FAULTY_NAME));							\
	nlc_close((self)->event);								\
	nlc_close((self)->ask);									\
	free((self)->event);									\
	free((self)->ask);									\
} while (0)

#endif
