// SPDX-License-Identifier: Apache-2.0
/* Prints the SHA-256 of files of any length as sha256sum does: each file is a stream, hashed in parts. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <wd_digest.h>

#define PART 65536 /* bytes of a file in one call */

static int report(handle_t sess, const char *what, int err)
{
	char detail[256] = "";

	wd_error_detail(sess, detail, sizeof(detail));
	fprintf(stderr, "hash_file: %s: %s (%s)\n", what, wd_status_str(err), detail);
	return err;
}

static void print(const unsigned char *digest, size_t len, const char *name)
{
	size_t i;

	for (i = 0; i < len; i++)
		printf("%02x", digest[i]);
	printf("  %s\n", name);
}

/* Hashes what can be read. The last part may be empty. */
static int hash_stream(handle_t sess, FILE *in, const char *name, unsigned char *digest, size_t *len)
{
	static unsigned char part[PART];
	struct wd_digest_arg arg = { .src = part, .dst = digest, .dst_len = len };
	int ret;

	do {
		arg.src_len = fread(part, 1, sizeof(part), in);
		if (ferror(in)) {
			perror(name);
			return -EIO;
		}
		ret = feof(in) ? wd_digest_final(sess, &arg) : wd_digest_update(sess, &arg);
		if (ret)
			return report(sess, "wd_digest", ret);
	} while (!feof(in));
	fprintf(stderr, "hash_file: done by %s (%s)\n", wd_path_str(arg.path), wd_path_reason_str(arg.path_reason));
	return 0;
}

static int hash_file(handle_t sess, const char *name)
{
	unsigned char digest[WD_DIGEST_MAX];
	size_t len = sizeof(digest);
	FILE *in = fopen(name, "rb");
	int ret;

	if (!in) {
		perror(name);
		return 1;
	}
	ret = hash_stream(sess, in, name, digest, &len);
	if (ret)
		wd_digest_reset_sess(sess); /* the next file starts a stream of its own */
	else
		print(digest, len, name);
	fclose(in);
	return ret != 0;
}

int main(int argc, char **argv)
{
	struct wd_digest_sess_setup setup = { .alg = WD_DIGEST_SHA256, .mode = WD_DIGEST_NORMAL, .op_type = WD_SYNC };
	handle_t sess;
	int i, ret = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: hash_file FILE...\n");
		return 1;
	}
	sess = wd_digest_alloc_sess(&setup, NULL); /* NULL: any device, or the software path */
	if (!sess) {
		report(0, "wd_digest_alloc_sess", -errno);
		return 1;
	}
	for (i = 1; i < argc; i++)
		ret |= hash_file(sess, argv[i]);
	wd_digest_free_sess(sess);
	return ret;
}
