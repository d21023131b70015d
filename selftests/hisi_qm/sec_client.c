// SPDX-License-Identifier: Apache-2.0
/*
 * Raw descriptors through queues of the first SEC device. sec.sh starts this program on a simulated device, and the
 * emulator's tests start it on an emulated one.
 */
#include "kselftest_harness.h"
#define NEED_DEVICES	1
#define NEED_DRIVER	"hisi_sec2"
#define NEED_ROOT	0
#include "need_machine.h"
#include "rawq.h"
#include "hw/sec_hw.h"
#include "wait_ms.h"

#define LARGE		1000000

FIXTURE(sec) {
	char name[UACCE_NAME_MAX];
	struct rawq q;
	/* device addresses: this process' own */
	uint8_t src[4096], dst[4096], mac[64], c_key[64], a_key[128], c_iv[16], a_iv[16];
};

FIXTURE_SETUP(sec)
{
	if (!uacce_find("hisi_sec2", 0, self->name))
		SKIP(return, "no SEC device");
	ASSERT_EQ(0, rawq_begin(&self->q, self->name, SEC_QC_TYPE));
}

FIXTURE_TEARDOWN(sec)
{
	rawq_close(&self->q);
}

static struct sec_bd *begin(FIXTURE_DATA(sec) *self)
{
	struct sec_bd *bd = rawq_slot(&self->q);

	sec_put(bd, SEC_BD_TYPE, SEC_BD_TYPE3);
	sec_put64(bd, SEC_BD3_TAG, 0x1122334455667788ull);
	sec_put64(bd, SEC_BD3_SRC, (uintptr_t)self->src);
	sec_put64(bd, SEC_BD3_DST, (uintptr_t)self->dst);
	sec_put64(bd, SEC_BD3_MAC, (uintptr_t)self->mac);
	sec_put64(bd, SEC_BD3_C_KEY, (uintptr_t)self->c_key);
	sec_put64(bd, SEC_BD3_A_KEY, (uintptr_t)self->a_key);
	sec_put64(bd, SEC_BD3_C_IVIN, (uintptr_t)self->c_iv);
	sec_put64(bd, SEC_BD3_A_IVIN, (uintptr_t)self->a_iv);
	return bd;
}

static void cipher(struct sec_bd *bd, enum sec_cipher direction, enum sec_c_alg alg, enum sec_c_mode mode, uint32_t len)
{
	sec_put(bd, SEC_BD3_CIPHER, direction);
	sec_put(bd, SEC_BD3_DE, 1);
	sec_put(bd, SEC_BD3_C_ALG, alg);
	sec_put(bd, SEC_BD3_C_MODE, mode);
	sec_put(bd, SEC_BD3_C_LEN, len);
	sec_put(bd, SEC_BD3_CTR_XTS, SEC_CTR_ROLLOVER_128);
}

static void digest(struct sec_bd *bd, enum sec_a_alg alg, uint32_t len, uint32_t mac_bytes)
{
	sec_put(bd, SEC_BD3_AUTH, SEC_AUTH_CALCULATE);
	sec_put(bd, SEC_BD3_A_ALG, alg);
	sec_put(bd, SEC_BD3_A_LEN, len);
	sec_put(bd, SEC_BD3_MAC_LEN, mac_bytes / 4);
}

/* Submits the descriptor that was begun: returns the device's error, 1000 for a mismatch of tags, or -errno. */
static int finish(struct rawq *q)
{
	struct rawq_done done;
	struct sec_bd bd;
	int ret;

	rawq_push(q, 1);
	ret = rawq_wait(q, &done, WAIT_MS);
	if (ret)
		return ret;
	memcpy(&bd, rawq_zip_done(q, &done), sizeof(bd));
	rawq_ack(q, 0);
	if (!sec_get(&bd, SEC_BD_DONE) || sec_get(&bd, SEC_BD_TYPE) != SEC_BD_TYPE3 ||
	    sec_get64(&bd, SEC_BD3_TAG) != 0x1122334455667788ull)
		return -EPROTO;
	if (sec_get(&bd, SEC_BD_ERROR))
		return sec_get(&bd, SEC_BD_ERROR);
	return sec_get(&bd, SEC_BD_ICV) == SEC_ICV_MISMATCH ? 1000 : 0;
}

static void hex(uint8_t *to, const char *digits)
{
	unsigned int byte;

	for (; sscanf(digits, "%2x", &byte) == 1; digits += 2)
		*to++ = byte;
}

