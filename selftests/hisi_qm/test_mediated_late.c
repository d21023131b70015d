// SPDX-License-Identifier: Apache-2.0
/* Submissions, which the kernel executes, that wait for memory of their process for ever. */
#include <sys/wait.h>
#include "mediated_queue.h"
#include "late_file.h"
#include "late_page.h"

#define LATE_BYTES	65536

struct waiting {
	struct call call;
	struct rawq *q;
	struct late_page page;
};

static int call_submit(struct call *call)
{
	struct waiting *w = (struct waiting *)call;

	return rawq_call(w->q, HISI_QP_DB_SQ, w->q->sq_tail, 0);
}

/* A request whose source isn't there yet. */
static int submit_from(FIXTURE_DATA(mediated) *self, struct waiting *w, const void *src)
{
	w->q = &self->q;
	fill(self, &self->q, src, 4096, self->dst, sizeof(self->dst));
	rawq_push(&self->q, 0);
	return call_begin(&w->call, call_submit);
}

static int wait_for_memory(FIXTURE_DATA(mediated) *self, struct waiting *w)
{
	int ret = submit_from(self, w, w->page.at);

	return ret ? ret : late_page_wanted(&w->page);
}

TEST_F_TIMEOUT(mediated, a_page_fault_holds_up_no_stop, 200)
{
	struct waiting w;

	if (late_page_make(&w.page, 4096))
		SKIP(return, "no userfaultfd");
	ASSERT_EQ(0, wait_for_memory(self, &w));
	/* Other threads of the process have their calls meanwhile. */
	EXPECT_EQ(0, rawq_call(&self->q, HISI_QP_DB_REAP, 0, 0));
	EXPECT_EQ(0, uacce_put_q(self->q.fd));
	EXPECT_EQ(ZIP_ST_ABORTED, take(&self->q, NULL));
	rawq_rewind(&self->q);
	EXPECT_EQ(0, uacce_start_q(self->q.fd));
	EXPECT_TRUE(good(one(self, &self->q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)));
	EXPECT_FALSE(atomic_load(&w.call.done));
	EXPECT_EQ(0, late_page_deliver(&w.page));
	EXPECT_EQ(-ESHUTDOWN, call_end(&w.call));
	late_page_end(&w.page);
}

TEST_F_TIMEOUT(mediated, a_page_fault_holds_up_no_reset_and_no_removal, 300)
{
	struct waiting w;

	if (late_page_make(&w.page, 4096))
		SKIP(return, "no userfaultfd");
	ASSERT_EQ(0, wait_for_memory(self, &w));
	EXPECT_EQ(0, reset(self->address));
	EXPECT_EQ(-ENXIO, rawq_call(&self->q, HISI_QP_DB_REAP, 0, 0));
	ASSERT_EQ(0, rawq_begin(&self->other, self->dev, ZIP_QC_COMPRESS));
	EXPECT_TRUE(good(one(self, &self->other, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)));
	rawq_close(&self->other);
	EXPECT_EQ(0, sim_set(NAME, "live", "0"));
	EXPECT_FALSE(atomic_load(&w.call.done));
	EXPECT_EQ(0, late_page_deliver(&w.page));
	EXPECT_EQ(-ESHUTDOWN, call_end(&w.call));
	late_page_end(&w.page);
}

/* A page of a file comes later by another way, in which the process isn't woken by a signal that kills it. */
TEST_F_TIMEOUT(mediated, a_page_of_a_file_holds_up_nobody, 200)
{
	struct late_file file;
	struct waiting w;

	if (late_file_make(&file, 4096))
		SKIP(return, "no FUSE");
	ASSERT_EQ(0, submit_from(self, &w, file.at));
	ASSERT_EQ(0, late_file_wanted(&file, CLIENT_WAIT_MS));
	ASSERT_EQ(0, rawq_begin(&self->other, self->dev, ZIP_QC_COMPRESS));
	EXPECT_TRUE(good(one(self, &self->other, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)));
	rawq_close(&self->other);
	EXPECT_EQ(0, uacce_put_q(self->q.fd));
	EXPECT_EQ(ZIP_ST_ABORTED, take(&self->q, NULL));
	EXPECT_EQ(0, reset(self->address));
	EXPECT_FALSE(atomic_load(&w.call.done));
	late_file_deliver(&file);
	EXPECT_EQ(-ESHUTDOWN, call_end(&w.call));
	late_file_end(&file);
}

