// SPDX-License-Identifier: Apache-2.0
/* Mapping a queue's regions: what is accepted, what is refused, what a mapping survives. */
#include <signal.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "zip_queue.h"

static int map_rw(int fd, size_t bytes, off_t offset)
{
	return uacce_try_mmap(fd, bytes, offset, PROT_READ | PROT_WRITE, MAP_SHARED);
}

TEST_F(zip, regions_map_before_and_after_start)
{
	ASSERT_EQ(0, rawq_map(&self->q));
	rawq_unmap(&self->q);
	test_start_q(self->q.fd);
	EXPECT_EQ(0, rawq_map(&self->q));
	rawq_unmap(&self->q);
	test_put_q(self->q.fd);
	EXPECT_EQ(0, rawq_map(&self->q));
}

TEST_F(zip, other_offsets_are_einval)
{
	for (unsigned int type = 2; type < 40; type++)
		EXPECT_EQ(-EINVAL, map_rw(self->q.fd, self->page, type * self->page));
	EXPECT_EQ(-EINVAL, map_rw(self->q.fd, self->q.dus_size, (off_t)1 << 40));
}

TEST_F(zip, dus_length_must_match)
{
	EXPECT_EQ(-EINVAL, map_rw(self->q.fd, self->page, self->page));
	EXPECT_EQ(-EINVAL, map_rw(self->q.fd, self->q.dus_size - self->page, self->page));
	EXPECT_EQ(-EINVAL, map_rw(self->q.fd, self->q.dus_size + self->page, self->page));
	EXPECT_EQ(-EINVAL, map_rw(self->q.fd, (size_t)1 << 40, self->page));
	EXPECT_EQ(0, map_rw(self->q.fd, self->q.dus_size, self->page));
}

TEST_F(zip, mmio_length_has_a_limit)
{
	EXPECT_EQ(-EINVAL, map_rw(self->q.fd, self->q.mmio_size + self->page, 0));
	EXPECT_EQ(-EINVAL, map_rw(self->q.fd, (size_t)1 << 40, 0));
	EXPECT_EQ(0, map_rw(self->q.fd, self->page, 0));
	EXPECT_EQ(0, map_rw(self->q.fd, self->q.mmio_size, 0));
}

TEST_F(zip, private_mappings_are_einval)
{
	const int prot = PROT_READ | PROT_WRITE;

	EXPECT_EQ(-EINVAL, uacce_try_mmap(self->q.fd, self->page, 0, prot, MAP_PRIVATE));
	EXPECT_EQ(-EINVAL, uacce_try_mmap(self->q.fd, self->q.dus_size, self->page, prot, MAP_PRIVATE));
}

TEST_F(zip, second_mapping_is_eexist)
{
	ASSERT_EQ(0, rawq_map(&self->q));
	EXPECT_EQ(-EEXIST, map_rw(self->q.fd, self->q.mmio_size, 0));
	EXPECT_EQ(-EEXIST, map_rw(self->q.fd, self->page, 0));
	EXPECT_EQ(-EEXIST, map_rw(self->q.fd, self->q.dus_size, self->page));
}

TEST_F(zip, region_maps_again_after_munmap)
{
	ASSERT_EQ(0, rawq_map(&self->q));
	self->q.dus[5] = 0x5a;
	for (int i = 0; i < 3; i++) {
		rawq_unmap(&self->q);
		ASSERT_EQ(0, rawq_map(&self->q));
		EXPECT_EQ(0x5a, self->q.dus[5]);
	}
}

TEST_F(zip, refused_mapping_leaves_the_slot_free)
{
	EXPECT_EQ(-EINVAL, map_rw(self->q.fd, self->page, self->page));
	EXPECT_EQ(-EINVAL, map_rw(self->q.fd, self->q.mmio_size + self->page, 0));
	EXPECT_EQ(0, rawq_map(&self->q));
}

TEST_F(zip, partial_munmap_is_einval)
{
	size_t page = self->page;

	ASSERT_EQ(0, rawq_map(&self->q));
	EXPECT_EQ(-EINVAL, neg_errno(munmap(self->q.dus, page)));
	EXPECT_EQ(-EINVAL, neg_errno(munmap(self->q.dus + page, page)));
	EXPECT_EQ(-EINVAL, neg_errno(munmap(self->q.dus + self->q.dus_size - page, page)));
	EXPECT_EQ(-EINVAL, neg_errno(munmap(self->q.mmio, page)));
	EXPECT_EQ(-EINVAL, neg_errno(munmap(self->q.mmio + page, page)));
	/* The region is mapped whole and works. */
	self->q.id = test_set_qp_ctx(self->q.fd, ZIP_QC_COMPRESS);
	test_start_q(self->q.fd);
	EXPECT_EQ(0, rawq_works(&self->q));
	EXPECT_EQ(-EEXIST, map_rw(self->q.fd, self->q.dus_size, page));
}

