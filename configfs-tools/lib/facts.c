// SPDX-License-Identifier: Apache-2.0
/* Facts that the kernel reports about devices, sections and contexts, and requests for them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/netlink.h>

#include "escape.h"
#include "facts.h"

#define DUMP_TRIES 5

/* ------ attributes ------ */

static uint32_t attr_number(const struct wd_nl_message *m, int type)
{
	return wd_nl_u32(m->attr[type]);
}

static uint64_t long_number(const struct wd_nl_message *m, int type)
{
	return m->attr[type] ? nla_get_u64(m->attr[type]) : 0;
}

static int signed_number(const struct wd_nl_message *m, int type, int otherwise)
{
	return m->attr[type] ? nla_get_s32(m->attr[type]) : otherwise;
}

static void process_name(char buf[FACT_COMM_MAX], const struct nlattr *a)
{
	const char *comm = a ? nla_get_string((struct nlattr *)a) : "";

	escape(buf, FACT_COMM_MAX, comm, strlen(comm));
}

static void opens_parse(struct fact_opens *opens, const struct wd_nl_message *m)
{
	opens->done = long_number(m, UACCE_A_OPENS);
	opens->refused = long_number(m, UACCE_A_OPENS_REFUSED);
	opens->full = long_number(m, UACCE_A_OPENS_FULL);
}

static struct fact_count count(const struct wd_nl_message *m, int type)
{
	return (struct fact_count){ .known = m->attr[type], .n = attr_number(m, type) };
}

static struct fact_count long_count(const struct wd_nl_message *m, int type)
{
	return (struct fact_count){ .known = m->attr[type], .n = long_number(m, type) };
}

void fact_device_parse(struct fact_device *d, const struct wd_nl_message *m)
{
	memset(d, 0, sizeof(*d));
	wd_nl_string(m->attr[UACCE_A_DEV], d->name, sizeof(d->name));
	wd_nl_string(m->attr[UACCE_A_DEV_PARENT], d->parent, sizeof(d->parent));
	wd_nl_string(m->attr[UACCE_A_DEV_API], d->api, sizeof(d->api));
	d->flags = attr_number(m, UACCE_A_DEV_FLAGS);
	d->state = attr_number(m, UACCE_A_DEV_STATE);
	d->node = signed_number(m, UACCE_A_NODE, -1);
	d->priority = signed_number(m, UACCE_A_DEV_PRIORITY, 0);
	d->latency = attr_number(m, UACCE_A_DEV_LATENCY);
	d->throughput = attr_number(m, UACCE_A_DEV_THROUGHPUT);
	d->max_ctxs = attr_number(m, UACCE_A_DEV_MAX_CTXS);
	d->doorbells = count(m, UACCE_A_DEV_DOORBELLS);
	d->total = attr_number(m, UACCE_A_CTXS_TOTAL);
	d->reserved = attr_number(m, UACCE_A_CTXS_RESERVED);
	d->used = attr_number(m, UACCE_A_CTXS_USED);
	d->used_pool = attr_number(m, UACCE_A_CTXS_USED_POOL);
	d->free = attr_number(m, UACCE_A_CTXS_FREE);
	d->quarantined = attr_number(m, UACCE_A_CTXS_QUARANTINED);
	d->resets = attr_number(m, UACCE_A_DEV_RESETS);
	d->ctx_errors = attr_number(m, UACCE_A_CTX_ERRORS);
	opens_parse(&d->opens, m);
	d->function_requests = long_count(m, UACCE_A_REQUESTS);
	d->wrong_results = long_count(m, UACCE_A_WRONG_RESULTS);
	d->requests = count(m, UACCE_A_DEV_REQUESTS);
	d->request_errors = count(m, UACCE_A_DEV_REQUEST_ERRORS);
	d->bytes_in = count(m, UACCE_A_DEV_BYTES_IN);
	d->bytes_out = count(m, UACCE_A_DEV_BYTES_OUT);
	d->busy_cycles = count(m, UACCE_A_DEV_BUSY_CYCLES);
	d->config_seq = long_number(m, UACCE_A_CONFIG_SEQ);
	d->event_seq = long_number(m, UACCE_A_EVENT_SEQ);
	d->events_lost = long_count(m, UACCE_A_EVENTS_LOST);
}

