// SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0
/* Texts of fault rules, the same for every host. */
#include "fault.h"

#define TIME_MAX_NS	10000000000ull
#define MAILBOX_MAX_NS	60000000000ull	/* longer than a driver's timeout */
#define STATUS_MAX	0xff
#define EVERY_MAX_NS	3600000000000ull
#define TIMES_MAX	1000000000
#define QUEUE_MAX	1023

enum value {
	VALUE_NONE,
	VALUE_STATUS,
	VALUE_TIME,
	VALUE_TIME_NEEDED,
};

static const struct {
	const char *name;
	enum value value;
	bool queue;
} kinds[WDM_FAULT_NAMED] = {
	[WDM_FAULT_FAIL] = { "fail", VALUE_STATUS, true },
	[WDM_FAULT_DELAY] = { "delay", VALUE_TIME_NEEDED, true },
	[WDM_FAULT_REORDER] = { "reorder", VALUE_TIME, true },
	[WDM_FAULT_DROP] = { "drop", VALUE_NONE, true },
	[WDM_FAULT_DUPLICATE] = { "duplicate", VALUE_NONE, true },
	[WDM_FAULT_CORRUPT] = { "corrupt", VALUE_NONE, true },
	[WDM_FAULT_STUCK] = { "stuck", VALUE_NONE, true },
	[WDM_FAULT_MAILBOX] = { "mailbox", VALUE_TIME, false },
	[WDM_FAULT_ERROR] = { "error", VALUE_NONE, true },
	[WDM_FAULT_REMOVE] = { "remove", VALUE_NONE, true },
	[WDM_FAULT_PAGE] = { "page-fault", VALUE_TIME_NEEDED, false },
};

const char *wdm_fault_name(u32 kind)
{
	return kind < WDM_FAULT_NAMED ? kinds[kind].name : NULL;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 'a' - 'A';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

static bool number_read(const char **p, u64 most, u64 *v)
{
	u32 base = (*p)[0] == '0' && ((*p)[1] == 'x' || (*p)[1] == 'X') ? 16 : 10;
	u32 d;

	if (base == 16)
		*p += 2;
	if (digit(**p) >= (int)base)
		return false;
	for (*v = 0; (d = (u32)digit(**p)) < base; ++*p) {
		*v = *v * base + d;
		if (*v > most)
			return false;
	}
	return true;
}

static bool time_value(const char **p, u64 most, u64 *ns)
{
	static const struct {
		const char *name;
		u64 ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	size_t i, len;

	if (!number_read(p, most, ns))
		return false;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		len = strlen(units[i].name);
		if (strncmp(*p, units[i].name, len))
			continue;
		*p += len;
		if (*ns > most / units[i].ns)
			return false;
		*ns *= units[i].ns;
		return true;
	}
	return false;
}

/* A number with a unit, whatever that is. */
static bool is_time(const char *p)
{
	u64 n;

	return number_read(&p, EVERY_MAX_NS, &n) && *p && *p != ':' && *p != '@';
}

static const char *fraction(const char **p, u64 burst, struct wdm_fault_rule *rule)
{
	u64 n;

	if (!burst)
		return "expected a burst of 1 to 1000000000 times before /";
	rule->burst = (u32)burst;
	if (is_time(*p))
		return time_value(p, EVERY_MAX_NS, &rule->every_ns) && rule->every_ns ? NULL :
		       "expected a time from 1ns to 3600s after /, in ns, us, ms or s";
	if (!number_read(p, TIMES_MAX, &n) || !n)
		return "expected a number from 1 to 1000000000, or a time with a unit, after /";
	rule->one_in = (u32)n;
	return NULL;
}

static const char *when(const char **p, struct wdm_fault_rule *rule)
{
	u64 n;

	if (!number_read(p, TIMES_MAX, &n))
		return "expected N, 1/N or 1/TIME: the next N times (0 to 1000000000), once in N times, or each TIME";
	if (**p == '/') {
		++*p;
		return fraction(p, n, rule);
	}
	rule->next = (u32)n;
	if (!n) {
		rule->one_in = rule->burst = 0;
		rule->every_ns = 0;
	}
	return NULL;
}

static const char *value(const char **p, u32 kind, struct wdm_fault_rule *rule)
{
	enum value takes = kinds[kind].value;

	if (**p != ':')
		return takes == VALUE_TIME_NEEDED && wdm_fault_may(rule) && !rule->value ?
		       "expected a time, such as :2ms" : NULL;
	++*p;
	if (takes == VALUE_NONE)
		return "takes no value";
	if (takes == VALUE_STATUS)
		return number_read(p, STATUS_MAX, &rule->value) ? NULL : "expected a status from 0 to 0xff after :";
	if (!time_value(p, kind == WDM_FAULT_MAILBOX ? MAILBOX_MAX_NS : TIME_MAX_NS, &rule->value))
		return "expected a time up to 10s (mailbox: 60s) after :, in ns, us, ms or s";
	return takes == VALUE_TIME_NEEDED && !rule->value ? "expected a time above 0" : NULL;
}

/*
 * The two parts of a rule, the next N times and those afterwards, share one value and one queue, which
 * either part may name.
 */
static const char *agrees(const struct wdm_fault_rule *rule, const struct wdm_fault_rule *was)
{
	if (rule->one_in && rule->every_ns)
		return "conflicts with the 1/N or 1/TIME given before";
	if (!wdm_fault_may(was))
		return NULL;
	if (was->value && rule->value != was->value)
		return "conflicts with the value given before";
	if (was->queue != WDM_FAULT_ANY && rule->queue != was->queue)
		return "conflicts with the queue given before";
	return NULL;
}

const char *wdm_fault_parse(u32 kind, const char *text, struct wdm_fault_rule *rule)
{
	struct wdm_fault_rule r = *rule;
	const char *p = text, *wrong;
	u64 queue;

	wrong = when(&p, &r);
	if (!wrong)
		wrong = value(&p, kind, &r);
	if (wrong)
		return wrong;
	if (*p == '@') {
		p++;
		if (!kinds[kind].queue)
			return "takes no queue";
		if (!number_read(&p, QUEUE_MAX, &queue))
			return "expected a queue from 0 to 1023 after @";
		r.queue = (u32)queue;
	}
	if (*p)
		return "unexpected text after the rule";
	wrong = agrees(&r, rule);
	if (wrong)
		return wrong;
	*rule = r;
	return NULL;
}
