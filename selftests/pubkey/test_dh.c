// SPDX-License-Identifier: Apache-2.0
/* Diffie-Hellman against published vectors, exchanges in every group, and refusals. */
#include <openssl/bn.h>

#include "dh_test.h"
#include "kselftest_harness.h"

/* --- vectors --- */

/* Checks x's public value, and the secret with a peer's value, as far as they are given. */
static bool exchange(struct wd_number p, struct wd_number g, struct wd_number x, struct bytes *own, struct bytes *peer,
		     struct bytes *z)
{
	unsigned char out[DH_MAX], want[DH_MAX], theirs[DH_MAX];
	size_t len = sizeof(out), k;
	handle_t h = dh_open_value(p, g);
	bool good = h;

	if (!h)
		return errno == EINVAL && strstr(detail(0), "bits");
	k = (size_t)wd_dh_sess_bytes(h);
	if (own)
		good = !dh_do(h, WD_DH_PUBLIC, &x, NULL, 0, out, &len) && len == k && pad_to(want, k, own) &&
		       !memcmp(out, want, k);
	len = sizeof(out);
	if (peer)
		good &= pad_to(theirs, k, peer) && !wd_dh_set_key(h, &x) &&
			!dh_do(h, WD_DH_SHARED, NULL, theirs, k, out, &len) && pad_to(want, k, z) &&
			!memcmp(out, want, k);
	if (!good)
		printf("# %s\n", detail(h));
	wd_dh_free_sess(h);
	return good;
}

static bool rfc5114_case(void *arg, struct vec *v)
{
	static const char *const names[] = { "P", "G", "XstatIUT", "YstatIUT", "YstatCAVS", "Z" };
	struct bytes b[6];
	unsigned int i;
	bool good;

	for (i = 0; i < 6; i++)
		b[i] = vec_bytes(v, names[i]);
	good = exchange(number_of(&b[0]), number_of(&b[1]), number_of(&b[2]), &b[3], &b[4], &b[5]);
	release(b, 6);
	return good;
}

TEST(rfc_5114_exchanges)
{
	static const char *const files[] = { "asymmetric/DH/RFC5114.txt", NULL };

	VEC_FILES(files, "Z", rfc5114_case, NULL);
}

static struct bytes decimal(struct vec *v, const char *name)
{
	struct bytes b = { .at = malloc(2048) };
	BIGNUM *bn = NULL;

	if (BN_dec2bn(&bn, vec_text(v, name)))
		b.len = (size_t)BN_bn2bin(bn, b.at);
	BN_free(bn);
	return b;
}

static bool botan_case(void *arg, struct vec *v)
{
	struct bytes b[5] = { decimal(v, "P"), decimal(v, "G"), decimal(v, "X"), decimal(v, "Y"), vec_bytes(v, "K") };
	bool good = exchange(number_of(&b[0]), number_of(&b[1]), number_of(&b[2]), NULL, &b[3], &b[4]);

	release(b, 5);
	return good;
}

TEST(exchanges_of_all_sizes)
{
	static const char *const files[] = { "asymmetric/DH/vec.txt", NULL };

	VEC_FILES(files, "K", botan_case, NULL);
}

static bool group_case(void *arg, struct vec *v)
{
	int *group = arg;
	handle_t named, valued;
	unsigned char a[DH_MAX], b[DH_MAX];
	size_t a_len = sizeof(a), b_len = sizeof(b);
	struct bytes p = vec_bytes(v, "P");
	struct wd_number x = number("some private value, not longer than it needs to be", 50);
	bool good = true;

	if (*group <= WD_DH_MODP_4096) {
		named = dh_open((*group)++, WD_SYNC, 0);
		valued = dh_open_value(number_of(&p), number("\2", 1));
		good = named && valued && !dh_do(named, WD_DH_PUBLIC, &x, NULL, 0, a, &a_len) &&
		       !dh_do(valued, WD_DH_PUBLIC, &x, NULL, 0, b, &b_len) && a_len == b_len && !memcmp(a, b, a_len);
		wd_dh_free_sess(named);
		wd_dh_free_sess(valued);
	}
	free(p.at);
	return good;
}

TEST(groups_by_name_are_those_of_rfc_3526)
{
	static const char *const files[] = { "asymmetric/DH/rfc3526.txt", NULL };
	int group = WD_DH_MODP_1536;

	VEC_FILES(files, "G", group_case, &group);
	EXPECT_EQ(WD_DH_MODP_4096 + 1, group);
}

