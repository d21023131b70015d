// SPDX-License-Identifier: Apache-2.0
/*
 * Processes that do all they can to their own memory and queues while the kernel executes what they submit: they write
 * into rings, unmap and protect buffers, truncate files, fork, ring with any tail, make calls at random, and end by
 * kill -9. Another process' requests are right all the time, and nothing stays pinned or mapped.
 *   WD_HOSTILE_S=N   seconds for each kind of device (3; with WD_TEST_LONG=1 300)
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
static int shape(const char *iommu);
#define FAULTY_GENERATION	variant->generation
#define FAULTY_SHAPE		shape(variant->iommu)
#include "call.h"
#include "in_child.h"
#include "late_page.h"
#include "mediated_counts.h"

#define HOSTILE		3		/* processes at the same time */
#define QUEUES		2		/* of each */
#define ARENA		(4u << 20)	/* sources */
#define PART		(1u << 20)	/* of one kind of memory */
#define ROOM		4096u		/* of each request's result, which no other request has: see test_mediated.c */
#define LATE		65536u
#define REOPENS		4
#define BYTES_MAX	100000u		/* of the other process' requests */

FIXTURE(hostile) {
	FAULTY_MEMBERS;
	long pins, maps, available;
	const char *generation;
	unsigned int rounds;
};

FIXTURE_VARIANT(hostile) {
	const char *generation;
	const char *iommu;
};

FIXTURE_VARIANT_ADD(hostile, one_range) {
	.generation = "3",
	.iommu = "1",
};

FIXTURE_VARIANT_ADD(hostile, second_generation_in_pieces) {
	.generation = "2",
	.iommu = "0",
};

static int shape(const char *iommu)
{
	int ret = sim_set(FAULTY_NAME, "sva", "0");

	/* Queues of killed processes are in use for a moment. */
	if (!ret)
		ret = sim_set(FAULTY_NAME, "queues", "64");
	return ret ? ret : sim_set(FAULTY_NAME, "iommu", iommu);
}

FIXTURE_SETUP(hostile)
{
	if (!mediated_possible())
		SKIP(return, "this kernel lets no device have DMA mapping operations of its own");
	FAULTY_BEGIN(self);
	self->generation = variant->generation;
	self->pins = pins_now();
	self->maps = maps_now();
	self->available = uacce_attr_num(self->dev, "available_instances");
}

FIXTURE_TEARDOWN(hostile)
{
	if (!self->dev[0])
		return;
	EXPECT_EQ(0, client_wait_available(self->dev, self->available));
	EXPECT_EQ(0, maps_count("faults "));
	EXPECT_TRUE(back_to(maps_now, self->maps)) TH_LOG("%ld mappings, not %ld", maps_now(), self->maps);
	FAULTY_END(self);
	EXPECT_TRUE(back_to(pins_now, self->pins)) TH_LOG("%ld pins, not %ld", pins_now(), self->pins);
}

static void fill(const FIXTURE_DATA(hostile) *self, void *sqe, const void *src, uint32_t len, void *dst, uint32_t room,
		 uint32_t tag)
{
	rawq_zip_fill_of(self->generation, sqe, ZIP_REQ_ZLIB, src, len, dst, room, tag);
}

/* ------ a hostile process ------ */

struct hostile {
	const FIXTURE_DATA(hostile) *self;
	struct rawq q[QUEUES];
	uint8_t *_Atomic ring[QUEUES];
	atomic_int fd[QUEUES];
	atomic_uint tail[QUEUES];
	uint8_t *src;
	uint8_t *dst[QUEUES];
	struct late_page late;
	int file, out[QUEUES];
	atomic_uint seed;
};

/* The bytes of the arena that a file has, which all mappings of it share. */
static void *shared_part(const struct hostile *h)
{
	return h->src + PART;
}

static unsigned int draw(unsigned int *seed, unsigned int below)
{
	return (unsigned int)rand_r(seed) % below;
}

/* Its memory may be gone. */
static void end_quietly(int sig)
{
	(void)sig;
	_exit(2);
}

static const void *any_source(struct hostile *h, unsigned int *seed)
{
	/* A thread that submits this waits for ever. */
	if (!draw(seed, 500) && h->late.at != MAP_FAILED)
		return h->late.at;
	return h->src + draw(seed, ARENA);
}

