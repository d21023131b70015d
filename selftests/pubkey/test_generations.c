// SPDX-License-Identifier: Apache-2.0
/* Hardware of generation 2 has RSA and DH, but no elliptic curves. Runs on devices of one generation and of both. */
#include "ecc_test.h"
#include "kselftest_harness.h"

static bool have(bool second)
{
	struct uacce_dev_list *list = wd_list_accels((char *)"rsa"), *l;
	bool found = false;

	for (l = list; l; l = l->next)
		found |= !strcmp(l->info->api, "hisi_qm_v2") == second;
	wd_free_list_accels(list);
	return found;
}

TEST(curves_are_for_later_generations)
{
	static const int algs[] = { WD_ECC_ECDH, WD_ECC_ECDSA, WD_ECC_X25519, WD_ECC_SM2 };
	bool second = have(true), other = have(false);
	unsigned int i;

	if (!second && !other)
		SKIP(return, "there is no device");
	for (i = 0; i < sizeof(algs) / sizeof(algs[0]); i++) {
		int curve = algs[i] == WD_ECC_ECDH || algs[i] == WD_ECC_ECDSA ? WD_ECC_SECP256R1 : 0;
		handle_t hw = ecc_open(algs[i], curve, WD_SYNC, WD_SESS_PATH_HW);

		if (other) {
			EXPECT_NE(0, hw) TH_LOG("%d: %s", algs[i], detail(0));
		} else {
			EXPECT_EQ(0, hw);
			EXPECT_EQ(ENODEV, errno);
		}
		if (hw)
			EXPECT_EQ(0, wd_ecc_free_sess(hw));
	}
}

TEST_HARNESS_MAIN
