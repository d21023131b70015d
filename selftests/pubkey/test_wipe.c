// SPDX-License-Identifier: Apache-2.0
/* No copy of the caller's private value remains in the process after the requests and the session have ended. */
#include <stddef.h>
#include <stdint.h>

#include "dh_test.h"
#include "ecc_test.h"
#include "emulated.h"
#include "rsa_test.h"
#include "kselftest_harness.h"

#define PIECE	16		/* bytes to search for, from the middle of a secret */
#define MASK	0x5a
#define AREA_MAX (256ul << 20)	/* larger areas belong to a sanitizer */

/* The piece is kept masked only, so that the search doesn't find it here. */
static unsigned char masked[PIECE];

__attribute__((no_sanitize("address", "thread")))
static bool is_there(const unsigned char *p)
{
	int i;

	for (i = 0; i < PIECE; i++)
		if ((unsigned char)(p[i] ^ MASK) != masked[i])
			return false;
	return true;
}

__attribute__((no_sanitize("address", "thread")))
static unsigned int find_in(const unsigned char *at, const unsigned char *end)
{
	unsigned int n = 0;

	for (; end - at >= PIECE; at++)
		n += *at == (unsigned char)(masked[0] ^ MASK) && is_there(at);
	return n;
}

/* Searches all writable memory. */
static unsigned int find_all(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	unsigned int n = 0;
	char line[512], mode[8];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 && !strncmp(mode, "rw-p", 4) &&
		    to - from <= AREA_MAX)
			n += find_in((const unsigned char *)from, (const unsigned char *)to);
	if (maps)
		fclose(maps);
	return maps ? n : 1000;
}

/* Sets the secret to search for; the caller wipes its own copy. */
static void look_for(const unsigned char *secret, size_t len)
{
	const unsigned char *middle = secret + (len - PIECE) / 2;
	int i;

	for (i = 0; i < PIECE; i++)
		masked[i] = (unsigned char)(middle[i] ^ MASK);
}

/* Sets the secret with its bytes reversed, as devices take X25519's. */
static void look_for_turned(const unsigned char *secret, size_t len)
{
	unsigned char turned[64];
	size_t i;

	for (i = 0; i < len; i++)
		turned[i] = secret[len - 1 - i];
	look_for(turned, len);
	explicit_bzero(turned, sizeof(turned));
}

/* False: the operation failed, so a secret could not have been left. */
static bool ecc_use(int alg, int curve, bool own, bool turned)
{
	handle_t h = ecc_open(alg, curve, WD_SYNC, 0);
	unsigned char pair[3 * ECC_MAX], out[2 * ECC_MAX];
	size_t w = h ? (size_t)wd_ecc_sess_bytes(h) : 0, point = alg >= WD_ECC_X25519 ? w : 2 * w, len = sizeof(pair);
	struct wd_ecc_key key = { .d = number(pair + point, w) };
	bool good = h && !ecc_do(h, WD_ECC_KEYGEN, NULL, 0, NULL, 0, pair, &len);

	(turned ? look_for_turned : look_for)(pair + point, w);
	good = good && (own || !wd_ecc_set_key(h, &key));
	len = sizeof(out);
	good = good && !ecc_do(h, WD_ECC_AGREE, pair, point, own ? pair + point : NULL, own ? w : 0, out, &len);
	explicit_bzero(pair, sizeof(pair));
	return good && !wd_ecc_free_sess(h);
}

TEST(what_is_looked_for_is_found)
{
	unsigned char here[32];

	fill_noise(here, sizeof(here), 77);
	look_for(here, sizeof(here));
	EXPECT_LT(0, find_all());
	explicit_bzero(here, sizeof(here));
	EXPECT_EQ(0, find_all());
}

TEST(private_keys_of_ecc_are_wiped)
{
	EXPECT_TRUE(ecc_use(WD_ECC_ECDH, WD_ECC_SECP256R1, false, false));
	EXPECT_EQ(0, find_all());
	EXPECT_TRUE(ecc_use(WD_ECC_ECDH, WD_ECC_SECP384R1, true, false));
	EXPECT_EQ(0, find_all());
	EXPECT_TRUE(ecc_use(WD_ECC_X25519, 0, false, false));
	EXPECT_EQ(0, find_all());
	EXPECT_TRUE(ecc_use(WD_ECC_X25519, 0, true, false));
	EXPECT_EQ(0, find_all());
	EXPECT_TRUE(ecc_use(WD_ECC_X25519, 0, false, true));
	EXPECT_EQ(0, find_all());
	EXPECT_TRUE(ecc_use(WD_ECC_X25519, 0, true, true));
	EXPECT_EQ(0, find_all());
}

