// SPDX-License-Identifier: Apache-2.0
/*
 * Files of sections: errors are printable and in order, an accepted file is the same after being printed and read
 * again, and neither comments nor line endings change the result.
 * Input: the file.
 */
#include "config_checks.h"
#include "feed.h"

static bool errors_same(const struct config *a, const struct config *b, size_t later)
{
	size_t i;

	if (a->errors != b->errors)
		return false;
	for (i = 0; i < a->errors && i < CONFIG_ERRORS_SHOWN; i++) {
		if (a->error[i].line + later != b->error[i].line)
			return false;
		/* Some errors name another line. */
		if (strcmp(a->error[i].text, b->error[i].text) && (!later || !strstr(a->error[i].text, "in line")))
			return false;
	}
	return true;
}

static void same_as(const struct config *c, uint8_t *text, size_t len, size_t later)
{
	struct config other;
	uint8_t *copy = exactly(text, len);

	MUST(!config_parse(&other, (char *)copy, len, &names));
	free(copy);
	MUST(errors_same(c, &other, later), "other errors in:\n%.*s", (int)len, text);
	MUST(c->errors || config_same(c, &other), "another result of:\n%.*s", (int)len, text);
	config_free(&other);
}

/* Line ends as another system's editor leaves them. */
static size_t blanks_at_ends(const uint8_t *text, size_t len, uint8_t *to)
{
	size_t i, n = 0;

	for (i = 0; i < len; i++) {
		if (text[i] == '\n')
			to[n++] = '\r';
		to[n++] = text[i];
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char comment[] = "; [SSL] NumProcesses = 7\n\n";
	size_t i, lines = 1;
	struct config c;
	uint8_t *text, *changed;

	text = exactly(data, size);
	for (i = 0; i < size; i++)
		lines += text[i] == '\n';
	MUST(!config_parse(&c, (char *)text, size, &names));
	MUST(errors_good(&c, lines));
	MUST(c.errors || survives_printing(&c));
	changed = malloc(2 * size + sizeof(comment));
	MUST(changed);
	same_as(&c, changed, blanks_at_ends(text, size, changed), 0);
	if (size < 3 || memcmp(text, "\xef\xbb\xbf", 3)) {
		memcpy(changed, comment, sizeof(comment) - 1);
		memcpy(changed + sizeof(comment) - 1, text, size);
		same_as(&c, changed, size + sizeof(comment) - 1, 2);
	}
	config_free(&c);
	free(changed);
	free(text);
	return 0;
}
