// SPDX-License-Identifier: Apache-2.0
/* Sessions: checks of the setup, and everything that can be computed once for all requests. */
#include <errno.h>
#include <stdlib.h>

#include "comp.h"
#include "lz77.h"
#include "finder.h"

#define LEVEL_MAX	22
#define COMP_FLAGS	(WD_COMP_SESS_CHECKSUM | WD_COMP_SESS_BLOCK)

static int window_check(const struct wd_comp_sess_setup *setup)
{
	unsigned int win = setup->win_size, log = win - WD_COMP_WS_LOG(0);

	if (win <= WD_COMP_WS_32K)
		return 0;
	if (setup->alg_type == WD_ZSTD && log >= COMP_ZSTD_LOG_MIN && log <= COMP_ZSTD_LOG_MAX)
		return 0;
	if (setup->alg_type == WD_LZ4 && log >= COMP_LZ4_LOG_MIN && log <= COMP_LZ4_LOG_MAX && !(log & 1))
		return 0;
	return wd_fail_num(NULL, EINVAL, "setup->win_size %u is unknown", win, 0);
}

static int flags_check(const struct wd_comp_sess_setup *setup)
{
	if ((setup->flags & COMP_FLAGS) && !comp_is_framed(setup->alg_type))
		return wd_fail_num(NULL, EINVAL, "setup->flags %x are for WD_ZSTD and WD_LZ4 only",
				   setup->flags & COMP_FLAGS, 0);
	if ((setup->flags & WD_COMP_SESS_BLOCK) && (setup->alg_type != WD_LZ4 || setup->data_fmt == WD_SGL_BUF))
		return wd_fail(NULL, EINVAL, "WD_COMP_SESS_BLOCK in setup->flags is for WD_LZ4 with flat buffers only");
	return 0;
}

static int sequences_check(const struct wd_comp_sess_setup *setup)
{
	if (setup->dir_type != WD_DIR_COMPRESS)
		return wd_fail(NULL, EINVAL, "setup->dir_type: WD_LZ77 has no decompression");
	if (setup->data_fmt == WD_SGL_BUF)
		return wd_fail(NULL, EINVAL, "setup->data_fmt: WD_LZ77 has flat buffers only");
	return 0;
}

static int setup_check(const struct wd_comp_sess_setup *setup, struct wd_session_attr *attr)
{
	int ret;

	if (!setup)
		return wd_fail(NULL, EINVAL, "setup is NULL");
	if (setup->alg_type > WD_LZ77)
		return wd_fail_num(NULL, EINVAL, "setup->alg_type %u is unknown", setup->alg_type, 0);
	if (setup->dir_type > WD_DIR_DECOMPRESS)
		return wd_fail_num(NULL, EINVAL, "setup->dir_type %u is unknown", setup->dir_type, 0);
	if (setup->comp_lv > LEVEL_MAX || (!setup->comp_lv && setup->dir_type == WD_DIR_COMPRESS))
		return wd_fail_num(NULL, EINVAL, "setup->comp_lv %u is not in 1 .. %u", setup->comp_lv, LEVEL_MAX);
	ret = window_check(setup);
	if (!ret)
		ret = flags_check(setup);
	if (!ret && setup->alg_type == WD_LZ77)
		ret = sequences_check(setup);
	if (!ret && comp_is_framed(setup->alg_type))
		ret = soft_frames_ready(setup->alg_type);
	return ret ? ret : wd_frame_attr(attr, setup->op_type, setup->data_fmt, setup->flags & ~COMP_FLAGS,
					 setup->timeout_ms, setup->cq, setup->reserved);
}

/* 0, with NULL where the session needs none, or -errno, recorded. */
static int finder_open(struct comp_finder **f, const struct wd_comp_sess_setup *setup, const wd_dev_mask_t *mask)
{
	struct wd_comp_sess_setup inner;
	handle_t sess;

	*f = NULL;
	if (!finder_setup(setup, &inner))
		return 0;
	sess = wd_comp_alloc_sess(&inner, mask);
	if (!sess)
		return -errno;
	*f = finder_new(sess);
	if (*f)
		return 0;
	wd_comp_free_sess(sess);
	return wd_fail(NULL, ENOMEM, "no memory for the session");
}

static void finder_close(struct comp_finder *f)
{
	if (f)
		wd_comp_free_sess(f->sess);
	free(f);
}

/* Whether a device's blocks of LZ4 are what the session asks for. Higher levels ask for software's smaller ones. */
static bool device_makes_blocks(const struct wd_comp_sess_setup *setup)
{
	return setup->flags & WD_COMP_SESS_BLOCK && setup->dir_type == WD_DIR_COMPRESS &&
	       setup->comp_lv <= COMP_LZ4_LEVEL_MAX;
}

