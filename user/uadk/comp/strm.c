// SPDX-License-Identifier: Apache-2.0
/*
 * Compression in steps. A program goes on as long as less than it gave was taken, and takes a full destination for no
 * sign of more. Ours takes all that it can and keeps results: then one byte is held back, so that the program calls
 * again.
 */
#include <errno.h>

#include "comp.h"

/* Return: 0 to go on, 1 at the end, or -errno. */
static int step(own_handle_t own, const struct wd_comp_req *req, bool held, size_t *taken, size_t *made)
{
	struct own_comp_strm strm = { .src_len = taken, .dst = req->dst, .dst_len = made };

	*taken = req->src_len - held;
	*made = req->dst_len;
	strm.src = (const char *)req->src + held;
	if (req->op_type == WD_DIR_DECOMPRESS)
		return own_strm_decompress(own, &strm);
	strm.last = req->last == 1;
	/* Programs send on what a step gave, without waiting for the next. */
	strm.flags = strm.last ? 0 : OWN_COMP_FLUSH_SYNC;
	return own_strm_compress(own, &strm);
}

static bool strm_refuse(handle_t h_sess, const struct wd_comp_req *req)
{
	/* Only the last step of a stream, and one that decompresses, may be without a source. */
	return !h_sess || !req || req->op_type >= WD_DIR_MAX || req->data_fmt != WD_FLAT_BUF || !req->dst ||
		!req->dst_len || (req->src_len && !req->src) ||
		(!req->src_len && req->op_type == WD_DIR_COMPRESS && req->last != 1);
}

int wd_do_comp_strm(handle_t h_sess, struct wd_comp_req *req)
{
	struct comp_sess *s = (struct comp_sess *)h_sess;
	bool held, more;
	size_t taken, made;
	own_handle_t own;
	int ret;

	if (strm_refuse(h_sess, req))
		return -WD_EINVAL;
	own = uadk_sess_own(&s->sess, comp_kind(req));
	if (!own)
		return -uadk_status(-errno, WD_EINVAL);
	held = s->held && req->src_len;
	ret = step(own, req, held, &taken, &made);
	/* No room for anything: the program may call again with more. */
	if (ret == -ENOSPC)
		ret = 0;
	/* Nothing came of nothing: the source was cut off. */
	if (!ret && req->op_type == WD_DIR_DECOMPRESS && !req->src_len && !made)
		ret = -EBADMSG;
	req->status = (__u32)uadk_status(ret < 0 ? ret : 0, WD_IN_EPARA);
	if (ret < 0)
		return -(int)req->status;
	if (ret == 1 && req->op_type == WD_DIR_DECOMPRESS)
		req->status = WD_STREAM_END;
	taken += held;
	more = !ret && req->src_len && taken == req->src_len && made == req->dst_len;
	s->held = more;
	req->src_len = (__u32)(taken - more);
	req->dst_len = (__u32)made;
	return 0;
}

int wd_comp_reset_sess(handle_t h_sess)
{
	struct comp_sess *s = (struct comp_sess *)h_sess;
	int ret = 0;

	if (!h_sess)
		return -WD_EINVAL;
	for (unsigned int kind = 0; kind <= UADK_DECOMPRESS; kind += UADK_DECOMPRESS) {
		own_handle_t own = atomic_load(&s->sess.own[kind]);

		if (own && !ret)
			ret = own_comp_reset_sess(own);
	}
	if (!ret)
		s->held = false;
	return -uadk_status(ret, WD_EINVAL);
}