static void ring_with(struct hostile *h, unsigned int n, unsigned int tail, unsigned int flags)
{
	struct hisi_qp_doorbell db = { .sq_tail = (uint16_t)tail, .flags = flags };

	ioctl(atomic_load(&h->fd[n]), UACCE_CMD_QM_DOORBELL, &db);
}

/* Requests of any length, the first bytes of whose source may be anywhere. */
static void *submit_run(void *arg)
{
	struct hostile *h = arg;
	unsigned int seed = atomic_fetch_add(&h->seed, 1);

	for (;;) {
		unsigned int n = draw(&seed, QUEUES), depth = h->q[n].info.sq_depth, i, rows = 1 + draw(&seed, 40);

		for (i = 0; i < rows; i++) {
			unsigned int at = atomic_fetch_add(&h->tail[n], 1) % depth;
			struct zip_sqe sqe = {};

			fill(h->self, &sqe, any_source(h, &seed), draw(&seed, draw(&seed, 20) ? 3000 : 200000),
			     h->dst[n] + at * ROOM, ROOM, at);
			memcpy(atomic_load(&h->ring[n]) + at * sizeof(sqe), &sqe, sizeof(sqe));
		}
		ring_with(h, n, atomic_load(&h->tail[n]) % depth, HISI_QP_DB_SQ);
		ring_with(h, n, draw(&seed, depth), 1 + draw(&seed, 15));
	}
	return NULL;
}

/* Changes descriptors that may be in flight, or be read now. */
static void *scribble_run(void *arg)
{
	struct hostile *h = arg;
	unsigned int seed = atomic_fetch_add(&h->seed, 1);

	for (;;) {
		unsigned int n = draw(&seed, QUEUES), words = h->q[n].info.sq_depth * h->q[n].info.sqe_size / 4, i;
		uint32_t *ring = (uint32_t *)(void *)atomic_load(&h->ring[n]);

		for (i = 0; i < 8; i++)
			ring[draw(&seed, words)] ^= 1u << draw(&seed, 32);
		poll(NULL, 0, draw(&seed, 2));
	}
	return NULL;
}

