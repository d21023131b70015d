// SPDX-License-Identifier: Apache-2.0
/*
 * Handshakes between a server that prefers the provider and a client without it, in both roles: groups and
 * certificates.
 */
#include <openssl/async.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "provider_test.h"
#include "kselftest_harness.h"

FIXTURE(tls) {
	struct both b;
	EVP_PKEY *key;
	X509 *cert;
};

FIXTURE_SETUP(tls)
{
	ASSERT_TRUE(both_open(&self->b)) errors_print();
}

FIXTURE_TEARDOWN(tls)
{
	X509_free(self->cert);
	EVP_PKEY_free(self->key);
	both_close(&self->b);
}

static void certify(FIXTURE_DATA(tls) *self, const char *type, const char *group, size_t bits)
{
	X509_NAME *name = X509_NAME_new();

	X509_free(self->cert);
	EVP_PKEY_free(self->key);
	self->key = key_make(self->b.ours, type, group, bits);
	self->cert = X509_new_ex(self->b.ours, NULL);
	X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (unsigned char *)"localhost", -1, -1, 0);
	X509_set_version(self->cert, X509_VERSION_3);
	X509_set_subject_name(self->cert, name);
	X509_set_issuer_name(self->cert, name);
	X509_gmtime_adj(X509_getm_notBefore(self->cert), 0);
	X509_gmtime_adj(X509_getm_notAfter(self->cert), 3600);
	X509_set_pubkey(self->cert, self->key);
	if (!is_ours(self->key) || !X509_sign(self->cert, self->key, EVP_sha256()))
		errors_print();
	X509_NAME_free(name);
}

struct ends {
	SSL_CTX *ctx[2];		/* server, client */
	SSL *ssl[2];
};

static bool ends_open(FIXTURE_DATA(tls) *self, struct ends *e, bool ours_serves, int version, const char *groups)
{
	BIO *bio[2];
	int i;

	BIO_new_bio_pair(&bio[0], 0, &bio[1], 0);
	for (i = 0; i < 2; i++) {
		e->ctx[i] = SSL_CTX_new_ex((i == 0) == ours_serves ? self->b.ours : self->b.stock, NULL, TLS_method());
		SSL_CTX_set_min_proto_version(e->ctx[i], version);
		SSL_CTX_set_max_proto_version(e->ctx[i], version);
		if (!SSL_CTX_set1_groups_list(e->ctx[i], groups))
			return false;
		if (!i && (SSL_CTX_use_certificate(e->ctx[i], self->cert) <= 0 ||
			   SSL_CTX_use_PrivateKey(e->ctx[i], self->key) <= 0))
			return false;
		e->ssl[i] = SSL_new(e->ctx[i]);
		SSL_set_bio(e->ssl[i], bio[i], bio[i]);
	}
	SSL_set_accept_state(e->ssl[0]);
	SSL_set_connect_state(e->ssl[1]);
	return true;
}

static void ends_close(struct ends *e)
{
	int i;

	for (i = 0; i < 2; i++) {
		SSL_free(e->ssl[i]);
		SSL_CTX_free(e->ctx[i]);
	}
}

static bool goes_on(SSL *ssl, int ret)
{
	int error = SSL_get_error(ssl, ret);

	return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE || error == SSL_ERROR_WANT_ASYNC;
}

static bool shake(struct ends *e)
{
	int ret[2];

	do {
		ret[1] = SSL_do_handshake(e->ssl[1]);
		if (ret[1] != 1 && !goes_on(e->ssl[1], ret[1]))
			return false;
		ret[0] = SSL_do_handshake(e->ssl[0]);
		if (ret[0] != 1 && !goes_on(e->ssl[0], ret[0]))
			return false;
	} while (ret[0] != 1 || ret[1] != 1);
	return true;
}

/* A handshake with the path expected for at least so many operations. */
static bool handshake(FIXTURE_DATA(tls) *self, bool ours_serves, int version, const char *groups, unsigned int counted,
		      bool async)
{
	struct ends e = { { NULL, NULL }, { NULL, NULL } };
	uint64_t before = taken(&self->b);
	bool ok = ends_open(self, &e, ours_serves, version, groups);

	if (ok && async)
		SSL_set_mode(e.ssl[ours_serves ? 0 : 1], SSL_MODE_ASYNC);
	ok = ok && shake(&e);
	ends_close(&e);
	if (ok && taken(&self->b) >= before + counted)
		return true;
	printf("# %s, version %x, %s: %s, %llu counted\n", groups,
	       (unsigned int)version, ours_serves ? "server" : "client", ok ? "done" : "failed",
	       (unsigned long long)(taken(&self->b) - before));
	errors_print();
	return false;
}

/* A handshake of a server has a key pair, a secret and a signature. */
TEST_F(tls, each_group)
{
	static const char *const groups[] = { "X25519", "X448", "P-256", "P-384", "P-521", "ffdhe2048" };
	unsigned int i;

	certify(self, "EC", "P-256", 0);
	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		EXPECT_TRUE(handshake(self, true, TLS1_3_VERSION, groups[i], groups[i][0] == 'f' ? 2 : 3, false));
	}
}

