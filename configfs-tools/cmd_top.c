// SPDX-License-Identifier: Apache-2.0
/* wdctl top: shows devices, sections and contexts, and updates them. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ask.h"
#include "lib/holder.h"
#include "lib/json_facts.h"
#include "lib/privilege.h"
#include "screen.h"
#include "top_text.h"

#define COMMAND "top"
#define INTERVAL_MS 2000
/* Without a screen: wide enough for all columns. */
#define COLUMNS_OF_FILE 120

static const char *const sorts[] = {
	[TOP_BY_DEVICE] = "device",
	[TOP_BY_SECTION] = "section",
	[TOP_BY_PID] = "pid",
	[TOP_BY_AGE] = "age",
};

struct top {
	struct wd_nl family;
	struct top_shape shape;
	unsigned long rounds;	/* 0: no end */
	long interval_ms;
	bool json, all_users;
};

static void picture_free(struct top_picture *p)
{
	fact_devices_free(&p->devices);
	fact_sections_free(&p->sections);
	fact_ctxs_free(&p->ctxs);
}

/* A list that changed while it was read is good enough: the next picture is right. */
static int picture_take(struct top *t, struct top_picture *p)
{
	int ret;

	memset(p, 0, sizeof(*p));
	p->all_users = t->all_users;
	/* First, since it makes the kernel count the requests that the others report. */
	ret = holder_ctxs(&t->family, &p->ctxs);
	if (!ret || ret == -EINTR)
		ret = facts_devices(&t->family, &p->devices);
	if (!ret || ret == -EINTR)
		ret = facts_sections(&t->family, &p->sections);
	if (!ret || ret == -EINTR)
		return 0;
	picture_free(p);
	return ret;
}

static enum wdctl_exit failed(const struct top *t, int error)
{
	/* The family ended with its module. */
	if (error == -ENOENT)
		wdctl_error(COMMAND, "the module uacce was unloaded");
	else
		ask_failed(COMMAND, NULL, &t->family, error);
	return EXIT_FAILED;
}

/* ------ lines ------ */

static struct json_object *picture_json(struct top_picture *p, enum top_sort sort)
{
	struct json_object *top = json_object_new_object(), *devices = json_object_new_array();
	struct json_object *sections = json_object_new_array(), *ctxs = json_object_new_array();
	char text[sizeof("2026-01-01T00:00:00Z") + 16];
	time_t now = time(NULL);
	struct tm tm;
	size_t i;

	if (!top || !devices || !sections || !ctxs)
		return NULL;
	strftime(text, sizeof(text), "%FT%TZ", gmtime_r(&now, &tm));
	json_object_object_add(top, "time", json_object_new_string(text));
	for (i = 0; i < p->devices.count; i++)
		json_object_array_add(devices, json_from_fact_device(&p->devices.item[i]));
	for (i = 0; i < p->sections.count; i++)
		json_object_array_add(sections, json_from_fact_section(&p->sections.item[i]));
	top_sort_ctxs(&p->ctxs, sort);
	for (i = 0; i < p->ctxs.count; i++)
		json_object_array_add(ctxs, json_from_fact_ctx(&p->ctxs.item[i]));
	json_object_object_add(top, "devices", devices);
	json_object_object_add(top, "sections", sections);
	json_object_object_add(top, "contexts", ctxs);
	json_object_object_add(top, "all_users", json_object_new_boolean(p->all_users));
	return top;
}

