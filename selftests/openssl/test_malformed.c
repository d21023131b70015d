// SPDX-License-Identifier: Apache-2.0
/* Random calls, most of them malformed: each step returns what it returns with the default provider alone. */
#include "provider_test.h"
#include "kselftest_harness.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))
#define CALLS		2000
#define STEPS		8

struct keys {
	EVP_PKEY *key[2];		/* stock's, ours */
};

/* What one call did; the same choices are made twice, from the same seed. */
struct trace {
	int ret[STEPS];
	size_t len[STEPS];
	unsigned int n;
	char what[256];
};

FIXTURE(malformed) {
	struct both b;
	struct keys keys[9];
	unsigned int nr_keys;
	unsigned int seed, at;
};

static void add_key(FIXTURE_DATA(malformed) *self, const char *type, const char *group, size_t bits, int selection)
{
	EVP_PKEY *key = key_make(self->b.stock, type, group, bits);
	struct keys *k = &self->keys[self->nr_keys++];

	k->key[0] = key_in(self->b.stock, key, selection);
	k->key[1] = key_in(self->b.ours, key, selection);
	EVP_PKEY_free(key);
}

FIXTURE_SETUP(malformed)
{
	unsigned int i;

	setenv("WD_OPENSSL_ALGORITHMS", "pkey rsa-public", 1);
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	add_key(self, "RSA", NULL, 1024, EVP_PKEY_KEYPAIR);
	add_key(self, "RSA", NULL, 1024, EVP_PKEY_PUBLIC_KEY);
	add_key(self, "RSA-PSS", NULL, 1024, EVP_PKEY_KEYPAIR);
	add_key(self, "EC", "P-256", 0, EVP_PKEY_KEYPAIR);
	add_key(self, "EC", "P-256", 0, EVP_PKEY_PUBLIC_KEY);
	add_key(self, "EC", "P-384", 0, EVP_PKEY_KEYPAIR);
	add_key(self, "X25519", NULL, 0, EVP_PKEY_KEYPAIR);
	add_key(self, "X448", NULL, 0, EVP_PKEY_KEYPAIR);
	/* A program with a libcrypto of its own gets no SM2. */
	if (!getenv("WD_TEST_FOREIGN"))
		add_key(self, "SM2", NULL, 0, EVP_PKEY_KEYPAIR);
	for (i = 0; i < self->nr_keys; i++) {
		ASSERT_NE(NULL, self->keys[i].key[0]);
		ASSERT_TRUE(is_ours(self->keys[i].key[1]));
	}
	self->seed = (unsigned int)atoi(getenv("WD_TEST_SEED") ?: "1");
}

FIXTURE_TEARDOWN(malformed)
{
	unsigned int i;

	for (i = 0; i < self->nr_keys; i++) {
		EVP_PKEY_free(self->keys[i].key[0]);
		EVP_PKEY_free(self->keys[i].key[1]);
	}
	both_close(&self->b);
}

static unsigned int draw(FIXTURE_DATA(malformed) *self, unsigned int below)
{
	self->at = self->at * 1103515245u + 12345u;
	return (self->at >> 16) % below;
}

#define PICK(self, list)	((list)[draw(self, COUNT(list))])

static void step(struct trace *t, int ret, size_t len)
{
	if (t->n < STEPS) {
		t->ret[t->n] = ret;
		t->len[t->n++] = ret > 0 ? len : 0;
	}
}

static const char *const paddings[] = { "pkcs1", "pss", "none", "oaep", "x931", "bogus", "" };
static const char *const salts[] = { "digest", "max", "auto", "20", "500", "-7", "bogus" };
static const char *const digests[] = { "SHA256", "SHA1", "SHA512", "bogus", "SHAKE128", "MD5", "", "SM3" };
static const size_t sizes[] = { 0, 1, 20, 31, 32, 33, 36, 64, 65, 117, 127, 128, 129, 300 };

