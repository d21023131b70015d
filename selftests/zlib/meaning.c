// SPDX-License-Identifier: Apache-2.0
/* Checks a deflate stream against zlib's documentation, by inflating it with stock zlib. */
#include <stdlib.h>
#include <string.h>

#include "meaning.h"

#define BACK_BYTES	(64u << 10)

static int inflate_bits(enum wrap wrap)
{
	static const int bits[] = { [WRAP_RAW] = -15, [WRAP_ZLIB] = 15, [WRAP_GZIP] = 31 };

	return bits[wrap];
}

/* Asks for the gzip header, which inflate() writes when it meets it. */
static void ask_header(struct meaning *m, const struct run *r)
{
	struct header *g = &m->got;

	memset(g, 0, sizeof(*g));
	g->h = (gz_header){ .extra = g->extra, .extra_max = HEADER_TEXT, .name = g->name, .name_max = HEADER_TEXT,
			    .comment = g->comment, .comm_max = HEADER_TEXT };
	m->got_whole = m->wrap == WRAP_GZIP && r->z[STOCK].inflateGetHeader(&m->inf, &g->h) == Z_OK;
}

static void begin(struct meaning *m, const struct run *r)
{
	m->given_len = m->taken = m->back = m->dict_len = 0;
	m->end = m->blind = m->started = m->finishing = m->ended = m->primed = m->full = m->filled = m->dict_set =
		false;
	m->flushed = true;
	m->last = m->most = FLUSH_NEVER;
	m->pending = 0;
	m->sum = m->wrap == WRAP_GZIP ? r->z[STOCK].crc32(0, NULL, 0) : r->z[STOCK].adler32(0, NULL, 0);
	ask_header(m, r);
}

void meaning_open(struct meaning *m, const struct run *r, enum wrap wrap)
{
	memset(m, 0, sizeof(*m));
	m->wrap = wrap;
	m->given = malloc(POOL_BYTES);
	m->dict = malloc(POOL_BYTES);
	RUN_CHECK(r, zlib_inflate_init(&r->z[STOCK], &m->inf, inflate_bits(wrap)) == Z_OK,
		  "stock zlib does not inflate");
	begin(m, r);
}

void meaning_close(struct meaning *m, const struct run *r)
{
	r->z[STOCK].inflateEnd(&m->inf);
	free(m->given);
	free(m->dict);
}

void meaning_reset(struct meaning *m, const struct run *r)
{
	r->z[STOCK].inflateReset2(&m->inf, inflate_bits(m->wrap));
	begin(m, r);
}

void meaning_copy(struct meaning *copy, const struct meaning *m, const struct run *r)
{
	*copy = *m;
	copy->given = malloc(POOL_BYTES);
	copy->dict = malloc(POOL_BYTES);
	memcpy(copy->given, m->given, m->given_len);
	memcpy(copy->dict, m->dict, m->dict_len);
	memset(&copy->inf, 0, sizeof(copy->inf));
	RUN_CHECK(r, r->z[STOCK].inflateCopy(&copy->inf, (z_streamp)&m->inf) == Z_OK, "stock zlib does not copy");
	/* A header that is half read is in the memory of the source, and is no longer checked in the copy. */
	ask_header(copy, r);
	copy->got_whole = false;
}

void meaning_dictionary(struct meaning *m, const struct run *r, const void *dict, size_t n)
{
	memcpy(m->dict, dict, n);
	m->dict_len = n;
	m->dict_set = true;
	if (m->wrap != WRAP_RAW || m->blind)
		return;
	RUN_CHECK(r, r->z[STOCK].inflateSetDictionary(&m->inf, dict, (uInt)n) == Z_OK,
		  "stock zlib refuses a dictionary");
}

void meaning_history(const struct meaning *m, const struct run *r, const void *dict, size_t n)
{
	size_t known = n < m->taken ? n : m->taken;

	RUN_CHECK(r, n <= 32768, "a dictionary of %zu bytes", n);
	if (!m->blind)
		run_same_bytes(r, "the end of the dictionary", m->given + m->taken - known, known,
			       (const unsigned char *)dict + n - known, known);
}

