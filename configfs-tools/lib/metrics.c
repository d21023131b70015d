// SPDX-License-Identifier: Apache-2.0
/*
 * Metrics of devices and sections, as text for Prometheus. The two formats differ in the names of
 * families: OpenMetrics takes the suffix of a counter or an info from them, and 0.0.4 has no infos.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "metrics.h"

enum kind { GAUGE, COUNTER, INFO };

static const struct {
	const char *suffix, *text, *open;
} kinds[] = {
	[GAUGE] = { "", "gauge", "gauge" },
	[COUNTER] = { "_total", "counter", "counter" },
	[INFO] = { "_info", "gauge", "info" },
};

/* The family that is printed; its head comes before its first sample, so a family without samples has none. */
struct out {
	FILE *f;
	enum metrics_format format;
	const char *name, *help;
	enum kind kind;
	bool begun;
};

/* ------ text ------ */

static void begin(struct out *o)
{
	const char *suffix = o->format == METRICS_OPEN ? "" : kinds[o->kind].suffix;

	if (o->begun)
		return;
	o->begun = true;
	fprintf(o->f, "# HELP warpdrive_%s%s %s\n", o->name, suffix, o->help);
	fprintf(o->f, "# TYPE warpdrive_%s%s %s\n", o->name, suffix,
		o->format == METRICS_OPEN ? kinds[o->kind].open : kinds[o->kind].text);
}

/* Drivers choose some of the values. */
static void print_value(FILE *f, const char *value)
{
	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			fputc('\\', f);
		fputc(*value >= ' ' && *value <= '~' ? *value : '?', f);
	}
}

/* Names and values of labels follow; NULL ends them. */
static void sample(struct out *o, uint64_t number, ...)
{
	const char *name, *before = "{";
	va_list ap;

	begin(o);
	fprintf(o->f, "warpdrive_%s%s", o->name, kinds[o->kind].suffix);
	va_start(ap, number);
	while ((name = va_arg(ap, const char *))) {
		fprintf(o->f, "%s%s=\"", before, name);
		print_value(o->f, va_arg(ap, const char *));
		fputc('"', o->f);
		before = ",";
	}
	va_end(ap);
	fprintf(o->f, "%s %" PRIu64 "\n", *before == ',' ? "}" : "", number);
}

static void count(struct out *o, const struct fact_count *c, const char *label, const char *value)
{
	if (c->known)
		sample(o, c->n, label, value, NULL);
}

static void opens_refused(struct out *o, const struct fact_opens *opens, const char *label, const char *value)
{
	sample(o, opens->full, label, value, "reason", "full", NULL);
	sample(o, opens->refused - opens->full, label, value, "reason", "other", NULL);
}

/* ------ devices ------ */

static void device_info(struct out *o, const struct fact_device *d)
{
	char node[sizeof("-2147483648")];

	snprintf(node, sizeof(node), "%d", d->node);
	sample(o, 1, "device", d->name, "parent", d->parent, "api", d->api, "simulated",
	       d->flags & UACCE_NL_DEV_SIMULATED ? "true" : "false", "node", node, NULL);
}

static void device_queues(struct out *o, const struct fact_device *d)
{
	sample(o, d->total, "device", d->name, "state", "total", NULL);
	sample(o, d->reserved, "device", d->name, "state", "reserved", NULL);
	sample(o, d->used, "device", d->name, "state", "used", NULL);
	sample(o, d->free, "device", d->name, "state", "free", NULL);
	sample(o, d->quarantined, "device", d->name, "state", "quarantined", NULL);
}

static void device_isolated(struct out *o, const struct fact_device *d)
{
	sample(o, d->state == UACCE_NL_DEV_ISOLATED, "device", d->name, NULL);
}

static void device_resets(struct out *o, const struct fact_device *d)
{
	sample(o, d->resets, "device", d->name, NULL);
}

static void device_opens(struct out *o, const struct fact_device *d)
{
	sample(o, d->opens.done, "device", d->name, NULL);
}

static void device_refused(struct out *o, const struct fact_device *d)
{
	opens_refused(o, &d->opens, "device", d->name);
}

