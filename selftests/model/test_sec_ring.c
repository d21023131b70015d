// SPDX-License-Identifier: Apache-2.0
/* SEC descriptors in a ring: which are taken when their doorbell was lost, how faults affect them, what is kept. */
#include <string.h>
#include "kselftest_harness.h"
#include "sec_rig.h"

#define SETTLE_NS	100000
#define LONG_NS		50000000

FIXTURE(dev) {
	struct rig r;
	struct ask cipher;
};

FIXTURE_SETUP(dev)
{
	sec_rig_init(&self->r);
	self->cipher = (struct ask){
		.type = 3, .cipher = SEC_CIPHER_ENCRYPT, .c_alg = SEC_C_AES, .c_mode = SEC_C_CBC, .c_len = 64
	};
}

FIXTURE_TEARDOWN(dev)
{
	rig_free(&self->r);
}

/* The device that takes descriptors of that type */
static struct rig *of_type(struct rig *r, u32 type)
{
	return type == SEC_BD_TYPE2 ? r->other : r;
}

/* Over an empty slot in the ring's first pass, or over an earlier descriptor. */
TEST_F(dev, a_half_written_descriptor_isnt_taken)
{
	struct sec_bd bd;
	u32 before, type, part, i;

	for (before = 0; before < 2; before++)
		for (type = 2; type <= 3; type++) {
			struct rig *r = of_type(&self->r, type);

			self->cipher.type = type;
			for (i = r->q[0].tail; before && i < RIG_DEPTH; i++)
				ASSERT_EQ(0, ask_do(r, &self->cipher));
			/* The CQ doorbell may have overwritten an SQ doorbell. */
			ASSERT_EQ(0, ask_do(r, &self->cipher));
			ask_fill(&bd, &self->cipher);
			for (part = 0; part < 4; part++) {
				struct sec_bd old;
				u32 slot = r->q[0].tail;

				memcpy(&old, rig_slot(r, 0, slot), sizeof(old));
				memcpy(rig_slot(r, 0, slot), &bd, 32 * part);
				memcpy((char *)rig_slot(r, 0, slot) + 32 * (part + 1), (char *)&bd + 32 * (part + 1),
				       96 - 32 * part);
				rig_run(r, LONG_NS);
				EXPECT_EQ(0, rig_recovered(r))
					TH_LOG("type %u, pass %u, all but part %u", type, before, part);
				memcpy(rig_slot(r, 0, slot), &old, sizeof(old));
			}
		}
}

TEST_F(dev, a_descriptor_whose_last_store_is_split_waits_for_its_end)
{
	struct sec_bd bd;
	u32 type, n;

	for (type = 2; type <= 3; type++) {
		struct rig *r = of_type(&self->r, type);

		self->cipher.type = type;
		/* The CQ doorbell may have overwritten an SQ doorbell. */
		ASSERT_EQ(0, ask_do(r, &self->cipher));
		ask_fill(&bd, &self->cipher);
		for (n = 0; rig_store(r, 0, &bd, n); n++) {
			EXPECT_EQ(0, rig_recovered(r)) TH_LOG("type %u, %u stores", type, n);
			rig_run(r, LONG_NS);
		}
		EXPECT_EQ(1, rig_recovered(r));
		r->q[0].tail++;
		EXPECT_LE(0, rig_pop(r, 0));
	}
}

TEST_F(dev, a_whole_one_is_taken_without_its_doorbell)
{
	struct rig *r = &self->r;
	struct sec_bd bd;

	ASSERT_EQ(0, ask_do(r, &self->cipher));
	ask_fill(&bd, &self->cipher);
	rig_push(r, 0, &bd);
	rig_run(r, 10 * SETTLE_NS);
	EXPECT_EQ(1, rig_recovered(r));
	EXPECT_EQ(1, rig_pop(r, 0));
}

static void without_doorbell(struct __test_metadata *_metadata, struct rig *r, const struct ask *a)
{
	struct sec_bd bd;

	ask_fill(&bd, a);
	rig_push(r, 0, &bd);
	r->hold_db = true;
	rig_ring_sq(r, 0);
	rig_ring_cq(r, 0, false);
	r->hold_db = false;
	rig_run(r, 2 * SETTLE_NS);
	EXPECT_EQ(1, rig_recovered(r));
	EXPECT_EQ(0, rig_pop(r, 0));
}

