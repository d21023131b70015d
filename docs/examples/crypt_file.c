// SPDX-License-Identifier: Apache-2.0
/*
 * Encrypts and authenticates a file, or verifies and decrypts one:
 *   crypt_file -e|-d KEYFILE IN OUT          KEYFILE: 32 secret bytes
 * OUT appears when it is complete. Until then the data is in OUT.part, which an error or Ctrl-C removes.
 *
 * A salt gives a key for this file only (HMAC-SHA256). Pieces of 64 KiB are sealed with AES-256-GCM; the nonce is the
 * piece's number. The number and "is the last" are authenticated, so that pieces can't be exchanged, dropped or added.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wd_aead.h>
#include <wd_digest.h>

#define MAGIC	"wdcrypt1"
#define SALT	32
#define KEY	32
#define TAG	16
#define ASSOC	9	/* number and last */
#define PIECE	65536

static int report(handle_t sess, const char *what, int err)
{
	char detail[256] = "";

	wd_error_detail(sess, detail, sizeof(detail));
	fprintf(stderr, "crypt_file: %s: %s (%s)\n", what, wd_status_str(err), detail);
	return -1;
}

static int complain(const char *name, const char *what)
{
	fprintf(stderr, "crypt_file: %s: %s\n", name, what);
	return -1;
}

static int read_key(const char *name, unsigned char key[KEY])
{
	FILE *f = fopen(name, "rb");
	size_t n;

	if (!f)
		return complain(name, strerror(errno));
	/* Not buffered: no copy of the key stays behind in a buffer. */
	setvbuf(f, NULL, _IONBF, 0);
	n = fread(key, 1, KEY, f);
	fclose(f);
	return n == KEY ? 0 : complain(name, "has less than 32 bytes");
}

/* This file's own key: the same nonces in another file do no harm. */
static int derive_key(const unsigned char master[KEY], const unsigned char salt[SALT], unsigned char key[KEY])
{
	struct wd_digest_sess_setup setup = { .alg = WD_DIGEST_SHA256, .mode = WD_DIGEST_HMAC, .op_type = WD_SYNC };
	handle_t sess = wd_digest_alloc_sess(&setup, NULL);
	size_t n = KEY;
	struct wd_digest_arg arg = { .src = (void *)salt, .src_len = SALT, .dst = key, .dst_len = &n };
	int ret;

	if (!sess)
		return report(0, "wd_digest_alloc_sess", -errno);
	ret = wd_digest_set_key(sess, master, KEY);
	if (!ret)
		ret = wd_digest_sync(sess, &arg);
	if (ret)
		report(sess, "the file's key", ret);
	wd_digest_free_sess(sess);
	return ret;
}

static handle_t open_session(const unsigned char key[KEY])
{
	struct wd_aead_sess_setup setup = { .calg = WD_CIPHER_AES, .cmode = WD_CIPHER_GCM, .op_type = WD_SYNC };
	handle_t sess = wd_aead_alloc_sess(&setup, NULL);	/* NULL: any device, or the software path */
	int ret;

	if (!sess) {
		report(0, "wd_aead_alloc_sess", -errno);
		return 0;
	}
	ret = wd_aead_set_ckey(sess, key, KEY);
	if (!ret)
		return sess;
	report(sess, "wd_aead_set_ckey", ret);
	wd_aead_free_sess(sess);
	return 0;
}

/* In place: buf has room in front of the piece for the data that is authenticated only. */
static int seal(handle_t sess, int op, unsigned char *buf, size_t len, unsigned char *tag, uint64_t number, int last)
{
	unsigned char nonce[12] = { 0 };
	size_t n = ASSOC + len;
	struct wd_aead_arg arg = {
		.src = buf, .src_len = n, .dst = buf, .dst_len = &n, .assoc_len = ASSOC,
		.iv = nonce, .iv_len = sizeof(nonce), .mac = tag, .mac_len = TAG, .op = (__u32)op,
	};
	int i, ret;

	for (i = 0; i < 8; i++)
		buf[i] = nonce[11 - i] = (unsigned char)(number >> 8 * i);
	buf[8] = (unsigned char)last;
	ret = wd_aead_sync(sess, &arg);
	if (!number && !ret)
		fprintf(stderr, "crypt_file: done by %s (%s)\n", wd_path_str(arg.path),
			wd_path_reason_str(arg.path_reason));
	return ret;
}

/* Piece by piece; each sealed piece is followed by its tag. */
static int crypt_pieces(handle_t sess, int op, FILE *in, FILE *out, unsigned char *buf)
{
	size_t whole = op == WD_CIPHER_ENCRYPTION ? PIECE : PIECE + TAG;
	unsigned char tag[TAG];
	uint64_t number;
	int last, ret;

	for (number = 0, last = 0; !last; number++) {
		size_t len = fread(buf + ASSOC, 1, whole, in);
		int next = len == whole ? getc(in) : EOF;

		if (ferror(in))
			return complain("reading", strerror(errno));
		last = next == EOF;
		if (!last)
			ungetc(next, in);
		if (op == WD_CIPHER_DECRYPTION) {
			if (len < TAG)
				return complain("input", "is cut off");
			len -= TAG;
			memcpy(tag, buf + ASSOC + len, TAG);
		}
		ret = seal(sess, op, buf, len, tag, number, last);
		if (ret == -EBADMSG)
			return complain("input", "is not what was encrypted with this key");
		if (ret)
			return report(sess, "wd_aead_sync", ret);
		fwrite(buf + ASSOC, 1, len, out);
		if (op == WD_CIPHER_ENCRYPTION)
			fwrite(tag, 1, TAG, out);
		if (ferror(out))
			return complain("writing", strerror(errno));
	}
	return 0;
}

