// SPDX-License-Identifier: Apache-2.0
/* Queues that share one doorbell register (generation 2): the kernel rings, and who may map the register. */
#include <grp.h>
#include <sys/stat.h>
#include "kselftest_harness.h"
#define FAULTY_GENERATION	"2"
#include "call.h"
#include "in_child.h"
#include "log_count.h"
#include "uacce_tree.h"

#define BYTES		FAULTY_BYTES
#define NOBODY		65534
#define HIDDEN		4096	/* bytes of the window with registers that nobody may map */
#define MAILBOX		QM_MB
#define S		"test-doorbells"
#define OTHER		"test-doorbells-2"

FIXTURE(doorbells) {
	FAULTY_MEMBERS;
};

/* Until its driver is bound again. */
static int open_to_all(const char *dev)
{
	char path[128];

	snprintf(path, sizeof(path), "/dev/%s", dev);
	return chmod(path, 0666);
}

FIXTURE_SETUP(doorbells)
{
	sec_end(S);
	sec_end(OTHER);
	FAULTY_BEGIN(self);
	/* What an earlier device at this address was set to is remembered. */
	ASSERT_EQ(0, dev_set(self->dev, "doorbells", "kernel"));
	ASSERT_EQ(0, open_to_all(self->dev));
}

FIXTURE_TEARDOWN(doorbells)
{
	rawq_close(&self->q);
	rawq_close(&self->other);
	if (sim_is(FAULTY_NAME, "live", "1"))
		EXPECT_EQ(0, dev_set(self->dev, "doorbells", "kernel"));
	EXPECT_TRUE(accounts_ok());
	sec_end(S);
	sec_end(OTHER);
	FAULTY_END(self);
}

/* ------ a client that may not map the doorbells ------ */

static int ring(const struct rawq *q, uint16_t sq_tail, uint16_t cq_head, uint32_t flags)
{
	struct hisi_qp_doorbell db = { .sq_tail = sq_tail, .cq_head = cq_head, .flags = flags };

	return neg_errno(ioctl(q->fd, UACCE_CMD_QM_DOORBELL, &db));
}

static int map_rings(struct rawq *q)
{
	void *map;
	int ret = uacce_mmap(q->fd, UACCE_QFRT_DUS, q->dus_size, &map);

	if (!ret)
		q->dus = map;
	return ret;
}

static int map_window(struct rawq *q)
{
	void *map;
	int ret = uacce_mmap(q->fd, UACCE_QFRT_MMIO, q->mmio_size, &map);

	if (!ret)
		q->mmio = map;
	return ret;
}

/* Opens, maps the rings, and starts. */
static int begin(struct rawq *q, const char *dev)
{
	int ret = rawq_open(q, dev);

	if (ret)
		return ret;
	ret = map_rings(q);
	if (!ret)
		ret = rawq_start(q, ZIP_QC_COMPRESS);
	if (ret)
		rawq_close(q);
	return ret;
}

/* Puts one compression into the ring, as generation 2 takes it, without ringing. */
static void queue_one(struct rawq *q, const void *src, uint32_t len, void *dst, uint32_t room)
{
	struct zip_sqe *sqe = rawq_slot(q);

	rawq_zip_fill(sqe, ZIP_REQ_ZLIB, src, len, dst, room, 0);
	sqe->dw7 = htole32(ZIP_SQE_TYPE_0 << ZIP_DW7_SQE_TYPE_SHIFT | ZIP_DW7_NEW_STREAM | ZIP_DW7_FINISH);
	sqe->dw9 = htole32(ZIP_REQ_ZLIB);
	sqe->dw13 = htole32(q->sq_tail);
	rawq_push(q, 0);
}

/* The next completion's status, or -errno. */
static int take_one(struct rawq *q)
{
	struct rawq_done done;
	int ret = rawq_wait(q, &done, CLIENT_WAIT_MS);

	return ret ? ret : (int)rawq_zip_status(rawq_zip_done(q, &done));
}

