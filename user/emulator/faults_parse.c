// SPDX-License-Identifier: Apache-2.0
/* Parses faults, for wd-emulate, which refuses wrong ones, and for the library. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "faults.h"

#define WORD_MAX	64

/* Return: the error in one KIND=WHEN[:VALUE][@QUEUE], or NULL. */
static const char *word_parse(struct emu_faults *f, const char *word)
{
	const char *p = strchr(word, '='), *name;
	unsigned int kind;

	for (kind = 0; p && kind < WDM_FAULT_NAMED; kind++) {
		name = wdm_fault_name(kind);
		if (strlen(name) == (size_t)(p - word) && !strncmp(word, name, (size_t)(p - word)))
			break;
	}
	if (!p || kind == WDM_FAULT_NAMED)
		return "expected KIND=WHEN with fail, delay, reorder, drop, duplicate, corrupt, stuck, mailbox,"
		       " error, remove or page-fault";
	if (!(f->set & 1u << kind))
		f->rule[kind] = (struct wdm_fault_rule){ .queue = WDM_FAULT_ANY };
	f->set |= 1u << kind;
	return wdm_fault_parse(kind, p + 1, &f->rule[kind]);
}

int emu_faults_parse(struct emu_faults *f, const char *text, char *why, size_t len)
{
	const char *wrong;
	char word[WORD_MAX];
	size_t n;

	for (;;) {
		n = strcspn(text, ",");
		if (n >= sizeof(word)) {
			snprintf(why, len, "%s: expected a shorter text", text);
			return -EINVAL;
		}
		memcpy(word, text, n);
		word[n] = '\0';
		wrong = n ? word_parse(f, word) : "expected a fault before and after each comma";
		if (wrong) {
			snprintf(why, len, "%s: %s", word, wrong);
			return -EINVAL;
		}
		if (!text[n])
			return 0;
		text += n + 1;
	}
}
