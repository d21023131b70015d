// SPDX-License-Identifier: Apache-2.0
/* Queues of a device without shared virtual addressing: the kernel executes what a process submits. */
#include <grp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "mediated_queue.h"
#include "in_child.h"
#include "turn.h"

#define LARGE		(3u << 20)
#define SHARE		(768u << 10)	/* of one request's source or destination in a buffer */
#define SHARES		101
#define LATE_NS		"3000000000"
#define LONG_NS		"60000000000"
#define SLOTS		128	/* requests that the kernel takes at once */

/* Through both directions, with a byte behind each destination that must stay. */
static int there_and_back(FIXTURE_DATA(mediated) *self, uint32_t len, uint32_t offset)
{
	uint32_t room = len + len / 8 + 256, packed = 0, unpacked = 0;
	uint8_t *src = malloc(len + offset + 1), *mid = malloc(room + offset + 1), *dst = malloc(len + offset + 1);
	int ret;

	client_fill(src + offset, len, len);
	mid[room + offset] = dst[len + offset] = 0xa5;
	ret = one(self, &self->q, src + offset, len, mid + offset, room, &packed);
	if (good(ret))
		ret = one(self, &self->other, mid + offset, packed, dst + offset, len, &unpacked);
	if (good(ret))
		ret = unpacked == len && !memcmp(src + offset, dst + offset, len) && mid[room + offset] == 0xa5 &&
		      dst[len + offset] == 0xa5 ? 0 : -EBADMSG;
	free(src);
	free(mid);
	free(dst);
	return ret;
}

TEST_F_TIMEOUT(mediated, data_of_all_sizes_goes_there_and_back, 300)
{
	static const uint32_t bytes[] = { 1, 64, 511, 512, 513, 4096, 4097, 65536, 100000, 1u << 20, LARGE };

	ASSERT_EQ(0, rawq_begin(&self->other, self->dev, ZIP_QC_DECOMPRESS));
	for (unsigned int i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		EXPECT_EQ(0, there_and_back(self, bytes[i], 0)) TH_LOG("%u bytes", bytes[i]);
		EXPECT_EQ(0, there_and_back(self, bytes[i], 4095)) TH_LOG("%u bytes at 4095", bytes[i]);
	}
}

/* What is in one piece for the device has no list: its tables would be mapped, too. */
TEST_F_TIMEOUT(mediated, a_flat_request_has_two_mappings_and_pins_each_page_once, 100)
{
	static const uint32_t bytes[] = { 64, 512, 513, 4096, 65536, 1u << 20, LARGE };
	long page = sysconf(_SC_PAGESIZE), made, segments, pins;
	uint8_t *data = aligned_alloc(page, 2 * LARGE);

	memset(data, 0x33, 2 * LARGE);
	for (unsigned int i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		bool bounced = bytes[i] <= 512, whole = variant->iommu[0] == '1' || bytes[i] <= page;

		made = maps_count("made ");
		segments = maps_count("segments ");
		pins = pins_made();
		ASSERT_TRUE(good(one(self, &self->q, data, bytes[i], data + LARGE, bytes[i], NULL)));
		pins = pins_made() - pins;
		EXPECT_EQ((bounced ? 1 : 2) * ((bytes[i] + page - 1) / page), pins) TH_LOG("%u bytes", bytes[i]);
		if (!whole)
			continue;
		EXPECT_EQ(bounced ? 0 : 2, maps_count("made ") - made) TH_LOG("%u bytes", bytes[i]);
		EXPECT_EQ(bounced ? 0 : 2, maps_count("segments ") - segments) TH_LOG("%u bytes", bytes[i]);
	}
	free(data);
}

TEST_F_TIMEOUT(mediated, more_than_the_kernel_takes_at_once_completes_in_order, 200)
{
	enum { ROOM = 1024 };
	unsigned int nr = 3 * SLOTS;
	uint8_t *dst = malloc(nr * ROOM);
	struct rawq_done done;

	for (unsigned int round = 0; round < 6; round++) {
		for (unsigned int i = 0; i < nr; i++) {
			fill(self, &self->q, self->src, 100 + i, dst + i * ROOM, ROOM);
			rawq_push(&self->q, 0);
		}
		ASSERT_EQ(0, rawq_call(&self->q, HISI_QP_DB_SQ, self->q.sq_tail, 0));
		for (unsigned int i = 0; i < nr; i++) {
			ASSERT_EQ(0, rawq_wait(&self->q, &done, CLIENT_WAIT_MS));
			EXPECT_EQ((round * nr + i) % self->q.info.sq_depth, done.sq_head);
			EXPECT_EQ(self->q.id, done.sq_num);
			EXPECT_TRUE(good(rawq_zip_status(rawq_zip_done(&self->q, &done))));
			EXPECT_EQ(100 + i, le32toh(rawq_zip_done(&self->q, &done)->consumed));
		}
	}
	free(dst);
}

