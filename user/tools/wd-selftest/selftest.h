/* SPDX-License-Identifier: Apache-2.0 */
/* Known answers: one case is an operation, its vector, and where the vector is published. */
#ifndef WD_SELFTEST_H
#define WD_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wd.h>
#include <wd_request.h>

#define ANSWER_MAX	512	/* bytes of the longest answer */
#define BULK_BYTES	65536	/* of a request that measures bytes */
#define BULK_ROOM	(8 * BULK_BYTES)	/* for its result: sequences may be many */

struct kat;

/* One case on one device. */
struct kat_run {
	const struct kat *kat;
	handle_t sess;
	uint32_t timeout_ms;
	uint8_t in[ANSWER_MAX], extra[ANSWER_MAX], key[ANSWER_MAX], answer[ANSWER_MAX];
	size_t in_len, extra_len, key_len, answer_len;
	uint8_t *bulk_in, *bulk_out;
	uint8_t out[2 * ANSWER_MAX];
	size_t out_len;
	unsigned int path, reason;	/* of the last request */
};

/* How the cases of a library are run. */
struct kat_class {
	/* Sets the session: 0, or a negative error number. */
	int (*open)(struct kat_run *r, const wd_dev_mask_t *mask);
	/*
	 * Does the case's request, or one of BULK_BYTES: sets out, out_len, path, reason; 0 or a negative error number.
	 */
	int (*once)(struct kat_run *r, bool bulk);
	int (*close)(handle_t sess);
	bool bytes;		/* the speed is in bytes, otherwise in operations */
};

struct kat {
	const char *alg;	/* the device's name of the algorithm, in sysfs */
	const char *name;
	const char *source;
	const struct kat_class *class;
	int a, b, op;		/* depend on the class */
	const char *key, *extra, *in, *answer;	/* hexadecimal; NULL for none */
};

extern const struct kat kats[];	/* ended by alg NULL */
extern const struct kat_class class_comp, class_cipher, class_digest, class_hmac, class_aead, class_rsa, class_dh,
	class_ecc, class_ecc_refuse;

#endif
