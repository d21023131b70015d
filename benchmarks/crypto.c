// SPDX-License-Identifier: Apache-2.0
/* Ciphers, digests and AEAD: the software path against direct calls of libcrypto, and loops for counting
 * instructions. */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/evp.h>
#include <wd_aead.h>
#include "bench.h"

#define ROUNDS	15
#define TURN_NS	4000000.0	/* CPU time of one measurement */
#define MOST	(1u << 20)
#define ASSOC	16

static const unsigned char key[32] = "thirty-two bytes of secret, no 1", iv[16];

/* One algorithm: as our session, and as libcrypto's contexts, which are prepared once. */
struct job {
	const char *name;
	int lib;		/* 0 cipher, 1 digest, 2 AEAD */
	int alg, mode;
	size_t key_len;
	const char *evp;
	handle_t sess;
	EVP_CIPHER_CTX *cipher;
	EVP_MD_CTX *md;
	EVP_MAC_CTX *mac;
	unsigned char *buf, *out, tag[64];
	size_t size;
};

/* --- ours --- */

static handle_t session(const struct job *j, int op_type, __u32 flags)
{
	struct wd_cipher_sess_setup c = {
		.alg = (__u8)j->alg, .mode = (__u8)j->mode, .op_type = (__u8)op_type, .flags = flags
	};
	struct wd_digest_sess_setup d = {
		.alg = (__u8)j->alg, .mode = (__u8)j->mode, .op_type = (__u8)op_type, .flags = flags
	};
	struct wd_aead_sess_setup a = {
		.calg = (__u8)j->alg, .cmode = (__u8)j->mode, .op_type = (__u8)op_type, .flags = flags
	};
	handle_t h = !j->lib ? wd_cipher_alloc_sess(&c, NULL) :
		     j->lib == 1 ? wd_digest_alloc_sess(&d, NULL) : wd_aead_alloc_sess(&a, NULL);
	int ret = 0;

	if (!h)
		die("a session", -errno);
	if (j->key_len)
		ret = !j->lib ? wd_cipher_set_key(h, key, (__u32)j->key_len) :
		      j->lib == 1 ? wd_digest_set_key(h, key, (__u32)j->key_len) :
		      wd_aead_set_ckey(h, key, (__u32)j->key_len);
	if (ret)
		die("a key", ret);
	return h;
}

static void session_close(const struct job *j, handle_t h)
{
	if (!j->lib)
		wd_cipher_free_sess(h);
	else if (j->lib == 1)
		wd_digest_free_sess(h);
	else
		wd_aead_free_sess(h);
}

static int ours(struct job *j)
{
	size_t n = j->size;
	struct wd_cipher_arg c;
	struct wd_digest_arg d;
	struct wd_aead_arg a;

	switch (j->lib) {
	case 0:
		c = (struct wd_cipher_arg){
			.src = j->buf, .src_len = n, .dst = j->out, .dst_len = &n, .iv = (void *)iv, .iv_len = 16
		};
		return wd_cipher_sync(j->sess, &c);
	case 1:
		d = (struct wd_digest_arg){ .src = j->buf, .src_len = n, .dst = j->tag, .dst_len = &n };
		return wd_digest_sync(j->sess, &d);
	}
	a = (struct wd_aead_arg){
		.src = j->buf, .src_len = n, .dst = j->out, .dst_len = &n, .iv = (void *)iv, .iv_len = 12,
		.mac = j->tag, .mac_len = 16, .assoc_len = ASSOC,
	};
	return wd_aead_sync(j->sess, &a);
}

static unsigned long long ours_ns(void *arg, unsigned int n)
{
	struct job *j = arg;
	unsigned long long start = cpu_ns();
	int ret;

	while (n--) {
		ret = ours(j);
		if (ret)
			die(j->name, ret);
	}
	return cpu_ns() - start;
}

/* --- libcrypto --- */