TEST_F_TIMEOUT(mediated, the_descriptor_keeps_its_addresses, 60)
{
	struct zip_sqe before, *sqe;
	struct rawq_done done;

	memcpy(&before, fill(self, &self->q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst)), sizeof(before));
	ASSERT_EQ(0, submit(&self->q));
	ASSERT_EQ(0, rawq_wait(&self->q, &done, CLIENT_WAIT_MS));
	sqe = rawq_zip_done(&self->q, &done);
	EXPECT_EQ(0, memcmp(&before.dw7, &sqe->dw7, 4));
	EXPECT_EQ(0, memcmp(&before.source_addr_l, &sqe->source_addr_l, 24));
}

TEST_F_TIMEOUT(mediated, a_bad_request_has_its_status_and_the_next_one_works, 60)
{
	void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *fixed = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rawq *q = &self->q;
	struct zip_sqe *sqe;

	sqe = fill(self, q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst));
	sqe->dw7 |= htole32(1u << 24);
	ASSERT_EQ(0, submit(q));
	EXPECT_EQ(ZIP_ST_BAD_REQUEST, take(q, NULL));
	sqe = fill(self, q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst));
	sqe->dw16 = htole32(4096);
	ASSERT_EQ(0, submit(q));
	EXPECT_EQ(ZIP_ST_BAD_REQUEST, take(q, NULL));
	EXPECT_EQ(ZIP_ST_ADDRESS, one(self, q, hole, 4096, self->dst, sizeof(self->dst), NULL));
	EXPECT_EQ(ZIP_ST_ADDRESS, one(self, q, hole, 8, self->dst, sizeof(self->dst), NULL));
	EXPECT_EQ(ZIP_ST_ADDRESS, one(self, q, self->src, FAULTY_BYTES, hole, 4096, NULL));
	EXPECT_EQ(ZIP_ST_ADDRESS, one(self, q, self->src, FAULTY_BYTES, fixed, 4096, NULL));
	EXPECT_EQ(ZIP_ST_ADDRESS, one(self, q, self->src, FAULTY_BYTES, (void *)(uintptr_t)-4096ll, 8192, NULL));
	/* The queue's own rings are no memory for a device. */
	EXPECT_EQ(ZIP_ST_ADDRESS, one(self, q, self->src, FAULTY_BYTES, q->dus, 16384, NULL));
	sqe = fill(self, q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst));
	sqe->dw9 |= htole32(ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT);
	sqe->source_addr_l |= htole32(1);
	ASSERT_EQ(0, submit(q));
	EXPECT_EQ(ZIP_ST_BAD_SGL, take(q, NULL));
	EXPECT_TRUE(good(one(self, q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)));
	munmap(hole, 4096);
	munmap(fixed, 4096);
}

TEST_F_TIMEOUT(mediated, wrong_calls_are_refused, 60)
{
	struct hisi_qp_doorbell db = { .flags = HISI_QP_DB_REAP, .reserved = 1 };
	struct hisi_qp_memory memory = {};
	struct rawq *q = &self->q;

	EXPECT_EQ(-EINVAL, neg_errno(ioctl(q->fd, UACCE_CMD_QM_DOORBELL, &db)));
	EXPECT_EQ(-EINVAL, rawq_call(q, 0, 0, 0));
	EXPECT_EQ(-EINVAL, rawq_call(q, HISI_QP_DB_EVENT, 0, 0));
	EXPECT_EQ(-EINVAL, rawq_call(q, HISI_QP_DB_REAP | HISI_QP_DB_EVENT, 0, 0));
	EXPECT_EQ(-EINVAL, rawq_call(q, HISI_QP_DB_REAP | 1 << 4, 0, 0));
	EXPECT_EQ(-EINVAL, rawq_call(q, HISI_QP_DB_SQ, q->info.sq_depth, 0));
	EXPECT_EQ(-EINVAL, rawq_call(q, HISI_QP_DB_CQ, 0, q->info.cq_depth));
	EXPECT_EQ(0, rawq_call(q, HISI_QP_DB_REAP, 0, 0));
	ASSERT_EQ(0, neg_errno(ioctl(q->fd, UACCE_CMD_QM_GET_MEMORY, &memory)));
	EXPECT_EQ(512u << 10, memory.flat_bytes);
	EXPECT_EQ(4610u, memory.request_pages);
	EXPECT_EQ(64u << 20, memory.pinned_bytes);
	/* The ring is full of what the device has. */
	ASSERT_EQ(0, sim_set(NAME, "latency_ns", LATE_NS));
	for (unsigned int i = 0; i < q->info.sq_depth - 1u; i++) {
		fill(self, q, self->src, 64, self->dst, 512);
		rawq_push(q, 0);
	}
	ASSERT_EQ(0, rawq_call(q, HISI_QP_DB_SQ, q->sq_tail, 0));
	EXPECT_EQ(-EINVAL, rawq_call(q, HISI_QP_DB_SQ, (q->sq_tail + 1) % q->info.sq_depth, 0));
	ASSERT_EQ(0, sim_set(NAME, "latency_ns", "0"));
	EXPECT_EQ(0, uacce_put_q(q->fd));
	EXPECT_EQ(-EINVAL, rawq_call(q, HISI_QP_DB_REAP, 0, 0));
}

