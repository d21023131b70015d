// SPDX-License-Identifier: Apache-2.0
/* Opens transforms of the kernel's AES-CBC, all at once, and encrypts a published vector with each. */
/*
 *	alg_client DRIVER COUNT
 */
#include <linux/if_alg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BYTES		16
#define COUNT_MAX	64

/* NIST SP 800-38A, F.2.1 */
static const unsigned char key[BYTES] = {
	0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c,
};
static const unsigned char plain[BYTES] = {
	0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a,
};
static const unsigned char cipher[BYTES] = {
	0x76, 0x49, 0xab, 0xac, 0x81, 0x19, 0xb2, 0x46, 0xce, 0xe9, 0x8e, 0x9b, 0x12, 0xe9, 0x19, 0x7d,
};

/* Returns the socket of a transform with the key, or -1. */
static int transform_open(const char *driver)
{
	struct sockaddr_alg addr = { .salg_family = AF_ALG, .salg_type = "skcipher" };
	int fd = socket(AF_ALG, SOCK_SEQPACKET, 0);

	snprintf((char *)addr.salg_name, sizeof(addr.salg_name), "%s", driver);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ||
	    setsockopt(fd, SOL_ALG, ALG_SET_KEY, key, sizeof(key)))
		return -1;
	return fd;
}

static void control_set(struct msghdr *msg)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(msg);
	struct af_alg_iv *iv;

	c->cmsg_level = SOL_ALG;
	c->cmsg_type = ALG_SET_OP;
	c->cmsg_len = CMSG_LEN(sizeof(__u32));
	*(__u32 *)CMSG_DATA(c) = ALG_OP_ENCRYPT;
	c = CMSG_NXTHDR(msg, c);
	c->cmsg_level = SOL_ALG;
	c->cmsg_type = ALG_SET_IV;
	c->cmsg_len = CMSG_LEN(sizeof(*iv) + BYTES);
	iv = (struct af_alg_iv *)CMSG_DATA(c);
	iv->ivlen = BYTES;
	for (int i = 0; i < BYTES; i++)
		iv->iv[i] = (unsigned char)i;
}

static int encrypts(int transform)
{
	char control[CMSG_SPACE(sizeof(__u32)) + CMSG_SPACE(sizeof(struct af_alg_iv) + BYTES)] = { 0 };
	struct iovec iov = { .iov_base = (void *)plain, .iov_len = BYTES };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control),
	};
	unsigned char out[BYTES];
	int fd = accept(transform, NULL, NULL), ok;

	control_set(&msg);
	ok = fd >= 0 && sendmsg(fd, &msg, 0) == BYTES && read(fd, out, BYTES) == BYTES && !memcmp(out, cipher, BYTES);
	close(fd);
	return ok;
}

int main(int argc, char **argv)
{
	int count = argc == 3 ? atoi(argv[2]) : 0, fds[COUNT_MAX], i;

	if (count < 1 || count > COUNT_MAX) {
		fprintf(stderr, "usage: alg_client DRIVER COUNT\n");
		return 2;
	}
	for (i = 0; i < count; i++) {
		fds[i] = transform_open(argv[1]);
		if (fds[i] < 0) {
			fprintf(stderr, "alg_client: transform %d of %s: %m\n", i, argv[1]);
			return 1;
		}
	}
	for (i = 0; i < count; i++) {
		if (!encrypts(fds[i])) {
			fprintf(stderr, "alg_client: transform %d of %s doesn't encrypt: %m\n", i, argv[1]);
			return 1;
		}
	}
	return 0;
}