static void device_errors(struct out *o, const struct fact_device *d)
{
	sample(o, d->ctx_errors, "device", d->name, NULL);
}

static void device_wrong(struct out *o, const struct fact_device *d)
{
	count(o, &d->wrong_results, "device", d->name);
}

static void device_requests(struct out *o, const struct fact_device *d)
{
	count(o, &d->function_requests, "device", d->name);
}

static void engine_requests(struct out *o, const struct fact_device *d)
{
	count(o, &d->requests, "device", d->name);
}

static void engine_errors(struct out *o, const struct fact_device *d)
{
	count(o, &d->request_errors, "device", d->name);
}

static void engine_read(struct out *o, const struct fact_device *d)
{
	count(o, &d->bytes_in, "device", d->name);
}

static void engine_written(struct out *o, const struct fact_device *d)
{
	count(o, &d->bytes_out, "device", d->name);
}

static void engine_busy(struct out *o, const struct fact_device *d)
{
	count(o, &d->busy_cycles, "device", d->name);
}

/* ------ sections ------ */

static void section_state(struct out *o, const struct fact_section *s)
{
	static const uint32_t states[] = {
		UACCE_NL_SECTION_CONFIGURED, UACCE_NL_SECTION_LIVE, UACCE_NL_SECTION_DRAINING,
	};
	size_t i;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		sample(o, s->state == states[i], "section", s->name, "state", fact_section_state_name(states[i]),
		       NULL);
}

static void section_slots(struct out *o, const struct fact_section *s)
{
	uint32_t taken = s->attached + s->lingering;

	sample(o, s->slots, "section", s->name, "state", "total", NULL);
	sample(o, s->attached, "section", s->name, "state", "attached", NULL);
	sample(o, s->lingering, "section", s->name, "state", "lingering", NULL);
	sample(o, s->slots > taken ? s->slots - taken : 0, "section", s->name, "state", "free", NULL);
}

static void section_contexts(struct out *o, const struct fact_section *s)
{
	uint64_t granted = 0;
	size_t i;

	for (i = 0; i < s->members; i++)
		granted += s->member[i].reserved;
	sample(o, granted, "section", s->name, "kind", "granted", NULL);
	if (s->open_ctxs.known)
		sample(o, s->open_ctxs.n, "section", s->name, "kind", "open", NULL);
	if (s->extra_ctxs.known)
		sample(o, s->extra_ctxs.n, "section", s->name, "kind", "extra", NULL);
}

static void section_waiters(struct out *o, const struct fact_section *s)
{
	sample(o, s->waiting, "section", s->name, NULL);
}

static void section_pending(struct out *o, const struct fact_section *s)
{
	sample(o, fact_section_pending(s), "section", s->name, NULL);
}

static void section_opens(struct out *o, const struct fact_section *s)
{
	sample(o, s->opens.done, "section", s->name, NULL);
}

static void section_refused(struct out *o, const struct fact_section *s)
{
	opens_refused(o, &s->opens, "section", s->name);
}

static void section_requests(struct out *o, const struct fact_section *s)
{
	count(o, &s->requests, "section", s->name);
}

static void section_wrong(struct out *o, const struct fact_section *s)
{
	count(o, &s->wrong_results, "section", s->name);
}

/* ------ all ------ */

#define MODULO " of all functions, by the engine's own counter, modulo 2^32"