/* Each mapping of a request with lists on both sides fails once: the request has a status, and leaves nothing. */
TEST_F_TIMEOUT(mediated, each_mapping_of_a_request_fails, 100)
{
	uint8_t *src = calloc(1, 300000), *dst = calloc(1, 300000);
	char text[32];
	int n, status;

	for (n = 1; n < 20; n++) {
		snprintf(text, sizeof(text), "fail %d", n);
		ASSERT_EQ(0, faults("mapping", text));
		status = one(self, &self->q, src, 300000, dst, 300000, NULL);
		if (good(status))
			break;
		EXPECT_EQ(ZIP_ST_ADDRESS, status);
		EXPECT_TRUE(sim_is(NAME, "faults/mapping", "0"));
	}
	EXPECT_LT(2, n);
	EXPECT_GT(20, n);
	EXPECT_EQ(0, faults("mapping", "0"));
	free(src);
	free(dst);
}

/* The device has the first of two requests when the second one's source isn't mapped. */
TEST_F_TIMEOUT(mediated, what_finds_no_room_behind_others_goes_to_the_device_later, 60)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *buffer = aligned_alloc(page, 3 * page);

	memset(buffer, 0x11, page);
	for (int i = 1; i < 3; i++) {
		/* One mapping for each side */
		fill(self, &self->q, buffer, page, buffer + i * page, page);
		rawq_push(&self->q, 0);
	}
	ASSERT_EQ(0, faults("mapping", "fail 3"));
	ASSERT_EQ(0, rawq_call(&self->q, HISI_QP_DB_SQ, self->q.sq_tail, 0));
	EXPECT_TRUE(sim_is(NAME, "faults/mapping", "0"));
	EXPECT_TRUE(good(take(&self->q, NULL)));
	EXPECT_TRUE(good(take(&self->q, NULL)));
	free(buffer);
}

/* A destination in pieces, with memory between them that must stay. */
TEST_F_TIMEOUT(mediated, a_list_of_a_process_is_followed, 60)
{
	enum { PIECES = 300, PIECE = 100 };
	struct qm_sgl *list = aligned_alloc(64, 2 * (64 + 32 * 150));
	struct qm_sgl *second = (struct qm_sgl *)((uint8_t *)list + 64 + 32 * 150);
	uint8_t *data = malloc(2 * PIECES * PIECE), *packed = malloc(PIECES * PIECE);
	uint32_t produced = 0, room = PIECES * PIECE;
	uint8_t *src = malloc(room);
	struct zip_sqe *sqe;

	memset(list, 0, 2 * (64 + 32 * 150));
	memset(data, 0xa5, 2 * PIECES * PIECE);
	client_fill(src, room, 7);
	for (int i = 0; i < PIECES; i++) {
		struct qm_sgl *at = i < 150 ? list : second;

		((struct qm_sge *)(at + 1))[i % 150] = (struct qm_sge){
			.buf = htole64((uintptr_t)data + 2 * i * PIECE), .len = htole32(PIECE),
		};
	}
	list->next_dma = htole64((uintptr_t)second);
	list->entry_sum_in_sgl = list->entry_length_in_sgl = htole16(150);
	second->entry_sum_in_sgl = second->entry_length_in_sgl = htole16(150);
	ASSERT_EQ(0, rawq_begin(&self->other, self->dev, ZIP_QC_DECOMPRESS));
	ASSERT_TRUE(good(one(self, &self->q, src, room, packed, room, &produced)));
	/* Source and destination are of one kind. */
	struct qm_sgl *in = aligned_alloc(64, 128);

	memset(in, 0, 128);
	*(struct qm_sge *)(in + 1) = (struct qm_sge){ .buf = htole64((uintptr_t)packed), .len = htole32(produced) };
	in->entry_sum_in_sgl = in->entry_length_in_sgl = htole16(1);
	sqe = fill(self, &self->other, in, produced, list, room);
	sqe->dw9 |= htole32(ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT);
	ASSERT_EQ(0, submit(&self->other));
	EXPECT_TRUE(good(take(&self->other, &produced)));
	EXPECT_EQ(room, produced);
	for (int i = 0; i < PIECES; i++) {
		ASSERT_EQ(0, memcmp(data + 2 * i * PIECE, src + i * PIECE, PIECE));
		ASSERT_EQ(0xa5, data[(2 * i + 1) * PIECE]);
	}
	free(in);
	free(list);
	free(data);
	free(packed);
	free(src);
}

/* ------ lists that nobody should make ------ */

struct odd {
	struct qm_sgl head;
	struct qm_sge entry[4];
} __attribute__((aligned(64)));

static void odd_set(struct odd *odd, unsigned int i, const void *buf, uint32_t len)
{
	odd->entry[i] = (struct qm_sge){ .buf = htole64((uintptr_t)buf), .len = htole32(len) };
	odd->head.entry_sum_in_sgl = odd->head.entry_length_in_sgl = htole16(i + 1);
}