/* Inflates, and compares with what was given. Returns what inflate() has returned. */
static int back(struct meaning *m, const struct run *r)
{
	unsigned char buf[BACK_BYTES];
	size_t n;
	int ret;

	m->inf.next_out = buf;
	m->inf.avail_out = sizeof(buf);
	ret = r->z[STOCK].inflate(&m->inf, Z_NO_FLUSH);
	if (ret == Z_NEED_DICT) {
		ret = r->z[STOCK].inflateSetDictionary(&m->inf, m->dict, (uInt)m->dict_len);
		RUN_CHECK(r, ret == Z_OK, "the output asks for another dictionary than the one that was set");
		return ret;
	}
	n = sizeof(buf) - m->inf.avail_out;
	RUN_CHECK(r, ret == Z_OK || ret == Z_STREAM_END || ret == Z_BUF_ERROR, "the output does not inflate: %d, %s",
		  ret, m->inf.msg ? m->inf.msg : "no message");
	RUN_CHECK(r, m->back + n <= m->taken, "the output has %zu bytes of %zu", m->back + n, m->taken);
	run_same_bytes(r, "the inflated output", m->given + m->back, n, buf, n);
	m->back += n;
	m->end = ret == Z_STREAM_END;
	return ret;
}

void meaning_output(struct meaning *m, const struct run *r, const struct before *b, const z_stream *s)
{
	int ret;

	m->sum = m->wrap == WRAP_GZIP ? r->z[STOCK].crc32(m->sum, m->given + m->taken, (uInt)b->consumed) :
					r->z[STOCK].adler32(m->sum, m->given + m->taken, (uInt)b->consumed);
	m->taken += b->consumed;
	/* zlib counts a dictionary as input. */
	RUN_CHECK(r, m->blind || m->dict_set || m->taken == s->total_in, "total_in is %lu, expected %zu", s->total_in,
		  m->taken);
	if (b->produced)
		m->filled = !s->avail_out;
	if (m->blind || !b->produced)
		return;
	RUN_CHECK(r, !m->end, "output behind the end of the stream");
	m->inf.next_in = b->out;
	m->inf.avail_in = (uInt)b->produced;
	do
		ret = back(m, r);
	while (ret != Z_STREAM_END && ret != Z_BUF_ERROR &&
	       (m->inf.avail_in || !m->inf.avail_out || ret == Z_NEED_DICT));
	RUN_CHECK(r, !m->inf.avail_in, "%u bytes behind the end of the stream", m->inf.avail_in);
}

/* The order in which one flush does more than another. */
static int rank(int flush)
{
	return flush * 2 - (flush > 4 ? 9 : 0);
}

static void same_header(const struct meaning *m, const struct run *r)
{
	static const gz_header none;
	const gz_header *set = m->header ? &m->header->h : &none, *got = &m->got.h;

	RUN_CHECK(r, got->done == 1, "the gzip header is not complete");
	run_same(r, "text of the header", set->text, got->text);
	run_same(r, "time of the header", (long long)set->time, (long long)got->time);
	if (m->header)
		run_same(r, "os of the header", set->os, got->os);
	run_same(r, "hcrc of the header", set->hcrc, got->hcrc);
	run_same_text(r, "name of the header", (const char *)set->name, (const char *)got->name);
	run_same_text(r, "comment of the header", (const char *)set->comment, (const char *)got->comment);
	run_same_bytes(r, "extra field of the header", set->extra, set->extra ? set->extra_len : 0, got->extra,
		       got->extra ? got->extra_len : 0);
}

static void check_finish(struct meaning *m, const struct run *r, const z_stream *s, int ret)
{
	if (ret != Z_STREAM_END) {
		RUN_CHECK(r, !s->avail_out, "Z_FINISH returned %d with %u bytes of room left", ret, s->avail_out);
		return;
	}
	RUN_CHECK(r, m->end, "Z_STREAM_END, but the output has no end");
	RUN_CHECK(r, m->back == m->given_len, "Z_STREAM_END, but the output has %zu bytes of %zu", m->back,
		  m->given_len);
	m->ended = true;
	if (m->got_whole)
		same_header(m, r);
}

/* The value of a call without progress, although there is room. */
static void check_standstill(const struct meaning *m, const struct run *r, int last, int flush, int ret)
{
	bool less = rank(flush) <= rank(last);

	if (last == FLUSH_UNKNOWN || flush == Z_FINISH)
		return;
	/* zlib repeats a flush without input if a lesser one came in between. There is nothing to flush. */
	if (!less && last != FLUSH_AGAIN && (m->most == FLUSH_UNKNOWN || rank(flush) <= rank(m->most)))
		return;
	run_same(r, "the value of a call that can do nothing", less ? Z_BUF_ERROR : Z_OK, ret);
}

