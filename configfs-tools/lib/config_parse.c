// SPDX-License-Identifier: Apache-2.0
/* Parses a file's text into the sections and devices that it requests, and collects all errors. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "escape.h"
#include "qat.h"

struct parser {
	struct config *c;
	const struct id_names *names;
	enum object_kind kind;
	long object;		/* index of the object that pairs belong to, or one of the two values below */
	bool full;		/* the limit of objects was reported */
	int error;
};

#define REFUSED "?"
#define BEFORE_HEADER -1
#define AFTER_BAD_HEADER -2

static void __attribute__((format(printf, 4, 0)))
add_text(struct config_error *list, size_t *count, size_t line, const char *fmt, va_list ap)
{
	struct config_error *e;

	if ((*count)++ >= CONFIG_ERRORS_SHOWN)
		return;
	e = &list[*count - 1];
	e->line = line;
	if (vasprintf(&e->text, fmt, ap) < 0)
		e->text = NULL;
}

static void __attribute__((format(printf, 3, 4)))
add_error(struct config *c, size_t line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_text(c->error, &c->errors, line, fmt, ap);
	va_end(ap);
}

static void __attribute__((format(printf, 3, 4)))
add_note(struct config *c, size_t line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_text(c->note, &c->notes, line, fmt, ap);
	va_end(ap);
}

static const char *label(char *buf, size_t size, enum object_kind kind, const struct object *o)
{
	snprintf(buf, size, "%s%s%s", kind == OBJECT_SECTION ? "" : object_kind_name(kind),
		 kind == OBJECT_SECTION ? "" : " ", o->name);
	return buf;
}

/* What a job's section has by its job, and what would make its slots others than the job's units. */
static bool is_jobs(int attr)
{
	return attr == SECTION_ALLOWED_UIDS || attr == SECTION_ALLOWED_GIDS || attr == SECTION_LIVE ||
	       attr == SECTION_LIMIT_DEV_ACCESS || attr == SECTION_BANDWIDTH;
}

int config_set(struct config *c, enum object_kind kind, struct object *o, size_t line,
	       struct ini_word key, struct ini_word value, const struct id_names *names)
{
	char why[VALUE_WHY_SIZE], name[OBJECT_NAME_MAX + 16], shown[ESCAPE_SIZE];
	int i = attr_find(kind, key.text, key.len);
	int ret;

	label(name, sizeof(name), kind, o);
	if (i < 0) {
		add_error(c, line, "[%s] unknown key '%s', expected one of %s", name,
			  escape(shown, sizeof(shown), key.text, key.len), attr_keys(kind));
		o->leave = true;
		return 0;
	}
	if (kind == OBJECT_TEMPLATE && is_jobs(i)) {
		add_error(c, line, "[%s] %s: expected only in sections: a job's section can't have it from here", name,
			  attr_get(kind, i)->key);
		o->leave = true;
		return 0;
	}
	if (o->value[i]) {
		add_error(c, line, "[%s] %s: expected once, found twice", name,
			  attr_get(kind, i)->key);
		o->leave = true;
		return 0;
	}
	ret = value_parse(attr_get(kind, i), value.text, value.len, names, &o->value[i], why);
	if (ret == -EINVAL) {
		add_error(c, line, "[%s] %s: %s", name, attr_get(kind, i)->key, why);
		o->leave = true;
		/* A placeholder: the key was given, so its default isn't filled in. */
		o->value[i] = strdup(REFUSED);
		ret = o->value[i] ? 0 : -ENOMEM;
	}
	return ret;
}

/* Cuts the word and the blanks behind it off; false if the header has another word, or nothing else. */
static bool header_word(struct ini_word *name, enum object_kind kind)
{
	const char *word = object_kind_name(kind);
	size_t skip = strlen(word);

	if (name->len <= skip || memcmp(name->text, word, skip) ||
	    (name->text[skip] != ' ' && name->text[skip] != '\t'))
		return false;
	while (name->text[skip] == ' ' || name->text[skip] == '\t')
		skip++;
	name->text += skip;
	name->len -= skip;
	return true;
}

/* "device NAME" is a device, "slurm NAME" a template; any other header must be the name of a section. */
static bool header_name(struct ini_word *name, enum object_kind *kind)
{
	*kind = OBJECT_DEVICE;
	if (header_word(name, *kind))
		return device_name_valid(name->text, name->len);
	*kind = OBJECT_TEMPLATE;
	/* The name of a generic resource has no '-'. */
	if (header_word(name, *kind))
		return section_name_valid(name->text, name->len) && !memchr(name->text, '-', name->len);
	*kind = OBJECT_SECTION;
	return section_name_valid(name->text, name->len);
}

