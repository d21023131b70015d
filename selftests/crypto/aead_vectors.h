/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of authenticated encryption, as they are published. */
#ifndef AEAD_VECTORS_H
#define AEAD_VECTORS_H

#include "vectors.h"

/* One published case: ct excludes the tag, akey is for CBC only, and if plain isn't set, the case must be refused. */
struct one {
	struct bytes key, akey, iv, assoc, plain, ct, tag;
};

static inline void one_free(struct one *o)
{
	free(o->key.at);
	free(o->akey.at);
	free(o->iv.at);
	free(o->assoc.at);
	free(o->plain.at);
	free(o->ct.at);
	free(o->tag.at);
}

static inline struct one gcm_case(struct vec *v)
{
	struct one o = {
		.key = vec_bytes(v, "Key"), .iv = vec_bytes(v, "IV"), .assoc = vec_bytes(v, "AAD"),
		.ct = vec_bytes(v, "CT"), .tag = vec_bytes(v, "Tag"),
	};

	if (!v->fail)
		o.plain = vec_bytes(v, "PT");
	return o;
}

/* The tag follows the ciphertext; the file writes an empty field as one byte. */
static inline struct one ccm_case(struct vec *v)
{
	size_t tlen = vec_number(v, "Tlen"), plen = vec_number(v, "Plen");
	const char *result = vec_text(v, "Result");
	struct one o = {
		.key = vec_bytes(v, "Key"), .iv = vec_bytes(v, "Nonce"), .assoc = vec_bytes(v, "Adata"),
		.ct = vec_bytes(v, "CT")
	};

	o.assoc.len = vec_number(v, "Alen");
	o.tag.at = malloc(tlen);
	o.tag.len = tlen;
	memcpy(o.tag.at, o.ct.at + plen, tlen);
	o.ct.len = plen;
	if (!result || !strncmp(result, "Pass", 4)) {
		o.plain = vec_bytes(v, "Payload");
		o.plain.len = plen;
	}
	return o;
}

static inline struct one wyche_case(struct json_object *test)
{
	struct one o = {
		.key = json_bytes(test, "key"), .iv = json_bytes(test, "iv"), .assoc = json_bytes(test, "aad"),
		.ct = json_bytes(test, "ct"), .tag = json_bytes(test, "tag"),
	};

	if (!strcmp(json_text(test, "result"), "valid"))
		o.plain = json_bytes(test, "msg");
	return o;
}

#endif
