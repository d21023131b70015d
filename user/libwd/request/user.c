// SPDX-License-Identifier: Apache-2.0
/* Starts and stops the process' use of devices, in a section or from the pool. */
#include <string.h>
#include <unistd.h>

#include "request/core.h"
#include "section/section.h"

/* --- starting --- */

/*
 * Returns how many sessions may use devices. If there is none, sets the state and closes all open contexts, without the
 * engine's lock: a device may be slow to stop, and other threads' sessions on the software path don't wait for it. In
 * the new state no context is opened.
 */
static unsigned int contexts_give_up(enum wd_user_state state)
{
	unsigned int sessions;

	pthread_mutex_lock(&wd_engine.lock);
	sessions = wd_engine.sessions;
	if (!sessions) {
		atomic_store(&wd_section.closing, true);
		atomic_store(&wd_section.state, state);
	}
	pthread_mutex_unlock(&wd_engine.lock);
	if (!sessions) {
		wd_evict_all();
		atomic_store(&wd_section.closing, false);
	}
	return sessions;
}

/* name NULL: the pool. */
static int start_over(const char *name)
{
	enum wd_user_state state = wd_section_state();
	unsigned int sessions;

	switch (state) {
	case WD_USER_SECTION:
	case WD_USER_UNPROVISIONED:
		return !name || strcmp(wd_section.name, name) ?
		       wd_fail_str(NULL, EBUSY, "this process is in section %s", wd_section.name) :
		       wd_fail_str(NULL, EALREADY, "section %s", name);
	case WD_USER_POOL:
		if (!name)
			return wd_fail(NULL, EALREADY, "this process takes its contexts from the pool");
		break;
	case WD_USER_LOST:
		break;
	default:
		return 0;
	}
	/* A thread that needs a device from now on waits for its turn, and finds the new section. */
	sessions = contexts_give_up(WD_USER_NONE);
	if (sessions)
		return wd_fail_all(NULL, EBUSY, "section %s: %u sessions exist that were bound before",
				   name ? name : "none", sessions, 0);
	if (state == WD_USER_LOST)
		close(wd_fork_file_del(&wd_section.socket));
	return 0;
}

static int start_pool(void)
{
	int ret = start_over(NULL);

	if (ret)
		return ret;
	pthread_mutex_lock(&wd_engine.lock);
	wd_section_choose_pool();
	pthread_mutex_unlock(&wd_engine.lock);
	return 0;
}

static int start_named(const char *name, __u32 wait_ms, bool held)
{
	int ret;

	if (!wd_section_is_name(name))
		return wd_fail_str(NULL, EINVAL, "%s: a section's name is 1 to 31 of A-Z a-z 0-9 _ -",
				   name ? name : "NULL");
	ret = start_over(name);
	return ret ? ret : wd_section_enter(name, wait_ms, held);
}

static int start(const char *name, bool held)
{
	__u32 wait_ms = 0;
	/* A slot that must be held is requested without waiting. */
	int ret = held ? 0 : wd_section_wait_ms(&wait_ms);

	if (!ret)
		ret = name || held ? start_named(name, wait_ms, held) : start_pool();
	/* A process that asked for a section and was refused isn't served from the pool. */
	if (ret && wd_section_state() == WD_USER_NONE)
		wd_section_refusal_keep(-ret);
	return ret;
}

static int start_in_turn(const char *name, bool held)
{
	int saved = errno, cancel, ret;

	wd_section_init();
	wd_fork_now();
	wd_section_turn_begin(&cancel);
	ret = start(name, held);
	wd_section_turn_end(cancel);
	errno = saved;
	return ret;
}

int wd_section_start_held(const char *name)
{
	return start_in_turn(name, true);
}

int wd_user_start(const char *section)
{
	return start_in_turn(section, false);
}

/* --- stopping --- */

static int may_stop(void)
{
	if (wd_section_state() == WD_USER_NONE && !wd_section_refused())
		return wd_fail(NULL, ENOTCONN, "nothing was started");
	return wd_section_state() == WD_USER_STOPPED ? wd_section_usable() : 0;
}

static int stop_idle(void)
{
	enum wd_user_state state = wd_section_state();
	unsigned int sessions;
	int ret = may_stop();

	if (ret)
		return ret;
	sessions = contexts_give_up(WD_USER_STOPPED);
	if (sessions)
		return wd_fail_num(NULL, EBUSY, "%u sessions exist", sessions, 0);
	wd_section_leave(state);
	return 0;
}

/* Ends all contexts on devices. A context isn't reused while sessions of the era that has ended are bound to it. */
static void contexts_end(void)
{
	unsigned int nr, i;

	/* A context that is being opened is opened first. */
	wd_grant_lock();
	while (wd_grant_moving(NULL))
		wd_grant_wait();
	wd_grant_unlock();
	pthread_mutex_lock(&wd_engine.lock);
	nr = atomic_load(&wd_engine.nr);
	for (i = 0; i < nr; i++)
		wd_engine.queue[i]->ended = wd_engine.queue[i]->users;
	pthread_mutex_unlock(&wd_engine.lock);
	for (i = 0; i < nr; i++)
		if (wd_engine.queue[i]->pub.path != WD_PATH_SOFT)
			wd_queue_end(wd_engine.queue[i]);
}

/* Once the state has changed, wd_section_usable() and the sessions' era keep contexts from being opened. */
static int stop_all(void)
{
	enum wd_user_state state;
	int ret;

	pthread_mutex_lock(&wd_engine.lock);
	state = wd_section_state();
	ret = may_stop();
	if (!ret) {
		atomic_store(&wd_section.state, WD_USER_STOPPED);
		atomic_store(&wd_engine.sessions, 0);
		wd_engine.era++;
	}
	pthread_mutex_unlock(&wd_engine.lock);
	if (ret)
		return ret;
	contexts_end();
	wd_section_leave(state);
	return 0;
}

static void begin_stop(int *cancel)
{
	wd_section_init();
	wd_fork_now();
	wd_section_turn_begin(cancel);
}

int wd_user_stop(void)
{
	int saved = errno, cancel, ret;

	begin_stop(&cancel);
	ret = stop_idle();
	wd_section_turn_end(cancel);
	errno = saved;
	return ret;
}

int wd_section_stop_all(void)
{
	int saved = errno, cancel, ret;

	begin_stop(&cancel);
	ret = stop_all();
	wd_section_turn_end(cancel);
	errno = saved;
	return ret;
}