static int salt_exchange(int op, FILE *in, FILE *out, unsigned char salt[SALT])
{
	char magic[sizeof(MAGIC)] = "";

	if (op == WD_CIPHER_ENCRYPTION) {
		if (getrandom(salt, SALT, 0) != SALT)
			return complain("getrandom", strerror(errno));
		fwrite(MAGIC, 1, strlen(MAGIC), out);
		return fwrite(salt, 1, SALT, out) == SALT ? 0 : complain("writing", strerror(errno));
	}
	if (fread(magic, 1, strlen(MAGIC), in) != strlen(MAGIC) || strcmp(magic, MAGIC) ||
	    fread(salt, 1, SALT, in) != SALT)
		return complain("input", "was not made by crypt_file");
	return 0;
}

static int crypt_files(int op, const unsigned char master[KEY], FILE *in, FILE *out)
{
	static unsigned char buf[ASSOC + PIECE + TAG];
	unsigned char salt[SALT], key[KEY];
	handle_t sess;
	int ret = salt_exchange(op, in, out, salt);

	if (!ret)
		ret = derive_key(master, salt, key);
	sess = ret ? 0 : open_session(key);
	explicit_bzero(key, sizeof(key));
	if (!sess)
		return -1;
	ret = crypt_pieces(sess, op, in, out, buf);
	explicit_bzero(buf, sizeof(buf));
	wd_aead_free_sess(sess);
	return ret;
}

/* The file that is being written, under this name so far. */
static char part[PATH_MAX];

static void stopped(int sig)
{
	unlink(part);
	raise(sig);
}

/* An ignored signal (nohup) stays ignored. */
static void listen_to(int sig)
{
	struct sigaction old, act = { .sa_handler = stopped, .sa_flags = SA_RESETHAND };

	sigemptyset(&act.sa_mask);
	if (!sigaction(sig, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(sig, &act, NULL);
}

/* OUT must not be a file that is read, under any name. A device or a pipe can't be replaced. */
static int check_out(const char *to, const char *key, const char *from)
{
	const char *const read[] = { key, from };
	struct stat out, in;
	unsigned int i;

	if (stat(to, &out))
		return 0;
	for (i = 0; i < 2; i++)
		if (!stat(read[i], &in) && in.st_dev == out.st_dev && in.st_ino == out.st_ino) {
			fprintf(stderr, "crypt_file: %s and %s are the same file\n", read[i], to);
			return -1;
		}
	return S_ISREG(out.st_mode) ? 0 : complain(to, "is not a regular file");
}

static FILE *part_open(const char *to)
{
	FILE *out;

	if (snprintf(part, sizeof(part), "%s.part", to) >= (int)sizeof(part)) {
		complain(to, strerror(ENAMETOOLONG));
		return NULL;
	}
	out = fopen(part, "wbx");
	if (!out) {
		complain(part, strerror(errno));
		return NULL;
	}
	listen_to(SIGHUP);
	listen_to(SIGINT);
	listen_to(SIGTERM);
	return out;
}

static int crypt_names(int op, const unsigned char master[KEY], const char *from, const char *to)
{
	FILE *in = fopen(from, "rb"), *out;
	int ret;

	if (!in)
		return complain(from, strerror(errno));
	out = part_open(to);
	if (!out) {
		fclose(in);
		return -1;
	}
	/* Unbuffered: the pieces are large, and the secrets in them stay in one place. */
	setvbuf(in, NULL, _IONBF, 0);
	setvbuf(out, NULL, _IONBF, 0);
	ret = crypt_files(op, master, in, out);
	fclose(in);
	if (fclose(out) && !ret)
		ret = complain(part, strerror(errno));
	if (!ret && rename(part, to))
		ret = complain(to, strerror(errno));
	/* The pieces verified so far aren't the whole file: nothing may take them for it. */
	if (ret)
		unlink(part);
	return ret;
}

int main(int argc, char **argv)
{
	unsigned char master[KEY];
	int op, ret;

	if (argc != 5 || (strcmp(argv[1], "-e") && strcmp(argv[1], "-d"))) {
		fprintf(stderr, "usage: crypt_file -e|-d KEYFILE IN OUT\n");
		return 1;
	}
	op = argv[1][1] == 'e' ? WD_CIPHER_ENCRYPTION : WD_CIPHER_DECRYPTION;
	ret = check_out(argv[4], argv[2], argv[3]);
	if (!ret)
		ret = read_key(argv[2], master);
	if (!ret)
		ret = crypt_names(op, master, argv[3], argv[4]);
	explicit_bzero(master, sizeof(master));
	return ret ? 1 : 0;
}
