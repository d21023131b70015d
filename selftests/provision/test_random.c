// SPDX-License-Identifier: Apache-2.0
/*
 * Eight processes perform random steps at once; after each step the kernel's sums must be consistent, and at the end
 * nothing may be left. 10,000 steps; WD_TEST_LONG=1: 100,000; WD_TEST_BRIEF=1: 800. WD_TEST_SEED=N repeats one run's
 * choices, though not their timing.
 */
#include <sys/mman.h>
#include "kselftest_harness.h"
#include "worker.h"

#define PROCESSES	8
#define SECTIONS	5
#define FILES		8

struct mind {
	struct nl_client c;
	unsigned int random;
	int files[FILES];
	char pci[2][64];
	bool may_unbind;
};

static unsigned int draw(struct mind *m, unsigned int n)
{
	m->random = m->random * 1103515245 + 12345;
	return (m->random >> 12) % n;
}

static const char *section(struct mind *m)
{
	static const char *const names[SECTIONS] = { "r0", "r1", "r2", "r3", "r4" };

	return names[draw(m, SECTIONS)];
}

static void write_some_attribute(struct mind *m)
{
	static const char *const attrs[] = {
		"num_processes", "limit_dev_access", "sync_ctxs", "async_ctxs", "nodes", "devices", "max_extra_ctxs",
		"allowed_uids", "queue_priority",
	};
	static const char *const values[] = {
		"0", "1", "2", "3", "7", "40", "\n", "0=1+1 1=2+2", DEV0, DEV0 " " DEV1, "hisi_zip-9 " DEV1, "*",
		"bad value",
	};

	sec_set(section(m), attrs[draw(m, 9)], values[draw(m, 13)]);
}

static void die_with_contexts(struct mind *m)
{
	const char *name = section(m);
	struct worker w;

	if (worker_start(&w))
		return;
	w_attach(&w, name, 0);
	w_open(&w, DEV0);
	w_open(&w, draw(m, 2) ? DEV0 : DEV1);
	worker_kill(&w);
}

static void open_some(struct mind *m)
{
	int i = draw(m, FILES);

	if (m->files[i] >= 0)
		close(m->files[i]);
	m->files[i] = open(draw(m, 2) ? "/dev/" DEV0 : "/dev/" DEV1, O_RDWR | O_CLOEXEC);
}

static void close_some(struct mind *m)
{
	int i = draw(m, FILES);

	if (m->files[i] >= 0)
		close(m->files[i]);
	m->files[i] = -1;
}

static void device_goes_and_returns(struct mind *m)
{
	const char *pci = m->pci[draw(m, 2)];

	if (!m->may_unbind)
		return;
	text_write("/sys/bus/pci/drivers/hisi_zip/unbind", pci);
	text_write("/sys/bus/pci/drivers/hisi_zip/bind", pci);
}

static void step(struct mind *m)
{
	unsigned int what = draw(m, 200);

	if (what < 20)
		sec_mkdir(section(m));
	else if (what < 30)
		sec_rmdir(section(m));
	else if (what < 60)
		write_some_attribute(m);
	else if (what < 85)
		sec_set(section(m), "live", "1");
	else if (what < 95)
		sec_set(section(m), "live", "0");
	else if (what < 98)
		sec_set(section(m), "live", "revoke");
	else if (what < 125)
		client_attach(&m->c, section(m), NULL, NULL, draw(m, 3) ? 0 : 1 + draw(m, 20));
	else if (what < 140)
		client_detach(&m->c);
	else if (what < 170)
		open_some(m);
	else if (what < 190)
		close_some(m);
	else if (what < 199)
		die_with_contexts(m);
	else
		device_goes_and_returns(m);
}

static int live_through(struct mind *m, int steps)
{
	int i;

	if (client_open(&m->c))
		return 2;
	memset(m->files, -1, sizeof(m->files));
	for (i = 0; i < steps; i++) {
		step(m);
		if (!accounts_ok()) {
			printf("# after step %d of the process with seed %u\n", i, m->random);
			return 1;
		}
	}
	return 0;
}

static void find_pci(struct mind *m)
{
	char path[64], link[256];
	int i;

	for (i = 0; i < 2; i++) {
		ssize_t n;

		snprintf(path, sizeof(path), "/sys/class/uacce/hisi_zip-%d/device", i);
		n = readlink(path, link, sizeof(link) - 1);
		link[n > 0 ? n : 0] = 0;
		snprintf(m->pci[i], sizeof(m->pci[i]), "%s", n > 0 ? strrchr(link, '/') + 1 : "");
	}
}

FIXTURE(many) {
};

FIXTURE_SETUP(many)
{
}

FIXTURE_TEARDOWN(many)
{
}

TEST_F_TIMEOUT(many, nothing_is_lost_or_gained, 280)
{
	int steps = (getenv("WD_TEST_LONG") ? 100000 : getenv("WD_TEST_BRIEF") ? 800 : 10000) / PROCESSES;
	unsigned int seed = getenv("WD_TEST_SEED") ? atoi(getenv("WD_TEST_SEED")) : time(NULL);
	pid_t pid[PROCESSES];
	struct mind m = { 0 };
	int i, status, bad = 0;
	char name[8];

	printf("# WD_TEST_SEED=%u\n", seed);
	fflush(stdout);
	find_pci(&m);
	for (i = 0; i < PROCESSES; i++) {
		m.random = seed + i * 7919;
		/* Only one process takes devices away, so that they are present at times. */
		m.may_unbind = !i;
		pid[i] = fork();
		if (!pid[i])
			_exit(live_through(&m, steps));
	}
	for (i = 0; i < PROCESSES; i++) {
		waitpid(pid[i], &status, 0);
		bad += status != 0;
	}
	EXPECT_EQ(0, bad);
	for (i = 0; i < SECTIONS; i++) {
		snprintf(name, sizeof(name), "r%d", i);
		if (!access(sec_path(name, NULL), F_OK))
			EXPECT_EQ(0, sec_end(name));
	}
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, soon_zero(i ? DEV1 : DEV0, "used_ctxs"));
		EXPECT_EQ(0, dev_num(i ? DEV1 : DEV0, "reserved_ctxs"));
		EXPECT_EQ(dev_num(i ? DEV1 : DEV0, "total_ctxs"), dev_num(i ? DEV1 : DEV0, "free_ctxs"));
	}
	EXPECT_TRUE(accounts_ok());
}

TEST_HARNESS_MAIN