static const char distid[] = OSSL_PKEY_PARAM_DIST_ID;

/* One parameter. */
static void param(FIXTURE_DATA(malformed) *self, OSSL_PARAM params[2], struct trace *t)
{
	static const struct {
		const char *name;
		const char *const *values;
		unsigned int count;
	} rows[] = {
		{ OSSL_SIGNATURE_PARAM_PAD_MODE, paddings, COUNT(paddings) },
		{ OSSL_SIGNATURE_PARAM_PAD_MODE, paddings, COUNT(paddings) },
		{ OSSL_SIGNATURE_PARAM_PSS_SALTLEN, salts, COUNT(salts) },
		{ OSSL_SIGNATURE_PARAM_DIGEST, digests, COUNT(digests) },
		{ OSSL_SIGNATURE_PARAM_MGF1_DIGEST, digests, COUNT(digests) },
		{ OSSL_EXCHANGE_PARAM_KDF_TYPE, digests, COUNT(digests) },
		{ "nothing", digests, 1 },
		{ distid, digests, COUNT(digests) },
	};
	unsigned int row = draw(self, COUNT(rows));
	const char *value = rows[row].values[draw(self, rows[row].count)];

	params[0] = OSSL_PARAM_construct_utf8_string(rows[row].name, (char *)value, 0);
	if (rows[row].name == distid)
		params[0] = OSSL_PARAM_construct_octet_string(distid, (char *)value, strlen(value));
	params[1] = OSSL_PARAM_construct_end();
	snprintf(t->what + strlen(t->what), sizeof(t->what) - strlen(t->what), " %s=%s", rows[row].name, value);
}

static void settings(FIXTURE_DATA(malformed) *self, EVP_PKEY_CTX *ctx, struct trace *t)
{
	unsigned int n = draw(self, 4);
	OSSL_PARAM params[2];

	while (n--) {
		param(self, params, t);
		step(t, EVP_PKEY_CTX_set_params(ctx, params), 0);
	}
}

static EVP_PKEY_CTX *any_ctx(FIXTURE_DATA(malformed) *self, int ours, struct trace *t)
{
	unsigned int i = draw(self, self->nr_keys);

	snprintf(t->what + strlen(t->what), sizeof(t->what) - strlen(t->what), " key %u", i);
	return EVP_PKEY_CTX_new_from_pkey(ours ? self->b.ours : self->b.stock, self->keys[i].key[ours], NULL);
}

typedef int transform_fn(EVP_PKEY_CTX *ctx, unsigned char *out, size_t *len, const unsigned char *in, size_t n);

static const struct {
	int (*init)(EVP_PKEY_CTX *ctx);
	transform_fn *run;
	const char *name;
} transforms[] = {
	{ EVP_PKEY_sign_init, EVP_PKEY_sign, "sign" },
	{ EVP_PKEY_sign_init, EVP_PKEY_sign, "sign" },
	{ EVP_PKEY_verify_recover_init, EVP_PKEY_verify_recover, "recover" },
	{ EVP_PKEY_encrypt_init, EVP_PKEY_encrypt, "encrypt" },
	{ EVP_PKEY_decrypt_init, EVP_PKEY_decrypt, "decrypt" },
	{ EVP_PKEY_decrypt_init, EVP_PKEY_decrypt, "decrypt" },
	{ EVP_PKEY_verify_init, EVP_PKEY_sign, "sign after verify_init" },
};

/* Lengths of numbers in DER vary. */
static bool is_der(EVP_PKEY *key)
{
	return EVP_PKEY_is_a(key, "EC") || EVP_PKEY_is_a(key, "SM2");
}

