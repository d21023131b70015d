// SPDX-License-Identifier: Apache-2.0
/*
 * Signs a file with RSA and SHA-256 (RSASSA-PKCS1-v1_5, RFC 8017, section 8.2), and writes the signature to standard
 * output. The key is an RSAPrivateKey in DER (RFC 8017, appendix A.1.2), as written by
 *   openssl rsa -in key.pem -traditional -outform DER -out key.der
 * openssl dgst -sha256 -verify public.pem -signature SIGNATURE FILE verifies the signature.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wd_digest.h>
#include <wd_rsa.h>

#define KEY_MAX 4096 /* bytes of a key file */
#define K_MAX 512    /* bytes of a modulus */
#define HASH 32

static int report(handle_t sess, const char *what, int err)
{
	char detail[256] = "";

	wd_error_detail(sess, detail, sizeof(detail));
	fprintf(stderr, "sign_file: %s: %s (%s)\n", what, wd_status_str(err), detail);
	return err;
}

static int read_file(const char *name, unsigned char **data, size_t *len)
{
	FILE *f = fopen(name, "rb");
	unsigned char *grown;
	size_t room = 0;

	*data = NULL;
	*len = 0;
	do {
		room = 2 * room + KEY_MAX;
		grown = f ? realloc(*data, room) : NULL;
		if (!grown)
			break;
		*data = grown;
		*len += fread(grown + *len, 1, room - *len, f);
	} while (*len == room);
	if (!grown || ferror(f)) {
		perror(name);
		free(*data);
		*data = NULL;
	}
	if (f)
		fclose(f);
	return *data ? 0 : -EIO;
}

/*
 * The content of the next element with that tag at *at, which moves behind it, or to its beginning if it is a sequence.
 */
static int element(const unsigned char **at, const unsigned char *end, int tag, struct wd_number *content)
{
	size_t len, bytes = 0;

	if (end - *at < 2 || *(*at)++ != tag)
		return -EINVAL;
	len = *(*at)++;
	if (len & 0x80)
		for (bytes = len & 0x7f, len = 0; bytes; bytes--) {
			if (*at == end || len > KEY_MAX)
				return -EINVAL;
			len = len << 8 | *(*at)++;
		}
	if (len > (size_t)(end - *at))
		return -EINVAL;
	*content = (struct wd_number){ *at, (__u32)len };
	*at += tag == 0x30 ? 0 : len;
	return 0;
}

static int parse_key(const unsigned char *der, size_t len, struct wd_rsa_key *key)
{
	struct wd_number sequence, version;
	struct wd_number *numbers[] = {
		&version, &key->n, &key->e, &key->d, &key->p, &key->q, &key->dp, &key->dq, &key->qinv
	};
	const unsigned char *at = der, *end = der + len;
	size_t i;

	if (element(&at, end, 0x30, &sequence))
		return -EINVAL;
	end = at + sequence.len;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (element(&at, end, 0x02, numbers[i]))
			return -EINVAL;
	/* Another version has more than two primes. A positive number with its highest bit set begins with a zero. */
	return version.len == 1 && !*(const char *)version.data ? 0 : -EINVAL;
}

static size_t modulus_bytes(const struct wd_rsa_key *key)
{
	return key->n.len - (key->n.len && !*(const char *)key->n.data);
}

static int hash(const void *data, size_t len, unsigned char *digest)
{
	struct wd_digest_sess_setup setup = { .alg = WD_DIGEST_SHA256, .mode = WD_DIGEST_NORMAL, .op_type = WD_SYNC };
	size_t room = HASH;
	struct wd_digest_arg arg = { .src = data, .src_len = len, .dst = digest, .dst_len = &room };
	handle_t sess = wd_digest_alloc_sess(&setup, NULL);
	int ret;

	if (!sess)
		return report(0, "wd_digest_alloc_sess", -errno);
	ret = wd_digest_sync(sess, &arg);
	if (ret)
		report(sess, "wd_digest_sync", ret);
	wd_digest_free_sess(sess);
	return ret;
}

/* EMSA-PKCS1-v1_5: 0, 1, bytes of ones, 0, then the algorithm and the hash. */
static void encode(unsigned char *em, size_t k, const unsigned char *digest)
{
	static const unsigned char sha256[] = {
		0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00,
		0x04, HASH,
	};

	memset(em, 0xff, k);
	em[0] = 0;
	em[1] = 1;
	em[k - HASH - sizeof(sha256) - 1] = 0;
	memcpy(em + k - HASH - sizeof(sha256), sha256, sizeof(sha256));
	memcpy(em + k - HASH, digest, HASH);
}

static int sign(const struct wd_rsa_key *key, const unsigned char *digest)
{
	size_t k = modulus_bytes(key), len = K_MAX;
	struct wd_rsa_sess_setup setup = { .key_bits = (__u32)k * 8, .op_type = WD_SYNC };
	handle_t sess = wd_rsa_alloc_sess(&setup, NULL);
	unsigned char em[K_MAX], signature[K_MAX];
	struct wd_rsa_arg arg = { .op = WD_RSA_SIGN, .src = em, .src_len = k, .dst = signature, .dst_len = &len };
	int ret;

	if (!sess)
		return report(0, "wd_rsa_alloc_sess", -errno);
	ret = wd_rsa_set_key(sess, key);
	if (ret) {
		report(sess, "wd_rsa_set_key", ret);
		goto out;
	}
	encode(em, k, digest);
	ret = wd_rsa_sync(sess, &arg);
	if (ret) {
		report(sess, "wd_rsa_sync", ret);
		goto out;
	}
	fprintf(stderr, "sign_file: done by %s (%s)\n", wd_path_str(arg.path), wd_path_reason_str(arg.path_reason));
	if (fwrite(signature, 1, len, stdout) != len || fflush(stdout)) {
		perror("sign_file");
		ret = -EIO;
	}
out:
	wd_rsa_free_sess(sess);
	return ret;
}

int main(int argc, char **argv)
{
	unsigned char *der = NULL, *data = NULL, digest[HASH];
	struct wd_rsa_key key = { 0 };
	size_t der_len, len;
	int ret = 1;

	if (argc != 3) {
		fprintf(stderr, "usage: sign_file KEY.der FILE >SIGNATURE\n");
		return 1;
	}
	if (read_file(argv[1], &der, &der_len) || read_file(argv[2], &data, &len))
		goto out;
	if (parse_key(der, der_len, &key))
		fprintf(stderr, "%s: expected an RSAPrivateKey in DER, with two primes\n", argv[1]);
	else
		ret = hash(data, len, digest) || sign(&key, digest);
	explicit_bzero(der, der_len);
out:
	free(data);
	free(der);
	return ret;
}
