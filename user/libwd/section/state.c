// SPDX-License-Identifier: Apache-2.0
/*
 * The process' section, or why it is in none; read before a context is opened, written
 * in turns.
 *
 * Locks, outer first:
 *   turn		starting, stopping, a first session: one at a time, also while waiting for a slot
 *   engine.lock	sessions, contexts
 *   grants' lock	the socket's use, what is granted, who holds a place; after all locks of a context that is to be
 *		opened; left while a device is asked to open or close
 *   refusal_lock	words; inside all others
 */
#include <stdlib.h>
#include <string.h>

#include "section/section.h"

struct wd_section wd_section = { .socket.fd = -1 };

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t grants_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t let_go = PTHREAD_COND_INITIALIZER;

/* The text of why a first session or request found no slot; "" when none was refused. */
static char refusal[WD_ERROR_STR];
static pthread_mutex_t refusal_lock = PTHREAD_MUTEX_INITIALIZER;

/* The process itself chose to take its contexts from the pool. */
static _Atomic bool pool_chosen;

/*
 * The errno when the process asked for a section and didn't get it, else 0. Until it decides otherwise the process may
 * open no context, and refusal says why.
 */
static _Atomic int refused_with;

/* A child gets its own section or pool when it first needs a device. */
static void on_fork_child(void)
{
	int state = atomic_load(&wd_section.state);

	pthread_mutex_init(&turn, NULL);
	pthread_mutex_init(&refusal_lock, NULL);
	pthread_mutex_init(&grants_lock, NULL);
	pthread_cond_init(&let_go, NULL);
	wd_section.nr = 0;
	wd_section.inherited = wd_section.joined = false;
	if (!atomic_load(&refused_with))
		refusal[0] = '\0';
	if (state != WD_USER_STOPPED && !(state == WD_USER_POOL && atomic_load(&pool_chosen)))
		atomic_store(&wd_section.state, WD_USER_NONE);
}

static void hook_init(void)
{
	static struct wd_fork_hook hook = { .child = on_fork_child };

	wd_table_init();
	wd_fork_hook_add(&hook);
}

void wd_section_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, hook_init);
}

void wd_grant_lock(void)
{
	pthread_mutex_lock(&grants_lock);
}

void wd_grant_unlock(void)
{
	pthread_mutex_unlock(&grants_lock);
}

void wd_grant_wait(void)
{
	pthread_cond_wait(&let_go, &grants_lock);
}

void wd_grant_wake(void)
{
	pthread_cond_broadcast(&let_go);
}

static void refusal_set(const char *words, int err)
{
	pthread_mutex_lock(&refusal_lock);
	strcpy(refusal, words);
	atomic_store(&refused_with, err);
	pthread_mutex_unlock(&refusal_lock);
}

static void refusal_get(char words[WD_ERROR_STR])
{
	pthread_mutex_lock(&refusal_lock);
	strcpy(words, refusal);
	pthread_mutex_unlock(&refusal_lock);
}

void wd_section_turn_begin(int *cancel)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, cancel);
	pthread_mutex_lock(&turn);
}

void wd_section_turn_end(int cancel)
{
	pthread_mutex_unlock(&turn);
	pthread_setcancelstate(cancel, NULL);
}

/* The state is published last, when the rest is complete. */
void wd_section_settle(const struct wd_section *a, enum wd_user_state state)
{
	wd_grant_lock();
	strcpy(wd_section.name, a->name);
	strcpy(wd_section.slot, a->slot);
	wd_section.queue_priority = a->queue_priority;
	wd_section.max_extra = a->max_extra;
	wd_section.inherited = a->inherited;
	wd_section.joined = a->joined;
	wd_fork_block();
	free(wd_section.grants);
	wd_section.grants = a->grants;
	wd_section.nr = a->nr;
	wd_fork_unblock();
	wd_section.read_at = a->read_at;
	wd_section.no_extra_until = 0;
	wd_section.family = a->family;
	refusal_set("", 0);
	atomic_store_explicit(&wd_section.state, state, memory_order_release);
	wd_grant_unlock();
}

void wd_section_choose_pool(void)
{
	static const struct wd_section none;

	atomic_store(&pool_chosen, true);
	wd_section_settle(&none, WD_USER_POOL);
}

void wd_section_default_pool(void)
{
	atomic_store(&pool_chosen, false);
	atomic_store(&wd_section.state, WD_USER_POOL);
}

void wd_section_refusal_keep(int err)
{
	char words[WD_ERROR_STR];

	wd_error_detail(0, words, sizeof(words));
	refusal_set(words, err);
}

void wd_section_refusal_clear(void)
{
	refusal_set("", 0);
}

bool wd_section_refused(void)
{
	return atomic_load(&refused_with);
}

/* The text ends with the errno's own, which wd_fail_str() appends again: cut it off. */
static int refused(int err)
{
	char words[WD_ERROR_STR], own[64], *end;

	refusal_get(words);
	end = strstr(words, strerror_r(err, own, sizeof(own)));
	if (end && end >= words + 2)
		end[-2] = '\0';
	return wd_fail_str(NULL, err, "%s", words);
}

int wd_section_usable(void)
{
	int err;

	switch (wd_section_state()) {
	case WD_USER_NONE:
		err = atomic_load(&refused_with);
		return err ? refused(err) : 0;
	case WD_USER_LOST:
		return wd_fail_str(NULL, ESHUTDOWN, "section %s: it was shut down, and this process lost its slot",
				   wd_section.name);
	case WD_USER_STOPPED:
		return wd_fail(NULL, ESHUTDOWN, "the process has stopped using devices (wd_user_stop)");
	default:
		return 0;
	}
}

int wd_section_no_device(struct wd_object *obj)
{
	char words[WD_ERROR_STR];

	refusal_get(words);
	if (*words && wd_section_state() == WD_USER_NONE)
		return wd_fail_str(obj, ENODEV, "this process has no slot: %s", words);
	return wd_fail(obj, ENODEV, "no device is left for the session");
}
