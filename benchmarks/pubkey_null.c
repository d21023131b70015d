// SPDX-License-Identifier: Apache-2.0
/* RSA, DH and ECC on a device that computes nothing: the cost of a request, and loops for counting its instructions. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pubkey.h"

#define ROUNDS		9
#define REQUESTS	3200

static unsigned int finished;

static void r_done(struct wd_rsa_arg *arg, void *param)
{
	(void)param;
	pubkey_need(!arg->status, "a request of RSA");
	finished++;
}

static void d_done(struct wd_dh_arg *arg, void *param)
{
	(void)arg, (void)param;
	finished++;
}

static void e_done(struct wd_ecc_arg *arg, void *param)
{
	(void)param;
	pubkey_need(!arg->status, "a request of ECC");
	finished++;
}

/* Nonces and private values are given, so that making them isn't counted. */
static const struct ecc_loop {
	const char *name;
	int alg, curve;
	__u32 op;
	void *src, *extra;
	__u32 src_len, extra_len;
} ecc_loops[] = {
	{ "ecdsa", WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_ECC_SIGN, pubkey.digest, pubkey.digest, 32, 32 },
	{ "ecdsa-verify", WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_ECC_VERIFY, pubkey.digest, pubkey.sig, 32, 64 },
	{ "ecdh", WD_ECC_ECDH, WD_ECC_SECP256R1, WD_ECC_AGREE, pubkey.ec_point + 1, NULL, 64, 0 },
	{ "x25519", WD_ECC_X25519, 0, WD_ECC_AGREE, pubkey.x_point, NULL, 32, 0 },
};

static const struct ecc_loop *ecc_loop(const char *what)
{
	const struct ecc_loop *l;

	for (l = ecc_loops; l < ecc_loops + sizeof(ecc_loops) / sizeof(ecc_loops[0]); l++)
		if (!strcmp(what, l->name))
			return l;
	return NULL;
}

static int send_one(const char *what, handle_t h, void *room, size_t *len)
{
	const struct ecc_loop *l = ecc_loop(what);
	struct wd_rsa_arg *r = room;
	struct wd_dh_arg *d = room;
	struct wd_ecc_arg *e = room;

	*len = MOST;
	if (!l && *what == 'r') {
		*r = (struct wd_rsa_arg){
			.src = pubkey.in, .src_len = MOST, .dst = pubkey.out, .dst_len = len, .op = WD_RSA_SIGN,
			.cb = r_done
		};
		return wd_rsa_async(h, r, NULL);
	}
	if (!l) {
		*d = (struct wd_dh_arg){ .dst = pubkey.out, .dst_len = len, .op = WD_DH_PUBLIC, .cb = d_done };
		return wd_dh_async(h, d, NULL);
	}
	*e = (struct wd_ecc_arg){
		.src = l->src, .src_len = l->src_len, .op = l->op, .extra = l->extra, .extra_len = l->extra_len,
		.cb = e_done,
	};
	if (l->op != WD_ECC_VERIFY) {
		e->dst = pubkey.out;
		e->dst_len = len;
	}
	return wd_ecc_async(h, e, NULL);
}

/* Finds the key for the loop's session. */
static void signature_make(void)
{
	handle_t h = pubkey_ecc_session(WD_ECC_ECDSA, WD_ECC_SECP256R1, WD_SYNC, WD_SESS_PATH_SOFT);

	pubkey_need(!pubkey_ecc_do(h, WD_ECC_SIGN, pubkey.digest, 32, NULL, 0, pubkey.sig), "a signature");
	wd_ecc_free_sess(h);
}

