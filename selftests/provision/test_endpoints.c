// SPDX-License-Identifier: Apache-2.0
/* Endpoints: which devices of a section come together, for all who share the rule. */
#include <stdio.h>
#include <string.h>
#include "endpoints.h"
#include "kselftest_harness.h"

#define DEVICES	16

/* "NAME@NODE ..." becomes "0 0 1 ...": the endpoint of each device; @given has those that are formed already. */
static void form(const char *devices, const char *given, char *buf, size_t size)
{
	struct endpoint_device d[DEVICES];
	unsigned int nr = 0, i;
	char name[64];
	size_t len = 0;
	int node, n, m;

	for (; nr < DEVICES && sscanf(devices, " %63[^@]@%d%n", name, &node, &n) == 2; devices += n, nr++) {
		d[nr].endpoint = ENDPOINT_NONE;
		d[nr].node = node;
		endpoint_set_engine(&d[nr], name);
		if (sscanf(given, "%d%n", &d[nr].endpoint, &m) == 1)
			given += m;
	}
	endpoints_form(d, nr);
	for (i = 0; i < nr; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%d", i ? " " : "", d[i].endpoint);
}

static const struct {
	const char *devices, *given, *want;
} cases[] = {
	{ "zip-0@0", "", "0" },
	{ "zip-0@0 zip-1@0", "", "0 1" },
	{ "hpre-3@0 sec-2@0 zip-0@0", "", "0 0 0" },
	/* Engines that are there once join the first endpoint on their node, or any. */
	{ "hpre-3@0 sec-2@0 zip-0@0 zip-1@0", "", "0 0 0 1" },
	{ "hpre-3@1 sec-2@0 zip-0@0 zip-1@1", "", "1 0 0 1" },
	{ "hpre-3@7 sec-2@-1 zip-0@0 zip-1@1", "", "0 0 0 1" },
	/* A device that is alone on its node leaves those of other nodes together. */
	{ "hpre-5@0 hpre-6@1 sec-3@1 sec-4@0 zip-1@1 zip-2@0", "", "0 1 1 0 1 0" },
	{ "hpre-5@2 sec-3@1 sec-4@0 zip-1@1 zip-2@0", "", "0 0 1 0 1" },
	{ "hpre-3@0 sec-1@1 zip-0@1 zip-2@0", "", "1 0 0 1" },
	/* As many as there are devices of the most frequent engine. */
	{ "sec-0@0 zip-1@0 zip-2@0 zip-3@1 sec-4@1", "", "0 0 1 2 2" },
	/* A name of the parent doesn't tell the engine, and such a device is left out. */
	{ "0000:75:00.0@-1 zip-0@0", "", "-1 0" },
	{ "zip@0 -1@0 zip-@0 zip-1a@0 a-b-1@0", "", "-1 -1 -1 -1 0" },
	/* What is formed stays. */
	{ "sec-1@1 zip-0@0", "-1 0", "0 0" },
	{ "sec-1@1 sec-2@0 zip-0@0", "0 -1 0", "0 1 0" },
	{ "hpre-4@1 sec-1@1 sec-2@0 zip-0@0 zip-3@1", "-1 0 -1 0 1", "0 0 1 0 1" },
	{ "zip-0@0 zip-1@1", "1 0", "1 0" },
};

TEST(an_endpoint_has_one_device_of_each_engine)
{
	char got[256];
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		form(cases[i].devices, cases[i].given, got, sizeof(got));
		EXPECT_STREQ(cases[i].want, got) {
			TH_LOG("%s", cases[i].devices);
		}
	}
}

TEST(an_engine_of_any_length_is_told_or_unknown)
{
	struct endpoint_device d;
	char name[200];

	memset(name, 'x', sizeof(name));
	strcpy(name + ENDPOINT_ENGINE_SIZE - 1, "-1");
	endpoint_set_engine(&d, name);
	EXPECT_EQ(ENDPOINT_ENGINE_SIZE - 1, strlen(d.engine));
	memset(name, 'x', sizeof(name));
	strcpy(name + ENDPOINT_ENGINE_SIZE, "-1");
	endpoint_set_engine(&d, name);
	EXPECT_STREQ("", d.engine);
}

TEST_HARNESS_MAIN
