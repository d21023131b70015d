// SPDX-License-Identifier: Apache-2.0
/*
 * Raw descriptors through queues of the first HPRE device. hpre.sh starts this program on a simulated device, and the
 * emulator's tests start it on an emulated one.
 */
#include "kselftest_harness.h"
#define NEED_DEVICES	1
#define NEED_DRIVER	"hisi_hpre"
#define NEED_ROOT	0
#include "need_machine.h"
#include "hw/hpre_hw.h"
#include "rawq.h"
#include "wait_ms.h"

#define TAG		0x1122334455667788ull

FIXTURE(hpre) {
	char name[UACCE_NAME_MAX];
	struct rawq q[2];	/* by enum hpre_qc_type */
	/* device addresses: this process' own */
	uint8_t key[2048], in[1024], out[2048];
};

FIXTURE_SETUP(hpre)
{
	if (!uacce_find("hisi_hpre", 0, self->name))
		SKIP(return, "no HPRE device");
	ASSERT_EQ(0, rawq_begin(&self->q[HPRE_QC_RSA_DH], self->name, HPRE_QC_RSA_DH));
	ASSERT_EQ(0, rawq_begin(&self->q[HPRE_QC_ECC], self->name, HPRE_QC_ECC));
}

FIXTURE_TEARDOWN(hpre)
{
	rawq_close(&self->q[HPRE_QC_RSA_DH]);
	rawq_close(&self->q[HPRE_QC_ECC]);
}

static struct rawq *queue_for(FIXTURE_DATA(hpre) *self, enum hpre_op op)
{
	return &self->q[op >= HPRE_ECC_MULTIPLY ? HPRE_QC_ECC : HPRE_QC_RSA_DH];
}

static struct hpre_sqe *begin(FIXTURE_DATA(hpre) *self, enum hpre_op op, uint32_t bytes)
{
	struct hpre_sqe *sqe = rawq_slot(queue_for(self, op));

	sqe->dw0 = htole32(op | HPRE_DONE_SOFTWARE << HPRE_DW0_DONE_SHIFT);
	sqe->task_len1 = bytes / 8 - 1;
	sqe->key = htole64((uintptr_t)self->key);
	sqe->in = htole64((uintptr_t)self->in);
	sqe->out = htole64((uintptr_t)self->out);
	sqe->tag = htole64(TAG);
	return sqe;
}

/* Submits the descriptor that was begun: returns the device's error, 1000 for a signature that is valid, or -errno. */
static int finish(struct rawq *q)
{
	struct hpre_sqe sqe;
	struct rawq_done done;
	uint32_t op, dw0;
	int ret;

	rawq_push(q, 1);
	ret = rawq_wait(q, &done, WAIT_MS);
	if (ret)
		return ret;
	memcpy(&sqe, rawq_zip_done(q, &done), sizeof(sqe));
	rawq_ack(q, 0);
	dw0 = le32toh(sqe.dw0);
	op = dw0 & HPRE_DW0_ALG_MASK;
	if (dw0 >> HPRE_DW0_DONE_SHIFT != HPRE_DONE_HARDWARE || le64toh(sqe.tag) != TAG)
		return -EPROTO;
	if (dw0 >> HPRE_DW0_ETYPE_SHIFT & HPRE_DW0_ETYPE_MASK)
		return dw0 >> HPRE_DW0_ETYPE_SHIFT & HPRE_DW0_ETYPE_MASK;
	return (op == HPRE_ECDSA_VERIFY || op == HPRE_SM2_VERIFY) && le64toh(sqe.out) & HPRE_VERIFY_VALID ? 1000 : 0;
}

static int ask(FIXTURE_DATA(hpre) *self, enum hpre_op op, uint32_t bytes)
{
	begin(self, op, bytes);
	return finish(queue_for(self, op));
}

/* The @i-th number of @bytes, right-aligned */
static void put(uint8_t *to, unsigned int i, unsigned int bytes, const char *digits)
{
	unsigned int byte;

	memset(to + i * bytes, 0, bytes);
	for (to += (i + 1) * bytes - strlen(digits) / 2; sscanf(digits, "%2x", &byte) == 1; digits += 2)
		*to++ = byte;
}

static int is(const uint8_t *p, unsigned int i, unsigned int bytes, const char *digits)
{
	uint8_t want[512];

	put(want, 0, bytes, digits);
	return !memcmp(want, p + i * bytes, bytes);
}

#define P256_P	"ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
#define P256_A	"ffffffff00000001000000000000000000000000fffffffffffffffffffffffc"
#define P256_B	"5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"
#define P256_N	"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
#define P256_GX	"6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
#define P256_GY	"4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"

static void put_all(uint8_t *to, unsigned int bytes, const char * const *digits, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		put(to, i, bytes, digits[i]);
}

