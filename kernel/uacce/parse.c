// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values of attributes: numbers in canonical decimal, and lists. Every printed value can be
 * parsed back; a refused value leaves nothing allocated.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "provision.h"

#define NUMBER_DIGITS_MAX	10

/* The part of a value that remains to be parsed. */
struct cursor {
	const char *at;
	const char *end;
};

/* One newline may end a value; a NUL inside is an error. */
static int cursor_begin(struct cursor *c, const char *s, size_t len)
{
	if (len > UACCE_VALUE_MAX)
		return -E2BIG;
	if (len && s[len - 1] == '\n')
		len--;
	if (memchr(s, 0, len))
		return -EINVAL;
	c->at = s;
	c->end = s + len;
	return 0;
}

static bool cursor_skip(struct cursor *c, char ch)
{
	if (c->at == c->end || *c->at != ch)
		return false;
	c->at++;
	return true;
}

/* Takes the next word; false at the end of the value. */
static bool cursor_word(struct cursor *c, struct cursor *word)
{
	while (c->at < c->end && isspace(*c->at))
		c->at++;
	word->at = c->at;
	while (c->at < c->end && !isspace(*c->at))
		c->at++;
	word->end = c->at;
	return word->at < word->end;
}

static int cursor_number(struct cursor *c, u32 *res)
{
	const char *start = c->at;
	u64 n = 0;

	while (c->at < c->end && isdigit(*c->at) && c->at - start <= NUMBER_DIGITS_MAX)
		n = n * 10 + (*c->at++ - '0');
	if (c->at == start || (*start == '0' && c->at > start + 1))
		return -EINVAL;
	if (n > U32_MAX)
		return -ERANGE;
	*res = n;
	return 0;
}

int uacce_parse_u32(const char *s, size_t len, u32 min, u32 max, u32 *res)
{
	struct cursor c;
	u32 n;
	int ret = cursor_begin(&c, s, len);

	if (!ret)
		ret = cursor_number(&c, &n);
	if (ret)
		return ret;
	if (c.at != c.end)
		return -EINVAL;
	if (n < min || n > max)
		return -ERANGE;
	*res = n;
	return 0;
}

int uacce_parse_int(const char *s, size_t len, int *res)
{
	struct cursor c;
	bool minus;
	u32 n;
	int ret = cursor_begin(&c, s, len);

	if (ret)
		return ret;
	minus = cursor_skip(&c, '-');
	ret = cursor_number(&c, &n);
	if (ret)
		return ret;
	if (c.at != c.end || (minus && !n))
		return -EINVAL;
	if (n > INT_MAX)
		return -ERANGE;
	*res = minus ? -(int)n : n;
	return 0;
}

/* Returns the number of words and moves the cursor before the first. 0 words clear the list. */
static int list_begin(struct cursor *c, const char *s, size_t len)
{
	struct cursor at, word;
	int nr = 0, ret = cursor_begin(c, s, len);

	if (ret)
		return ret;
	for (at = *c; cursor_word(&at, &word); )
		nr++;
	return nr > UACCE_RANGES_MAX ? -E2BIG : nr;
}

/* node=sync+async */
static int parse_node(struct cursor *c, struct uacce_nodes *nodes)
{
	unsigned int i, nr = nodes->nr;
	u32 node, sync, async;

	if (cursor_number(c, &node) || !cursor_skip(c, '=') || cursor_number(c, &sync) ||
	    !cursor_skip(c, '+') || cursor_number(c, &async) || c->at != c->end)
		return -EINVAL;
	if (node >= MAX_NUMNODES || sync > UACCE_CTXS_MAX || async > UACCE_CTXS_MAX)
		return -ERANGE;
	for (i = 0; i < nr; i++)
		if (nodes->at[i].node == node)
			return -EINVAL;
	nodes->at[nr].node = node;
	nodes->at[nr].sync = sync;
	nodes->at[nr].async = async;
	nodes->nr++;
	return 0;
}

int uacce_parse_nodes(const char *s, size_t len, struct uacce_nodes **res)
{
	struct uacce_nodes *nodes;
	struct cursor c, word;
	int ret, nr = list_begin(&c, s, len);

	*res = NULL;
	if (nr <= 0)
		return nr;
	nodes = kzalloc(struct_size(nodes, at, nr), GFP_KERNEL);
	ret = nodes ? 0 : -ENOMEM;
	while (!ret && cursor_word(&c, &word))
		ret = parse_node(&word, nodes);
	if (ret)
		kfree(nodes);
	else
		*res = nodes;
	return ret;
}