static bool direct_open(struct job *j)
{
	EVP_CIPHER *cipher;
	EVP_MAC *mac;
	OSSL_PARAM params[] = { OSSL_PARAM_utf8_string("digest", (char *)j->evp, strlen(j->evp)), OSSL_PARAM_END };

	if (j->lib == 1 && j->key_len) {
		mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
		j->mac = EVP_MAC_CTX_new(mac);
		EVP_MAC_free(mac);
		return EVP_MAC_init(j->mac, key, j->key_len, params);
	}
	if (j->lib == 1) {
		j->md = EVP_MD_CTX_new();
		return EVP_DigestInit_ex(j->md, EVP_get_digestbyname(j->evp), NULL);
	}
	cipher = EVP_CIPHER_fetch(NULL, j->evp, NULL);
	j->cipher = EVP_CIPHER_CTX_new();
	if (!cipher || !EVP_CipherInit_ex(j->cipher, cipher, NULL, key, iv, 1))
		return false;
	if (j->mode == WD_CIPHER_CBC)
		EVP_CIPHER_CTX_set_padding(j->cipher, 0);
	EVP_CIPHER_free(cipher);
	return true;
}

static void direct_close(struct job *j)
{
	EVP_CIPHER_CTX_free(j->cipher);
	EVP_MD_CTX_free(j->md);
	EVP_MAC_CTX_free(j->mac);
	j->cipher = NULL;
	j->md = NULL;
	j->mac = NULL;
}

static bool direct(struct job *j)
{
	unsigned int md;
	size_t n;
	int len;

	if (j->mac)
		return EVP_MAC_init(j->mac, NULL, 0, NULL) && EVP_MAC_update(j->mac, j->buf, j->size) &&
		       EVP_MAC_final(j->mac, j->tag, &n, sizeof(j->tag));
	if (j->md)
		return EVP_DigestInit_ex(j->md, NULL, NULL) && EVP_DigestUpdate(j->md, j->buf, j->size) &&
		       EVP_DigestFinal_ex(j->md, j->tag, &md);
	if (!EVP_CipherInit_ex(j->cipher, NULL, NULL, NULL, iv, -1))
		return false;
	if (!j->lib)
		return EVP_CipherUpdate(j->cipher, j->out, &len, j->buf, (int)j->size) &&
		       EVP_CipherFinal_ex(j->cipher, j->out, &len);
	return EVP_CipherUpdate(j->cipher, NULL, &len, j->buf, ASSOC) &&
	       EVP_CipherUpdate(j->cipher, j->out + ASSOC, &len, j->buf + ASSOC, (int)j->size - ASSOC) &&
	       EVP_CipherFinal_ex(j->cipher, j->out, &len) &&
	       EVP_CIPHER_CTX_ctrl(j->cipher, EVP_CTRL_AEAD_GET_TAG, 16, j->tag);
}

static unsigned long long direct_ns(void *arg, unsigned int n)
{
	struct job *j = arg;
	unsigned long long start = cpu_ns();

	while (n--)
		if (!direct(j))
			die(j->evp, -EIO);
	return cpu_ns() - start;
}

static void measure(struct job *j, const char *size)
{
	char name[64];
	unsigned int n;
	struct pair p;
	double once;

	direct_ns(j, 1);
	once = (double)direct_ns(j, 1);
	/* As many as fill one measurement. */
	n = once < TURN_NS ? (unsigned int)(TURN_NS / (once + 1)) + 1 : 1;
	p = measure_pair(ours_ns, j, direct_ns, j, n, ROUNDS);
	snprintf(name, sizeof(name), "soft.%s.%s.ratio", j->name, size);
	/* The row's value is the ratio; its floor is the direct call's time. */
	printf("row %s %.4f x:libcrypto %.0f %.4f\n", name, p.ratio, p.floor, p.ratio);
	fflush(stdout);
}

static struct job jobs[] = {
	{ .name = "aes-128-cbc", .lib = 0, .alg = WD_CIPHER_AES, .mode = WD_CIPHER_CBC, .key_len = 16,
	  .evp = "AES-128-CBC" },
	{ .name = "aes-256-ctr", .lib = 0, .alg = WD_CIPHER_AES, .mode = WD_CIPHER_CTR, .key_len = 32,
	  .evp = "AES-256-CTR" },
	{ .name = "sm4-cbc", .lib = 0, .alg = WD_CIPHER_SM4, .mode = WD_CIPHER_CBC, .key_len = 16, .evp = "SM4-CBC" },
	{ .name = "sha256", .lib = 1, .alg = WD_DIGEST_SHA256, .mode = WD_DIGEST_NORMAL, .evp = "SHA256" },
	{ .name = "hmac-sha256", .lib = 1, .alg = WD_DIGEST_SHA256, .mode = WD_DIGEST_HMAC, .key_len = 32,
	  .evp = "SHA256" },
	{ .name = "sm3", .lib = 1, .alg = WD_DIGEST_SM3, .mode = WD_DIGEST_NORMAL, .evp = "SM3" },
	{ .name = "aes-128-gcm", .lib = 2, .alg = WD_CIPHER_AES, .mode = WD_CIPHER_GCM, .key_len = 16,
	  .evp = "AES-128-GCM" },
};