static int listed(FIXTURE_DATA(mediated) *self, const struct odd *in, uint32_t len, const struct odd *out,
		  uint32_t room)
{
	struct zip_sqe *sqe = fill(self, &self->q, in, len, (void *)(uintptr_t)out, room);
	int ret;

	sqe->dw9 |= htole32(ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT);
	ret = submit(&self->q);
	return ret ? ret : take(&self->q, NULL);
}

TEST_F_TIMEOUT(mediated, lists_that_name_themselves_or_the_rings, 60)
{
	static struct odd in, out;
	struct rawq *q = &self->q;

	/* Without an end */
	odd_set(&in, 0, self->src, 1000);
	in.head.next_dma = htole64((uintptr_t)&in);
	odd_set(&out, 0, self->dst, sizeof(self->dst));
	EXPECT_TRUE(good(listed(self, &in, 4000, &out, sizeof(self->dst))));
	EXPECT_EQ(ZIP_ST_BAD_SGL, listed(self, &in, 300 * 1000, &out, sizeof(self->dst)));
	/* The lists themselves, and parts of both buffers twice */
	in.head.next_dma = 0;
	odd_set(&in, 0, &in, sizeof(in));
	odd_set(&in, 1, self->src, 4000);
	odd_set(&in, 2, self->src + 100, 3000);
	odd_set(&in, 3, self->dst, 1000);
	EXPECT_TRUE(good(listed(self, &in, sizeof(in) + 8000, &out, sizeof(self->dst))));
	odd_set(&out, 0, &out, sizeof(out));
	odd_set(&out, 1, self->dst, 2000);
	odd_set(&out, 2, self->dst + 1000, 2000);
	EXPECT_LE(0, listed(self, &in, sizeof(in) + 8000, &out, sizeof(out) + 4000));
	/* The rings may be read, and nothing else may write to them. */
	odd_set(&in, 0, q->dus, 8192);
	odd_set(&out, 0, self->dst, sizeof(self->dst));
	EXPECT_LE(0, listed(self, &in, 8192, &out, sizeof(self->dst)));
	odd_set(&out, 0, q->dus, 8192);
	EXPECT_EQ(ZIP_ST_ADDRESS, listed(self, &in, 8192, &out, 8192));
	EXPECT_TRUE(good(one(self, q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)));
}

struct changer {
	struct odd *odd;
	const void *src, *hole;
	atomic_bool over;
};

static void *changer_run(void *arg)
{
	struct changer *c = arg;

	for (unsigned int i = 0; !atomic_load(&c->over); i++) {
		odd_set(c->odd, 0, i & 1 ? c->hole : c->src, i & 2 ? 4000 : 4u << 20);
		c->odd->head.next_dma = htole64(i & 4 ? (uintptr_t)c->hole : i & 8 ? (uintptr_t)c->odd : 0);
		c->odd->head.entry_sum_in_sgl = c->odd->head.entry_length_in_sgl = htole16(i & 16 ? 1 : 65535);
		if (!(i % 64))
			turn_over();
	}
	return NULL;
}

/* Whatever the kernel finds, the device touches nothing else: the end of the test has a look at that. */
TEST_F_TIMEOUT(mediated, lists_that_change_all_the_time, 100)
{
	static struct odd in, out;
	void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct changer c = { .odd = &in, .src = self->src, .hole = hole };
	struct rawq_done done;
	pthread_t thread;

	odd_set(&out, 0, self->dst, sizeof(self->dst));
	ASSERT_EQ(0, pthread_create(&thread, NULL, changer_run, &c));
	for (int i = 0; i < 20; i++) {
		for (int k = 0; k < 10; k++) {
			fill(self, &self->q, &in, 4000, &out, sizeof(self->dst))->dw9 |=
				htole32(ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT);
			rawq_push(&self->q, 0);
		}
		ASSERT_EQ(0, rawq_call(&self->q, HISI_QP_DB_SQ, self->q.sq_tail, 0));
		for (int k = 0; k < 10; k++) {
			ASSERT_EQ(0, rawq_wait(&self->q, &done, CLIENT_WAIT_MS));
		}
	}
	atomic_store(&c.over, true);
	pthread_join(thread, NULL);
	EXPECT_TRUE(good(one(self, &self->q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)));
	munmap(hole, 4096);
}

/* ------ what a process can read ------ */

/* Requests of all forms, which have the same results in each queue. */
static int all_forms(FIXTURE_DATA(mediated) *self, struct rawq *q, uint8_t *data)
{
	static const uint32_t bytes[] = { 64, 512, 4000, 65536, 300000 };
	struct rawq_done done;
	int ret = 0;

	for (unsigned int i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
		fill(self, q, data, bytes[i], data + 300000, 300000);
		rawq_push(q, 0);
	}
	fill(self, q, NULL, 4000, data + 300000, 300000);
	rawq_push(q, 0);
	ret = rawq_call(q, HISI_QP_DB_SQ, q->sq_tail, 0);
	for (unsigned int i = 0; i <= sizeof(bytes) / sizeof(bytes[0]) && !ret; i++)
		ret = rawq_wait(q, &done, CLIENT_WAIT_MS);
	return ret;
}

