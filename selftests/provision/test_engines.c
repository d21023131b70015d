// SPDX-License-Identifier: Apache-2.0
/* Sections of devices of several engines, in mode 1: a slot has one device of each engine. */
#include <dirent.h>
#include "kselftest_harness.h"
#include "sim_item.h"
#include "worker.h"

#define S	"SSL"

/* DEV0 and DEV1 are ZIP devices. */
FIXTURE(engines) {
	struct worker w[6];
	char sec[64], hpre[64];
	char devices[256];
};

/* The device of that kind, which is the machine's only one: "" if there is none. */
static void device_find(const char *driver, char name[64])
{
	DIR *dir = opendir("/sys/class/uacce");
	const struct dirent *e;

	name[0] = 0;
	while (dir && (e = readdir(dir)))
		if (!strncmp(e->d_name, driver, strlen(driver)))
			snprintf(name, 64, "%.63s", e->d_name);
	if (dir)
		closedir(dir);
}

static int node_exists(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/dev/%s", name);
	return !access(path, F_OK);
}

static int device_comes(const char *item, const char *type, const char *driver, char name[64])
{
	long long end = now_ms() + 60 * 1000;
	int ret = sim_mkdir(item);

	if (!ret)
		ret = sim_set(item, "type", type);
	if (!ret)
		ret = sim_set(item, "queues", "16");
	if (!ret)
		ret = sim_set(item, "live", "1");
	do {
		usleep(1000);
		device_find(driver, name);
	} while (!ret && (!name[0] || !node_exists(name)) && now_ms() < end);
	return ret ? ret : name[0] ? 0 : -ENODEV;
}

static void device_goes(const char *item)
{
	if (!sim_set(item, "live", "0"))
		sim_rmdir(item);
}

FIXTURE_SETUP(engines)
{
	int i;

	if (system("modprobe -a -q hisi_sec2 hisi_hpre"))
		SKIP(return, "no drivers of other engines");
	ASSERT_EQ(0, device_comes("engines-sec", "sec", "hisi_sec2", self->sec));
	ASSERT_EQ(0, device_comes("engines-hpre", "hpre", "hisi_hpre", self->hpre));
	EXPECT_EQ(0, dev_set(DEV0, "zone_id", "0"));
	EXPECT_EQ(0, dev_set(DEV1, "zone_id", "1"));
	EXPECT_EQ(0, dev_set(self->sec, "zone_id", "0"));
	EXPECT_EQ(0, dev_set(self->hpre, "zone_id", "1"));
	snprintf(self->devices, sizeof(self->devices), "%s %s %s %s", DEV0, DEV1, self->sec, self->hpre);
	for (i = 0; i < 6; i++) {
		ASSERT_EQ(0, worker_start(&self->w[i]));
	}
}

