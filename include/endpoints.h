/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Endpoints: how a section with limit_dev_access divides its devices. An endpoint has one device of each engine at
 * most, and a slot has the devices of one endpoint. The kernel, wdctl and wd-emulate share this rule.
 */
#ifndef WD_ENDPOINTS_H
#define WD_ENDPOINTS_H

#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <stdbool.h>
#include <string.h>
#endif

#define ENDPOINT_ENGINE_SIZE	64
#define ENDPOINT_NONE		(-1)

/* A device of a section. */
struct endpoint_device {
	char engine[ENDPOINT_ENGINE_SIZE];	/* "hisi_zip"; "": not known yet, or the slots have no contexts there */
	int node;				/* -1: unknown */
	int endpoint;				/* its number, or ENDPOINT_NONE */
};

/* The engine of a device is its name without the number. The name of a parent, "0000:75:00.0", doesn't tell. */
static inline void endpoint_set_engine(struct endpoint_device *d, const char *name)
{
	const char *dash = strrchr(name, '-');
	size_t len = dash ? (size_t)(dash - name) : 0;

	if (!dash || !dash[1] || dash[1 + strspn(dash + 1, "0123456789")] || len >= sizeof(d->engine))
		len = 0;
	memcpy(d->engine, name, len);
	d->engine[len] = '\0';
}

static inline int endpoints_count(const struct endpoint_device *d, unsigned int nr)
{
	int count = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (d[i].endpoint >= count)
			count = d[i].endpoint + 1;
	return count;
}

/* May device i join this endpoint? With @near, only if the endpoint's first device is on its node. */
static inline bool endpoint_takes(const struct endpoint_device *d, unsigned int nr, unsigned int i, int endpoint,
				  bool near)
{
	bool first = true;
	unsigned int k;

	for (k = 0; k < nr; k++) {
		if (d[k].endpoint != endpoint)
			continue;
		if (!strcmp(d[k].engine, d[i].engine) || (near && first && d[k].node != d[i].node))
			return false;
		first = false;
	}
	return true;
}

/* The lowest endpoint that device i may join; ENDPOINT_NONE: there is none. */
static inline int endpoint_choose(const struct endpoint_device *d, unsigned int nr, unsigned int i, bool near)
{
	int endpoint, count = endpoints_count(d, nr);

	for (endpoint = 0; endpoint < count; endpoint++)
		if (endpoint_takes(d, nr, i, endpoint, near))
			return endpoint;
	return ENDPOINT_NONE;
}

/* The first device of the most frequent engine; nr: no engine is known. */
static inline unsigned int endpoint_founder(const struct endpoint_device *d, unsigned int nr)
{
	unsigned int i, k, count, most = 0, founder = nr;

	for (i = 0; i < nr; i++) {
		for (k = i, count = 0; k < nr && d[i].engine[0]; k++)
			count += !strcmp(d[k].engine, d[i].engine);
		if (count > most) {
			most = count;
			founder = i;
		}
	}
	return founder;
}

/*
 * Gives each device of a known engine an endpoint, if it has none. Without any endpoint, the devices of the most
 * frequent engine begin one each. The others join one on their node that has no such engine yet, or else any without
 * it, or begin another one. So there are as many endpoints as devices of the most frequent engine.
 */
static inline void endpoints_form(struct endpoint_device *d, unsigned int nr)
{
	int count = endpoints_count(d, nr);
	unsigned int i, founder = count ? nr : endpoint_founder(d, nr);

	for (i = founder; i < nr; i++)
		if (!strcmp(d[i].engine, d[founder].engine))
			d[i].endpoint = count++;
	for (i = 0; i < nr; i++)
		if (d[i].engine[0] && d[i].endpoint < 0)
			d[i].endpoint = endpoint_choose(d, nr, i, true);
	for (i = 0; i < nr; i++) {
		if (!d[i].engine[0] || d[i].endpoint >= 0)
			continue;
		d[i].endpoint = endpoint_choose(d, nr, i, true);
		if (d[i].endpoint < 0)
			d[i].endpoint = endpoint_choose(d, nr, i, false);
		if (d[i].endpoint < 0)
			d[i].endpoint = endpoints_count(d, nr);
	}
}

#endif
