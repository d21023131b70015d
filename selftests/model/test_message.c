// SPDX-License-Identifier: Apache-2.0
/* Messages between PF and VFs, one step of a driver after the other: registers, interrupts, and what is refused. */
#include "kselftest_harness.h"
#include "rig.h"

#define VFS	3
#define ALL	0xffff
#define STOP	0x1234567800000002ull
#define DONE	0x8765432100000003ull

FIXTURE(dev) {
	struct rig pf;
	struct rig vf[VFS + 1];
};

FIXTURE_SETUP(dev)
{
	struct wdm_attr attr = { .functions = VFS + 1 };
	u32 i;

	rig_init_bare(&self->pf, &attr);
	for (i = 1; i <= VFS; i++)
		rig_attach(&self->vf[i], &self->pf, i);
}

FIXTURE_TEARDOWN(dev)
{
	u32 i;

	for (i = 1; i <= VFS; i++)
		rig_free(&self->vf[i]);
	rig_free(&self->pf);
}

static int source(struct rig *r, u32 to, u64 text)
{
	return rig_mailbox(r, QM_MB_CMD_SRC, 0, to, text);
}

static void raise_vf(struct rig *pf, u32 target)
{
	rig_reg_set(pf, QM_IFC_INT_CFG, target);
	rig_reg_set(pf, QM_IFC_INT_SET_P, 1);
	rig_turn(pf);
}

static bool send_down(struct rig *pf, u32 vf, u64 text)
{
	if (source(pf, vf, text))
		return false;
	raise_vf(pf, vf);
	return true;
}

static bool send_up(struct rig *vf, u64 text)
{
	if (source(vf, WDM_PF, text))
		return false;
	rig_reg_set(vf, QM_IFC_INT_SET_V, 1);
	rig_turn(vf);
	return true;
}

/* 0: refused. */
static u64 fetch(struct rig *r, u32 from)
{
	if (rig_mailbox(r, QM_MB_CMD_DST, 0, from, 0))
		return 0;
	return rig_reg(r, QM_MB_DATA_L) | (u64)rig_reg(r, QM_MB_DATA_H) << 32;
}

static void ack_vf(struct rig *vf)
{
	rig_reg_set(vf, QM_IFC_INT_SOURCE_V, rig_reg(vf, QM_IFC_INT_SOURCE_V) | 1);
	rig_turn(vf);
}

static void ack_pf(struct rig *pf, u64 bits)
{
	wdm_writeq(bits, pf->bar2 + QM_IFC_INT_SOURCE_P);
	rig_reg_set(pf, QM_IFC_INT_SOURCE_V, rig_reg(pf, QM_IFC_INT_SOURCE_V) | 1);
	rig_turn(pf);
}

static void mask(struct rig *r, u32 value)
{
	rig_reg_set(r, QM_IFC_INT_MASK, value);
	rig_turn(r);
}

TEST_F(dev, message_to_a_vf)
{
	struct rig *pf = &self->pf, *vf = &self->vf[2];

	mask(vf, 0);
	ASSERT_EQ(0, source(pf, 2, STOP));
	/* The PF may look at once. */
	EXPECT_EQ(1u << 2, rig_reg64(pf, QM_IFC_READY_STATUS));
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_SOURCE_V));
	raise_vf(pf, 2);
	EXPECT_EQ(0, rig_reg(pf, QM_IFC_INT_SET_P));
	EXPECT_EQ(1, rig_reg(vf, QM_IFC_INT_SOURCE_V));
	EXPECT_EQ(1, rig_reg(vf, QM_IFC_INT_STATUS));
	EXPECT_EQ(1, vf->irqs[WDM_IRQ_MSG]);
	EXPECT_EQ(STOP, fetch(vf, WDM_PF));
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_SOURCE_V));
	EXPECT_EQ(1u << 2, rig_reg64(pf, QM_IFC_READY_STATUS));
	EXPECT_EQ(STOP, fetch(vf, WDM_PF));
	ack_vf(vf);
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_SOURCE_V));
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_STATUS));
	EXPECT_EQ(0, rig_reg64(pf, QM_IFC_READY_STATUS));
	EXPECT_EQ(1, vf->irqs[WDM_IRQ_MSG]);
	EXPECT_EQ(0, self->vf[1].irqs[WDM_IRQ_MSG] + self->vf[3].irqs[WDM_IRQ_MSG] + pf->irqs[WDM_IRQ_MSG]);
	EXPECT_EQ(0, rig_refusal(pf));
}

