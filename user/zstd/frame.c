// SPDX-License-Identifier: Apache-2.0
/* Whether devices find a frame's matches, and the context's state around that. */
#include <pthread.h>

#include "config.h"
#include "device.h"
#include "frame.h"
#include "stats.h"

#define LEVEL_DEFAULT	3
#define WINDOW_LONG	27	/* from here on libzstd may search long distances by itself */
#define BLOCK_SPLITTER	((ZSTD_cParameter)1017)	/* ZSTD_c_blockSplitterLevel, of 1.5.7 */

static int parameter(ZSTD_CCtx *c, ZSTD_cParameter which)
{
	int value = 0;

	if (wds_real()->isError(wds_real()->CCtx_getParameter(c, which, &value)))
		return 0;
	return value;
}

static bool level_is_ours(int level)
{
	const struct wdz_config *config = wds_config();

	level = level ? level : LEVEL_DEFAULT;
	return !config->off && level >= config->level_low && level <= config->level_high;
}

/* With these, a producer is an error, or has no part in the frame. */
static bool parameters_allow(ZSTD_CCtx *c)
{
	return level_is_ours(parameter(c, ZSTD_c_compressionLevel)) && !parameter(c, ZSTD_c_nbWorkers) &&
	       parameter(c, ZSTD_c_enableLongDistanceMatching) != ZSTD_ps_enable &&
	       parameter(c, ZSTD_c_windowLog) < WINDOW_LONG && !parameter(c, ZSTD_c_format) &&
	       !parameter(c, ZSTD_c_targetCBlockSize);
}

static bool context_allows(const struct wds_context *x)
{
	return !(x->dictionary || x->prefix || x->producer || x->fixed);
}

static void producer_set(ZSTD_CCtx *c, struct wds_context *x)
{
	const struct wds_real *r = wds_real();

	x->repeats = parameter(c, ZSTD_c_searchForExternalRepcodes);
	x->splits = parameter(c, BLOCK_SPLITTER);
	/* Fails within a frame that began in a way that isn't known here. */
	if (r->isError(r->CCtx_setParameter(c, ZSTD_c_searchForExternalRepcodes, ZSTD_ps_enable)))
		return;
	r->CCtx_setParameter(c, BLOCK_SPLITTER, 1);
	r->registerSequenceProducer(c, NULL, wds_device_find);
	x->ours = true;
}

static void producer_clear(ZSTD_CCtx *c, struct wds_context *x)
{
	const struct wds_real *r = wds_real();

	r->registerSequenceProducer(c, NULL, NULL);
	r->CCtx_setParameter(c, ZSTD_c_searchForExternalRepcodes, x->repeats);
	r->CCtx_setParameter(c, BLOCK_SPLITTER, x->splits);
	x->ours = false;
}

void wds_frame_begin(ZSTD_CCtx *c, size_t n, bool end)
{
	struct wds_context *x = wds_context_of(c, false);

	if (x && x->begun)
		return;
	/* Reads the environment, which says whether to count. */
	wds_config();
	wds_count(WDS_FRAMES, 1);
	x = wds_context_of(c, true);
	if (!x)
		return;
	x->begun = true;
	if (!wds_real()->takes || (end && n < wds_config()->min) || !context_allows(x) || !parameters_allow(c) ||
	    !wds_device_ready())
		return;
	producer_set(c, x);
	if (x->ours)
		wds_count(WDS_FRAMES_OFFERED, 1);
}

void wds_frame_end(ZSTD_CCtx *c)
{
	struct wds_context *x = wds_context_of(c, false);

	if (!x)
		return;
	if (x->ours)
		producer_clear(c, x);
	/* A prefix is that of the next frame. */
	if (x->begun)
		x->prefix = false;
	x->begun = false;
	if (context_allows(x))
		wds_context_forget(c);
}

/* --- whole buffers of calls that know no producer --- */

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

static void own_free(void *c)
{
	wds_real()->freeCCtx(c);
}

static void key_make(void)
{
	has_key = !pthread_key_create(&key, own_free);
}

/* The thread's context. */
static ZSTD_CCtx *own_context(void)
{
	ZSTD_CCtx *c;

	pthread_once(&once, key_make);
	if (!has_key)
		return NULL;
	c = pthread_getspecific(key);
	if (c)
		return c;
	c = wds_real()->createCCtx();
	if (c && pthread_setspecific(key, c)) {
		wds_real()->freeCCtx(c);
		return NULL;
	}
	return c;
}

bool wds_frame_whole(void *dst, size_t room, const void *src, size_t n, int level, size_t *result)
{
	const struct wdz_config *config = wds_config();
	const struct wds_real *r = wds_real();
	struct wds_context x = { .c = NULL };
	ZSTD_CCtx *c;

	wds_count(WDS_FRAMES, 1);
	if (!r->takes || n < config->min || !level_is_ours(level) || !wds_device_ready())
		return false;
	c = own_context();
	if (!c)
		return false;
	r->CCtx_setParameter(c, ZSTD_c_compressionLevel, level);
	producer_set(c, &x);
	wds_count(WDS_FRAMES_OFFERED, 1);
	*result = r->compress2(c, dst, room, src, n);
	if (r->isError(*result))
		r->CCtx_reset(c, ZSTD_reset_session_only);
	return !r->isError(*result);
}