/* ------ at each step of a submission ------ */

/* What isn't there yet. A request's memory is looked for in this order. */
enum place { LIST, SECOND_LIST, LISTED, SMALL_SOURCE, SOURCE, SMALL_DESTINATION, DESTINATION, CONTEXT, PLACES };

static const char *const place_names[PLACES] = {
	"list", "second list", "listed", "small source", "source", "small destination", "destination", "context",
};

/* FUSE's pages can be read only. */
static bool place_is_read(enum place place)
{
	return place <= SOURCE;
}

struct table {
	struct qm_sgl head;
	struct qm_sge entry;
} __attribute__((aligned(64)));

static const void *table_of(struct table *t, const void *buf, uint32_t len, const void *next)
{
	memset(t, 0, sizeof(*t));
	t->head.next_dma = htole64((uintptr_t)next);
	t->head.entry_sum_in_sgl = t->head.entry_length_in_sgl = htole16(1);
	t->entry.buf = htole64((uintptr_t)buf);
	t->entry.len = htole32(len);
	return t;
}

/* Fills a request that needs @late, which has LATE_BYTES, at @place. */
static void fill_late(FIXTURE_DATA(mediated) *self, struct rawq *q, enum place place, uint8_t *late)
{
	static struct table in, out;
	uint32_t len = place == SMALL_SOURCE || place == SMALL_DESTINATION ? 64 : 4096;
	const void *src = place == SOURCE || place == SMALL_SOURCE ? late : self->src;
	void *dst = place == DESTINATION || place == SMALL_DESTINATION ? late : self->dst;
	struct zip_sqe *sqe;

	if (place <= LISTED) {
		src = place == LIST ? late : table_of(&in, place == LISTED ? late : self->src, len / 2,
						      place == SECOND_LIST ? late : NULL);
		dst = (void *)(uintptr_t)table_of(&out, self->dst, len, NULL);
	}
	sqe = fill(self, q, src, place == LISTED ? len / 2 : len, dst, len);
	if (place <= LISTED)
		sqe->dw9 |= htole32(ZIP_BUF_SGL << ZIP_DW9_BUF_SHIFT);
	if (place != CONTEXT)
		return;
	sqe->dw7 |= htole32(ZIP_DW7_STREAM);
	sqe->stream_ctx_addr_l = htole32((uint32_t)(uintptr_t)late);
	sqe->stream_ctx_addr_h = htole32((uint64_t)(uintptr_t)late >> 32);
}

/* Memory that isn't there: pages of the process, or of a file whose server is the test. */
struct late {
	bool of_file;
	struct late_page page;
	struct late_file file;
};

static int late_make(struct late *late, bool of_file)
{
	late->of_file = of_file;
	return of_file ? late_file_make(&late->file, FAULTY_BYTES) : late_page_make(&late->page, LATE_BYTES);
}

static int late_wanted(const struct late *late)
{
	return late->of_file ? late_file_wanted(&late->file, CLIENT_WAIT_MS) : late_page_wanted(&late->page);
}

/* A process that submits, and then does nothing. */
static void victim_run(FIXTURE_DATA(mediated) *self, enum place place, struct late *late, int said)
{
	struct waiting w = { .q = &self->other };
	char answer = 'x';

	/* userfaultfd is for the memory of its process. */
	if (!rawq_begin(w.q, self->dev, ZIP_QC_COMPRESS) && (late->of_file || !late_make(late, false))) {
		fill_late(self, w.q, place, late->of_file ? late->file.at : late->page.at);
		rawq_push(w.q, 0);
		if (!call_begin(&w.call, call_submit) && (late->of_file || !late_wanted(late)))
			answer = 'w';
	}
	if (write(said, &answer, 1) == 1)
		pause();
	_exit(1);
}