TEST_F(dev, message_to_the_pf)
{
	struct rig *pf = &self->pf, *vf = &self->vf[3];

	mask(pf, 0);
	ASSERT_TRUE(send_up(vf, DONE));
	EXPECT_EQ(1, rig_reg(vf, QM_IFC_INT_SET_V));
	EXPECT_EQ(1u << 3, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(1, rig_reg(pf, QM_IFC_INT_STATUS));
	EXPECT_EQ(0, rig_reg(pf, QM_IFC_INT_SOURCE_V));
	EXPECT_EQ(1, pf->irqs[WDM_IRQ_MSG]);
	EXPECT_EQ(DONE, rig_mailbox(pf, QM_MB_CMD_DST, QM_MB_OP_GET, 3, 0) ? 0 :
			rig_reg(pf, QM_MB_DATA_L) | (u64)rig_reg(pf, QM_MB_DATA_H) << 32);
	rig_turn(pf);
	EXPECT_EQ(1, rig_reg(vf, QM_IFC_INT_SET_V));
	ack_pf(pf, 1u << 3);
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_SET_V));
	EXPECT_EQ(0, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(0, rig_reg(pf, QM_IFC_INT_STATUS));
	EXPECT_EQ(1, pf->irqs[WDM_IRQ_MSG]);
	EXPECT_EQ(0, rig_refusal(pf));
}

