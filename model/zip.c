// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* The ZIP engine: descriptor in, checks, one direction, descriptor out. */
#include "zip.h"
#include "hw/zip_access_hw.h"

/*
 * Words that are 0 in the supported request types (DIF, reserved), and the high halves of the context's address and of
 * the literals'. There is one in each 32 bytes: however a descriptor is copied, one of them is old while it is
 * incomplete. A copy in units of 32 bytes stores the third of these last. An emulated CPU splits that store, so there
 * are two, one of them at its end.
 */
static const struct wdm_mark zip_marks[] = {
	{ 5, ~0u }, { 12, ~0u }, { 16, ~0u }, { 23, WDM_MARK_ADDRESS }, { 25, WDM_MARK_ADDRESS },
	{ 0, 0 },
};

static const struct wdm_error_block zip_errors = {
	.source = ZIP_ERR_SOURCE,
	.mask = ZIP_ERR_MASK,
	.set = ZIP_ERR_SET,
	.status = ZIP_ERR_STATUS,
	.shutdown = ZIP_OOO_SHUTDOWN_SEL,
	.shutdown_on = ZIP_ERR_CTRL,
	.shutdown_bit = ZIP_ERR_CTRL_AXI_SHUTDOWN,
};

static const struct wdm_reg zip_regs_v2[] = {
	{ 0, 0 },
};

static const struct wdm_reg zip_sva_v2[] = {
	{ ZIP_DATA_RUSER, QM_AXUSER_SSV },
	{ ZIP_DATA_WUSER, QM_AXUSER_SSV },
	{ ZIP_SGL_RUSER, QM_AXUSER_SSV },
	{ 0, 0 },
};

static const struct wdm_reg_range zip_absent_v2[] = {
	{ ZIP_PREFETCH_CFG, ZIP_PREFETCH_CFG + 4 },
	{ ZIP_OOO_SHUTDOWN_SEL, ZIP_OOO_SHUTDOWN_SEL + 4 },
	{ 0, 0 },
};

static const struct wdm_reg zip_regs_v3[] = {
	{ QM_CAP_NFE_MASK, ZIP_CAP_QM_NFE_V3 },
	{ QM_CAP_RESET_MASK, ZIP_CAP_QM_RESET_V3 },
	{ QM_CAP_CE_MASK, ZIP_CAP_QM_CE_V3 },
	{ ZIP_CAP_NFE_MASK, ZIP_CAP_NFE_MASK_V3 },
	{ ZIP_CAP_RESET_MASK, ZIP_CAP_RESET_MASK_V3 },
	{ ZIP_CAP_CE_MASK, ZIP_CAP_CE_MASK_V3 },
	{ ZIP_CAP_CORES, ZIP_CAP_CORES_V3 },
	{ ZIP_CAP_CORE_ENABLE, ZIP_CAP_CORE_ENABLE_V3 },
	{ ZIP_CAP_DRV_ALGS, ZIP_CAP_DRV_ALGS_V3 },
	{ ZIP_CAP_DEV_ALGS, ZIP_CAP_DEV_ALGS_LZ },
	{ ZIP_CAP_CORE_BITMAP_FIRST, 0xd5 },
	{ ZIP_CAP_CORE_BITMAP_FIRST + 4, 0xd5 },
	{ ZIP_CAP_CORE_BITMAP_FIRST + 8, 0x2a },
	{ ZIP_CAP_CORE_BITMAP_FIRST + 12, 0x2a },
	{ ZIP_CAP_CORE_BITMAP_FIRST + 16, 0x2a },
	{ 0, 0 },
};

static u32 sqe_get(const u32 *sqe, u32 dw)
{
	return wdm_get32(sqe + dw);
}

static u64 sqe_addr(const u32 *sqe, u32 dw)
{
	return wdm_get64(sqe + dw);
}

/* Software writes 0 there. If nothing was consumed, produced or noticed, a completed one looks the same. */
static bool zip_answered(const u32 *sqe)
{
	return sqe_get(sqe, 0) || sqe_get(sqe, 1) || sqe_get(sqe, 3);
}

static u32 zip_bytes(const u32 *sqe)
{
	u32 len = sqe_get(sqe, 4);

	return len < ZIP_MAX_INPUT ? len : ZIP_MAX_INPUT;
}

static bool zip_failure(u32 status)
{
	return status <= ZIP_DW3_STATUS_MASK && status != ZIP_ST_OK && status != ZIP_ST_NEGATIVE_COMP &&
	       status != ZIP_ST_END;
}

static void zip_fail(u32 *sqe, u32 status)
{
	wdm_put32(sqe, 0);
	wdm_put32(sqe + 1, 0);
	wdm_put32(sqe + 3, status);
}

static void zip_abort(u32 *sqe)
{
	zip_fail(sqe, ZIP_ST_ABORTED);
}

static bool zip_bits_known(const struct zip_access_type *type, const struct zip_access_req *row, const u32 *sqe)
{
	u32 i;

	for (i = 0; i < ZIP_SQE_WORDS; i++)
		if (!zip_access_bits_known(type, row, i, sqe_get(sqe, i)))
			return false;
	return sqe_get(sqe, 7) >> ZIP_DW7_SQE_TYPE_SHIFT == type->sqe_type;
}