TEST_F(dev, a_part_of_a_stream_isnt_lost)
{
	struct ask a = {
		.type = 3, .auth = 1, .a_alg = SEC_A_SHA256, .scene = SEC_SCENE_STREAM, .a_len = 64, .mac_bytes = 32
	};

	a.pad = SEC_PAD_NONE;
	without_doorbell(_metadata, &self->r, &a);
}

TEST_F(dev, a_digest_of_the_stream_scene_in_one_part_isnt_lost)
{
	struct ask a = {
		.type = 3, .auth = 1, .a_alg = SEC_A_SHA256, .scene = SEC_SCENE_STREAM, .a_len = 64, .mac_bytes = 32
	};

	without_doorbell(_metadata, &self->r, &a);
}

TEST_F(dev, a_digest_of_nothing_isnt_lost)
{
	struct ask a = { .type = 3, .auth = 1, .a_alg = SEC_A_SHA256, .mac_bytes = 32 };

	without_doorbell(_metadata, &self->r, &a);
}

/* A copy of 16 or 32 bytes at once may end within an address. */
TEST_F(dev, half_an_address_waits_for_the_other)
{
	struct rig *r = &self->r;
	struct sec_bd bd;

	ask_fill(&bd, &self->cipher);
	rig_ring_cq(r, 0, false);
	memcpy(rig_slot(r, 0, 0), &bd, 96);
	rig_run(r, LONG_NS);
	EXPECT_EQ(0, rig_recovered(r));
	rig_push(r, 0, &bd);
	rig_run(r, 4 * SETTLE_NS);
	EXPECT_EQ(1, rig_recovered(r));
	EXPECT_EQ(0, rig_pop(r, 0));
}

/* The mask has the opposite meaning of the masks in the queue manager and the other engines. */
TEST_F(dev, errors_are_reported_where_the_mask_is_1)
{
	struct rig *r = &self->r;

	rig_reg_set(r, SEC_ERR_SET, 4);
	rig_turn(r);
	EXPECT_EQ(4, rig_reg(r, SEC_ERR_STATUS));
	EXPECT_EQ(0, r->irqs[WDM_IRQ_ABNORMAL]);
	rig_reg_set(r, SEC_ERR_ENABLE, 4);
	rig_reg_set(r, SEC_ERR_SET, 8);
	rig_turn(r);
	EXPECT_EQ(0, r->irqs[WDM_IRQ_ABNORMAL]);
	rig_reg_set(r, SEC_ERR_SET, 4);
	rig_turn(r);
	EXPECT_EQ(1, r->irqs[WDM_IRQ_ABNORMAL]);
	rig_reg_set(r, SEC_ERR_SOURCE, 4);
	rig_turn(r);
	EXPECT_EQ(8, rig_reg(r, SEC_ERR_STATUS));
}

TEST_F(dev, an_error_closes_the_master_if_selected)
{
	struct rig *r = &self->r;

	rig_reg_set(r, SEC_OOO_SHUTDOWN_SEL, 4);
	rig_reg_set(r, SEC_ERR_SET, 8);
	rig_turn(r);
	EXPECT_EQ(0, ask_do(r, &self->cipher));
	rig_reg_set(r, SEC_ERR_SET, 4);
	rig_turn(r);
	EXPECT_EQ(3, rig_reg(r, ACC_MASTER_TRANS_RETURN));
	EXPECT_EQ(-1, ask_do(r, &self->cipher));
	rig_reg_set(r, SEC_ERR_SOURCE, 4);
	rig_run(r, 10 * SETTLE_NS);
	EXPECT_EQ(1, rig_pop(r, 0));
	rig_ring_cq(r, 0, false);
	EXPECT_EQ(0, ask_do(r, &self->cipher));
}

