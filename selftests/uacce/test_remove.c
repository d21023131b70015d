// SPDX-License-Identifier: Apache-2.0
/* A device that goes while its queues are open: unbound, driver unloaded, software device unloaded. */
#include <libgen.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#define NEED_AWAY	1
#include "fuse_fs.h"
#include "late_page.h"
#include "text_file.h"
#include "turn.h"
#include "zip_queue.h"

#define GONE		(POLLIN | POLLRDNORM | POLLERR | POLLHUP)
#define DRIVER		"/sys/bus/pci/drivers/hisi_zip"
#define BACK_MS		300000
#define PF_EXITING	0x4	/* flags in /proc/PID/stat */

static unsigned int devices(void)
{
	char name[UACCE_NAME_MAX];
	unsigned int n = 0;

	while (uacce_find("hisi_zip", n, name))
		n++;
	return n;
}

static int run(const char *command)
{
	int status = system(command);

	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A thread of a software device releases its module a moment after the request that it served is done. */
static int unload(const char *module)
{
	long long deadline = now_ms() + BACK_MS;
	int ret;

	while ((ret = neg_errno(syscall(SYS_delete_module, module, O_NONBLOCK))) == -EAGAIN && now_ms() < deadline)
		usleep(1000);
	return ret;
}

/* Each test removes a device in its own way; the teardown brings it back and checks that all queues are free. */
FIXTURE(removal) {
	char name[UACCE_NAME_MAX];
	char parent[64];
	struct rawq q;
	size_t page;
	unsigned int devices;
	long available;
};

FIXTURE_SETUP(removal)
{
	self->page = sysconf(_SC_PAGESIZE);
	self->devices = devices();
	ASSERT_TRUE(uacce_find("hisi_zip", 0, self->name)) TH_LOG("no hisi_zip device");
	ASSERT_EQ(0, uacce_parent(self->name, self->parent, sizeof(self->parent)));
	self->available = test_attr_num(self->name, "available_instances");
	ASSERT_EQ(0, rawq_begin(&self->q, self->name, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, rawq_works(&self->q));
}

FIXTURE_TEARDOWN(removal)
{
	rawq_close(&self->q);
}

static int wait_devices(unsigned int wanted)
{
	long long deadline = now_ms() + BACK_MS;

	while (devices() != wanted && now_ms() < deadline)
		turn_over();
	return devices() == wanted ? 0 : -ETIMEDOUT;
}

static int unbind(const char *parent)
{
	return text_write(DRIVER "/unbind", parent);
}

static int bind(const char *parent)
{
	return text_write(DRIVER "/bind", parent);
}

/* Everything that a client may see of a device that has gone. */
static void expect_gone(struct __test_metadata *_metadata, struct rawq *q)
{
	volatile uint64_t *doorbell = (uint64_t *)(q->mmio + QM_DB_SQ_CQ);
	struct hisi_qp_info info;
	struct rawq_done done;
	void *map;

	EXPECT_EQ(-ENXIO, uacce_start_q(q->fd));
	EXPECT_EQ(-ENXIO, uacce_put_q(q->fd));
	EXPECT_EQ(-ENXIO, uacce_set_qp_ctx(q->fd, 0));
	EXPECT_EQ(-ENXIO, uacce_set_qp_info(q->fd, &info));
	EXPECT_EQ(-ENXIO, neg_errno(ioctl(q->fd, _IO('W', 99))));
	EXPECT_EQ(GONE, uacce_poll(q->fd, POLLIN | POLLRDNORM, REQUEST_MS));
	EXPECT_EQ(POLLERR | POLLHUP, uacce_poll(q->fd, 0, REQUEST_MS));

	/* Mappings stay: the words say stop, and a doorbell has no effect. */
	EXPECT_EQ(1, rawq_tx_stop(q));
	EXPECT_EQ(1, rawq_rx_stop(q));
	EXPECT_EQ(-EIO, rawq_pull(q, &done));
	for (size_t i = 0; i < q->dus_size; i += 512)
		*(volatile uint8_t *)(q->dus + i) = 1;
	*doorbell = 0x1122334455667788;
	EXPECT_EQ(0x1122334455667788, *doorbell);
	for (size_t i = 0; i < q->mmio_size; i += 4096)
		*(volatile uint32_t *)(q->mmio + i) = i;

	EXPECT_EQ(0, munmap(q->mmio, q->mmio_size));
	EXPECT_EQ(0, munmap(q->dus, q->dus_size));
	q->mmio = q->dus = NULL;
	EXPECT_EQ(-ENXIO, uacce_mmap(q->fd, UACCE_QFRT_MMIO, q->mmio_size, &map));
	EXPECT_EQ(-ENXIO, uacce_mmap(q->fd, UACCE_QFRT_DUS, q->dus_size, &map));
}

TEST_F_TIMEOUT(removal, unbound_device_leaves_its_client_alive, 120)
{
	ASSERT_EQ(0, unbind(self->parent));
	EXPECT_LT(uacce_open(self->name), 0);
	expect_gone(_metadata, &self->q);
	ASSERT_EQ(0, bind(self->parent));
	ASSERT_EQ(0, wait_devices(self->devices));
	EXPECT_EQ(self->available, test_attr_num(self->name, "available_instances"));
	/* The old file stays dead beside the new device. */
	EXPECT_EQ(-ENXIO, uacce_start_q(self->q.fd));
	rawq_close(&self->q);
	EXPECT_EQ(self->available, test_attr_num(self->name, "available_instances"));
}

TEST_F_TIMEOUT(removal, queue_that_was_not_started_goes_too, 120)
{
	struct rawq idle;

	ASSERT_EQ(0, rawq_open(&idle, self->name));
	ASSERT_EQ(0, rawq_map(&idle));
	ASSERT_EQ(0, unbind(self->parent));
	expect_gone(_metadata, &idle);
	rawq_close(&idle);
	ASSERT_EQ(0, bind(self->parent));
	ASSERT_EQ(0, wait_devices(self->devices));
}

TEST_F_TIMEOUT(removal, pages_never_touched_come_after_removal, 120)
{
	struct rawq fresh;

	ASSERT_EQ(0, rawq_open(&fresh, self->name));
	ASSERT_EQ(0, rawq_map(&fresh));
	ASSERT_EQ(0, unbind(self->parent));
	EXPECT_EQ(1, rawq_tx_stop(&fresh));
	EXPECT_EQ(0, *(volatile uint64_t *)(fresh.mmio + QM_DB_SQ_CQ));
	rawq_close(&fresh);
	ASSERT_EQ(0, bind(self->parent));
	ASSERT_EQ(0, wait_devices(self->devices));
}

/* As in a container: a node made by hand, with one inode for the node's whole life. */
TEST_F_TIMEOUT(removal, a_node_opens_what_came_back_beside_a_dead_file_of_it, 120)
{
	char path[] = "/tmp/uacce-node-XXXXXX", dev[32];
	unsigned int major, minor;
	int dead, fd;

	ASSERT_GT(uacce_attr(self->name, "dev", dev, sizeof(dev)), 0);
	ASSERT_EQ(2, sscanf(dev, "%u:%u", &major, &minor));
	ASSERT_GE(close(mkstemp(path)), 0);
	unlink(path);
	ASSERT_EQ(0, mknod(path, S_IFCHR | 0600, makedev(major, minor)));
	dead = open(path, O_RDWR | O_CLOEXEC);
	if (dead < 0 && errno == EACCES)
		SKIP(return, "no device nodes on this file system");
	ASSERT_GE(dead, 0);
	ASSERT_EQ(0, unbind(self->parent));
	EXPECT_EQ(-ENXIO, neg_errno(open(path, O_RDWR | O_CLOEXEC)));
	ASSERT_EQ(0, bind(self->parent));
	ASSERT_EQ(0, wait_devices(self->devices));
	fd = open(path, O_RDWR | O_CLOEXEC);
	EXPECT_GE(fd, 0) TH_LOG("open %s: %s", path, strerror(errno));
	if (fd >= 0) {
		test_start_q(fd);
		close(fd);
	}
	EXPECT_EQ(-ENXIO, uacce_start_q(dead));
	close(dead);
	unlink(path);
}

static void *sleeps_in_poll(void *arg)
{
	struct rawq *q = arg;
	int ret;

	do
		ret = uacce_poll(q->fd, POLLIN | POLLRDNORM, BACK_MS);
	while (ret > 0 && !(ret & POLLHUP));
	return (void *)(long)ret;
}

TEST_F_TIMEOUT(removal, sleepers_are_woken, 120)
{
	pthread_t sleepers[4];
	void *ret;

	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_create(&sleepers[i], NULL, sleeps_in_poll, &self->q));
	}
	ASSERT_EQ(0, unbind(self->parent));
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, pthread_join(sleepers[i], &ret));
		EXPECT_EQ(GONE, (long)ret);
	}
	ASSERT_EQ(0, bind(self->parent));
	ASSERT_EQ(0, wait_devices(self->devices));
}