static void check_flush(struct meaning *m, const struct run *r, const struct before *b, const z_stream *s, int flush)
{
	static const unsigned char marker[] = { 0, 0, 0xff, 0xff };

	m->full |= flush == Z_FULL_FLUSH;
	m->flushed = s->avail_out && flush != Z_NO_FLUSH && flush != Z_BLOCK;
	if (!m->flushed)
		return;
	RUN_CHECK(r, m->back == m->taken, "flush %d: only %zu bytes of %zu can be inflated", flush, m->back, m->taken);
	if ((flush == Z_SYNC_FLUSH || flush == Z_FULL_FLUSH) && b->produced >= sizeof(marker))
		run_same_bytes(r, "the end of the flush", marker, sizeof(marker), b->out + b->produced - sizeof(marker),
			       sizeof(marker));
}

static bool forbidden(const struct meaning *m, const struct before *b, int flush)
{
	return flush < 0 || flush > Z_BLOCK || !b->s.next_out || (b->s.avail_in && !b->s.next_in) ||
	       (m->ended && flush != Z_FINISH);
}

/* A call on which zlib does nothing. Returns its value, or 1 for any other call. */
static int refused(const struct meaning *m, const struct before *b, int flush)
{
	if (forbidden(m, b, flush))
		return Z_STREAM_ERROR;
	if (!b->s.avail_out)
		return Z_BUF_ERROR;
	if (m->ended)
		return b->s.avail_in ? Z_BUF_ERROR : Z_STREAM_END;
	return 1;
}

void meaning_deflate(struct meaning *m, const struct run *r, const struct before *b, const z_stream *s, int flush,
		     int ret)
{
	bool progress = b->consumed || b->produced;
	int last = m->last, want;

	if (m->blind)
		return;
	want = refused(m, b, flush);
	if (want != 1) {
		run_same(r, "the value of a call that does nothing", want, ret);
		RUN_CHECK(r, !progress, "%zu bytes consumed, %zu produced", b->consumed, b->produced);
		return;
	}
	/* The header of a stream may just fill the room. */
	m->last = s->avail_out ? flush : m->started ? FLUSH_AGAIN : FLUSH_UNKNOWN;
	m->started = true;
	m->filled = !s->avail_out;
	RUN_CHECK(r, b->produced >= m->pending || !s->avail_out, "%zu bytes came, but %u were pending", b->produced,
		  m->pending);
	m->pending = 0;
	m->finishing |= flush == Z_FINISH;
	RUN_CHECK(r, ret == Z_OK || ret == Z_STREAM_END || ret == Z_BUF_ERROR, "the value is %d", ret);
	RUN_CHECK(r, ret != Z_STREAM_END || flush == Z_FINISH, "Z_STREAM_END without Z_FINISH");
	RUN_CHECK(r, ret != Z_BUF_ERROR || !progress, "Z_BUF_ERROR, but %zu bytes were consumed and %zu produced",
		  b->consumed, b->produced);
	RUN_CHECK(r, !s->avail_in || !s->avail_out, "%u bytes of input and %u of room are left", s->avail_in,
		  s->avail_out);
	if (!progress)
		check_standstill(m, r, last, flush, ret);
	if (b->consumed)
		m->most = FLUSH_NEVER;
	if (m->most != FLUSH_UNKNOWN && rank(flush) > rank(m->most))
		m->most = flush;
	if (flush == Z_FINISH)
		check_finish(m, r, s, ret);
	else
		check_flush(m, r, b, s, flush);
	if (m->wrap != WRAP_RAW && (m->taken || !m->header))
		run_same(r, "adler", (long long)m->sum, (long long)s->adler);
	RUN_CHECK(r, s->data_type >= Z_BINARY && s->data_type <= Z_UNKNOWN, "data_type is %d", s->data_type);
}

void meaning_ended(const struct meaning *m, const struct run *r, int ret)
{
	/* Z_OK before the end of the header and after the beginning of the end, though output is discarded. */
	if (m->blind || (m->finishing && !m->ended) || (m->wrap == WRAP_GZIP && m->header && !m->taken))
		RUN_CHECK(r, ret == Z_OK || ret == Z_DATA_ERROR, "deflateEnd returned %d", ret);
	else
		run_same(r, "the value of deflateEnd", m->started && !m->ended ? Z_DATA_ERROR : Z_OK, ret);
}