TEST_F(tls, each_type_of_certificate_and_version)
{
	certify(self, "RSA", NULL, 2048);
	EXPECT_TRUE(handshake(self, true, TLS1_3_VERSION, "X25519", 3, false));
	EXPECT_TRUE(handshake(self, true, TLS1_2_VERSION, "X25519", 3, false));
	EXPECT_TRUE(handshake(self, true, TLS1_2_VERSION, "P-256", 3, false));
	certify(self, "RSA-PSS", NULL, 2048);
	EXPECT_TRUE(handshake(self, true, TLS1_3_VERSION, "X25519", 3, false));
	/* Version 1.2 wants the certificate's curve among the groups. */
	certify(self, "EC", "P-384", 0);
	EXPECT_TRUE(handshake(self, true, TLS1_2_VERSION, "X25519:P-384", 3, false));
}

/* The groups that need no device, but whose keys are managed here: they must not vanish. */
TEST_F(tls, groups_of_the_default_provider_are_accepted)
{
	certify(self, "RSA", NULL, 2048);
	EXPECT_TRUE(handshake(self, true, TLS1_2_VERSION, "P-224", 1, false));
	EXPECT_TRUE(handshake(self, true, TLS1_2_VERSION, "sect283r1", 1, false));
	EXPECT_TRUE(handshake(self, true, TLS1_2_VERSION, "brainpoolP256r1", 1, false));
}

TEST_F(tls, asynchronous_handshakes)
{
	certify(self, "RSA", NULL, 2048);
	EXPECT_TRUE(handshake(self, true, TLS1_3_VERSION, "X25519", 3, true));
	EXPECT_TRUE(handshake(self, true, TLS1_2_VERSION, "P-256", 3, true));
	certify(self, "EC", "P-256", 0);
	EXPECT_TRUE(handshake(self, true, TLS1_3_VERSION, "P-256", 3, true));
}

/* A client has a key pair and a secret; the server's key is used without the provider. */
TEST_F(tls, a_client)
{
	certify(self, "EC", "P-256", 0);
	EXPECT_TRUE(handshake(self, false, TLS1_3_VERSION, "X25519", 2, false));
	EXPECT_TRUE(handshake(self, false, TLS1_3_VERSION, "P-256", 2, true));
	EXPECT_TRUE(handshake(self, false, TLS1_2_VERSION, "P-384:P-256", 2, false));
}

/* Whole records in both directions, and how many operations they are for devices. */
static bool records(FIXTURE_DATA(tls) *self, int version, const char *suite, bool async, uint64_t *counted)
{
	static unsigned char sent[SSL3_RT_MAX_PLAIN_LENGTH], got[sizeof(sent)];
	struct ends e = { { NULL, NULL }, { NULL, NULL } };
	bool ok = ends_open(self, &e, true, version, "P-256");
	unsigned int i;
	int n;

	for (i = 0; ok && i < 2; i++) {
		ok = version == TLS1_3_VERSION ? SSL_set_ciphersuites(e.ssl[i], suite) :
		     SSL_set_cipher_list(e.ssl[i], suite);
		if (async)
			SSL_set_mode(e.ssl[i], SSL_MODE_ASYNC);
	}
	ok = ok && shake(&e);
	*counted = taken(&self->b);
	for (i = 0; ok && i < 4; i++) {
		memset(sent, 'a' + (int)i, sizeof(sent));
		while ((n = SSL_write(e.ssl[i % 2], sent, sizeof(sent))) <= 0 && goes_on(e.ssl[i % 2], n))
			;
		ok = n == sizeof(sent);
		while (ok && (n = SSL_read(e.ssl[(i + 1) % 2], got, sizeof(got))) <= 0 &&
		       goes_on(e.ssl[(i + 1) % 2], n))
			;
		ok = ok && n == sizeof(got) && !memcmp(sent, got, sizeof(got));
	}
	*counted = taken(&self->b) - *counted;
	ends_close(&e);
	if (!ok)
		errors_print();
	return ok;
}

TEST_F(tls, records_are_the_devices)
{
	static const struct {
		int version;
		const char *suite;
		unsigned int counted;
	} rows[] = {
		{ TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256", 4 }, { TLS1_3_VERSION, "TLS_AES_256_GCM_SHA384", 4 },
		{ TLS1_3_VERSION, "TLS_AES_128_CCM_SHA256", 4 }, { TLS1_2_VERSION, "ECDHE-ECDSA-AES128-GCM-SHA256", 4 },
		{ TLS1_2_VERSION, "ECDHE-ECDSA-AES128-CCM", 4 }, { TLS1_2_VERSION, "ECDHE-ECDSA-AES128-SHA256", 0 },
		/* Later releases refuse tags of 64 bits otherwise. */
		{ TLS1_2_VERSION, "ECDHE-ECDSA-AES128-CCM8:@SECLEVEL=0", 4 },
	};
	uint64_t counted;
	unsigned int i;

	both_close(&self->b);
	setenv("WD_OPENSSL_ALGORITHMS", "pkey ciphers", 1);
	ASSERT_TRUE(both_open(&self->b)) errors_print();
	certify(self, "EC", "P-256", 0);
	for (i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT_TRUE(records(self, rows[i / 2].version, rows[i / 2].suite, i % 2, &counted))
			TH_LOG("%s", rows[i / 2].suite);
		EXPECT_EQ(rows[i / 2].counted, counted) TH_LOG("%s", rows[i / 2].suite);
	}
}

TEST_HARNESS_MAIN
