// SPDX-License-Identifier: Apache-2.0
/* Sessions with keys, and requests that don't fit into a descriptor: shared by ciphers, digests and AEAD. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "crypto.h"
#include "evp.h"

/* --- sessions --- */

struct crypto_sess *crypto_sess_alloc(const struct wd_class *cls, const struct wd_session_attr *attr,
				      const struct crypto_alg *alg, __u16 data_fmt)
{
	struct wd_session_attr detailed = *attr;
	struct wd_session *base;
	struct crypto_sess *s;

	detailed.row = alg;
	base = wd_session_alloc(cls, sizeof(struct crypto_sess), &detailed);
	if (!base)
		return NULL;
	s = to_crypto_sess(base);
	s->alg = alg;
	s->sgl = data_fmt == WD_SGL_BUF;
	return s;
}

handle_t crypto_sess_ready(struct crypto_sess *s, bool soft_has_it)
{
	struct wd_session *base = &s->s;
	int ret = 0;

	/* Lists take the slow path. */
	wd_frame_ready(base, !s->sgl, WD_CALL_SYNC);
	if (!soft_has_it)
		base->soft_ok = false;
	if (!base->soft_ok && !atomic_load(&base->nr))
		ret = wd_fail_str(NULL, EOPNOTSUPP,
				  "no device is available for %s, and this libcrypto doesn't support it",
				  s->alg->name);
	sec_session(s);
	if (!ret)
		return base->obj.handle;
	soft_evp_free(s->evp);
	wd_session_free(base);
	return wd_no_handle(ret);
}

static int sess_end(struct wd_session *base)
{
	struct crypto_sess *s = to_crypto_sess(base);

	explicit_bzero(s->key, sizeof(s->key));
	explicit_bzero(s->akey, sizeof(s->akey));
	soft_evp_free(s->evp);
	return 0;
}

int crypto_sess_free(handle_t sess, const struct wd_class *cls)
{
	return wd_frame_free_sess(sess, cls, sess_end);
}

int crypto_sess_caps(handle_t sess, const struct wd_class *cls)
{
	struct wd_session *base = wd_session_get(sess, cls);

	if (!base)
		return -EINVAL;
	return wd_session_caps(base) | (to_crypto_sess(base)->sgl ? WD_CAP_SGL : 0);
}

/* --- keys --- */

int crypto_changed(struct crypto_sess *s)
{
	int ret;

	sec_session(s);
	ret = s->s.soft_ok ? soft_evp_rekey(s) : 0;
	return ret ? wd_fail_str(&s->s.obj, -ret, "libcrypto can't prepare a key for %s", s->alg->name) : 0;
}

int crypto_key_put(struct crypto_sess *s, __u8 which, const void *key, __u32 len)
{
	bool auth = which == CRYPTO_HAS_AKEY;
	__u8 *to = auth ? s->akey : s->key;
	int ret;

	explicit_bzero(to, auth ? sizeof(s->akey) : sizeof(s->key));
	memcpy(to, key, len);
	if (auth)
		s->akey_len = len;
	else
		s->key_len = len;
	s->keyed |= which;
	ret = crypto_changed(s);
	if (ret) {
		explicit_bzero(to, len);
		s->keyed &= (__u8)~which;
	}
	return ret;
}

int crypto_akey_put(struct crypto_sess *s, const void *key, __u32 len)
{
	__u8 hashed[CRYPTO_MAC_MAX];
	unsigned int n = 0;
	int ret;

	if (len <= s->block)
		return crypto_key_put(s, CRYPTO_HAS_AKEY, key, len);
	if (!s->evp || !EVP_Digest(key, len, hashed, &n, s->evp->md, NULL)) {
		explicit_bzero(hashed, sizeof(hashed));
		return wd_fail_str(&s->s.obj, EOPNOTSUPP,
				   "a key longer than a block of %s needs a hash that libcrypto lacks",
				   s->alg->name);
	}
	ret = crypto_key_put(s, CRYPTO_HAS_AKEY, hashed, n);
	explicit_bzero(hashed, sizeof(hashed));
	return ret;
}

int crypto_refuse_keys(struct crypto_sess *s)
{
	return wd_fail_str(&s->s.obj, EINVAL, s->needs & ~s->keyed & CRYPTO_HAS_KEY ? "no key has been set for %s" :
			   "no authentication key has been set for %s", s->alg->name);
}