TEST_F_TIMEOUT(removal, driver_unloads_while_queues_are_open, 120)
{
	ASSERT_EQ(0, unload("hisi_zip"));
	expect_gone(_metadata, &self->q);
	ASSERT_EQ(0, run("modprobe hisi_zip uacce_mode=1"));
	ASSERT_EQ(0, wait_devices(self->devices));
	EXPECT_EQ(-ENXIO, uacce_put_q(self->q.fd));
	EXPECT_EQ(self->available, test_attr_num(self->name, "available_instances"));
}

/* These tests load the software accelerator again, with what it had before. */
static const char *reload_missing(void)
{
	char devices[64];

	if (text_read("/sys/module/hisi_sim/parameters/devices", devices, sizeof(devices)) < 0)
		return "the devices aren't simulated";
	if (strcmp(devices, "zip,zip"))
		return "hisi_sim was not loaded with devices=zip,zip";
	return NULL;
}

TEST_F_TIMEOUT(removal, software_device_unloads_while_queues_are_open, 120)
{
	const char *missing = reload_missing();

	if (missing)
		SKIP(return, "%s", missing);
	ASSERT_EQ(0, unload("hisi_sim"));
	expect_gone(_metadata, &self->q);
	rawq_close(&self->q);
	ASSERT_EQ(0, run("modprobe hisi_sim devices=zip,zip"));
	ASSERT_EQ(0, wait_devices(self->devices));
	EXPECT_EQ(self->available, test_attr_num(self->name, "available_instances"));
}