ssize_t uacce_print_nodes(const struct uacce_nodes *nodes, char *buf, size_t size)
{
	unsigned int i;
	ssize_t n = 0;

	for (i = 0; nodes && i < nodes->nr; i++)
		n += scnprintf(buf + n, size - n, "%s%d=%u+%u", i ? " " : "", nodes->at[i].node,
			       nodes->at[i].sync, nodes->at[i].async);
	return n + scnprintf(buf + n, size - n, "\n");
}

void uacce_names_free(struct uacce_names *names)
{
	unsigned int i;

	for (i = 0; names && i < names->nr; i++)
		kfree(names->name[i]);
	kfree(names);
}

/* Could this be the name of a device or its parent? */
static bool name_valid(const struct cursor *word)
{
	const char *at;

	for (at = word->at; at < word->end; at++)
		if (!isgraph(*at) || !isascii(*at) || *at == '/')
			return false;
	return word->end - word->at < UACCE_NAME_SIZE;
}

static int names_add(struct uacce_names *names, const struct cursor *word)
{
	char *name;
	unsigned int i;

	if (!name_valid(word))
		return -EINVAL;
	name = kmemdup_nul(word->at, word->end - word->at, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	names->name[names->nr++] = name;
	for (i = 0; i + 1 < names->nr; i++)
		if (!strcmp(names->name[i], name))
			return -EINVAL;
	return 0;
}

int uacce_parse_names(const char *s, size_t len, struct uacce_names **res)
{
	struct uacce_names *names;
	struct cursor c, word;
	int ret, nr = list_begin(&c, s, len);

	*res = NULL;
	if (nr <= 0)
		return nr;
	names = kzalloc(struct_size(names, name, nr), GFP_KERNEL);
	ret = names ? 0 : -ENOMEM;
	while (!ret && cursor_word(&c, &word))
		ret = names_add(names, &word);
	if (ret)
		uacce_names_free(names);
	else
		*res = names;
	return ret;
}

ssize_t uacce_print_names(const struct uacce_names *names, char *buf, size_t size)
{
	unsigned int i;
	ssize_t n = 0;

	for (i = 0; names && i < names->nr; i++)
		n += scnprintf(buf + n, size - n, "%s%s", i ? " " : "", names->name[i]);
	return n + scnprintf(buf + n, size - n, "\n");
}

static int parse_range(struct cursor *c, struct uacce_ranges *r)
{
	u32 first, last;
	int ret = cursor_number(c, &first);

	if (ret)
		return ret;
	last = first;
	if (cursor_skip(c, '-')) {
		ret = cursor_number(c, &last);
		if (ret)
			return ret;
	}
	/* U32_MAX means "no id". */
	if (last == U32_MAX)
		return -ERANGE;
	if (last < first)
		return -EINVAL;
	if (r->nr == UACCE_RANGES_MAX)
		return -E2BIG;
	r->at[r->nr].first = first;
	r->at[r->nr++].last = last;
	return 0;
}

static int parse_ranges(struct cursor *c, struct uacce_ranges *r)
{
	int ret;

	if (c->end - c->at == 1 && *c->at == '*') {
		r->all = true;
		return 0;
	}
	do {
		ret = parse_range(c, r);
		if (ret)
			return ret;
	} while (cursor_skip(c, ','));
	return c->at == c->end ? 0 : -EINVAL;
}

/* "0,1000-1999" or "*" */
int uacce_parse_ranges(const char *s, size_t len, struct uacce_ranges **res)
{
	struct uacce_ranges *r;
	struct cursor c;
	int ret = cursor_begin(&c, s, len);

	*res = NULL;
	if (ret || c.at == c.end)
		return ret;
	r = kzalloc(struct_size(r, at, UACCE_RANGES_MAX), GFP_KERNEL);
	if (!r)
		return -ENOMEM;
	ret = parse_ranges(&c, r);
	if (ret)
		kfree(r);
	else
		*res = r;
	return ret;
}

ssize_t uacce_print_ranges(const struct uacce_ranges *r, char *buf, size_t size)
{
	unsigned int i;
	ssize_t n = 0;

	if (r && r->all)
		n = scnprintf(buf, size, "*");
	for (i = 0; r && i < r->nr; i++) {
		n += scnprintf(buf + n, size - n, "%s%u", i ? "," : "", r->at[i].first);
		if (r->at[i].last != r->at[i].first)
			n += scnprintf(buf + n, size - n, "-%u", r->at[i].last);
	}
	return n + scnprintf(buf + n, size - n, "\n");
}

bool uacce_ranges_have(const struct uacce_ranges *r, u32 id)
{
	unsigned int i;

	if (!r || r->all)
		return r;
	for (i = 0; i < r->nr; i++)
		if (id >= r->at[i].first && id <= r->at[i].last)
			return true;
	return false;
}
