// SPDX-License-Identifier: Apache-2.0
/*
 * One large input to one file by several threads: each compresses parts of a raw deflate stream, or whole frames, on
 * whatever device its session has, and the main thread reads, writes them in order, and adds header and trailer.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libdeflate.h>

#include "wdzip.h"

#define PARTS_PER_THREAD 2	/* one that is compressed, one that waits for its turn in the output */
#define PART_MOST (2U << 20)
#define FRAME_BYTES (4U << 20)	/* a block of LZ4, and some windows of zstd's lower levels */
#define FRAME_BYTES_BEST (16U << 20)
#define LEVEL_BEST 10		/* of zstd, from which on windows are larger */

#define LEAST_BYTES (32U << 10)
#define HASHED_BYTES 64
#define HASH_BITS 15
#define HASH_FACTOR 0x9e3779b97f4a7c15ULL	/* an odd number that mixes all bits into the highest */

/* ret is valid when done. */
struct part {
	unsigned char *in, *out;
	size_t in_len, out_len;
	bool done;
	int ret;
	handle_t sess;
	__u16 path, path_reason;
};

/**
 * struct crew - the threads of one input, and the ring of parts between them and the main thread
 * @filled:	parts that the main thread has read, since the beginning; the three numbers are counted on for ever
 * @taken:	parts that threads have taken
 * @written:	parts that the main thread has written
 * @idle:	threads that wait for a part
 * @part:	bytes that a part has at most
 * @out:	room for its result
 * @ahead:	what was read and is in no part yet; the main thread's, as is @eof
 * @sum, @total: the trailer's checksum and length of the data read so far; the main thread's
 */
struct crew {
	struct job *job;
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct part *parts;
	unsigned int nr_parts;
	size_t part, out;
	unsigned long filled, taken, written;
	unsigned int idle;
	bool stop, eof;
	unsigned char *ahead;
	size_t ahead_len;
	struct hand {
		pthread_t thread;
		struct crew *crew;
		handle_t sess;
	} hands[THREADS_MAX];
	unsigned int nr_hands;
	__u32 sum;
	__u64 total;
};

static struct part *part_at(struct crew *c, unsigned long n)
{
	return &c->parts[n % c->nr_parts];
}

/* The next part to compress, or NULL at the end. */
static struct part *part_take(struct crew *c)
{
	struct part *p = NULL;

	pthread_mutex_lock(&c->lock);
	while (!c->stop && c->taken == c->filled) {
		c->idle++;
		pthread_cond_wait(&c->work, &c->lock);
		c->idle--;
	}
	if (!c->stop)
		p = part_at(c, c->taken++);
	pthread_mutex_unlock(&c->lock);
	return p;
}

/* libwd does again what a device has lost, but not what it is late with. */
static void part_compress(const struct crew *c, handle_t sess, struct part *p)
{
	const struct settings *set = c->job->set;
	struct wd_comp_arg arg = {
		.src = p->in, .src_len = p->in_len, .dst = p->out, .dst_len = &p->out_len,
		.flags = formats[set->format].framed ? 0 : WD_COMP_PART,
	};

	p->out_len = c->out;
	p->ret = wd_compress(sess, &arg);
	if (p->ret == -ETIMEDOUT && session_late(set)) {
		sess = session_late(set);
		p->out_len = c->out;
		p->ret = wd_compress(sess, &arg);
	}
	p->sess = sess;
	p->path = arg.path;
	p->path_reason = arg.path_reason;
}

static void *hand_work(void *arg)
{
	struct hand *h = arg;
	struct crew *c = h->crew;
	struct part *p;

	while ((p = part_take(c))) {
		part_compress(c, h->sess, p);
		pthread_mutex_lock(&c->lock);
		p->done = true;
		pthread_cond_signal(&c->done);
		pthread_mutex_unlock(&c->lock);
	}
	return NULL;
}

