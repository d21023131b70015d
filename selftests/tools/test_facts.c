// SPDX-License-Identifier: Apache-2.0
/* What wdctl makes of the kernel's netlink messages: facts, events, losses, and what it prints. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <netlink/genl/genl.h>
#include <kselftest_harness.h>

#include "gap.h"
#include "held.h"
#include "json_facts.h"
#include "top_text.h"

#define FAMILY_ID 42

static struct nl_msg *begin(uint8_t cmd)
{
	struct nl_msg *msg = nlmsg_alloc();

	genlmsg_put(msg, 0, 7, FAMILY_ID, 0, 0, cmd, 1);
	return msg;
}

static bool parse(struct nl_msg *msg, struct wd_nl_message *m)
{
	return !wd_nl_parse(FAMILY_ID, nlmsg_hdr(msg), m);
}

static void put_member(struct nl_msg *msg, const char *name, const char *dev, uint32_t reserved, bool pending)
{
	struct nlattr *nest = nla_nest_start(msg, UACCE_A_MEMBER);

	nla_put_string(msg, UACCE_A_MEMBER_NAME, name);
	if (dev)
		nla_put_string(msg, UACCE_A_MEMBER_DEV, dev);
	nla_put_u32(msg, UACCE_A_MEMBER_RESERVED, reserved);
	if (pending)
		nla_put_flag(msg, UACCE_A_MEMBER_PENDING);
	nla_nest_end(msg, nest);
}

static void put_section(struct nl_msg *msg, const char *name)
{
	nla_put_string(msg, UACCE_A_SECTION, name);
	nla_put_u32(msg, UACCE_A_SECTION_STATE, UACCE_NL_SECTION_LIVE);
	nla_put_u32(msg, UACCE_A_SLOTS_TOTAL, 4);
	nla_put_u32(msg, UACCE_A_SLOTS_ATTACHED, 3);
	nla_put_u32(msg, UACCE_A_SLOTS_LINGERING, 1);
	nla_put_u32(msg, UACCE_A_WAITING, 2);
	nla_put_u64(msg, UACCE_A_OPENS, 1ull << 40);
	nla_put_u64(msg, UACCE_A_OPENS_REFUSED, 7);
	nla_put_u64(msg, UACCE_A_OPENS_FULL, 5);
	nla_put_string(msg, UACCE_A_REASON, "");
	put_member(msg, "0000:75:00.0", "hisi_zip-0", 8, false);
	put_member(msg, "hisi_zip-7", NULL, 0, true);
}

static void put_process(struct nl_msg *msg, const char *comm)
{
	nla_put_u32(msg, UACCE_A_PID, 1234);
	nla_put_string(msg, UACCE_A_COMM, comm);
}

/* ------ messages ------ */

TEST(a_section_is_read_with_all_its_devices)
{
	struct nl_msg *msg = begin(UACCE_NL_SECTION_GET);
	struct wd_nl_message m;
	struct fact_section s;

	put_section(msg, "SSL");
	ASSERT_TRUE(parse(msg, &m));
	ASSERT_EQ(0, fact_section_parse(&s, &m));
	EXPECT_STREQ("SSL", s.name);
	EXPECT_STREQ("live", fact_section_state_name(s.state));
	EXPECT_EQ(4, s.slots);
	EXPECT_EQ(3, s.attached);
	EXPECT_EQ(1, s.lingering);
	EXPECT_EQ(2, s.waiting);
	EXPECT_EQ(1ull << 40, s.opens.done);
	EXPECT_EQ(7, s.opens.refused);
	EXPECT_EQ(5, s.opens.full);
	ASSERT_EQ(2, s.members);
	EXPECT_STREQ("hisi_zip-0", s.member[0].dev);
	EXPECT_EQ(8, s.member[0].reserved);
	EXPECT_FALSE(s.member[0].pending);
	EXPECT_STREQ("", s.member[1].dev);
	EXPECT_TRUE(s.member[1].pending);
	fact_section_fini(&s);
	nlmsg_free(msg);
}

