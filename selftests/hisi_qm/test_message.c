// SPDX-License-Identifier: Apache-2.0
/*
 * Messages between functions of one device. The driver has one of them; the other belongs to the test, which says what
 * mainline's driver would say, and what it would not.
 */
#include "kselftest_harness.h"
#include "call.h"
#include "log_count.h"
#include "../sim/functions.h"

#define NAME		FAULTY_NAME
#define BYTES		FAULTY_BYTES
#define DRIVER		"/sys/bus/pci/drivers/hisi_zip"
#define ALL		0xffff
#define SHARE		16	/* queues of a function */
#define NONE		~0ull
#define PCI_MASTER	4	/* bit 2 of the command */
#define DEBUGFS		"/sys/kernel/debug/hisi_zip"

enum {
	STOP = 1, STOP_DEVICE, START, STOPPED, NOT_STOPPED, STARTED, NOT_STARTED, BANDWIDTH, ASK_BANDWIDTH,
	ASK_ISOLATION = 0xb, ISOLATION,
};

#define MEMBERS						\
	struct nlc *event, *ask;			\
	char pf_address[64], vf_address[64], dev[UACCE_NAME_MAX];	\
	char pf_dir[160], vf_dir[160];			\
	volatile uint32_t *regs;			\
	struct rawq q;					\
	uint8_t src[BYTES], dst[2 * BYTES]

/* ------ what both sides do ------ */

#define BEGIN(self, vector) do {							\
	(self)->q.fd = -1;								\
	(self)->event = malloc(sizeof(*(self)->event));					\
	(self)->ask = malloc(sizeof(*(self)->ask));					\
	ASSERT_EQ(0, nlc_open((self)->event));						\
	ASSERT_EQ(0, nlc_open((self)->ask));						\
	ASSERT_EQ(0, nlc_join((self)->event, (self)->event->event_group));		\
	client_fill((self)->src, BYTES, 1);						\
	faulty_drop();									\
	ASSERT_EQ(0, sim_mkdir(NAME)) TH_LOG("no hisi_sim in configfs");		\
	ASSERT_EQ(0, sim_set(NAME, "vfs", "1"));					\
	ASSERT_EQ(0, sim_set(NAME, "queues", "32"));					\
	ASSERT_EQ(0, sim_set(NAME, "message_vector", vector));				\
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));					\
	ASSERT_LT(0, sim_get(NAME, "address", (self)->pf_address, sizeof((self)->pf_address)));	\
	snprintf((self)->vf_address, sizeof((self)->vf_address), "%.*s1",		\
		 (int)strlen((self)->pf_address) - 1, (self)->pf_address);		\
	snprintf((self)->pf_dir, sizeof((self)->pf_dir), SIM_PCI "/%s", (self)->pf_address);	\
	snprintf((self)->vf_dir, sizeof((self)->vf_dir), SIM_PCI "/%s", (self)->vf_address);	\
	ASSERT_EQ(0, attr_write((self)->pf_dir, "sriov_drivers_autoprobe", "0"));	\
} while (0)

#define END(self) do {						\
	rawq_close(&(self)->q);					\
	sim_set(NAME, "live", "0");				\
	EXPECT_EQ(0, sim_rmdir(NAME));				\
	nlc_close((self)->event);				\
	nlc_close((self)->ask);					\
	free((self)->event);					\
	free((self)->ask);					\
} while (0)

static int driver_unbind(const char *address)
{
	return text_write(DRIVER "/unbind", address);
}

static int call_unbind(struct call *call)
{
	return driver_unbind(call->address);
}

/* Reads a function's share of the bandwidth; returns its length, or -errno. */
static int call_qos(struct call *call)
{
	char path[128];

	snprintf(path, sizeof(path), DEBUGFS "/%s/alg_qos", call->address);
	return text_read(path, call->text, sizeof(call->text));
}

/* ------ the test has the physical function, the driver the virtual one ------ */

FIXTURE(guest) {
	MEMBERS;
};

