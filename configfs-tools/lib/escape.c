// SPDX-License-Identifier: Apache-2.0
/* Makes text of files, the kernel and processes safe for a terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"

#define LONGEST 4	/* \xNN */

/* Bytes above ASCII too: some of them are control characters to some terminals. */
static size_t escape_one(char *out, unsigned char c)
{
	if (c >= ' ' && c < 0x7f) {
		out[0] = c;
		return 1;
	}
	snprintf(out, LONGEST + 1, "\\x%02x", c);
	return LONGEST;
}

const char *escape(char *buf, size_t size, const char *text, size_t len)
{
	size_t i, used = 0;

	for (i = 0; i < len; i++) {
		if (used + LONGEST + sizeof("...") > size) {
			memcpy(buf + used, "...", 3);
			used += 3;
			break;
		}
		used += escape_one(buf + used, text[i]);
	}
	buf[used] = '\0';
	return buf;
}

char *escape_new(const char *text)
{
	size_t size = strlen(text) * LONGEST + LONGEST + sizeof("...");
	char *buf = malloc(size);

	if (buf)
		escape(buf, size, text, strlen(text));
	return buf;
}