/* Its new driver doesn't know of the message that the PF has fetched. */
TEST_F(dev, the_next_message_of_a_vf_that_was_reset_waits_for_the_others_of_the_batch)
{
	struct rig *pf = &self->pf, *vf = self->vf;

	/* Both before the PF's interrupt. */
	mask(pf, 1);
	ASSERT_TRUE(send_up(&vf[1], DONE));
	ASSERT_TRUE(send_up(&vf[2], DONE + 2));
	mask(pf, 0);
	ASSERT_EQ(6, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	ASSERT_EQ(1, pf->irqs[WDM_IRQ_MSG]);
	EXPECT_EQ(DONE, fetch(pf, 1));
	wdm_function_reset(pf->dev, 1);
	rig_turn(pf);
	ASSERT_TRUE(send_up(&vf[1], DONE + 1));
	EXPECT_EQ(DONE, fetch(pf, 1));
	ack_pf(pf, 1u << 1);
	/* The handler of that interrupt still has to do with VF 2, and writes to the register. */
	EXPECT_EQ(1u << 2, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(1, pf->irqs[WDM_IRQ_MSG]);
	EXPECT_EQ(1, rig_reg(&vf[1], QM_IFC_INT_SET_V));
	EXPECT_EQ(DONE + 2, fetch(pf, 2));
	ack_pf(pf, 1u << 2);
	EXPECT_EQ(1u << 1, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(2, pf->irqs[WDM_IRQ_MSG]);
	EXPECT_EQ(DONE + 1, fetch(pf, 1));
	ack_pf(pf, 1u << 1);
	EXPECT_EQ(0, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(0, rig_reg(&vf[1], QM_IFC_INT_SET_V));
	EXPECT_EQ(2, pf->irqs[WDM_IRQ_MSG]);
	EXPECT_EQ(0, rig_refusal(pf));
}

/* A driver finds the vectors in registers. */
TEST(messages_and_errors_come_on_each_others_vector)
{
	struct wdm_attr attr = { .functions = 2, .message_vector = WDM_IRQ_ABNORMAL };
	struct rig pf, vf;

	rig_init_bare(&pf, &attr);
	rig_attach(&vf, &pf, 1);
	EXPECT_EQ(1 << 16 | WDM_IRQ_ABNORMAL, rig_reg(&vf, QM_CAP_MSG_IRQ));
	EXPECT_EQ(1 << 16 | WDM_IRQ_MSG, rig_reg(&pf, QM_CAP_ABNORMAL_IRQ));
	EXPECT_EQ(4 << 16 | 4, rig_reg(&vf, QM_CAP_IRQ_NUM));
	mask(&vf, 0);
	ASSERT_TRUE(send_down(&pf, 1, STOP));
	EXPECT_EQ(1, vf.irqs[WDM_IRQ_ABNORMAL]);
	EXPECT_EQ(0, vf.irqs[WDM_IRQ_MSG]);
	rig_reg_set(&pf, QM_ABNORMAL_INT_MASK, 0);
	rig_reg_set(&pf, QM_ABNORMAL_INT_SET, QM_ERR_ECC_1BIT);
	rig_turn(&pf);
	EXPECT_EQ(0, pf.irqs[WDM_IRQ_ABNORMAL]);
	EXPECT_EQ(1, pf.irqs[WDM_IRQ_MSG]);
	rig_free(&vf);
	rig_free(&pf);
}

TEST_F(dev, message_to_all)
{
	struct rig *pf = &self->pf;
	u32 i;

	ASSERT_EQ(0, source(pf, ALL, STOP));
	EXPECT_EQ(0xe, rig_reg64(pf, QM_IFC_READY_STATUS));
	raise_vf(pf, 0x7f);
	for (i = 1; i <= VFS; i++) {
		EXPECT_EQ(STOP, fetch(&self->vf[i], WDM_PF));
		EXPECT_EQ(0xeu & ~0u << i, rig_reg64(pf, QM_IFC_READY_STATUS));
		ack_vf(&self->vf[i]);
	}
	EXPECT_EQ(0, rig_reg64(pf, QM_IFC_READY_STATUS));
}

/* A function that isn't there doesn't acknowledge. */
TEST_F(dev, message_to_all_goes_to_those_that_are_there)
{
	struct rig *pf = &self->pf;

	wdm_function_detach(pf->dev, 2);
	ASSERT_EQ(0, source(pf, ALL, STOP));
	EXPECT_EQ(0xa, rig_reg64(pf, QM_IFC_READY_STATUS));
	wdm_function_detach(pf->dev, 3);
	EXPECT_EQ(0x2, rig_reg64(pf, QM_IFC_READY_STATUS));
	raise_vf(pf, 0x7f);
	EXPECT_EQ(STOP, fetch(&self->vf[1], WDM_PF));
	ack_vf(&self->vf[1]);
	EXPECT_EQ(0, rig_reg64(pf, QM_IFC_READY_STATUS));
	EXPECT_EQ(0, rig_reg(&self->vf[2], QM_IFC_INT_SOURCE_V) | rig_reg(&self->vf[3], QM_IFC_INT_SOURCE_V));
}

TEST_F(dev, end_of_a_mask_raises_the_interrupt)
{
	struct rig *pf = &self->pf, *vf = &self->vf[1];

	ASSERT_TRUE(send_down(pf, 1, STOP));
	EXPECT_EQ(1, rig_reg(vf, QM_IFC_INT_SOURCE_V));
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_STATUS));
	EXPECT_EQ(0, vf->irqs[WDM_IRQ_MSG]);
	mask(vf, 0);
	EXPECT_EQ(1, rig_reg(vf, QM_IFC_INT_STATUS));
	EXPECT_EQ(1, vf->irqs[WDM_IRQ_MSG]);
	/* A handler that comes now finds nothing to do, so it must be called again. */
	mask(vf, 1);
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_STATUS));
	mask(vf, 0);
	EXPECT_EQ(2, vf->irqs[WDM_IRQ_MSG]);
	EXPECT_EQ(STOP, fetch(vf, WDM_PF));
	mask(vf, 1);
	mask(vf, 0);
	EXPECT_EQ(2, vf->irqs[WDM_IRQ_MSG]);
}