/* A family is of devices or of sections. */
static const struct {
	enum kind kind;
	const char *name, *help;
	void (*device)(struct out *o, const struct fact_device *d);
	void (*section)(struct out *o, const struct fact_section *s);
} families[] = {
	{ INFO, "device", "A device, its parent, its driver's ABI and its NUMA node.", .device = device_info },
	{ GAUGE, "device_queues", "Queues of the device; used ones may be reserved.", .device = device_queues },
	{ GAUGE, "device_isolated", "1: the driver has isolated the device after errors.", .device = device_isolated },
	{ COUNTER, "device_resets", "Resets of the device that ended well.", .device = device_resets },
	{ COUNTER, "opens", "Queues opened.", .device = device_opens },
	{ COUNTER, "opens_refused", "Calls of open() that were refused; full: no queue was left or allowed.",
	  .device = device_refused },
	{ COUNTER, "context_errors", "Errors that the device has reported for contexts.", .device = device_errors },
	{ COUNTER, "wrong_results", "Wrong results that processes have found and reported.", .device = device_wrong },
	{ COUNTER, "requests", "Requests completed on queues of this function.", .device = device_requests },
	{ COUNTER, "engine_requests", "Requests" MODULO ".", .device = engine_requests },
	{ COUNTER, "engine_errors", "Requests refused or not answered" MODULO ".", .device = engine_errors },
	{ COUNTER, "engine_read_bytes", "Bytes read" MODULO ".", .device = engine_read },
	{ COUNTER, "engine_written_bytes", "Bytes written" MODULO ".", .device = engine_written },
	{ COUNTER, "engine_busy_cycles", "Cycles in which cores worked, added up" MODULO ".", .device = engine_busy },
	{ GAUGE, "section_state", "1 for the state that the section has.", .section = section_state },
	{ GAUGE, "section_slots", "Slots of the section.", .section = section_slots },
	{ GAUGE, "section_contexts",
	  "Contexts reserved for the section, open ones of its slots, and of their processes beyond these.",
	  .section = section_contexts },
	{ GAUGE, "section_waiters", "Processes that wait for a slot.", .section = section_waiters },
	{ GAUGE, "section_pending_devices", "Devices of the section that are absent or too full.",
	  .section = section_pending },
	{ COUNTER, "section_opens", "Queues opened by processes of the section.", .section = section_opens },
	{ COUNTER, "section_opens_refused",
	  "Calls of open() by processes of the section that were refused; full: no queue was left or allowed.",
	  .section = section_refused },
	{ COUNTER, "section_requests", "Requests completed on queues of the section's slots.",
	  .section = section_requests },
	{ COUNTER, "section_wrong_results", "Wrong results that processes of the section have reported.",
	  .section = section_wrong },
};

static void begin_family(struct out *o, enum kind kind, const char *name, const char *help)
{
	o->kind = kind;
	o->name = name;
	o->help = help;
	o->begun = false;
}

static void print_families(struct out *o, const struct metrics *m)
{
	size_t i, k;

	for (k = 0; k < sizeof(families) / sizeof(families[0]); k++) {
		begin_family(o, families[k].kind, families[k].name, families[k].help);
		for (i = 0; families[k].device && i < m->devices.count; i++)
			families[k].device(o, &m->devices.item[i]);
		for (i = 0; families[k].section && i < m->sections.count; i++)
			families[k].section(o, &m->sections.item[i]);
	}
}

static void print_lost(struct out *o, const struct fact_devices *l)
{
	begin_family(o, COUNTER, "events_lost", "Events that the kernel could not deliver to a listener.");
	if (l->count && l->item[0].events_lost.known)
		sample(o, l->item[0].events_lost.n, NULL);
}

void metrics_print(FILE *f, const struct metrics *m, enum metrics_format format)
{
	struct out o = { .f = f, .format = format };

	begin_family(&o, GAUGE, "up", "1: the kernel's module answers.");
	sample(&o, m->up, NULL);
	print_lost(&o, &m->devices);
	print_families(&o, m);
	if (format == METRICS_OPEN)
		fputs("# EOF\n", f);
}

const char *metrics_type(enum metrics_format format)
{
	return format == METRICS_OPEN ? "application/openmetrics-text; version=1.0.0; charset=utf-8" :
					"text/plain; version=0.0.4; charset=utf-8";
}

/* First the requests of open contexts, which devices and sections have as they were counted last. */
int metrics_read(struct wd_nl *nl, struct metrics *m)
{
	int ret, torn;

	memset(m, 0, sizeof(*m));
	m->up = true;
	ret = facts_count_requests(nl);
	if (ret && ret != -EINTR)
		return ret;
	ret = facts_devices(nl, &m->devices);
	if (ret && ret != -EINTR)
		return ret;
	torn = ret;
	ret = facts_sections(nl, &m->sections);
	if (ret && ret != -EINTR)
		metrics_free(m);
	return ret ? ret : torn;
}

void metrics_free(struct metrics *m)
{
	fact_devices_free(&m->devices);
	fact_sections_free(&m->sections);
}
