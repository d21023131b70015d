// SPDX-License-Identifier: Apache-2.0
/*
 * Each allocation on the way from a file to a plan fails once: an error, and nothing leaked (the address sanitizer
 * checks).
 */
#include <stdarg.h>
#include <stdio.h>

#include "failing_alloc.h"

static inline char *failing_strdup(const char *s)
{
	return fails_now() ? NULL : strdup(s);
}

static inline int failing_vasprintf(char **text, const char *fmt, va_list ap)
{
	return fails_now() ? -1 : vasprintf(text, fmt, ap);
}

static inline int __attribute__((format(printf, 2, 3))) failing_asprintf(char **text, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = failing_vasprintf(text, fmt, ap);
	va_end(ap);
	return ret;
}

static inline FILE *failing_open_memstream(char **text, size_t *size)
{
	return fails_now() ? NULL : open_memstream(text, size);
}

#undef strdup
#define strdup		failing_strdup
#define asprintf	failing_asprintf
#define vasprintf	failing_vasprintf
#define open_memstream	failing_open_memstream

#include "../../configfs-tools/lib/attr.c"
#include "../../configfs-tools/lib/config.c"
#include "../../configfs-tools/lib/config_parse.c"
#include "../../configfs-tools/lib/escape.c"
#include "../../configfs-tools/lib/ini.c"
#include "../../configfs-tools/lib/list.c"
#include "../../configfs-tools/lib/endpoint_notes.c"
#include "../../configfs-tools/lib/members.c"
#include "../../configfs-tools/lib/plan.c"
#include "../../configfs-tools/lib/plan_text.c"
#include "../../configfs-tools/lib/qat.c"
#include "../../configfs-tools/lib/value.c"
#include "kselftest_harness.h"

static const char have_text[] =
	"[Gone]\n[Shape] NumProcesses = 2 SyncCtxs = 2\n[Smaller] NumProcesses = 8\n[Zoned] Nodes = 0=1+1 1=1+1\n"
	"[device a]\nZone = 0 Priority = 1\n";
static const char want_text[] =
	"[New] AllowedUsers = 5-9, 1 Devices = a, absent\n[Shape] SyncCtxs = 4\n[Smaller] NumProcesses = 3\n"
	"[Zoned] Nodes = 0=1+1 1=1+1 Devices = b\n[device a]\nZone = 1\n[device absent]\nZone = 0\n";
static const char bad_text[] = "x = 1\n[S]\nFoo = 1\nNodes = 1\n[S]\n[\n[T] SyncCtxs = 0 AsyncCtxs = 0\n";

static bool parse(struct config *c, const char *text)
{
	int ret = config_parse(c, text, strlen(text), NULL);

	if (ret)
		config_free(c);
	errno = -ret;
	return !ret;
}

TEST(a_file)
{
	struct config c;

	SWEEP(parse(&c, want_text), config_free(&c));
}

/* An error counts even if there was no memory for its text. */
TEST(errors_of_a_file)
{
	struct config c;
	int nth;

	for (nth = 0; nth < 200; nth++) {
		fail_after = nth;
		has_failed = false;
		if (parse(&c, bad_text)) {
			EXPECT_EQ(6, c.errors);
			config_free(&c);
		}
		fail_after = -1;
		if (!has_failed)
			break;
	}
	EXPECT_FALSE(has_failed);
	EXPECT_EQ(0, leaks());
}

static bool plan(struct plan *p, const struct config *want, const struct config *have,
		 const struct plan_options *options)
{
	int ret = plan_make(p, want, have, options);

	errno = -ret;
	return !ret;
}

TEST(a_plan)
{
	struct plan_options options = { .missing_ok = true };
	struct config want, have;
	struct plan p;
	size_t i;

	ASSERT_TRUE(parse(&have, have_text));
	ASSERT_TRUE(parse(&want, want_text));
	ASSERT_EQ(0, have.errors + want.errors);
	/* Sorted as the kernel's side is; live, with a parent, so that names must be looked up. */
	for (i = 0; i < have.objects[OBJECT_SECTION].count; i++)
		have.objects[OBJECT_SECTION].item[i].state = SECTION_IS_LIVE;
	strcpy(have.objects[OBJECT_DEVICE].item[0].parent, "b");
	SWEEP(plan(&p, &want, &have, &options), plan_free(&p));
	options.prune = true;
	SWEEP(plan(&p, &want, &have, &options), plan_free(&p));
	options.missing_ok = false;
	SWEEP(plan(&p, &want, &have, &options), plan_free(&p));
	config_free(&want);
	config_free(&have);
}

TEST(words_of_a_step)
{
	struct object old = { .name = "S" };
	struct step s = {
		.op = STEP_SET, .name = "S", .attr = &section_attrs[0], .value = "2", .was = "1", .old = &old
	};
	char *text;

	SWEEP((text = plan_describe(&s)) != NULL || (errno = ENOMEM, false), free(text));
}

TEST_HARNESS_MAIN
