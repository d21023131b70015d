// SPDX-License-Identifier: Apache-2.0
/*
 * Which section this process is in: begun by the program or by its first
 * session, ended by the program or by the kernel.
 *
 * Locks, outer first:
 *   turn		starting, stopping, a first session: one after the other, also while waiting for a slot
 *   engine.lock	sessions, contexts
 *   grants' lock	(grant.c) the socket's use, what is granted
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "env.h"
#include "section.h"

struct wd_section wd_section = { .socket.fd = -1 };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

/* Why a first session or request found no slot, in words; "" where none was refused. Under the grants' lock. */
static char refusal[WD_ERROR_STR];

/* What a parent had its child gets for itself when it first needs it. */
static void on_fork_child(void)
{
	int state = atomic_load(&wd_section.state);

	pthread_mutex_init(&turn, NULL);
	wd_grant_fork_child();
	wd_section.nr = 0;
	wd_section.inherited = false;
	refusal[0] = '\0';
	if (state != WD_USER_STOPPED)
		atomic_store(&wd_section.state, WD_USER_NONE);
}

void wd_section_init(void)
{
	static struct wd_fork_hook hook = { .child = on_fork_child };

	wd_fork_hook_add(&hook);
}

static bool is_name(const char *name)
{
	size_t len = name ? strlen(name) : 0;

	return len && len <= WD_SECTION_NAME_MAX &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == len;
}

/* With both locks: what is published is complete. */
static void settle(const struct wd_section *a, enum wd_user_state state)
{
	wd_grant_lock();
	strcpy(wd_section.name, a->name);
	strcpy(wd_section.slot, a->slot);
	wd_section.queue_priority = a->queue_priority;
	wd_section.max_extra = a->max_extra;
	wd_section.inherited = a->inherited;
	free(wd_section.grants);
	wd_section.grants = a->grants;
	wd_section.nr = a->nr;
	wd_section.read_at = a->read_at;
	wd_section.no_extra_until = 0;
	wd_section.family = a->family;
	refusal[0] = '\0';
	atomic_store_explicit(&wd_section.state, state, memory_order_release);
	wd_grant_unlock();
}

/* In this thread's turn. A kernel without sections is no failure; it is recorded all the same. */
static int attach(const char *name, __u32 wait_ms)
{
	/* The list of files to close in a child has it by its address. */
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
		wd_fail_str(NULL, EOPNOTSUPP, "section %s isn't in force: this kernel has no sections", name);
	else
		wd_fork_file_add(&wd_section.socket, wd_fork_file_del(&new.socket));
	pthread_mutex_lock(&wd_engine.lock);
	settle(&new, ret ? WD_USER_UNPROVISIONED : WD_USER_SECTION);
	pthread_mutex_unlock(&wd_engine.lock);
	return 0;
}

static int wait_from_env(__u32 *wait_ms)
{
	long ms = 0;
	int ret = wd_env_number("WD_ATTACH_TIMEOUT", 0, INT_MAX, &ms);

	*wait_ms = (__u32)ms;
	return ret;
}

static void begin_turn(int *cancel)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel);
	pthread_mutex_lock(&turn);
}

static void end_turn(int cancel)
{
	pthread_mutex_unlock(&turn);
	pthread_setcancelstate(cancel, NULL);
}

/* --- starting --- */

static int start_over(const char *name)
{
	switch (wd_section_state()) {
	case WD_USER_SECTION:
	case WD_USER_UNPROVISIONED:
		return strcmp(wd_section.name, name) ? wd_fail_str(NULL, EBUSY, "this process is in section %s", wd_section.name) :
		       wd_fail_str(NULL, EALREADY, "section %s", name);
	case WD_USER_POOL:
	case WD_USER_LOST:
		break;
	default:
		return 0;
	}
	pthread_mutex_lock(&wd_engine.lock);
	if (wd_engine.sessions) {
		pthread_mutex_unlock(&wd_engine.lock);
		return wd_fail_all(NULL, EBUSY, "section %s: %u sessions exist that were bound before", name,
				   wd_engine.sessions, 0);
	}
	wd_grant_close_all();
	if (wd_section_state() == WD_USER_LOST)
		close(wd_fork_file_del(&wd_section.socket));
	atomic_store(&wd_section.state, WD_USER_NONE);
	pthread_mutex_unlock(&wd_engine.lock);
	return 0;
}

