// SPDX-License-Identifier: Apache-2.0
/* The table takes what the model takes, and nothing else: each bit of good descriptors changed, and pairs of fields. */
#include <stdlib.h>
#include "kselftest_harness.h"
#include "good.h"
#include "hw/hpre_hw.h"
#include "hw/sec_access_hw.h"
#include "hw/zip_access_hw.h"

FIXTURE(twin) {
	struct twin t;
};

FIXTURE_SETUP(twin)
{
	twin_init(&self->t);
	srand(1);
}

FIXTURE_TEARDOWN(twin)
{
	twin_free(&self->t);
}

/* The verdict of both; false: they differ. */
static bool agree(struct twin *t, const u32 *sqe, bool *taken)
{
	struct tr_request r;

	*taken = !tr_read(&r, &t->q, sqe);
	return *taken == twin_accepts(t, sqe);
}

TEST_F(twin, one_bit)
{
	u32 i, bit, generation, good[TR_WORDS_MAX], taken = 0, refused = 0;
	struct twin *t = &self->t;
	bool takes;

	for (generation = 2; generation <= 3; generation++) {
		for (i = 0; i < good_nr(); i++) {
			if (!good_make(t, i, generation, 1, good))
				continue;
			for (bit = 0; bit < tr_sqe_bytes(&t->q) * 8; bit++) {
				good[bit / 32] ^= 1u << bit % 32;
				EXPECT_TRUE(agree(t, good, &takes))
					TH_LOG("%s of generation %u: bit %u of word %u", good_name(i), generation,
					       bit % 32, bit / 32);
				good[bit / 32] ^= 1u << bit % 32;
				taken += takes;
				refused += !takes;
			}
		}
	}
	EXPECT_LT(10000, taken);
	EXPECT_LT(10000, refused);
}

/* Fields of SEC at random, most of them small, upon a good request */
TEST_F(twin, some_fields)
{
	u32 i, n, round, generation, sqe[TR_WORDS_MAX], taken = 0;
	struct twin *t = &self->t;
	bool takes;

	for (generation = 2; generation <= 3; generation++) {
		for (i = 0; i < good_nr(); i++) {
			for (round = 0; round < 1500; round++) {
				if (!good_make(t, i, generation, 1, sqe) || t->q.engine != TR_SEC)
					break;
				for (n = (u32)rand() % 5; n; n--)
					good_sec_set(sqe, generation, 1 + (u32)rand() % (SEC_F_NR - 1),
						     (u32)rand() % (rand() & 1 ? 4 : 300));
				if (rand() % 8 == 0)
					good_sec_set64(sqe, generation, (u32)rand() % SEC_L_NR, (u32)rand() % 4 * 64);
				if (rand() % 8 == 0)
					good_sec_set64(sqe, generation, SEC_L_DST, GOOD_SRC + (u32)rand() % 128);
				EXPECT_TRUE(agree(t, sqe, &takes))
					TH_LOG("%s of generation %u, round %u", good_name(i), generation, round);
				taken += takes;
			}
		}
	}
	EXPECT_LT(5000, taken);
}

static bool of_both_directions(const struct twin *t, const u32 *sqe)
{
	return t->q.engine == TR_ZIP && !(zip_access_req_of(3, sqe[9] & ZIP_DW9_REQ_MASK)->flags & ZIP_ONLY_COMPRESSES);
}

TEST_F(twin, words_of_other_engines_and_queues)
{
	u32 i, generation, sqe[TR_WORDS_MAX];
	struct twin *t = &self->t;
	bool takes;

	for (generation = 2; generation <= 3; generation++) {
		for (i = 0; i < good_nr(); i++) {
			if (!good_make(t, i, generation, 1, sqe) || t->q.engine == TR_SEC)
				continue;
			t->q.qc_type ^= t->q.engine == TR_ZIP || generation > 2;
			EXPECT_TRUE(agree(t, sqe, &takes)) TH_LOG("%s: another type of queue", good_name(i));
			EXPECT_EQ(of_both_directions(t, sqe) || generation == 2, takes);
			t->q.generation = (u8)(5 - generation);
			if (t->q.engine == TR_HPRE)
				continue;
			EXPECT_TRUE(agree(t, sqe, &takes)) TH_LOG("%s: another generation", good_name(i));
			EXPECT_FALSE(takes);
		}
	}
}

/* What the kernel says to each kind of bad descriptor */
TEST_F(twin, the_status_of_a_refusal)
{
	struct twin *t = &self->t;
	u32 sqe[TR_WORDS_MAX], i;

#define STATUS(name, status, ...) do { \
	struct tr_request r; \
	for (i = 0; i < good_nr() && strcmp(good_name(i), name); i++) \
		; \
	ASSERT_TRUE(good_make(t, i, 3, 1, sqe)); \
	__VA_ARGS__; \
	EXPECT_EQ(status, tr_read(&r, &t->q, sqe)); \
} while (0)
	STATUS("zlib", ZIP_ST_BAD_REQUEST, sqe[10] = 1);
	STATUS("zlib", ZIP_ST_BAD_REQUEST, sqe[4] = ZIP_MAX_INPUT + 1);
	STATUS("zlib stream", ZIP_ST_NOSPACE, sqe[14] = ZIP_STREAM_MIN_OUT - 1);
	STATUS("zlib", 0, sqe[14] = ZIP_STREAM_MIN_OUT - 1);
	STATUS("lz77_zstd", ZIP_ST_BAD_REQUEST, sqe[4] = ZIP_LZ77_ZSTD_MAX + 1);
	STATUS("lz77_zstd", ZIP_ST_BAD_REQUEST, sqe[24] = sqe[25] = 0);
	STATUS("lz77_zstd", ZIP_ST_NOSPACE, sqe[13]--);
	STATUS("lz77_zstd", ZIP_ST_NOSPACE, sqe[14] = ZIP_LZ77_ZSTD_TAIL - 1);
	STATUS("lz77_zstd stream", ZIP_ST_NOSPACE, sqe[14] = 1000);
	STATUS("lz4", ZIP_ST_BAD_REQUEST, sqe[4] = 0);
	STATUS("aes-cbc", SEC_ERR_BAD_BD, sqe[0] |= 1u << 31);
	STATUS("aes-cbc", SEC_ERR_LENGTH, good_sec_set(sqe, 3, SEC_F_C_LEN, 63));
	STATUS("aes-cbc", SEC_ERR_ALGORITHM, good_sec_set(sqe, 3, SEC_F_C_KEY_LEN, 3));
	STATUS("aes-cbc", SEC_ERR_ALGORITHM, good_sec_set(sqe, 3, SEC_F_CIPHER, SEC_CIPHER_COPY));
	STATUS("sha256", SEC_ERR_BAD_BD, good_sec_set(sqe, 3, SEC_F_MAC_LEN, 9));
	STATUS("dh", HPRE_ERR_BAD_SQE, sqe[15] = 1);
	STATUS("dh", HPRE_ERR_LENGTH, sqe[1] = 3);
	STATUS("dh", HPRE_ERR_OPERATION, sqe[0] = (sqe[0] & ~31u) | HPRE_MOD);
	STATUS("dh", HPRE_ERR_OPERATION, t->q.qc_type = HPRE_QC_ECC);
#undef STATUS
}

TEST_HARNESS_MAIN
