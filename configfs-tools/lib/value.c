// SPDX-License-Identifier: Apache-2.0
/* Values of attributes: converts the forms that people and the kernel write to one canonical text. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "escape.h"
#include "list.h"
#include "value.h"

/* Writes into why what was expected and, escaped, what was found. */
static int __attribute__((format(printf, 4, 5)))
refuse(char *why, const char *text, size_t len, const char *fmt, ...)
{
	char shown[ESCAPE_SIZE];
	va_list ap;
	int used;

	va_start(ap, fmt);
	used = vsnprintf(why, VALUE_WHY_SIZE, fmt, ap);
	va_end(ap);
	if (used >= 0 && used < VALUE_WHY_SIZE)
		snprintf(why + used, VALUE_WHY_SIZE - used, ", not '%s'",
			 escape(shown, sizeof(shown), text, len));
	return -EINVAL;
}

/* Accepts only canonical decimal numbers: 010 could mean 8 or 10. */
static int number_parse(const char *text, size_t len, long min, long max, long *value)
{
	bool negative = len && text[0] == '-';
	size_t i = negative;
	long n = 0;

	if (i == len || (text[i] == '0' && len - i > 1) || (negative && text[i] == '0'))
		return -EINVAL;
	for (; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -EINVAL;
		n = n * 10 + (text[i] - '0');
		if (n > UINT32_MAX)
			return -ERANGE;
	}
	*value = negative ? -n : n;
	return *value < min || *value > max ? -ERANGE : 0;
}

static int parse_number(const struct attr *a, const char *text, size_t len, char **out, char *why)
{
	long n;

	if (number_parse(text, len, a->min, a->max, &n))
		return refuse(why, text, len, "expected a number from %ld to %ld", a->min, a->max);
	return asprintf(out, "%ld", n) < 0 ? -ENOMEM : 0;
}

static int parse_bool(const char *text, size_t len, char **out, char *why)
{
	static const char *const words[] = { "0", "1", "no", "yes", "off", "on", "false", "true" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) != len || strncasecmp(words[i], text, len))
			continue;
		*out = strdup(i % 2 ? "1" : "0");
		return *out ? 0 : -ENOMEM;
	}
	return refuse(why, text, len, "expected 0 or 1 (or no, yes, off, on, false, true)");
}

static const char *const doorbells_words[] = { "kernel", "exclusive", "mapped" };
static const char *const memory_words[] = { "auto", "sva", "mediated" };

static int parse_word(const char *const words[3], const char *text, size_t len, char **out, char *why)
{
	size_t i;

	for (i = 0; i < 3; i++) {
		if (strlen(words[i]) != len || strncasecmp(words[i], text, len))
			continue;
		*out = strdup(words[i]);
		return *out ? 0 : -ENOMEM;
	}
	return refuse(why, text, len, "expected %s, %s or %s", words[0], words[1], words[2]);
}

bool value_next(const char **list, const char **element, size_t *len)
{
	const char *at = *list + strspn(*list, " ,");

	*element = at;
	*len = strcspn(at, " ,");
	*list = at + *len;
	return *len;
}

bool section_name_valid(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-", name[i]) ||
		    !name[i])
			return false;
	return len && len <= SECTION_NAME_MAX;
}

bool device_name_valid(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:@+", name[i]) ||
		    !name[i])
			return false;
	/* The name becomes a component of a path. */
	return len && len <= OBJECT_NAME_MAX && name[0] != '.';
}

static int parse_node(const char *text, size_t len, struct list *list, char *why)
{
	const char *equal = memchr(text, '=', len), *end = text + len, *plus;
	long node, sync, async;

	plus = equal ? memchr(equal, '+', end - equal) : NULL;
	if (!plus || number_parse(text, equal - text, 0, VALUE_NODE_MAX, &node) ||
	    number_parse(equal + 1, plus - equal - 1, 0, VALUE_CTXS_MAX, &sync) ||
	    number_parse(plus + 1, end - plus - 1, 0, VALUE_CTXS_MAX, &async))
		return refuse(why, text, len,
			      "expected NODE=SYNC+ASYNC with a node from 0 to %d and contexts from 0 to %d, "
			      "as in 0=2+2 1=1+0",
			      VALUE_NODE_MAX, VALUE_CTXS_MAX);
	return list_add(list, &(struct list_item){ .first = node, .last = node, .sync = sync, .async = async });
}

static int parse_device(const char *text, size_t len, struct list *list, char *why)
{
	if (!device_name_valid(text, len))
		return refuse(why, text, len,
			      "expected names of devices or of their parents, as hisi_zip-0 or 0000:75:00.0");
	return list_add(list, &(struct list_item){ .name = text, .len = len });
}

static int parse_named_id(bool group, const char *text, size_t len, const struct id_names *names,
			  struct list *list, char *why)
{
	char name[64];
	uint32_t id;

	if (!names || len >= sizeof(name))
		return refuse(why, text, len, "expected a %s", group ? "group" : "user");
	memcpy(name, text, len);
	name[len] = '\0';
	if (names->find(names->arg, group, name, &id))
		return refuse(why, text, len, "expected the name of an existing %s", group ? "group" : "user");
	return list_add(list, &(struct list_item){ .first = id, .last = id });
}

