// SPDX-License-Identifier: Apache-2.0
/*
 * Opens sessions without a lock, which a fork might leave locked: of two threads that open one at the same time, one
 * closes its own again.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <openssl/err.h>
#include <wd_user.h>

#include "class.h"
#include "core/log.h"
#include "core/provider.h"
#include "generation.h"
#include "session.h"

#define RETRY_SECONDS	10

/* A session whose key was freed while a request that nobody waits for is in flight. */
struct busy {
	struct busy *next;
	const struct wdp_class *class;
	handle_t h;
};

static struct busy *_Atomic busy;

int64_t wdp_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

static void busy_add(struct busy *b)
{
	b->next = atomic_load(&busy);
	while (!atomic_compare_exchange_weak(&busy, &b->next, b))
		;
}

static void busy_free(void)
{
	struct busy *b, *next;

	if (!atomic_load_explicit(&busy, memory_order_relaxed))
		return;
	for (b = atomic_exchange(&busy, NULL); b; b = next) {
		next = b->next;
		if (b->class->free(b->h))
			busy_add(b);
		else
			free(b);
	}
}

static void handle_free(const struct wdp_class *class, handle_t h)
{
	struct busy *b;

	if (!class->free(h))
		return;
	b = malloc(sizeof(*b));
	if (!b)
		return;
	*b = (struct busy){ .class = class, .h = h };
	busy_add(b);
}

/*
 * The section is joined by the process that computes, not by the one that loaded the provider. Each thread does it
 * until one has succeeded, since the first session decides where contexts come from.
 */
static void section_join(struct wdp_provider *prov)
{
	unsigned int now = process_generation();
	char why[256];
	int ret;

	if (!prov->config.section[0] || atomic_load(&prov->started) == now)
		return;
	ret = wd_user_start(prov->config.section);
	if (!ret || ret == -EALREADY)
		atomic_store(&prov->started, now);
	else if (wd_error_detail(0, why, sizeof(why)) > 0)
		wdp_log(prov, WDP_LOG_ERRORS, "section %s: %s", prov->config.section, why);
}

static handle_t session_open(const struct wdp_target *to, unsigned int op_type)
{
	char why[256];
	handle_t h;

	busy_free();
	section_join(to->prov);
	ERR_set_mark();
	h = to->make(to, op_type);
	ERR_pop_to_mark();
	if (h)
		return h;
	atomic_store(&to->session->retry[op_type], wdp_seconds() + RETRY_SECONDS);
	if (wd_error_detail(0, why, sizeof(why)) > 0)
		wdp_log(to->prov, WDP_LOG_ALL, "no session of %s: %s", to->class->name, why);
	return 0;
}

static bool is_refused(const struct wdp_session *s, unsigned int op_type)
{
	int64_t retry = atomic_load_explicit(&s->retry[op_type], memory_order_relaxed);

	return retry && wdp_seconds() < retry;
}

handle_t wdp_session_get(const struct wdp_target *to, unsigned int op_type)
{
	_Atomic handle_t *at = &to->session->h[op_type];
	handle_t h = atomic_load(at), mine;

	if (h || is_refused(to->session, op_type))
		return h;
	mine = session_open(to, op_type);
	if (!mine || atomic_compare_exchange_strong(at, &h, mine))
		return mine;
	handle_free(to->class, mine);
	return h;
}

void wdp_session_close(struct wdp_session *s, const struct wdp_class *class)
{
	unsigned int i;
	handle_t h;

	busy_free();
	for (i = 0; i < 2; i++) {
		h = atomic_exchange(&s->h[i], 0);
		atomic_store(&s->retry[i], 0);
		if (h)
			handle_free(class, h);
	}
}