handle_t wd_comp_alloc_sess(const struct wd_comp_sess_setup *setup, const wd_dev_mask_t *dev_mask)
{
	struct wd_session_attr attr = { .mask = dev_mask };
	struct comp_finder *finder = NULL;
	struct wd_session *base;
	struct comp_sess *s;
	bool verify;
	int ret;

	ret = setup_check(setup, &attr);
	if (!ret)
		ret = wd_frame_verify(setup->flags, &verify);
	if (!ret)
		ret = finder_open(&finder, setup, dev_mask);
	if (ret)
		return wd_no_handle(ret);
	/* Raw data has no checksum: verifying it would be decompressing it again. */
	if (verify && setup->alg_type == WD_DEFLATE_RAW && setup->dir_type == WD_DIR_DECOMPRESS)
		attr.refuse = WD_REASON_UNSUPPORTED;
	if (comp_is_framed(setup->alg_type) && !device_makes_blocks(setup))
		attr.refuse = WD_REASON_UNSUPPORTED;
	if (finder) {
		attr.behind = true;
		attr.mask = NULL;
	}
	attr.alg = setup->alg_type;
	/* The queue's type is the direction. */
	attr.qc_type = setup->dir_type;
	base = wd_session_alloc(&comp_class, sizeof(*s), &attr);
	if (!base) {
		ret = -errno;
		finder_close(finder);
		return wd_no_handle(ret);
	}
	s = to_comp_sess(base);
	s->finder = finder;
	s->alg = setup->alg_type;
	s->dir = setup->dir_type;
	s->level = setup->comp_lv;
	s->win = setup->win_size;
	s->sgl = setup->data_fmt == WD_SGL_BUF;
	s->verify = verify;
	s->apart = setup->flags & WD_SESS_VERIFY;
	/* Without asking: sequences and blocks are checked against the source, which costs little. */
	if (s->alg == WD_LZ77 || device_makes_blocks(setup))
		s->verify = s->apart = verify = true;
	s->checksum = setup->flags & WD_COMP_SESS_CHECKSUM;
	s->block = setup->flags & WD_COMP_SESS_BLOCK;
	s->fresh = true;
	s->finish = true;
	s->head = format_header_bytes(s->alg);
	s->least = comp_is_framed(s->alg) ? 1 :
		   s->alg == WD_LZ77 ? sizeof(struct wd_lz77_seq) : s->head + 2 + format_trailer_bytes(s->alg);
	format_write_header(s->alg, s->win, s->level, s->header);
	s->plain = !s->sgl && (s->dir == WD_DIR_COMPRESS || s->alg == WD_DEFLATE_RAW);
	/* The fast path writes results without looking at them. */
	wd_frame_ready(base, s->plain && !verify, COMP_CALL(s->dir));
	hisi_zip_session(s);
	return base->obj.handle;
}

static int sess_end(struct wd_session *base)
{
	struct comp_sess *s = to_comp_sess(base);
	int ret = stream_end(s);

	if (ret)
		return ret;
	finder_close(s->finder);
	s->finder = NULL;
	return 0;
}

int wd_comp_free_sess(handle_t sess)
{
	return wd_frame_free_sess(sess, &comp_class, sess_end);
}

int wd_comp_sess_caps(handle_t sess)
{
	struct wd_session *base = wd_session_get(sess, &comp_class);
	int caps;

	if (!base)
		return -EINVAL;
	caps = wd_session_caps(base);
	if (to_comp_sess(base)->finder) {
		caps |= finder_caps(to_comp_sess(base)->finder);
		if (to_comp_sess(base)->finder->hw_only)
			caps &= ~WD_CAP_SOFT;
	}
	if (!base->attr.async && !to_comp_sess(base)->block && to_comp_sess(base)->alg != WD_LZ77)
		caps |= WD_CAP_STREAM;
	if (to_comp_sess(base)->sgl)
		caps |= WD_CAP_SGL;
	return caps;
}

size_t wd_comp_bound(handle_t sess, size_t len)
{
	struct wd_session *base = wd_session_find(sess, &comp_class);

	if (!base) {
		errno = EINVAL;
		return 0;
	}
	if (to_comp_sess(base)->alg == WD_LZ77)
		return lz77_bound(len);
	if (comp_bound(len) < len) {
		wd_fail(&base->obj, EOVERFLOW, "len is too large: no buffer can hold the result");
		errno = EOVERFLOW;
		return 0;
	}
	return comp_bound(len);
}
