// SPDX-License-Identifier: Apache-2.0
/* Parses "0=2+2 1=1+0": the number of contexts that a process outside of sections has on each device of a node. */
#include <string.h>
#include <wd_user.h>

#include "base/env.h"
#include "section/ctxs.h"
#include "section/section.h"

/* Under the grants' lock. */
static struct wd_ctxs in_force = { .rest = { 1, 1 } };
static bool begun;

/* The decimal number up to max at *p, which then points behind it; -1: no number. */
static long number_read(const char **p, long max)
{
	const char *c = *p;
	long n = 0;

	for (; *c >= '0' && *c <= '9' && n <= max; c++)
		n = n * 10 + (*c - '0');
	if (c == *p || n > max)
		return -1;
	*p = c;
	return n;
}

/* "SYNC+ASYNC" */
static bool share_parse(const char **p, __u32 share[2])
{
	long sync = number_read(p, WD_CTXS_MAX), async;

	if (sync < 0 || *(*p)++ != '+')
		return false;
	async = number_read(p, WD_CTXS_MAX);
	share[0] = (__u32)sync;
	share[1] = (__u32)async;
	return async >= 0 && (!**p || **p == ' ');
}

static int node_add(struct wd_ctxs *ctxs, int node, const __u32 share[2])
{
	unsigned int i;

	for (i = 0; i < ctxs->nr; i++)
		if (ctxs->at[i].node == node)
			return wd_fail_num(NULL, EINVAL, "contexts: node %u is named twice", (uint64_t)node, 0);
	if (ctxs->nr == WD_CTXS_NODES)
		return wd_fail_num(NULL, EINVAL, "contexts: more than %u nodes", WD_CTXS_NODES, 0);
	ctxs->at[ctxs->nr++] = (struct wd_ctxs_node){ .node = node, .share = { share[0], share[1] } };
	return 0;
}

static int item_parse(const char **p, struct wd_ctxs *ctxs, bool *rest)
{
	const char *item = *p, *value = *p;
	bool named = *item != '+' && item[strspn(item, "0123456789")] == '=';
	long node = named ? number_read(&value, 0xffff) : 0;
	__u32 share[2];

	if (named)
		value++;
	if (node < 0 || !share_parse(&value, share))
		return wd_fail_all(NULL, EINVAL,
				   "contexts: NODE=SYNC+ASYNC or SYNC+ASYNC, each up to %u, was expected at \"%s\"",
				   item, WD_CTXS_MAX, 0);
	*p = value;
	if (named)
		return node_add(ctxs, (int)node, share);
	if (*rest)
		return wd_fail(NULL, EINVAL, "contexts: two items have no node");
	*rest = true;
	memcpy(ctxs->rest, share, sizeof(share));
	return 0;
}

int wd_ctxs_parse(const char *text, struct wd_ctxs *ctxs)
{
	bool rest = false;
	int ret = 0;

	*ctxs = (struct wd_ctxs){ .rest = { 1, 1 } };
	for (text = text ? text : ""; !ret; ) {
		text += strspn(text, " ");
		if (!*text)
			break;
		ret = item_parse(&text, ctxs, &rest);
	}
	return ret;
}

static int ctxs_set(const char *text)
{
	struct wd_ctxs ctxs;
	int ret = wd_ctxs_parse(text, &ctxs);

	if (ret)
		return ret;
	wd_grant_lock();
	in_force = ctxs;
	begun = true;
	wd_grant_unlock();
	return 0;
}

static int ctxs_set_by_env(void)
{
	int ret = ctxs_set(wd_env("WD_CTXS"));

	return ret == -EINVAL ? wd_env_refused("WD_CTXS", ret) : ret;
}

int wd_user_ctxs(const char *nodes)
{
	wd_section_init();
	wd_fork_now();
	return nodes ? ctxs_set(nodes) : ctxs_set_by_env();
}

int wd_ctxs_begin(void)
{
	bool done;

	wd_grant_lock();
	done = begun;
	wd_grant_unlock();
	return done ? 0 : ctxs_set_by_env();
}

void wd_ctxs_of(int node, __u32 share[2])
{
	unsigned int i = in_force.nr;

	while (i && in_force.at[i - 1].node != node)
		i--;
	memcpy(share, i ? in_force.at[i - 1].share : in_force.rest, sizeof(in_force.rest));
}