/* One request from end to end with doorbells by ioctl. */
static int works(struct rawq *q)
{
	char text[] = "a queue works when it compresses this, this, this and this";
	uint8_t out[256];
	int ret;

	queue_one(q, text, sizeof(text), out, sizeof(out));
	ret = ring(q, q->sq_tail, 0, HISI_QP_DB_SQ);
	if (!ret)
		ret = take_one(q);
	return ret ? ret : ring(q, 0, q->cq_head, HISI_QP_DB_CQ);
}

/* ------ processes without privileges ------ */

struct user {
	const char *dev;
	const char *section;	/* NULL: none */
	struct nlc nl;
};

static int become_nobody(void)
{
	return setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ? -errno :
	       0;
}

/* Runs in a child: 0, or a positive errno. */
static int user_begin(struct user *u, struct rawq *q)
{
	int ret = become_nobody();

	if (!ret && u->section)
		ret = nlc_open(&u->nl);
	if (!ret && u->section)
		ret = nlc_attach(&u->nl, u->section, NULL, NULL, 0);
	return ret ? -ret : -begin(q, u->dev);
}

static int user_works(void *arg)
{
	struct rawq q;
	int ret = user_begin(arg, &q);

	if (!ret && works(&q))
		ret = EIO;
	return ret;
}

static int user_maps(void *arg)
{
	struct rawq q;
	int ret = user_begin(arg, &q);

	if (ret)
		return ret;
	/* A refusal is no obstacle for the kernel's doorbells. */
	ret = -map_window(&q);
	return works(&q) ? EIO : ret;
}

/* As libraries do that know no other doorbells than mapped ones. */
static int user_gives_up(void *arg)
{
	struct user *u = arg;
	struct rawq q;
	int ret = become_nobody();

	if (ret || rawq_open(&q, u->dev))
		return EIO;
	ret = -map_window(&q);
	rawq_close(&q);
	return ret;
}

/* How often the kernel log tells of such a process; -errno. */
static int logged_refusals(void)
{
	return log_count("", "didn't start its queue without: the attribute doorbells");
}

#define BY_NOBODY(self, what, where) ({								\
	struct user user_ = { .dev = (self)->dev, .section = (where) };				\
												\
	in_child(what, &user_);									\
})

/* A process that has mapped the doorbells, and has them until it is told to end. */
static pid_t mapper(const char *dev, const char *section, int *fd)
{
	struct user u = { .dev = dev, .section = section };
	struct rawq q;
	int both[2];
	char ret;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both))
		return -1;
	pid = fork();
	if (!pid) {
		close(both[0]);
		ret = (char)user_begin(&u, &q);
		if (!ret)
			ret = (char)-map_window(&q);
		if (write(both[1], &ret, 1) != 1 || ret || read(both[1], &ret, 1))
			_exit(1);
		_exit(0);
	}
	close(both[1]);
	if (read(both[0], &ret, 1) != 1 || ret) {
		printf("# the mapper ended with %d\n", ret);
		return -1;
	}
	*fd = both[0];
	return pid;
}

static int mapper_end(pid_t pid, int fd)
{
	int status;

	close(fd);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool mode_is(const char *dev, const char *mode)
{
	char buf[32];

	return !tree_read(dev_path(dev, "doorbells"), buf, sizeof(buf)) && !strcmp(buf, mode);
}

/* ------ what the device shows ------ */

TEST_F(doorbells, the_device_says_what_it_is)
{
	char api[32];

	ASSERT_LT(0, uacce_attr(self->dev, "api", api, sizeof(api)));
	EXPECT_STREQ("hisi_qm_v2", api);
	EXPECT_EQ(2 * sysconf(_SC_PAGESIZE), uacce_attr_num(self->dev, "region_mmio_size"));
	EXPECT_TRUE(mode_is(self->dev, "kernel"));
	EXPECT_EQ(UACCE_NL_DOORBELLS_KERNEL, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_DOORBELLS));
	EXPECT_EQ(0, dev_set(self->dev, "doorbells", "exclusive"));
	EXPECT_TRUE(mode_is(self->dev, "exclusive"));
	EXPECT_EQ(UACCE_NL_DOORBELLS_EXCLUSIVE, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_DOORBELLS));
	EXPECT_EQ(-EINVAL, dev_set(self->dev, "doorbells", "isolated"));
	EXPECT_EQ(-EINVAL, dev_set(self->dev, "doorbells", "map"));
	EXPECT_EQ(-EINVAL, dev_set(self->dev, "doorbells", "\n"));
	EXPECT_TRUE(mode_is(self->dev, "exclusive"));
}

