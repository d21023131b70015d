/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the benchmarks: clocks, measuring two things in turn, and the printed row. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <wd_comp.h>

#define BYTES		4096	/* bytes of a request, unless a row says otherwise */
#define WINDOW		32
#define ROUNDS_MAX	31
#define STALL_MS	300000	/* only a request that never ends takes this long */

/* --- measure.c --- */

unsigned long long now_ns(void);
/* CPU time of the calling thread. */
unsigned long long cpu_ns(void);
void die(const char *what, int ret) __attribute__((noreturn));

/* One measurement of n requests; returns nanoseconds. */
typedef unsigned long long measure_t(void *arg, unsigned int n);

struct pair {
	double ours;		/* medians, ns per request */
	double floor;
	double ratio;		/* median of the rounds' ratios: a round's halves see the machine in the same state */
};

/* Measures both in turn (A B A B), so that other load on the machine affects both. */
struct pair measure_pair(measure_t *ours, void *ours_arg, measure_t *floor, void *floor_arg, unsigned int n,
			 unsigned int rounds);
double median(double *values, unsigned int n);

/* Prints the floor, and the ratio to it, unless floor is 0. */
void row(const char *name, double value, const char *unit, double floor);

/* --- request.c: requests through libwd_comp --- */

struct client {
	handle_t sess;
	struct wd_comp_arg arg[WINDOW];
	size_t room[WINDOW];
	unsigned int done;
	unsigned char *src, *dst;
};

#define ANY_DEVICE	-1

/* mode: enum wd_comp_op_type; device: number of the only device to use */
void client_open(struct client *c, int mode, int device);
/* A session that compresses. On failure it ends the program with errno's text. */
extern int session_alg;		/* of session_open() */
handle_t session_open(int mode, int level, __u32 flags, int device);
void client_close(struct client *c);
void client_sync(struct client *c, unsigned int n);
void client_async(struct client *c, unsigned int n);
void client_burst(struct client *c, unsigned int n);
/* One in flight: the program polls for it, or sleeps on a completion queue. */
void client_single(struct client *c, unsigned int n);
void client_queue(struct client *c, unsigned int n);
/* n sessions, one after the other, while the client's stays. */
void client_sessions(struct client *c, unsigned int n);

/* --- floor.c: the same requests written into the rings by hand, without a library --- */

struct bare;
struct bare *bare_open(void);
void bare_close(struct bare *b);
/* n requests, window of them in flight, one doorbell for each window. */
void bare_run(struct bare *b, unsigned int n, unsigned int window);
/* The same; returns the time in poll(), in ns. */
unsigned long long bare_run_polls(struct bare *b, unsigned int n, unsigned int window);

/* --- hand.c: requests of SEC and HPRE by hand --- */

struct hand;
/* rsa, dh, cipher, digest, aead, on the device of that engine, which computes nothing. */
struct hand *hand_open(const char *what);
void hand_close(struct hand *h);
/* A measure_t: CPU time without the device's. */
unsigned long long hand_ns(void *hand, unsigned int n);
/*
 * Waits until that device, the only one that the process uses, has finished so many requests more: then each poll finds
 * the same.
 */
void device_finishes(const char *device, unsigned int more);

/* --- text.c --- */

/* Fills the buffer with words like prose: deflate shrinks it to two fifths, the same on every machine. */
void text_fill(unsigned char *to, size_t bytes);

/* --- groups that the runner starts --- */

int null_rows(int argc, char **argv);
int loop(int argc, char **argv);
int zlib_loop(int argc, char **argv);
int poll_rows(int argc, char **argv);
int two_rows(int argc, char **argv);
int throughput(int argc, char **argv);
int waiting(int argc, char **argv);
int heap_rows(int argc, char **argv);
int init_rows(int argc, char **argv);
int session_rows(int argc, char **argv);
int soft_rows(int argc, char **argv);
int verify_rows(int argc, char **argv);
int attach_rows(int argc, char **argv);
int doorbell_rows(int argc, char **argv);
int mediated_rows(int argc, char **argv);
int crypto_rows(int argc, char **argv);
int crypto_heap(int argc, char **argv);
int crypto_null_rows(int argc, char **argv);
int crypto_loop(int argc, char **argv);
int pubkey_rows(int argc, char **argv);
int pubkey_null_rows(int argc, char **argv);
int pubkey_loop(int argc, char **argv);
int jobs_rows(int argc, char **argv);
int jobs_caller_rows(int argc, char **argv);
int zlib_rows(int argc, char **argv);
int zlib_wall(int argc, char **argv);
int zlib_path(int argc, char **argv);
int zlib_small(int argc, char **argv);
int zstd_rows(int argc, char **argv);
int text_print(int argc, char **argv);

#endif