static void forget_queue(uint8_t *cq, size_t bytes)
{
	for (struct qm_cqe *cqe = (struct qm_cqe *)cq; bytes >= sizeof(*cqe); cqe++, bytes -= sizeof(*cqe))
		cqe->sq_num = 0;
}

/*
 * No address of the device is used twice. So if any mapped byte came from one, two queues with the same requests would
 * differ.
 */
TEST_F_TIMEOUT(mediated, no_mapped_byte_comes_from_an_address_of_the_device, 60)
{
	uint8_t *data = aligned_alloc(4096, 600000), *copy[2];
	struct rawq *q[2] = { &self->q, &self->other };
	size_t sq = (size_t)self->q.info.sqe_size * self->q.info.sq_depth;
	size_t cq = sizeof(struct qm_cqe) * self->q.info.cq_depth;
	void *device;

	client_fill(data, 300000, 9);
	ASSERT_EQ(0, rawq_begin(&self->other, self->dev, ZIP_QC_COMPRESS));
	for (int i = 0; i < 2; i++) {
		copy[i] = malloc(sq + 2 * cq);
		ASSERT_EQ(0, all_forms(self, q[i], data));
		memcpy(copy[i], q[i]->dus, sq + cq);
		device = mmap(NULL, cq, PROT_READ, MAP_SHARED, q[i]->fd,
			      (off_t)UACCE_QFRT_DEVICE_CQ * sysconf(_SC_PAGESIZE));
		ASSERT_NE(MAP_FAILED, device);
		memcpy(copy[i] + sq + cq, device, cq);
		munmap(device, cq);
		forget_queue(copy[i] + sq, 2 * cq);
	}
	EXPECT_EQ(0, memcmp(copy[0], copy[1], sq + 2 * cq));
	for (int i = 0; i < 2; i++)
		free(copy[i]);
	free(data);
}

/* Both would fit where small results are copied. */
TEST_F_TIMEOUT(mediated, two_small_destinations_are_apart, 60)
{
	enum { BYTES = 64, ROOM = 256 };
	uint8_t seq[2][1024] = {}, literals[2][1024] = {};
	struct zip_sqe *sqe;

	if (variant->generation[0] == '2')
		SKIP(return, "a device of generation 2 has no lz77");
	for (int i = 0; i < BYTES; i++)
		self->src[i] = i;
	for (int i = 0; i < 2; i++) {
		uint32_t room = i ? 1024 : ROOM;

		sqe = rawq_slot(&self->q);
		rawq_zip_fill(sqe, ZIP_REQ_LZ77_ONLY, self->src, BYTES, seq[i], room, 0);
		sqe->dw13 = htole32(room);
		sqe->literals_addr_l = htole32((uint32_t)(uintptr_t)literals[i]);
		sqe->literals_addr_h = htole32((uint64_t)(uintptr_t)literals[i] >> 32);
		ASSERT_EQ(0, submit(&self->q));
		ASSERT_TRUE(good(take(&self->q, NULL)));
		EXPECT_EQ(0, memcmp(self->src, literals[i], BYTES));
	}
	EXPECT_EQ(0, memcmp(seq[0], seq[1], ZIP_LZ77_SEQ));
}

/* The context of a stream is the process', which has it at another place for each request. */
TEST_F_TIMEOUT(mediated, a_stream_continues_from_its_context, 100)
{
	enum { BYTES = 200000, PART = 50000 };
	uint8_t *src = malloc(BYTES), *packed = malloc(BYTES), *dst = malloc(BYTES);
	uint8_t *ctx = aligned_alloc(64, 2 * ZIP_CTX_BUF_SIZE);
	uint32_t at = 0, out = 0, produced = 0;
	struct zip_sqe last = {}, *sqe;
	struct rawq *q = &self->other;
	struct rawq_done done;
	int status = 0;

	client_fill(src, BYTES, 3);
	memset(ctx, 0, 2 * ZIP_CTX_BUF_SIZE);
	ASSERT_TRUE(good(one(self, &self->q, src, BYTES, packed, BYTES, &produced)));
	ASSERT_EQ(0, rawq_begin(q, self->dev, ZIP_QC_DECOMPRESS));
	for (int i = 0; i < 20 && status != ZIP_ST_END; i++) {
		uint8_t *here = ctx + (i & 1) * ZIP_CTX_BUF_SIZE, *there = ctx + (~i & 1) * ZIP_CTX_BUF_SIZE;
		uint64_t hw = (uintptr_t)here + ZIP_CTX_HW_OFFSET;

		sqe = fill(self, q, packed + at, produced - at, dst + out, BYTES - out < PART ? BYTES - out : PART);
		sqe->dw7 &= htole32(~(ZIP_DW7_NEW_STREAM | ZIP_DW7_FINISH));
		sqe->dw7 |= htole32(ZIP_DW7_STREAM | (i ? 0 : ZIP_DW7_NEW_STREAM));
		sqe->ctx_dw0 = last.ctx_dw0;
		sqe->ctx_dw1 = last.ctx_dw1;
		sqe->ctx_dw2 = last.ctx_dw2;
		sqe->checksum = last.checksum;
		sqe->isize = last.isize;
		sqe->stream_ctx_addr_l = htole32((uint32_t)hw);
		sqe->stream_ctx_addr_h = htole32(hw >> 32);
		ASSERT_EQ(0, submit(q));
		ASSERT_EQ(0, rawq_wait(q, &done, CLIENT_WAIT_MS));
		last = *rawq_zip_done(q, &done);
		status = rawq_zip_status(&last);
		ASSERT_TRUE(good(status)) TH_LOG("status %d of request %d", status, i);
		at += le32toh(last.consumed);
		out += le32toh(last.produced);
		memcpy(there, here, ZIP_CTX_BUF_SIZE);
		memset(here, 0xdb, ZIP_CTX_BUF_SIZE);
	}
	EXPECT_EQ(ZIP_ST_END, status);
	EXPECT_EQ(BYTES, out);
	EXPECT_EQ(0, memcmp(src, dst, BYTES));
	free(src);
	free(packed);
	free(dst);
	free(ctx);
}

