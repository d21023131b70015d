// SPDX-License-Identifier: Apache-2.0
/* Two sides agree on a secret by Diffie-Hellman in the group ffdhe2048 (RFC 7919), with ephemeral private values. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <wd_dh.h>

#define K 256	   /* bytes of the group's p, of public values and of the secret */
#define PRIVATE 32 /* bytes: 225 bits or more, as RFC 7919, appendix A.1, says */

struct side {
	handle_t sess;
	unsigned char share[K], secret[K];
};

static int report(handle_t sess, const char *what, int err)
{
	char detail[256] = "";

	wd_error_detail(sess, detail, sizeof(detail));
	fprintf(stderr, "agree: %s: %s (%s)\n", what, wd_status_str(err), detail);
	return -1;
}

/* The private value stays in the session only. */
static int begin(struct side *side)
{
	struct wd_dh_sess_setup setup = { .group = WD_DH_FFDHE2048, .op_type = WD_SYNC };
	unsigned char x[PRIVATE];
	struct wd_number private = { x, sizeof(x) };
	int ret;

	side->sess = wd_dh_alloc_sess(&setup, NULL); /* NULL: any device, or the software path */
	if (!side->sess)
		return report(0, "wd_dh_alloc_sess", -errno);
	if (getrandom(x, sizeof(x), 0) != sizeof(x)) {
		perror("agree: getrandom");
		return -1;
	}
	x[0] |= 0x80;
	ret = wd_dh_set_key(side->sess, &private);
	explicit_bzero(x, sizeof(x));
	return ret ? report(side->sess, "wd_dh_set_key", ret) : 0;
}

/* peer: the other side's public value; NULL to compute one's own. */
static int compute(struct side *side, const unsigned char *peer, unsigned char *result)
{
	size_t len = K;
	struct wd_dh_arg arg = {
		.op = peer ? WD_DH_SHARED : WD_DH_PUBLIC, .src = peer, .src_len = peer ? K : 0, .dst = result,
		.dst_len = &len,
	};
	int ret = wd_dh_sync(side->sess, &arg);

	if (ret)
		return report(side->sess, "wd_dh_sync", ret);
	printf("%s by %s (%s)\n", peer ? "secret" : "public value", wd_path_str(arg.path),
	       wd_path_reason_str(arg.path_reason));
	return 0;
}

static int agree(struct side *a, struct side *b)
{
	if (begin(a) || begin(b) || compute(a, NULL, a->share) || compute(b, NULL, b->share) ||
	    compute(a, b->share, a->secret) || compute(b, a->share, b->secret))
		return 1;
	if (memcmp(a->secret, b->secret, K)) {
		fprintf(stderr, "agree: the secrets differ\n");
		return 1;
	}
	printf("both sides have the same secret of %d bytes\n", K);
	return 0;
}

int main(void)
{
	struct side sides[2] = { 0 };
	int i, ret = agree(&sides[0], &sides[1]);

	for (i = 0; i < 2; i++)
		if (sides[i].sess)
			wd_dh_free_sess(sides[i].sess);
	explicit_bzero(sides, sizeof(sides));
	return ret;
}
