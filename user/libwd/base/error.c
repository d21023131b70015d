// SPDX-License-Identifier: Apache-2.0
/* The last failure of each object and thread, and its text. */
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "base/error.h"
#include "base/fork.h"
#include "base/handle.h"
#include "base/sleep.h"

#define READ_YIELDS	100		/* before a reader sleeps: the writer may have a lower priority */
#define READ_NAP_NS	1000000

static _Thread_local struct wd_error thread_error;

static void error_fill(struct wd_error *e, int err, const char *fmt, const char *str, uint64_t a, uint64_t b)
{
	e->err = err;
	e->fmt = fmt;
	e->a = a;
	e->b = b;
	e->str[0] = '\0';
	if (str)
		strncat(e->str, str, sizeof(e->str) - 1);
}

int wd_fail_all(struct wd_object *obj, int err, const char *fmt, const char *str, uint64_t a, uint64_t b)
{
	error_fill(&thread_error, err, fmt, str, a, b);
	/* When two threads fail at the same time, either failure may be kept as the last. */
	if (obj && !wd_fork_trylock(&obj->error.holder)) {
		error_fill(&obj->error, err, fmt, str, a, b);
		wd_fork_unlock(&obj->error.holder);
	}
	return -err;
}

static void error_copy(struct wd_error *from, struct wd_error *to)
{
	uint32_t holder;
	int i = 0;

	while ((holder = wd_fork_trylock(&from->holder))) {
		if (i++ < READ_YIELDS)
			sched_yield();
		else
			wd_futex_wait(&from->holder, holder, wd_now_ns() + READ_NAP_NS);
	}
	to->err = from->err;
	to->fmt = from->fmt;
	to->a = from->a;
	to->b = from->b;
	memcpy(to->str, from->str, sizeof(to->str));
	wd_fork_unlock(&from->holder);
}

int wd_handle_bad(handle_t h, const char *what)
{
	if (wd_handle_any(h))
		return wd_fail_all(NULL, EINVAL, "handle %x is not %s, but of another kind", what, h, 0);
	return wd_fail_all(NULL, EINVAL, h ? "handle %x is not %s: freed, or never valid" : "the handle is 0, not %s",
			   what, h, 0);
}

struct text {
	char *buf;
	size_t len;
	size_t pos;	/* length of the whole text so far, written or not */
};

static void text_add(struct text *t, const char *s)
{
	size_t n = strlen(s);
	size_t room = t->pos + 1 < t->len ? t->len - 1 - t->pos : 0;

	if (room)
		memcpy(t->buf + t->pos, s, n < room ? n : room);
	t->pos += n;
	if (t->len)
		t->buf[t->pos < t->len ? t->pos : t->len - 1] = '\0';
}

/* An empty name would leave a hole in the sentence, except between quotes. */
static void text_string(struct text *t, const char *str, bool quoted)
{
	text_add(t, *str || quoted ? str : "\"\"");
}

static void text_number(struct text *t, char conversion, uint64_t value)
{
	char number[24];

	switch (conversion) {
	case 'd':
		snprintf(number, sizeof(number), "%" PRId64, (int64_t)value);
		break;
	case 'u':
		snprintf(number, sizeof(number), "%" PRIu64, value);
		break;
	case 'x':
		snprintf(number, sizeof(number), "0x%" PRIx64, value);
		break;
	default:
		snprintf(number, sizeof(number), "%%%c", conversion);
		break;
	}
	text_add(t, number);
}

static size_t error_format(const struct wd_error *e, char *buf, size_t len)
{
	struct text t = { .buf = buf, .len = len };
	uint64_t args[2] = { e->a, e->b };
	unsigned int next = 0;
	char one[2] = "";
	char why[64];
	const char *p;

	for (p = e->fmt; *p; p++) {
		if (*p != '%' || !p[1]) {
			one[0] = *p;
			text_add(&t, one);
			continue;
		}
		p++;
		if (*p == 's')
			text_string(&t, e->str, p - e->fmt > 1 && p[-2] == '"');
		else
			text_number(&t, *p, args[next++ & 1]);
	}
	text_add(&t, ": ");
	text_add(&t, strerror_r(e->err, why, sizeof(why)));
	return t.pos;
}

int wd_error_detail(handle_t h, char *buf, size_t len)
{
	struct wd_object *obj = wd_handle_any(h);
	struct wd_error copy;

	if (!buf || !len || (h && !obj))
		return -EINVAL;
	error_copy(obj ? &obj->error : &thread_error, &copy);
	buf[0] = '\0';
	return copy.fmt ? (int)error_format(&copy, buf, len) : 0;
}