static void member_parse(struct fact_member *member, struct nlattr *nest)
{
	struct nlattr *a[UACCE_A_MEMBER_MAX + 1];

	wd_nl_member(nest, a);
	wd_nl_string(a[UACCE_A_MEMBER_NAME], member->name, sizeof(member->name));
	wd_nl_string(a[UACCE_A_MEMBER_DEV], member->dev, sizeof(member->dev));
	member->sync = wd_nl_u32(a[UACCE_A_MEMBER_SYNC]);
	member->async = wd_nl_u32(a[UACCE_A_MEMBER_ASYNC]);
	member->reserved = wd_nl_u32(a[UACCE_A_MEMBER_RESERVED]);
	member->endpoint.known = a[UACCE_A_MEMBER_ENDPOINT];
	member->endpoint.n = wd_nl_u32(a[UACCE_A_MEMBER_ENDPOINT]);
	member->pending = a[UACCE_A_MEMBER_PENDING];
}

/* There may be many attributes of this type; the table has only the last. */
static int members_parse(struct fact_section *s, const struct wd_nl_message *m)
{
	struct nlattr *last = m->attr[UACCE_A_MEMBER], *a;
	size_t count = 0;
	int left;

	if (!last)
		return 0;
	nla_for_each_attr(a, m->first, m->len, left)
		count += nla_type(a) == UACCE_A_MEMBER;
	s->member = calloc(count ? count : 1, sizeof(*s->member));
	if (!s->member)
		return -ENOMEM;
	nla_for_each_attr(a, m->first, m->len, left)
		if (nla_type(a) == UACCE_A_MEMBER)
			member_parse(&s->member[s->members++], a);
	return 0;
}

static char *text(const struct nlattr *a)
{
	return strdup(a ? nla_get_string((struct nlattr *)a) : "");
}

int fact_section_parse(struct fact_section *s, const struct wd_nl_message *m)
{
	memset(s, 0, sizeof(*s));
	wd_nl_string(m->attr[UACCE_A_SECTION], s->name, sizeof(s->name));
	s->state = attr_number(m, UACCE_A_SECTION_STATE);
	s->num_processes = attr_number(m, UACCE_A_NUM_PROCESSES);
	s->limit_dev_access = attr_number(m, UACCE_A_LIMIT_DEV_ACCESS);
	s->sync = attr_number(m, UACCE_A_SYNC_CTXS);
	s->async = attr_number(m, UACCE_A_ASYNC_CTXS);
	s->priority = attr_number(m, UACCE_A_QUEUE_PRIORITY);
	s->max_extra = attr_number(m, UACCE_A_MAX_EXTRA);
	s->bandwidth = attr_number(m, UACCE_A_BANDWIDTH);
	s->max_pinned = attr_number(m, UACCE_A_MAX_PINNED);
	s->slots = attr_number(m, UACCE_A_SLOTS_TOTAL);
	s->attached = attr_number(m, UACCE_A_SLOTS_ATTACHED);
	s->lingering = attr_number(m, UACCE_A_SLOTS_LINGERING);
	s->waiting = attr_number(m, UACCE_A_WAITING);
	s->open_ctxs = count(m, UACCE_A_CTXS_USED);
	s->extra_ctxs = count(m, UACCE_A_CTXS_EXTRA);
	opens_parse(&s->opens, m);
	s->requests = long_count(m, UACCE_A_REQUESTS);
	s->wrong_results = long_count(m, UACCE_A_WRONG_RESULTS);
	s->nodes = text(m->attr[UACCE_A_NODES]);
	s->uids = text(m->attr[UACCE_A_ALLOWED_UIDS]);
	s->gids = text(m->attr[UACCE_A_ALLOWED_GIDS]);
	s->reason = text(m->attr[UACCE_A_REASON]);
	if (s->nodes && s->uids && s->gids && s->reason && !members_parse(s, m))
		return 0;
	fact_section_fini(s);
	return -ENOMEM;
}

void fact_section_fini(struct fact_section *s)
{
	free(s->nodes);
	free(s->uids);
	free(s->gids);
	free(s->reason);
	free(s->member);
	memset(s, 0, sizeof(*s));
}

