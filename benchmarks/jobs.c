// SPDX-License-Identifier: Apache-2.0
/*
 * OpenSSL's provider: jobs in flight on one thread, and one operation after another, with a key that is there before.
 * By the clock, and the CPU time of the thread that calls.
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
#define CALLER_N	2000
#define CALLER_ROUNDS	3

enum what { DERIVE, SIGN, VERIFY };

/**
 * struct exchange - an operation of one job: ECDH, or a signature
 * @wait:	shows by a descriptor that the job can go on
 */
struct exchange {
	enum what what;
	EVP_PKEY_CTX *ctx;
	ASYNC_JOB *job;
	ASYNC_WAIT_CTX *wait;
	unsigned char result[512];
	size_t len;
};

static const unsigned char digest[32] = { 1, 2, 3 };

static int operate(void *arg)
{
	struct exchange *e = *(struct exchange **)arg;

	if (e->what == VERIFY)
		return EVP_PKEY_verify(e->ctx, e->result, e->len, digest, sizeof(digest));
	e->len = sizeof(e->result);
	if (e->what == SIGN)
		return EVP_PKEY_sign(e->ctx, e->result, &e->len, digest, sizeof(digest));
	return EVP_PKEY_derive(e->ctx, e->result, &e->len);
}

/* Starts the exchange's job, or goes on with it. True: it is over. */
static bool job_step(struct exchange *e)
{
	int ret = 0;

	switch (ASYNC_start_job(&e->job, e->wait, &ret, operate, &e, sizeof(e))) {
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

static unsigned long long (*clock_now)(void) = now_ns;

static unsigned long long many(void *arg, unsigned int n)
{
	struct exchange *all = arg;
	unsigned long long begin = clock_now();
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
	return clock_now() - begin;
}

static unsigned long long one(void *arg, unsigned int n)
{
	struct exchange *e = arg;
	unsigned long long begin = clock_now();
	unsigned int i;

	for (i = 0; i < n / JOBS + 1; i++)
		if (operate(&e) != 1)
			die("an operation of openssl", -EIO);
	return (clock_now() - begin) * n / i;
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
	setenv("WD_OPENSSL_ALGORITHMS", "pkey", 1);
	if (!OSSL_PROVIDER_load(NULL, "default") || !OSSL_PROVIDER_set_default_search_path(NULL, path) ||
	    !OSSL_PROVIDER_load(NULL, "warpdrive"))
		die("the provider", -ENOENT);
}

static EVP_PKEY *key_new(const char *type)
{
	const char *only = "provider=default";

	if (!strcmp(type, "RSA"))
		return EVP_PKEY_Q_keygen(NULL, only, type, (size_t)2048);
	return !strcmp(type, "EC") ? EVP_PKEY_Q_keygen(NULL, only, type, "P-256") : EVP_PKEY_Q_keygen(NULL, only, type);
}

static bool exchange_begin(struct exchange *e, EVP_PKEY *peer)
{
	if (e->what == DERIVE)
		return EVP_PKEY_derive_init(e->ctx) == 1 && EVP_PKEY_derive_set_peer(e->ctx, peer) == 1;
	if (EVP_PKEY_sign_init(e->ctx) != 1 || EVP_PKEY_CTX_set_signature_md(e->ctx, EVP_sha256()) != 1)
		return false;
	if (e->what == SIGN)
		return true;
	e->len = sizeof(e->result);
	return EVP_PKEY_sign(e->ctx, e->result, &e->len, digest, sizeof(digest)) == 1 &&
	       EVP_PKEY_verify_init(e->ctx) == 1 && EVP_PKEY_CTX_set_signature_md(e->ctx, EVP_sha256()) == 1;
}

/* A device that computes nothing makes no good keys: libcrypto makes them. */
static void exchange_open(struct exchange *e, enum what what, const char *type, const char *provider)
{
	EVP_PKEY *key = key_new(type), *peer = key_new(type);

	e->what = what;
	e->ctx = key ? EVP_PKEY_CTX_new_from_pkey(NULL, key, provider) : NULL;
	e->wait = ASYNC_WAIT_CTX_new();
	if (!e->ctx || !peer || !e->wait || !exchange_begin(e, peer))
		die("a key exchange, or a signature", -EINVAL);
	EVP_PKEY_free(key);
	EVP_PKEY_free(peer);
}

static void exchange_close(struct exchange *e)
{
	EVP_PKEY_CTX_free(e->ctx);
	ASYNC_WAIT_CTX_free(e->wait);
	*e = (struct exchange){ 0 };
}

int jobs_rows(int argc, char **argv)
{
	static struct exchange all[JOBS];
	struct pair p;
	int i;

	(void)argc, (void)argv;
	provider_load();
	for (i = 0; i < JOBS; i++)
		exchange_open(&all[i], DERIVE, "EC", "provider=warpdrive");
	p = measure_pair(one, all, many, all, N, ROUNDS);
	row("openssl.async64.us", p.floor / 1000, "us", p.ours / 1000);
	row("openssl.async64.ratio", p.ratio, "x", 0);
	for (i = 0; i < JOBS; i++)
		exchange_close(&all[i]);
	ASYNC_cleanup_thread();
	return 0;
}

/* Alone, and in jobs, beside the default provider. */
static void caller_rows(const char *name, enum what what, const char *type)
{
	static struct exchange all[JOBS], plain;
	char text[64];
	struct pair p;
	int i;

	for (i = 0; i < JOBS; i++)
		exchange_open(&all[i], what, type, "provider=warpdrive");
	exchange_open(&plain, what, type, "provider=default");
	p = measure_pair(one, all, one, &plain, CALLER_N, CALLER_ROUNDS);
	snprintf(text, sizeof(text), "openssl.caller.%s.us", name);
	row(text, p.ours / 1000, "us", p.floor / 1000);
	p = measure_pair(many, all, one, &plain, CALLER_N, CALLER_ROUNDS);
	snprintf(text, sizeof(text), "openssl.caller.%s.jobs.us", name);
	row(text, p.ours / 1000, "us", p.floor / 1000);
	for (i = 0; i < JOBS; i++)
		exchange_close(&all[i]);
	exchange_close(&plain);
}

int jobs_caller_rows(int argc, char **argv)
{
	(void)argc, (void)argv;
	provider_load();
	clock_now = cpu_ns;
	caller_rows("rsa2048-sign", SIGN, "RSA");
	caller_rows("ecdsa-p256-sign", SIGN, "EC");
	caller_rows("ecdsa-p256-verify", VERIFY, "EC");
	caller_rows("ecdh-p256", DERIVE, "EC");
	caller_rows("x25519", DERIVE, "X25519");
	ASYNC_cleanup_thread();
	return 0;
}