/* ------ waiting ------ */

TEST_F_TIMEOUT(mediated, a_sleeper_wakes, 100)
{
	struct rawq *q = &self->q;

	EXPECT_EQ(0, uacce_poll(q->fd, POLLIN, 0));
	for (int i = 0; i < 20; i++) {
		fill(self, q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst));
		ASSERT_EQ(0, submit(q));
		ASSERT_EQ(0, rawq_call(q, HISI_QP_DB_CQ | HISI_QP_DB_EVENT, 0, q->cq_head));
		/* An event of the device may come after its completion was reaped. */
		do {
			ASSERT_EQ(POLLIN, uacce_poll(q->fd, POLLIN, CLIENT_WAIT_MS));
		} while (!rawq_ready(q));
		EXPECT_TRUE(good(take(q, NULL)));
	}
	/* One that the kernel completes itself. */
	ASSERT_EQ(0, rawq_call(q, HISI_QP_DB_CQ | HISI_QP_DB_EVENT, 0, q->cq_head));
	fill(self, q, self->src, FAULTY_BYTES, NULL, 0);
	ASSERT_EQ(0, submit(q));
	do {
		ASSERT_EQ(POLLIN, uacce_poll(q->fd, POLLIN, CLIENT_WAIT_MS));
	} while (!rawq_ready(q));
	EXPECT_EQ(ZIP_ST_BAD_REQUEST, take(q, NULL));
}

TEST_F_TIMEOUT(mediated, a_process_that_never_calls_gets_its_completion, 100)
{
	long long deadline = now_ms() + CLIENT_WAIT_MS;

	fill(self, &self->q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst));
	ASSERT_EQ(0, sim_set(NAME, "latency_ns", "100000000"));
	ASSERT_EQ(0, submit(&self->q));
	while (!rawq_ready(&self->q) && now_ms() < deadline)
		poll(NULL, 0, 10);
	EXPECT_TRUE(rawq_ready(&self->q));
}

/* ------ requests in flight ------ */

/*
 * @nr requests of large buffers, which the device keeps for some time. Each has a destination of its own: debugging of
 * the DMA API counts to seven mappings of a cache line only.
 */
static int keep_busy(FIXTURE_DATA(mediated) *self, struct rawq *q, unsigned int nr, uint8_t *data, const char *ns)
{
	int ret = sim_set(NAME, "latency_ns", ns);

	for (unsigned int i = 0; i < nr; i++) {
		fill(self, q, data, SHARE, data + (1 + i) * SHARE, SHARE);
		rawq_push(q, 0);
	}
	return ret ? ret : rawq_call(q, HISI_QP_DB_SQ, q->sq_tail, 0);
}