TEST(two_sides_agree_in_every_group)
{
	static const int bytes[] = { 0, 96, 128, 192, 256, 384, 512, 256, 384, 512 };
	unsigned char x[2][DH_MAX], y[2][DH_MAX], z[2][DH_MAX];
	int group, side;

	for (group = WD_DH_MODP_768; group <= WD_DH_FFDHE4096; group++) {
		handle_t h = dh_open(group, WD_SYNC, 0);
		struct wd_number priv[2];
		size_t k, len;

		ASSERT_NE(0, h) TH_LOG("%d: %s", group, detail(0));
		k = (size_t)wd_dh_sess_bytes(h);
		ASSERT_EQ(bytes[group], k);
		for (side = 0; side < 2; side++) {
			/* One short private value, one as long as p. */
			priv[side] = number(x[side], side ? k : 33);
			fill_noise(x[side], k, (unsigned int)group * 2 + (unsigned int)side);
			x[side][0] &= 0x7f;
			len = k;
			ASSERT_EQ(0, dh_do(h, WD_DH_PUBLIC, &priv[side], NULL, 0, y[side], &len));
		}
		for (side = 0; side < 2; side++) {
			len = k;
			ASSERT_EQ(0, dh_do(h, WD_DH_SHARED, &priv[side], y[!side], k, z[side], &len));
		}
		EXPECT_EQ(0, memcmp(z[0], z[1], k));
		EXPECT_EQ(0, wd_dh_free_sess(h));
	}
}

/* --- refusals --- */

static const unsigned char *prime(size_t k)
{
	static unsigned char p[DH_MAX];

	memset(p, 0xff, sizeof(p));
	p[k / 2] = 3;
	return p;
}

TEST(a_setup_out_of_range_is_refused_and_the_member_named)
{
	struct wd_dh_sess_setup good = { .group = WD_DH_FFDHE2048 }, setup;
	unsigned char even[128];

	memcpy(even, prime(128), 128);
	even[127] &= 0xfe;
	NO_SESSION(EINVAL, wd_dh_alloc_sess(NULL, NULL), "setup");
	BAD_SETUP(wd_dh_alloc_sess, setup.group = 10, EINVAL, "group 10");
	BAD_SETUP(wd_dh_alloc_sess, setup.op_type = 2, EINVAL, "op_type");
	BAD_SETUP(wd_dh_alloc_sess, setup.reserved8 = 1, EINVAL, "reserved8");
	BAD_SETUP(wd_dh_alloc_sess, setup.reserved16 = 1, EINVAL, "reserved16");
	BAD_SETUP(wd_dh_alloc_sess, setup.flags = 0x80, EINVAL, "flags");
	BAD_SETUP(wd_dh_alloc_sess, setup.reserved[1] = 1, EINVAL, "reserved[1]");
	BAD_SETUP(wd_dh_alloc_sess, setup.g = number("\2", 1), EINVAL, "by name");
	BAD_SETUP(wd_dh_alloc_sess, setup.p = number("\2", 1), EINVAL, "by name");
	good = (struct wd_dh_sess_setup){ .p = number(prime(128), 128), .g = number("\5", 1) };
	BAD_SETUP(wd_dh_alloc_sess, setup.p = number(NULL, 0), EINVAL, "setup->p is missing");
	BAD_SETUP(wd_dh_alloc_sess, setup.g = number(NULL, 0), EINVAL, "setup->g is missing");
	BAD_SETUP(wd_dh_alloc_sess, setup.p = number(prime(64), 64), EINVAL, "512 bits");
	BAD_SETUP(wd_dh_alloc_sess, setup.p = number(prime(127), 127), EINVAL, "1016 bits");
	BAD_SETUP(wd_dh_alloc_sess, setup.p.len = 513, EINVAL, "longer than 512");
	BAD_SETUP(wd_dh_alloc_sess, setup.p = number(even, 128), EINVAL, "even");
	BAD_SETUP(wd_dh_alloc_sess, setup.g = number("\0", 1), EINVAL, "2 .. p - 2");
	BAD_SETUP(wd_dh_alloc_sess, setup.g = number("\1", 1), EINVAL, "2 .. p - 2");
	BAD_SETUP(wd_dh_alloc_sess, setup.g = number(even, 128), EINVAL, "2 .. p - 2");
	BAD_SETUP(wd_dh_alloc_sess, setup.g = setup.p, EINVAL, "2 .. p - 2");
	BAD_SETUP(wd_dh_alloc_sess, setup.g.len = 129, EINVAL, "longer than 128");
}

FIXTURE(dh) {
	handle_t h;
	unsigned char p[128], out[128];
	size_t len;
};

FIXTURE_SETUP(dh)
{
	memcpy(self->p, prime(128), 128);
	self->h = dh_open_value(number(self->p, 128), number("\5", 1));
	self->len = 128;
	ASSERT_NE(0, self->h);
}

FIXTURE_TEARDOWN(dh)
{
	EXPECT_EQ(0, wd_dh_free_sess(self->h));
}

