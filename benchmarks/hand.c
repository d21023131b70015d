// SPDX-License-Identifier: Apache-2.0
/*
 * The floor of SEC's and HPRE's requests, on a device that computes nothing: descriptors by hand that name the caller's
 * memory, so that nothing is copied, and a doorbell for each.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench.h"
#include "hw/hpre_hw.h"
#include "hw/sec_hw.h"
#include "rings.h"

#define SEC	"hisi_sec2-0"
#define HPRE	"hisi_hpre-0"
#define K	256	/* bytes of a number: 2048 bits */
#define ASSOC	16
#define HPRE_DONE	(HPRE_DONE_HARDWARE << (HPRE_DW0_DONE_SHIFT - HPRE_DW0_ETYPE_SHIFT))

/* What requests name. */
static struct {
	unsigned char key[2 * K], src[BYTES], dst[BYTES], iv[16], mac[64];
} memory;

/**
 * struct hand - a queue, and its requests
 * @bytes:	of a descriptor
 * @tag:	the descriptor's word for the tag
 * @sqe:	what all descriptors have in common: everything else
 */
struct hand {
	struct rings rings;
	const char *device;
	size_t bytes;
	unsigned int tag;
	union {
		struct hpre_sqe hpre;
		struct sec_bd sec;
	} sqe;
};

static uint64_t address(const void *p)
{
	return (uintptr_t)p;
}

static void power(struct hpre_sqe *sqe, enum hpre_op op)
{
	sqe->dw0 = htole32(op | HPRE_DONE_SOFTWARE << HPRE_DW0_DONE_SHIFT);
	sqe->task_len1 = K / 8 - 1;
	sqe->key = htole64(address(memory.key));
	sqe->in = htole64(op == HPRE_DH_G2 ? 0 : address(memory.src));
	sqe->out = htole64(address(memory.dst));
}

static void cipher(struct sec_bd *bd, enum sec_c_mode mode)
{
	sec_put(bd, SEC_BD_TYPE, SEC_BD_TYPE3);
	sec_put(bd, SEC_BD3_SCENE, SEC_SCENE_IPSEC);
	sec_put(bd, SEC_BD3_DE, 1);
	sec_put(bd, SEC_BD3_CIPHER, SEC_CIPHER_ENCRYPT);
	sec_put(bd, SEC_BD3_C_ALG, SEC_C_AES);
	sec_put(bd, SEC_BD3_C_MODE, mode);
	sec_put(bd, SEC_BD3_C_KEY_LEN, SEC_C_KEY_AES_128);
	sec_put(bd, SEC_BD3_C_LEN, BYTES);
	sec_put64(bd, SEC_BD3_C_KEY, address(memory.key));
	sec_put64(bd, SEC_BD3_C_IVIN, address(memory.iv));
	sec_put64(bd, SEC_BD3_SRC, address(memory.src));
	sec_put64(bd, SEC_BD3_DST, address(memory.dst));
}

static void digest(struct sec_bd *bd)
{
	sec_put(bd, SEC_BD_TYPE, SEC_BD_TYPE3);
	sec_put(bd, SEC_BD3_SCENE, SEC_SCENE_STREAM);
	sec_put(bd, SEC_BD3_AUTH, SEC_AUTH_CALCULATE);
	sec_put(bd, SEC_BD3_A_ALG, SEC_A_SHA256);
	sec_put(bd, SEC_BD3_MAC_LEN, 32 / 4);
	sec_put(bd, SEC_BD3_A_LEN, BYTES);
	sec_put64(bd, SEC_BD3_SRC, address(memory.src));
	sec_put64(bd, SEC_BD3_MAC, address(memory.mac));
}