TEST_F_TIMEOUT(removal, framework_stays_while_a_file_is_open, 120)
{
	const char *missing = reload_missing();

	if (missing)
		SKIP(return, "%s", missing);
	if (!access("/sys/module/hisi_qm/holders/hisi_sec2", F_OK) ||
	    !access("/sys/module/hisi_qm/holders/hisi_hpre", F_OK))
		SKIP(return, "other drivers use hisi_qm");
	ASSERT_EQ(0, unload("hisi_sim"));
	ASSERT_EQ(0, unload("hisi_zip"));
	ASSERT_EQ(0, unload("hisi_qm"));
	EXPECT_EQ(-EAGAIN, neg_errno(syscall(SYS_delete_module, "uacce", O_NONBLOCK)));
	ASSERT_EQ(0, run("modprobe hisi_zip uacce_mode=1 && modprobe hisi_sim devices=zip,zip"));
	ASSERT_EQ(0, wait_devices(self->devices));
	expect_gone(_metadata, &self->q);
}

struct worker {
	pthread_t thread;
	const char *name;
	atomic_bool *stop;
	unsigned int n;
	int bad;
};

/* A client that goes on whatever happens: each of its calls may fail, none may kill it. */
static void *works_on(void *arg)
{
	struct worker *w = arg;
	int flip = w->n;

	while (!atomic_load(w->stop)) {
		struct rawq q;
		int ret = rawq_begin(&q, w->name, 0);

		if (ret) {
			turn_over();
			continue;
		}
		for (int i = 0; i < 50 && !ret && !atomic_load(w->stop); i++) {
			ret = rawq_works(&q);
			if (flip++ % 16 == 0) {
				rawq_unmap(&q);
				if (rawq_map(&q)) {
					ret = -ENXIO;
					rawq_unmap(&q);
				}
			}
		}
		if (ret && ret != -EIO && ret != -ENXIO && ret != ZIP_ST_ABORTED)
			w->bad = ret;
		rawq_close(&q);
	}
	return NULL;
}