static void change_memory(struct hostile *h, unsigned int *seed)
{
	static const int rights[] = { PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE };
	size_t page = (size_t)sysconf(_SC_PAGESIZE), at = draw(seed, ARENA / page) * page;
	size_t len = (1 + draw(seed, 16)) * page;
	unsigned int n = draw(seed, QUEUES);
	size_t room = at % (512 * ROOM);
	uint8_t *dst = h->dst[n] + room;

	if (len > ARENA - at)
		len = ARENA - at;
	switch (draw(seed, 11)) {
	case 0:
		munmap(h->src + at, len);
		break;
	case 1:
		mmap(h->src + at, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	case 2:
		mprotect(h->src + at, len, rights[draw(seed, 3)]);
		break;
	case 3:
		madvise(h->src + at, len, MADV_DONTNEED);
		break;
	case 4:
		/* Its mapping has a hole until then. */
		if (!ftruncate(h->file, draw(seed, PART)) && draw(seed, 2))
			break;
		if (ftruncate(h->file, PART))
			_exit(2);
		break;
	case 5:
		mmap(shared_part(h), PART, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, h->file, 0);
		break;
	case 6:
		madvise(dst, len, MADV_DONTNEED);
		break;
	case 7:
		mprotect(dst, len, rights[draw(seed, 3)]);
		break;
	case 8:
		mmap(dst, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	case 9:
		mmap(dst, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, h->out[n], (off_t)room);
		break;
	case 10:
		if (ftruncate(h->out[n], (off_t)room) || ftruncate(h->out[n], 1024 * ROOM))
			_exit(2);
		break;
	}
}

static void *memory_run(void *arg)
{
	struct hostile *h = arg;
	unsigned int seed = atomic_fetch_add(&h->seed, 1);

	for (;;)
		change_memory(h, &seed);
	return NULL;
}

/* The old mapping stays, or another thread would end the process by a write to it. */
static void reopen(struct hostile *h, unsigned int n)
{
	struct rawq fresh;

	close(atomic_load(&h->fd[n]));
	if (rawq_begin(&fresh, h->self->dev, n ? ZIP_QC_DECOMPRESS : ZIP_QC_COMPRESS))
		_exit(2);
	atomic_store(&h->ring[n], fresh.dus);
	atomic_store(&h->fd[n], fresh.fd);
	atomic_store(&h->tail[n], 0);
}

static void *calls_run(void *arg)
{
	struct hostile *h = arg;
	unsigned int seed = atomic_fetch_add(&h->seed, 1), reopens = 0;
	uint32_t words[64];

	for (;;) {
		unsigned int n = draw(&seed, QUEUES), i, what = draw(&seed, 40);
		int fd = atomic_load(&h->fd[n]);

		if (!what && reopens++ < REOPENS)
			reopen(h, n);
		else if (what < 3)
			uacce_put_q(fd);
		else if (what < 6)
			uacce_start_q(fd);
		else if (what < 20)
			uacce_poll(fd, POLLIN, 0);
		for (i = 0; i < 64; i++)
			words[i] = draw(&seed, 4) ? draw(&seed, 16) : (uint32_t)rand_r(&seed);
		ioctl(fd, _IOC(draw(&seed, 4), draw(&seed, 2) ? 'W' : 'H', draw(&seed, 16), draw(&seed, 4) * 8),
		      draw(&seed, 8) ? words : (void *)(uintptr_t)words[0]);
	}
	return NULL;
}

/* Its children write to the memory that is pinned, so one of them gets copies. */
static void *fork_run(void *arg)
{
	struct hostile *h = arg;
	unsigned int seed = atomic_fetch_add(&h->seed, 1);
	pid_t pid;

	for (;;) {
		pid = fork();
		if (!pid) {
			for (unsigned int i = 0; i < 64; i++)
				h->dst[i % QUEUES][draw(&seed, 512 * ROOM)] = 1;
			_exit(0);
		}
		poll(NULL, 0, 2 + (int)draw(&seed, 20));
	}
	return NULL;
}

static uint8_t *memory(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		_exit(2);
	return at;
}

static int file_of(off_t bytes)
{
	int fd = memfd_create("hostile", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, bytes))
		_exit(2);
	return fd;
}

static void hostile_begin(struct hostile *h)
{
	unsigned int n;

	signal(SIGSEGV, end_quietly);
	signal(SIGBUS, end_quietly);
	signal(SIGCHLD, SIG_IGN);
	h->src = memory(ARENA);
	client_fill(h->src, ARENA, (uint32_t)getpid());
	h->file = file_of(PART);
	if (mmap(shared_part(h), PART, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, h->file, 0) == MAP_FAILED)
		_exit(2);
	if (late_page_make(&h->late, LATE))
		h->late.at = MAP_FAILED;
	for (n = 0; n < QUEUES; n++) {
		if (rawq_begin(&h->q[n], h->self->dev, n ? ZIP_QC_DECOMPRESS : ZIP_QC_COMPRESS))
			_exit(2);
		h->dst[n] = memory((size_t)h->q[n].info.sq_depth * ROOM);
		h->out[n] = file_of(1024 * ROOM);
		atomic_init(&h->ring[n], h->q[n].dus);
		atomic_init(&h->fd[n], h->q[n].fd);
	}
}

/* Until it is killed. */
static void hostile_run(const FIXTURE_DATA(hostile) *self, unsigned int seed)
{
	static void *(*const runs[])(void *) = {
		submit_run, submit_run, submit_run, scribble_run, memory_run, calls_run, fork_run,
	};
	static struct hostile h;
	pthread_t thread;

	h.self = self;
	atomic_init(&h.seed, seed * 100);
	hostile_begin(&h);
	for (unsigned int i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		if (pthread_create(&thread, NULL, runs[i], &h))
			_exit(2);
	for (;;)
		pause();
}

/* ------ another process ------ */

struct victim {
	const FIXTURE_DATA(hostile) *self;
	pid_t pid;
	int rounds[2];		/* a pipe: how many rounds were right */
};

/* The next completion's bytes, or -EBADMSG. */
static int answer(struct rawq *q)
{
	struct rawq_done done;
	unsigned int status;

	if (rawq_wait(q, &done, CLIENT_WAIT_MS))
		return -ETIMEDOUT;
	status = rawq_zip_status(rawq_zip_done(q, &done));
	if (status != ZIP_ST_OK && status != ZIP_ST_NEGATIVE_COMP && status != ZIP_ST_END)
		return -EBADMSG;
	return (int)le32toh(rawq_zip_done(q, &done)->produced);
}

static int request(const FIXTURE_DATA(hostile) *self, struct rawq *q, const void *src, uint32_t len, void *dst,
		   uint32_t room)
{
	fill(self, rawq_slot(q), src, len, dst, room, q->sq_tail);
	rawq_push(q, 0);
	return rawq_call(q, HISI_QP_DB_SQ, q->sq_tail, 0) ? -EIO : answer(q);
}

static bool round_is_right(const FIXTURE_DATA(hostile) *self, struct rawq *q, uint32_t seed)
{
	static uint8_t src[BYTES_MAX], mid[2 * BYTES_MAX], dst[BYTES_MAX];
	uint32_t len = 1 + seed * 7919 % BYTES_MAX;
	int n;

	client_fill(src, len, seed);
	memset(dst, 0xa5, len);
	n = request(self, &q[0], src, len, mid, sizeof(mid));
	n = n > 0 ? request(self, &q[1], mid, (uint32_t)n, dst, len) : n;
	return n == (int)len && !memcmp(src, dst, len);
}

static void victim_run(struct victim *v, long long end)
{
	struct rawq q[2];
	unsigned int rounds = 0;

	if (rawq_begin(&q[0], v->self->dev, ZIP_QC_COMPRESS) || rawq_begin(&q[1], v->self->dev, ZIP_QC_DECOMPRESS))
		_exit(2);
	while (now_ms() < end || !rounds)
		if (!round_is_right(v->self, q, rounds++))
			_exit(1);
	_exit(write(v->rounds[1], &rounds, sizeof(rounds)) == sizeof(rounds) ? 0 : 3);
}

/* ------ the test ------ */

static unsigned int seconds(void)
{
	const char *n = getenv("WD_HOSTILE_S");

	return n ? (unsigned int)strtoul(n, NULL, 10) : getenv("WD_TEST_LONG") ? 300 : 3;
}

static pid_t hostile_start(const FIXTURE_DATA(hostile) *self, unsigned int seed)
{
	pid_t pid = fork();

	if (!pid)
		hostile_run(self, seed);
	return pid;
}

/* Whether it has lived until then. */
static bool hostile_end(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status);
}

TEST_F_TIMEOUT(hostile, processes_harm_only_themselves, 3600)
{
	long long end = now_ms() + 1000ll * seconds();
	struct victim v = { .self = self };
	unsigned int seed = 1, life = 0, rounds = 0, killed = 0;
	long made = maps_count("made ");
	pid_t pid[HOSTILE];
	int status;

	ASSERT_EQ(0, pipe(v.rounds));
	v.pid = fork();
	if (!v.pid)
		victim_run(&v, end);
	for (int i = 0; i < HOSTILE; i++)
		pid[i] = hostile_start(self, seed++);
	while (now_ms() < end) {
		life = (life + 137) % 800;
		poll(NULL, 0, 50 + (int)life / HOSTILE);
		killed += hostile_end(pid[seed % HOSTILE]);
		pid[seed % HOSTILE] = hostile_start(self, seed);
		seed++;
	}
	for (int i = 0; i < HOSTILE; i++)
		killed += hostile_end(pid[i]);
	ASSERT_EQ(v.pid, waitpid(v.pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	EXPECT_EQ((ssize_t)sizeof(rounds), read(v.rounds[0], &rounds, sizeof(rounds)));
	EXPECT_LT(0, rounds);
	made = maps_count("made ") - made;
	TH_LOG("%u of %u processes killed, %ld mappings, %u rounds of another", killed, seed - 1, made, rounds);
	/* Those that ended themselves harmed nobody. */
	EXPECT_LE(seed / 2, killed);
	EXPECT_LT(100, made);
}

TEST_HARNESS_MAIN
