// SPDX-License-Identifier: Apache-2.0
/*
 * The functions of libzstd that this library is called for first. libzstd calls its own by the same way, so a mark of
 * the thread tells a program's calls from those.
 */
#include "device.h"
#include "frame.h"

static __thread int inside __attribute__((tls_model("initial-exec")));

/* --- frames --- */

size_t ZSTD_compressStream2(ZSTD_CCtx *c, ZSTD_outBuffer *out, ZSTD_inBuffer *in, ZSTD_EndDirective how)
{
	const struct wds_real *r = wds_real();
	size_t ret;

	if (inside)
		return r->compressStream2(c, out, in, how);
	inside++;
	wds_frame_begin(c, in->size - in->pos, how == ZSTD_e_end);
	ret = r->compressStream2(c, out, in, how);
	if (how == ZSTD_e_end && !ret)
		wds_frame_end(c);
	inside--;
	return ret;
}

size_t ZSTD_compress2(ZSTD_CCtx *c, void *dst, size_t room, const void *src, size_t n)
{
	const struct wds_real *r = wds_real();
	size_t ret;

	if (inside)
		return r->compress2(c, dst, room, src, n);
	inside++;
	/* The call abandons a frame that was begun. */
	r->CCtx_reset(c, ZSTD_reset_session_only);
	wds_frame_end(c);
	wds_frame_begin(c, n, true);
	ret = r->compress2(c, dst, room, src, n);
	if (r->isError(ret))
		r->CCtx_reset(c, ZSTD_reset_session_only);
	wds_frame_end(c);
	inside--;
	return ret;
}

size_t ZSTD_compressCCtx(ZSTD_CCtx *c, void *dst, size_t room, const void *src, size_t n, int level)
{
	size_t ret;

	if (inside++ || !wds_frame_whole(dst, room, src, n, level, &ret))
		ret = wds_real()->compressCCtx(c, dst, room, src, n, level);
	inside--;
	return ret;
}

size_t ZSTD_compress(void *dst, size_t room, const void *src, size_t n, int level)
{
	size_t ret;

	if (inside++ || !wds_frame_whole(dst, room, src, n, level, &ret))
		ret = wds_real()->compress(dst, room, src, n, level);
	inside--;
	return ret;
}

size_t ZSTD_compress_usingDict(ZSTD_CCtx *c, void *dst, size_t room, const void *src, size_t n, const void *dict,
			       size_t dict_n, int level)
{
	size_t ret;

	if (inside++ || (dict && dict_n) || !wds_frame_whole(dst, room, src, n, level, &ret))
		ret = wds_real()->compress_usingDict(c, dst, room, src, n, dict, dict_n, level);
	inside--;
	return ret;
}

/* --- what a context is --- */

size_t ZSTD_CCtx_reset(ZSTD_CCtx *c, ZSTD_ResetDirective what)
{
	struct wds_context *x;
	size_t ret = wds_real()->CCtx_reset(c, what);

	if (inside)
		return ret;
	/* The parameters of a frame can't be reset, and that fails. */
	if (what != ZSTD_reset_parameters)
		wds_frame_end(c);
	x = wds_context_of(c, false);
	if (x && what != ZSTD_reset_session_only && !wds_real()->isError(ret))
		x->dictionary = x->prefix = x->producer = false;
	return ret;
}

size_t ZSTD_freeCCtx(ZSTD_CCtx *c)
{
	if (c)
		wds_context_forget(c);
	return wds_real()->freeCCtx(c);
}

static void note_dictionary(ZSTD_CCtx *c, bool any)
{
	struct wds_context *x = wds_context_of(c, any);

	if (x)
		x->dictionary = any;
}

static void note_prefix(ZSTD_CCtx *c, bool any)
{
	struct wds_context *x = wds_context_of(c, any);

	if (x)
		x->prefix = any;
}

size_t ZSTD_CCtx_loadDictionary(ZSTD_CCtx *c, const void *dict, size_t n)
{
	note_dictionary(c, dict && n);
	return wds_real()->CCtx_loadDictionary(c, dict, n);
}

size_t ZSTD_CCtx_loadDictionary_byReference(ZSTD_CCtx *c, const void *dict, size_t n)
{
	note_dictionary(c, dict && n);
	return wds_real()->CCtx_loadDictionary_byReference(c, dict, n);
}

size_t ZSTD_CCtx_loadDictionary_advanced(ZSTD_CCtx *c, const void *dict, size_t n, ZSTD_dictLoadMethod_e how,
					 ZSTD_dictContentType_e type)
{
	note_dictionary(c, dict && n);
	return wds_real()->CCtx_loadDictionary_advanced(c, dict, n, how, type);
}

size_t ZSTD_CCtx_refCDict(ZSTD_CCtx *c, const ZSTD_CDict *dict)
{
	note_dictionary(c, dict);
	return wds_real()->CCtx_refCDict(c, dict);
}

size_t ZSTD_CCtx_refPrefix(ZSTD_CCtx *c, const void *prefix, size_t n)
{
	note_prefix(c, prefix && n);
	return wds_real()->CCtx_refPrefix(c, prefix, n);
}

size_t ZSTD_CCtx_refPrefix_advanced(ZSTD_CCtx *c, const void *prefix, size_t n, ZSTD_dictContentType_e type)
{
	note_prefix(c, prefix && n);
	return wds_real()->CCtx_refPrefix_advanced(c, prefix, n, type);
}

ZSTD_CCtx *ZSTD_initStaticCCtx(void *memory, size_t n)
{
	ZSTD_CCtx *c = wds_real()->initStaticCCtx(memory, n);
	struct wds_context *x = c ? wds_context_of(c, true) : NULL;

	/* It is never freed: what was known of an older one at the address is not of this one. */
	if (x)
		*x = (struct wds_context){ .c = c, .next = x->next, .fixed = true };
	return c;
}

void ZSTD_registerSequenceProducer(ZSTD_CCtx *c, void *state, wds_producer_t find)
{
	struct wds_context *x = inside ? NULL : wds_context_of(c, find);

	if (x)
		x->producer = find;
	wds_real()->registerSequenceProducer(c, state, find);
}