static void on_header(void *arg, size_t line, struct ini_word name)
{
	struct ini_word all = name;
	struct parser *p = arg;
	char shown[ESCAPE_SIZE];
	struct object *o;

	p->object = AFTER_BAD_HEADER;
	if (!name.text)
		return;
	if (!header_name(&name, &p->kind)) {
		add_error(p->c, line,
			  "expected [NAME] of 1 to %d letters, digits, '_' and '-', [device NAME] or [slurm NAME], "
			  "not '[%s]'",
			  SECTION_NAME_MAX, escape(shown, sizeof(shown), all.text, all.len));
		return;
	}
	if (p->c->objects[p->kind].count == CONFIG_OBJECTS_MAX) {
		if (!p->full)
			add_error(p->c, line, "expected at most %d sections and as many devices",
				  CONFIG_OBJECTS_MAX);
		p->full = true;
		return;
	}
	o = config_add(p->c, p->kind, name.text, name.len);
	if (!o) {
		p->error = -ENOMEM;
		return;
	}
	o->line = line;
	p->object = o - p->c->objects[p->kind].item;
}

/* A key of QAT's asks for nothing that this file could give. */
static bool is_foreign(struct parser *p, size_t line, struct ini_word key)
{
	const char *instead = p->kind == OBJECT_SECTION ? qat_key(key.text, key.len) : NULL;
	struct object *o;

	if (!instead)
		return false;
	o = &p->c->objects[p->kind].item[p->object];
	o->foreign = true;
	add_note(p->c, line, "[%s] %.*s is a key of QAT and has no effect here%s", o->name, (int)key.len, key.text,
		 instead);
	return true;
}

static void on_pair(void *arg, size_t line, struct ini_word key, struct ini_word value)
{
	struct parser *p = arg;
	char shown[ESCAPE_SIZE];
	int ret;

	if (p->object == BEFORE_HEADER)
		add_error(p->c, line, "%s: expected [SECTION] before the first key",
			  escape(shown, sizeof(shown), key.text, key.len));
	if (p->object < 0 || is_foreign(p, line, key))
		return;
	ret = config_set(p->c, p->kind, &p->c->objects[p->kind].item[p->object], line, key, value,
			 p->names);
	if (ret)
		p->error = ret;
}

static void on_error(void *arg, size_t line, const char *what, struct ini_word where)
{
	struct parser *p = arg;
	char shown[ESCAPE_SIZE];

	add_error(p->c, line, "%s, not '%s'", what, escape(shown, sizeof(shown), where.text, where.len));
	if (p->object >= 0)
		p->c->objects[p->kind].item[p->object].leave = true;
}

static bool has_bandwidth(const struct object *s)
{
	const char *value = s->value[SECTION_BANDWIDTH];

	return strcmp(value, "0") && strcmp(value, REFUSED) && strcmp(s->value[SECTION_LIVE], "0");
}

void config_check_section(struct config *c, struct object *s)
{
	const char *nodes = s->value[SECTION_NODES], *element, *digit;
	bool any = false;
	size_t len;

	if (!*nodes)
		any = strcmp(s->value[SECTION_SYNC_CTXS], "0") || strcmp(s->value[SECTION_ASYNC_CTXS], "0");
	while (value_next(&nodes, &element, &len)) {
		digit = memchr(element, '=', len);
		/* A value that was refused has its error already. */
		any |= !digit || strncmp(digit, "=0+0", element + len - digit);
	}
	if (!any)
		add_error(c, s->line, "[%s] expected at least one context in SyncCtxs, AsyncCtxs or Nodes", s->name);
	if (has_bandwidth(s) && !*s->value[SECTION_DEVICES]) {
		add_error(c, s->line, "[%s] Bandwidth: expected Devices, too: " CONFIG_BANDWIDTH, s->name);
		any = false;
	}
	s->leave |= !any;
}