#define GUEST_BEGIN(self, vector) do {							\
	BEGIN(self, vector);								\
	ASSERT_EQ(0, stub_bind((self)->pf_dir, (self)->pf_address));			\
	cfg_word_write((self)->pf_dir, PCI_COMMAND, 2);					\
	(self)->regs = regs_map((self)->pf_dir, QM_BAR2_PF_SIZE);			\
	ASSERT_NE(NULL, (self)->regs);							\
	REG((self)->regs, QM_MEM_START_INIT) = 1;					\
	ASSERT_TRUE(reg_becomes((self)->regs, QM_MEM_INIT_DONE, 1, 1));			\
	ASSERT_EQ(0, share_set((self)->regs, 1, entry(SHARE, SHARE)));			\
	ASSERT_EQ(0, vft_set((self)->regs, QM_VFT_TYPE_CQC, 1, QM_VFT_CQC_VALID));	\
	ASSERT_EQ(0, attr_write((self)->pf_dir, "sriov_numvfs", "1"));			\
} while (0)

FIXTURE_SETUP(guest)
{
	GUEST_BEGIN(self, "2");
}

FIXTURE_TEARDOWN(guest)
{
	END(self);
}

/* Sends, and doesn't wait. */
static int tell_vf(volatile uint32_t *pf, uint32_t to, uint64_t text)
{
	int ret = command(pf, QM_MB_CMD_SRC, to, text);

	if (ret)
		return ret;
	REG(pf, QM_IFC_INT_CFG) = to & 0x7f;
	REG(pf, QM_IFC_INT_SET_P) = 1;
	return 0;
}

static int vf_acknowledges(volatile uint32_t *pf)
{
	return reg_becomes(pf, QM_IFC_READY_STATUS, 2, 0);
}

/* The next message of the virtual function. */
static uint64_t vf_says(volatile uint32_t *pf)
{
	uint64_t text = NONE;

	if (!reg_becomes(pf, QM_IFC_INT_SOURCE_P, 2, 2))
		return NONE;
	text = command_get(pf, QM_MB_CMD_DST, 1);
	REG(pf, QM_IFC_INT_SOURCE_P) = 2;
	REG(pf, QM_IFC_INT_SOURCE_P + 4) = 0;
	REG(pf, QM_IFC_INT_SOURCE_V) = 1;
	return reg_becomes(pf, QM_IFC_INT_SOURCE_V, 1, 0) ? text : NONE;
}

#define BIND_VF(self) do {							\
	ASSERT_EQ(0, attr_write((self)->vf_dir, "driver_override", "hisi_zip"));	\
	ASSERT_EQ(0, text_write(DRIVER "/bind", (self)->vf_address));		\
	ASSERT_EQ(ASK_ISOLATION, vf_says((self)->regs));			\
	ASSERT_TRUE(device_of((self)->vf_address, (self)->dev));		\
} while (0)

#define ORDER_STOP(self, order) do {						\
	ASSERT_EQ(0, tell_vf((self)->regs, 1, order));				\
	ASSERT_TRUE(vf_acknowledges((self)->regs));				\
	ASSERT_EQ(STOPPED, vf_says((self)->regs));				\
} while (0)

#define ORDER_START(self) do {							\
	ASSERT_EQ(0, tell_vf((self)->regs, ALL, START));			\
	ASSERT_TRUE(vf_acknowledges((self)->regs));				\
	ASSERT_EQ(STARTED, vf_says((self)->regs));				\
} while (0)

#define EXPECT_OPENS(self) do {							\
	EXPECT_EQ(0, rawq_begin(&(self)->q, (self)->dev, ZIP_QC_COMPRESS));	\
	rawq_close(&(self)->q);							\
} while (0)