TEST_F_TIMEOUT(removal, busy_threads_survive_ten_removals, 240)
{
	struct worker workers[8] = {};
	atomic_bool stop = false;

	for (unsigned int i = 0; i < 8; i++) {
		workers[i] = (struct worker){ .name = self->name, .stop = &stop, .n = i };
		ASSERT_EQ(0, pthread_create(&workers[i].thread, NULL, works_on, &workers[i]));
	}
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(0, unbind(self->parent));
		ASSERT_EQ(0, bind(self->parent));
		ASSERT_EQ(0, wait_devices(self->devices));
	}
	atomic_store(&stop, true);
	for (int i = 0; i < 8; i++) {
		pthread_join(workers[i].thread, NULL);
		EXPECT_EQ(0, workers[i].bad);
	}
	rawq_close(&self->q);
	EXPECT_EQ(self->available, wait_available(self->name, self->available, REQUEST_MS));
}

static void *starts_and_stops(void *arg)
{
	struct rawq *q = arg;
	int ret;

	do {
		uacce_put_q(q->fd);
		ret = uacce_start_q(q->fd);
	} while (ret != -ENXIO);
	return NULL;
}

TEST_F_TIMEOUT(removal, ioctls_race_with_removal, 120)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, starts_and_stops, &self->q));
	}
	ASSERT_EQ(0, unbind(self->parent));
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, pthread_join(threads[i], NULL));
	}
	expect_gone(_metadata, &self->q);
	ASSERT_EQ(0, bind(self->parent));
	ASSERT_EQ(0, wait_devices(self->devices));
}

struct opener {
	pthread_t thread;
	const char *path;
	atomic_bool *stop;
	atomic_int opened;
	int odd;
};

/* The device is there, is going, or has gone. */
static void *opens(void *arg)
{
	struct opener *o = arg;

	while (!atomic_load(o->stop)) {
		int fd = open(o->path, O_RDWR | O_CLOEXEC);

		if (fd >= 0) {
			o->opened++;
			close(fd);
		} else if (errno != EINVAL && errno != ENXIO && errno != EBUSY) {
			o->odd = errno;
		}
	}
	return NULL;
}

/* Each has opened the device more often than before: all of them are running. */
static void all_open(const struct opener *openers, int n, const int *before)
{
	for (int i = 0; i < n; i++)
		while (atomic_load(&openers[i].opened) <= before[i])
			turn_over();
}

TEST_F_TIMEOUT(removal, opens_race_with_removal, 240)
{
	int before[4] = {};

	char path[] = "/tmp/uacce-node-XXXXXX", dev[32];
	struct opener openers[4] = {};
	atomic_bool stop = false;
	unsigned int major, minor;

	ASSERT_GT(uacce_attr(self->name, "dev", dev, sizeof(dev)), 0);
	ASSERT_EQ(2, sscanf(dev, "%u:%u", &major, &minor));
	ASSERT_GE(close(mkstemp(path)), 0);
	unlink(path);
	ASSERT_EQ(0, mknod(path, S_IFCHR | 0600, makedev(major, minor)));
	for (int i = 0; i < 4; i++) {
		openers[i] = (struct opener){ .path = path, .stop = &stop };
		ASSERT_EQ(0, pthread_create(&openers[i].thread, NULL, opens, &openers[i]));
	}
	for (int i = 0; i < 5; i++) {
		all_open(openers, 4, before);
		for (int k = 0; k < 4; k++)
			before[k] = atomic_load(&openers[k].opened);
		ASSERT_EQ(0, unbind(self->parent));
		ASSERT_EQ(0, bind(self->parent));
		ASSERT_EQ(0, wait_devices(self->devices));
	}
	all_open(openers, 4, before);
	atomic_store(&stop, true);
	for (int i = 0; i < 4; i++) {
		pthread_join(openers[i].thread, NULL);
		EXPECT_EQ(0, openers[i].odd) TH_LOG("%s", strerror(openers[i].odd));
	}
	unlink(path);
	rawq_close(&self->q);
	EXPECT_EQ(self->available, wait_available(self->name, self->available, REQUEST_MS));
}

struct waiter {
	int fd;
	void *arg;
};

static void *waits_for_its_argument(void *arg)
{
	struct waiter *w = arg;

	return (void *)(long)neg_errno(ioctl(w->fd, UACCE_CMD_QM_SET_QP_CTX, w->arg));
}

