// SPDX-License-Identifier: Apache-2.0
/* Diffie-Hellman groups, by name and by value. */
#include <errno.h>

#include "dh.h"

/* libcrypto's names of the groups. */
static const char *const names[] = {
	[WD_DH_MODP_768] = "modp_768",
	[WD_DH_MODP_1024] = "modp_1024",
	[WD_DH_MODP_1536] = "modp_1536",
	[WD_DH_MODP_2048] = "modp_2048",
	[WD_DH_MODP_3072] = "modp_3072",
	[WD_DH_MODP_4096] = "modp_4096",
	[WD_DH_FFDHE2048] = "ffdhe2048",
	[WD_DH_FFDHE3072] = "ffdhe3072",
	[WD_DH_FFDHE4096] = "ffdhe4096",
};

bool dh_in_range(const struct dh_sess *s, const __u8 *v)
{
	return !pubkey_is_zero(v, s->k) & !pubkey_is(v, s->k, 1) & pubkey_less(v, s->top, s->k);
}

static int by_name(struct dh_sess *s, const struct wd_dh_sess_setup *setup)
{
	if (pubkey_number_given(&setup->p) || pubkey_number_given(&setup->g))
		return wd_fail(NULL, EINVAL, "setup->p or g is set, but setup->group is a group by name");
	s->k = soft_dh_group(names[setup->group], s->p);
	if (!s->k)
		return wd_fail_str(NULL, EOPNOTSUPP, "this libcrypto doesn't support group %s", names[setup->group]);
	s->g[s->k - 1] = 2;
	return 0;
}

static int by_value(struct dh_sess *s, const struct wd_dh_sess_setup *setup)
{
	static const __u16 sizes[] = { 768, 1024, 1536, 2048, 3072, 4096 };
	int ret = pubkey_number_put(NULL, "setup->p", &setup->p, s->p, sizeof(s->p));
	unsigned int bits, i;

	if (ret)
		return ret;
	bits = pubkey_bits(s->p, sizeof(s->p));
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i] == bits)
			s->k = bits / 8;
	if (!s->k)
		return wd_fail_num(NULL, EINVAL, "setup->p has %u bits, not 768, 1024, 1536, 2048, 3072 or 4096", bits,
				   0);
	memmove(s->p, s->p + sizeof(s->p) - s->k, s->k);
	if (!(s->p[s->k - 1] & 1))
		return wd_fail(NULL, EINVAL, "setup->p is even");
	return pubkey_number_put(NULL, "setup->g", &setup->g, s->g, s->k);
}

int dh_group_set(struct dh_sess *s, const struct wd_dh_sess_setup *setup)
{
	int ret = setup->group == WD_DH_BY_VALUE ? by_value(s, setup) : by_name(s, setup);

	if (ret)
		return ret;
	/* The subtraction needs no borrow: p is odd. */
	memcpy(s->top, s->p, s->k);
	s->top[s->k - 1]--;
	memcpy(s->key + s->k, s->p, s->k);
	if (!dh_in_range(s, s->g))
		return wd_fail(NULL, EINVAL, "setup->g is not one of 2 .. p - 2");
	s->g_is_2 = pubkey_is(s->g, s->k, 2);
	return soft_dh_make(s) ? wd_fail(NULL, ENOMEM, "libcrypto can't prepare the group") : 0;
}
