// SPDX-License-Identifier: Apache-2.0
/* No private value as its caller wrote it is anywhere in the process when requests have ended and the session is gone. */
#include <stdint.h>

#include "dh_test.h"
#include "ecc_test.h"
#include "rsa_test.h"
#include "kselftest_harness.h"

#define PIECE	16		/* bytes that are looked for, from the middle of a secret */
#define MASK	0x5a
#define AREA_MAX (256ul << 20)	/* what is larger is a sanitizer's */

/* Never there as it is. */
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

/* In all memory that may be written to. */
static unsigned int find_all(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	unsigned int n = 0;
	char line[512], mode[8];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) == 3 && !strncmp(mode, "rw-p", 4) && to - from <= AREA_MAX)
			n += find_in((const unsigned char *)from, (const unsigned char *)to);
	if (maps)
		fclose(maps);
	return maps ? n : 1000;
}

/* Of secrets of that length; the caller wipes its own. */
static void look_for(const unsigned char *secret, size_t len)
{
	const unsigned char *middle = secret + (len - PIECE) / 2;
	int i;

	for (i = 0; i < PIECE; i++)
		masked[i] = (unsigned char)(middle[i] ^ MASK);
}

static void ecc_use(int alg, int curve, bool own)
{
	handle_t h = ecc_open(alg, curve, WD_SYNC, 0);
	unsigned char pair[3 * ECC_MAX], out[2 * ECC_MAX];
	size_t w = (size_t)wd_ecc_sess_bytes(h), point = alg >= WD_ECC_X25519 ? w : 2 * w, len = sizeof(pair);
	struct wd_ecc_key key = { .d = number(pair + point, w) };

	if (ecc_do(h, WD_ECC_KEYGEN, NULL, 0, NULL, 0, pair, &len))
		return;
	look_for(pair + point, w);
	if (!own)
		wd_ecc_set_key(h, &key);
	len = sizeof(out);
	ecc_do(h, WD_ECC_AGREE, pair, point, own ? pair + point : NULL, own ? w : 0, out, &len);
	explicit_bzero(pair, sizeof(pair));
	wd_ecc_free_sess(h);
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
	ecc_use(WD_ECC_ECDH, WD_ECC_SECP256R1, false);
	EXPECT_EQ(0, find_all());
	ecc_use(WD_ECC_ECDH, WD_ECC_SECP384R1, true);
	EXPECT_EQ(0, find_all());
	ecc_use(WD_ECC_X25519, 0, false);
	EXPECT_EQ(0, find_all());
	ecc_use(WD_ECC_X25519, 0, true);
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

TEST(private_keys_of_rsa_are_wiped)
{
	handle_t h = rsa_open(1024, WD_SYNC, 0);
	struct rsa_parts parts;
	struct wd_rsa_key key;
	unsigned char in[128] = { 0, 1 }, out[128];
	size_t len = sizeof(out);

	ASSERT_EQ(0, rsa_parts_own(&parts));
	key = rsa_key_of(&parts, true, true);
	look_for(parts.out, 128);
	EXPECT_EQ(0, wd_rsa_set_key(h, &key));
	EXPECT_EQ(0, rsa_do(h, WD_RSA_SIGN, in, 128, out, &len));
	explicit_bzero(&parts, sizeof(parts));
	EXPECT_EQ(0, wd_rsa_free_sess(h));
	EXPECT_EQ(0, find_all());
}

TEST_HARNESS_MAIN