static int print_lines(const struct top *t, struct top_picture *p)
{
	struct json_object *o;

	if (t->json) {
		o = picture_json(p, t->shape.sort);
		if (!o)
			return -ENOMEM;
		printf("%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							      JSON_C_TO_STRING_NOSLASHESCAPE));
		json_object_put(o);
	} else {
		top_print(stdout, p, &t->shape);
	}
	return fflush(stdout) || ferror(stdout) ? -EPIPE : 0;
}

static enum wdctl_exit in_lines(struct top *t)
{
	struct pollfd reader = { STDOUT_FILENO, 0, 0 };
	struct top_picture p;
	unsigned long round;
	int ret;

	for (round = 0; !t->rounds || round < t->rounds; round++) {
		/* This poll() is a sleep that ends when the reader closes the pipe. */
		if (round && poll(&reader, 1, (int)t->interval_ms) > 0)
			return EXIT_FAILED;
		if (round && !t->json)
			putchar('\n');
		ret = picture_take(t, &p);
		if (ret)
			return failed(t, ret);
		ret = print_lines(t, &p);
		picture_free(&p);
		if (ret)
			return EXIT_FAILED;
	}
	return EXIT_DONE;
}

/* ------ screen ------ */

static int draw(struct top *t)
{
	struct top_picture p;
	int ret = picture_take(t, &p);

	if (ret)
		return ret;
	screen_size(&t->shape.columns, &t->shape.rows);
	fputs("\033[H", stdout);
	top_print(stdout, &p, &t->shape);
	fflush(stdout);
	picture_free(&p);
	return 0;
}

/* Return: false if the key ends the program. */
static bool take_key(struct top *t, char key)
{
	size_t i;

	for (i = 0; i < sizeof(sorts) / sizeof(sorts[0]); i++)
		if (sorts[i][0] == key)
			t->shape.sort = (enum top_sort)i;
	return key != 'q';
}

static enum wdctl_exit on_screen(struct top *t)
{
	enum screen_event event = SCREEN_REDRAW;
	struct screen s;
	char key;
	int ret = screen_begin(&s);

	if (ret) {
		wdctl_error(COMMAND, "%s", strerror(-ret));
		return EXIT_FAILED;
	}
	t->shape.bold = true;
	while (event != SCREEN_END) {
		ret = draw(t);
		if (ret)
			break;
		event = screen_wait(&s, t->interval_ms, &key);
		if (event == SCREEN_KEY && !take_key(t, key))
			break;
	}
	screen_end(&s);
	return ret ? failed(t, ret) : EXIT_DONE;
}

/* ------ ------ */

static bool parse_sort(struct top *t, const char *text)
{
	size_t i;

	for (i = 0; i < sizeof(sorts) / sizeof(sorts[0]); i++) {
		if (text && strcmp(sorts[i], text))
			continue;
		t->shape.sort = (enum top_sort)i;
		return true;
	}
	wdctl_error(COMMAND, "--sort %s: expected device, section, pid or age", text);
	return false;
}

static bool parse_options(struct top *t, const struct wdctl_run *r)
{
	t->json = r->json;
	t->interval_ms = INTERVAL_MS;
	t->rounds = r->opt['o'] ? 1 : 0;
	t->shape.columns = COLUMNS_OF_FILE;
	if (r->opt['o'] && r->opt['b']) {
		wdctl_error(COMMAND, "expected --once or --batch, not both");
		return false;
	}
	return parse_sort(t, r->opt['s']) &&
	       (!r->opt['i'] || ask_seconds(COMMAND, "interval", r->opt['i'], &t->interval_ms)) &&
	       (!r->opt['b'] || ask_number(COMMAND, "batch", r->opt['b'], ULONG_MAX, &t->rounds));
}

static enum wdctl_exit top_run(const struct wdctl_run *r)
{
	struct top t = { .all_users = privilege_admin() };
	enum wdctl_exit result;

	if (!parse_options(&t, r))
		return EXIT_USAGE;
	result = ask_open(COMMAND, &t.family);
	if (result != EXIT_DONE)
		return result;
	if (t.json || r->opt['o'] || r->opt['b'] || !screen_usable())
		result = in_lines(&t);
	else
		result = on_screen(&t);
	wd_nl_close(&t.family);
	return result;
}

static const struct wdctl_option top_options[] = {
	{ 'i', "interval", "SECONDS", "time between two pictures (2)" },
	{ 'o', "once", NULL, "print one picture" },
	{ 'b', "batch", "N", "print N pictures; 0: without end" },
	{ 's', "sort", "KEY", "sort contexts by device, section, pid or age" },
	{ 0 },
};

const struct wdctl_cmd cmd_top = {
	.name = COMMAND,
	.help = "watch devices, sections and contexts",
	.kind = WDCTL_HAS_JSON,
	.options = top_options,
	.run = top_run,
};
