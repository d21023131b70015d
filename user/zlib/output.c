// SPDX-License-Identifier: Apache-2.0
/* The caller's output: the header, the parts in their order, the end. */
#include <string.h>

#include "stream.h"

/* False: there is no room for all of it. */
static bool give(struct wdz_stream *s, const unsigned char *at, size_t len, size_t *taken)
{
	z_streamp strm = s->strm;
	size_t n = len - *taken;

	if (n > strm->avail_out)
		n = strm->avail_out;
	if (n) {
		memcpy(strm->next_out, at + *taken, n);
		strm->next_out += n;
		strm->avail_out -= (uInt)n;
		strm->total_out += n;
		*taken += n;
	}
	return *taken == len;
}

/* Gives what is there; wait: the oldest part at least. */
void wdz_output(struct wdz_stream *s, bool wait)
{
	struct wdz_part *p;

	if (!give(s, s->head.at, s->head.len, &s->head.taken))
		return;
	for (; s->first != s->open; s->first++) {
		p = wdz_part(s, s->first);
		if (!wait && p->submitted && !wdz_request_ended(&p->request))
			return;
		wait = false;
		wdz_part_finish(s, p);
		if (!give(s, p->out, p->len, &p->taken))
			return;
	}
	give(s, s->tail.at, s->tail.len, &s->tail.taken);
}

/* Waits for all parts; false: there is no room for all output. */
bool wdz_output_all(struct wdz_stream *s)
{
	while (s->first != s->open) {
		if (!s->strm->avail_out)
			return false;
		wdz_output(s, true);
	}
	wdz_output(s, false);
	return s->head.taken == s->head.len && s->tail.taken == s->tail.len;
}

/* Bytes that only wait for room. */
size_t wdz_output_pending(const struct wdz_stream *s)
{
	size_t bytes = s->head.len - s->head.taken + s->tail.len - s->tail.taken;
	const struct wdz_part *p;
	unsigned long n;

	for (n = s->first; n != s->open; n++) {
		p = &s->parts[n % s->ring];
		if (p->submitted)
			break;
		bytes += p->len - p->taken;
	}
	return bytes;
}
