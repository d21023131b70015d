// SPDX-License-Identifier: Apache-2.0
/*
 * The public-key work of many TLS-like handshakes at once, both sides, with one thread: key shares, the server's
 * signature over them and its verification, the shared secret. Each callback starts its handshake's next step.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wd_digest.h>
#include <wd_ecc.h>

#define HANDSHAKES 200
#define POLL_MS 10000
#define W 32 /* bytes of a number of P-256 */

enum step { CLIENT_SHARE, SERVER_SHARE, SIGN, VERIFY, SERVER_SECRET, CLIENT_SECRET, DONE };

struct handshake {
	struct wd_ecc_arg arg;
	size_t len;
	enum step step;
	unsigned char client[3 * W], server[3 * W]; /* a public point, and its private key */
	unsigned char transcript[32], signature[2 * W];
	unsigned char client_secret[W], server_secret[W];
};

static handle_t agree_sess, sign_sess, hash_sess;
static struct handshake *waiting[HANDSHAKES]; /* submits that found no room */
static unsigned int nr_waiting, over, failed;
static unsigned int paths[4];

/* The data that both sides have seen of each other. */
static int hash_transcript(struct handshake *h)
{
	unsigned char seen[4 * W];
	size_t len = sizeof(h->transcript);
	struct wd_digest_arg arg = { .src = seen, .src_len = sizeof(seen), .dst = h->transcript, .dst_len = &len };

	memcpy(seen, h->client, 2 * W);
	memcpy(seen + 2 * W, h->server, 2 * W);
	return wd_digest_sync(hash_sess, &arg);
}

static void on_done(struct wd_ecc_arg *arg, void *param);

static void operation(struct handshake *h, int op, void *src, size_t src_len, void *extra, size_t extra_len, void *dst,
		      size_t room)
{
	h->len = room;
	h->arg = (struct wd_ecc_arg){
		.op = op,
		.src = src,
		.src_len = src_len,
		.extra = extra,
		.extra_len = extra_len,
		.dst = dst,
		.dst_len = dst ? &h->len : NULL,
		.cb = on_done,
		.cb_param = h,
	};
}

static void prepare(struct handshake *h)
{
	switch (h->step) {
	case CLIENT_SHARE:
		operation(h, WD_ECC_KEYGEN, NULL, 0, NULL, 0, h->client, sizeof(h->client));
		break;
	case SERVER_SHARE:
		operation(h, WD_ECC_KEYGEN, NULL, 0, NULL, 0, h->server, sizeof(h->server));
		break;
	case SIGN:
		operation(h, WD_ECC_SIGN, h->transcript, 32, NULL, 0, h->signature, sizeof(h->signature));
		break;
	case VERIFY:
		operation(h, WD_ECC_VERIFY, h->transcript, 32, h->signature, sizeof(h->signature), NULL, 0);
		break;
	case SERVER_SECRET:
		operation(h, WD_ECC_AGREE, h->client, 2 * W, h->server + 2 * W, W, h->server_secret, W);
		break;
	default:
		operation(h, WD_ECC_AGREE, h->server, 2 * W, h->client + 2 * W, W, h->client_secret, W);
	}
}

static void finish(struct handshake *h, int status)
{
	over++;
	if (status || memcmp(h->client_secret, h->server_secret, W))
		failed++;
	explicit_bzero(h->client + 2 * W, W);
	explicit_bzero(h->server + 2 * W, W);
}

static void start(struct handshake *h)
{
	handle_t sess = h->step == SIGN || h->step == VERIFY ? sign_sess : agree_sess;
	int ret;

	prepare(h);
	ret = wd_ecc_async(sess, &h->arg, NULL);
	if (ret == -EBUSY)
		waiting[nr_waiting++] = h; /* not lost: started again when others have ended */
	else if (ret)
		finish(h, ret);
}

/* Runs inside wd_ecc_poll(), in the thread that polls. */
static void on_done(struct wd_ecc_arg *arg, void *param)
{
	struct handshake *h = param;
	int status = arg->status;

	paths[arg->path]++;
	h->step++;
	if (!status && h->step == SIGN)
		status = hash_transcript(h);
	if (status || h->step == DONE)
		finish(h, status);
	else
		start(h);
}

static int run(struct handshake *all)
{
	unsigned int i, n;
	int ret;

	for (i = 0; i < HANDSHAKES; i++)
		start(&all[i]);
	while (over < HANDSHAKES) {
		ret = wd_ecc_poll(1, POLL_MS, NULL);
		if (ret < 0)
			return ret;
		for (n = nr_waiting; n; n--)
			start(waiting[--nr_waiting]);
	}
	return 0;
}

/* The server's key: here a new one; a server would read it from a file. */
static int set_server_key(void)
{
	struct wd_ecc_sess_setup setup = { .alg = WD_ECC_ECDSA, .curve = WD_ECC_SECP256R1, .op_type = WD_SYNC };
	unsigned char pair[3 * W];
	size_t len = sizeof(pair);
	struct wd_ecc_arg arg = { .op = WD_ECC_KEYGEN, .dst = pair, .dst_len = &len };
	struct wd_ecc_key key = { .x = { pair, W }, .y = { pair + W, W }, .d = { pair + 2 * W, W } };
	handle_t h = wd_ecc_alloc_sess(&setup, NULL);
	int ret = h ? wd_ecc_sync(h, &arg) : -errno;

	if (!ret)
		ret = wd_ecc_set_key(sign_sess, &key);
	explicit_bzero(pair, sizeof(pair));
	wd_ecc_free_sess(h);
	return ret;
}

int main(void)
{
	struct wd_ecc_sess_setup agree = { .alg = WD_ECC_ECDH, .curve = WD_ECC_SECP256R1, .op_type = WD_ASYNC };
	struct wd_ecc_sess_setup sign = { .alg = WD_ECC_ECDSA, .curve = WD_ECC_SECP256R1, .op_type = WD_ASYNC };
	struct wd_digest_sess_setup hash = { .alg = WD_DIGEST_SHA256, .mode = WD_DIGEST_NORMAL, .op_type = WD_SYNC };
	struct handshake *all = calloc(HANDSHAKES, sizeof(*all));
	int ret;

	agree_sess = wd_ecc_alloc_sess(&agree, NULL);
	sign_sess = wd_ecc_alloc_sess(&sign, NULL);
	hash_sess = wd_digest_alloc_sess(&hash, NULL);
	if (!all || !agree_sess || !sign_sess || !hash_sess) {
		fprintf(stderr, "handshakes: %s\n", wd_status_str(-errno));
		return 1;
	}
	ret = set_server_key();
	if (!ret)
		ret = run(all);
	if (ret) {
		fprintf(stderr, "handshakes: %s\n", wd_status_str(ret));
		return 1;
	}
	printf("%u handshakes, %u failed: %u operations done by hw, %u by sim, %u by soft\n", over, failed,
	       paths[WD_PATH_HW], paths[WD_PATH_SIM], paths[WD_PATH_SOFT]);
	wd_ecc_free_sess(agree_sess);
	wd_ecc_free_sess(sign_sess);
	wd_digest_free_sess(hash_sess);
	free(all);
	return failed != 0;
}