TEST_F(doorbells, of_isolated_queues_there_is_nothing_to_set)
{
	struct rawq q;

	ASSERT_TRUE(mode_is(DEV0, "isolated")) SKIP(return, DEV0 " is no device of generation 3");
	EXPECT_EQ(0, dev_set(DEV0, "doorbells", "isolated"));
	EXPECT_EQ(-EOPNOTSUPP, dev_set(DEV0, "doorbells", "mapped"));
	EXPECT_EQ(-EOPNOTSUPP, dev_set(DEV0, "doorbells", "kernel"));
	EXPECT_TRUE(mode_is(DEV0, "isolated"));
	ASSERT_EQ(0, rawq_begin(&q, DEV0, ZIP_QC_COMPRESS));
	EXPECT_EQ(-EOPNOTSUPP, ring(&q, 0, 0, HISI_QP_DB_CQ));
	rawq_close(&q);
}

/* ------ the kernel rings ------ */

TEST_F(doorbells, an_ordinary_user_works_and_maps_nothing)
{
	EXPECT_EQ(0, BY_NOBODY(self, user_works, NULL));
	EXPECT_EQ(EPERM, BY_NOBODY(self, user_maps, NULL));
	EXPECT_EQ(0, dev_set(self->dev, "doorbells", "exclusive"));
	EXPECT_EQ(EPERM, BY_NOBODY(self, user_maps, NULL));
}

TEST_F(doorbells, the_log_tells_of_a_library_that_knows_mapped_doorbells_only)
{
	int before = logged_refusals();

	ASSERT_LE(0, before);
	EXPECT_EQ(EPERM, BY_NOBODY(self, user_maps, NULL));
	EXPECT_EQ(before, logged_refusals());
	EXPECT_EQ(EPERM, BY_NOBODY(self, user_gives_up, NULL));
	EXPECT_EQ(before + 1, logged_refusals());
}

TEST_F_TIMEOUT(doorbells, more_than_a_ring_with_events, 200)
{
	ASSERT_EQ(0, begin(&self->q, self->dev));
	for (int i = 0; i < QM_SQ_DEPTH_V2 + 3; i++) {
		queue_one(&self->q, self->src, 64, self->dst, sizeof(self->dst));
		/* Head and tail in one call. */
		ASSERT_EQ(0, ring(&self->q, self->q.sq_tail, self->q.cq_head, HISI_QP_DB_SQ | HISI_QP_DB_CQ));
		ASSERT_EQ(ZIP_ST_OK, take_one(&self->q)) TH_LOG("request %d", i);
	}
	ASSERT_LE(0, uacce_poll(self->q.fd, POLLIN, 0));
	ASSERT_EQ(0, ring(&self->q, 0, self->q.cq_head, HISI_QP_DB_CQ | HISI_QP_DB_EVENT));
	queue_one(&self->q, self->src, 64, self->dst, sizeof(self->dst));
	ASSERT_EQ(0, ring(&self->q, self->q.sq_tail, 0, HISI_QP_DB_SQ));
	EXPECT_EQ(POLLIN, uacce_poll(self->q.fd, POLLIN, CLIENT_WAIT_MS));
	EXPECT_EQ(ZIP_ST_OK, take_one(&self->q));
}