TEST_F_TIMEOUT(removal, a_user_page_that_does_not_come_holds_nobody_up, 120)
{
	struct waiter w = { .fd = self->q.fd };
	struct late_page late;
	pthread_t thread;
	void *ret;

	if (late_page_make(&late, self->page))
		SKIP(return, "no userfaultfd");
	w.arg = late.at;
	ASSERT_EQ(0, pthread_create(&thread, NULL, waits_for_its_argument, &w));
	ASSERT_EQ(0, late_page_wanted(&late));

	EXPECT_EQ(0, uacce_put_q(self->q.fd));
	close(test_open(self->name));
	ASSERT_EQ(0, unbind(self->parent));
	ASSERT_EQ(0, bind(self->parent));
	ASSERT_EQ(0, wait_devices(self->devices));

	ASSERT_EQ(0, late_page_deliver(&late));
	ASSERT_EQ(0, pthread_join(thread, &ret));
	EXPECT_EQ(-ENXIO, (long)ret);
	late_page_end(&late);
}

/* Opens a node while another thread of the process holds the lock of its mappings, for good. */
static pid_t opener_with_locked_mappings(const char *name, struct fuse_fs *fs, int said)
{
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	/* Everything that the process needs below is in memory from here on. */
	fd = uacce_open(name);
	if (fd < 0 || close(fd) || mlockall(MCL_CURRENT) || fuse_hold_mappings(fs))
		_exit(1);
	if (write(said, "", 1) != 1)
		_exit(2);
	fd = uacce_open(name);
	if (write(said, "", 1) != 1)
		_exit(3);
	pause();
	_exit(0);
}

/* Is the process' first thread on its way out of the kernel? */
static bool is_exiting(pid_t pid)
{
	char path[32], text[256], *at;
	unsigned int flags = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (text_read(path, text, sizeof(text)) < 0)
		return true;
	at = strrchr(text, ')');
	return at && sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 && (flags & PF_EXITING);
}

/*
 * Where an IOMMU binds a process' address space, opening takes the lock of the mappings under locks that others need.
 * So open() first waits for the lock of the mappings alone, here as well.
 */
TEST_F_TIMEOUT(removal, a_process_with_locked_mappings_holds_nobody_up, 120)
{
	struct fuse_fs fs = {};
	struct pollfd more;
	int said[2], status, ret = fuse_fs_begin(&fs, FUSE_NEVER);
	pid_t pid;
	char c;

	if (ret == -ENODEV)
		SKIP(return, "this kernel has no FUSE");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, pipe(said));
	pid = opener_with_locked_mappings(self->name, &fs, said[1]);
	close(said[1]);
	ASSERT_EQ(1, read(said[0], &c, 1));
	while (fuse_thread_state(pid, pid) != 'D')
		usleep(1000);

	close(test_open(self->name));
	ASSERT_EQ(0, unbind(self->parent));
	ASSERT_EQ(0, bind(self->parent));
	ASSERT_EQ(0, wait_devices(self->devices));
	more = (struct pollfd){ .fd = said[0], .events = POLLIN };
	EXPECT_EQ(0, poll(&more, 1, 0));

	/* The kill ends open(). The exit needs the same lock, so the process ends only when the file system goes. */
	EXPECT_FALSE(is_exiting(pid));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	while (!is_exiting(pid))
		usleep(1000);
	EXPECT_EQ(0, waitpid(pid, &status, WNOHANG));
	fuse_fs_end(&fs);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	close(said[0]);
}

TEST_F_TIMEOUT(removal, client_killed_after_removal_leaves_nothing, 120)
{
	int said[2], status;
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(said));
	pid = fork();
	if (!pid) {
		struct rawq own;

		if (rawq_begin(&own, self->name, 0) || write(said[1], "", 1) != 1)
			_exit(11);
		pause();
	}
	ASSERT_EQ(1, read(said[0], &c, 1));
	ASSERT_EQ(0, unbind(self->parent));
	ASSERT_EQ(0, bind(self->parent));
	ASSERT_EQ(0, wait_devices(self->devices));
	ASSERT_EQ(0, kill(pid, SIGKILL));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(self->available, wait_available(self->name, self->available, REQUEST_MS));
}

TEST_HARNESS_MAIN