/* For a part that waits, if there may be more threads. Signals are the main thread's. */
static void hand_add(struct crew *c)
{
	struct hand *h = &c->hands[c->nr_hands];
	sigset_t all, old;

	if (c->nr_hands == c->job->set->threads)
		return;
	h->crew = c;
	h->sess = session_of_thread(c->job->set, c->nr_hands);
	if (!h->sess)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (!pthread_create(&h->thread, NULL, hand_work, h))
		c->nr_hands++;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Where no thread can be had, the main thread does the work itself. */
static void part_publish(struct crew *c, size_t len)
{
	struct part *p = part_at(c, c->filled);
	bool waits;

	p->in_len = len;
	p->done = false;
	if (c->job->format == WD_GZIP)
		c->sum = libdeflate_crc32(c->sum, p->in, len);
	else if (c->job->format == WD_ZLIB)
		c->sum = libdeflate_adler32(c->sum, p->in, len);
	c->total += len;
	pthread_mutex_lock(&c->lock);
	waits = ++c->filled - c->taken > c->idle;
	pthread_cond_signal(&c->work);
	pthread_mutex_unlock(&c->lock);
	if (waits)
		hand_add(c);
	if (c->nr_hands)
		return;
	p = part_take(c);
	part_compress(c, session_of_thread(c->job->set, 0), p);
	p->done = true;
}

/* The part that is due in the output, once it is compressed. */
static int part_write(struct crew *c)
{
	struct part *p = part_at(c, c->written);
	struct job *job = c->job;

	pthread_mutex_lock(&c->lock);
	while (!p->done)
		pthread_cond_wait(&c->done, &c->lock);
	pthread_mutex_unlock(&c->lock);
	job->sess = p->sess;
	job->path = p->path;
	job->path_reason = p->path_reason;
	job->paths |= 1u << p->path;
	if (p->ret)
		return p->ret;
	if (header_write(job, p->out, p->out_len))
		return 1;
	c->written++;
	job->in_bytes += p->in_len;
	progress_update(job);
	return 0;
}

/* RFC 1950: a window of 32 KiB, and how slow the level is. */
static int zlib_head_put(struct job *job)
{
	unsigned char head[2] = { 0x78, (unsigned char)((job->set->level + 1) / 3 << 6) };

	head[1] += 31 - (head[0] << 8 | head[1]) % 31;
	return io_write(job, head, sizeof(head)) ? 1 : 0;
}

static int head_put(struct job *job)
{
	unsigned char head[HEADER_BYTES] = { 0x1f, 0x8b, 8, [9] = 3 };

	if (job->format != WD_GZIP)
		return job->format == WD_ZLIB ? zlib_head_put(job) : 0;
	head[8] = job->set->level == 9 ? 2 : job->set->level == 1 ? 4 : 0;
	return header_write(job, head, sizeof(head)) ? 1 : 0;
}

/* A final block without data; gzip: the checksum and the length, least significant byte first; zlib: the former. */
static int trailer_put(const struct crew *c)
{
	unsigned char end[10] = { 0x03, 0x00 };
	unsigned int i;

	if (formats[c->job->format].framed)
		return 0;
	if (c->job->format == WD_ZLIB) {
		for (i = 0; i < 4; i++)
			end[2 + i] = c->sum >> 8 * (3 - i) & 0xff;
		return io_write(c->job, end, 6) ? 1 : 0;
	}
	for (i = 0; i < 4; i++) {
		end[2 + i] = c->sum >> 8 * i & 0xff;
		end[6 + i] = c->total >> 8 * i & 0xff;
	}
	return header_write(c->job, end, sizeof(end)) ? 1 : 0;
}

/*
 * With --rsyncable a part ends where the last 64 bytes say so, and the result of unchanged data is unchanged: 64 KiB on
 * average, half of it at least.
 */
static size_t part_len(const struct settings *set, const unsigned char *at, size_t len)
{
	size_t i = LEAST_BYTES - HASHED_BYTES;
	uint64_t recent = 0;

	for (; set->rsyncable && i < len; i++) {
		recent = (recent << 1) + at[i] + 1;
		if (i >= LEAST_BYTES && recent * HASH_FACTOR >> (64 - HASH_BITS) == 0)
			return i;
	}
	return len;
}

/* Return: bytes of the next part, 0 at the end, or -errno. */
static ssize_t part_read(struct crew *c, unsigned char *in)
{
	size_t have = c->ahead_len, len;
	ssize_t got = 0;

	memcpy(in, c->ahead, have);
	if (have < c->part && !c->eof) {
		got = io_read(c->job->in, in + have, c->part - have);
		if (got < 0)
			return got;
		c->eof = got < (ssize_t)(c->part - have);
	}
	have += got;
	len = part_len(c->job->set, in, have);
	c->ahead_len = have - len;
	memcpy(c->ahead, in + len, c->ahead_len);
	return len;
}

static int crew_run(struct crew *c)
{
	struct job *job = c->job;
	bool last = false;
	ssize_t got;
	int ret = head_put(job);

	while (!ret && (!last || c->written != c->filled)) {
		if (last || c->filled - c->written == c->nr_parts) {
			ret = part_write(c);
			continue;
		}
		got = part_read(c, part_at(c, c->filled)->in);
		if (got < 0) {
			complain(job->name, "read: %s", strerror(-got));
			return 1;
		}
		last = c->eof && !c->ahead_len;
		if (got)
			part_publish(c, (size_t)got);
	}
	return ret ? ret : trailer_put(c);
}

static void crew_end(struct crew *c)
{
	unsigned int i;

	pthread_mutex_lock(&c->lock);
	c->stop = true;
	pthread_cond_broadcast(&c->work);
	pthread_mutex_unlock(&c->lock);
	for (i = 0; i < c->nr_hands; i++)
		pthread_join(c->hands[i].thread, NULL);
	for (i = 0; c->parts && i < c->nr_parts; i++) {
		free(c->parts[i].in);
		free(c->parts[i].out);
	}
	free(c->parts);
	free(c->ahead);
	pthread_cond_destroy(&c->done);
	pthread_cond_destroy(&c->work);
	pthread_mutex_destroy(&c->lock);
}

/* Software makes shorter results of longer parts. The number of threads changes no result, so each may have a part. */
static size_t part_bytes(const struct job *job)
{
	size_t fair = (size_t)job->stat.st_size / THREADS_MAX;

	if (formats[job->format].framed && !job->set->rsyncable)
		return job->format == WD_ZSTD && job->set->level >= LEVEL_BEST ? FRAME_BYTES_BEST : FRAME_BYTES;
	if (!job->set->software || job->set->rsyncable || !S_ISREG(job->stat.st_mode) || fair < PIECE_BYTES)
		return PIECE_BYTES;
	return fair < PART_MOST ? fair : PART_MOST;
}

static int parts_alloc(struct crew *c)
{
	unsigned int i;

	c->part = part_bytes(c->job);
	c->out = c->part + c->part / 8 + 4096;	/* wd_comp_bound() is less */
	c->ahead = malloc(c->part);
	c->parts = calloc(c->nr_parts, sizeof(*c->parts));
	for (i = 0; c->parts && i < c->nr_parts; i++) {
		c->parts[i].in = malloc(c->part);
		c->parts[i].out = malloc(c->out);
		if (!c->parts[i].in || !c->parts[i].out)
			return -ENOMEM;
	}
	return c->ahead && c->parts ? 0 : -ENOMEM;
}

int parts_compress(struct job *job, const void *first, size_t len)
{
	struct crew c = {
		.job = job, .nr_parts = PARTS_PER_THREAD * job->set->threads, .sum = job->format == WD_ZLIB,
	};
	int ret;

	pthread_mutex_init(&c.lock, NULL);
	pthread_cond_init(&c.work, NULL);
	pthread_cond_init(&c.done, NULL);
	ret = parts_alloc(&c);
	if (!ret) {
		memcpy(c.ahead, first, len);
		c.ahead_len = len;
		c.eof = len < PIECE_BYTES;
		ret = crew_run(&c);
	}
	crew_end(&c);
	return ret;
}