/* Whether the queue's engine does requests of that type, and a whole buffer or a stream of that size. */
static bool zip_row_fits(const struct zip_access_req *row, const struct wdm_zip_req *r)
{
	if (row->flags & ZIP_ONLY_COMPRESSES && r->job->alg_type != ZIP_QC_COMPRESS)
		return false;
	if ((row->flags & ZIP_ONLY_WHOLE && r->stream) || (row->flags & ZIP_NEVER_EMPTY && !r->in_len))
		return false;
	if (row->flags & ZIP_HAS_LITERALS && (!r->literals || r->dst_skip))
		return false;
	return r->in_len <= row->most;
}

/* More than a device uses is as much as it uses. */
static u32 zip_room(const u32 *sqe, u32 dw)
{
	return sqe_get(sqe, dw) < ZIP_MAX_OUTPUT ? sqe_get(sqe, dw) : ZIP_MAX_OUTPUT;
}

/* Fills in @r from the fields whose legal values are known. */
static u32 zip_parse(struct wdm_zip_req *r, const u32 *sqe)
{
	const struct zip_access_type *type = &zip_access_types[HW_ROW(r->job->generation)];
	u32 dw7 = sqe_get(sqe, 7), dw8 = sqe_get(sqe, 8), dw9 = sqe_get(sqe, 9);
	u32 buf = dw9 >> ZIP_DW9_BUF_SHIFT & ZIP_DW9_BUF_MASK;

	r->type = dw9 & ZIP_DW9_REQ_MASK;
	r->window = dw9 >> ZIP_DW9_WIN_SHIFT & ZIP_DW9_WIN_MASK;
	r->sgl = buf == ZIP_BUF_SGL;
	r->stream = dw7 & ZIP_DW7_STREAM;
	r->begin = !r->stream || (dw7 & ZIP_DW7_NEW_STREAM);
	r->finish = !r->stream || (dw7 & ZIP_DW7_FINISH);
	r->src_skip = dw7 & ZIP_DW7_SRC_SKIP_MASK;
	r->dst_skip = dw8 & ZIP_DW8_DST_SKIP_MASK;
	r->in_len = sqe_get(sqe, 4);
	r->out_len = zip_room(sqe, 14);
	r->row = zip_access_req_of(r->job->generation, r->type);
	if (r->row && r->row->flags & ZIP_HAS_LITERALS) {
		r->literals = sqe_addr(sqe, 24);
		r->literals_room = zip_room(sqe, ZIP_LITERALS_ROOM);
	}
	r->src = sqe_addr(sqe, 18);
	r->dst = sqe_addr(sqe, 20);
	r->ctx = sqe_addr(sqe, 22);
	r->ctx_dw[0] = sqe_get(sqe, 15);
	r->ctx_dw[1] = sqe_get(sqe, 28);
	r->ctx_dw[2] = sqe_get(sqe, 29);
	r->isize = sqe_get(sqe, 30);
	r->checksum = sqe_get(sqe, 31);

	if (zip_answered(sqe) || !r->row || !zip_bits_known(type, r->row, sqe) || !zip_row_fits(r->row, r) ||
	    buf > ZIP_BUF_SGL || r->window > ZIP_WIN_32K ||
	    !r->src || !r->dst || (!r->sgl && (r->src_skip || r->dst_skip)) || (r->stream && !r->ctx))
		return ZIP_ST_BAD_REQUEST;
	if ((r->stream && r->out_len < r->row->stream_room) || r->out_len < r->row->tail ||
	    (r->literals && r->literals_room < r->in_len + ZIP_LZ77_LITERALS_MORE))
		return ZIP_ST_NOSPACE;
	return ZIP_ST_OK;
}

static u32 zip_open(struct wdm_zip_req *r)
{
	int err;

	if (r->begin) {
		r->checksum = r->type == ZIP_REQ_ZLIB ? WDM_ADLER_INIT : 0;
		r->isize = 0;
	} else if (r->type == ZIP_REQ_GZIP) {
		r->checksum = wdm_crc_from_register(r->checksum);
	}
	err = wdm_cursor_init(&r->s->src, r->job, r->sgl, r->src, r->src_skip, r->in_len);
	if (err)
		return wdm_zip_error(err, false);
	err = wdm_cursor_init(&r->s->dst, r->job, r->sgl, r->dst, r->dst_skip, r->out_len);
	if (!err && r->literals)
		err = wdm_cursor_init(&r->s->literals, r->job, r->sgl, r->literals, 0, r->literals_room);
	return err ? wdm_zip_error(err, true) : ZIP_ST_OK;
}

