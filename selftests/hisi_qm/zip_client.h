/* SPDX-License-Identifier: Apache-2.0 */
/* Requests with known contents for the tests of this folder, on a queue used by hand. */
#ifndef WD_TEST_ZIP_CLIENT_H
#define WD_TEST_ZIP_CLIENT_H

#include "rawq.h"

/* A loaded machine without KVM is slow; nothing here takes long otherwise. */
#define CLIENT_WAIT_MS	300000

static inline int client_device(char name[UACCE_NAME_MAX])
{
	return uacce_find("hisi_zip", 0, name);
}

/* Compressible, and different for each @seed. */
static inline void client_fill(uint8_t *data, uint32_t bytes, uint32_t seed)
{
	for (uint32_t i = 0; i < bytes; i++)
		data[i] = (uint8_t)((i / 7 ^ seed) + (i % 13) * (seed | 1));
}

/* Puts one compression into the ring without ringing. */
static inline void client_queue(struct rawq *q, const void *src, uint32_t len, void *dst, uint32_t room)
{
	rawq_zip_fill(rawq_slot(q), ZIP_REQ_DEFLATE, src, len, dst, room, q->sq_tail);
	rawq_push(q, 0);
}

static inline void client_ring(struct rawq *q)
{
	rawq_doorbell(q, qm_db_value(q->id, QM_DB_CMD_SQ, q->sq_tail, 0));
}

/*
 * Compresses @len bytes on one queue, decompresses them on another and compares:
 * 0, a positive device status, -EBADMSG when the data differ, or -errno.
 */
static inline int client_round_trip(struct rawq *comp, struct rawq *decomp, uint32_t len, uint32_t seed)
{
	uint32_t room = len + len / 8 + 256, packed = 0, unpacked = 0;
	uint8_t *src = malloc(len), *mid = malloc(room), *dst = malloc(len);
	int ret = -ENOMEM;

	if (!src || !mid || !dst)
		goto free;
	client_fill(src, len, seed);
	ret = rawq_zip(comp, ZIP_REQ_DEFLATE, src, len, mid, room, &packed, CLIENT_WAIT_MS);
	if (ret && ret != ZIP_ST_NEGATIVE_COMP)
		goto free;
	rawq_ack(comp, 0);
	ret = rawq_zip(decomp, ZIP_REQ_DEFLATE, mid, packed, dst, len, &unpacked, CLIENT_WAIT_MS);
	if (ret && ret != ZIP_ST_END)
		goto free;
	rawq_ack(decomp, 0);
	ret = unpacked == len && !memcmp(src, dst, len) ? 0 : -EBADMSG;
free:
	free(src);
	free(mid);
	free(dst);
	return ret;
}

/* @nr equal requests under one doorbell, all completed: returns 0, or an error as above. */
static inline int client_burst(struct rawq *q, int nr, const void *src, uint32_t len, void *dst,
			       uint32_t room, int arm)
{
	struct rawq_done done;
	unsigned int status;
	int ret;

	for (int i = 0; i < nr; i++)
		client_queue(q, src, len, dst, room);
	client_ring(q);
	for (int i = 0; i < nr; i++) {
		ret = rawq_wait(q, &done, CLIENT_WAIT_MS);
		if (ret)
			return ret;
		status = rawq_zip_status(rawq_zip_done(q, &done));
		if (status != ZIP_ST_OK && status != ZIP_ST_NEGATIVE_COMP)
			return status;
	}
	rawq_ack(q, arm);
	return 0;
}

/* Waits until the device has @nr free queues again: 0, or how many it has at the deadline as -nr - 1. */
static inline int client_wait_available(const char *name, long nr)
{
	long long deadline = now_ms() + CLIENT_WAIT_MS;
	long have;

	while ((have = uacce_attr_num(name, "available_instances")) != nr)
		if (now_ms() > deadline)
			return (int)-have - 1;
		else
			poll(NULL, 0, 1);	/* spinning takes the CPU from a simulated device */
	return 0;
}

#endif
