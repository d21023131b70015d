// SPDX-License-Identifier: Apache-2.0
/* Faults in words; for the library and for wd-emulate, which refuses bad ones. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "faults.h"

#define TIME_MAX_NS	10000000000ull
#define STATUS_MAX	0xff
#define WORD_MAX	64

enum value {
	VALUE_NONE,
	VALUE_STATUS,
	VALUE_TIME,
	VALUE_TIME_NEEDED,
};

static const struct {
	const char *name;
	enum value value;
	int queue;
} kinds[EMU_FAULT_NR] = {
	[WDM_FAULT_FAIL] = { "fail", VALUE_STATUS, 1 },
	[WDM_FAULT_DELAY] = { "delay", VALUE_TIME_NEEDED, 1 },
	[WDM_FAULT_REORDER] = { "reorder", VALUE_TIME, 1 },
	[WDM_FAULT_DROP] = { "drop", VALUE_NONE, 1 },
	[WDM_FAULT_DUPLICATE] = { "duplicate", VALUE_NONE, 1 },
	[WDM_FAULT_STUCK] = { "stuck", VALUE_NONE, 1 },
	[WDM_FAULT_MAILBOX] = { "mailbox", VALUE_TIME, 0 },
	[EMU_FAULT_PAGE] = { "page-fault", VALUE_TIME_NEEDED, 0 },
};

const char *emu_fault_name(unsigned int kind)
{
	return kind < EMU_FAULT_NR ? kinds[kind].name : NULL;
}

static int number(const char **p, unsigned long long most, unsigned long long *v)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return -EINVAL;
	errno = 0;
	*v = strtoull(*p, &end, 0);
	if (errno || *v > most)
		return -EINVAL;
	*p = end;
	return 0;
}

static int time_value(const char **p, unsigned long long *ns)
{
	static const struct {
		const char *name;
		unsigned long long ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	size_t i;

	if (number(p, TIME_MAX_NS, ns))
		return -EINVAL;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strncmp(*p, units[i].name, strlen(units[i].name))) {
			*p += strlen(units[i].name);
			*ns *= units[i].ns;
			return *ns <= TIME_MAX_NS ? 0 : -EINVAL;
		}
	return -EINVAL;
}

static int when(const char **p, struct wdm_fault_rule *rule)
{
	unsigned long long n;

	if (number(p, 1000000000, &n))
		return -EINVAL;
	if (n != 1 || **p != '/') {
		rule->next = (__u32)n;
		if (!n)
			rule->one_in = 0;
		return 0;
	}
	++*p;
	if (number(p, 1000000000, &n) || !n)
		return -EINVAL;
	rule->one_in = (__u32)n;
	return 0;
}

/* What is wrong with one KIND=WHEN[:VALUE][@QUEUE], or NULL. */
static const char *word_parse(struct emu_faults *f, const char *word)
{
	const char *p = strchr(word, '=');
	struct wdm_fault_rule *rule;
	unsigned long long v = 0;
	unsigned int kind;

	for (kind = 0; p && kind < EMU_FAULT_NR; kind++)
		if (strlen(kinds[kind].name) == (size_t)(p - word) && !strncmp(word, kinds[kind].name, (size_t)(p - word)))
			break;
	if (!p || kind == EMU_FAULT_NR)
		return "expected fail, delay, reorder, drop, duplicate, stuck, mailbox or page-fault, and =";
	rule = &f->rule[kind];
	if (!(f->set & 1u << kind))
		*rule = (struct wdm_fault_rule){ .queue = WDM_FAULT_ANY };
	f->set |= 1u << kind;
	p++;
	if (when(&p, rule))
		return "expected N, the next N times, or 1/N, once in N";
	if (*p == ':' && kinds[kind].value == VALUE_NONE)
		return "takes no value";
	if (*p == ':') {
		p++;
		if (kinds[kind].value == VALUE_STATUS ? number(&p, STATUS_MAX, &v) : time_value(&p, &v))
			return kinds[kind].value == VALUE_STATUS ? "expected a status from 0 to 0xff after :" :
								   "expected a time up to 10s after :, with ns, us, ms or s";
		rule->value = v;
	} else if (kinds[kind].value == VALUE_TIME_NEEDED && (rule->next || rule->one_in) && !rule->value) {
		return "a time is missing, like :2ms";
	}
	if (*p == '@' && !kinds[kind].queue)
		return "is not of a queue";
	if (*p == '@') {
		p++;
		if (number(&p, 1023, &v))
			return "expected a queue from 0 to 1023 after @";
		rule->queue = (__u32)v;
	}
	return *p ? "something follows that isn't understood" : NULL;
}

int emu_faults_parse(struct emu_faults *f, const char *text, char *why, size_t len)
{
	const char *wrong;
	char word[WORD_MAX];
	size_t n;

	for (;;) {
		n = strcspn(text, ",");
		if (n >= sizeof(word)) {
			snprintf(why, len, "%s: too long", text);
			return -EINVAL;
		}
		memcpy(word, text, n);
		word[n] = '\0';
		wrong = n ? word_parse(f, word) : "a word is missing";
		if (wrong) {
			snprintf(why, len, "%s: %s", word, wrong);
			return -EINVAL;
		}
		if (!text[n])
			return 0;
		text += n + 1;
	}
}
