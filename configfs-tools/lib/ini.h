/* SPDX-License-Identifier: Apache-2.0 */
/* Parses INI text into headers, keys and values, without their meaning. */
#ifndef WDCTL_INI_H
#define WDCTL_INI_H

#include <stddef.h>

/* A part of the text, without NUL bytes and not NUL-terminated. */
struct ini_word {
	const char *text;
	size_t len;
};

struct ini_handler {
	void *arg;
	/* [NAME]; for an unfinished header, error is called, too, and @name has no text */
	void (*header)(void *arg, size_t line, struct ini_word name);
	void (*pair)(void *arg, size_t line, struct ini_word key, struct ini_word value);
	/* @what: what was expected; @where: the text found instead */
	void (*error)(void *arg, size_t line, const char *what, struct ini_word where);
};

/**
 * ini_parse() - call the handlers in the order of the text; goes on after errors.
 *
 * One line may hold a header and any number of pairs, as in QAT's documents: a value ends where the next "Key ="
 * begins. ';' and '#' begin comments. Takes time linear in @len for any text.
 */
void ini_parse(const char *text, size_t len, const struct ini_handler *h);

#endif