/* The greatest 32-bit number is no valid id. */
static int parse_id(bool group, const char *text, size_t len, const struct id_names *names,
		    struct list *list, char *why)
{
	const char *dash = memchr(text, '-', len), *end = text + len;
	long first, last;

	if (text[0] < '0' || text[0] > '9')
		return parse_named_id(group, text, len, names, list, why);
	if (!dash)
		dash = end;
	if (number_parse(text, dash - text, 0, UINT32_MAX - 1L, &first))
		goto refused;
	last = first;
	if (dash != end && number_parse(dash + 1, end - dash - 1, 0, UINT32_MAX - 1L, &last))
		goto refused;
	if (last < first)
		goto refused;
	return list_add(list, &(struct list_item){ .first = first, .last = last });
refused:
	return refuse(why, text, len, "expected a number or range from 0 to %lu, as 33 or 1000-1999",
		      UINT32_MAX - 1UL);
}

static int parse_element(const struct attr *a, const char *text, size_t len,
			 const struct id_names *names, struct list *list, char *why)
{
	switch (a->type) {
	case VALUE_NODES:
		return parse_node(text, len, list, why);
	case VALUE_DEVICES:
		return parse_device(text, len, list, why);
	default:
		return parse_id(a->type == VALUE_GIDS, text, len, names, list, why);
	}
}

static size_t blanks(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len && strchr(" \t\r\v\f", text[i]) && text[i]; i++)
		;
	return i;
}

/* Elements are separated by blanks, a comma, or both; a comma without an element on each side is an error. */
static int parse_elements(const struct attr *a, const char *text, size_t len,
			  const struct id_names *names, struct list *list, char *why)
{
	size_t at = blanks(text, len), start;
	bool comma = false;
	int ret;

	while (at < len) {
		start = at;
		while (at < len && text[at] != ',' && !blanks(text + at, 1))
			at++;
		if (at == start)
			return refuse(why, text, len, "expected an element before and after each comma");
		ret = parse_element(a, text + start, at - start, names, list, why);
		if (ret)
			return ret;
		at += blanks(text + at, len - at);
		comma = at < len && text[at] == ',';
		at += comma;
		at += blanks(text + at, len - at);
	}
	return comma ? refuse(why, text, len, "expected an element before and after each comma") : 0;
}

/* Counts ids after ranges that touch were joined: the kernel would count them one by one. */
static int check_list(const struct attr *a, const char *text, size_t len, struct list *list, char *why)
{
	const struct list_item *twice;
	char shown[ESCAPE_SIZE];

	if (a->type == VALUE_UIDS || a->type == VALUE_GIDS) {
		list_join(list);
	} else {
		twice = list_sort(list, a->type == VALUE_DEVICES);
		if (twice && a->type == VALUE_DEVICES) {
			snprintf(why, VALUE_WHY_SIZE, "expected each device once, found %s twice",
				 escape(shown, sizeof(shown), twice->name, twice->len));
			return -EINVAL;
		}
		if (twice) {
			snprintf(why, VALUE_WHY_SIZE, "expected each node once, found %ld twice", twice->first);
			return -EINVAL;
		}
	}
	if (list->count > VALUE_LIST_MAX)
		return refuse(why, text, len, "expected at most %d elements, found %zu", VALUE_LIST_MAX,
			      list->count);
	return 0;
}

static int parse_list(const struct attr *a, const char *text, size_t len,
		      const struct id_names *names, char **out, char *why)
{
	bool ids = a->type == VALUE_UIDS || a->type == VALUE_GIDS;
	struct list list = { 0 };
	int ret;

	if (ids && len == 1 && text[0] == '*') {
		*out = strdup("*");
		return *out ? 0 : -ENOMEM;
	}
	ret = parse_elements(a, text, len, names, &list, why);
	if (!ret)
		ret = check_list(a, text, len, &list, why);
	if (!ret)
		ret = list_format(&list, a->type, out);
	list_free(&list);
	return ret;
}

int value_parse(const struct attr *a, const char *text, size_t len, const struct id_names *names,
		char **out, char *why)
{
	int ret;

	why[0] = '\0';
	*out = NULL;
	/* Names are longer than their numbers, but a longer text than this can't become a valid value. */
	if (len > 4 * VALUE_BYTES_MAX)
		return refuse(why, text, len, "expected at most %d bytes", VALUE_BYTES_MAX);
	switch (a->type) {
	case VALUE_NUMBER:
		return parse_number(a, text, len, out, why);
	case VALUE_BOOL:
		return parse_bool(text, len, out, why);
	case VALUE_DOORBELLS:
		return parse_word(doorbells_words, text, len, out, why);
	case VALUE_MEMORY:
		return parse_word(memory_words, text, len, out, why);
	default:
		ret = parse_list(a, text, len, names, out, why);
	}
	if (ret || strlen(*out) < VALUE_BYTES_MAX)
		return ret;
	free(*out);
	*out = NULL;
	return refuse(why, text, len, "expected at most %d bytes", VALUE_BYTES_MAX);
}