TEST(a_message_without_attributes_is_empty_and_harmless)
{
	struct nl_msg *msg = begin(UACCE_NL_CTX_GET);
	struct wd_nl_message m;
	struct fact_section s;
	struct fact_device d;
	struct fact_ctx c;

	ASSERT_TRUE(parse(msg, &m));
	fact_device_parse(&d, &m);
	fact_ctx_parse(&c, &m);
	ASSERT_EQ(0, fact_section_parse(&s, &m));
	EXPECT_STREQ("", d.name);
	EXPECT_EQ(-1, d.node);
	EXPECT_STREQ("", c.comm);
	EXPECT_FALSE(c.has_id);
	EXPECT_EQ(0, s.members);
	fact_section_fini(&s);
	nlmsg_free(msg);
}

TEST(messages_of_others_and_attributes_of_other_types_are_refused)
{
	struct nl_msg *msg = begin(UACCE_NL_DEV_GET);
	struct wd_nl_message m;

	nlmsg_hdr(msg)->nlmsg_type = FAMILY_ID + 1;
	EXPECT_FALSE(parse(msg, &m));
	nlmsg_free(msg);
	msg = begin(UACCE_NL_DEV_GET);
	nla_put_u8(msg, UACCE_A_CTXS_TOTAL, 1);
	EXPECT_FALSE(parse(msg, &m));
	nlmsg_free(msg);
	msg = begin(UACCE_NL_DEV_GET);
	nla_put(msg, UACCE_A_DEV, 4, "evil");
	EXPECT_FALSE(parse(msg, &m));
	nlmsg_free(msg);
}

TEST(so_are_those_of_a_nest_also_of_one_that_is_not_the_last)
{
	struct nl_msg *msg = begin(UACCE_NL_SECTION_GET);
	struct wd_nl_message m;
	struct nlattr *nest;

	nest = nla_nest_start(msg, UACCE_A_MEMBER);
	nla_put(msg, UACCE_A_MEMBER_NAME, 4, "evil");
	nla_nest_end(msg, nest);
	put_member(msg, "0000:75:00.0", "hisi_zip-0", 8, false);
	EXPECT_FALSE(parse(msg, &m));
	nlmsg_free(msg);
	msg = begin(UACCE_NL_SECTION_ATTACH);
	nest = nla_nest_start(msg, UACCE_A_GRANT);
	nla_put_u16(msg, UACCE_A_GRANT_SYNC, 1);
	nla_nest_end(msg, nest);
	EXPECT_FALSE(parse(msg, &m));
	nlmsg_free(msg);
}

TEST(attributes_of_a_newer_kernel_are_skipped)
{
	struct nl_msg *msg = begin(UACCE_NL_DEV_GET);
	struct wd_nl_message m;
	struct fact_device d;

	nla_put_u32(msg, UACCE_A_MAX + 5, 1);
	nla_put_string(msg, UACCE_A_DEV, "hisi_zip-0");
	ASSERT_TRUE(parse(msg, &m));
	fact_device_parse(&d, &m);
	EXPECT_STREQ("hisi_zip-0", d.name);
	EXPECT_STREQ("", fact_doorbells_name(&d.doorbells));
	d.doorbells = (struct fact_count){ .known = true, .n = UACCE_NL_DOORBELLS_MAPPED };
	EXPECT_STREQ("mapped", fact_doorbells_name(&d.doorbells));
	d.doorbells.n = 99;
	EXPECT_STREQ("unknown", fact_doorbells_name(&d.doorbells));
	EXPECT_STREQ("unknown", fact_ctx_state_name(99));
	EXPECT_STREQ("unknown", fact_ctx_class_name(99));
	EXPECT_STREQ("unknown", fact_section_state_name(99));
	nlmsg_free(msg);
}

TEST(a_name_that_a_process_chose_does_nothing_to_a_terminal)
{
	struct nl_msg *msg = begin(UACCE_NL_CTX_GET);
	struct wd_nl_message m;
	struct json_object *o;
	struct fact_ctx c;

	put_process(msg, "\033[2J\x9b" "a\nb\x7f\"");
	nla_put_string(msg, UACCE_A_DEV, "hisi_zip-0");
	ASSERT_TRUE(parse(msg, &m));
	fact_ctx_parse(&c, &m);
	EXPECT_STREQ("\\x1b[2J\\x9ba\\x0ab\\x7f\"", c.comm);
	o = json_from_fact_ctx(&c);
	ASSERT_NE(NULL, o);
	EXPECT_NE(NULL, strstr(json_object_to_json_string(o), "\\\\x1b[2J\\\\x9ba\\\\x0ab"));
	json_object_put(o);
	nlmsg_free(msg);
}

