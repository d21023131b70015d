// SPDX-License-Identifier: Apache-2.0
/* Parses INI text into headers, keys and values, without their meaning. */
#include <stdbool.h>
#include <string.h>

#include "ini.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_key_first(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_key(char c)
{
	return is_key_first(c) || (c >= '0' && c <= '9');
}

static struct ini_word word(const char *start, const char *end)
{
	while (start < end && is_blank(*start))
		start++;
	while (end > start && is_blank(end[-1]))
		end--;
	return (struct ini_word){ start, end - start };
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

static const char *skip_key(const char *at, const char *end)
{
	while (at < end && is_key(*at))
		at++;
	return at;
}

/* A value ends at the next "Key =", or at the end of the line. */
static const char *value_end(const char *at, const char *end)
{
	const char *key_end;

	while (at < end) {
		if (!is_key_first(*at) || !is_blank(at[-1])) {
			at++;
			continue;
		}
		key_end = skip_key(at, end);
		if (skip_blanks(key_end, end) < end && *skip_blanks(key_end, end) == '=')
			return at;
		at = key_end;
	}
	return end;
}

static void parse_pairs(const char *at, const char *end, size_t line, const struct ini_handler *h)
{
	const char *key, *key_end, *value;

	for (at = skip_blanks(at, end); at < end; at = value_end(value, end)) {
		key = at;
		key_end = is_key_first(*at) ? skip_key(at, end) : at;
		value = skip_blanks(key_end, end);
		if (key_end == key || value == end || *value != '=') {
			h->error(h->arg, line, "expected [SECTION] or KEY = VALUE", word(at, end));
			return;
		}
		value++;
		/* The blank after '=' belongs to the value, so that a key may follow an empty value. */
		h->pair(h->arg, line, word(key, key_end), word(value, value_end(value, end)));
	}
}

static void parse_line(const char *at, const char *end, size_t line, const struct ini_handler *h)
{
	const char *close;

	at = skip_blanks(at, end);
	if (at == end)
		return;
	if (memchr(at, '\0', end - at)) {
		h->error(h->arg, line, "expected text, found a NUL byte", word(at, end));
		return;
	}
	if (*at != '[') {
		parse_pairs(at, end, line, h);
		return;
	}
	close = memchr(at, ']', end - at);
	if (!close) {
		h->error(h->arg, line, "expected ']' at the end of a section's name", word(at, end));
		h->header(h->arg, line, (struct ini_word){ NULL, 0 });
		return;
	}
	h->header(h->arg, line, word(at + 1, close));
	parse_pairs(close + 1, end, line, h);
}

static const char *without_comment(const char *at, const char *end)
{
	const char *mark = memchr(at, ';', end - at);

	if (mark)
		end = mark;
	mark = memchr(at, '#', end - at);
	return mark ? mark : end;
}

void ini_parse(const char *text, size_t len, const struct ini_handler *h)
{
	const char *at = text, *end = text + len, *eol;
	size_t line = 1;

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		at += 3;
	for (; at < end; at = eol, line++) {
		eol = memchr(at, '\n', end - at);
		parse_line(at, without_comment(at, eol ? eol : end), line, h);
		eol = eol ? eol + 1 : end;
	}
}