static void call_transform(FIXTURE_DATA(malformed) *self, int ours, struct trace *t)
{
	EVP_PKEY_CTX *ctx = any_ctx(self, ours, t);
	unsigned int kind = draw(self, COUNT(transforms));
	unsigned char in[300], out[2000];
	size_t n = PICK(self, sizes), len = draw(self, 3) ? sizeof(out) : PICK(self, sizes);
	bool query = !draw(self, 6);
	int ret;

	memset(in, (int)draw(self, 4), sizeof(in));
	snprintf(t->what + strlen(t->what), sizeof(t->what) - strlen(t->what), " %s %zu to %zu%s",
		 transforms[kind].name, n, len, query ? " (size)" : "");
	step(t, draw(self, 12) ? transforms[kind].init(ctx) : 1, 0);
	settings(self, ctx, t);
	ret = transforms[kind].run(ctx, query ? NULL : out, &len, in, n);
	step(t, ret, query || !is_der(EVP_PKEY_CTX_get0_pkey(ctx)) ? len : 0);
	EVP_PKEY_CTX_free(ctx);
}

static void call_derive(FIXTURE_DATA(malformed) *self, int ours, struct trace *t)
{
	EVP_PKEY_CTX *ctx = any_ctx(self, ours, t);
	EVP_PKEY *peer = self->keys[draw(self, self->nr_keys)].key[ours];
	unsigned char out[2000];
	size_t len = draw(self, 3) ? sizeof(out) : PICK(self, sizes);
	bool query = !draw(self, 6);

	snprintf(t->what + strlen(t->what), sizeof(t->what) - strlen(t->what), " derive %zu", len);
	step(t, draw(self, 12) ? EVP_PKEY_derive_init(ctx) : 1, 0);
	if (!draw(self, 3))
		settings(self, ctx, t);
	if (draw(self, 8))
		step(t, EVP_PKEY_derive_set_peer(ctx, peer), 0);
	step(t, EVP_PKEY_derive(ctx, query ? NULL : out, &len), len);
	EVP_PKEY_CTX_free(ctx);
}

static void call_message(FIXTURE_DATA(malformed) *self, int ours, struct trace *t)
{
	OSSL_LIB_CTX *libctx = ours ? self->b.ours : self->b.stock;
	EVP_PKEY *key = self->keys[draw(self, self->nr_keys)].key[ours];
	const char *digest = draw(self, 5) ? PICK(self, digests) : NULL;
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	unsigned char sig[2000];
	size_t len = draw(self, 3) ? sizeof(sig) : PICK(self, sizes);
	EVP_PKEY_CTX *pctx = NULL;

	snprintf(t->what, sizeof(t->what), "message %s to %zu", digest ?: "NULL", len);
	step(t, EVP_DigestSignInit_ex(ctx, &pctx, digest, libctx, NULL, key, NULL), 0);
	if (pctx)
		settings(self, pctx, t);
	step(t, EVP_DigestSignUpdate(ctx, "abc", 3), 0);
	step(t, EVP_DigestSignFinal(ctx, draw(self, 6) ? sig : NULL, &len), 0);
	EVP_MD_CTX_free(ctx);
}

static void call_verify(FIXTURE_DATA(malformed) *self, int ours, struct trace *t)
{
	EVP_PKEY_CTX *ctx = any_ctx(self, ours, t);
	unsigned char sig[300], in[300];
	size_t n = PICK(self, sizes), len = PICK(self, sizes);

	memset(sig, (int)draw(self, 3), sizeof(sig));
	memset(in, 0, sizeof(in));
	snprintf(t->what + strlen(t->what), sizeof(t->what) - strlen(t->what), " verify %zu, %zu", len, n);
	step(t, EVP_PKEY_verify_init(ctx), 0);
	settings(self, ctx, t);
	step(t, EVP_PKEY_verify(ctx, sig, len, in, n), 0);
	EVP_PKEY_CTX_free(ctx);
}

static const char *const types[] = { "RSA", "RSA-PSS", "EC", "X25519", "X448", "SM2", "DH", "DHX" };