void fact_ctx_parse(struct fact_ctx *c, const struct wd_nl_message *m)
{
	memset(c, 0, sizeof(*c));
	wd_nl_string(m->attr[UACCE_A_DEV], c->dev, sizeof(c->dev));
	wd_nl_string(m->attr[UACCE_A_SECTION], c->section, sizeof(c->section));
	wd_nl_string(m->attr[UACCE_A_SLOT], c->slot, sizeof(c->slot));
	process_name(c->comm, m->attr[UACCE_A_COMM]);
	c->has_id = m->attr[UACCE_A_CTX_ID];
	c->id = attr_number(m, UACCE_A_CTX_ID);
	c->pid = attr_number(m, UACCE_A_PID);
	c->class = attr_number(m, UACCE_A_CTX_CLASS);
	c->state = attr_number(m, UACCE_A_CTX_STATE);
	c->age_ms = long_number(m, UACCE_A_CTX_AGE_MS);
	c->errors = attr_number(m, UACCE_A_CTX_ERRORS);
	c->requests = long_count(m, UACCE_A_REQUESTS);
	c->wrong_results = long_count(m, UACCE_A_WRONG_RESULTS);
	c->node = signed_number(m, UACCE_A_NODE, -1);
}

/* ------ lists ------ */

/* Makes room for one more item at the end, doubling the size each time; NULL without memory. */
static void *grow(void **items, size_t count, size_t size)
{
	void *grown;

	if (!(count & (count - 1))) {
		grown = realloc(*items, (count ? 2 * count : 1) * size);
		if (!grown)
			return NULL;
		*items = grown;
	}
	return (char *)*items + count * size;
}

static int take_device(void *arg, const struct wd_nl_message *m)
{
	struct fact_devices *l = arg;
	struct fact_device *d = grow((void **)&l->item, l->count, sizeof(*d));

	if (!d)
		return -ENOMEM;
	fact_device_parse(d, m);
	l->count++;
	return 0;
}

static int take_section(void *arg, const struct wd_nl_message *m)
{
	struct fact_sections *l = arg;
	struct fact_section *s = grow((void **)&l->item, l->count, sizeof(*s));

	if (!s || fact_section_parse(s, m))
		return -ENOMEM;
	l->count++;
	return 0;
}

static int take_ctx(void *arg, const struct wd_nl_message *m)
{
	struct fact_ctxs *l = arg;
	struct fact_ctx *c = grow((void **)&l->item, l->count, sizeof(*c));

	if (!c)
		return -ENOMEM;
	fact_ctx_parse(c, m);
	l->count++;
	return 0;
}

void fact_devices_free(struct fact_devices *l)
{
	free(l->item);
	memset(l, 0, sizeof(*l));
}

void fact_sections_free(struct fact_sections *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		fact_section_fini(&l->item[i]);
	free(l->item);
	memset(l, 0, sizeof(*l));
}

void fact_ctxs_free(struct fact_ctxs *l)
{
	free(l->item);
	memset(l, 0, sizeof(*l));
}

static int dump(struct wd_nl *f, enum uacce_nl_cmd cmd, wd_nl_take take, void *list)
{
	wd_nl_begin(f, (uint8_t)cmd, NLM_F_DUMP);
	return wd_nl_ask(f, take, list);
}

int facts_devices(struct wd_nl *f, struct fact_devices *l)
{
	int ret, tries = DUMP_TRIES;

	memset(l, 0, sizeof(*l));
	do {
		fact_devices_free(l);
		ret = dump(f, UACCE_NL_DEV_GET, take_device, l);
	} while (ret == -EINTR && --tries);
	if (ret && ret != -EINTR)
		fact_devices_free(l);
	return ret;
}

static int section_order(const void *a, const void *b)
{
	return fact_order(((const struct fact_section *)a)->name, ((const struct fact_section *)b)->name);
}

int facts_sections(struct wd_nl *f, struct fact_sections *l)
{
	int ret, tries = DUMP_TRIES;

	memset(l, 0, sizeof(*l));
	do {
		fact_sections_free(l);
		ret = dump(f, UACCE_NL_SECTION_GET, take_section, l);
	} while (ret == -EINTR && --tries);
	if (ret && ret != -EINTR)
		fact_sections_free(l);
	if (l->count)
		qsort(l->item, l->count, sizeof(*l->item), section_order);
	return ret;
}

int facts_ctxs(struct wd_nl *f, struct fact_ctxs *l)
{
	int ret, tries = DUMP_TRIES;

	memset(l, 0, sizeof(*l));
	do {
		fact_ctxs_free(l);
		ret = dump(f, UACCE_NL_CTX_GET, take_ctx, l);
	} while (ret == -EINTR && --tries);
	if (ret && ret != -EINTR)
		fact_ctxs_free(l);
	return ret;
}

int facts_count_requests(struct wd_nl *f)
{
	struct fact_ctxs ctxs;
	int ret = facts_ctxs(f, &ctxs);

	fact_ctxs_free(&ctxs);
	return ret;
}

