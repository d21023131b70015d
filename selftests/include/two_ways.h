/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request to a held device by the fast path and by a message, and what both
 * wrote into the ring. The drivers' private headers say where to look: at the
 * ring, its slots, and the memory of a ring index.
 */
#ifndef TWO_WAYS_H
#define TWO_WAYS_H

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "emulated.h"
#include "queue.h"
#include "session.h"
#include "wait_ms.h"

#define WAYS_WORDS	32	/* of 4 bytes in the longest descriptor */
#define WAYS_DEVICES	2

enum ways_call {
	WAYS_SYNC,
	WAYS_ASYNC,
	WAYS_BURST,
};

struct ways_lib {
	int (*sync)(handle_t h, void *req);
	int (*async)(handle_t h, void *req);
	int (*burst)(handle_t h, void *req);
	int (*poll)(__u32 count, unsigned int timeout_ms, const wd_ctx_set_t *set);
};

/* A library's calls, and its callback, which counts. */
#define WAYS_LIB(alg, sync_call) \
static void alg##_ended(struct wd_##alg##_arg *arg, void *count) \
{ \
	(void)arg; \
	++*(unsigned int *)count; \
} \
\
static int alg##_sync(handle_t h, void *req) \
{ \
	return sync_call(h, req); \
} \
\
static int alg##_async(handle_t h, void *req) \
{ \
	return wd_##alg##_async(h, req, NULL); \
} \
\
static int alg##_burst(handle_t h, void *req) \
{ \
	struct wd_##alg##_arg *args[] = { req }; \
	int ret = wd_##alg##_async_burst(h, args, 1, NULL); \
\
	return ret < 0 ? ret : ret != 1; \
} \
\
static const struct ways_lib alg##_lib = { \
	.sync = alg##_sync, .async = alg##_async, .burst = alg##_burst, .poll = wd_##alg##_poll, \
}

/* The variants of the fixture ways. */
#define WAYS_VARIANTS \
FIXTURE_VARIANT(ways) { \
	enum ways_call call; \
}; \
\
FIXTURE_VARIANT_ADD(ways, synchronous) { .call = WAYS_SYNC }; \
FIXTURE_VARIANT_ADD(ways, asynchronous) { .call = WAYS_ASYNC }; \
FIXTURE_VARIANT_ADD(ways, burst) { .call = WAYS_BURST }

static inline int ways_op_type(enum ways_call call)
{
	return call == WAYS_SYNC ? WD_SYNC : WD_ASYNC;
}

/*
 * For a fixture with len[2] and way[2]: both requests, the room for each result, and what to call. Their callbacks
 * count in the test's variable ended.
 */
#define WAYS_BEGIN(alg, h_, arg, room) do { \
	unsigned int i_; \
\
	for (i_ = 0; i_ < 2; i_++) { \
		self->len[i_] = (room); \
		(arg)[i_].dst_len = &self->len[i_]; \
		(arg)[i_].cb = variant->call == WAYS_SYNC ? NULL : alg##_ended; \
		(arg)[i_].cb_param = &ended; \
		self->way[i_] = (struct way){ \
			.lib = &alg##_lib, .call = variant->call, .sess = h_, .req = &(arg)[i_] \
		}; \
	} \
	ended = 0; \
} while (0)

/**
 * struct ways_ref - an address in a descriptor that may point to the memory of the request's ring index
 * @word:	its first word of 4 bytes
 * @bytes:	how many are read there; 0: none, the device writes there
 */
struct ways_ref {
	unsigned int word;
	size_t bytes;
};

/**
 * struct way - a request in flight
 * @over:	the synchronous call has returned
 * @index:	of its slot
 * @text:	what is wrong, or empty
 */
struct way {
	const struct ways_lib *lib;
	enum ways_call call;
	handle_t sess;
	void *req;
	pthread_t thread;
	atomic_bool over;
	unsigned int index;
	__u32 sqe[WAYS_WORDS];
	char text[160];
};

static inline bool ways_control(const char *device, const char *command)
{
	char name[32];
	bool done = true;
	int i;

	for (i = 0; i < WAYS_DEVICES; i++) {
		snprintf(name, sizeof(name), "%s-%d", device, i);
		done &= !emulated_control(name, command);
	}
	return done;
}

static inline struct wd_session *ways_session(handle_t h)
{
	return (struct wd_session *)wd_handle_any(h);
}

/* The session's first context. */
static inline struct wd_queue *ways_queue(handle_t h)
{
	return atomic_load(&ways_session(h)->first);
}

static inline void *way_thread(void *arg)
{
	struct way *w = arg;

	w->lib->sync(w->sess, w->req);
	atomic_store(&w->over, true);
	return NULL;
}

/* It took the path that was asked for. */
static inline bool way_is(const struct way *w, bool fast)
{
	struct wd_slot *slot = &wd_queue_pub(ways_queue(w->sess))->slots[w->index];
	void *req = slot->owner;

	if (w->call == WAYS_SYNC && atomic_load(&slot->state) == WD_SLOT_SYNC)
		req = ((struct wd_msg *)slot->owner)->req;
	return req == w->req && fast == !!(slot->flags & WD_SLOT_FAST);
}

