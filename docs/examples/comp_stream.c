// SPDX-License-Identifier: Apache-2.0
/* A filter that compresses standard input to standard output (-d: decompresses), in pieces. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wd_comp.h>

static unsigned char in[65536], out[65536];

/* One call takes as much input as it can and gives as much output as fits; it returns 1 when the stream has ended. */
static int step(handle_t sess, bool compress, size_t *used, size_t len, bool last)
{
	size_t src_len = len - *used, dst_len = sizeof(out);
	struct wd_comp_strm strm = {
		.src = in + *used,
		.src_len = &src_len,
		.dst = out,
		.dst_len = &dst_len,
		.last = last,
	};
	int ret;

	ret = compress ? wd_strm_compress(sess, &strm) : wd_strm_decompress(sess, &strm);
	if (ret < 0)
		return ret;
	*used += src_len;
	if (fwrite(out, 1, dst_len, stdout) != dst_len)
		return -EIO;
	/* All room was used, so output may be left: call again even without input. */
	if (!ret && (*used < len || dst_len == sizeof(out) || last))
		return -EAGAIN;
	return ret;
}

static int run(handle_t sess, bool compress)
{
	size_t len, used;
	bool last;
	int ret;

	do {
		len = fread(in, 1, sizeof(in), stdin);
		if (ferror(stdin))
			return -EIO;
		last = len < sizeof(in);
		used = 0;
		do {
			ret = step(sess, compress, &used, len, last);
		} while (ret == -EAGAIN);
	} while (!ret && !last);
	return ret < 0 ? ret : fflush(stdout) ? -EIO : 0;
}

int main(int argc, char **argv)
{
	bool compress = !(argc == 2 && !strcmp(argv[1], "-d"));
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_GZIP,
		.op_type = WD_SYNC,
		.dir_type = compress ? WD_DIR_COMPRESS : WD_DIR_DECOMPRESS,
		.comp_lv = 6,
		.win_size = WD_COMP_WS_32K,
		.data_fmt = WD_FLAT_BUF,
	};
	char detail[256] = "";
	handle_t sess;
	int ret;

	sess = wd_comp_alloc_sess(&setup, NULL);
	if (!sess) {
		fprintf(stderr, "wd_comp_alloc_sess: %s\n", wd_status_str(-errno));
		return 1;
	}
	ret = run(sess, compress);
	if (ret) {
		wd_error_detail(sess, detail, sizeof(detail));
		fprintf(stderr, "comp_stream: %s (%s)\n", wd_status_str(ret), detail);
	}
	wd_comp_free_sess(sess);
	return ret != 0;
}