FIXTURE_TEARDOWN(engines)
{
	int i;

	for (i = 0; i < 6; i++)
		worker_kill(&self->w[i]);
	if (!access(sec_path(S, NULL), F_OK))
		EXPECT_EQ(0, sec_end(S));
	EXPECT_EQ(0, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(0, soon_zero(DEV0, "used_ctxs"));
	EXPECT_TRUE(accounts_ok());
	EXPECT_EQ(0, dev_set(DEV0, "zone_id", "-1"));
	EXPECT_EQ(0, dev_set(DEV1, "zone_id", "-1"));
	device_goes("engines-sec");
	device_goes("engines-hpre");
}

/* The numbers of the endpoints that the kernel reports for the section's devices: "0 1 ...", "-" where it has none. */
static void endpoints(char *buf, size_t size)
{
	const struct nlattr *m = NULL;
	struct nlc *c = malloc(sizeof(*c));
	size_t len = 0;

	buf[0] = 0;
	if (c && !nlc_open(c)) {
		if (!nlc_section_get(c, S))
			while ((m = nlm_next(&c->reply.h, UACCE_A_MEMBER, m))) {
				const struct nlattr *e = nest_attr(m, UACCE_A_MEMBER_ENDPOINT);

				len += snprintf(buf + len, size - len, len ? " " : "");
				len += e ? snprintf(buf + len, size - len, "%lld", nla_num_of(e)) :
					   snprintf(buf + len, size - len, "-");
			}
		nlc_close(c);
	}
	free(c);
}

TEST_F(engines, a_slot_has_one_device_of_each)
{
	struct worker *w = self->w;
	char got[64];

	ASSERT_EQ(0, sec_make(S, self->devices, 2, 1, 1));
	endpoints(got, sizeof(got));
	/* In natural order: HPRE, SEC, ZIP, ZIP. */
	EXPECT_STREQ("1 0 0 1", got);
	ASSERT_EQ(0, w_attach_slot(&w[0], S, "SSL_DEV0_INT_0", 0));
	EXPECT_EQ(2, w[0].last.grants);
	EXPECT_EQ(0, w_open(&w[0], DEV0));
	EXPECT_EQ(0, w_open(&w[0], self->sec));
	EXPECT_EQ(-EACCES, w_open(&w[0], DEV1));
	EXPECT_EQ(-EACCES, w_open(&w[0], self->hpre));
	EXPECT_EQ(-EDQUOT, w_open(&w[0], self->sec));
	ASSERT_EQ(0, w_attach_dev(&w[1], S, self->hpre));
	EXPECT_STREQ("SSL_DEV1_INT_0", w[1].last.slot);
	EXPECT_EQ(0, w_open(&w[1], DEV1));
	EXPECT_EQ(0, w_open(&w[1], self->hpre));
	EXPECT_EQ(-ENOENT, w_attach_slot(&w[2], S, "SSL_DEV2_INT_0", 0));
	ASSERT_EQ(0, w_attach(&w[2], S, 0));
	EXPECT_STREQ("SSL_DEV0_INT_1", w[2].last.slot);
	ASSERT_EQ(0, w_attach(&w[3], S, 0));
	EXPECT_STREQ("SSL_DEV1_INT_1", w[3].last.slot);
	EXPECT_EQ(-EUSERS, w_attach(&w[4], S, 0));
	/* Each device reserves for all slots of its endpoint. */
	EXPECT_EQ(2, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(2, dev_num(self->hpre, "reserved_ctxs"));
}

TEST_F(engines, a_draining_section_returns_what_its_last_slots_do_not_need)
{
	struct worker *w = self->w;

	ASSERT_EQ(0, sec_make(S, self->devices, 2, 1, 1));
	ASSERT_EQ(0, w_attach_slot(&w[0], S, "SSL_DEV1_INT_0", 0));
	ASSERT_EQ(0, sec_set(S, "live", "0"));
	EXPECT_EQ(0, dev_num(DEV0, "reserved_ctxs"));
	EXPECT_EQ(0, dev_num(self->sec, "reserved_ctxs"));
	EXPECT_EQ(1, dev_num(DEV1, "reserved_ctxs"));
	EXPECT_EQ(1, dev_num(self->hpre, "reserved_ctxs"));
	EXPECT_EQ(0, w_detach(&w[0]));
	EXPECT_TRUE(sec_state(S, "configured"));
}

/* The section names parents, as a file does that is kept. */
static void parent_of(const char *dev, char *buf, size_t size)
{
	char path[128], link[256];
	ssize_t n;

	snprintf(path, sizeof(path), "/sys/class/uacce/%s/device", dev);
	n = readlink(path, link, sizeof(link) - 1);
	link[n > 0 ? n : 0] = 0;
	snprintf(buf, size, "%s", strrchr(link, '/') ? strrchr(link, '/') + 1 : "");
}

TEST_F_TIMEOUT(engines, a_device_that_comes_late_joins_its_node, 120)
{
	char sec[64], hpre[64], got[64];

	parent_of(self->sec, sec, sizeof(sec));
	parent_of(self->hpre, hpre, sizeof(hpre));
	ASSERT_EQ(0, text_write("/sys/bus/pci/drivers/hisi_sec2/unbind", sec));
	snprintf(self->devices, sizeof(self->devices), "%s %s %s %s", DEV0, DEV1, sec, hpre);
	EXPECT_EQ(0, dev_set(DEV0, "zone_id", "1"));
	EXPECT_EQ(0, dev_set(DEV1, "zone_id", "0"));
	ASSERT_EQ(0, sec_make(S, self->devices, 1, 1, 1));
	endpoints(got, sizeof(got));
	EXPECT_STREQ("- 0 0 1", got);
	ASSERT_EQ(0, w_attach_slot(&self->w[0], S, "SSL_DEV1_INT_0", 0));
	EXPECT_EQ(1, self->w[0].last.grants);
	ASSERT_EQ(0, text_write("/sys/bus/pci/drivers/hisi_sec2/bind", sec));
	endpoints(got, sizeof(got));
	EXPECT_STREQ("1 0 0 1", got);
	/* The slot that a process has got its device. */
	device_find("hisi_sec2", self->sec);
	EXPECT_EQ(0, w_open(&self->w[0], self->sec));
	EXPECT_EQ(0, w_close(&self->w[0]));
}

TEST_HARNESS_MAIN
