// SPDX-License-Identifier: Apache-2.0
/* The keys of sessions, and the buffers of requests. */
#include <stdlib.h>
#include <string.h>

#include "key.h"
#include "lists.h"

void crypto_key_wipe(struct crypto_key *key)
{
	if (key->data)
		explicit_bzero(key->data, key->len);
	free(key->data);
	*key = (struct crypto_key){ 0 };
}

int crypto_key_give(const struct crypto_key *key, own_handle_t own, crypto_set_key_t *set)
{
	return key->data ? set(own, key->data, key->len) : 0;
}

own_handle_t crypto_keyed(const struct uadk_sess *sess, own_handle_t own, const struct crypto_key *key,
			  crypto_set_key_t *set)
{
	return uadk_sess_made(sess, own, own ? crypto_key_give(key, own, set) : 0);
}

int crypto_key_set(struct uadk_sess *sess, struct crypto_key *key, const __u8 *data, __u32 len, crypto_set_key_t *set)
{
	struct crypto_key copy = { malloc(len + 1), len };
	int ret = 0;

	if (!copy.data)
		return -WD_ENOMEM;
	memcpy(copy.data, data, len);
	pthread_mutex_lock(&sess->lock);
	for (unsigned int kind = 0; kind < UADK_KINDS && !ret; kind++) {
		own_handle_t own = atomic_load(&sess->own[kind]);

		if (own)
			ret = set(own, data, len);
	}
	if (!ret) {
		struct crypto_key old = *key;

		*key = copy;
		copy = old;
	}
	pthread_mutex_unlock(&sess->lock);
	crypto_key_wipe(&copy);
	return -uadk_status(ret, WD_EINVAL);
}

int crypto_buffers(const void **src, void **dst, bool lists, void **block)
{
	struct own_datalist *own_src, *own_dst;

	if (!lists)
		return 0;
	*block = uadk_lists(*src, &own_src, *dst, &own_dst);
	if (!*block)
		return -WD_ENOMEM;
	*src = own_src;
	*dst = own_dst;
	return 0;
}