static uint8_t *buffer(void)
{
	uint8_t *data = mmap(NULL, SHARES * SHARE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return data == MAP_FAILED ? NULL : memset(data, 0x5a, SHARES * SHARE);
}

TEST_F_TIMEOUT(mediated, a_stop_ends_what_is_in_flight, 200)
{
	uint8_t *data = buffer();
	struct rawq *q = &self->q;
	struct rawq_done done;

	ASSERT_EQ(0, keep_busy(self, q, 40, data, LATE_NS));
	EXPECT_LT(self->pins, pins_now());
	EXPECT_EQ(0, uacce_put_q(q->fd));
	EXPECT_TRUE(back_to(pins_now, self->pins));
	/* Each has an answer. */
	q->mediated = false;
	for (int i = 0; i < 40; i++) {
		ASSERT_EQ(0, rawq_pull(q, &done)) TH_LOG("request %d", i);
	}
	EXPECT_EQ(-EAGAIN, rawq_pull(q, &done));
	q->mediated = true;
	rawq_rewind(q);
	ASSERT_EQ(0, sim_set(NAME, "latency_ns", "0"));
	ASSERT_EQ(0, uacce_start_q(q->fd));
	EXPECT_TRUE(good(one(self, q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)));
	munmap(data, SHARES * SHARE);
}

TEST_F_TIMEOUT(mediated, a_killed_process_leaves_nothing, 200)
{
	uint8_t *data = buffer();
	int status, pipes[2];
	long available;
	char byte;
	pid_t pid;

	rawq_close(&self->q);
	available = uacce_attr_num(self->dev, "available_instances");
	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid) {
		if (!rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS) &&
		    !keep_busy(self, &self->q, 60, data, LATE_NS) && write(pipes[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	ASSERT_EQ(1, read(pipes[0], &byte, 1));
	EXPECT_LT(self->pins, pins_now());
	kill(pid, SIGKILL);
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
	EXPECT_TRUE(back_to(pins_now, self->pins));
	EXPECT_EQ(0, client_wait_available(self->dev, available));
	munmap(data, SHARES * SHARE);
	close(pipes[0]);
	close(pipes[1]);
}

TEST_F_TIMEOUT(mediated, a_reset_ends_what_is_in_flight, 300)
{
	uint8_t *data = buffer();

	ASSERT_EQ(0, keep_busy(self, &self->q, 40, data, LATE_NS));
	EXPECT_EQ(0, reset(self->address));
	EXPECT_GONE(&self->q);
	EXPECT_TRUE(back_to(pins_now, self->pins));
	rawq_close(&self->q);
	ASSERT_EQ(0, sim_set(NAME, "latency_ns", "0"));
	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	EXPECT_TRUE(good(one(self, &self->q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)));
	munmap(data, SHARES * SHARE);
}

TEST_F_TIMEOUT(mediated, a_queue_that_does_not_stop_keeps_its_pins_until_a_reset, 300)
{
	uint8_t *data = buffer();
	long pins;

	ASSERT_EQ(0, faults("stuck", "1"));
	ASSERT_EQ(0, keep_busy(self, &self->q, 10, data, "0"));
	ASSERT_EQ(0, fault_wait("stuck", 1));
	ASSERT_EQ(0, rawq_call(&self->q, HISI_QP_DB_REAP, 0, 0));
	EXPECT_NE(0, uacce_put_q(self->q.fd));
	pins = pins_now();
	EXPECT_LT(self->pins, pins);
	rawq_close(&self->q);
	poll(NULL, 0, 1000);
	EXPECT_EQ(pins, pins_now());
	munmap(data, SHARES * SHARE);
	EXPECT_EQ(0, reset(self->address));
	EXPECT_TRUE(back_to(pins_now, self->pins));
	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	EXPECT_TRUE(good(one(self, &self->q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)));
}

TEST_F_TIMEOUT(mediated, a_device_goes_with_requests_in_flight, 300)
{
	uint8_t *data = buffer();

	ASSERT_EQ(0, keep_busy(self, &self->q, 40, data, LONG_NS));
	ASSERT_EQ(0, faults("remove", "now"));
	EXPECT_GONE(&self->q);
	EXPECT_TRUE(back_to(pins_now, self->pins));
	munmap(data, SHARES * SHARE);
}

TEST_F_TIMEOUT(mediated, a_completion_of_nothing_is_ignored, 60)
{
	ASSERT_EQ(0, faults("duplicate", "1"));
	EXPECT_TRUE(good(one(self, &self->q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)));
	EXPECT_EQ(0, fault_wait("duplicate", 1));
	EXPECT_EQ(0, rawq_call(&self->q, HISI_QP_DB_REAP, 0, 0));
	EXPECT_FALSE(rawq_ready(&self->q));
	EXPECT_TRUE(good(one(self, &self->q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)));
}

/* ------ limits ------ */

struct memlock {
	FIXTURE_DATA(mediated) *self;
	rlim_t bytes;
};

static int memlock_client(void *arg)
{
	FIXTURE_DATA(mediated) *self = ((struct memlock *)arg)->self;
	struct rlimit limit = { ((struct memlock *)arg)->bytes, ((struct memlock *)arg)->bytes };
	uint8_t *data = buffer();
	struct rawq q;

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
	    setresuid(65534, 65534, 65534))
		return 1;
	if (!data || rawq_begin(&q, self->dev, ZIP_QC_COMPRESS))
		return 2;
	for (int i = 0; i < 40; i++) {
		fill(self, &q, data, SHARE, data + (1 + i) * SHARE, SHARE);
		rawq_push(&q, 0);
	}
	if (rawq_call(&q, HISI_QP_DB_SQ, q.sq_tail, 0))
		return 3;
	for (int i = 0; i < 40; i++)
		if (!good(take(&q, NULL)))
			return 4;
	rawq_close(&q);
	return 0;
}

TEST_F_TIMEOUT(mediated, without_locked_memory_requests_follow_each_other, 200)
{
	char path[96];

	snprintf(path, sizeof(path), "/dev/%s", self->dev);
	ASSERT_EQ(0, chmod(path, 0666));
	EXPECT_EQ(0, in_child(memlock_client, &(struct memlock){ self, 0 }));
	EXPECT_EQ(0, in_child(memlock_client, &(struct memlock){ self, 64 << 10 }));
}

TEST_F_TIMEOUT(mediated, more_than_may_be_pinned_follows_later, 200)
{
	uint8_t *data = buffer();

	ASSERT_EQ(0, keep_busy(self, &self->q, 100, data, "200000000"));
	EXPECT_GE(self->pins + (64 << 20) / sysconf(_SC_PAGESIZE), pins_now());
	for (int i = 0; i < 100; i++) {
		ASSERT_TRUE(good(take(&self->q, NULL))) TH_LOG("request %d", i);
	}
	munmap(data, SHARES * SHARE);
}

/* ------ threads ------ */

struct stranger {
	pthread_t thread;
	struct rawq *q;
	unsigned int seed;
	long long end;
};

/* Writes anything into the ring, and rings with any tail. */
static void *stranger_run(void *arg)
{
	struct stranger *s = arg;
	uint32_t *ring = (uint32_t *)s->q->dus;
	size_t words = (size_t)s->q->info.sqe_size * s->q->info.sq_depth / 4;

	while (now_ms() < s->end) {
		for (int i = 0; i < 64; i++)
			ring[rand_r(&s->seed) % words] = rand_r(&s->seed);
		rawq_call(s->q, HISI_QP_DB_SQ, rand_r(&s->seed) % s->q->info.sq_depth, 0);
		rawq_call(s->q, HISI_QP_DB_REAP, 0, 0);
	}
	return NULL;
}

TEST_F_TIMEOUT(mediated, threads_with_random_tails_harm_nobody, 200)
{
	enum { ROOM = 4096 };
	uint8_t *dst = malloc(ROOM * self->q.info.sq_depth);
	struct stranger s[16];

	ASSERT_EQ(0, rawq_begin(&self->other, self->dev, ZIP_QC_COMPRESS));
	for (uint16_t i = 0; i < self->q.info.sq_depth; i++) {
		fill(self, &self->q, self->src, 2000, dst + i * ROOM, ROOM);
		memcpy(self->q.dus + (size_t)i * self->q.info.sqe_size, self->q.staged, self->q.info.sqe_size);
	}
	for (unsigned int i = 0; i < 16; i++) {
		s[i] = (struct stranger){ .q = &self->q, .seed = i, .end = now_ms() + 3000 };
		ASSERT_EQ(0, pthread_create(&s[i].thread, NULL, stranger_run, &s[i]));
	}
	while (now_ms() < s[0].end) {
		ASSERT_TRUE(good(one(self, &self->other, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)));
	}
	for (unsigned int i = 0; i < 16; i++)
		pthread_join(s[i].thread, NULL);
	EXPECT_EQ(0, uacce_put_q(self->q.fd));
	free(dst);
}

/* A file's pages are read and written where they are. */
TEST_F_TIMEOUT(mediated, a_shared_file_is_source_and_destination, 60)
{
	enum { BYTES = 100000, ROOM = 200000 };
	uint8_t *plain = malloc(BYTES), *data;
	uint32_t packed = 0, unpacked = 0;
	FILE *file = tmpfile();

	ASSERT_NE(NULL, file);
	ASSERT_EQ(0, ftruncate(fileno(file), 2 * BYTES + ROOM));
	data = mmap(NULL, 2 * BYTES + ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	ASSERT_NE(MAP_FAILED, data);
	client_fill(plain, BYTES, 5);
	ASSERT_EQ(BYTES, pwrite(fileno(file), plain, BYTES, 0));
	ASSERT_EQ(0, rawq_begin(&self->other, self->dev, ZIP_QC_DECOMPRESS));
	ASSERT_TRUE(good(one(self, &self->q, data, BYTES, data + BYTES, ROOM, &packed)));
	ASSERT_TRUE(good(one(self, &self->other, data + BYTES, packed, data + BYTES + ROOM, BYTES, &unpacked)));
	EXPECT_EQ(BYTES, unpacked);
	munmap(data, 2 * BYTES + ROOM);
	data = malloc(BYTES);
	ASSERT_EQ(BYTES, pread(fileno(file), data, BYTES, BYTES + ROOM));
	EXPECT_EQ(0, memcmp(plain, data, BYTES));
	fclose(file);
	free(data);
	free(plain);
}

/* ------ virtual functions ------ */

TEST_F_TIMEOUT(mediated, a_virtual_function_has_mappings_of_its_own, 200)
{
	char path[128], target[128], dev[UACCE_NAME_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), SIM_PCI "/%s/sriov_numvfs", self->address);
	ASSERT_EQ(0, text_write(path, "1"));
	snprintf(path, sizeof(path), SIM_PCI "/%s/virtfn0", self->address);
	n = readlink(path, target, sizeof(target) - 1);
	ASSERT_LT(0, n);
	target[n] = 0;
	ASSERT_TRUE(device_of(strrchr(target, '/') + 1, dev));
	ASSERT_EQ(0, rawq_begin(&self->other, dev, ZIP_QC_COMPRESS));
	EXPECT_TRUE(self->other.mediated);
	EXPECT_TRUE(good(one(self, &self->other, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)));
	EXPECT_TRUE(good(one(self, &self->q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)));
	rawq_close(&self->other);
	snprintf(path, sizeof(path), SIM_PCI "/%s/sriov_numvfs", self->address);
	EXPECT_EQ(0, text_write(path, "0"));
}

TEST_HARNESS_MAIN
