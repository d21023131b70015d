// SPDX-License-Identifier: Apache-2.0
/*
 * Encrypts standard input to standard output with AES-256 in CBC mode and padding (RFC 5652, section 6.3), or decrypts
 * it. The key file has 48 bytes: a key, and an initialization vector, which has to be another one for each encryption.
 * Nothing is authenticated: crypt_file.c does that.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <wd_cipher.h>

#define KEY 32
#define BLOCK 16
#define PART 65536 /* bytes in one call: whole blocks */

static unsigned char part[PART + BLOCK];

static int report(handle_t sess, const char *what, int err)
{
	char detail[256] = "";

	wd_error_detail(sess, detail, sizeof(detail));
	fprintf(stderr, "cbc_stream: %s: %s (%s)\n", what, wd_status_str(err), detail);
	return err;
}

static int read_key(const char *name, unsigned char *key, size_t len)
{
	FILE *f = fopen(name, "rb");
	int good;

	if (!f) {
		perror(name);
		return -1;
	}
	good = fread(key, 1, len, f) == len && fgetc(f) == EOF;
	if (!good)
		fprintf(stderr, "%s: expected %zu bytes\n", name, len);
	fclose(f);
	return good ? 0 : -1;
}

/* The next part of standard input, and whether it is the last one. */
static size_t read_part(int *last)
{
	size_t n = fread(part, 1, PART, stdin);
	int next = fgetc(stdin);

	*last = next == EOF;
	if (next != EOF)
		ungetc(next, stdin);
	return n;
}

static size_t pad(size_t len)
{
	size_t more = BLOCK - len % BLOCK;

	memset(part + len, (int)more, more);
	return len + more;
}

static int unpad(size_t *len)
{
	size_t i, more = part[*len - 1];

	if (!more || more > BLOCK)
		return -EBADMSG;
	for (i = *len - more; i < *len; i++)
		if (part[i] != more)
			return -EBADMSG;
	*len -= more;
	return 0;
}

static int refuse(void)
{
	fprintf(stderr, "cbc_stream: the input was not encrypted with this key\n");
	return -EBADMSG;
}

/* Each part leaves in iv what the next one continues with. */
static int convert(handle_t sess, enum wd_cipher_op op, unsigned char *iv)
{
	size_t n;
	struct wd_cipher_arg arg = {
		.src = part, .dst = part, .dst_len = &n, .iv = iv, .iv_len = BLOCK, .op = op, .flags = WD_CIPHER_CHAIN,
	};
	int last, ret;

	do {
		n = read_part(&last);
		if (ferror(stdin))
			break;
		if (last && op == WD_CIPHER_ENCRYPTION)
			n = pad(n);
		if (!n || n % BLOCK)
			return refuse();
		arg.src_len = n;
		ret = wd_cipher_sync(sess, &arg);
		if (ret)
			return report(sess, "wd_cipher_sync", ret);
		if (last && op == WD_CIPHER_DECRYPTION && unpad(&n))
			return refuse();
	} while (fwrite(part, 1, n, stdout) == n && !last);
	if (ferror(stdin) || fflush(stdout) || ferror(stdout)) {
		perror("cbc_stream");
		return -EIO;
	}
	fprintf(stderr, "cbc_stream: done by %s (%s)\n", wd_path_str(arg.path), wd_path_reason_str(arg.path_reason));
	return 0;
}

int main(int argc, char **argv)
{
	struct wd_cipher_sess_setup setup = { .alg = WD_CIPHER_AES, .mode = WD_CIPHER_CBC, .op_type = WD_SYNC };
	unsigned char key[KEY + BLOCK];
	handle_t sess;
	int ret;

	if (argc != 3 || (strcmp(argv[1], "-e") && strcmp(argv[1], "-d"))) {
		fprintf(stderr, "usage: cbc_stream -e|-d KEYFILE <INPUT >OUTPUT\n");
		return 1;
	}
	if (read_key(argv[2], key, sizeof(key)))
		return 1;
	sess = wd_cipher_alloc_sess(&setup, NULL); /* NULL: any device, or the software path */
	if (!sess) {
		report(0, "wd_cipher_alloc_sess", -errno);
		return 1;
	}
	ret = wd_cipher_set_key(sess, key, KEY);
	if (ret)
		report(sess, "wd_cipher_set_key", ret);
	else
		ret = convert(sess, argv[1][1] == 'e' ? WD_CIPHER_ENCRYPTION : WD_CIPHER_DECRYPTION, key + KEY);
	wd_cipher_free_sess(sess);
	explicit_bzero(key, sizeof(key));
	return ret != 0;
}