/* No completion is lost without it on this device, which sees the last doorbell only: so ask the device. */
TEST_F(doorbells, the_device_hears_of_consumed_completions)
{
	struct rawq *q = &self->q;
	long head;

	ASSERT_EQ(0, begin(q, self->dev));
	for (int i = 0; i < 5; i++) {
		queue_one(q, self->src, 64, self->dst, sizeof(self->dst));
		ASSERT_EQ(0, ring(q, q->sq_tail, 0, HISI_QP_DB_SQ));
		ASSERT_EQ(ZIP_ST_OK, take_one(q));
	}
	head = context_word(self->address, "CQC", q->id, 0);
	if (head == -ENOENT || head == -EACCES)
		SKIP(return, "no debugfs");
	EXPECT_EQ(5 << 16, head);
	ASSERT_EQ(0, ring(q, 0, 3, HISI_QP_DB_CQ));
	EXPECT_EQ(5 << 16 | 3, context_word(self->address, "CQC", q->id, 0));
	ASSERT_EQ(0, ring(q, 0, q->cq_head, HISI_QP_DB_CQ | HISI_QP_DB_EVENT));
	EXPECT_EQ(5 << 16 | 5, context_word(self->address, "CQC", q->id, 0));
}

TEST_F(doorbells, values_outside_of_the_rings_are_refused)
{
	struct hisi_qp_doorbell db = { .flags = HISI_QP_DB_SQ, .reserved = 1 };
	struct rawq *q = &self->q;

	ASSERT_EQ(0, begin(q, self->dev));
	EXPECT_EQ(-EINVAL, ring(q, QM_SQ_DEPTH_V2, 0, HISI_QP_DB_SQ));
	EXPECT_EQ(-EINVAL, ring(q, 0xffff, 0, HISI_QP_DB_SQ));
	EXPECT_EQ(-EINVAL, ring(q, 0, QM_CQ_DEPTH_V2, HISI_QP_DB_CQ));
	EXPECT_EQ(-EINVAL, ring(q, 1, 0xffff, HISI_QP_DB_SQ | HISI_QP_DB_CQ));
	EXPECT_EQ(-EINVAL, ring(q, 0, 0, 0));
	EXPECT_EQ(-EINVAL, ring(q, 0, 0, HISI_QP_DB_EVENT));
	EXPECT_EQ(-EINVAL, ring(q, 0, 0, HISI_QP_DB_SQ | HISI_QP_DB_EVENT));
	EXPECT_EQ(-EINVAL, ring(q, 0, 0, HISI_QP_DB_SQ | 8));
	EXPECT_EQ(-EINVAL, ring(q, 0, 0, HISI_QP_DB_CQ | 1u << 31));
	EXPECT_EQ(-1, ioctl(q->fd, UACCE_CMD_QM_DOORBELL, &db));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, ioctl(q->fd, UACCE_CMD_QM_DOORBELL, (void *)8));
	EXPECT_EQ(EFAULT, errno);
	/* The size is part of the number. */
	EXPECT_EQ(-1, ioctl(q->fd, _IOW('H', 12, uint64_t), &db));
	EXPECT_EQ(EINVAL, errno);
	/* An index that isn't announced isn't looked at. */
	EXPECT_EQ(0, ring(q, 0xffff, 0, HISI_QP_DB_CQ));
	EXPECT_EQ(0, works(q));
}

TEST_F(doorbells, the_queue_has_to_be_started)
{
	ASSERT_EQ(0, rawq_open(&self->q, self->dev));
	EXPECT_EQ(-EINVAL, ring(&self->q, 0, 0, HISI_QP_DB_CQ));
	rawq_close(&self->q);
	ASSERT_EQ(0, begin(&self->q, self->dev));
	EXPECT_EQ(0, works(&self->q));
	ASSERT_EQ(0, uacce_put_q(self->q.fd));
	EXPECT_EQ(-EINVAL, ring(&self->q, 1, 0, HISI_QP_DB_SQ));
	ASSERT_EQ(0, uacce_start_q(self->q.fd));
	rawq_rewind(&self->q);
	EXPECT_EQ(0, works(&self->q));
}

static int ring_of_other(void *arg)
{
	return -ring(arg, 1, 0, HISI_QP_DB_SQ);
}