TEST_F(dev, a_fault_has_its_own_error)
{
	struct wdm_fault_rule rule = { .next = 1, .queue = WDM_FAULT_ANY, .value = 0x42 };
	struct rig *r = &self->r;

	ASSERT_EQ(0, wdm_fault_set(r->dev, WDM_FAULT_FAIL, &rule));
	EXPECT_EQ(0x42, ask_do(r, &self->cipher));
	EXPECT_EQ(0, ask_do(r, &self->cipher));
	rule.value = 0;
	ASSERT_EQ(0, wdm_fault_set(r->dev, WDM_FAULT_FAIL, &rule));
	EXPECT_EQ(SEC_ERR_ABORTED, ask_do(r, &self->cipher));
	rule.value = 0x100;
	EXPECT_EQ(-EINVAL, wdm_fault_set(r->dev, WDM_FAULT_FAIL, &rule));
}

/* The engine expands a key at the beginning of the host's workspace. */
static bool stays(struct rig *r, const unsigned char *key)
{
	static const unsigned char none[256];

	return memmem(r->scratch_mem, wdm_scratch_size(), key, 16) || memcmp(r->engine_ws, none, sizeof(none));
}

TEST_F(dev, no_key_stays_with_the_worker)
{
	static const struct ask asks[] = {
		{ .type = 3, .cipher = 1, .c_alg = SEC_C_AES, .c_mode = SEC_C_XTS, .c_len = 64 },
		{ .type = 3, .cipher = 1, .c_alg = SEC_C_SM4, .c_mode = SEC_C_CBC, .c_len = 64 },
		{ .type = 3, .cipher = 2, .c_alg = SEC_C_3DES, .c_key_len = 1, .c_mode = SEC_C_CBC, .c_len = 64 },
		{ .type = 3, .auth = 1, .a_alg = SEC_A_HMAC_SHA256, .a_key_bytes = 64, .mac_bytes = 32, .a_len = 64 },
		{ .type = 3, .auth = 1, .a_alg = SEC_A_AES_XCBC, .a_key_bytes = 16, .mac_bytes = 16, .a_len = 64 },
		{ .type = 3, .cipher = 1, .auth = 1, .c_alg = SEC_C_AES, .c_mode = SEC_C_CBC, .c_len = 64,
		  .a_alg = SEC_A_HMAC_SHA1, .a_key_bytes = 20, .mac_bytes = 20, .a_len = 64 },
		{ .type = 3, .cipher = 1, .c_alg = SEC_C_AES, .c_mode = SEC_C_GCM, .c_len = 64, .c_icv_len = 16 },
		/* Fails after the key has been read. */
		{ .type = 3, .cipher = 1, .c_alg = SEC_C_AES, .c_mode = SEC_C_CBC, .c_len = 64, .src = AT_HOLE },
	};
	struct rig *r = &self->r;
	u32 i;

	rnd_fill(at(r, AT_C_KEY), 128);
	rnd_fill(at(r, AT_A_KEY), 128);
	for (i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		EXPECT_EQ(asks[i].src ? SEC_ERR_ADDRESS : 0, ask_do(r, &asks[i])) TH_LOG("request %u", i);
		EXPECT_FALSE(stays(r, at(r, AT_C_KEY))) TH_LOG("request %u", i);
		EXPECT_FALSE(stays(r, at(r, AT_A_KEY))) TH_LOG("request %u", i);
	}
}

TEST_F(dev, there_is_one_class_of_queues)
{
	struct rig_queue_opts o = { .alg = 1 };

	EXPECT_NE(0, rig_queue_start(&self->r, 1, &o));
	o.alg = SEC_QC_TYPE;
	EXPECT_EQ(0, rig_queue_start(&self->r, 1, &o));
}

/* As a driver does before it uses the engine. */
TEST_F(dev, the_memory_of_the_engine_is_initialised_when_asked_for)
{
	struct rig *r = &self->r;

	wdm_function_reset(r->dev, WDM_PF);
	EXPECT_EQ(0, rig_reg(r, SEC_MEM_INIT_DONE));
	rig_reg_set(r, SEC_MEM_START_INIT, 1);
	rig_turn(r);
	EXPECT_EQ(1, rig_reg(r, SEC_MEM_INIT_DONE));
}