/* --- requests --- */

int crypto_check_ends_slow(struct crypto_sess *s, const void *src, size_t src_len, const void *dst,
			   const size_t *dst_len, size_t room)
{
	struct wd_object *obj = &s->s.obj;

	if (!dst_len)
		return wd_fail(obj, EINVAL, "arg->dst_len is NULL");
	if (!src && src_len)
		return wd_fail(obj, EINVAL, "arg->src is NULL");
	if (!dst && room)
		return wd_fail(obj, EINVAL, "arg->dst is NULL");
	if (*dst_len < room)
		return wd_fail_num(obj, ENOSPC, "*dst_len is %u, and the result has %u bytes", *dst_len, room);
	if (s->sgl && wd_list_check(src, src_len))
		return wd_fail(obj, EINVAL,
			       "the list at arg->src is shorter than src_len, or has a piece without data");
	return 0;
}

int crypto_check_pair_slow(struct crypto_sess *s, const void *src, const void *dst, size_t len)
{
	if (s->sgl && wd_list_check(dst, len))
		return wd_fail(&s->s.obj, EINVAL,
			       "the list at arg->dst is shorter than src_len, or has a piece without data");
	if (!s->sgl && crypto_overlap_bad(src, dst, len))
		return wd_fail(&s->s.obj, EINVAL, "src and dst overlap, but are not the same");
	return 0;
}

/* Whether writing there changes what the request reads. */
static bool spoils(const struct crypto_msg *c, bool sgl, const void *written, size_t len)
{
	struct wd_list_walk src, iv, mac, to;

	if (!written)
		return false;
	wd_list_walk_init(&to, sgl, written, len);
	wd_list_walk_init(&src, c->sgl, c->src, c->src_len);
	wd_list_walk_init(&iv, false, c->iv, c->iv_len);
	/* A tag that is compared. */
	wd_list_walk_init(&mac, false, c->mac, c->decrypt && c->mac ? c->mac_len : 0);
	return wd_list_walks_meet(src, &to) || wd_list_walks_meet(iv, &to) || wd_list_walks_meet(mac, &to);
}

bool crypto_may_redo(const struct wd_msg *m)
{
	const struct crypto_msg *c = (const struct crypto_msg *)m;

	/* A step of a stream has changed its own state. */
	return !c->strm && !spoils(c, c->sgl, c->dst, c->dst_len) &&
	       (c->decrypt || !spoils(c, false, c->mac, c->mac_len));
}

int crypto_do_nothing(struct crypto_sess *s, struct crypto_msg *c)
{
	wd_session_soft(&s->s, 0, &c->m.path, &c->m.reason);
	c->consumed = 0;
	c->produced = 0;
	return 0;
}

/*
 * A device took the request, and can't compute it. A simulated device reports this before it writes anything; other
 * devices may have written.
 */
static int do_unknown(struct crypto_sess *s, struct crypto_msg *c)
{
	if (!s->s.soft_ok || (c->m.path != WD_PATH_SIM && !crypto_may_redo(&c->m)))
		return -EOPNOTSUPP;
	c->m.vendor = 0;
	return wd_frame_do_soft(&s->s, &c->m, WD_REASON_UNSUPPORTED);
}

/* A retry of a request that no device takes is useless: it goes to the software path. */
static int do_elsewhere(struct crypto_sess *s, struct crypto_msg *c, int ret)
{
	if (crypto_lacks(ret, c->m.vendor))
		return do_unknown(s, c);
	if ((ret != -E2BIG && ret != -EFBIG) || c->m.path == WD_PATH_SOFT)
		return ret;
	if (s->s.soft_ok)
		return wd_frame_do_soft(&s->s, &c->m, WD_REASON_UNSUPPORTED);
	if (!c->why)
		c->why = ret == -EFBIG ? "the data is more than a device takes in one request" :
			 "a device doesn't take such a request";
	return ret == -EFBIG ? ret : -EOPNOTSUPP;
}

int crypto_run(struct wd_session *base, struct wd_msg *m)
{
	struct crypto_sess *s = to_crypto_sess(base);
	struct crypto_msg *c = to_crypto_msg(m);

	if (!s->s.hw_ok)
		return wd_frame_do_soft(base, m, atomic_load_explicit(&base->reason, memory_order_relaxed));
	return do_elsewhere(s, c, wd_request_sync(base, m, c->src_len));
}