/* A call can't name a queue, so a neighbour's is out of reach: its ring is empty, and stays so. */
TEST_F(doorbells, a_call_reaches_its_own_queue_alone)
{
	struct rawq_done done;

	ASSERT_EQ(0, begin(&self->q, self->dev));
	ASSERT_EQ(0, begin(&self->other, self->dev));
	/* Three descriptors that were never written. */
	ASSERT_EQ(0, ring(&self->q, 3, 0, HISI_QP_DB_SQ));
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, rawq_wait(&self->q, &done, CLIENT_WAIT_MS));
		EXPECT_EQ(self->q.id, done.sq_num);
		EXPECT_EQ(i, done.sq_head);
		EXPECT_NE(ZIP_ST_OK, rawq_zip_status(rawq_zip_done(&self->q, &done)));
	}
	EXPECT_EQ(-EAGAIN, rawq_pull(&self->other, &done));
	EXPECT_EQ(0, works(&self->other));
	/* Nor does another process reach the queue of a file that it has. */
	EXPECT_EQ(EPERM, in_child(ring_of_other, &self->other));
}

static int call_ring_until_stopped(struct call *call)
{
	struct rawq q = { .fd = call->fd };
	int ret;

	while ((ret = ring(&q, 1, 0, HISI_QP_DB_SQ)) == 0)
		;
	return ret;
}

/* Each ring would be a request to the device that wants to finish. */
TEST_F_TIMEOUT(doorbells, a_client_that_keeps_ringing_does_not_keep_the_queue_from_stopping, 100)
{
	struct call ringer;

	ASSERT_EQ(0, begin(&self->q, self->dev));
	ASSERT_EQ(0, faults("delay", "1:1s"));
	queue_one(&self->q, self->src, BYTES, self->dst, sizeof(self->dst));
	ASSERT_EQ(0, ring(&self->q, 1, 0, HISI_QP_DB_SQ));
	ringer.fd = self->q.fd;
	ASSERT_EQ(0, call_begin(&ringer, call_ring_until_stopped));
	/* It waits for the request, and the ringer doesn't wait for it. */
	EXPECT_EQ(0, uacce_put_q(self->q.fd));
	EXPECT_EQ(-ESHUTDOWN, call_end(&ringer));
	EXPECT_EQ(ZIP_ST_OK, take_one(&self->q));
	EXPECT_EQ(-EINVAL, ring(&self->q, 1, 0, HISI_QP_DB_SQ));
}

TEST_F_TIMEOUT(doorbells, after_a_reset_and_a_removal_there_is_no_queue, 100)
{
	ASSERT_EQ(0, begin(&self->q, self->dev));
	ASSERT_EQ(0, reset(self->address));
	EXPECT_EQ(-ENXIO, ring(&self->q, 1, 0, HISI_QP_DB_SQ));
	rawq_close(&self->q);
	ASSERT_EQ(0, begin(&self->q, self->dev));
	EXPECT_EQ(0, works(&self->q));
	ASSERT_EQ(0, sim_set(FAULTY_NAME, "live", "0"));
	EXPECT_EQ(-ENXIO, ring(&self->q, 1, 0, HISI_QP_DB_SQ));
}

static int call_ring_until_gone(struct call *call)
{
	struct rawq q = { .fd = call->fd };
	int ret;

	do
		ret = ring(&q, 0, 0, HISI_QP_DB_SQ | HISI_QP_DB_CQ);
	while (!ret || ret == -ESHUTDOWN);
	return ret;
}

/* Under a reset and a removal, which unmaps the register. */
TEST_F_TIMEOUT(doorbells, ringing_meets_the_end_of_the_queue, 200)
{
	struct call ringer[2];

	for (int round = 0; round < 6; round++) {
		ASSERT_EQ(0, begin(&self->q, self->dev));
		for (int i = 0; i < 2; i++) {
			ringer[i].fd = self->q.fd;
			ASSERT_EQ(0, call_begin(&ringer[i], call_ring_until_gone));
		}
		if (round % 2) {
			ASSERT_EQ(0, sim_set(FAULTY_NAME, "live", "0"));
		} else {
			ASSERT_EQ(0, reset(self->address));
		}
		for (int i = 0; i < 2; i++)
			EXPECT_EQ(-ENXIO, call_end(&ringer[i]));
		rawq_close(&self->q);
		if (round % 2) {
			ASSERT_EQ(0, sim_set(FAULTY_NAME, "live", "1"));
			ASSERT_TRUE(device_of(self->address, self->dev));
		}
	}
}

