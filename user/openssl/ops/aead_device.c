// SPDX-License-Identifier: Apache-2.0
/* One message of GCM or CCM on a device. */
#include <string.h>

#include "aead_context.h"

static handle_t session_open(const struct wdp_target *to, unsigned int op_type)
{
	const struct wdp_aead *c = to->owner;
	struct wd_aead_sess_setup setup = {
		.calg = c->s.cipher->alg, .cmode = c->s.cipher->mode, .op_type = (__u8)op_type,
		.flags = WD_SESS_PATH_HW, .timeout_ms = to->prov->config.timeout_ms,
	};
	handle_t h = wd_aead_alloc_sess(&setup, NULL);

	if (h &&
	    (wd_aead_set_ckey(h, c->s.key, (__u32)c->s.key_len) || wd_aead_set_authsize(h, (__u32)c->session_tag))) {
		wd_aead_free_sess(h);
		h = 0;
	}
	return h;
}

struct wdp_lengths wdp_aead_lengths(const struct wdp_aead *c)
{
	if (c->s.cipher->mode != WD_CIPHER_CCM)
		return (struct wdp_lengths){ 0, 0 };
	return (struct wdp_lengths){
		(size_t)EVP_CIPHER_CTX_get_iv_length(c->s.ctx), (size_t)EVP_CIPHER_CTX_get_tag_length(c->s.ctx),
	};
}

bool wdp_aead_lengths_hold(const struct wdp_aead *c)
{
	struct wdp_lengths now = wdp_aead_lengths(c);

	return c->keyed.iv == now.iv && c->keyed.tag == now.tag;
}

unsigned char *wdp_aead_join(struct wdp_buffer *to, const unsigned char *aad, size_t aad_len, const unsigned char *in,
			     size_t len)
{
	unsigned char *both = wdp_buffer_take(to, aad_len + len);

	if (both && aad_len)
		memcpy(both, aad, aad_len);
	if (both)
		memcpy(both + aad_len, in, len);
	return both;
}

/* A device copies the associated data as well, so its result has memory of its own. */
enum wdp_outcome wdp_aead_on_device(struct wdp_aead *c, const struct wdp_message *m)
{
	struct wdp_target to = {
		.prov = c->s.prov, .class = &wdp_class_aead, .session = &c->s.session, .make = session_open, .owner = c,
	};
	struct wdp_call call = {
		.op = c->s.encrypt ? WD_CIPHER_ENCRYPTION : WD_CIPHER_DECRYPTION, .src = m->src,
		.src_len = m->aad_len + m->len, .dst_len = m->aad_len + m->len, .extra = m->iv,
		.extra_len = (unsigned int)m->iv_len, .mac = m->tag, .mac_len = (unsigned int)m->tag_len,
		.assoc_len = (unsigned int)m->aad_len,
	};

	if (c->session_tag != m->tag_len)
		wdp_session_close(&c->s.session, &wdp_class_aead);
	c->session_tag = m->tag_len;
	call.dst = wdp_buffer_take(&c->s.out, call.dst_len);
	return call.dst ? wdp_device_do(&to, &call, &c->s.path) : WDP_TO_DEFAULT;
}