/* Modulo 2 ^ 1024 - 1, powers of two are simple. */
static void put_power(FIXTURE_DATA(hpre) *self)
{
	put(self->key, 0, 128, "0401");
	memset(self->key + 128, 0xff, 128);
	put(self->in, 0, 128, "02");
}

TEST_F(hpre, powers_are_right)
{
	put_power(self);
	ASSERT_EQ(0, ask(self, HPRE_RSA, 128));
	EXPECT_TRUE(is(self->out, 0, 128, "02"));
	memset(self->out, 0, 128);
	ASSERT_EQ(0, ask(self, HPRE_DH_G2, 128));
	EXPECT_TRUE(is(self->out, 0, 128, "02"));
	put(self->key, 0, 128, "03");
	put(self->in, 0, 128, "05");
	ASSERT_EQ(0, ask(self, HPRE_DH, 128));
	EXPECT_TRUE(is(self->out, 0, 128, "7d"));
	put(self->in, 0, 128, "00");
	ASSERT_EQ(0, ask(self, HPRE_DH, 128));
	EXPECT_TRUE(is(self->out, 0, 128, "00"));
}

/* p = 11, q = 7: the device makes a key from them that undoes the power of 7. */
TEST_F(hpre, a_key_it_makes_works)
{
	put(self->key, 0, 128, "07");
	put(self->key, 2, 64, "0b");
	put(self->key, 3, 64, "07");
	ASSERT_EQ(0, ask(self, HPRE_RSA_KEYGEN_CRT, 128));
	EXPECT_TRUE(is(self->out, 0, 128, "2b"));
	EXPECT_TRUE(is(self->out, 1, 128, "4d"));
	EXPECT_TRUE(is(self->out, 4, 64, "08"));
	memcpy(self->key, self->out + 5 * 64, 128);
	put(self->key, 2, 64, "07");
	put(self->key, 3, 64, "0b");
	put(self->key, 4, 64, "08");
	put(self->in, 0, 128, "33");	/* 2 ^ 7 modulo 77 */
	ASSERT_EQ(0, ask(self, HPRE_RSA_CRT, 128));
	EXPECT_TRUE(is(self->out, 0, 128, "02"));
}

/* RFC 6979, A.2.5: "sample" with SHA-256 */
TEST_F(hpre, curves_have_the_published_values)
{
	static const char d[] = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721";
	static const char x[] = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6";
	static const char y[] = "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299";
	static const char e[] = "af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf";
	static const char k[] = "a6e3c57dd01abe90086538398355dd4c3b17aa873382b0f24d6129493d8aad60";
	static const char r[] = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716";
	static const char s[] = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8";

	put_all(self->key, 32, (const char *[]){ P256_P, P256_A, d, P256_B, P256_N, P256_GX, P256_GY }, 7);
	put_all(self->in, 32, (const char *[]){ P256_GX, P256_GY }, 2);
	ASSERT_EQ(0, ask(self, HPRE_ECC_MULTIPLY, 32));
	EXPECT_TRUE(is(self->out, 0, 32, x));
	EXPECT_TRUE(is(self->out, 1, 32, y));
	put_all(self->in, 32, (const char *[]){ e, k }, 2);
	ASSERT_EQ(0, ask(self, HPRE_ECDSA_SIGN, 32));
	EXPECT_TRUE(is(self->out, 0, 32, r));
	EXPECT_TRUE(is(self->out, 1, 32, s));
	put_all(self->key, 32, (const char *[]){ P256_P, P256_A, P256_B, P256_N, P256_GX, P256_GY, x, y }, 8);
	put_all(self->in, 32, (const char *[]){ e, s, r }, 3);
	EXPECT_EQ(1000, ask(self, HPRE_ECDSA_VERIFY, 32));
	put_all(self->in, 32, (const char *[]){ e, r, s }, 3);
	EXPECT_EQ(0, ask(self, HPRE_ECDSA_VERIFY, 32));
}

/* RFC 7748, 6.1: Alice's public key */
TEST_F(hpre, x25519_has_the_published_value)
{
	put(self->key, 0, 32, "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed");
	put(self->key, 1, 32, "01db41");
	put(self->key, 2, 32, "6a2cb91da5fb77b12a99c0eb872f4cdf4566b25172c1163c7da518730a6d0770");
	put(self->in, 0, 32, "09");
	ASSERT_EQ(0, ask(self, HPRE_MONTGOMERY, 32));
	EXPECT_TRUE(is(self->out, 0, 32, "6a4e9baa8ea9a4ebf41a38260d3abf0d5af73eb4dc7d8b7454a7308909f02085"));
}