/* ------ the window ------ */

TEST_F(doorbells, nobody_maps_the_mailbox)
{
	volatile uint32_t *page;

	ASSERT_EQ(0, begin(&self->q, self->dev));
	ASSERT_EQ(0, map_window(&self->q));
	page = (volatile uint32_t *)self->q.mmio;
	/* The device's own page isn't empty: the driver has sent commands. */
	for (unsigned int i = 0; i < HIDDEN / 4; i++) {
		EXPECT_EQ(0, page[i]) TH_LOG("word 0x%x", i * 4);
	}
	/* A command to load a context, whose busy bit would make the driver wait. */
	page[MAILBOX / 4] = QM_MB_CMD_SQC | QM_MB_BUSY;
	page[0] = ~0u;
	EXPECT_EQ(QM_MB_CMD_SQC | QM_MB_BUSY, page[MAILBOX / 4]);
	ASSERT_EQ(0, begin(&self->other, self->dev));
	EXPECT_EQ(0, works(&self->other));
	EXPECT_EQ(QM_MB_CMD_SQC | QM_MB_BUSY, page[MAILBOX / 4]);
	/* The page behind it is the register: it has the last doorbell. */
	queue_one(&self->q, self->src, 64, self->dst, sizeof(self->dst));
	client_ring(&self->q);
	EXPECT_EQ(ZIP_ST_OK, take_one(&self->q));
}

TEST_F(doorbells, a_window_of_a_dead_queue_rings_nothing)
{
	ASSERT_EQ(0, begin(&self->q, self->dev));
	ASSERT_EQ(0, map_window(&self->q));
	ASSERT_EQ(0, reset(self->address));
	client_ring(&self->q);
	ASSERT_EQ(0, begin(&self->other, self->dev));
	EXPECT_EQ(0, works(&self->other));
	EXPECT_EQ(0, dev_set(self->dev, "doorbells", "mapped"));
	rawq_close(&self->q);
	EXPECT_EQ(0, dev_set(self->dev, "doorbells", "kernel"));
}

TEST_F(doorbells, mapped_lets_everybody)
{
	pid_t pid;
	int fd;

	ASSERT_EQ(0, dev_set(self->dev, "doorbells", "mapped"));
	EXPECT_EQ(UACCE_NL_DOORBELLS_MAPPED, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_DOORBELLS));
	EXPECT_EQ(0, BY_NOBODY(self, user_maps, NULL));
	pid = mapper(self->dev, NULL, &fd);
	ASSERT_LT(0, pid);
	EXPECT_EQ(-EBUSY, dev_set(self->dev, "doorbells", "kernel"));
	EXPECT_EQ(-EBUSY, dev_set(self->dev, "doorbells", "exclusive"));
	EXPECT_EQ(0, dev_set(self->dev, "doorbells", "mapped"));
	EXPECT_EQ(0, mapper_end(pid, fd));
	EXPECT_EQ(0, dev_set(self->dev, "doorbells", "kernel"));
	EXPECT_EQ(EPERM, BY_NOBODY(self, user_maps, NULL));
}

/* ------ sections ------ */

static int section(const char *name, const char *dev, int slots)
{
	int ret = sec_make(name, dev, slots, 1, 0);

	return ret ? ret : sec_set(name, "allowed_uids", "*");
}

TEST_F(doorbells, a_section_has_such_a_device)
{
	ASSERT_EQ(0, section(S, self->dev, 2));
	ASSERT_EQ(0, section(OTHER, self->dev, 2));
	EXPECT_EQ(0, BY_NOBODY(self, user_works, S));
	EXPECT_EQ(EPERM, BY_NOBODY(self, user_maps, S));
	EXPECT_EQ(0, BY_NOBODY(self, user_works, NULL));
	/* Two sections can't both be the only one. */
	EXPECT_EQ(-EBUSY, dev_set(self->dev, "doorbells", "exclusive"));
	EXPECT_EQ(0, sec_end(OTHER));
	/* Nor one, beside a process outside of it. */
	ASSERT_EQ(0, begin(&self->q, self->dev));
	EXPECT_EQ(-EBUSY, dev_set(self->dev, "doorbells", "exclusive"));
	rawq_close(&self->q);
	EXPECT_EQ(0, dev_set(self->dev, "doorbells", "exclusive"));
	EXPECT_EQ(0, BY_NOBODY(self, user_maps, S));
}

