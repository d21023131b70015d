// SPDX-License-Identifier: Apache-2.0
/* Compresses a file in one call, decompresses it again, and prints which path did the work. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wd_comp.h>

static handle_t open_session(enum wd_comp_dir_type direction)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_GZIP,
		.op_type = WD_SYNC,
		.dir_type = direction,
		.comp_lv = 6,
		.win_size = WD_COMP_WS_32K,
		.data_fmt = WD_FLAT_BUF,
	};

	return wd_comp_alloc_sess(&setup, NULL);	/* NULL: any device, or the software path */
}

/* wd_error_detail() describes every failure. */
static int report(handle_t sess, const char *what, int err)
{
	char detail[256] = "";

	wd_error_detail(sess, detail, sizeof(detail));
	fprintf(stderr, "%s: %s (%s)\n", what, wd_status_str(err), detail);
	return -1;
}

static void *read_file(const char *name, size_t *len)
{
	FILE *f = fopen(name, "rb");
	char *data = NULL;
	long size;

	if (!f)
		return NULL;
	if (!fseek(f, 0, SEEK_END) && (size = ftell(f)) >= 0 && !fseek(f, 0, SEEK_SET)) {
		data = malloc(size + 1);
		if (data)
			*len = fread(data, 1, size, f);
	}
	fclose(f);
	return data;
}

static int round_trip(handle_t comp, handle_t decomp, void *plain, size_t len)
{
	size_t packed_len = wd_comp_bound(comp, len), again_len = len + 1;
	void *packed = malloc(packed_len), *again = malloc(again_len);
	struct wd_comp_arg arg = {
		.src = plain,
		.src_len = len,
		.dst = packed,
		.dst_len = &packed_len,
	};
	int ret = -ENOMEM;

	if (!packed || !again)
		goto out;
	ret = wd_compress(comp, &arg);
	if (ret) {
		ret = report(comp, "wd_compress", ret);
		goto out;
	}
	printf("%zu -> %zu bytes, path %s (%s)\n", len, packed_len, wd_path_str(arg.path),
	       wd_path_reason_str(arg.path_reason));

	arg = (struct wd_comp_arg){
		.src = packed,
		.src_len = packed_len,
		.dst = again,
		.dst_len = &again_len,
	};
	ret = wd_decompress(decomp, &arg);
	if (ret)
		ret = report(decomp, "wd_decompress", ret);
	else if (again_len != len || memcmp(again, plain, len))
		ret = -EIO;
out:
	free(again);
	free(packed);
	return ret;
}

int main(int argc, char **argv)
{
	handle_t comp, decomp;
	size_t len = 0;
	void *plain;
	int ret = 1;

	plain = argc == 2 ? read_file(argv[1], &len) : NULL;
	if (!plain) {
		fprintf(stderr, "usage: comp_block FILE\n");
		return 1;
	}
	comp = open_session(WD_DIR_COMPRESS);
	decomp = open_session(WD_DIR_DECOMPRESS);
	if (comp && decomp)
		ret = round_trip(comp, decomp, plain, len) != 0;
	else
		report(0, "wd_comp_alloc_sess", -errno);
	if (decomp)
		wd_comp_free_sess(decomp);
	if (comp)
		wd_comp_free_sess(comp);
	free(plain);
	return ret;
}
