// SPDX-License-Identifier: Apache-2.0
/* What is known of the program's contexts, by their addresses. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "context.h"

#define ROWS	256

static struct wds_context *rows[ROWS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct wds_context **row_of(const ZSTD_CCtx *c)
{
	uintptr_t n = (uintptr_t)c;

	return &rows[(n >> 4 ^ n >> 12) % ROWS];
}

/* A child of fork() must not find the lock held by a thread that it doesn't have. */
static void lock_take(void)
{
	pthread_mutex_lock(&lock);
}

static void lock_give(void)
{
	pthread_mutex_unlock(&lock);
}

static __attribute__((constructor)) void start(void)
{
	pthread_atfork(lock_take, lock_give, lock_give);
}

static struct wds_context *find(const ZSTD_CCtx *c)
{
	struct wds_context *x = *row_of(c);

	while (x && x->c != c)
		x = x->next;
	return x;
}

struct wds_context *wds_context_of(const ZSTD_CCtx *c, bool make)
{
	struct wds_context *x;

	pthread_mutex_lock(&lock);
	x = find(c);
	if (!x && make) {
		x = calloc(1, sizeof(*x));
		if (x) {
			x->c = c;
			x->next = *row_of(c);
			*row_of(c) = x;
		}
	}
	pthread_mutex_unlock(&lock);
	return x;
}

void wds_context_forget(const ZSTD_CCtx *c)
{
	struct wds_context **at, *x = NULL;

	pthread_mutex_lock(&lock);
	for (at = row_of(c); *at && (*at)->c != c; at = &(*at)->next)
		;
	if (*at) {
		x = *at;
		*at = x->next;
	}
	pthread_mutex_unlock(&lock);
	free(x);
}