TEST(the_longest_name_of_a_process_fits_when_all_of_it_is_escaped)
{
	struct nl_msg *msg = begin(UACCE_NL_CTX_GET);
	struct wd_nl_message m;
	struct fact_ctx c;

	put_process(msg, "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17");
	ASSERT_TRUE(parse(msg, &m));
	fact_ctx_parse(&c, &m);
	EXPECT_EQ(15 * 4, strlen(c.comm));
	EXPECT_STREQ("\\x0f", c.comm + 14 * 4);
	nlmsg_free(msg);
}

/* ------ events ------ */

static const char *event_text(struct nl_msg *msg, char *buf, size_t size)
{
	FILE *f = fmemopen(buf, size, "w");
	struct wd_nl_message m;
	struct event e;

	buf[0] = '\0';
	if (f && parse(msg, &m) && !event_parse(&e, &m)) {
		event_print(f, &e);
		event_fini(&e);
	}
	if (f)
		fclose(f);
	nlmsg_free(msg);
	return buf;
}

TEST(events_are_a_line_each)
{
	struct nl_msg *msg;
	char buf[512];

	msg = begin(UACCE_NL_SLOT_ATTACH);
	nla_put_string(msg, UACCE_A_SECTION, "SSL");
	nla_put_string(msg, UACCE_A_SLOT, "SSL_INT_0");
	put_process(msg, "a\nb");
	nla_put_u64(msg, UACCE_A_EVENT_SEQ, 5);
	EXPECT_STREQ("slot-attach SSL slot SSL_INT_0 process 1234 (a\\x0ab)", event_text(msg, buf, sizeof(buf)));
	msg = begin(UACCE_NL_QUOTA);
	nla_put_string(msg, UACCE_A_DEV, "hisi_zip-0");
	put_process(msg, "x");
	nla_put_u32(msg, UACCE_A_ERROR, EBUSY);
	nla_put_u32(msg, UACCE_A_COUNT, 3);
	nla_put_u64(msg, UACCE_A_EVENT_SEQ, 6);
	EXPECT_STREQ("quota hisi_zip-0 process 1234 (x): Device or resource busy, 3 times",
		     event_text(msg, buf, sizeof(buf)));
	msg = begin(UACCE_NL_SECTION_CHANGE);
	put_section(msg, "SSL");
	nla_put_u64(msg, UACCE_A_CONFIG_SEQ, 7);
	EXPECT_STREQ("section-change SSL: live, slots 4 (attached 3, lingering 1, waiting 2), 1 device pending",
		     event_text(msg, buf, sizeof(buf)));
	msg = begin(UACCE_NL_DEV_DEL);
	nla_put_string(msg, UACCE_A_DEV, "hisi_zip-0");
	nla_put_u64(msg, UACCE_A_CONFIG_SEQ, 8);
	EXPECT_STREQ("dev-del hisi_zip-0", event_text(msg, buf, sizeof(buf)));
}

TEST(a_json_event_has_its_group_and_number_and_no_fields_of_others)
{
	struct nl_msg *msg = begin(UACCE_NL_SLOT_DETACH);
	struct wd_nl_message m;
	struct json_object *o;
	struct event e;

	nla_put_string(msg, UACCE_A_SECTION, "SSL");
	put_process(msg, "x");
	nla_put_u64(msg, UACCE_A_EVENT_SEQ, UINT64_MAX - 1);
	ASSERT_TRUE(parse(msg, &m));
	ASSERT_EQ(0, event_parse(&e, &m));
	o = json_from_event(&e);
	EXPECT_STREQ("{\"group\":\"event\",\"seq\":18446744073709551614,\"event\":\"slot-detach\",\"section\":\"SSL\","
		     "\"pid\":1234,\"comm\":\"x\"}", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN));
	json_object_put(o);
	event_fini(&e);
	nlmsg_free(msg);
}