#define EXPECT_HEX(digits, p) ({ \
	uint8_t want_[64]; \
	hex(want_, digits); \
	EXPECT_EQ(0, memcmp(want_, p, strlen(digits) / 2)); \
})

/* SP 800-38A, F.2.1; GB/T 32907 */
TEST_F(sec, ciphers_have_the_published_values)
{
	hex(self->c_key, "2b7e151628aed2a6abf7158809cf4f3c");
	hex(self->c_iv, "000102030405060708090a0b0c0d0e0f");
	hex(self->src, "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
	cipher(begin(self), SEC_CIPHER_ENCRYPT, SEC_C_AES, SEC_C_CBC, 32);
	ASSERT_EQ(0, finish(&self->q));
	EXPECT_HEX("7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2", self->dst);
	memcpy(self->src, self->dst, 32);
	cipher(begin(self), SEC_CIPHER_DECRYPT, SEC_C_AES, SEC_C_CBC, 32);
	ASSERT_EQ(0, finish(&self->q));
	EXPECT_HEX("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51", self->dst);
	hex(self->c_key, "0123456789abcdeffedcba9876543210");
	memcpy(self->src, self->c_key, 16);
	cipher(begin(self), SEC_CIPHER_ENCRYPT, SEC_C_SM4, SEC_C_ECB, 16);
	ASSERT_EQ(0, finish(&self->q));
	EXPECT_HEX("681edf34d206965e86b3e94f536e4246", self->dst);
	hex(self->c_key, "0123456789abcdef23456789abcdef01456789abcdef0123");
	memcpy(self->src, "The qufck brown fox jump", 24);
	sec_put(begin(self), SEC_BD3_C_KEY_LEN, SEC_C_KEY_3DES_3);
	cipher((struct sec_bd *)self->q.staged, SEC_CIPHER_ENCRYPT, SEC_C_3DES, SEC_C_ECB, 24);
	ASSERT_EQ(0, finish(&self->q));
	EXPECT_HEX("a826fd8ce53b855fcce21c8112256fe668d5c05dd9b6b900", self->dst);
}

TEST_F(sec, digests_have_the_published_values)
{
	static const struct {
		enum sec_a_alg alg;
		unsigned int bytes;
		const char *abc;
	} v[] = {
		{ SEC_A_MD5, 16, "900150983cd24fb0d6963f7d28e17f72" },
		{ SEC_A_SHA1, 20, "a9993e364706816aba3e25717850c26c9cd0d89d" },
		{ SEC_A_SHA256, 32, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ SEC_A_SHA384, 48,
		  "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7" },
		{ SEC_A_SM3, 32, "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0" },
	};

	memcpy(self->src, "abc", 3);
	for (unsigned int i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		digest(begin(self), v[i].alg, 3, v[i].bytes);
		ASSERT_EQ(0, finish(&self->q));
		EXPECT_HEX(v[i].abc, self->mac);
	}
}

/* GCM's test case 2: encrypt, decrypt, and decrypt with a wrong tag. */
TEST_F(sec, a_wrong_tag_is_noticed)
{
	for (int way = 0; way < 3; way++) {
		struct sec_bd *bd = begin(self);

		memset(self->c_key, 0, 16);
		cipher(bd, way ? SEC_CIPHER_DECRYPT : SEC_CIPHER_ENCRYPT, SEC_C_AES, SEC_C_GCM, 16);
		sec_put(bd, SEC_BD3_C_ICV_LEN, 16);
		if (way)
			hex(self->src, "0388dace60b6a392f328c2b971b2fe78");
		if (way == 2)
			self->mac[15] ^= 1;
		ASSERT_EQ(way == 2 ? 1000 : 0, finish(&self->q));
		if (way)
			EXPECT_HEX("00000000000000000000000000000000", self->dst);
		else
			EXPECT_HEX("0388dace60b6a392f328c2b971b2fe78", self->dst);
	}
	self->mac[15] ^= 1;
	EXPECT_HEX("ab6e47d42cec13bdf53a67b21257bddf", self->mac);
}

TEST_F(sec, a_refused_descriptor_completes_and_the_next_one_works)
{
	cipher(begin(self), SEC_CIPHER_ENCRYPT, SEC_C_AES, SEC_C_CBC, 15);
	EXPECT_EQ(SEC_ERR_LENGTH, finish(&self->q));
	sec_put(begin(self), SEC_BD3_KEY_SEL, 1);
	cipher((struct sec_bd *)self->q.staged, SEC_CIPHER_ENCRYPT, SEC_C_AES, SEC_C_CBC, 16);
	EXPECT_EQ(SEC_ERR_BAD_BD, finish(&self->q));
	cipher(begin(self), SEC_CIPHER_ENCRYPT, SEC_C_AES, 15, 16);
	EXPECT_EQ(SEC_ERR_ALGORITHM, finish(&self->q));
	cipher(begin(self), SEC_CIPHER_ENCRYPT, SEC_C_AES, SEC_C_CBC, 16);
	EXPECT_EQ(0, finish(&self->q));
}

TEST_F(sec, an_address_of_nobody_is_an_error_of_its_request)
{
	struct sec_bd *bd = begin(self);
	void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	bd->dw[SEC_BD3_SRC] = bd->dw[SEC_BD3_SRC + 1] = 0;
	sec_put64(bd, SEC_BD3_SRC, (uintptr_t)hole);
	cipher(bd, SEC_CIPHER_ENCRYPT, SEC_C_AES, SEC_C_CBC, 16);
	EXPECT_EQ(SEC_ERR_ADDRESS, finish(&self->q));
	cipher(begin(self), SEC_CIPHER_ENCRYPT, SEC_C_AES, SEC_C_CBC, 16);
	EXPECT_EQ(0, finish(&self->q));
	munmap(hole, 4096);
}

TEST_F(sec, there_is_one_class_of_queues)
{
	struct rawq q;

	ASSERT_EQ(0, rawq_open(&q, self->name));
	EXPECT_EQ(-EINVAL, uacce_set_qp_ctx(q.fd, 1));
	EXPECT_EQ(SEC_BD_SIZE, q.info.sqe_size);
	rawq_close(&q);
}

/* Encrypted from a list of many pieces, decrypted in place. */
TEST_F_TIMEOUT(sec, a_large_request_goes_there_and_back, 300)
{
	uint8_t *data = malloc(LARGE), *copy = malloc(LARGE);
	struct qm_sgl *list = aligned_alloc(64, 64 + 32 * 200);
	struct qm_sge *e = (struct qm_sge *)(list + 1);
	struct sec_bd *bd = begin(self);
	unsigned int i, piece = LARGE / 200;

	memset(list, 0, 64 + 32 * 200);
	for (i = 0; i < LARGE; i++)
		data[i] = i * 7 + i / 251;
	for (i = 0; i < 200; i++)
		e[i] = (struct qm_sge){ .buf = (uintptr_t)(data + i * piece), .len = piece };
	list->entry_sum_in_sgl = list->entry_sum_in_chain = list->entry_length_in_sgl = 200;
	bd->dw[SEC_BD3_SRC] = bd->dw[SEC_BD3_SRC + 1] = bd->dw[SEC_BD3_DST] = bd->dw[SEC_BD3_DST + 1] = 0;
	sec_put64(bd, SEC_BD3_SRC, (uintptr_t)list);
	sec_put64(bd, SEC_BD3_DST, (uintptr_t)copy);
	sec_put(bd, SEC_BD3_SRC_TYPE, SEC_ADDR_SGL);
	cipher(bd, SEC_CIPHER_ENCRYPT, SEC_C_AES, SEC_C_CTR, LARGE);
	ASSERT_EQ(0, finish(&self->q));
	EXPECT_NE(0, memcmp(data, copy, LARGE));
	bd = begin(self);
	bd->dw[SEC_BD3_SRC] = bd->dw[SEC_BD3_SRC + 1] = bd->dw[SEC_BD3_DST] = bd->dw[SEC_BD3_DST + 1] = 0;
	sec_put64(bd, SEC_BD3_SRC, (uintptr_t)copy);
	sec_put64(bd, SEC_BD3_DST, (uintptr_t)copy);
	cipher(bd, SEC_CIPHER_DECRYPT, SEC_C_AES, SEC_C_CTR, LARGE);
	ASSERT_EQ(0, finish(&self->q));
	EXPECT_EQ(0, memcmp(data, copy, LARGE));
	free(data);
	free(copy);
	free(list);
}

/* More than the ring holds, so that completed slots are used again; WD_TEST_BRIEF=1: a few of its slots. */
TEST_F_TIMEOUT(sec, slots_are_used_again, 300)
{
	int n = getenv("WD_TEST_BRIEF") ? 100 : 2500;

	for (int i = 0; i < n; i++) {
		digest(begin(self), SEC_A_SHA256, 64, 32);
		ASSERT_EQ(0, finish(&self->q)) TH_LOG("request %d", i);
	}
}

TEST_HARNESS_MAIN