int crypto_run_over(struct wd_session *base, struct wd_msg *m)
{
	struct crypto_msg *c = to_crypto_msg(m);
	int ret = m->status;

	if (ret == WD_STOPPED)
		ret = wd_request_resume(base, m, c->src_len);
	return do_elsewhere(to_crypto_sess(base), c, ret);
}

int crypto_say(struct crypto_sess *s, int ret, const char *why, __u32 vendor)
{
	if (crypto_lacks(ret, vendor))
		return wd_fail_all(&s->s.obj, EOPNOTSUPP, "the device can't compute %s (device status %x)",
				   s->alg->name, vendor, 0);
	return wd_frame_fail(&s->s, ret, why, vendor);
}

/* Whether a device may have written decrypted data before the request failed with ret. */
static bool may_have_run(const struct crypto_msg *c, int ret)
{
	/* A request that may be retried may have run before the attempt that was refused. */
	if (crypto_may_redo(&c->m))
		return true;
	/* In a stream's part, the steps before the failed one have run. */
	if (ret == -EFAULT || (c->strm && ret == -EDQUOT))
		return c->m.path != WD_PATH_SOFT;
	return ret == -EBADMSG || ret == -ETIMEDOUT || ret == -ECANCELED || ret == -EIO || ret == -ENODEV ||
	       crypto_lacks(ret, c->m.vendor);
}

/* Zeroes the pages that are mapped. */
static void zero_there(__u8 *p, size_t len)
{
	size_t n;

	if (wd_probe(WD_PROBE_WRITE, false, p, len)) {
		explicit_bzero(p, len);
		return;
	}
	for (; len; p += n, len -= n) {
		n = 4096 - ((uintptr_t)p & 4095);
		if (n > len)
			n = len;
		if (wd_probe(WD_PROBE_WRITE, false, p, n))
			explicit_bzero(p, n);
	}
}

void crypto_failed(struct crypto_msg *c, int ret)
{
	size_t skip = c->assoc_len, n;
	struct wd_list_walk w;
	__u8 *p;

	if (!c->decrypt || !c->mac || !may_have_run(c, ret))
		return;
	for (wd_list_walk_init(&w, c->sgl, c->dst, c->src_len); (p = wd_list_walk_piece(&w, &n)) && n;
	     wd_list_walk_advance(&w, n)) {
		if (n > skip)
			zero_there(p + skip, n - skip);
		skip -= n < skip ? n : skip;
	}
}

/* --- messages, and results in the caller's struct --- */

struct crypto_msg *crypto_msg_begin(struct wd_session *s, void *req, struct wd_msg *m)
{
	struct crypto_msg *c = to_crypto_msg(m);
	const struct wd_arg *arg = req;

	wd_msg_begin(m, s, req);
	c->src = arg->src;
	c->dst = arg->dst;
	c->src_len = arg->src_len;
	c->dst_len = *arg->dst_len;
	c->sgl = to_crypto_sess(s)->sgl;
	c->strm = NULL;
	c->why = NULL;
	return c;
}

int crypto_fill(struct wd_session *s, void *req, struct wd_msg *m)
{
	s->cls->refill(s, req, 0, m);
	return 0;
}

int crypto_result(struct wd_session *s, void *req, struct wd_msg *m, int ret)
{
	struct wd_arg_end *end = wd_arg_end(req, s->cls->arg_bytes);
	struct crypto_msg *c = to_crypto_msg(m);
	const struct wd_arg *arg = req;

	*arg->dst_len = ret ? 0 : c->produced;
	end->consumed = ret ? 0 : c->consumed;
	end->status = ret;
	end->path = m->path;
	end->path_reason = m->reason;
	if (!ret)
		return 0;
	crypto_failed(c, ret);
	return crypto_say(to_crypto_sess(s), ret, c->why, m->vendor);
}

int crypto_ended(struct wd_msg *m)
{
	if (unlikely(m->status))
		m->status = do_elsewhere(to_crypto_sess(m->sess), to_crypto_msg(m), m->status);
	return crypto_result(m->sess, m->req, m, m->status);
}