TEST_F(dev, message_of_an_earlier_wait_is_replaced)
{
	struct rig *pf = &self->pf, *vf = &self->vf[1];

	ASSERT_TRUE(send_down(pf, 1, STOP));
	ASSERT_TRUE(send_down(pf, 1, DONE));
	EXPECT_EQ(DONE, fetch(vf, WDM_PF));
	ack_vf(vf);
	EXPECT_EQ(0, rig_reg64(pf, QM_IFC_READY_STATUS));
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_SOURCE_V));

	ASSERT_TRUE(send_up(vf, STOP));
	ASSERT_EQ(0, source(vf, WDM_PF, DONE));
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_SET_V));
	rig_reg_set(vf, QM_IFC_INT_SET_V, 1);
	rig_turn(vf);
	EXPECT_EQ(DONE, fetch(pf, 1));
	ack_pf(pf, 1u << 1);
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_SET_V));
}

/* The next message waits for the acknowledgement of the one that has been fetched, which isn't taken for its own. */
TEST_F(dev, message_behind_a_fetched_one_waits)
{
	struct rig *pf = &self->pf, *vf = &self->vf[1];

	mask(vf, 0);
	ASSERT_TRUE(send_down(pf, 1, STOP));
	EXPECT_EQ(STOP, fetch(vf, WDM_PF));
	ASSERT_TRUE(send_down(pf, 1, DONE));
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_SOURCE_V));
	EXPECT_EQ(STOP, fetch(vf, WDM_PF));
	ack_vf(vf);
	EXPECT_EQ(1u << 1, rig_reg64(pf, QM_IFC_READY_STATUS));
	EXPECT_EQ(1, rig_reg(vf, QM_IFC_INT_SOURCE_V));
	EXPECT_EQ(2, vf->irqs[WDM_IRQ_MSG]);
	EXPECT_EQ(DONE, fetch(vf, WDM_PF));
	ack_vf(vf);
	EXPECT_EQ(0, rig_reg64(pf, QM_IFC_READY_STATUS));
}

/* The acknowledgement of an earlier message isn't that of one whose text is with the device, but not its order. */
TEST_F(dev, earlier_acknowledgement_doesnt_count_for_the_next)
{
	struct rig *pf = &self->pf, *vf = &self->vf[1];

	ASSERT_TRUE(send_down(pf, 1, STOP));
	EXPECT_EQ(STOP, fetch(vf, WDM_PF));
	ASSERT_EQ(0, source(pf, 1, DONE));
	ack_vf(vf);
	EXPECT_EQ(1u << 1, rig_reg64(pf, QM_IFC_READY_STATUS));
	raise_vf(pf, 1);
	EXPECT_EQ(DONE, fetch(vf, WDM_PF));

	ASSERT_TRUE(send_up(vf, STOP));
	EXPECT_EQ(STOP, fetch(pf, 1));
	ASSERT_EQ(0, source(vf, WDM_PF, DONE));
	rig_reg_set(vf, QM_IFC_INT_SET_V, 1);
	ack_pf(pf, 1u << 1);
	EXPECT_EQ(1, rig_reg(vf, QM_IFC_INT_SET_V));
	EXPECT_EQ(1u << 1, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(DONE, fetch(pf, 1));
	ack_pf(pf, 1u << 1);
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_SET_V));
}

/* A driver that no longer waits writes its order and the next command before the device looks. */
TEST_F(dev, order_before_the_next_command_is_for_the_text_before)
{
	struct rig *pf = &self->pf;

	ASSERT_EQ(0, source(pf, 1, STOP));
	rig_reg_set(pf, QM_IFC_INT_CFG, 1);
	rig_reg_set(pf, QM_IFC_INT_SET_P, 1);
	ASSERT_EQ(0, source(pf, 2, DONE));
	EXPECT_EQ(STOP, fetch(&self->vf[1], WDM_PF));
	raise_vf(pf, 2);
	EXPECT_EQ(DONE, fetch(&self->vf[2], WDM_PF));
	EXPECT_EQ(0, rig_refused(pf, WDM_REFUSE_MSG_SEND));
}

