// SPDX-License-Identifier: Apache-2.0
/* The groups that libwd names have a session for all keys; other parameters have one with the key that has them. */
#include <openssl/core_names.h>

#include "device/class.h"
#include "device/session.h"
#include "dh.h"
#include "key.h"

#define BYTES_MAX	512

static handle_t group_open(const struct wdp_target *to, unsigned int op_type)
{
	const struct wdp_key *key = to->owner;
	size_t k = (size_t)EVP_PKEY_get_bits(key->pkey) / 8;
	unsigned char p[BYTES_MAX], g[BYTES_MAX];
	struct wd_dh_sess_setup setup = {
		.group = (__u32)key->group, .op_type = (__u8)op_type, .flags = WD_SESS_PATH_HW,
		.timeout_ms = to->prov->config.timeout_ms,
	};

	if (key->group == WD_DH_BY_VALUE) {
		if (!wdp_key_number(key, OSSL_PKEY_PARAM_FFC_P, p, k) ||
		    !wdp_key_number(key, OSSL_PKEY_PARAM_FFC_G, g, k))
			return 0;
		setup.p = (struct wd_number){ p, (__u32)k };
		setup.g = (struct wd_number){ g, (__u32)k };
	}
	return wd_dh_alloc_sess(&setup, NULL);
}

struct wdp_target wdp_dh_target(struct wdp_key *key)
{
	return (struct wdp_target){
		.prov = key->prov, .class = &wdp_class_dh, .make = group_open, .owner = key,
		.session = key->group == WD_DH_BY_VALUE ? &key->session : &key->prov->groups[key->group - 1],
	};
}
