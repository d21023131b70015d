// SPDX-License-Identifier: Apache-2.0
/* The lines of wdctl top. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "top_text.h"

#define BAR_MAX 40
#define BAR_MIN 8
#define LINE_MAX_BYTES 512

/* Counts of the past need this many columns; the state of now comes first. */
#define COUNTS_COLUMNS 100
#define COUNTS_WIDTH 21
#define COUNTS_SIZE 64
#define NUMBER_SIZE 24

/* ------ lines ------ */

struct page {
	FILE *f;
	const struct top_shape *shape;
	int used;
};

/* Return: the number of rows that are free. */
static int room(const struct page *p)
{
	return p->shape->rows ? p->shape->rows - p->used : 1 << 30;
}

/* Return: how many of @count fit into @rows below a head. If not all fit, the last row counts the others. */
static size_t fitting(size_t count, int rows)
{
	if (rows > 0 && count < (size_t)rows)
		return count;
	return rows > 2 ? (size_t)rows - 2 : 0;
}

/* The last row has no newline: it would scroll the first one away. */
static void line(struct page *p, bool head, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void line(struct page *p, bool head, const char *fmt, ...)
{
	bool bold = head && p->shape->bold;
	char text[LINE_MAX_BYTES];
	va_list ap;

	if (p->shape->rows && p->used >= p->shape->rows)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (p->shape->rows && p->used)
		fputc('\n', p->f);
	fprintf(p->f, "%s%.*s%s", bold ? "\033[1m" : "", p->shape->columns, text, bold ? "\033[0m" : "");
	fputs(p->shape->rows ? "\033[K" : "\n", p->f);
	p->used++;
}

/* ------ devices ------ */

/* The ends of parts are rounded, not their widths, so that the parts together fill the bar. */
static size_t end_of(uint64_t part, uint64_t all, size_t width)
{
	if (part > all)
		part = all;
	return all ? (part * width + all / 2) / all : 0;
}

void top_bar(char *buf, size_t width, const struct fact_device *d)
{
	uint64_t of_slots = d->used > d->used_pool ? d->used - d->used_pool : 0;
	uint64_t idle = d->reserved > of_slots ? d->reserved - of_slots : 0;
	size_t used = end_of(d->used, d->total, width);
	size_t reserved = end_of((uint64_t)d->used + idle, d->total, width);
	size_t lost = width - end_of(d->quarantined, d->total, width);

	memset(buf, '.', width);
	if (lost < reserved)
		lost = reserved;
	memset(buf + lost, 'x', width - lost);
	memset(buf, '=', reserved);
	memset(buf, '#', used);
	/* A used context is always visible. */
	if (d->used && !used && width)
		buf[0] = '#';
	buf[width] = '\0';
}

static int device_order(const void *a, const void *b)
{
	return fact_order(((const struct fact_device *)a)->name, ((const struct fact_device *)b)->name);
}

/* Return: the width of the states of devices that can't be opened. */
static int states_width(const struct fact_devices *l)
{
	int width = 0, len;
	size_t i;

	for (i = 0; i < l->count; i++) {
		len = l->item[i].state == UACCE_NL_DEV_NORMAL ? 0 :
		      (int)strlen(fact_device_state_name(l->item[i].state)) + 1;
		width = len > width ? len : width;
	}
	return width;
}

static bool has_counts(const struct page *p)
{
	return p->shape->columns >= COUNTS_COLUMNS;
}

static const char *number_text(char buf[NUMBER_SIZE], const struct fact_count *c)
{
	if (!c->known)
		return "-";
	snprintf(buf, NUMBER_SIZE, "%" PRIu64, c->n);
	return buf;
}

/* Wrong results and requests. */
static void work_text(char *buf, size_t size, const struct fact_count *wrong, const struct fact_count *requests)
{
	char n[2][NUMBER_SIZE];

	snprintf(buf, size, " %5s %10s", number_text(n[0], wrong), number_text(n[1], requests));
}

/* The bar gets what the other columns leave. */
static int bar_width(const struct page *p, const struct fact_devices *l)
{
	int spare = p->shape->columns - 59 - states_width(l) - (has_counts(p) ? COUNTS_WIDTH : 0);

	return spare > BAR_MAX ? BAR_MAX : spare < BAR_MIN ? BAR_MIN : spare;
}

static void print_devices(struct page *p, struct fact_devices *l)
{
	size_t i, shown = fitting(l->count, room(p));
	char bar[BAR_MAX + 1], counts[COUNTS_SIZE] = "", wrong[NUMBER_SIZE];
	int width = bar_width(p, l);

	if (l->count)
		qsort(l->item, l->count, sizeof(*l->item), device_order);
	line(p, true, "%-16s %5s %8s %5s %5s %6s %-*s %s%s", "DEVICE", "TOTAL", "RESERVED", "USED", "FREE", "QUARAN",
	     width, "#used =reserved .free", "NODE", has_counts(p) ? " RESETS REFUSED WRONG" : "");
	for (i = 0; i < shown; i++) {
		const struct fact_device *d = &l->item[i];

		top_bar(bar, (size_t)width, d);
		if (has_counts(p))
			snprintf(counts, sizeof(counts), " %6" PRIu32 " %7" PRIu64 " %5s", d->resets, d->opens.refused,
				 number_text(wrong, &d->wrong_results));
		line(p, false, "%-16s %5" PRIu32 " %8" PRIu32 " %5" PRIu32 " %5" PRIu32 " %6" PRIu32 " %-*s %4d%s%s%s",
		     d->name, d->total, d->reserved, d->used, d->free, d->quarantined, width, bar, d->node, counts,
		     d->state == UACCE_NL_DEV_NORMAL ? "" : " ",
		     d->state == UACCE_NL_DEV_NORMAL ? "" : fact_device_state_name(d->state));
	}
	if (shown < l->count)
		line(p, false, "... and %zu more devices", l->count - shown);
}

/* ------ sections ------ */

static const char *bandwidth(char *buf, size_t size, const struct fact_section *s)
{
	if (!s->bandwidth)
		return "-";
	snprintf(buf, size, "%" PRIu32 ".%" PRIu32 "%%", s->bandwidth / 10, s->bandwidth % 10);
	return buf;
}

static void print_sections(struct page *p, const struct fact_sections *l, int rows)
{
	size_t i, shown = fitting(l->count, rows);
	char limit[16], work[COUNTS_SIZE];

	if (!l->count || rows < 1)
		return;
	if (shown)
		line(p, true, "%-31s %-10s %5s %8s %9s %7s %7s %7s %9s WRONG   REQUESTS", "SECTION", "STATE", "SLOTS",
		     "ATTACHED", "LINGERING", "WAITING", "PENDING", "REFUSED", "BANDWIDTH");
	for (i = 0; i < shown; i++) {
		const struct fact_section *s = &l->item[i];

		work_text(work, sizeof(work), &s->wrong_results, &s->requests);
		line(p, false,
		     "%-31s %-10s %5" PRIu32 " %8" PRIu32 " %9" PRIu32 " %7" PRIu32 " %7zu %7" PRIu64 " %9s%s", s->name,
		     fact_section_state(s), s->slots, s->attached, s->lingering, s->waiting, fact_section_pending(s),
		     s->opens.refused, bandwidth(limit, sizeof(limit), s), work);
	}
	if (shown < l->count)
		line(p, false, "... and %zu more sections", l->count - shown);
}

/* ------ contexts ------ */

static int by_device(const void *a, const void *b)
{
	const struct fact_ctx *x = a, *y = b;
	int ret = fact_order(x->dev, y->dev);

	return ret ? ret : (x->id > y->id) - (x->id < y->id);
}

/* Contexts outside sections come last. */
static int by_section(const void *a, const void *b)
{
	const struct fact_ctx *x = a, *y = b;
	int ret = !x->section[0] - !y->section[0];

	if (!ret)
		ret = fact_order(x->section, y->section);
	if (!ret)
		ret = fact_order(x->slot, y->slot);
	return ret ? ret : by_device(a, b);
}

static int by_pid(const void *a, const void *b)
{
	const struct fact_ctx *x = a, *y = b;
	int ret = (x->pid > y->pid) - (x->pid < y->pid);

	return ret ? ret : by_device(a, b);
}

static int by_age(const void *a, const void *b)
{
	const struct fact_ctx *x = a, *y = b;
	int ret = (x->age_ms > y->age_ms) - (x->age_ms < y->age_ms);

	return ret ? ret : by_device(a, b);
}

void top_sort_ctxs(struct fact_ctxs *l, enum top_sort sort)
{
	static int (*const orders[])(const void *, const void *) = {
		[TOP_BY_DEVICE] = by_device,
		[TOP_BY_SECTION] = by_section,
		[TOP_BY_PID] = by_pid,
		[TOP_BY_AGE] = by_age,
	};

	if (l->count)
		qsort(l->item, l->count, sizeof(*l->item), orders[sort]);
}

static void print_ctx(struct page *p, const struct fact_ctx *c)
{
	char id[16] = "-", pid[16] = "ended", age[FACT_AGE_SIZE], work[COUNTS_SIZE] = "";

	if (c->has_id)
		snprintf(id, sizeof(id), "%" PRIu32, c->id);
	if (c->pid)
		snprintf(pid, sizeof(pid), "%" PRIu32, c->pid);
	if (has_counts(p))
		work_text(work, sizeof(work), &c->wrong_results, &c->requests);
	line(p, false, "%-16s %5s %8s %-16s %-5s %-7s %7s%s %s", c->dev, id, pid, c->comm,
	     fact_ctx_class_name(c->class), fact_ctx_state_name(c->state), fact_age(age, c->age_ms), work,
	     c->slot[0] ? c->slot : "-");
}

static void print_ctxs(struct page *p, struct fact_ctxs *l)
{
	size_t i, shown = fitting(l->count, room(p));

	top_sort_ctxs(l, p->shape->sort);
	if (shown || !l->count)
		line(p, true, "%-16s %5s %8s %-16s %-5s %-7s %7s%s %s", "DEVICE", "CTX", "PID", "COMMAND", "CLASS",
		     "STATE", "AGE", has_counts(p) ? " WRONG   REQUESTS" : "", "SLOT");
	for (i = 0; i < shown; i++)
		print_ctx(p, &l->item[i]);
	if (shown < l->count)
		line(p, false, "... and %zu more contexts", l->count - shown);
}

/* ------ ------ */

void top_print(FILE *f, struct top_picture *p, const struct top_shape *shape)
{
	struct page page = { .f = f, .shape = shape };
	uint64_t slots = 0, attached = 0, used = 0;
	size_t i;

	for (i = 0; i < p->sections.count; i++) {
		slots += p->sections.item[i].slots;
		attached += p->sections.item[i].attached;
	}
	for (i = 0; i < p->devices.count; i++)
		used += p->devices.item[i].used;
	line(&page, false, "%zu device%s, %" PRIu64 " contexts open; %zu section%s, %" PRIu64 " of %" PRIu64
	     " slots attached%s", p->devices.count, p->devices.count == 1 ? "" : "s", used, p->sections.count,
	     p->sections.count == 1 ? "" : "s", attached, slots,
	     p->all_users ? "" : "; only your own contexts are listed");
	print_devices(&page, &p->devices);
	/* If there are contexts, sections get half of the free rows, so that their holders are visible. */
	print_sections(&page, &p->sections, p->ctxs.count ? (room(&page) + 1) / 2 : room(&page));
	print_ctxs(&page, &p->ctxs);
	if (shape->rows)
		fputs("\033[J", f);
}
