/* SPDX-License-Identifier: Apache-2.0 */
/* A context of GCM or CCM. */
#ifndef WDP_AEAD_CONTEXT_H
#define WDP_AEAD_CONTEXT_H

#include "symmetric.h"

#define WDP_TAG_MAX	16
#define WDP_IV_MAX	16
#define WDP_TLS_AAD	13
#define WDP_TLS_EXTRA	24	/* bytes of a record's nonce and its longest tag */

/*
 * What a device has done and the default provider hasn't. The default provider repeats it if the program goes on in a
 * way that needs its state.
 */
struct wdp_ahead {
	struct wdp_buffer src;		/* associated data, then data; none: nothing */
	size_t data, len;		/* offset and length of the data */
	unsigned char tag[WDP_TAG_MAX];
	size_t tag_len;
	bool ended, taken;		/* the program has called final, and has fetched the tag */
};

struct wdp_lengths {
	size_t iv, tag;
};

struct wdp_aead {
	struct wdp_symmetric s;		/* first: see symmetric.h */
	bool ready;			/* the message's iv is known, and none of its data has come */
	bool begun;			/* CCM: the default provider has parts of a message; a new iv doesn't end it */
	struct wdp_lengths keyed;	/* CCM: those that the default provider's key has been set with; 0: not known */
	bool total_set;			/* CCM: the program has announced its length */
	size_t total;
	unsigned char iv[WDP_IV_MAX];
	size_t iv_len;
	unsigned char tag[WDP_TAG_MAX];	/* to be compared */
	size_t tag_len;			/* 0: not set yet */
	size_t session_tag;		/* of the tags that the session makes */
	unsigned char *aad;		/* complete, as long as the context is ready */
	size_t aad_len;
	struct wdp_ahead ahead;
	unsigned char tls_aad[WDP_TLS_AAD];
	bool tls;			/* the next update is a record of TLS 1.2 with tls_aad */
	bool tls_spent;			/* a device has done it, and the default provider would still do it */
};

/* A message in one piece. */
struct wdp_message {
	const unsigned char *iv;
	size_t iv_len;
	unsigned char *src;		/* associated data, then data */
	size_t aad_len, len;		/* of both, of the data */
	unsigned char *tag;
	size_t tag_len;
};

/* wdp_aead_lengths() - the default provider's. With GCM they belong to the message, and are 0 here. */
struct wdp_lengths wdp_aead_lengths(const struct wdp_aead *c);

/*
 * wdp_aead_lengths_hold() - the default provider's lengths of iv and tag are those of its key: else only the default
 * provider knows what they mean.
 */
bool wdp_aead_lengths_hold(const struct wdp_aead *c);

/* wdp_aead_on_device() - the data's result is in c->s.out, behind the associated data. */
enum wdp_outcome wdp_aead_on_device(struct wdp_aead *c, const struct wdp_message *m);

/* wdp_aead_join() - associated data and data in a buffer, or NULL. */
unsigned char *wdp_aead_join(struct wdp_buffer *to, const unsigned char *aad, size_t aad_len, const unsigned char *in,
			     size_t len);

/* wdp_aead_record() - a record of TLS 1.2. */
enum wdp_outcome wdp_aead_record(struct wdp_aead *c, unsigned char *out, size_t *out_len, const unsigned char *in,
				 size_t len);

/* wdp_aead_record_note() - the default provider has taken these parameters. */
void wdp_aead_record_note(struct wdp_aead *c, const OSSL_PARAM params[]);

#endif