TEST(what_is_no_event_is_none)
{
	uint8_t cmds[] = { 0, UACCE_NL_DEV_GET, UACCE_NL_SLOT_GRANTED, UACCE_NL_CMD_MAX + 1, 255 };
	struct wd_nl_message m;
	struct nl_msg *msg;
	struct event e;
	size_t i;

	for (i = 0; i < sizeof(cmds); i++) {
		msg = begin(cmds[i]);
		nla_put_u64(msg, UACCE_A_EVENT_SEQ, 1);
		ASSERT_TRUE(parse(msg, &m));
		EXPECT_EQ(-EINVAL, event_parse(&e, &m));
		nlmsg_free(msg);
	}
	/* Without its group's number, an event couldn't reveal a loss. */
	msg = begin(UACCE_NL_DEV_DEL);
	nla_put_u64(msg, UACCE_A_EVENT_SEQ, 1);
	ASSERT_TRUE(parse(msg, &m));
	EXPECT_EQ(-EINVAL, event_parse(&e, &m));
	nlmsg_free(msg);
}

/* ------ losses ------ */

TEST(events_in_a_row_are_no_loss)
{
	struct gap g;

	gap_begin(&g, 10);
	EXPECT_EQ(0, gap_event(&g, 11));
	EXPECT_EQ(0, gap_event(&g, 12));
	EXPECT_EQ(0, gap_settle(&g, 12));
}

TEST(missing_numbers_are_counted_once)
{
	struct gap g;

	gap_begin(&g, 10);
	EXPECT_EQ(2, gap_event(&g, 13));
	EXPECT_EQ(0, gap_event(&g, 14));
	EXPECT_EQ(6, gap_settle(&g, 20));
	EXPECT_EQ(0, gap_settle(&g, 20));
	EXPECT_EQ(0, gap_event(&g, 21));
	EXPECT_EQ(1, gap_event(&g, 23));
}

TEST(events_between_joining_and_asking_are_no_loss)
{
	struct gap g;

	gap_begin(&g, 10);
	EXPECT_EQ(0, gap_event(&g, 9));
	EXPECT_EQ(0, gap_event(&g, 10));
	EXPECT_EQ(0, gap_event(&g, 11));
	gap_begin(&g, 10);
	EXPECT_EQ(0, gap_event(&g, 9));
	EXPECT_EQ(1, gap_event(&g, 11));
}

TEST(without_a_first_number_only_what_follows_can_be_compared)
{
	struct gap g = { 0 };

	EXPECT_EQ(0, gap_event(&g, 100));
	EXPECT_EQ(1, gap_event(&g, 102));
	g = (struct gap){ 0 };
	EXPECT_EQ(0, gap_settle(&g, 50));
	EXPECT_EQ(4, gap_event(&g, 55));
}

TEST(a_current_number_that_is_older_than_what_came_changes_nothing)
{
	struct gap g;

	gap_begin(&g, 10);
	EXPECT_EQ(0, gap_event(&g, 11));
	EXPECT_EQ(0, gap_settle(&g, 5));
	EXPECT_EQ(0, gap_event(&g, 12));
}

/* ------ printing ------ */

TEST(ages_are_short)
{
	static const struct {
		uint64_t ms;
		const char *text;
	} ages[] = {
		{ 0, "0s" }, { 59999, "59s" }, { 60000, "1m00s" }, { 3599999, "59m59s" }, { 3600000, "1h00m" },
		{ 86399999, "23h59m" }, { 86400000, "1d00h" }, { UINT64_MAX, "213503982334d14h" },
	};
	char buf[FACT_AGE_SIZE];
	size_t i;

	for (i = 0; i < sizeof(ages) / sizeof(ages[0]); i++)
		EXPECT_STREQ(ages[i].text, fact_age(buf, ages[i].ms));
}

