// SPDX-License-Identifier: Apache-2.0
/* Entering the section that the program names or that its first session needs; leaving it; queries. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "section/section.h"

bool wd_section_is_name(const char *name)
{
	size_t len = name ? strlen(name) : 0;

	return len && len <= WD_SECTION_NAME_MAX &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == len;
}

int wd_section_enter(const char *name, __u32 wait_ms, bool held)
{
	/* Static: the list of files to close in a child points to it. */
	static struct wd_section new;
	int ret;

	memset(&new, 0, sizeof(new));
	new.socket.fd = -1;
	ret = wd_attach(&new, name, wait_ms);
	if (ret && ret != -EOPNOTSUPP) {
		free(new.grants);
		return ret;
	}
	if (ret)
		wd_fail_str(NULL, EOPNOTSUPP, "section %s has no effect: this kernel has no sections", name);
	if (ret && held)
		return ret;
	if (!ret)
		wd_fork_file_add(&wd_section.socket, wd_fork_file_del(&new.socket));
	pthread_mutex_lock(&wd_engine.lock);
	wd_section_settle(&new, ret ? WD_USER_UNPROVISIONED : WD_USER_SECTION);
	pthread_mutex_unlock(&wd_engine.lock);
	return 0;
}

int wd_section_wait_ms(__u32 *wait_ms)
{
	long ms = 0;
	int ret = wd_env_number("WD_ATTACH_TIMEOUT", 0, INT_MAX, &ms);

	*wait_ms = (__u32)ms;
	return ret;
}

void wd_section_leave(enum wd_user_state state)
{
	wd_grant_lock();
	if (state == WD_USER_SECTION || state == WD_USER_LOST)
		wd_detach(&wd_section);
	wd_section.name[0] = '\0';
	wd_section.slot[0] = '\0';
	wd_section.nr = 0;
	wd_section_refusal_clear();
	wd_grant_unlock();
}

/* --- a first session --- */

/* The section that an undecided process needs: its parent's, the one that it was executed in, or the environment's. */
static const char *section_due(char name[WD_SECTION_NAME_MAX + 1])
{
	if (*wd_section.name)
		return strcpy(name, wd_section.name);
	return wd_attach_inherited(name) ? name : wd_env("WD_SECTION");
}

static int begin(bool wait)
{
	char buf[WD_SECTION_NAME_MAX + 1];
	const char *name;
	__u32 wait_ms = 0;
	int ret;

	if (wd_section_state() != WD_USER_UNPROVISIONED &&
	    (wd_section_state() != WD_USER_NONE || wd_section_refused()))
		return wd_section_usable();
	name = section_due(buf);
	if (!name) {
		wd_section_default_pool();
		return 0;
	}
	if (!wd_section_is_name(name))
		return wd_fail_str(NULL, EINVAL, "WD_SECTION is \"%s\", not 1 to 31 of A-Z a-z 0-9 _ -", name);
	/* A process that has found no sections has waited for them already. */
	ret = wait && wd_section_state() != WD_USER_UNPROVISIONED ? wd_section_wait_ms(&wait_ms) : 0;
	return ret ? ret : wd_section_enter(name, wait_ms, false);
}

static int begin_in_turn(bool wait)
{
	enum wd_user_state state = wd_section_state();
	int saved = errno, cancel, ret;

	if (state == WD_USER_SECTION || state == WD_USER_POOL)
		return 0;
	/* The thread that closes contexts has the turn, and devices may be slow. */
	if (state == WD_USER_STOPPED && atomic_load(&wd_section.closing))
		return wd_section_usable();
	wd_section_turn_begin(&cancel);
	ret = begin(wait);
	if (ret && wd_section_state() == WD_USER_NONE && !wd_section_refused())
		wd_section_refusal_keep(0);
	wd_section_turn_end(cancel);
	errno = saved;
	return ret;
}

int wd_section_begin(void)
{
	return begin_in_turn(true);
}

void wd_section_again(void)
{
	if (wd_section_state() == WD_USER_NONE)
		begin_in_turn(false);
}

/* --- queries --- */

int wd_user_info(struct wd_user_info *info)
{
	if (!info)
		return wd_fail(NULL, EINVAL, "info is NULL");
	wd_section_init();
	wd_fork_now();
	memset(info, 0, sizeof(*info));
	wd_grant_lock();
	info->state = wd_section_state();
	memcpy(info->section, wd_section.name, sizeof(wd_section.name));
	info->sessions = atomic_load(&wd_engine.sessions);
	if (info->state == WD_USER_SECTION || info->state == WD_USER_LOST) {
		memcpy(info->slot, wd_section.slot, sizeof(wd_section.slot));
		info->inherited = wd_section.inherited;
		info->queue_priority = wd_section.queue_priority;
		info->max_extra_ctxs = wd_section.max_extra;
		info->nr_grants = wd_section.nr;
	}
	wd_grant_unlock();
	return 0;
}

int wd_user_grant(unsigned int i, struct wd_user_grant *grant)
{
	__u32 open[2];
	int ret = 0;

	if (!grant)
		return wd_fail(NULL, EINVAL, "grant is NULL");
	wd_section_init();
	wd_fork_now();
	memset(grant, 0, sizeof(*grant));
	wd_grant_lock();
	if (i < wd_section.nr) {
		const struct wd_grant *g = &wd_section.grants[i];

		memcpy(grant->dev_name, g->dev, sizeof(g->dev));
		grant->numa_node = g->node;
		grant->sync_ctxs = g->share[0];
		grant->async_ctxs = g->share[1];
		wd_grant_count(g->dev, open);
		grant->sync_open = open[0];
		grant->async_open = open[1];
	} else {
		ret = wd_fail_num(NULL, ENOENT, "grant %u doesn't exist", i, 0);
	}
	wd_grant_unlock();
	return ret;
}

const char *wd_user_state_str(unsigned int state)
{
	static const char *const names[] = {
		[WD_USER_NONE] = "none",
		[WD_USER_POOL] = "pool",
		[WD_USER_SECTION] = "section",
		[WD_USER_UNPROVISIONED] = "unprovisioned",
		[WD_USER_LOST] = "lost",
		[WD_USER_STOPPED] = "stopped",
	};

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "unknown";
}
