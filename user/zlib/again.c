// SPDX-License-Identifier: Apache-2.0
/* zlib begins a stream again that a device has failed, out of the input that was kept. */
#include <stdlib.h>
#include <string.h>

#include "again.h"
#include "memory.h"

#define FIRST_ROOM	(128u << 10)
#define DROPPED		(32u << 10)	/* bytes of output at a time */

void wdz_again_free(struct wdz_again *a)
{
	free(a->at);
	wdz_memory_give(&a->charged);
	*a = (struct wdz_again){ 0 };
}

static void forget(struct wdz_again *a)
{
	wdz_again_free(a);
	a->lost = true;
}

static bool room_make(struct wdz_again *a, size_t len)
{
	size_t room = a->room ? a->room : FIRST_ROOM;
	unsigned char *at;

	while (room < len)
		room *= 2;
	if (room == a->room)
		return true;
	if (!wdz_memory_take(&a->charged, room - a->room, false))
		return false;
	at = realloc(a->at, room);
	if (!at)
		return false;
	a->at = at;
	a->room = room;
	return true;
}

void wdz_again_keep(struct wdz_again *a, const unsigned char *src, size_t len)
{
	if (a->lost || !len)
		return;
	if (len > WDZ_AGAIN_MOST - a->len || !room_make(a, a->len + len)) {
		forget(a);
		return;
	}
	memcpy(a->at + a->len, src, len);
	a->len += len;
}

/* The caller's input and counts, while zlib has what is kept. */
struct callers {
	z_const Bytef *next_in;
	uInt avail_in;
	uLong total_in;
};

static struct callers input_lend(const struct wdz_again *a, z_streamp strm)
{
	struct callers callers = { strm->next_in, strm->avail_in, strm->total_in };

	strm->next_in = a->at + a->used;
	strm->avail_in = (uInt)(a->len - a->used);
	return callers;
}

static void input_take_back(struct wdz_again *a, z_streamp strm, const struct callers *callers)
{
	a->used = a->len - strm->avail_in;
	strm->next_in = callers->next_in;
	strm->avail_in = callers->avail_in;
	strm->total_in = callers->total_in;
}

/* Returns the checksum of the dropped bytes; *len: bytes that have not come. */
static uLong output_drop(const struct wdz_again *a, z_streamp strm, uLong *len, unsigned char *to)
{
	uLong sum = 0, n;
	int ret = Z_OK;

	while (*len && ret == Z_OK) {
		n = *len < DROPPED ? *len : DROPPED;
		strm->next_out = to;
		strm->avail_out = (uInt)n;
		ret = zlib_inflate(strm, Z_SYNC_FLUSH);
		n -= strm->avail_out;
		*len -= n;
		if (a->raw)
			sum = crc32_z(sum, to, n);
	}
	return a->raw ? sum : strm->adler;
}

int wdz_again_begin(struct wdz_again *a, z_streamp strm)
{
	unsigned char *to = a->lost ? NULL : malloc(DROPPED);
	Bytef *next_out = strm->next_out;
	uInt avail_out = strm->avail_out;
	uLong total_out = strm->total_out, left = total_out, want = a->raw ? a->sum : strm->adler;
	struct callers callers;
	bool same;

	if (!to)
		return Z_STREAM_ERROR;
	callers = input_lend(a, strm);
	same = !total_out || (output_drop(a, strm, &left, to) == want && !left);
	input_take_back(a, strm, &callers);
	strm->next_out = next_out;
	strm->avail_out = avail_out;
	strm->total_out = total_out;
	free(to);
	return same ? Z_OK : Z_DATA_ERROR;
}

int wdz_again_step(struct wdz_again *a, z_streamp strm, int flush)
{
	struct callers callers = input_lend(a, strm);
	int ret = zlib_inflate(strm, flush);

	input_take_back(a, strm, &callers);
	return ret;
}