static handle_t loop_session(const char *what)
{
	const struct ecc_loop *l = ecc_loop(what);

	if (!strcmp(what, "rsa")) {
		pubkey_rsa_make();
		/* No primes: with them the library verifies the result, which this device does not compute. */
		return pubkey_rsa_session(WD_ASYNC, WD_SESS_PATH_HW, false);
	}
	if (!strcmp(what, "rsa-primes")) {
		pubkey_rsa_make();
		return pubkey_rsa_session(WD_ASYNC, WD_SESS_PATH_HW, true);
	}
	if (!strcmp(what, "dh")) {
		pubkey_dh_make();
		return pubkey_dh_session(WD_ASYNC, WD_SESS_PATH_HW);
	}
	if (!l)
		return 0;
	pubkey_ec_make();
	pubkey_x_make();
	if (l->op == WD_ECC_VERIFY)
		signature_make();
	return pubkey_ecc_session(l->alg, l->curve, WD_ASYNC, WD_SESS_PATH_HW);
}

static int loop_poll(const char *what, unsigned int n)
{
	return *what == 'r' ? wd_rsa_poll(n, STALL_MS, NULL) :
	       *what == 'd' ? wd_dh_poll(n, STALL_MS, NULL) : wd_ecc_poll(n, STALL_MS, NULL);
}

/* @n requests in windows. Returns the CPU time of submitting and polling, without the device's time in between. */
static unsigned long long loop_run(const char *what, handle_t h, unsigned int n)
{
	union { struct wd_rsa_arg r; struct wd_dh_arg d; struct wd_ecc_arg e; } args[WINDOW];
	unsigned int until = finished + n, sent = finished, i;
	unsigned long long ns = 0, start;
	size_t len[WINDOW];

	while (sent < until) {
		start = cpu_ns();
		for (i = 0; i < WINDOW; i++)
			pubkey_need(!send_one(what, h, &args[i], &len[i]), "a request");
		ns += cpu_ns() - start;
		sent += WINDOW;
		device_finishes("hisi_hpre-0", WINDOW);
		start = cpu_ns();
		while (finished < sent)
			pubkey_need(loop_poll(what, sent - finished) > 0, "a poll");
		ns += cpu_ns() - start;
	}
	return ns;
}

/* WHAT N: only the loop, for callgrind. */
int pubkey_loop(int argc, char **argv)
{
	unsigned int n = argc == 2 ? (unsigned int)strtoul(argv[1], NULL, 10) : 0;
	handle_t h = n ? loop_session(argv[0]) : 0;

	if (!h) {
		fputs("usage: wd-bench pubkey-loop rsa|rsa-primes|dh|ecdsa|ecdsa-verify|ecdh|x25519 N\n", stderr);
		return 2;
	}
	loop_run(argv[0], h, n);
	return 0;
}

struct null_row {
	const char *what;
	handle_t h;
};

static unsigned long long null_ns(void *arg, unsigned int n)
{
	struct null_row *r = arg;

	return loop_run(r->what, r->h, n);
}

static void null_row(const char *what, measure_t *floor_ns, void *floor)
{
	struct null_row ours = { .what = what, .h = loop_session(what) };
	struct pair p;
	char name[32];

	pubkey_need(ours.h, "a session");
	p = measure_pair(null_ns, &ours, floor_ns, floor, REQUESTS, ROUNDS);
	snprintf(name, sizeof(name), "%s.null.ns", what);
	row(name, p.ours, "ns", p.floor);
}

/* Requests on curves make a nonce or check a point, which RSA doesn't: RSA is their floor. */
int pubkey_null_rows(int argc, char **argv)
{
	struct null_row rsa = { .what = "rsa", .h = loop_session("rsa") };
	static const char *const powers[] = { "rsa", "dh" };
	unsigned int i;

	(void)argc, (void)argv;
	pubkey_need(rsa.h, "a session");
	for (i = 0; i < 2; i++) {
		struct hand *hand = hand_open(powers[i]);

		null_row(powers[i], hand_ns, hand);
		hand_close(hand);
	}
	null_row("ecdsa", null_ns, &rsa);
	null_row("ecdh", null_ns, &rsa);
	return 0;
}