/* Submits the request. Afterwards way_end(), whatever became of it. */
static inline void way_begin(struct way *w, bool fast)
{
	struct wd_ring *ring = &hisi_queue_of(ways_queue(w->sess))->ring;
	struct wd_session *s = ways_session(w->sess);
	__u32 produced = atomic_load(&ring->produced);
	__u8 fast_call = s->fast_call;
	int ms, ret = 0;

	if (!fast)
		s->fast_call = 0;
	if (w->call == WAYS_SYNC)
		pthread_create(&w->thread, NULL, way_thread, w);
	else
		ret = w->call == WAYS_ASYNC ? w->lib->async(w->sess, w->req) : w->lib->burst(w->sess, w->req);
	for (ms = 0; w->call == WAYS_SYNC && ms < WAIT_MS && !atomic_load(&w->over) &&
		     atomic_load(&ring->produced) == produced; ms++)
		poll(NULL, 0, 1);
	s->fast_call = fast_call;
	w->index = produced % ring->sq_depth;
	if (ret || atomic_load(&ring->produced) != produced + 1)
		snprintf(w->text, sizeof(w->text), "nothing was submitted: %d, %.100s", ret, detail(w->sess));
	else if (!way_is(w, fast))
		snprintf(w->text, sizeof(w->text), "did not take the %s", fast ? "fast path" : "slow path");
	memcpy(w->sqe, wd_ring_slot(ring, (__u16)w->index), ring->sqe_size);
}

static inline void way_end(struct way *w)
{
	if (w->call == WAYS_SYNC)
		pthread_join(w->thread, NULL);
}

static inline __u64 ways_address(const struct way *w, unsigned int word)
{
	return (__u64)le32toh(w->sqe[word + 1]) << 32 | le32toh(w->sqe[word]);
}

/* In the memory of the request's ring index. */
static inline bool way_has(const struct way *w, __u64 address, size_t bytes)
{
	const struct hisi_queue *h = hisi_queue_of(ways_queue(w->sess));
	__u64 at = h->scratch ? address - (uintptr_t)hisi_queue_scratch_at(h, w->index) : h->scratch_bytes;

	return at < h->scratch_bytes && bytes <= h->scratch_bytes - at;
}

/* Addresses that differ are as good as equal when the device finds the same there. Returns false when it doesn't. */
static inline bool ways_fold(struct way *a, struct way *b, const struct ways_ref *ref)
{
	__u64 at = ways_address(a, ref->word), bt = ways_address(b, ref->word);

	if (at == bt)
		return true;
	if (!way_has(a, at, ref->bytes) || !way_has(b, bt, ref->bytes))
		return false;
	memset(&a->sqe[ref->word], 0, sizeof(__u64));
	memset(&b->sqe[ref->word], 0, sizeof(__u64));
	return !memcmp((void *)(uintptr_t)at, (void *)(uintptr_t)bt, ref->bytes);
}

/* Compares all words; the tag without its index. The result is in a->text. */
static inline void ways_compare(struct way *a, struct way *b, unsigned int tag, const struct ways_ref *refs,
				unsigned int n)
{
	unsigned int i;

	if (a->text[0] || b->text[0]) {
		if (!a->text[0])
			memcpy(a->text, b->text, sizeof(a->text));
		return;
	}
	a->sqe[tag] = htole32(le32toh(a->sqe[tag]) - a->index);
	b->sqe[tag] = htole32(le32toh(b->sqe[tag]) - b->index);
	for (i = 0; i < n; i++)
		if (!ways_fold(a, b, &refs[i])) {
			snprintf(a->text, sizeof(a->text), "the address in word %u leads to other data", refs[i].word);
			return;
		}
	for (i = 0; i < WAYS_WORDS; i++)
		if (a->sqe[i] != b->sqe[i]) {
			snprintf(a->text, sizeof(a->text), "word %u is %08x by the slow path, %08x by the fast path", i,
				 le32toh(a->sqe[i]), le32toh(b->sqe[i]));
			return;
		}
}

/* What an engine's test says of its descriptors: which addresses to follow in this one. Returns how many. */
typedef unsigned int ways_refs_t(const __u32 *sqe, struct ways_ref refs[4]);

/*
 * Both requests, of the same content, one after the other: the slow path comes first, because what it checked the fast
 * path takes for checked. Empty when both wrote the same. The callbacks count in *ended.
 */
static inline const char *ways_differ(struct way w[2], const char *device, unsigned int tag, ways_refs_t *refs_of,
				      unsigned int *ended)
{
	struct ways_ref refs[4];
	unsigned int n = 0;

	if (!ways_queue(w->sess))
		return "the session has no context";
	if (!ways_control(device, "hold"))
		return "the devices can't be held";
	way_begin(&w[0], false);
	way_begin(&w[1], true);
	if (refs_of && !w[0].text[0])
		n = refs_of(w[0].sqe, refs);
	ways_compare(&w[0], &w[1], tag, refs, n);
	ways_control(device, "release");
	way_end(&w[0]);
	way_end(&w[1]);
	while (w->call != WAYS_SYNC && *ended < 2 && w->lib->poll(2, WAIT_MS, NULL) > 0)
		;
	return w[0].text;
}

#endif
