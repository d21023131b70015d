// SPDX-License-Identifier: Apache-2.0
/*
 * A client that reads its rings by the phase bit alone, rings the CQ doorbell for every completion and reuses its
 * buffers, as other libraries do. Does each completion belong to its request, and is the result in place?
 * Run under wd-emulate --sec 1.
 */
#include <openssl/evp.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "emulated.h"
#include "noise.h"
#include "rawq.h"
#include "hw/sec_hw.h"
#include "wait_ms.h"

#define DEVICE		"hisi_sec2-0"
#define BLOCK		4096
#define PROCESSES	6
#define BLOCKS		1500	/* per process: more than a pass of the ring */
#define UNIT		32	/* bytes: the device leaves a mark in each unit of a descriptor */
#define AWAY_US		30000

static uint8_t src[BLOCK], dst[BLOCK], want[BLOCK], key[16], iv[16];

static const struct cipher {
	enum sec_c_alg alg;
	enum sec_c_mode mode;
	const EVP_CIPHER *(*evp)(void);
} ciphers[] = {
	{ SEC_C_AES, SEC_C_CBC, EVP_aes_128_cbc },
	{ SEC_C_SM4, SEC_C_CTR, EVP_sm4_ctr },
};

static void fill(struct sec_bd *bd, const struct cipher *c, uint64_t tag)
{
	sec_put(bd, SEC_BD_TYPE, SEC_BD_TYPE3);
	sec_put64(bd, SEC_BD3_TAG, tag);
	sec_put64(bd, SEC_BD3_SRC, (uintptr_t)src);
	sec_put64(bd, SEC_BD3_DST, (uintptr_t)dst);
	sec_put64(bd, SEC_BD3_C_KEY, (uintptr_t)key);
	sec_put64(bd, SEC_BD3_C_IVIN, (uintptr_t)iv);
	sec_put(bd, SEC_BD3_CIPHER, SEC_CIPHER_ENCRYPT);
	sec_put(bd, SEC_BD3_DE, 1);
	sec_put(bd, SEC_BD3_C_ALG, c->alg);
	sec_put(bd, SEC_BD3_C_MODE, c->mode);
	sec_put(bd, SEC_BD3_C_LEN, BLOCK);
	sec_put(bd, SEC_BD3_CTR_XTS, SEC_CTR_ROLLOVER_128);
}

static bool compute(const struct cipher *c)
{
	EVP_CIPHER_CTX *evp = EVP_CIPHER_CTX_new();
	int n;
	bool ok = evp && EVP_EncryptInit_ex(evp, c->evp(), NULL, key, iv) && EVP_CIPHER_CTX_set_padding(evp, 0) &&
		  EVP_EncryptUpdate(evp, want, &n, src, BLOCK) && n == BLOCK;

	EVP_CIPHER_CTX_free(evp);
	return ok;
}

/* The next block: new data, with the end of the last block as the initial value. */
static void next_block(unsigned int seed)
{
	unsigned int i;

	memcpy(iv, want + BLOCK - sizeof(iv), sizeof(iv));
	for (i = 0; i < BLOCK; i++)
		src[i] = (uint8_t)((i * 167 + seed * 31) >> 3);
}

/*
 * 0 if the completion belongs to this request, reports success, and the result is in place; otherwise the failed check.
 */
static int taken(struct rawq *q, uint64_t tag)
{
	struct rawq_done done;
	struct sec_bd bd;

	if (rawq_wait(q, &done, WAIT_MS))
		return 1;
	memcpy(&bd, q->dus + (size_t)done.sq_head * q->info.sqe_size, sizeof(bd));
	if (memcmp(dst, want, BLOCK))
		return 2;
	rawq_ack(q, 0);
	if (!sec_get(&bd, SEC_BD_DONE) || sec_get(&bd, SEC_BD_ERROR))
		return 3;
	return sec_get64(&bd, SEC_BD3_TAG) == tag ? 0 : 4;
}

static int request(struct rawq *q, unsigned int n)
{
	const struct cipher *c = &ciphers[n % 2];

	next_block(n);
	if (!compute(c))
		return 5;
	fill(rawq_slot(q), c, n);
	rawq_push(q, 1);
	return taken(q, n);
}

static int blocks(void)
{
	struct rawq q;
	unsigned int n;
	int ret;

	if (rawq_begin(&q, DEVICE, SEC_QC_TYPE))
		return 6;
	for (n = 1, ret = 0; n <= BLOCKS && !ret; n++)
		ret = request(&q, n);
	if (ret)
		fprintf(stderr, "# block %u of %d: %d\n", n - 1, getpid(), ret);
	rawq_close(&q);
	return ret;
}

TEST(every_block_of_many_processes_is_there_with_its_completion)
{
	pid_t pid[PROCESSES];
	unsigned int i;
	int status;

	for (i = 0; i < PROCESSES; i++) {
		pid[i] = fork();
		ASSERT_LE(0, pid[i]);
		if (!pid[i])
			_exit(blocks());
	}
	for (i = 0; i < PROCESSES; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
	}
}

/* The descriptor's writer loses its CPU between two stores, with the last completion's CQ doorbell in the register. */
TEST(a_descriptor_is_fetched_whole_however_long_its_writer_is_away)
{
	unsigned int pass, unit, n = 0;
	struct rawq q;
	uint8_t *slot;

	ASSERT_EQ(0, rawq_begin(&q, DEVICE, SEC_QC_TYPE));
	for (pass = 0; pass < 2; pass++) {
		ASSERT_EQ(0, request(&q, ++n));
		for (unit = 0; unit < SEC_BD_SIZE / UNIT; unit++) {
			unsigned long long before = emulated_count(DEVICE, "descriptors");

			next_block(++n);
			ASSERT_EQ(true, compute(&ciphers[0]));
			fill(rawq_slot(&q), &ciphers[0], n);
			slot = q.dus + (size_t)q.sq_tail * q.info.sqe_size;
			memcpy(slot, q.staged, unit * UNIT);
			memcpy(slot + (unit + 1) * UNIT, (uint8_t *)q.staged + (unit + 1) * UNIT,
			       SEC_BD_SIZE - (unit + 1) * UNIT);
			__atomic_thread_fence(__ATOMIC_SEQ_CST);
			usleep(AWAY_US);
			rawq_push(&q, 1);
			EXPECT_EQ(0, taken(&q, n)) TH_LOG("pass %u, unit %u last", pass, unit);
			EXPECT_EQ(before + 1, emulated_count(DEVICE, "descriptors"))
				TH_LOG("pass %u, unit %u last", pass, unit);
		}
		while (!pass && q.sq_tail) {
			ASSERT_EQ(0, request(&q, ++n));
		}
	}
	rawq_close(&q);
}

TEST_HARNESS_MAIN