static int by_name(const void *a, const void *b)
{
	const struct object *x = *(struct object *const *)a, *y = *(struct object *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* Once at the end: a check at each header would need a search each time. */
static int check_duplicates(struct config *c, enum object_kind kind)
{
	const struct object_list *l = &c->objects[kind];
	struct object **sorted;
	char name[OBJECT_NAME_MAX + 16];
	size_t i;

	if (!l->count)
		return 0;
	sorted = calloc(l->count, sizeof(struct object *));
	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < l->count; i++)
		sorted[i] = &l->item[i];
	qsort(sorted, l->count, sizeof(struct object *), by_name);
	for (i = 1; i < l->count; i++) {
		if (strcmp(sorted[i]->name, sorted[i - 1]->name))
			continue;
		add_error(c, sorted[i]->line, "[%s] expected once, found in line %zu too",
			  label(name, sizeof(name), kind, sorted[i]), sorted[i - 1]->line);
		sorted[i]->leave = sorted[i - 1]->leave = true;
	}
	free(sorted);
	return 0;
}

/* A device that a section of the file names. */
struct named {
	const char *device;
	size_t len;
	struct object *section;
};

static int by_device(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = memcmp(x->device, y->device, x->len < y->len ? x->len : y->len);

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static void check_shared(struct config *c, const struct named *x, const struct named *y)
{
	const struct named *limited = has_bandwidth(x->section) ? x : y, *other = limited == x ? y : x;

	if (!has_bandwidth(limited->section) || x->section == y->section || by_device(x, y))
		return;
	add_error(c, limited->section->line, "[%s] Bandwidth: [%s] has device %.*s, too: " CONFIG_BANDWIDTH,
		  limited->section->name, other->section->name, (int)x->len, x->device);
	limited->section->leave = true;
}

/* Does a section with a limit share a device with another? Once at the end, as for duplicates. */
static int check_bandwidth(struct config *c)
{
	const struct object_list *l = &c->objects[OBJECT_SECTION];
	struct named *named = NULL, *grown, n;
	size_t i, count = 0;
	const char *list;

	for (i = 0; i < l->count; i++) {
		n.section = &l->item[i];
		list = n.section->value[SECTION_DEVICES];
		while (strcmp(n.section->value[SECTION_LIVE], "0") && value_next(&list, &n.device, &n.len)) {
			/* The array is full whenever the count is a power of two. */
			grown = count & (count - 1) ? named : realloc(named, (count ? 2 * count : 1) * sizeof(*named));
			if (!grown) {
				free(named);
				return -ENOMEM;
			}
			named = grown;
			named[count++] = n;
		}
	}
	if (count)
		qsort(named, count, sizeof(*named), by_device);
	for (i = 1; i < count; i++)
		check_shared(c, &named[i - 1], &named[i]);
	free(named);
	return 0;
}

static bool has_values(const struct object *o)
{
	int i;

	for (i = 0; i < OBJECT_ATTRS_MAX; i++)
		if (o->value[i])
			return true;
	return false;
}

/* What QAT has about its device and for the kernel makes no section. The others keep their order. */
static void drop_foreign(struct config *c)
{
	struct object_list *l = &c->objects[OBJECT_SECTION];
	struct object o;
	size_t i = 0;

	while (i < l->count) {
		o = l->item[i];
		if (!o.foreign || !qat_is_device_section(o.name) || has_values(&o)) {
			i++;
			continue;
		}
		add_note(c, o.line, "[%s] is about a QAT device and makes no section here", o.name);
		memmove(&l->item[i], &l->item[i + 1], (l->count - i - 1) * sizeof(o));
		l->item[l->count - 1] = o;
		config_drop(c, OBJECT_SECTION, l->count - 1);
	}
}

static int error_order(const void *a, const void *b)
{
	const struct config_error *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

int config_parse(struct config *c, const char *text, size_t len, const struct id_names *names)
{
	struct parser p = { .c = c, .names = names, .object = BEFORE_HEADER };
	const struct ini_handler handler = { &p, on_header, on_pair, on_error };
	struct object_list *sections = &c->objects[OBJECT_SECTION];
	size_t i;

	memset(c, 0, sizeof(*c));
	ini_parse(text, len, &handler);
	drop_foreign(c);
	for (i = 0; i < sections->count && !p.error; i++) {
		p.error = config_fill(&sections->item[i]);
		if (!p.error)
			config_check_section(c, &sections->item[i]);
	}
	for (i = 0; i < c->objects[OBJECT_TEMPLATE].count && !p.error; i++)
		p.error = config_fill(&c->objects[OBJECT_TEMPLATE].item[i]);
	if (!p.error)
		p.error = check_bandwidth(c);
	if (!p.error)
		p.error = check_duplicates(c, OBJECT_SECTION);
	if (!p.error)
		p.error = check_duplicates(c, OBJECT_DEVICE);
	if (!p.error)
		p.error = check_duplicates(c, OBJECT_TEMPLATE);
	qsort(c->error, c->errors < CONFIG_ERRORS_SHOWN ? c->errors : CONFIG_ERRORS_SHOWN,
	      sizeof(c->error[0]), error_order);
	qsort(c->note, c->notes < CONFIG_ERRORS_SHOWN ? c->notes : CONFIG_ERRORS_SHOWN, sizeof(c->note[0]),
	      error_order);
	return p.error;
}