TEST(bars_are_as_wide_as_they_should_be)
{
	struct fact_device d = { .total = 64, .reserved = 32, .used = 24, .used_pool = 8 };
	char buf[41];

	top_bar(buf, 8, &d);
	EXPECT_STREQ("###==...", buf);
	d = (struct fact_device){ .total = 64 };
	top_bar(buf, 8, &d);
	EXPECT_STREQ("........", buf);
	d = (struct fact_device){ .total = 1024, .used = 1, .used_pool = 1, .quarantined = 512 };
	top_bar(buf, 8, &d);
	EXPECT_STREQ("#...xxxx", buf);
	d = (struct fact_device){ .total = 10, .reserved = 20, .used = 30, .quarantined = 40 };
	top_bar(buf, 8, &d);
	EXPECT_STREQ("########", buf);
	d = (struct fact_device){ .total = 0, .used = 3 };
	top_bar(buf, 8, &d);
	EXPECT_EQ(8, strlen(buf));
}

#define CTXS 50

static void picture_make(struct top_picture *p)
{
	size_t i;

	memset(p, 0, sizeof(*p));
	p->devices.count = 2;
	p->devices.item = calloc(2, sizeof(*p->devices.item));
	p->sections.count = 12;
	p->sections.item = calloc(12, sizeof(*p->sections.item));
	p->ctxs.count = CTXS;
	p->ctxs.item = calloc(CTXS, sizeof(*p->ctxs.item));
	for (i = 0; i < 2; i++)
		snprintf(p->devices.item[i].name, FACT_NAME_MAX, "hisi_zip-%zu", i);
	for (i = 0; i < 12; i++)
		snprintf(p->sections.item[i].name, FACT_NAME_MAX, "section_%zu", i);
	for (i = 0; i < CTXS; i++) {
		snprintf(p->ctxs.item[i].dev, FACT_NAME_MAX, "hisi_zip-%zu", i % 2);
		snprintf(p->ctxs.item[i].comm, FACT_COMM_MAX, "a_very_long_name_%040zu", i);
		p->ctxs.item[i].has_id = true;
		p->ctxs.item[i].id = (uint32_t)(CTXS - i);
		p->ctxs.item[i].age_ms = i;
		p->ctxs.item[i].pid = (uint32_t)(i ^ 7);
	}
}

static void picture_free(struct top_picture *p)
{
	fact_devices_free(&p->devices);
	fact_sections_free(&p->sections);
	fact_ctxs_free(&p->ctxs);
}

/* The picture without the sequences that clear the rest of a line and of the screen. */
static char *picture_text(struct top_picture *p, const struct top_shape *shape)
{
	char *text = NULL, *out, *in;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	top_print(f, p, shape);
	fclose(f);
	for (in = out = text; *in; in++) {
		if (!strncmp(in, "\033[K", 3) || !strncmp(in, "\033[J", 3))
			in += 2;
		else
			*out++ = *in;
	}
	*out = '\0';
	return text;
}

TEST(no_screen_is_too_small)
{
	struct top_shape shape = { 0 };
	struct top_picture p;
	char *text, *line, *rest;
	int rows;

	picture_make(&p);
	for (shape.columns = 1; shape.columns < 140; shape.columns += 6)
		for (shape.rows = 1; shape.rows < 90; shape.rows++) {
			text = picture_text(&p, &shape);
			for (rows = 0, rest = text; (line = strsep(&rest, "\n")); rows++)
				ASSERT_LE(strlen(line), shape.columns);
			ASSERT_LE(rows, shape.rows);
			free(text);
		}
	picture_free(&p);
}

TEST(what_keeps_a_device_from_being_opened_is_shown)
{
	static const struct {
		uint32_t state;
		const char *word, *shown;
	} states[] = {
		{ UACCE_NL_DEV_NORMAL, "ok", NULL },
		{ UACCE_NL_DEV_ISOLATED, "isolated", "isolated" },
		{ UACCE_NL_DEV_RESETTING, "resetting", "resetting" },
		{ 99, "unknown", "unknown" },
	};
	struct top_shape shape = { .columns = 100, .rows = 40 };
	struct top_picture p;
	char line[512], *text;
	size_t i;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		struct nl_msg *msg = begin(UACCE_NL_DEV_CHANGE);
		struct json_object *o;

		nla_put_string(msg, UACCE_A_DEV, "hisi_zip-0");
		nla_put_u32(msg, UACCE_A_DEV_STATE, states[i].state);
		nla_put_u64(msg, UACCE_A_CONFIG_SEQ, 8);
		event_text(msg, line, sizeof(line));
		EXPECT_EQ(!states[i].shown, !strstr(line, states[i].shown ?: ", ok")) TH_LOG("%s", line);
		picture_make(&p);
		p.devices.item[0].state = states[i].state;
		o = json_from_fact_device(&p.devices.item[0]);
		EXPECT_STREQ(states[i].word, json_object_get_string(json_object_object_get(o, "state")));
		json_object_put(o);
		text = picture_text(&p, &shape);
		EXPECT_EQ(!states[i].shown, !strstr(text, states[i].shown ?: " ok"));
		free(text);
		picture_free(&p);
	}
}

