// SPDX-License-Identifier: Apache-2.0
/*
 * OpenSSL's provider: jobs in flight on one thread, and one operation after another, with a key that is there before.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/async.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "bench.h"

#define JOBS	64
#define N	4000
#define ROUNDS	5

/**
 * struct exchange - ECDH of one job
 * @wait:	shows by a descriptor that the job can go on
 */
struct exchange {
	EVP_PKEY_CTX *ctx;
	ASYNC_JOB *job;
	ASYNC_WAIT_CTX *wait;
	unsigned char secret[32];
};

static int derive(void *arg)
{
	struct exchange *e = *(struct exchange **)arg;
	size_t len = sizeof(e->secret);

	return EVP_PKEY_derive(e->ctx, e->secret, &len);
}

/* Starts the exchange's job, or goes on with it. True: it is over. */
static bool job_step(struct exchange *e)
{
	int ret = 0;

	switch (ASYNC_start_job(&e->job, e->wait, &ret, derive, &e, sizeof(e))) {
	case ASYNC_PAUSE:
		return false;
	case ASYNC_FINISH:
		if (ret == 1)
			return true;
	}
	die("a job of openssl", -EIO);
}

static struct pollfd fd_of(const struct exchange *e)
{
	struct pollfd p = { .fd = -1, .events = POLLIN };
	size_t nr = 1;

	if (!ASYNC_WAIT_CTX_get_all_fds(e->wait, NULL, &nr) || nr != 1 ||
	    !ASYNC_WAIT_CTX_get_all_fds(e->wait, &p.fd, &nr))
		die("the descriptor of a job", -ENOENT);
	return p;
}

static unsigned long long many(void *arg, unsigned int n)
{
	struct exchange *all = arg;
	unsigned long long begin = now_ns();
	unsigned int begun = 0, over = 0, i;
	bool runs[JOBS] = { false };
	struct pollfd fds[JOBS];

	while (over < n) {
		for (i = 0; i < JOBS; i++) {
			if (!runs[i] && begun == n)
				continue;
			if (runs[i] && !(fds[i].revents & POLLIN))
				continue;
			begun += !runs[i];
			runs[i] = !job_step(&all[i]);
			over += !runs[i];
			fds[i] = runs[i] ? fd_of(&all[i]) : (struct pollfd){ .fd = -1 };
		}
		for (i = 0; i < JOBS && !runs[i]; i++)
			;
		if (i < JOBS && poll(fds, JOBS, -1) < 0)
			die("poll", -errno);
	}
	return now_ns() - begin;
}

static unsigned long long one(void *arg, unsigned int n)
{
	struct exchange *e = arg;
	unsigned long long begin = now_ns();
	unsigned int i;

	for (i = 0; i < n / JOBS; i++)
		if (derive(&e) != 1)
			die("EVP_PKEY_derive", -EIO);
	return (now_ns() - begin) * JOBS;
}

/* The module lies beside the folder of this program. */
static void provider_load(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);
	int i;

	for (i = 0; n > 0 && i < 2; i++) {
		path[n] = '\0';
		n = strrchr(path, '/') - path;
	}
	strcpy(path + (n > 0 ? n : 0), "/ossl-modules");
	setenv("WD_OPENSSL_DEVICES", "require", 1);
	if (!OSSL_PROVIDER_load(NULL, "default") || !OSSL_PROVIDER_set_default_search_path(NULL, path) ||
	    !OSSL_PROVIDER_load(NULL, "warpdrive"))
		die("the provider", -ENOENT);
}

/* A device that computes nothing makes no good keys: libcrypto makes them. */
static void exchange_open(struct exchange *e)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, "provider=default", "EC", "P-256");
	EVP_PKEY *peer = EVP_PKEY_Q_keygen(NULL, "provider=default", "EC", "P-256");

	e->ctx = key ? EVP_PKEY_CTX_new_from_pkey(NULL, key, "provider=warpdrive") : NULL;
	e->wait = ASYNC_WAIT_CTX_new();
	if (!e->ctx || !peer || !e->wait || EVP_PKEY_derive_init(e->ctx) != 1 ||
	    EVP_PKEY_derive_set_peer(e->ctx, peer) != 1)
		die("a key exchange", -EINVAL);
	EVP_PKEY_free(key);
	EVP_PKEY_free(peer);
}

int jobs_rows(int argc, char **argv)
{
	static struct exchange all[JOBS];
	struct pair p;
	int i;

	(void)argc, (void)argv;
	provider_load();
	for (i = 0; i < JOBS; i++)
		exchange_open(&all[i]);
	p = measure_pair(one, all, many, all, N, ROUNDS);
	row("openssl.async64.us", p.floor / 1000, "us", p.ours / 1000);
	row("openssl.async64.ratio", p.ratio, "x", 0);
	for (i = 0; i < JOBS; i++) {
		EVP_PKEY_CTX_free(all[i].ctx);
		ASYNC_WAIT_CTX_free(all[i].wait);
	}
	ASYNC_cleanup_thread();
	return 0;
}
