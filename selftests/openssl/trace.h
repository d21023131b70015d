/* SPDX-License-Identifier: Apache-2.0 */
/* What calls returned, wrote and reported, as text, so that those of two library contexts can be compared. */
#ifndef TRACE_H
#define TRACE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <openssl/err.h>

struct trace {
	char text[6000];
	size_t len;
};

static inline __attribute__((format(printf, 2, 3))) void trace_add(struct trace *t, const char *format, ...)
{
	size_t room = sizeof(t->text) - t->len;
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->text + t->len, room, format, args);
	va_end(args);
	t->len += n > 0 && (size_t)n < room ? (size_t)n : 0;
}

/*
 * A call's name, what it returned, and library and reason of each error. Of those of the functions that programs call
 * only the fact is compared: the provider calls them, too, and there are more.
 */
static inline void trace_call(struct trace *t, const char *call, int ret)
{
	bool any = false, others = false;
	unsigned long error;

	trace_add(t, "%s=%d", call, ret);
	while ((error = ERR_get_error())) {
		any = true;
		if (ERR_GET_LIB(error) == ERR_LIB_EVP)
			continue;
		trace_add(t, " %d:%d", ERR_GET_LIB(error), ERR_GET_REASON(error));
		others = true;
	}
	if (any && !others)
		trace_add(t, " error");
	trace_add(t, "; ");
}

static inline void trace_bytes(struct trace *t, const unsigned char *bytes, size_t len)
{
	size_t i;

	trace_add(t, "%zu:", len);
	for (i = 0; i < len && i < 8; i++)
		trace_add(t, "%02x", bytes[i]);
	trace_add(t, "; ");
}

#endif
