// SPDX-License-Identifier: Apache-2.0
/* Opening queues: how many, how they are counted, and who may open them. */
#include <pthread.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "kselftest_harness.h"
#include "zip_queue.h"

TEST_F_TIMEOUT(zip, open_until_ebusy, 120)
{
	int *fds = calloc(self->available, sizeof(*fds));
	long n;

	for (n = 0; n < self->available - 1; n++) {
		fds[n] = test_open(self->name);
		EXPECT_EQ(self->available - 2 - n, test_attr_num(self->name, "available_instances"));
	}
	EXPECT_EQ(-EBUSY, uacce_open(self->name));
	close(fds[0]);
	EXPECT_EQ(1, test_attr_num(self->name, "available_instances"));
	fds[0] = test_open(self->name);
	EXPECT_EQ(-EBUSY, uacce_open(self->name));
	while (n--)
		close(fds[n]);
	EXPECT_EQ(self->available - 1, test_attr_num(self->name, "available_instances"));
	free(fds);
}

struct opener {
	pthread_t thread;
	const char *name;
	long opened;
	int error;
};

static void *opens_and_closes(void *arg)
{
	struct opener *o = arg;

	for (int i = 0; i < 50 && !o->error; i++) {
		struct rawq q;
		int ret = rawq_begin(&q, o->name, i & 1);

		if (!ret)
			o->opened++;
		else if (ret != -EBUSY)
			o->error = ret;
		rawq_close(&q);
	}
	return NULL;
}

TEST_F_TIMEOUT(zip, threads_open_at_once, 120)
{
	struct opener openers[8] = {};

	for (int i = 0; i < 8; i++) {
		openers[i].name = self->name;
		ASSERT_EQ(0, pthread_create(&openers[i].thread, NULL, opens_and_closes, &openers[i]));
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(openers[i].thread, NULL);
		EXPECT_EQ(0, openers[i].error);
		EXPECT_GT(openers[i].opened, 0);
	}
	EXPECT_EQ(self->available - 1, test_attr_num(self->name, "available_instances"));
}

TEST_F(zip, read_only_file_gives_no_writable_mapping)
{
	char path[UACCE_NAME_MAX + 8];
	void *map;
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", self->name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ASSERT_GE(fd, 0);
	EXPECT_EQ(-EACCES, uacce_mmap(fd, UACCE_QFRT_DUS, self->q.dus_size, &map));
	map = mmap(NULL, self->q.dus_size, PROT_READ, MAP_SHARED, fd, self->page);
	ASSERT_NE(MAP_FAILED, map);
	EXPECT_EQ(-EACCES, neg_errno(mprotect(map, self->q.dus_size, PROT_READ | PROT_WRITE)));
	munmap(map, self->q.dus_size);
	close(fd);
}

/* As in a container: its own node, its own inode. */
TEST_F(zip, another_node_opens_the_same_device)
{
	char path[] = "/tmp/uacce-node-XXXXXX", dev[32];
	unsigned int major, minor;
	int fd;

	ASSERT_GT(uacce_attr(self->name, "dev", dev, sizeof(dev)), 0);
	ASSERT_EQ(2, sscanf(dev, "%u:%u", &major, &minor));
	ASSERT_GE(close(mkstemp(path)), 0);
	unlink(path);
	ASSERT_EQ(0, mknod(path, S_IFCHR | 0600, makedev(major, minor)));
	fd = open(path, O_RDWR | O_CLOEXEC);
	unlink(path);
	if (fd < 0 && errno == EACCES)
		SKIP(return, "no device nodes on this file system");
	ASSERT_GE(fd, 0);
	EXPECT_EQ(self->available - 2, test_attr_num(self->name, "available_instances"));
	test_start_q(fd);
	close(fd);
}

TEST_F(zip, number_without_device_does_not_open)
{
	char path[] = "/tmp/uacce-node-XXXXXX", dev[32];
	unsigned int major, minor;
	int fd;

	ASSERT_GT(uacce_attr(self->name, "dev", dev, sizeof(dev)), 0);
	ASSERT_EQ(2, sscanf(dev, "%u:%u", &major, &minor));
	ASSERT_GE(close(mkstemp(path)), 0);
	unlink(path);
	ASSERT_EQ(0, mknod(path, S_IFCHR | 0600, makedev(major, 1000)));
	fd = open(path, O_RDWR | O_CLOEXEC);
	EXPECT_LT(fd, 0);
	EXPECT_TRUE(errno == ENXIO || errno == ENODEV || errno == EACCES);
	unlink(path);
}

TEST_HARNESS_MAIN
