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
	/* [NAME]; an unfinished header gives the error and a name without text */
	void (*header)(void *arg, size_t line, struct ini_word name);
	void (*pair)(void *arg, size_t line, struct ini_word key, struct ini_word value);
	/* @what: a sentence; @where: what stands there instead */
	void (*error)(void *arg, size_t line, const char *what, struct ini_word where);
};

/**
 * ini_parse() - call the handler for everything in order; goes on after errors.
 *
 * One line may hold a header and any number of pairs, as QAT's documents write them: a value ends where the
 * next "Key =" begins. ';' and '#' begin comments. Takes time linear in @len, whatever the text.
 */
void ini_parse(const char *text, size_t len, const struct ini_handler *h);

#endif