/* GM/T 0003.5: "encryption standard" with a number that the device chooses, and back */
TEST_F(hpre, sm2_encrypts_and_decrypts)
{
	static const char p[] = "fffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff";
	static const char a[] = "fffffffeffffffffffffffffffffffffffffffff00000000fffffffffffffffc";
	static const char b[] = "28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93";
	static const char n[] = "fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123";
	static const char gx[] = "32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7";
	static const char gy[] = "bc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0";
	static const char d[] = "3945208f7b2144b13f36e38ac6d39f95889393692860b51a42fb81ef4df7c5b8";
	static const char x[] = "09f9df311e5421a150dd7d161e4bc5c672179fad1833fc076bb08ff356f35020";
	static const char y[] = "ccea490ce26775a52dc6ea718cc1aa600aed05fbf35e084a6632f6072da9ad13";
	static const char text[] = "encryption standard";
	struct hpre_sqe *sqe;

	put_all(self->key, 32, (const char *[]){ p, a, b, n, gx, gy, x, y }, 8);
	memcpy(self->in + 32, text, 19);
	sqe = begin(self, HPRE_SM2_ENCRYPT, 32);
	sqe->flags = HPRE_FLAG_SM2_KSEL;
	sqe->dw10 = htole32(18);
	ASSERT_EQ(0, finish(&self->q[HPRE_QC_ECC]));
	memcpy(self->in, self->out, 96 + 19);
	put_all(self->key, 32, (const char *[]){ p, a, d, b, n, gx, gy }, 7);
	sqe = begin(self, HPRE_SM2_DECRYPT, 32);
	sqe->dw10 = htole32(18);
	ASSERT_EQ(0, finish(&self->q[HPRE_QC_ECC]));
	EXPECT_EQ(0, memcmp(text, self->out, 19));
	self->in[64] ^= 1;
	sqe = begin(self, HPRE_SM2_DECRYPT, 32);
	sqe->dw10 = htole32(18);
	EXPECT_EQ(HPRE_ERR_MISMATCH, finish(&self->q[HPRE_QC_ECC]));
}

TEST_F(hpre, a_refused_descriptor_completes_and_the_next_one_works)
{
	struct hpre_sqe *sqe;

	put_power(self);
	sqe = begin(self, HPRE_RSA, 128);
	sqe->rsvd[0] = 1;
	EXPECT_EQ(HPRE_ERR_BAD_SQE, finish(&self->q[HPRE_QC_RSA_DH]));
	EXPECT_EQ(HPRE_ERR_OPERATION, ask(self, HPRE_MOD_INV, 128));
	EXPECT_EQ(HPRE_ERR_LENGTH, ask(self, HPRE_RSA, 64));
	self->key[255] = 0xfe;
	EXPECT_EQ(HPRE_ERR_MODULUS, ask(self, HPRE_RSA, 128));
	self->key[255] = 0xff;
	memset(self->in, 0xff, 128);
	EXPECT_EQ(HPRE_ERR_OPERAND, ask(self, HPRE_RSA, 128));
	put_power(self);
	EXPECT_EQ(0, ask(self, HPRE_RSA, 128));
}

TEST_F(hpre, an_operation_of_the_other_kind_is_refused)
{
	struct rawq *q = &self->q[HPRE_QC_ECC];

	put_power(self);
	begin(self, HPRE_RSA, 128);
	memcpy(q->staged, self->q[HPRE_QC_RSA_DH].staged, HPRE_SQE_SIZE);
	EXPECT_EQ(HPRE_ERR_OPERATION, finish(q));
}

TEST_F(hpre, an_address_of_nobody_is_an_error_of_its_request)
{
	void *hole = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct hpre_sqe *sqe;

	put_power(self);
	sqe = begin(self, HPRE_RSA, 128);
	sqe->in = htole64((uintptr_t)hole);
	EXPECT_EQ(HPRE_ERR_ADDRESS, finish(&self->q[HPRE_QC_RSA_DH]));
	EXPECT_EQ(0, ask(self, HPRE_RSA, 128));
	munmap(hole, 4096);
}

TEST_F(hpre, there_are_two_classes_of_queues)
{
	struct rawq q;

	ASSERT_EQ(0, rawq_open(&q, self->name));
	EXPECT_EQ(-EINVAL, uacce_set_qp_ctx(q.fd, 2));
	EXPECT_EQ(HPRE_SQE_SIZE, q.info.sqe_size);
	rawq_close(&q);
}

/* More than the ring holds, so that completed slots are used again; WD_TEST_BRIEF=1: a few of its slots. */
TEST_F_TIMEOUT(hpre, slots_are_used_again, 300)
{
	int n = getenv("WD_TEST_BRIEF") ? 100 : 1200;

	put_power(self);
	for (int i = 0; i < n; i++) {
		ASSERT_EQ(0, ask(self, HPRE_DH_G2, 128)) TH_LOG("request %d", i);
	}
}

TEST_HARNESS_MAIN