/* NULL, or what went wrong. */
static const char *victim_killed(FIXTURE_DATA(mediated) *self, enum place place, struct late *late)
{
	const char *wrong = NULL;
	int pipes[2], status;
	char answer;
	pid_t pid;

	if (pipe(pipes))
		return "no pipe";
	pid = fork();
	if (!pid)
		victim_run(self, place, late, pipes[1]);
	close(pipes[1]);
	if (read(pipes[0], &answer, 1) != 1 || answer != 'w' || (late->of_file && late_wanted(late)))
		wrong = "no submission waits";
	kill(pid, SIGKILL);
	if (!good(one(self, &self->q, self->src, FAULTY_BYTES, self->dst, sizeof(self->dst), NULL)))
		wrong = "another process' request fails";
	/* A thread that waits for an answer of FUSE's server can't be killed before. */
	if (late->of_file)
		late_file_end(&late->file);
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
		wrong = "it wasn't killed";
	close(pipes[0]);
	return wrong;
}

static void kill_at_each_place(struct __test_metadata *_metadata, FIXTURE_DATA(mediated) *self, bool of_file)
{
	long available = uacce_attr_num(self->dev, "available_instances");
	enum place place;
	const char *wrong;
	struct late late;

	if (late_make(&late, of_file))
		SKIP(return, "the kernel has no %s", of_file ? "FUSE" : "userfaultfd");
	if (of_file)
		late_file_end(&late.file);
	else
		late_page_end(&late.page);
	for (place = 0; place < PLACES; place++) {
		if (of_file && !place_is_read(place))
			continue;
		if (of_file) {
			ASSERT_EQ(0, late_make(&late, true));
		}
		wrong = victim_killed(self, place, &late);
		EXPECT_EQ(NULL, wrong) TH_LOG("%s: %s", place_names[place], wrong);
		EXPECT_EQ(0, client_wait_available(self->dev, available)) TH_LOG("%s", place_names[place]);
		EXPECT_TRUE(back_to(pins_now, self->pins)) TH_LOG("%s", place_names[place]);
	}
}

TEST_F_TIMEOUT(mediated, a_process_is_killed_at_each_page_that_does_not_come, 300)
{
	kill_at_each_place(_metadata, self, false);
}

TEST_F_TIMEOUT(mediated, a_process_is_killed_at_each_page_of_a_file_that_does_not_come, 300)
{
	kill_at_each_place(_metadata, self, true);
}

/*
 * The page comes once the reset is over; the old queue has nothing to do with it. A reset takes its time: all places
 * but the last one are for WD_TEST_LONG=1.
 */
TEST_F_TIMEOUT(mediated, a_device_is_reset_at_each_page_that_does_not_come, 600)
{
	enum place place;
	struct waiting w;

	for (place = getenv("WD_TEST_LONG") ? LIST : CONTEXT; place < PLACES; place++) {
		if (late_page_make(&w.page, LATE_BYTES))
			SKIP(return, "the kernel has no userfaultfd");
		w.q = &self->q;
		fill_late(self, w.q, place, w.page.at);
		rawq_push(w.q, 0);
		ASSERT_EQ(0, call_begin(&w.call, call_submit));
		ASSERT_EQ(0, late_page_wanted(&w.page));
		EXPECT_EQ(0, reset(self->address)) TH_LOG("%s", place_names[place]);
		EXPECT_FALSE(atomic_load(&w.call.done));
		EXPECT_EQ(0, late_page_deliver(&w.page));
		EXPECT_EQ(-ESHUTDOWN, call_end(&w.call)) TH_LOG("%s", place_names[place]);
		late_page_end(&w.page);
		EXPECT_TRUE(back_to(pins_now, self->pins)) TH_LOG("%s", place_names[place]);
		rawq_close(&self->q);
		ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	}
}

TEST_HARNESS_MAIN
