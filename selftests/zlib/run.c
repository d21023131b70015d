// SPDX-License-Identifier: Apache-2.0
/* A run of random calls for one seed: its buffers, its comparisons, its last words. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#define CANARY		64	/* bytes behind each call's output */
#define CANARY_BYTE	0xc5
#define SPENT_BYTE	0x5c	/* input is this after the call */

void run_open(struct run *r, struct place *place)
{
	int side;

	memset(r, 0, sizeof(*r));
	r->place = place;
	r->rng.state = place->seed * 0xd1342543de82ef95ull;
	r->pool = malloc(POOL_BYTES);
	for (side = 0; side < SIDES; side++) {
		r->in[side] = malloc(ROOM_BYTES);
		r->out[side] = malloc(ROOM_BYTES + CANARY);
	}
}

void run_close(struct run *r)
{
	int side;

	free(r->pool);
	for (side = 0; side < SIDES; side++) {
		free(r->in[side]);
		free(r->out[side]);
	}
}

void run_call(struct run *r, const char *format, ...)
{
	struct place *p = r->place;
	va_list args;

	p->call++;
	va_start(args, format);
	vsnprintf(p->what, sizeof(p->what), format, args);
	va_end(args);
	if (getenv("WD_TEST_TRACE"))
		printf("# program %u, stream %u, call %u: %s\n", p->program, p->stream, p->call, p->what);
}

void run_fail(const struct run *r, const char *format, ...)
{
	const struct place *p = r->place;
	va_list args;

	printf("# WD_TEST_SEED=%llu: program %u, stream %u, call %u: %s: ", (unsigned long long)p->seed, p->program,
	       p->stream, p->call, p->what);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

void run_same(const struct run *r, const char *what, long long stock, long long shim)
{
	RUN_CHECK(r, stock == shim, "%s is %lld, expected %lld", what, shim, stock);
}

void run_same_text(const struct run *r, const char *what, const char *stock, const char *shim)
{
	RUN_CHECK(r, !stock == !shim && (!stock || !strcmp(stock, shim)), "%s is %s, expected %s", what,
		  shim ? shim : "NULL", stock ? stock : "NULL");
}

void run_same_bytes(const struct run *r, const char *what, const void *stock, size_t stock_len, const void *shim,
		    size_t shim_len)
{
	const unsigned char *a = stock, *b = shim;
	size_t i;

	RUN_CHECK(r, stock_len == shim_len, "%s has %zu bytes, expected %zu", what, shim_len, stock_len);
	if (!stock_len || !memcmp(a, b, stock_len))
		return;
	for (i = 0; a[i] == b[i]; i++)
		;
	run_fail(r, "%s differs at byte %zu of %zu: 0x%02x, expected 0x%02x", what, i, stock_len, b[i], a[i]);
}

size_t run_pick(struct run *r, const struct weight *first, size_t size, size_t n, bool wild)
{
	const struct weight *w;
	size_t i, at = rng_below(&r->rng, 100);

	for (i = 0; i < n - 1; i++) {
		w = (const struct weight *)((const char *)first + i * size);
		if (at < (wild ? w->wild : w->quiet))
			break;
		at -= wild ? w->wild : w->quiet;
	}
	return i;
}

void run_program(struct run *r, unsigned int program)
{
	r->place->program = program;
	r->place->stream = r->place->call = 0;
	memset(r->heap, 0, sizeof(r->heap));
}

void run_ended(const struct run *r)
{
	int side;

	for (side = 0; side < SIDES; side++)
		RUN_CHECK(r, !r->heap[side].blocks, "%ld blocks of %s are not freed", r->heap[side].blocks,
			  side == SHIM ? "the shim" : "stock zlib");
}

void run_data(struct run *r, size_t n)
{
	data_fill(r->pool, n, (enum data_kind)rng_below(&r->rng, DATA_KINDS), &r->rng);
}

static voidpf heap_alloc(voidpf opaque, uInt items, uInt size)
{
	struct heap *h = opaque;
	void *p;

	if (h->refuse == 1)
		return NULL;
	if (h->refuse)
		h->refuse--;
	p = malloc((size_t)items * size);
	if (p)
		h->blocks++;
	return p;
}

static void heap_free(voidpf opaque, voidpf p)
{
	struct heap *h = opaque;

	h->blocks -= !!p;
	free(p);
}

void run_stream(struct run *r, z_streamp s, int side, bool counted)
{
	memset(s, 0, sizeof(*s));
	if (!counted)
		return;
	s->zalloc = heap_alloc;
	s->zfree = heap_free;
	s->opaque = &r->heap[side];
}

void run_stage(struct run *r, int side, z_streamp s, struct before *b, const void *in, size_t n, size_t room)
{
	if (n)
		memcpy(r->in[side], in, n);
	memset(r->out[side] + room, CANARY_BYTE, CANARY);
	s->next_in = r->in[side];
	s->avail_in = (uInt)n;
	s->next_out = r->out[side];
	s->avail_out = (uInt)room;
	*b = (struct before){ .s = *s, .in = r->in[side], .out = r->out[side] };
}

void run_staged(struct run *r, int side, z_streamp s, struct before *b, bool uncounted)
{
	const unsigned char *canary = b->out + b->s.avail_out;
	unsigned int i;

	b->consumed = b->s.avail_in - s->avail_in;
	b->produced = b->s.avail_out - s->avail_out;
	RUN_CHECK(r, s->avail_in <= b->s.avail_in && s->avail_out <= b->s.avail_out, "avail_in or avail_out has grown");
	RUN_CHECK(r, s->next_in == b->in + b->consumed, "next_in advanced by %td, avail_in by %zu", s->next_in - b->in,
		  b->consumed);
	RUN_CHECK(r, s->next_out == b->out + b->produced, "next_out advanced by %td, avail_out by %zu",
		  s->next_out - b->out, b->produced);
	/* inflate() forgets to count when it asks for a dictionary. */
	RUN_CHECK(r, uncounted || s->total_in == b->s.total_in + b->consumed, "total_in is %lu, expected %lu",
		  s->total_in, b->s.total_in + b->consumed);
	RUN_CHECK(r, uncounted || s->total_out == b->s.total_out + b->produced, "total_out is %lu, expected %lu",
		  s->total_out, b->s.total_out + b->produced);
	for (i = 0; i < CANARY; i++)
		RUN_CHECK(r, canary[i] == CANARY_BYTE, "byte %u behind the output is overwritten", i);
	memset(r->in[side], SPENT_BYTE, b->s.avail_in);
}

void run_same_stream(const struct run *r, const z_stream s[SIDES])
{
	run_same(r, "avail_in", s[STOCK].avail_in, s[SHIM].avail_in);
	run_same(r, "avail_out", s[STOCK].avail_out, s[SHIM].avail_out);
	run_same(r, "total_in", (long long)s[STOCK].total_in, (long long)s[SHIM].total_in);
	run_same(r, "total_out", (long long)s[STOCK].total_out, (long long)s[SHIM].total_out);
	run_same(r, "adler", (long long)s[STOCK].adler, (long long)s[SHIM].adler);
	run_same(r, "data_type", s[STOCK].data_type, s[SHIM].data_type);
	run_same(r, "state is NULL", !s[STOCK].state, !s[SHIM].state);
	run_same_text(r, "msg", s[STOCK].msg, s[SHIM].msg);
}
