/* SPDX-License-Identifier: Apache-2.0 */
/* A message that is hashed in steps, on a device or on the software path; private. */
#ifndef WD_DIGEST_STEPS_H
#define WD_DIGEST_STEPS_H

#include "digest.h"
#include "stream.h"

#define DIGEST_BUF_BYTES	4096	/* whole blocks of every hash */

/**
 * struct digest_strm - a stream
 * @hw:		on a device: its state
 * @fill:	number of bytes that wait in @buf
 */
struct digest_strm {
	struct crypto_strm c;
	struct sec_stream hw;
	size_t fill;
	__u8 buf[DIGEST_BUF_BYTES];
};

static inline struct digest_strm *to_digest_strm(struct crypto_strm *st)
{
	return (struct digest_strm *)st;
}

/* Chooses what the stream runs on. 0, or -errno if neither a device nor software may serve it. */
int digest_strm_pick(struct crypto_sess *s, struct digest_strm *st);
/* Adds data to the message: bytes or a list. 0, -errno. */
int digest_strm_add_all(struct crypto_sess *s, struct digest_strm *st, bool sgl, const void *src, size_t len,
			__u64 deadline);
/* Ends the message; the digest goes to mac, which is mapped. 0, -errno. */
int digest_strm_end(struct crypto_sess *s, struct digest_strm *st, __u8 *mac, __u64 deadline);

static inline bool digest_place_mapped(const void *mac, size_t len)
{
	return wd_probe(WD_PROBE_RECENT, false, mac, len);
}

/* For more data than a descriptor holds: a stream of its own, on one device. Results as of crypto_do_sync(). */
int digest_do_long(struct crypto_sess *s, struct crypto_msg *c);

#endif