/* A key of some of the parts of another. */
static void call_import(FIXTURE_DATA(malformed) *self, int ours, struct trace *t)
{
	const int selections[] = { EVP_PKEY_KEYPAIR, EVP_PKEY_PUBLIC_KEY, EVP_PKEY_KEY_PARAMETERS, 1, 2, 0 };
	const char *type = PICK(self, types);
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(ours ? self->b.ours : self->b.stock, type, NULL);
	unsigned int i = draw(self, self->nr_keys), from = draw(self, 6), to = draw(self, 6), lost = draw(self, 8);
	OSSL_PARAM *params = NULL;
	EVP_PKEY *key = NULL;
	size_t n = 0;

	snprintf(t->what, sizeof(t->what), "import key %u as %s, %d to %d", i, type, selections[from], selections[to]);
	step(t, EVP_PKEY_todata(self->keys[i].key[0], selections[from], &params), 0);
	while (params && params[n].key)
		n++;
	if (lost < n)
		params[lost].key = "lost";
	step(t, EVP_PKEY_fromdata_init(ctx), 0);
	step(t, EVP_PKEY_fromdata(ctx, &key, selections[to], params), 0);
	if (key) {
		step(t, EVP_PKEY_get_bits(key), 0);
		step(t, EVP_PKEY_eq(key, self->keys[i].key[ours]), 0);
	}
	EVP_PKEY_free(key);
	OSSL_PARAM_free(params);
	EVP_PKEY_CTX_free(ctx);
}

static void call_generate(FIXTURE_DATA(malformed) *self, int ours, struct trace *t)
{
	static const char *const names[] = { "P-256", "prime256v1", "x25519", "bogus", "", "secp384r1", "ffdhe2048" };
	const char *type = types[2 + draw(self, 4)], *name = PICK(self, names);
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(ours ? self->b.ours : self->b.stock, type, NULL);
	OSSL_PARAM params[2] = { OSSL_PARAM_construct_utf8_string("group", (char *)name, 0), OSSL_PARAM_END };
	bool only = !draw(self, 3);
	EVP_PKEY *key = NULL;

	snprintf(t->what, sizeof(t->what), "generate %s %s%s", type, name, only ? " (parameters)" : "");
	step(t, (only ? EVP_PKEY_paramgen_init : EVP_PKEY_keygen_init)(ctx), 0);
	if (draw(self, 4))
		step(t, EVP_PKEY_CTX_set_params(ctx, params), 0);
	step(t, EVP_PKEY_generate(ctx, &key), 0);
	if (key)
		step(t, EVP_PKEY_get_bits(key), 0);
	EVP_PKEY_free(key);
	EVP_PKEY_CTX_free(ctx);
}

static void (*const calls[])(FIXTURE_DATA(malformed) *self, int ours, struct trace *t) = {
	call_transform, call_transform, call_derive, call_message, call_verify, call_import, call_generate,
};

TEST_F(malformed, calls_return_what_they_return_without_us)
{
	unsigned int i, kind, good = 0;
	struct trace t[2];
	int ours;

	for (i = 0; i < CALLS; i++) {
		memset(t, 0, sizeof(t));
		for (ours = 0; ours < 2; ours++) {
			self->at = self->seed * 7919 + i * 104729u;
			kind = draw(self, COUNT(calls));
			calls[kind](self, ours, &t[ours]);
		}
		EXPECT_EQ(t[0].n, t[1].n) TH_LOG("call %u: %s", i, t[0].what);
		for (kind = 0; kind < t[0].n; kind++) {
			good += t[0].ret[kind] > 0;
			EXPECT_EQ(t[0].ret[kind], t[1].ret[kind]) TH_LOG("call %u, step %u: %s", i, kind, t[0].what);
			EXPECT_EQ(t[0].len[kind], t[1].len[kind]) TH_LOG("call %u, step %u: %s", i, kind, t[0].what);
		}
		ERR_clear_error();
	}
	/* Not all of them are refused. */
	EXPECT_LT(CALLS, good);
	if (emulated())
		EXPECT_LT(20, sim(&self->b));
}

TEST_HARNESS_MAIN