static int take_one_section(void *arg, const struct wd_nl_message *m)
{
	struct fact_section *s = arg;

	fact_section_fini(s);
	return fact_section_parse(s, m);
}

int facts_section(struct wd_nl *f, const char *name, struct fact_section *s)
{
	int ret;

	memset(s, 0, sizeof(*s));
	wd_nl_begin(f, UACCE_NL_SECTION_GET, NLM_F_ACK);
	wd_nl_put_string(f, UACCE_A_SECTION, name);
	ret = wd_nl_ask(f, take_one_section, s);
	/* The kernel acknowledged the request, but sent no answer. */
	if (!ret && !s->nodes)
		ret = -EPROTO;
	if (ret)
		fact_section_fini(s);
	return ret;
}

const struct fact_device *fact_device_find(const struct fact_devices *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		if (!strcmp(l->item[i].name, name) || !strcmp(l->item[i].parent, name))
			return &l->item[i];
	return NULL;
}

static int name_order(const void *name, const void *section)
{
	return fact_order(name, ((const struct fact_section *)section)->name);
}

const struct fact_section *fact_section_find(const struct fact_sections *l, const char *name)
{
	return l->count ? bsearch(name, l->item, l->count, sizeof(*l->item), name_order) : NULL;
}

/* ------ words ------ */

const char *fact_device_state_name(uint32_t state)
{
	switch (state) {
	case UACCE_NL_DEV_NORMAL:
		return "ok";
	case UACCE_NL_DEV_ISOLATED:
		return "isolated";
	case UACCE_NL_DEV_RESETTING:
		return "resetting";
	}
	return "unknown";
}

size_t fact_section_pending(const struct fact_section *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->members; i++)
		n += s->member[i].pending;
	return n;
}

const char *fact_section_state(const struct fact_section *s)
{
	size_t pending = fact_section_pending(s);

	if (s->state != UACCE_NL_SECTION_LIVE || !pending)
		return fact_section_state_name(s->state);
	return pending == s->members ? "absent" : "partial";
}

const char *fact_section_state_name(uint32_t state)
{
	switch (state) {
	case UACCE_NL_SECTION_CONFIGURED:
		return "configured";
	case UACCE_NL_SECTION_LIVE:
		return "live";
	case UACCE_NL_SECTION_DRAINING:
		return "draining";
	}
	return "unknown";
}

const char *fact_doorbells_name(const struct fact_count *doorbells)
{
	static const char *const names[] = {
		[UACCE_NL_DOORBELLS_ISOLATED] = "isolated",
		[UACCE_NL_DOORBELLS_KERNEL] = "kernel",
		[UACCE_NL_DOORBELLS_EXCLUSIVE] = "exclusive",
		[UACCE_NL_DOORBELLS_MAPPED] = "mapped",
	};

	if (!doorbells->known)
		return "";
	return doorbells->n < sizeof(names) / sizeof(names[0]) ? names[doorbells->n] : "unknown";
}

const char *fact_ctx_class_name(uint32_t class)
{
	switch (class) {
	case UACCE_NL_CTX_POOL:
		return "pool";
	case UACCE_NL_CTX_EXTRA:
		return "extra";
	case UACCE_NL_CTX_SLOT:
		return "slot";
	}
	return "unknown";
}

const char *fact_ctx_state_name(uint32_t state)
{
	switch (state) {
	case UACCE_NL_CTX_OPENING:
		return "opening";
	case UACCE_NL_CTX_INIT:
		return "init";
	case UACCE_NL_CTX_STARTED:
		return "started";
	case UACCE_NL_CTX_DEAD:
		return "dead";
	}
	return "unknown";
}

const char *fact_age(char buf[FACT_AGE_SIZE], uint64_t ms)
{
	uint64_t s = ms / 1000;

	if (s < 60)
		snprintf(buf, FACT_AGE_SIZE, "%" PRIu64 "s", s);
	else if (s < 3600)
		snprintf(buf, FACT_AGE_SIZE, "%" PRIu64 "m%02" PRIu64 "s", s / 60, s % 60);
	else if (s < 86400)
		snprintf(buf, FACT_AGE_SIZE, "%" PRIu64 "h%02" PRIu64 "m", s / 3600, s / 60 % 60);
	else
		snprintf(buf, FACT_AGE_SIZE, "%" PRIu64 "d%02" PRIu64 "h", s / 86400, s / 3600 % 24);
	return buf;
}

int fact_order(const char *a, const char *b)
{
	return strverscmp(a, b);
}