TEST_F(doorbells, exclusive_is_for_one_section)
{
	char text[512];
	pid_t pid;
	int fd;

	ASSERT_EQ(0, dev_set(self->dev, "doorbells", "exclusive"));
	/* Without a section, the device is open to all, by the kernel's doorbells. */
	ASSERT_EQ(0, begin(&self->q, self->dev));
	EXPECT_EQ(-EBUSY, section(S, self->dev, 2));
	ASSERT_EQ(0, tree_read(sec_path(S, "status"), text, sizeof(text)));
	EXPECT_TRUE(strstr(text, "its doorbells are exclusive, and 1 contexts outside of the section are open"))
		TH_LOG("%s", text);
	rawq_close(&self->q);
	ASSERT_EQ(0, sec_set(S, "live", "1"));
	ASSERT_EQ(0, sec_set(S, "allowed_uids", "*"));
	EXPECT_EQ(EBUSY, BY_NOBODY(self, user_works, NULL));
	EXPECT_EQ(-EBUSY, rawq_open(&self->q, self->dev));
	EXPECT_EQ(0, uacce_attr_num(self->dev, "available_instances"));
	EXPECT_EQ(-EBUSY, section(OTHER, self->dev, 1));
	ASSERT_EQ(0, tree_read(sec_path(OTHER, "status"), text, sizeof(text)));
	EXPECT_TRUE(strstr(text, "its doorbells are exclusive, and section " S " has it")) TH_LOG("%s", text);
	pid = mapper(self->dev, S, &fd);
	ASSERT_LT(0, pid);
	EXPECT_EQ(-EBUSY, dev_set(self->dev, "doorbells", "kernel"));
	/* A draining section has the device as long as a process of it maps the doorbells. */
	EXPECT_EQ(0, sec_set(S, "live", "0"));
	EXPECT_EQ(-EBUSY, sec_set(OTHER, "live", "1"));
	EXPECT_EQ(-EBUSY, rawq_open(&self->q, self->dev));
	EXPECT_EQ(0, mapper_end(pid, fd));
	EXPECT_EQ(0, sec_set(OTHER, "live", "1"));
	EXPECT_EQ(0, sec_end(OTHER));
	EXPECT_EQ(0, begin(&self->q, self->dev));
}

TEST_F(doorbells, a_claim_of_an_exclusive_device_waits_for_its_turn)
{
	ASSERT_EQ(0, dev_set(self->dev, "doorbells", "exclusive"));
	ASSERT_EQ(0, sim_set(FAULTY_NAME, "live", "0"));
	ASSERT_EQ(0, section(S, self->address, 1));
	ASSERT_EQ(0, section(OTHER, self->address, 1));
	ASSERT_EQ(0, sim_set(FAULTY_NAME, "live", "1"));
	ASSERT_TRUE(device_of(self->address, self->dev));
	ASSERT_EQ(0, open_to_all(self->dev));
	EXPECT_TRUE(mode_is(self->dev, "exclusive"));
	EXPECT_EQ(1, dev_num(self->dev, "reserved_ctxs"));
	EXPECT_EQ(0, BY_NOBODY(self, user_maps, S));
	EXPECT_EQ(0, dev_set(self->dev, "doorbells", "kernel"));
	EXPECT_EQ(2, dev_num(self->dev, "reserved_ctxs"));
	EXPECT_EQ(0, sec_set(OTHER, "live", "0"));
	EXPECT_EQ(0, dev_set(self->dev, "doorbells", "exclusive"));
	EXPECT_EQ(0, sec_end(S));
	EXPECT_EQ(0, sec_set(OTHER, "live", "1"));
	EXPECT_EQ(1, dev_num(self->dev, "reserved_ctxs"));
	EXPECT_EQ(0, BY_NOBODY(self, user_maps, OTHER));
}

TEST_HARNESS_MAIN