static uint64_t json_count(struct json_object *o, const char *key)
{
	return json_object_get_uint64(json_object_object_get(o, key));
}

TEST(counts_of_a_device_are_in_json_and_on_wide_screens)
{
	struct nl_msg *msg = begin(UACCE_NL_DEV_GET);
	struct top_shape shape = { .columns = 100, .rows = 40 };
	struct wd_nl_message m;
	struct top_picture p;
	struct json_object *o;
	char *text;

	nla_put_string(msg, UACCE_A_DEV, "hisi_zip-0");
	nla_put_u32(msg, UACCE_A_DEV_RESETS, 31);
	nla_put_u64(msg, UACCE_A_OPENS, 9000);
	nla_put_u64(msg, UACCE_A_OPENS_REFUSED, 4711);
	nla_put_u64(msg, UACCE_A_OPENS_FULL, 42);
	nla_put_u32(msg, UACCE_A_CTX_ERRORS, 3);
	nla_put_u64(msg, UACCE_A_WRONG_RESULTS, 77);
	nla_put_u32(msg, UACCE_A_DEV_REQUESTS, ~0u);
	nla_put_u32(msg, UACCE_A_DEV_REQUEST_ERRORS, 0);
	nla_put_u64(msg, UACCE_A_REQUESTS, 5ull << 32);
	ASSERT_TRUE(parse(msg, &m));
	picture_make(&p);
	fact_device_parse(&p.devices.item[0], &m);
	o = json_from_fact_device(&p.devices.item[0]);
	EXPECT_EQ(31, json_count(o, "resets"));
	EXPECT_EQ(9000, json_count(o, "opens"));
	EXPECT_EQ(4711, json_count(o, "refused"));
	EXPECT_EQ(42, json_count(o, "refused_full"));
	EXPECT_EQ(3, json_count(o, "ctx_errors"));
	EXPECT_EQ(77, json_count(o, "wrong_results"));
	EXPECT_EQ(~0u, json_count(o, "requests"));
	EXPECT_EQ(5ull << 32, json_count(o, "function_requests"));
	EXPECT_EQ(0, json_count(o, "request_errors"));
	EXPECT_NE(NULL, json_object_object_get(o, "request_errors"));
	/* Not reported: null. */
	EXPECT_EQ(NULL, json_object_object_get(o, "bytes_in"));
	json_object_put(o);
	text = picture_text(&p, &shape);
	EXPECT_NE(NULL, strstr(text, "RESETS REFUSED WRONG"));
	EXPECT_NE(NULL, strstr(text, "     31    4711    77"));
	free(text);
	shape.columns = 99;
	text = picture_text(&p, &shape);
	EXPECT_EQ(NULL, strstr(text, "RESETS"));
	EXPECT_EQ(NULL, strstr(text, "4711"));
	free(text);
	picture_free(&p);
	nlmsg_free(msg);
}

TEST(errors_and_requests_of_a_context_are_read)
{
	struct nl_msg *msg = begin(UACCE_NL_CTX_GET);
	struct wd_nl_message m;
	struct json_object *o;
	struct fact_ctx c;

	nla_put_u32(msg, UACCE_A_CTX_ERRORS, 12);
	nla_put_u64(msg, UACCE_A_WRONG_RESULTS, 13);
	nla_put_u64(msg, UACCE_A_REQUESTS, 1ull << 40);
	ASSERT_TRUE(parse(msg, &m));
	fact_ctx_parse(&c, &m);
	o = json_from_fact_ctx(&c);
	EXPECT_EQ(12, json_count(o, "errors"));
	EXPECT_EQ(13, json_count(o, "wrong_results"));
	EXPECT_EQ(1ull << 40, json_count(o, "requests"));
	json_object_put(o);
	nlmsg_free(msg);
}