#define DO(op, x, in, n)	(self->len = 128, dh_do(self->h, op, x, in, n, self->out, &self->len))

TEST_F(dh, private_values_out_of_range_are_refused)
{
	unsigned char top[128], long_one[130] = { 0 };
	struct wd_number bad[] = {
		number("\0", 1), number("\1", 1), number(top, 128), number(self->p, 128), number(long_one, 130),
		number(NULL, 0),
	};
	struct wd_number good = number(long_one + 1, 129);
	unsigned int i;

	memcpy(top, self->p, 128);
	top[127]--;
	long_one[1] = 1;
	REFUSED(EINVAL, self->h, DO(WD_DH_PUBLIC, NULL, NULL, 0), "private value");
	REFUSED(EINVAL, self->h, wd_dh_set_key(self->h, NULL), "key is NULL");
	for (i = 0; i < 6; i++) {
		REFUSED(EINVAL, self->h, wd_dh_set_key(self->h, &bad[i]), "private value");
		REFUSED(EINVAL, self->h, DO(WD_DH_PUBLIC, &bad[i], NULL, 0), "private value");
		EXPECT_EQ(0, self->len);
	}
	long_one[1] = 0;
	long_one[129] = 7;
	EXPECT_EQ(0, DO(WD_DH_PUBLIC, &good, NULL, 0)) TH_LOG("%s", detail(self->h));
	EXPECT_EQ(0, wd_dh_set_key(self->h, &good));
	EXPECT_EQ(0, DO(WD_DH_PUBLIC, NULL, NULL, 0));
	EXPECT_EQ(128, self->len);
	good = number(NULL, 5);
	REFUSED(EINVAL, self->h, DO(WD_DH_PUBLIC, &good, NULL, 0), "key is NULL");
	good = number((void *)4096, 5);
	REFUSED(EFAULT, self->h, DO(WD_DH_PUBLIC, &good, NULL, 0), "mapped");
}

TEST_F(dh, public_values_out_of_range_and_of_other_lengths_are_refused)
{
	struct wd_number x = number("\7", 1);
	unsigned char y[129] = { 0 };
	unsigned int i;

	for (i = 0; i < 5; i++) {
		memset(y, 0, sizeof(y));
		if (i >= 2)
			memcpy(y, self->p, 128);
		/* 0, 1, p - 1, p, and all ones */
		y[127] = i < 2 ? (unsigned char)i : i == 2 ? y[127] - 1 : y[127];
		if (i == 4)
			memset(y, 0xff, 128);
		REFUSED(EINVAL, self->h, DO(WD_DH_SHARED, &x, y, 128), "peer's public value");
	}
	REFUSED(EINVAL, self->h, DO(WD_DH_SHARED, &x, y, 127), "src_len is 127");
	REFUSED(EINVAL, self->h, DO(WD_DH_SHARED, &x, y, 129), "src_len is 129");
	REFUSED(EINVAL, self->h, DO(WD_DH_PUBLIC, &x, y, 128), "src_len is 128");
	REFUSED(EINVAL, self->h, DO(WD_DH_SHARED, &x, NULL, 128), "src is NULL");
	REFUSED(EFAULT, self->h, DO(WD_DH_SHARED, &x, (void *)4096, 128), "mapped");
	REFUSED(EINVAL, self->h, DO(2, &x, y, 128), "op 2");
	self->len = 127;
	REFUSED(ENOSPC, self->h, dh_do(self->h, WD_DH_PUBLIC, &x, NULL, 0, self->out, &self->len), "room for 127");
	REFUSED(EINVAL, self->h, dh_do(self->h, WD_DH_PUBLIC, &x, NULL, 0, NULL, &self->len), "dst is NULL");
	REFUSED(EINVAL, self->h, dh_do(self->h, WD_DH_PUBLIC, &x, NULL, 0, self->out, NULL), "dst_len is NULL");
}

/* p is no prime, which the library doesn't check. */
TEST(a_secret_that_anybody_knows_is_an_error)
{
	unsigned char p[96], y[96] = { 0 }, out[96];
	struct wd_number x = number("\2", 1);
	size_t len = sizeof(out);
	handle_t h;
	int i;

	/* p = 2^768 - 1, so 2^384 squared is 1. */
	memset(p, 0xff, sizeof(p));
	h = dh_open_value(number(p, sizeof(p)), number("\2", 1));
	ASSERT_NE(0, h);
	y[47] = 1;
	REFUSED(EBADMSG, h, dh_do(h, WD_DH_SHARED, &x, y, sizeof(y), out, &len), "shared secret is");
	for (i = 0; i < 96; i++)
		EXPECT_EQ(0, out[i]);
	EXPECT_EQ(0, len);
	EXPECT_EQ(0, wd_dh_free_sess(h));
}

TEST_HARNESS_MAIN