TEST_F_TIMEOUT(guest, it_stops_and_starts_by_order, 100)
{
	struct nlmsghdr *h = NULL;

	BIND_VF(self);
	ASSERT_EQ(SHARE, uacce_attr_num(self->dev, "available_instances"));
	for (int order = STOP; order <= STOP_DEVICE; order++) {
		ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
		ORDER_STOP(self, order);
		ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_RESET, &h, NL_WAIT_MS));
		EXPECT_STREQ(self->dev, nlm_string(h, UACCE_A_DEV));
		EXPECT_GONE(&self->q);
		rawq_close(&self->q);
		EXPECT_EQ(UACCE_NL_DEV_RESETTING, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
		EXPECT_EQ(-EPERM, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
		ORDER_START(self);
		EXPECT_EQ(UACCE_NL_DEV_NORMAL, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
		EXPECT_OPENS(self);
	}
}

TEST_F_TIMEOUT(guest, it_acknowledges_what_it_does_not_obey, 100)
{
	static const uint64_t texts[] = {
		0, START, STOPPED, ISOLATION | 5ull << 32, BANDWIDTH | 5ull << 32, 0x77, ~0ull,
	};

	BIND_VF(self);
	for (unsigned int i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		ASSERT_EQ(0, tell_vf(self->regs, 1, texts[i]));
		EXPECT_TRUE(vf_acknowledges(self->regs)) TH_LOG("0x%lx", texts[i]);
	}
	EXPECT_OPENS(self);
	ORDER_STOP(self, STOP);
	ORDER_START(self);
}

TEST_F_TIMEOUT(guest, only_the_order_to_start_starts_it, 100)
{
	BIND_VF(self);
	ORDER_STOP(self, STOP);
	ASSERT_EQ(0, tell_vf(self->regs, 1, ISOLATION));
	ASSERT_TRUE(vf_acknowledges(self->regs));
	EXPECT_EQ(-EPERM, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ORDER_START(self);
	EXPECT_OPENS(self);
}

TEST_F_TIMEOUT(guest, an_order_from_before_it_was_bound_is_dropped, 100)
{
	ASSERT_EQ(0, tell_vf(self->regs, 1, STOP));
	BIND_VF(self);
	EXPECT_TRUE(vf_acknowledges(self->regs));
	EXPECT_OPENS(self);
	ORDER_STOP(self, STOP);
	ORDER_START(self);
}

TEST_F_TIMEOUT(guest, it_can_be_unbound_while_it_is_stopped, 100)
{
	BIND_VF(self);
	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ORDER_STOP(self, STOP);
	ASSERT_EQ(0, driver_unbind(self->vf_address));
	rawq_close(&self->q);
	BIND_VF(self);
	EXPECT_OPENS(self);
	ORDER_STOP(self, STOP);
	ORDER_START(self);
}

TEST_F_TIMEOUT(guest, a_reset_of_its_own_ends_the_wait, 100)
{
	BIND_VF(self);
	ORDER_STOP(self, STOP);
	ASSERT_EQ(0, reset(self->vf_address));
	ASSERT_EQ(ASK_ISOLATION, vf_says(self->regs));
	EXPECT_EQ(UACCE_NL_DEV_NORMAL, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	EXPECT_OPENS(self);
	ORDER_STOP(self, STOP);
	ORDER_START(self);
}

/* The driver waits for a minute. */
TEST_F_TIMEOUT(guest, without_the_order_to_start_it_is_isolated_until_its_next_reset, 600)
{
	struct nlmsghdr *h = NULL;

	BIND_VF(self);
	ORDER_STOP(self, STOP);
	ASSERT_EQ(0, nlc_event(self->event, UACCE_NL_DEV_ISOLATE, &h, WAIT_MS));
	EXPECT_STREQ(self->dev, nlm_string(h, UACCE_A_DEV));
	EXPECT_EQ(-EIO, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, reset(self->vf_address));
	ASSERT_EQ(ASK_ISOLATION, vf_says(self->regs));
	EXPECT_OPENS(self);
	ORDER_STOP(self, STOP);
	ORDER_START(self);
}

#define ISOLATED	(1ull << 63)	/* in the value of a message */

#define EXPECT_EVENT(self, cmd) do {								\
	struct nlmsghdr *h_ = NULL;								\
												\
	ASSERT_EQ(0, nlc_event((self)->event, cmd, &h_, NL_WAIT_MS));				\
	EXPECT_STREQ((self)->dev, nlm_string(h_, UACCE_A_DEV));					\
} while (0)

static long threshold(const char *dev)
{
	return uacce_attr_num(dev, "isolate_strategy");
}

TEST_F_TIMEOUT(guest, it_is_isolated_as_long_as_it_is_told_so, 100)
{
	BIND_VF(self);
	EXPECT_EQ(0, threshold(self->dev));
	ASSERT_EQ(0, tell_vf(self->regs, 1, ISOLATION | ISOLATED | 9ull << 32));
	EXPECT_TRUE(vf_acknowledges(self->regs));
	EXPECT_EVENT(self, UACCE_NL_DEV_ISOLATE);
	EXPECT_EQ(9, threshold(self->dev));
	EXPECT_EQ(-EIO, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	/* The order of a reset of the physical function alone says nothing of it. */
	ORDER_STOP(self, STOP);
	ORDER_START(self);
	EXPECT_EQ(-EIO, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, tell_vf(self->regs, 1, ISOLATION | 9ull << 32));
	EXPECT_TRUE(vf_acknowledges(self->regs));
	EXPECT_EVENT(self, UACCE_NL_DEV_READY);
	EXPECT_OPENS(self);
}

TEST_F_TIMEOUT(guest, after_a_reset_of_its_own_it_asks_again, 100)
{
	BIND_VF(self);
	ASSERT_EQ(0, tell_vf(self->regs, 1, ISOLATION | ISOLATED));
	EXPECT_TRUE(vf_acknowledges(self->regs));
	EXPECT_EVENT(self, UACCE_NL_DEV_ISOLATE);
	ORDER_STOP(self, STOP);
	ORDER_START(self);
	ASSERT_EQ(0, reset(self->vf_address));
	ASSERT_EQ(ASK_ISOLATION, vf_says(self->regs));
	ASSERT_EQ(0, tell_vf(self->regs, 1, ISOLATION));
	EXPECT_TRUE(vf_acknowledges(self->regs));
	EXPECT_OPENS(self);
}

TEST_F_TIMEOUT(guest, the_order_to_start_after_a_reset_of_the_device_isolates_it_or_not, 100)
{
	BIND_VF(self);
	ORDER_STOP(self, STOP_DEVICE);
	ASSERT_EQ(0, tell_vf(self->regs, ALL, START | ISOLATED));
	ASSERT_TRUE(vf_acknowledges(self->regs));
	ASSERT_EQ(STARTED, vf_says(self->regs));
	EXPECT_EVENT(self, UACCE_NL_DEV_ISOLATE);
	EXPECT_EQ(-EIO, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ORDER_STOP(self, STOP_DEVICE);
	ORDER_START(self);
	EXPECT_OPENS(self);
}

#define ASK(self, call) do {							\
	ASSERT_EQ(0, call_begin(call, call_qos));				\
	ASSERT_EQ(ASK_BANDWIDTH, vf_says((self)->regs));			\
} while (0)

TEST_F_TIMEOUT(guest, it_asks_for_its_bandwidth, 100)
{
	struct call reader = { .address = self->vf_address };

	BIND_VF(self);
	for (unsigned int qos = 1; qos <= 1000; qos += 333) {
		ASK(self, &reader);
		ASSERT_EQ(0, tell_vf(self->regs, 1, BANDWIDTH | (uint64_t)qos * 100 << 32));
		EXPECT_TRUE(vf_acknowledges(self->regs));
		ASSERT_LT(0, call_end(&reader));
		EXPECT_EQ(qos, atoi(reader.text));
	}
}

TEST_F_TIMEOUT(guest, one_process_asks_at_a_time, 100)
{
	struct call reader = { .address = self->vf_address }, other = { .address = self->vf_address };

	BIND_VF(self);
	ASK(self, &reader);
	EXPECT_EQ(-EAGAIN, call_qos(&other));
	ASSERT_EQ(0, tell_vf(self->regs, 1, BANDWIDTH | 700ull << 32));
	ASSERT_LT(0, call_end(&reader));
	EXPECT_EQ(7, atoi(reader.text));
}

/* The driver waits for 41 seconds, mainline's limit. A late answer answers nothing. */
TEST_F_TIMEOUT(guest, a_question_without_an_answer_times_out, 600)
{
	struct call reader = { .address = self->vf_address };

	BIND_VF(self);
	ASK(self, &reader);
	EXPECT_EQ(-ETIMEDOUT, call_end(&reader));
	ASSERT_EQ(0, tell_vf(self->regs, 1, BANDWIDTH | 700ull << 32));
	EXPECT_TRUE(vf_acknowledges(self->regs));
	ASK(self, &reader);
	ASSERT_EQ(0, tell_vf(self->regs, 1, BANDWIDTH | 800ull << 32));
	ASSERT_LT(0, call_end(&reader));
	EXPECT_EQ(8, atoi(reader.text));
}

/* Mainline's physical function fetches nothing while it sends. */
TEST_F_TIMEOUT(guest, an_order_comes_before_the_acknowledgement_of_a_question, 100)
{
	struct call reader = { .address = self->vf_address };
	uint64_t text;

	BIND_VF(self);
	ASSERT_EQ(0, call_begin(&reader, call_qos));
	ASSERT_TRUE(reg_becomes(self->regs, QM_IFC_INT_SOURCE_P, 2, 2));
	ASSERT_EQ(0, tell_vf(self->regs, 1, STOP));
	ASSERT_TRUE(vf_acknowledges(self->regs));
	/* The device replaces a message that isn't fetched, so the question is asked again. */
	text = vf_says(self->regs);
	ASSERT_EQ(STOPPED, text == ASK_BANDWIDTH ? vf_says(self->regs) : text);
	ORDER_START(self);
	ASSERT_EQ(ASK_BANDWIDTH, vf_says(self->regs));
	ASSERT_EQ(0, tell_vf(self->regs, 1, BANDWIDTH | 700ull << 32));
	ASSERT_LT(0, call_end(&reader));
	EXPECT_EQ(7, atoi(reader.text));
	EXPECT_OPENS(self);
}

TEST_F_TIMEOUT(guest, it_can_be_unbound_while_it_asks, 100)
{
	struct call reader = { .address = self->vf_address };

	BIND_VF(self);
	ASK(self, &reader);
	ASSERT_EQ(0, driver_unbind(self->vf_address));
	EXPECT_EQ(-EAGAIN, call_end(&reader));
	BIND_VF(self);
	EXPECT_OPENS(self);
}

/* The vector of messages is where the device's register says. */
FIXTURE(guest_vector) {
	MEMBERS;
};

FIXTURE_SETUP(guest_vector)
{
	GUEST_BEGIN(self, "3");
}

FIXTURE_TEARDOWN(guest_vector)
{
	END(self);
}

TEST_F_TIMEOUT(guest_vector, it_obeys_and_asks, 100)
{
	struct call reader = { .address = self->vf_address };

	BIND_VF(self);
	ORDER_STOP(self, STOP);
	ORDER_START(self);
	ASK(self, &reader);
	ASSERT_EQ(0, tell_vf(self->regs, 1, BANDWIDTH | 700ull << 32));
	ASSERT_LT(0, call_end(&reader));
	EXPECT_EQ(7, atoi(reader.text));
	EXPECT_OPENS(self);
}

/* ------ the driver has the physical function, the test the virtual one ------ */

FIXTURE(host) {
	MEMBERS;
};

/* Bus mastering as of a driver that is in use: messages come as interrupts. */
#define HOST_BEGIN(self, vector) do {							\
	BEGIN(self, vector);								\
	ASSERT_TRUE(device_of((self)->pf_address, (self)->dev));			\
	ASSERT_EQ(0, attr_write((self)->pf_dir, "sriov_numvfs", "1"));			\
	ASSERT_EQ(0, stub_bind((self)->vf_dir, (self)->vf_address));			\
	cfg_word_write((self)->vf_dir, PCI_COMMAND, PCI_MASTER);			\
	(self)->regs = regs_map((self)->vf_dir, QM_BAR2_VF_SIZE);			\
	ASSERT_NE(NULL, (self)->regs);							\
} while (0)

FIXTURE_SETUP(host)
{
	HOST_BEGIN(self, "2");
}

FIXTURE_TEARDOWN(host)
{
	END(self);
}

/* Sends, and waits for the acknowledgement. */
static int tell_pf(volatile uint32_t *vf, uint64_t text)
{
	int ret = command(vf, QM_MB_CMD_SRC, 0, text);

	if (ret)
		return ret;
	REG(vf, QM_IFC_INT_SET_V) = 1;
	return reg_becomes(vf, QM_IFC_INT_SET_V, ~0u, 0) ? 0 : -ETIMEDOUT;
}

static uint64_t pf_says(volatile uint32_t *vf)
{
	uint64_t text;

	if (!reg_becomes(vf, QM_IFC_INT_SOURCE_V, ~0u, 1))
		return NONE;
	text = command_get(vf, QM_MB_CMD_DST, 0);
	REG(vf, QM_IFC_INT_SOURCE_V) = 1;
	/* Until the device has seen the acknowledgement, it reads like the next message. */
	return reg_becomes(vf, QM_IFC_INT_SOURCE_V, ~0u, 0) ? text : NONE;
}

TEST_F_TIMEOUT(host, it_answers_questions, 100)
{
	char class[128];

	ASSERT_EQ(0, tell_pf(self->regs, ASK_BANDWIDTH));
	EXPECT_EQ(BANDWIDTH | 100000ull << 32, pf_says(self->regs)) TH_LOG("100 Gbit/s");
	snprintf(class, sizeof(class), "/sys/class/uacce/%s", self->dev);
	ASSERT_EQ(0, attr_write(class, "isolate_strategy", "77"));
	ASSERT_EQ(0, tell_pf(self->regs, ASK_ISOLATION));
	EXPECT_EQ(ISOLATION | 77ull << 32, pf_says(self->regs));
}

TEST_F_TIMEOUT(host, it_reports_changes_of_isolation_to_who_has_asked, 100)
{
	char class[128];

	snprintf(class, sizeof(class), "/sys/class/uacce/%s", self->dev);
	ASSERT_EQ(0, attr_write(class, "isolate_strategy", "5"));
	/* Not told of that. */
	ASSERT_EQ(0, tell_pf(self->regs, ASK_BANDWIDTH));
	EXPECT_EQ(BANDWIDTH | 100000ull << 32, pf_says(self->regs));
	ASSERT_EQ(0, tell_pf(self->regs, ASK_ISOLATION));
	EXPECT_EQ(ISOLATION | 5ull << 32, pf_says(self->regs));
	ASSERT_EQ(0, attr_write(class, "isolate_strategy", "6"));
	EXPECT_EQ(ISOLATION | 6ull << 32, pf_says(self->regs));
	ASSERT_EQ(0, attr_write(class, "isolate_strategy", "0"));
	EXPECT_EQ(ISOLATION, pf_says(self->regs));
}

TEST_F_TIMEOUT(host, it_says_the_bandwidth_that_was_written, 100)
{
	char path[128], line[96];

	snprintf(path, sizeof(path), DEBUGFS "/%s/alg_qos", self->pf_address);
	for (unsigned int qos = 1; qos <= 1000; qos += 111) {
		snprintf(line, sizeof(line), "%s %u", self->vf_address, qos);
		ASSERT_EQ(0, text_write(path, line));
		ASSERT_EQ(0, tell_pf(self->regs, ASK_BANDWIDTH));
		EXPECT_EQ(BANDWIDTH | (uint64_t)qos * 100 << 32, pf_says(self->regs));
	}
}

TEST_F_TIMEOUT(host, it_acknowledges_what_it_does_not_know, 100)
{
	static const uint64_t texts[] = {
		0, STOP, START, STOPPED, NOT_STARTED, 0x77, ~0ull,
	};

	for (int i = 0; i < 50; i++)
		ASSERT_EQ(0, tell_pf(self->regs, texts[i % (sizeof(texts) / sizeof(texts[0]))]));
	ASSERT_EQ(0, tell_pf(self->regs, ASK_BANDWIDTH));
	EXPECT_EQ(BANDWIDTH | 100000ull << 32, pf_says(self->regs));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(host, its_reset_waits_for_the_other_function, 100)
{
	struct call resetter = { .address = self->pf_address };

	ASSERT_EQ(0, call_begin(&resetter, call_reset));
	ASSERT_EQ(STOP, pf_says(self->regs));
	/* The sender of an order still hears questions, and answers them after the reset. */
	ASSERT_EQ(0, tell_pf(self->regs, ASK_BANDWIDTH));
	EXPECT_TRUE(call_sleeps(&resetter));
	EXPECT_EQ(UACCE_NL_DEV_RESETTING, dev_nl_num(self->ask, self->dev, UACCE_A_DEV_STATE));
	ASSERT_EQ(0, tell_pf(self->regs, STOPPED));
	ASSERT_EQ(START, pf_says(self->regs));
	EXPECT_TRUE(call_sleeps(&resetter));
	ASSERT_EQ(0, tell_pf(self->regs, STARTED));
	EXPECT_EQ(0, call_end(&resetter));
	EXPECT_EQ(BANDWIDTH | 100000ull << 32, pf_says(self->regs));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
	ASSERT_EQ(0, tell_pf(self->regs, ASK_ISOLATION));
	EXPECT_EQ(ISOLATION, pf_says(self->regs));
}

/* The driver abandons the stop of a queue after ten seconds, but the device is still at it. */
TEST_F_TIMEOUT(host, its_order_waits_for_the_mailbox, 100)
{
	struct call resetter = { .address = self->pf_address };

	ASSERT_EQ(0, rawq_begin(&self->q, self->dev, ZIP_QC_COMPRESS));
	ASSERT_EQ(0, faults("mailbox", "1:14s"));
	ASSERT_EQ(0, call_begin(&resetter, call_reset));
	ASSERT_EQ(STOP, pf_says(self->regs));
	ASSERT_EQ(0, tell_pf(self->regs, STOPPED));
	ASSERT_EQ(START, pf_says(self->regs));
	ASSERT_EQ(0, tell_pf(self->regs, STARTED));
	EXPECT_EQ(0, call_end(&resetter));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* The driver waits for 42 seconds. */
TEST_F_TIMEOUT(host, its_reset_does_not_need_the_other_function, 600)
{
	struct call resetter = { .address = self->pf_address };

	ASSERT_EQ(0, call_begin(&resetter, call_reset));
	ASSERT_EQ(STOP, pf_says(self->regs));
	ASSERT_EQ(START, pf_says(self->regs));
	ASSERT_EQ(0, tell_pf(self->regs, NOT_STARTED));
	EXPECT_EQ(0, call_end(&resetter));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* How often the driver has waited in vain for an order to be obeyed. */
static int missed(const char *address)
{
	return log_count(address, "in time");
}

/* A function that is in use has its bus mastering on. A reset takes that away. */
static void use(const char *dir, bool on)
{
	cfg_word_write(dir, PCI_COMMAND, on ? PCI_MASTER : 0);
}

/* Resets, at each of which the driver may wait for two orders. */
static int resets(const char *address, const char *vf_dir, bool on, int nr)
{
	int ret = 0;

	while (!ret && nr--) {
		use(vf_dir, on);
		ret = reset(address);
	}
	return ret;
}

TEST_F_TIMEOUT(host, who_has_missed_an_order_is_waited_for_when_it_speaks_again, 900)
{
	struct call resetter = { .address = self->pf_address };
	int before = missed(self->pf_address);

	ASSERT_LE(0, before);
	ASSERT_EQ(0, resets(self->pf_address, self->vf_dir, true, 3));
	EXPECT_EQ(before + 1, missed(self->pf_address));
	use(self->vf_dir, true);
	/* Of the last reset. */
	ASSERT_EQ(START, pf_says(self->regs));
	ASSERT_EQ(0, tell_pf(self->regs, ASK_BANDWIDTH));
	ASSERT_EQ(BANDWIDTH | 100000ull << 32, pf_says(self->regs));
	ASSERT_EQ(0, call_begin(&resetter, call_reset));
	ASSERT_EQ(STOP, pf_says(self->regs));
	EXPECT_TRUE(call_sleeps(&resetter));
	ASSERT_EQ(0, tell_pf(self->regs, STOPPED));
	ASSERT_EQ(START, pf_says(self->regs));
	ASSERT_EQ(0, tell_pf(self->regs, STARTED));
	EXPECT_EQ(0, call_end(&resetter));
}

/* Bound, and used by nobody, as by vfio while no guest runs. */
TEST_F_TIMEOUT(host, its_reset_does_not_wait_for_a_function_that_is_idle, 900)
{
	int before = missed(self->pf_address);

	ASSERT_LE(0, before);
	ASSERT_EQ(0, resets(self->pf_address, self->vf_dir, false, 2));
	EXPECT_EQ(before, missed(self->pf_address));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

/* The driver gives it 21 seconds at most to fetch an answer. */
TEST_F_TIMEOUT(host, who_does_not_fetch_its_answers_delays_nobody, 900)
{
	char address[64], dir[160];
	volatile uint32_t *other;
	int before;

	ASSERT_EQ(0, attr_write(self->pf_dir, "sriov_numvfs", "0"));
	ASSERT_EQ(0, sim_set(NAME, "live", "0"));
	ASSERT_EQ(0, sim_set(NAME, "vfs", "2"));
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_EQ(0, attr_write(self->pf_dir, "sriov_drivers_autoprobe", "0"));
	ASSERT_EQ(0, attr_write(self->pf_dir, "sriov_numvfs", "2"));
	snprintf(address, sizeof(address), "%.*s2", (int)strlen(self->pf_address) - 1, self->pf_address);
	snprintf(dir, sizeof(dir), SIM_PCI "/%s", address);
	ASSERT_EQ(0, stub_bind(self->vf_dir, self->vf_address));
	ASSERT_EQ(0, stub_bind(dir, address));
	self->regs = regs_map(self->vf_dir, QM_BAR2_VF_SIZE);
	other = regs_map(dir, QM_BAR2_VF_SIZE);
	ASSERT_TRUE(self->regs && other);
	before = log_count(self->pf_address, "did not fetch");
	for (int i = 0; i < 5; i++) {
		ASSERT_EQ(0, tell_pf(self->regs, i & 1 ? ASK_ISOLATION : ASK_BANDWIDTH));
		ASSERT_EQ(0, tell_pf(other, ASK_BANDWIDTH));
		ASSERT_EQ(BANDWIDTH | 100000ull << 32, pf_says(other));
	}
	/* It was waited for once. */
	EXPECT_GE(before + 1, log_count(self->pf_address, "did not fetch"));
}

TEST_F_TIMEOUT(host, its_reset_does_not_wait_for_a_function_that_lost_its_driver, 100)
{
	struct call resetter = { .address = self->pf_address };

	ASSERT_EQ(0, call_begin(&resetter, call_reset));
	ASSERT_EQ(STOP, pf_says(self->regs));
	ASSERT_EQ(0, text_write(STUB "/unbind", self->vf_address));
	EXPECT_EQ(0, call_end(&resetter));
	EXPECT_NEW_CLIENT_SLEEPS_AND_WAKES(self);
}

TEST_F_TIMEOUT(host, it_can_be_unbound_while_an_answer_is_not_fetched, 100)
{
	struct call removal = { .address = self->pf_address };

	ASSERT_EQ(0, tell_pf(self->regs, ASK_BANDWIDTH));
	ASSERT_TRUE(reg_becomes(self->regs, QM_IFC_INT_SOURCE_V, ~0u, 1));
	ASSERT_EQ(0, call_begin(&removal, call_unbind));
	EXPECT_EQ(0, call_end(&removal));
}

FIXTURE(host_vector) {
	MEMBERS;
};

FIXTURE_SETUP(host_vector)
{
	HOST_BEGIN(self, "3");
}

FIXTURE_TEARDOWN(host_vector)
{
	END(self);
}

/* Errors come on the vector that messages have elsewhere. */
TEST_F_TIMEOUT(host_vector, it_answers_questions_and_sees_errors, 100)
{
	int before = log_count(self->pf_address, "qm error: corrected memory error");
	long long deadline;

	ASSERT_LE(0, before);
	ASSERT_EQ(0, tell_pf(self->regs, ASK_BANDWIDTH));
	EXPECT_EQ(BANDWIDTH | 100000ull << 32, pf_says(self->regs));
	ASSERT_EQ(0, sim_set(NAME, "faults/error", "qm 3"));
	deadline = now_ms() + CLIENT_WAIT_MS;
	while (log_count(self->pf_address, "qm error: corrected memory error") == before && now_ms() < deadline)
		poll(NULL, 0, 10);
	EXPECT_EQ(before + 1, log_count(self->pf_address, "qm error: corrected memory error"));
}

TEST_HARNESS_MAIN