/* With interrupts, the PF reads the register once for each of them. */
TEST_F(dev, register_of_the_pf_grows_between_interrupts_only)
{
	struct rig *pf = &self->pf;

	mask(pf, 0);
	ASSERT_TRUE(send_up(&self->vf[1], STOP));
	ASSERT_TRUE(send_up(&self->vf[2], DONE));
	EXPECT_EQ(1u << 1, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(STOP, fetch(pf, 1));
	rig_turn(pf);
	EXPECT_EQ(1, pf->irqs[WDM_IRQ_MSG]);
	ack_pf(pf, 1u << 1);
	EXPECT_EQ(0, rig_reg(&self->vf[1], QM_IFC_INT_SET_V));
	EXPECT_EQ(1, rig_reg(&self->vf[2], QM_IFC_INT_SET_V));
	EXPECT_EQ(1u << 2, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(2, pf->irqs[WDM_IRQ_MSG]);
	EXPECT_EQ(DONE, fetch(pf, 2));
}

/* A PF that waits for all, masked, and acknowledges all of them by one write. */
TEST_F(dev, masked_pf_sees_all_messages_at_once)
{
	struct rig *pf = &self->pf;
	u32 i;

	for (i = 1; i <= VFS; i++) {
		ASSERT_TRUE(send_up(&self->vf[i], DONE + i));
	}
	EXPECT_EQ(0xe, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(DONE + 3, fetch(pf, 3));
	EXPECT_EQ(DONE + 1, fetch(pf, 1));
	EXPECT_EQ(DONE + 2, fetch(pf, 2));
	ack_pf(pf, 0xe);
	for (i = 1; i <= VFS; i++)
		EXPECT_EQ(0, rig_reg(&self->vf[i], QM_IFC_INT_SET_V));
	EXPECT_EQ(0, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(0, pf->irqs[WDM_IRQ_MSG]);
}

/* The same value as before: it means those that the PF has fetched. */
TEST_F(dev, acknowledgement_that_changes_nothing)
{
	struct rig *pf = &self->pf;

	ASSERT_TRUE(send_up(&self->vf[1], STOP));
	ASSERT_TRUE(send_up(&self->vf[2], DONE));
	ack_pf(pf, 0x6);
	EXPECT_EQ(0x6, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(STOP, fetch(pf, 1));
	ack_pf(pf, 0x6);
	EXPECT_EQ(0x4, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(0, rig_reg(&self->vf[1], QM_IFC_INT_SET_V));
	EXPECT_EQ(DONE, fetch(pf, 2));
}

TEST_F(dev, half_an_acknowledgement_isnt_overwritten)
{
	struct rig *pf = &self->pf;

	ASSERT_TRUE(send_up(&self->vf[1], STOP));
	wdm_writeq(~0ull, pf->bar2 + QM_IFC_INT_SOURCE_P);
	ASSERT_TRUE(send_up(&self->vf[2], DONE));
	EXPECT_EQ(~0ull, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	rig_reg_set(pf, QM_IFC_INT_SOURCE_V, 1);
	rig_turn(pf);
	/* All ones, by a driver that starts: all that was sent before. */
	EXPECT_EQ(0, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(0, rig_reg(&self->vf[1], QM_IFC_INT_SET_V) | rig_reg(&self->vf[2], QM_IFC_INT_SET_V));
	EXPECT_EQ(0, fetch(pf, 1));
	ASSERT_TRUE(send_up(&self->vf[1], STOP + 1));
	EXPECT_EQ(STOP + 1, fetch(pf, 1));
}

/* Bits of functions without a message mean nothing, and change nothing for others. */
TEST_F(dev, acknowledgement_of_what_isnt_there)
{
	struct rig *pf = &self->pf;

	ASSERT_TRUE(send_up(&self->vf[2], DONE));
	EXPECT_EQ(DONE, fetch(pf, 2));
	ack_pf(pf, 1u << 1);
	EXPECT_EQ(1u << 2, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
	EXPECT_EQ(1, rig_reg(&self->vf[2], QM_IFC_INT_SET_V));
	ack_vf(&self->vf[1]);
	EXPECT_EQ(0, rig_reg(&self->vf[1], QM_IFC_INT_SOURCE_V));
}

/* Drivers acknowledge at their start, also where no virtual function can be. */
TEST(acknowledgement_where_no_message_can_come)
{
	struct wdm_attr attr = { .functions = 1 };
	struct rig pf;

	rig_init_bare(&pf, &attr);
	ack_pf(&pf, ~0ull);
	EXPECT_EQ(0, rig_reg(&pf, QM_IFC_INT_SOURCE_V));
	EXPECT_EQ(0, rig_reg64(&pf, QM_IFC_INT_SOURCE_P));
	rig_free(&pf);
}

/* A write of 0 clears nothing. */
TEST_F(dev, only_ones_acknowledge)
{
	struct rig *vf = &self->vf[1];

	ASSERT_TRUE(send_down(&self->pf, 1, STOP));
	rig_reg_set(vf, QM_IFC_INT_SOURCE_V, 0);
	rig_turn(vf);
	EXPECT_EQ(1, rig_reg(vf, QM_IFC_INT_SOURCE_V));
	EXPECT_EQ(STOP, fetch(vf, WDM_PF));
	rig_reg_set(vf, QM_IFC_INT_SOURCE_V, 2);
	rig_turn(vf);
	EXPECT_EQ(1u << 1, rig_reg64(&self->pf, QM_IFC_READY_STATUS));
	ack_vf(vf);
	EXPECT_EQ(0, rig_reg64(&self->pf, QM_IFC_READY_STATUS));
}

#define REFUSED(why, of, to, ...) \
	do { \
		struct wdm_refused last; \
		u64 before = rig_refused(&self->pf, why); \
		__VA_ARGS__; \
		EXPECT_EQ(before + 1, rig_refused(&self->pf, why)); \
		wdm_last_refusal(self->pf.dev, &last); \
		EXPECT_EQ(why, last.reason); \
		EXPECT_EQ(of, last.fn); \
		EXPECT_EQ(to, last.queue); \
	} while (0)

TEST_F(dev, targets_that_a_function_may_not_name_are_refused)
{
	struct rig *pf = &self->pf, *vf = &self->vf[1];
	u32 i;

	REFUSED(WDM_REFUSE_MSG_FN, 0, 0, EXPECT_LT(0, source(pf, WDM_PF, STOP)));
	REFUSED(WDM_REFUSE_MSG_FN, 0, VFS + 1, EXPECT_LT(0, source(pf, VFS + 1, STOP)));
	REFUSED(WDM_REFUSE_MSG_FN, 0, 0x7f, EXPECT_LT(0, source(pf, 0x7f, STOP)));
	REFUSED(WDM_REFUSE_MSG_FN, 1, 1, EXPECT_LT(0, source(vf, 1, STOP)));
	REFUSED(WDM_REFUSE_MSG_FN, 1, 2, EXPECT_LT(0, source(vf, 2, STOP)));
	REFUSED(WDM_REFUSE_MSG_FN, 1, ALL, EXPECT_LT(0, source(vf, ALL, STOP)));
	for (i = 1; i <= VFS; i++)
		wdm_function_detach(pf->dev, i);
	REFUSED(WDM_REFUSE_MSG_FN, 0, 2, EXPECT_LT(0, source(pf, 2, STOP)));
	REFUSED(WDM_REFUSE_MSG_FN, 0, ALL, EXPECT_LT(0, source(pf, ALL, STOP)));
	EXPECT_EQ(0, rig_reg64(pf, QM_IFC_READY_STATUS));
}

TEST_F(dev, sources_that_a_function_may_not_name_are_refused)
{
	struct rig *pf = &self->pf, *vf = &self->vf[1];

	ASSERT_TRUE(send_up(&self->vf[2], DONE));
	REFUSED(WDM_REFUSE_MSG_FN, 0, 0, EXPECT_EQ(0, fetch(pf, WDM_PF)));
	REFUSED(WDM_REFUSE_MSG_FN, 0, VFS + 1, EXPECT_EQ(0, fetch(pf, VFS + 1)));
	REFUSED(WDM_REFUSE_MSG_FN, 0, ALL, EXPECT_EQ(0, fetch(pf, ALL)));
	REFUSED(WDM_REFUSE_MSG_FN, 1, 2, EXPECT_EQ(0, fetch(vf, 2)));
	REFUSED(WDM_REFUSE_MSG_FN, 2, 2, EXPECT_EQ(0, fetch(&self->vf[2], 2)));
	EXPECT_EQ(DONE, fetch(pf, 2));
}

TEST_F(dev, fetch_without_a_message_is_refused)
{
	REFUSED(WDM_REFUSE_MSG_NONE, 0, 1, EXPECT_EQ(0, fetch(&self->pf, 1)));
	REFUSED(WDM_REFUSE_MSG_NONE, 1, 0, EXPECT_EQ(0, fetch(&self->vf[1], WDM_PF)));
	/* Sent, but without the interrupt. */
	ASSERT_EQ(0, source(&self->pf, 1, STOP));
	REFUSED(WDM_REFUSE_MSG_NONE, 1, 0, EXPECT_EQ(0, fetch(&self->vf[1], WDM_PF)));
	ASSERT_EQ(0, source(&self->vf[1], WDM_PF, STOP));
	REFUSED(WDM_REFUSE_MSG_NONE, 0, 1, EXPECT_EQ(0, fetch(&self->pf, 1)));
	/* Acknowledged. */
	raise_vf(&self->pf, 1);
	EXPECT_EQ(STOP, fetch(&self->vf[1], WDM_PF));
	ack_vf(&self->vf[1]);
	REFUSED(WDM_REFUSE_MSG_NONE, 1, 0, EXPECT_EQ(0, fetch(&self->vf[1], WDM_PF)));
}

TEST_F(dev, interrupts_that_dont_match_the_text_are_refused)
{
	struct rig *pf = &self->pf, *vf = &self->vf[1];

	REFUSED(WDM_REFUSE_MSG_SEND, 0, 1, raise_vf(pf, 1));
	EXPECT_EQ(0, rig_reg(pf, QM_IFC_INT_SET_P));
	ASSERT_EQ(0, source(pf, 1, STOP));
	REFUSED(WDM_REFUSE_MSG_SEND, 0, 2, raise_vf(pf, 2));
	REFUSED(WDM_REFUSE_MSG_SEND, 0, 0x7f, raise_vf(pf, 0x7f));
	REFUSED(WDM_REFUSE_MSG_SEND, 0, 0x81, raise_vf(pf, 0x81));
	rig_reg_set(pf, QM_IFC_INT_CFG, 1);
	rig_reg_set(pf, QM_IFC_INT_SET_P, 3);
	REFUSED(WDM_REFUSE_MSG_SEND, 0, 1, rig_turn(pf));
	EXPECT_EQ(1u << 1, rig_reg64(pf, QM_IFC_READY_STATUS));
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_SOURCE_V) | rig_reg(&self->vf[2], QM_IFC_INT_SOURCE_V));
	raise_vf(pf, 1);
	EXPECT_EQ(STOP, fetch(vf, WDM_PF));
	REFUSED(WDM_REFUSE_MSG_SEND, 0, 1, raise_vf(pf, 1));
	ASSERT_EQ(0, source(pf, ALL, STOP));
	REFUSED(WDM_REFUSE_MSG_SEND, 0, 1, raise_vf(pf, 1));

	rig_reg_set(vf, QM_IFC_INT_SET_V, 1);
	REFUSED(WDM_REFUSE_MSG_SEND, 1, 0, rig_turn(pf));
	EXPECT_EQ(0, rig_reg(vf, QM_IFC_INT_SET_V));
	ASSERT_EQ(0, source(vf, WDM_PF, STOP));
	rig_reg_set(vf, QM_IFC_INT_SET_V, 5);
	REFUSED(WDM_REFUSE_MSG_SEND, 1, 0, rig_turn(pf));
	EXPECT_EQ(0, rig_reg64(pf, QM_IFC_INT_SOURCE_P));
}

TEST_F(dev, reading_what_one_has_sent_is_refused)
{
	EXPECT_LT(0, rig_mailbox(&self->pf, QM_MB_CMD_SRC, QM_MB_OP_GET, 1, STOP));
	EXPECT_LT(0, rig_mailbox(&self->vf[1], QM_MB_CMD_SRC, QM_MB_OP_GET, WDM_PF, STOP));
	EXPECT_EQ(2, rig_refused(&self->pf, WDM_REFUSE_MB_CMD));
	EXPECT_EQ(0, rig_reg64(&self->pf, QM_IFC_READY_STATUS));
}

TEST_HARNESS_MAIN