TEST_F(dev, capabilities_are_those_of_generation_3)
{
	struct rig *r = &self->r;

	EXPECT_EQ(SEC_CAP_DEV_ALGS_LOW_V3, rig_reg(r, SEC_CAP_DEV_ALGS_LOW));
	EXPECT_EQ(SEC_CAP_DEV_ALGS_HIGH_V3, rig_reg(r, SEC_CAP_DEV_ALGS_HIGH));
	EXPECT_EQ(SEC_CAP_DRV_ALGS_LOW_V3, rig_reg(r, SEC_CAP_DRV_ALGS_LOW));
	EXPECT_EQ(0xf, rig_reg(r, SEC_CAP_CORE_ENABLE));
}

/* One request on a device whose register @reg was reset to 0: returns an error, and the refusal names the register. */
static bool refused_without(struct rig *r, const struct ask *a, u32 reg)
{
	u64 before = wdm_device_stats(r->dev)->refused[WDM_REFUSE_ENGINE];
	u32 was = rig_reg(r, reg);
	struct wdm_refused refused;

	rig_reg_set(r, reg, 0);
	if (ask_do(r, a) != SEC_ERR_ABORTED)
		return false;
	wdm_last_refusal(r->dev, &refused);
	rig_reg_set(r, reg, was);
	return wdm_device_stats(r->dev)->refused[WDM_REFUSE_ENGINE] == before + 1 &&
	       refused.reason == WDM_REFUSE_ENGINE && refused.value == reg;
}

TEST_F(dev, nothing_is_executed_before_the_engine_is_initialised)
{
	struct rig *r = &self->r;

	EXPECT_TRUE(refused_without(r, &self->cipher, SEC_SAA_EN));
	EXPECT_TRUE(refused_without(r, &self->cipher, SEC_MEM_INIT_DONE));
	EXPECT_EQ(0, ask_do(r, &self->cipher));
}

TEST_F(dev, descriptors_are_counted_until_told_to_forget)
{
	struct rig *r = &self->r;
	u32 i;

	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, ask_do(r, &self->cipher));
	rig_turn(r);
	EXPECT_EQ(5, rig_reg(r, SEC_BD_NUM_IN_SEC));
	EXPECT_EQ(5, rig_reg(r, SEC_BD_NUM_IN_SAA0) + rig_reg(r, SEC_BD_NUM_IN_SAA1));
	rig_reg_set(r, SEC_CNT_CLR_CE, 1);
	ASSERT_EQ(0, ask_do(r, &self->cipher));
	rig_turn(r);
	EXPECT_EQ(0, rig_reg(r, SEC_BD_NUM_IN_SEC));
	rig_reg_set(r, SEC_CNT_CLR_CE, 0);
	ASSERT_EQ(0, ask_do(r, &self->cipher));
	rig_turn(r);
	EXPECT_EQ(1, rig_reg(r, SEC_BD_NUM_IN_SEC));
}

TEST_F(dev, a_reset_clears_what_a_driver_sets)
{
	static const u32 regs[] = {
		SEC_SAA_EN, SEC_CONTROL, SEC_USER_CTRL0_V3, SEC_USER_CTRL1_V3, SEC_CORE_AUTO_GATE, SEC_BD_NUM_IN_SEC
	};
	struct rig *r = &self->r;
	u32 i;

	for (i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		rig_reg_set(r, regs[i], ~0u);
	wdm_function_reset(r->dev, WDM_PF);
	for (i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		EXPECT_EQ(0, rig_reg(r, regs[i])) TH_LOG("0x%x", regs[i]);
}

TEST_F(dev, an_error_closes_the_master_only_where_that_is_switched_on)
{
	struct rig *r = &self->r;

	rig_reg_set(r, SEC_OOO_SHUTDOWN_SEL, 4);
	rig_reg_set(r, SEC_CONTROL, 0);
	rig_reg_set(r, SEC_ERR_SET, 4);
	EXPECT_EQ(0, ask_do(r, &self->cipher));
	rig_reg_set(r, SEC_ERR_SOURCE, 4);
	rig_turn(r);
	rig_reg_set(r, SEC_CONTROL, SEC_CONTROL_AXI_SHUTDOWN);
	rig_reg_set(r, SEC_ERR_SET, 4);
	rig_turn(r);
	EXPECT_EQ(3, rig_reg(r, ACC_MASTER_TRANS_RETURN));
}

TEST_HARNESS_MAIN