/* Assumption: a cycle is a nanosecond. */
static void zip_core_show(struct wdm_function *pf, const struct wdm_core *cores, u32 nr)
{
	u32 i, at = ZIP_CORE_BASE;

	for (i = 0; i < nr; i++, cores++, at += ZIP_CORE_STRIDE) {
		wdm_reg_write(pf, at + ZIP_CORE_GET_BD, cores->taken);
		wdm_reg_write(pf, at + ZIP_CORE_RIGHT_BD, cores->done - cores->wrong);
		wdm_reg_write(pf, at + ZIP_CORE_ERROR_BD, cores->wrong);
		wdm_reg_write(pf, at + ZIP_CORE_DONE_BD, cores->done);
		wdm_reg_write(pf, at + ZIP_CORE_WORK_CYCLE, (u32)cores->busy);
		wdm_reg_write(pf, at + ZIP_CORE_MAX_DELAY, cores->delay_max);
		wdm_reg_write(pf, at + ZIP_CORE_MIN_DELAY, cores->delay_min);
		wdm_reg_write(pf, at + ZIP_CORE_AVG_DELAY, cores->done ? (u32)(cores->busy / cores->done) : 0);
		wdm_reg_write(pf, at + ZIP_CORE_CONSUMED, cores->in);
		wdm_reg_write(pf, at + ZIP_CORE_PRODUCED, cores->out);
	}
}

static void zip_write_back(const struct wdm_zip_req *r, u32 *sqe, u32 status)
{
	bool ok = status == ZIP_ST_OK || status == ZIP_ST_NEGATIVE_COMP || status == ZIP_ST_END;

	wdm_put32(sqe, ok ? r->consumed : 0);
	wdm_put32(sqe + 1, ok ? r->produced : 0);
	wdm_put32(sqe + 2, ok ? r->nr_literals : 0);
	wdm_put32(sqe + 3, status | (ok && r->last_block ? ZIP_DW3_LAST_BLOCK : 0));
	if (!ok)
		return;
	wdm_put32(sqe + 15, r->ctx_dw[0]);
	wdm_put32(sqe + 28, r->ctx_dw[1]);
	wdm_put32(sqe + 29, r->ctx_dw[2]);
	wdm_put32(sqe + 30, r->isize);
	wdm_put32(sqe + 31, r->type == ZIP_REQ_GZIP ? wdm_crc_to_register(r->checksum) : r->checksum);
}

static u32 zip_work(struct wdm_zip_req *r)
{
	if (r->type == ZIP_REQ_LZ4)
		return wdm_zip_lz4(r);
	if (r->row->flags & ZIP_HAS_LITERALS)
		return wdm_zip_lz77(r);
	return r->job->alg_type == ZIP_QC_COMPRESS ? wdm_zip_compress(r) : wdm_zip_decompress(r);
}

static void zip_execute(struct wdm_job *job, struct wdm_scratch *s)
{
	struct wdm_zip_req r = { .job = job, .s = s };
	u32 status;

	if (wdm_load(&job->abort)) {
		zip_abort(job->sqe);
		return;
	}
	status = zip_parse(&r, job->sqe);
	job->refused = status == ZIP_ST_BAD_REQUEST;
	if (!status)
		status = zip_open(&r);
	if (!status)
		status = zip_work(&r);
	zip_write_back(&r, job->sqe, status);
	job->bytes_in = r.consumed;
	job->bytes_out = r.produced;
}

const struct wdm_personality wdm_zip = {
	.vf_id = QM_PCI_ID_ZIP_VF,
	.sqe_shift = 7,
	.queues_default = ZIP_QUEUES_DEFAULT,
	.variant = {
		[WDM_ROW(2)] = {
			.alg_types = 2,
			.cores = { ZIP_DECOMP_CORE_FIRST, 6 },
			.regs = zip_regs_v2,
			.sva = zip_sva_v2,
			.absent = zip_absent_v2,
			.marks = zip_marks,
			.errors = { ZIP_QM_NFE_V2 | ZIP_QM_CE_V2, ZIP_NFE_V2 | ZIP_CE_V2 },
			.closes = { 0, ZIP_BLOCKS_V2 },
		},
		[WDM_ROW(3)] = {
			.alg_types = 2,
			.cores = { ZIP_DECOMP_CORE_FIRST, 3 },
			.regs = zip_regs_v3,
			.marks = zip_marks,
			.errors = { ZIP_CAP_QM_NFE_V3 | ZIP_CAP_QM_CE_V3, ZIP_CAP_NFE_MASK_V3 | ZIP_CAP_CE_MASK_V3 },
		},
	},
	.errors = &zip_errors,
	.core_show = zip_core_show,
	.clear_reg = ZIP_SOFT_CTRL_CNT_CLR,
	.clear_bits = ZIP_SOFT_CTRL_CNT_CLR_ON,
	.bytes = zip_bytes,
	.execute = zip_execute,
	.abort = zip_abort,
	.failure = zip_failure,
	.fail = zip_fail,
	.answered = zip_answered,
};

size_t wdm_scratch_size(void)
{
	return sizeof(struct wdm_scratch);
}

struct wdm_scratch *wdm_scratch_init(void *mem, void *engine_ws)
{
	struct wdm_scratch *s = mem;

	memset(s, 0, sizeof(*s));
	s->engine_ws = engine_ws;
	wdm_crc_init(&s->crc);
	return s;
}
