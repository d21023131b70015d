// SPDX-License-Identifier: Apache-2.0
/* What verifying a device's results costs the caller's CPU, beside compressing and decompressing there. */
#include <errno.h>
#include <stdlib.h>
#include "bench.h"
#include "direct.h"

#define ROUNDS	11
#define SIZE	(1u << 20)
#define ROOM	(2 * SIZE)
#define GZIP_HEADER	10
#define GZIP_TRAILER	8

/* raw: what the direct call gets, which knows no headers. */
struct job {
	const unsigned char *src, *raw;
	size_t size, raw_size;
	unsigned char *dst;
	handle_t plain, verified;
	int (*call)(handle_t sess, struct wd_comp_arg *arg);
	struct direct *direct;
};

static unsigned long long request_ns(const struct job *j, handle_t sess)
{
	size_t len = ROOM;
	struct wd_comp_arg a = { .src = j->src, .src_len = j->size, .dst = j->dst, .dst_len = &len };
	unsigned long long start = cpu_ns();
	int ret = j->call(sess, &a);

	if (ret || a.path != WD_PATH_SIM)
		die("a request on an emulated device", ret);
	return cpu_ns() - start;
}

/* The device works elsewhere: what the two sessions differ in is the verification. */
static unsigned long long verify_ns(void *arg, unsigned int n)
{
	unsigned long long with = 0, without = 0;
	struct job *j = arg;

	while (n--) {
		with += request_ns(j, j->verified);
		without += request_ns(j, j->plain);
	}
	return with > without ? with - without : 0;
}

static unsigned long long direct_ns(void *arg, unsigned int n)
{
	struct job *j = arg;
	unsigned long long start = cpu_ns();

	while (n--)
		direct_run(j->direct, j->raw, j->raw_size, j->dst, ROOM);
	return cpu_ns() - start;
}

static handle_t session(int dir, __u32 flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_GZIP, .op_type = WD_SYNC, .dir_type = (__u8)dir, .comp_lv = 1,
		.win_size = WD_COMP_WS_32K, .flags = WD_SESS_PATH_HW | flags,
	};
	handle_t sess = wd_comp_alloc_sess(&setup, NULL);

	if (!sess)
		die("wd_comp_alloc_sess", -errno);
	return sess;
}

static void measure(struct job *j, const char *name, int level, bool stream)
{
	struct pair p;

	j->direct = direct_open(level, stream);
	p = measure_pair(verify_ns, j, direct_ns, j, 8, ROUNDS);
	row(name, p.ours, "ns/MiB", p.floor);
	direct_close(j->direct);
}

int verify_rows(int argc, char **argv)
{
	unsigned char *text = malloc(SIZE), *packed = malloc(ROOM);
	struct job j = {
		.src = text, .size = SIZE, .raw = text, .raw_size = SIZE, .dst = malloc(ROOM), .call = wd_compress,
	};
	size_t len = ROOM;
	struct wd_comp_arg a = { .src = text, .src_len = SIZE, .dst = packed, .dst_len = &len };

	(void)argc, (void)argv;
	if (!text || !packed || !j.dst)
		die("malloc", -ENOMEM);
	text_fill(text, SIZE);
	j.plain = session(WD_DIR_COMPRESS, 0);
	j.verified = session(WD_DIR_COMPRESS, WD_SESS_VERIFY);
	measure(&j, "verify.deflate.zlib6", 6, true);
	measure(&j, "verify.deflate.isal1", 1, false);
	if (wd_compress(j.plain, &a))
		die("wd_compress", a.status);
	wd_comp_free_sess(j.plain);
	wd_comp_free_sess(j.verified);
	j.plain = session(WD_DIR_DECOMPRESS, 0);
	j.verified = session(WD_DIR_DECOMPRESS, WD_SESS_VERIFY);
	j.call = wd_decompress;
	j.src = packed;
	j.size = len;
	j.raw = packed + GZIP_HEADER;
	j.raw_size = len - GZIP_HEADER - GZIP_TRAILER;
	measure(&j, "verify.inflate.libdeflate", 0, false);
	wd_comp_free_sess(j.plain);
	wd_comp_free_sess(j.verified);
	free(text);
	free(packed);
	free(j.dst);
	return 0;
}