int wd_section_start(const char *name, __u32 wait_ms)
{
	int saved = errno, cancel, ret;

	if (!is_name(name))
		return wd_fail_str(NULL, EINVAL, "%s: a section's name is 1 to 31 of A-Z a-z 0-9 _ -", name ? name : "NULL");
	wd_engine_init();
	wd_fork_now();
	begin_turn(&cancel);
	ret = start_over(name);
	if (!ret)
		ret = attach(name, wait_ms);
	end_turn(cancel);
	errno = saved;
	return ret;
}

int wd_user_start(const char *section)
{
	__u32 wait_ms;
	int ret = wait_from_env(&wait_ms);

	return ret ? ret : wd_section_start(section, wait_ms);
}

/* --- a first session --- */

int wd_section_usable(void)
{
	switch (wd_section_state()) {
	case WD_USER_LOST:
		return wd_fail_str(NULL, ESHUTDOWN, "section %s: it was shut down, and this process has lost its slot",
				   wd_section.name);
	case WD_USER_STOPPED:
		return wd_fail(NULL, ESHUTDOWN, "the process has stopped using devices (wd_user_stop)");
	default:
		return 0;
	}
}

/* Which section an undecided process is meant for: its parent's, the one it was executed in, the environment's. */
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

	if (wd_section_state() != WD_USER_NONE && wd_section_state() != WD_USER_UNPROVISIONED)
		return wd_section_usable();
	name = section_due(buf);
	if (!name) {
		atomic_store(&wd_section.state, WD_USER_POOL);
		return 0;
	}
	if (!is_name(name))
		return wd_fail_str(NULL, EINVAL, "WD_SECTION is %s: a section's name is 1 to 31 of A-Z a-z 0-9 _ -", name);
	ret = wait ? wait_from_env(&wait_ms) : 0;
	return ret ? ret : attach(name, wait_ms);
}

/* What this thread was told is what the other sessions' threads will ask for. */
static void refusal_keep(void)
{
	char words[WD_ERROR_STR];

	wd_error_detail(0, words, sizeof(words));
	wd_grant_lock();
	strcpy(refusal, words);
	wd_grant_unlock();
}

static int begin_in_turn(bool wait)
{
	int saved = errno, cancel, ret;

	if (wd_section_state() == WD_USER_SECTION || wd_section_state() == WD_USER_POOL)
		return 0;
	begin_turn(&cancel);
	ret = begin(wait);
	if (ret && wd_section_state() == WD_USER_NONE)
		refusal_keep();
	end_turn(cancel);
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

int wd_section_no_device(struct wd_object *obj)
{
	char words[WD_ERROR_STR];

	wd_grant_lock();
	strcpy(words, refusal);
	wd_grant_unlock();
	if (*words && wd_section_state() == WD_USER_NONE)
		return wd_fail_str(obj, ENODEV, "this process has no slot: %s", words);
	return wd_fail(obj, ENODEV, "no device is left for the session");
}

/* --- stopping --- */

static int stop(void)
{
	enum wd_user_state state = wd_section_state();

	if (state == WD_USER_NONE)
		return wd_fail(NULL, ENOTCONN, "nothing was started");
	if (state == WD_USER_STOPPED)
		return wd_section_usable();
	if (wd_engine.sessions)
		return wd_fail_num(NULL, EBUSY, "%u sessions exist", wd_engine.sessions, 0);
	atomic_store(&wd_section.state, WD_USER_STOPPED);
	wd_grant_close_all();
	wd_grant_lock();
	if (state == WD_USER_SECTION || state == WD_USER_LOST)
		wd_detach(&wd_section);
	wd_section.name[0] = '\0';
	wd_section.slot[0] = '\0';
	wd_section.nr = 0;
	wd_grant_unlock();
	return 0;
}

int wd_user_stop(void)
{
	int saved = errno, cancel, ret;

	wd_engine_init();
	wd_fork_now();
	begin_turn(&cancel);
	pthread_mutex_lock(&wd_engine.lock);
	ret = stop();
	pthread_mutex_unlock(&wd_engine.lock);
	end_turn(cancel);
	errno = saved;
	return ret;
}

/* --- inquiry --- */

int wd_user_info(struct wd_user_info *info)
{
	if (!info)
		return wd_fail(NULL, EINVAL, "info is NULL");
	wd_engine_init();
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
	wd_engine_init();
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
		ret = wd_fail_num(NULL, ENOENT, "there is no grant %u", i, 0);
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