TEST_F(zip, region_is_not_split_by_other_calls)
{
	size_t page = self->page;
	void *over;

	ASSERT_EQ(0, rawq_map(&self->q));
	EXPECT_EQ(-EINVAL, neg_errno(mprotect(self->q.dus, page, PROT_READ)));
	EXPECT_EQ(-EINVAL, neg_errno(madvise(self->q.dus, page, MADV_RANDOM)));
	over = mmap(self->q.dus + page, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		    -1, 0);
	EXPECT_EQ(MAP_FAILED, over);
	self->q.id = test_set_qp_ctx(self->q.fd, ZIP_QC_COMPRESS);
	test_start_q(self->q.fd);
	EXPECT_EQ(0, rawq_works(&self->q));
}

TEST_F(zip, whole_region_may_change_protection)
{
	ASSERT_EQ(0, rawq_map(&self->q));
	self->q.dus[0] = 1;
	ASSERT_EQ(0, mprotect(self->q.dus, self->q.dus_size, PROT_READ));
	EXPECT_EQ(1, *(volatile uint8_t *)self->q.dus);
	ASSERT_EQ(0, mprotect(self->q.dus, self->q.dus_size, PROT_READ | PROT_WRITE));
	self->q.dus[0] = 2;
}

static int move_region(void *map, size_t bytes)
{
	void *to = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	to = mremap(map, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	return to == MAP_FAILED ? -errno : 0;
}

TEST_F(zip, mremap_is_eperm)
{
	ASSERT_EQ(0, rawq_map(&self->q));
	self->q.dus[7] = 0x77;
	EXPECT_EQ(-EPERM, move_region(self->q.dus, self->q.dus_size));
	EXPECT_EQ(-EPERM, move_region(self->q.mmio, self->q.mmio_size));
	EXPECT_EQ(0x77, self->q.dus[7]);
	EXPECT_EQ(-EEXIST, map_rw(self->q.fd, self->q.dus_size, self->page));
	EXPECT_EQ(-EEXIST, map_rw(self->q.fd, self->q.mmio_size, 0));
	self->q.id = test_set_qp_ctx(self->q.fd, ZIP_QC_COMPRESS);
	test_start_q(self->q.fd);
	EXPECT_EQ(0, rawq_works(&self->q));
	rawq_unmap(&self->q);
	EXPECT_EQ(0, rawq_map(&self->q));
}

TEST_F(zip, mremap_changes_no_size)
{
	size_t bytes;

	ASSERT_EQ(0, rawq_map(&self->q));
	bytes = self->q.dus_size;
	EXPECT_EQ(MAP_FAILED, mremap(self->q.dus, bytes, bytes + self->page, MREMAP_MAYMOVE));
	EXPECT_EQ(MAP_FAILED, mremap(self->q.dus, bytes, bytes - self->page, 0));
	EXPECT_EQ(MAP_FAILED, mremap(self->q.dus, 0, bytes, MREMAP_MAYMOVE));
	EXPECT_EQ(MAP_FAILED, mremap(self->q.dus, bytes, bytes, MREMAP_MAYMOVE | MREMAP_DONTUNMAP));
	self->q.dus[bytes - self->page] = 1;
}

TEST_F(zip, madvise_keeps_rings_and_their_fork_rule)
{
	ASSERT_EQ(0, rawq_map(&self->q));
	self->q.dus[9] = 0x99;
	EXPECT_EQ(-EINVAL, neg_errno(madvise(self->q.dus, self->q.dus_size, MADV_DOFORK)));
	EXPECT_EQ(-EINVAL, neg_errno(madvise(self->q.mmio, self->q.mmio_size, MADV_DOFORK)));
	madvise(self->q.dus, self->q.dus_size, MADV_DONTNEED);
	EXPECT_EQ(0x99, self->q.dus[9]);
}

/* The signal that ends a child which reads there; 0 when the read succeeds. */
static int child_reads(volatile uint8_t *p)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(*p & 0);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void odd_calls_on_memory(uint8_t *map, size_t bytes, size_t page)
{
	unsigned char pages[256];
	uint8_t copy[64];
	struct iovec local = { copy, sizeof(copy) }, remote = { map, sizeof(copy) };

	for (int advice = 0; advice < 26; advice++)
		if (advice != MADV_DONTFORK && advice != MADV_HWPOISON)
			madvise(map, bytes, advice);
	msync(map, bytes, MS_SYNC);
	mlock(map, bytes);
	munlock(map, bytes);
	mincore(map, bytes < 256 * page ? bytes : 256 * page, pages);
	process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
	process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
}

static void odd_calls_on_file(int fd, const char *name)
{
	int pipes[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char path[UACCE_NAME_MAX + 8];
	off_t at = 0;

	snprintf(path, sizeof(path), "/dev/%s", name);
	close(open(path, O_RDWR | O_CLOEXEC | O_DIRECT));
	close(open(path, O_RDWR | O_CLOEXEC | O_APPEND | O_TRUNC | O_NONBLOCK | O_SYNC));
	close(open(path, O_PATH));
	lseek(fd, 1, SEEK_SET);
	fsync(fd);
	if (!ftruncate(fd, 0))
		return;
	fallocate(fd, 0, 0, 4096);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	posix_fadvise(fd, 0, 0, POSIX_FADV_WILLNEED);
	readahead(fd, 0, 4096);
	sync_file_range(fd, 0, 4096, SYNC_FILE_RANGE_WRITE);
	sendfile(null, fd, &at, 4096);
	copy_file_range(fd, NULL, null, NULL, 4096, 0);
	fcntl(fd, F_SETFL, O_DIRECT);
	fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC);
	fcntl(fd, F_SETFL, 0);
	if (!pipe(pipes)) {
		splice(fd, NULL, pipes[1], NULL, 4096, SPLICE_F_NONBLOCK);
		splice(pipes[0], NULL, fd, NULL, 4096, SPLICE_F_NONBLOCK);
		close(pipes[0]);
		close(pipes[1]);
	}
	close(null);
}

/* None of these calls means anything here; none may hurt the kernel or the queue. */
TEST_F(zip, odd_calls_do_no_harm)
{
	ASSERT_EQ(0, rawq_map(&self->q));
	odd_calls_on_memory(self->q.dus, self->q.dus_size, self->page);
	odd_calls_on_memory(self->q.mmio, self->q.mmio_size, self->page);
	odd_calls_on_file(self->q.fd, self->name);
	EXPECT_EQ(self->available - 1, wait_available(self->name, self->available - 1, REQUEST_MS));
	EXPECT_EQ(SIGSEGV, child_reads(self->q.dus));
	self->q.id = test_set_qp_ctx(self->q.fd, ZIP_QC_COMPRESS);
	test_start_q(self->q.fd);
	EXPECT_EQ(0, rawq_works(&self->q));
	rawq_unmap(&self->q);
	EXPECT_EQ(0, rawq_map(&self->q));
}

TEST_F(zip, child_does_not_inherit_mappings)
{
	ASSERT_EQ(0, rawq_map(&self->q));
	EXPECT_EQ(SIGSEGV, child_reads(self->q.dus));
	EXPECT_EQ(SIGSEGV, child_reads(self->q.mmio + QM_DB_SQ_CQ));
	self->q.dus[0] = 1;
}

TEST_F(zip, queue_runs_on_without_mappings)
{
	ASSERT_EQ(0, rawq_map(&self->q));
	self->q.id = test_set_qp_ctx(self->q.fd, ZIP_QC_COMPRESS);
	test_start_q(self->q.fd);
	ASSERT_EQ(0, rawq_works(&self->q));
	rawq_unmap(&self->q);
	ASSERT_EQ(0, rawq_map(&self->q));
	EXPECT_EQ(0, rawq_works(&self->q));
}

TEST_F(zip, mapping_keeps_a_closed_queue)
{
	ASSERT_EQ(0, rawq_map(&self->q));
	self->q.id = test_set_qp_ctx(self->q.fd, ZIP_QC_COMPRESS);
	test_start_q(self->q.fd);
	close(self->q.fd);
	self->q.fd = -1;
	EXPECT_EQ(0, rawq_works(&self->q));
	EXPECT_EQ(self->available - 1, test_attr_num(self->name, "available_instances"));
	rawq_unmap(&self->q);
	EXPECT_EQ(self->available, wait_available(self->name, self->available, REQUEST_MS));
}

static int not_zero(const uint8_t *p, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes && !p[i]; i++)
		;
	return i < bytes;
}

/* Queues are handed out in turn, so the same queue comes back once all others have been opened. */
TEST_F_TIMEOUT(zip, new_owner_finds_no_old_data, 120)
{
	struct rawq *all;
	long n = 0;

	ASSERT_EQ(0, rawq_map(&self->q));
	memset(self->q.dus, 0xa5, self->q.dus_size);
	for (size_t i = 0; i < self->q.mmio_size; i += 8)
		*(volatile uint64_t *)(self->q.mmio + i) = 0xa5a5a5a5a5a5a5a5;
	rawq_close(&self->q);

	all = calloc(self->available, sizeof(*all));
	for (n = 0; n < self->available; n++) {
		ASSERT_EQ(0, rawq_open(&all[n], self->name));
		ASSERT_EQ(0, rawq_map(&all[n]));
		EXPECT_EQ(0, not_zero(all[n].dus, all[n].dus_size)) TH_LOG("rings of queue %ld", n);
		EXPECT_EQ(0, not_zero(all[n].mmio, all[n].mmio_size)) TH_LOG("doorbells of queue %ld", n);
	}
	while (n--)
		rawq_close(&all[n]);
	free(all);
}

TEST_HARNESS_MAIN