/* For counting only: libcrypto's CCM needs other calls. */
static struct job ccm = { .name = "aes-128-ccm", .lib = 2, .alg = WD_CIPHER_AES, .mode = WD_CIPHER_CCM, .key_len = 16 };

int crypto_rows(int argc, char **argv)
{
	static const struct {
		const char *name;
		size_t bytes;
	} sizes[] = { { "4k", 4096 }, { "64k", 65536 }, { "1m", MOST } };
	unsigned char *buf = malloc(MOST), *out = malloc(MOST);
	unsigned int i, k;

	(void)argc, (void)argv;
	if (!buf || !out)
		die("malloc", -ENOMEM);
	text_fill(buf, MOST);
	for (i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		struct job *j = &jobs[i];

		j->buf = buf;
		j->out = out;
		j->sess = session(j, WD_SYNC, WD_SESS_PATH_SOFT);
		if (!direct_open(j))
			die(j->evp, -EOPNOTSUPP);
		for (k = 0; k < 3; k++) {
			j->size = sizes[k].bytes;
			measure(j, sizes[k].name);
		}
		direct_close(j);
		session_close(j, j->sess);
	}
	free(buf);
	free(out);
	return 0;
}

/* --- memory --- */

#define MANY	64

static double heap(void)
{
	struct mallinfo2 m = mallinfo2();

	return (double)(m.uordblks + m.hblkhd);
}

/* A session of AES-GCM with its key. The first session isn't counted: it allocates what the process needs once. */
static void heap_row(const char *name, __u32 flags)
{
	const struct job *j = &jobs[6];
	handle_t first = session(j, WD_SYNC, flags), more[MANY];
	double before = heap();
	unsigned int i;

	for (i = 0; i < MANY; i++)
		more[i] = session(j, WD_SYNC, flags);
	row(name, (heap() - before) / MANY, "bytes", 0);
	for (i = 0; i < MANY; i++)
		session_close(j, more[i]);
	session_close(j, first);
}

int crypto_heap(int argc, char **argv)
{
	(void)argc, (void)argv;
	heap_row("heap.sess.aead.bytes", WD_SESS_PATH_HW);
	heap_row("heap.sess.aead.auto.bytes", 0);
	return 0;
}

/* --- on a device that computes nothing --- */

#define NULL_ROUNDS	9
#define NULL_REQUESTS	3200

union any_arg {
	struct wd_cipher_arg c;
	struct wd_digest_arg d;
	struct wd_aead_arg a;
};

static unsigned int finished;

static void c_done(struct wd_cipher_arg *arg, void *param)
{
	(void)arg, (void)param;
	finished++;
}

static void d_done(struct wd_digest_arg *arg, void *param)
{
	(void)arg, (void)param;
	finished++;
}

static void a_done(struct wd_aead_arg *arg, void *param)
{
	(void)arg, (void)param;
	finished++;
}

static void arg_fill(const struct job *j, union any_arg *arg, size_t *len)
{
	*len = BYTES;
	switch (j->lib) {
	case 0:
		arg->c = (struct wd_cipher_arg){
			.src = j->buf, .src_len = BYTES, .dst = j->out, .dst_len = len, .iv = (void *)iv, .iv_len = 16,
			.cb = c_done,
		};
		break;
	case 1:
		arg->d = (struct wd_digest_arg){
			.src = j->buf, .src_len = BYTES, .dst = j->out, .dst_len = len, .cb = d_done
		};
		break;
	default:
		arg->a = (struct wd_aead_arg){
			.src = j->buf, .src_len = BYTES, .dst = j->out, .dst_len = len, .iv = (void *)iv, .iv_len = 12,
			.mac = (void *)j->tag, .mac_len = 16, .assoc_len = ASSOC, .cb = a_done,
		};
	}
}