TEST(private_values_of_dh_are_wiped)
{
	handle_t h = dh_open(WD_DH_MODP_1024, WD_SYNC, 0);
	unsigned char x[32], out[128];
	struct wd_number priv = number(x, sizeof(x));
	size_t len = sizeof(out);

	fill_noise(x, sizeof(x), 5);
	look_for(x, sizeof(x));
	EXPECT_EQ(0, dh_do(h, WD_DH_PUBLIC, &priv, NULL, 0, out, &len));
	EXPECT_EQ(0, wd_dh_set_key(h, &priv));
	EXPECT_EQ(0, dh_do(h, WD_DH_PUBLIC, NULL, NULL, 0, out, &len));
	explicit_bzero(x, sizeof(x));
	EXPECT_EQ(0, wd_dh_free_sess(h));
	EXPECT_EQ(0, find_all());
}

/* The secret is n bytes at offset in the parts. */
static bool rsa_use(size_t offset, size_t n)
{
	handle_t h = rsa_open(1024, WD_SYNC, 0);
	unsigned char in[128] = { 0, 1 }, out[128];
	size_t len = sizeof(out);
	struct rsa_parts parts;
	struct wd_rsa_key key;
	bool good = h && !rsa_parts_own(&parts);

	look_for((const unsigned char *)&parts + offset, n);
	key = rsa_key_of(&parts, true, true);
	good = good && !wd_rsa_set_key(h, &key) && !rsa_do(h, WD_RSA_SIGN, in, 128, out, &len);
	explicit_bzero(&parts, sizeof(parts));
	return good && !wd_rsa_free_sess(h);
}

TEST(private_keys_of_rsa_are_wiped)
{
	/* d, p, and dp, which lies behind n, qinv and dq */
	EXPECT_TRUE(rsa_use(offsetof(struct rsa_parts, out), 128));
	EXPECT_EQ(0, find_all());
	EXPECT_TRUE(rsa_use(offsetof(struct rsa_parts, p_q), 64));
	EXPECT_EQ(0, find_all());
	EXPECT_TRUE(rsa_use(offsetof(struct rsa_parts, out) + 2 * 128 + 2 * 64, 64));
	EXPECT_EQ(0, find_all());
}

static bool hold_both(const char *what)
{
	return !emulated_control("hisi_hpre-0", what) && !emulated_control("hisi_hpre-1", what);
}

TEST(a_private_key_of_a_request_that_came_too_late_is_wiped)
{
	unsigned char d[32], point[64], out[32];
	size_t len = sizeof(point);
	handle_t h;
	struct wd_ecc_arg arg = {
		.src = point, .src_len = 64, .dst = out, .dst_len = &len, .op = WD_ECC_AGREE, .extra = d,
		.extra_len = 32, .timeout_ms = 50,
	};

	if (!emulated() || expected_path("ecdh") != WD_PATH_SIM)
		SKIP(return, "needs wd-emulate --hpre");
	h = ecc_open(WD_ECC_ECDH, WD_ECC_SECP256R1, WD_SYNC, WD_SESS_PATH_HW);
	ASSERT_NE(0, h);
	fill_noise(d, sizeof(d), 12);
	d[0] = 1;
	look_for(d, sizeof(d));
	ASSERT_EQ(0, ecc_do(h, WD_ECC_PUBLIC, NULL, 0, d, 32, point, &len));
	len = sizeof(out);
	ASSERT_TRUE(hold_both("hold"));
	EXPECT_EQ(-ETIMEDOUT, wd_ecc_sync(h, &arg));
	explicit_bzero(d, sizeof(d));
	EXPECT_EQ(0, find_all());
	ASSERT_TRUE(hold_both("release"));
	EXPECT_EQ(0, wd_ecc_free_sess(h));
	EXPECT_EQ(0, find_all());
}

TEST_HARNESS_MAIN