TEST(what_does_not_fit_is_counted)
{
	struct top_shape shape = { .columns = 100, .rows = 20 };
	struct top_picture p;
	char *text;

	picture_make(&p);
	text = picture_text(&p, &shape);
	EXPECT_NE(NULL, strstr(text, "hisi_zip-1"));
	EXPECT_NE(NULL, strstr(text, " more sections"));
	EXPECT_NE(NULL, strstr(text, " more contexts"));
	free(text);
	for (shape.rows = 6; shape.rows < 62; shape.rows++) {
		text = picture_text(&p, &shape);
		EXPECT_NE(NULL, strstr(text, " more ")) TH_LOG("%d rows: %s", shape.rows, text);
		free(text);
	}
	shape.rows = 0;
	text = picture_text(&p, &shape);
	EXPECT_EQ(NULL, strstr(text, " more "));
	EXPECT_NE(NULL, strstr(text, "only your own"));
	free(text);
	picture_free(&p);
}

TEST(contexts_are_sorted_as_asked)
{
	struct top_picture p;

	picture_make(&p);
	snprintf(p.ctxs.item[40].section, FACT_NAME_MAX, "B");
	snprintf(p.ctxs.item[41].section, FACT_NAME_MAX, "A");
	top_sort_ctxs(&p.ctxs, TOP_BY_SECTION);
	EXPECT_STREQ("A", p.ctxs.item[0].section);
	EXPECT_STREQ("B", p.ctxs.item[1].section);
	top_sort_ctxs(&p.ctxs, TOP_BY_AGE);
	EXPECT_EQ(0, p.ctxs.item[0].age_ms);
	top_sort_ctxs(&p.ctxs, TOP_BY_PID);
	EXPECT_EQ(0, p.ctxs.item[0].pid);
	top_sort_ctxs(&p.ctxs, TOP_BY_DEVICE);
	EXPECT_STREQ("hisi_zip-0", p.ctxs.item[0].dev);
	EXPECT_EQ(2, p.ctxs.item[0].id);
	EXPECT_STREQ("hisi_zip-1", p.ctxs.item[CTXS - 1].dev);
	EXPECT_EQ(49, p.ctxs.item[CTXS - 1].id);
	picture_free(&p);
}

/* Each process once, none of other sections, and not hundreds of them. */
TEST(holders_of_slots_are_named)
{
	struct fact_section s = { .name = "A", .slots = 8, .attached = 6, .lingering = 1 };
	struct fact_ctx item[14] = { { .section = "B", .comm = "other", .pid = 99 } };
	struct fact_ctxs ctxs = { item, 1 };
	char *text = held_describe(&s, &ctxs);
	unsigned int i;

	EXPECT_STREQ("section A: of 8 slots 6 are attached, 1 lingering", text);
	free(text);
	for (i = 1; i < 14; i++) {
		strcpy(item[i].section, "A");
		strcpy(item[i].comm, "p");
		item[i].pid = 1 + i / 2;
	}
	ctxs.count = 4;
	text = held_describe(&s, &ctxs);
	EXPECT_STREQ("section A: of 8 slots 6 are attached, 1 lingering; contexts are open in p (1), p (2)", text);
	free(text);
	ctxs.count = 14;
	text = held_describe(&s, &ctxs);
	EXPECT_STREQ("section A: of 8 slots 6 are attached, 1 lingering; "
		     "contexts are open in p (1), p (2), p (3), p (4) and 3 more", text);
	free(text);
	/* The process that opened it isn't there any more. */
	item[1].pid = item[2].pid = item[3].pid = 0;
	strcpy(item[3].comm, "q");
	ctxs.count = 4;
	text = held_describe(&s, &ctxs);
	EXPECT_STREQ("section A: of 8 slots 6 are attached, 1 lingering; "
		     "contexts are open in p (which has ended), q (which has ended)", text);
	free(text);
}

TEST_HARNESS_MAIN