static void aead(struct sec_bd *bd)
{
	cipher(bd, SEC_C_GCM);
	bd->dw[SEC_BD3_C_LEN >> 16] = 0;
	sec_put(bd, SEC_BD3_C_LEN, BYTES - ASSOC);
	sec_put(bd, SEC_BD3_C_ICV_LEN, 16);
	sec_put(bd, SEC_BD3_A_LEN, ASSOC);
	sec_put(bd, SEC_BD3_CIPHER_SRC_OFFSET, ASSOC);
	sec_put64(bd, SEC_BD3_A_KEY, address(memory.key));
	sec_put64(bd, SEC_BD3_A_IVIN, address(memory.iv));
	sec_put64(bd, SEC_BD3_MAC, address(memory.mac));
}

static void fill(struct hand *h, const char *what)
{
	switch (*what) {
	case 'r':
		power(&h->sqe.hpre, HPRE_RSA);
		break;
	case 'd':
		if (what[1] == 'h')
			power(&h->sqe.hpre, HPRE_DH_G2);
		else
			digest(&h->sqe.sec);
		break;
	case 'c':
		cipher(&h->sqe.sec, SEC_C_CBC);
		break;
	case 'a':
		aead(&h->sqe.sec);
		break;
	}
}

struct hand *hand_open(const char *what)
{
	bool hpre = !strcmp(what, "rsa") || !strcmp(what, "dh");
	struct hand *h = calloc(1, sizeof(*h));

	if (!h)
		die("hand_open", -ENOMEM);
	rings_start(&h->rings, hpre ? "/dev/" HPRE : "/dev/" SEC, 0);
	h->device = hpre ? HPRE : SEC;
	h->bytes = hpre ? HPRE_SQE_SIZE : SEC_BD_SIZE;
	h->tag = hpre ? offsetof(struct hpre_sqe, tag) / sizeof(__u32) : SEC_BD3_TAG;
	fill(h, what);
	return h;
}

void hand_close(struct hand *h)
{
	rings_stop(&h->rings);
	free(h);
}

/* A copy of each constant size, which the compiler does without a call. */
static void put(struct hand *h, unsigned int tag)
{
	__le32 *sqe = rings_next(&h->rings, h->bytes);

	if (h->bytes == HPRE_SQE_SIZE)
		memcpy(sqe, &h->sqe, HPRE_SQE_SIZE);
	else
		memcpy(sqe, &h->sqe, SEC_BD_SIZE);
	sqe[h->tag] = htole32(tag);
	rings_ring(&h->rings, QM_DB_CMD_SQ, h->rings.tail);
}

static void take(struct hand *h)
{
	const __le32 *sqe = rings_take(&h->rings, h->bytes);
	__u32 answer = le32toh(sqe[h->bytes == HPRE_SQE_SIZE ? 0 : SEC_BD_RESULT_FIRST]);

	/* Done, without an error. */
	if (h->bytes == HPRE_SQE_SIZE ? answer >> HPRE_DW0_ETYPE_SHIFT != HPRE_DONE : (answer & 0xff000d) != 1)
		die("descriptor", -EIO);
}

static void acknowledge(struct rings *r)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };

	if (r->unacked < r->batch)
		return;
	rings_ring(r, QM_DB_CMD_CQ, r->head);
	poll(&p, 1, 0);
	r->unacked = 0;
}

unsigned long long hand_ns(void *arg, unsigned int n)
{
	unsigned long long ns = 0, start;
	struct hand *h = arg;
	unsigned int sent, i;

	for (sent = 0; sent < n; sent += WINDOW) {
		start = cpu_ns();
		for (i = 0; i < WINDOW; i++)
			put(h, i);
		ns += cpu_ns() - start;
		device_finishes(h->device, WINDOW);
		start = cpu_ns();
		for (i = 0; i < WINDOW; i++)
			take(h);
		acknowledge(&h->rings);
		ns += cpu_ns() - start;
	}
	return ns;
}

void device_finishes(const char *device, unsigned int more)
{
	union { void *p; int (*f)(const char *, const char *, unsigned long long *); } u = {
		.p = dlsym(RTLD_DEFAULT, "wd_emulate_count")
	};
	static unsigned long long until;
	unsigned long long n = 0;

	/* Under callgrind one thread runs at a time. */
	for (until += more; u.p && n < until; ) {
		usleep(20);
		u.f(device, "completions", &n);
	}
}