static int send_one(const struct job *j, union any_arg *arg)
{
	return !j->lib ? wd_cipher_async(j->sess, &arg->c, NULL) :
	       j->lib == 1 ? wd_digest_async(j->sess, &arg->d, NULL) : wd_aead_async(j->sess, &arg->a, NULL);
}

static int send_all(const struct job *j, void *args, int n)
{
	return !j->lib ? wd_cipher_async_burst(j->sess, args, n, NULL) :
	       j->lib == 1 ? wd_digest_async_burst(j->sess, args, n, NULL) :
	       wd_aead_async_burst(j->sess, args, n, NULL);
}

static int poll_some(const struct job *j, unsigned int n)
{
	return !j->lib ? wd_cipher_poll(n, STALL_MS, NULL) :
	       j->lib == 1 ? wd_digest_poll(n, STALL_MS, NULL) : wd_aead_poll(n, STALL_MS, NULL);
}

/* At least n requests. Returns the CPU time of submitting and polling, without the device's time in between. */
static unsigned long long windows(const struct job *j, bool burst, unsigned int n)
{
	unsigned long long ns = 0, start;
	union any_arg arg[WINDOW];
	void *args[WINDOW];
	size_t len[WINDOW];
	unsigned int i, sent;

	for (sent = finished, n += sent; sent < n; ) {
		start = cpu_ns();
		for (i = 0; i < WINDOW; i++) {
			arg_fill(j, &arg[i], &len[i]);
			args[i] = &arg[i];
		}
		if (burst && send_all(j, args, WINDOW) != WINDOW)
			die("a burst", -EIO);
		for (i = 0; !burst && i < WINDOW; i++)
			if (send_one(j, &arg[i]))
				die("a request", -EIO);
		sent += WINDOW;
		ns += cpu_ns() - start;
		device_finishes("hisi_sec2-0", WINDOW);
		start = cpu_ns();
		while (finished < sent)
			if (poll_some(j, sent - finished) <= 0)
				die("a poll", -EIO);
		ns += cpu_ns() - start;
	}
	return ns;
}

static const char *const loop_names[] = { "cipher", "digest", "aead", "ccm" };
static struct job *const loop_jobs[] = { &jobs[0], &jobs[3], &jobs[6], &ccm };

static void loop_begin(struct job *j)
{
	j->buf = calloc(1, BYTES);
	j->out = calloc(1, BYTES);
	if (!j->buf || !j->out)
		die("calloc", -ENOMEM);
	j->sess = session(j, WD_ASYNC, WD_SESS_PATH_HW);
}

static void loop_end(struct job *j)
{
	session_close(j, j->sess);
	free(j->buf);
	free(j->out);
}

static unsigned long long null_ns(void *arg, unsigned int n)
{
	return windows(arg, false, n);
}

int crypto_null_rows(int argc, char **argv)
{
	unsigned int i;
	char name[32];

	(void)argc, (void)argv;
	for (i = 0; i < 3; i++) {
		struct hand *hand = hand_open(loop_names[i]);
		struct pair p;

		loop_begin(loop_jobs[i]);
		p = measure_pair(null_ns, loop_jobs[i], hand_ns, hand, NULL_REQUESTS, NULL_ROUNDS);
		snprintf(name, sizeof(name), "%s.null.ns", loop_names[i]);
		row(name, p.ours, "ns", p.floor);
		loop_end(loop_jobs[i]);
		hand_close(hand);
	}
	return 0;
}

/* cipher|digest|aead|ccm async|burst N: only the loop, for callgrind. */
int crypto_loop(int argc, char **argv)
{
	unsigned int n = argc == 3 ? (unsigned int)strtoul(argv[2], NULL, 10) : 0, i;
	struct job *j;

	for (i = 0; n && i < 4; i++) {
		if (strcmp(argv[0], loop_names[i]))
			continue;
		j = loop_jobs[i];
		loop_begin(j);
		windows(j, !strcmp(argv[1], "burst"), n);
		loop_end(j);
		return 0;
	}
	fputs("usage: wd-bench crypto-loop cipher|digest|aead|ccm async|burst N\n", stderr);
	return 2;
}
