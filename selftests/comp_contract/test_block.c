// SPDX-License-Identifier: Apache-2.0
/* The contract of whole buffers: wd_compress(), wd_decompress(), sessions and their errors. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "contract.h"

#define LEN 100000
#define ROOM (LEN * 2)

FIXTURE(block) {
	unsigned char *plain, *packed, *again;
};

FIXTURE_SETUP(block)
{
	self->plain = malloc(LEN);
	self->packed = malloc(ROOM + GUARD_BYTES);
	self->again = malloc(ROOM + GUARD_BYTES);
	ASSERT_TRUE(self->plain && self->packed && self->again);
	fill_text(self->plain, LEN, 1);
}

FIXTURE_TEARDOWN(block)
{
	free(self->again);
	free(self->packed);
	free(self->plain);
}

static int run(handle_t sess, bool compress, const void *src, size_t len, void *dst, size_t *dst_len,
	       struct wd_comp_arg *arg)
{
	memset(arg, 0, sizeof(*arg));
	arg->src = (void *)src;
	arg->src_len = len;
	arg->dst = dst;
	arg->dst_len = dst_len;
	return compress ? wd_compress(sess, arg) : wd_decompress(sess, arg);
}

TEST(a_session_with_a_bad_member_is_refused_with_einval_and_words)
{
	struct wd_comp_sess_setup good = setup_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS), s;
	char detail[200];
	int i;

	for (i = 0; i < 9; i++) {
		s = good;
		switch (i) {
		case 0: s.alg_type = 3; break;
		case 1: s.op_type = 2; break;
		case 2: s.dir_type = 2; break;
		case 3: s.comp_lv = 0; break;
		case 4: s.comp_lv = 23; break;
		case 5: s.win_size = 5; break;
		case 6: s.data_fmt = 2; break;
		case 7: s.flags = 0x80000000u; break;
		case 8: s.flags = WD_SESS_PATH_HW | WD_SESS_PATH_SOFT; break;
		}
		errno = 0;
		EXPECT_EQ(0, wd_comp_alloc_sess(&s, NULL)) TH_LOG("case %d", i);
		EXPECT_EQ(EINVAL, errno) TH_LOG("case %d", i);
		EXPECT_GT(wd_error_detail(0, detail, sizeof(detail)), 0);
	}
	errno = 0;
	EXPECT_EQ(0, wd_comp_alloc_sess(NULL, NULL));
	EXPECT_EQ(EINVAL, errno);
}

TEST(level_0_is_accepted_when_decompressing)
{
	struct wd_comp_sess_setup s = setup_of(WD_GZIP, WD_SYNC, WD_DIR_DECOMPRESS);
	handle_t h;

	s.comp_lv = 0;
	h = wd_comp_alloc_sess(&s, NULL);
	ASSERT_NE(0, h);
	EXPECT_EQ(0, wd_comp_free_sess(h));
}

TEST(a_handle_that_is_no_session_is_einval_everywhere)
{
	handle_t freed = sess_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	handle_t bad[] = { 0, 1, ~0ull, 0x1234567812345678ull, freed };
	struct wd_comp_strm strm;
	struct wd_comp_arg arg, *args[1] = { &arg };
	size_t len = 10, n = 10, i;
	char buf[16];

	ASSERT_NE(0, freed);
	ASSERT_EQ(0, wd_comp_free_sess(freed));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memset(&strm, 0, sizeof(strm));
		strm.src = buf;
		strm.src_len = &n;
		strm.dst = buf;
		strm.dst_len = &len;
		EXPECT_EQ(-EINVAL, run(bad[i], true, buf, 10, buf, &len, &arg)) TH_LOG("handle %zu", i);
		EXPECT_EQ(-EINVAL, run(bad[i], false, buf, 10, buf, &len, &arg));
		EXPECT_EQ(-EINVAL, wd_strm_compress(bad[i], &strm));
		EXPECT_EQ(-EINVAL, wd_strm_decompress(bad[i], &strm));
		EXPECT_EQ(-EINVAL, wd_comp_async(bad[i], &arg, NULL));
		EXPECT_EQ(-EINVAL, wd_comp_async_burst(bad[i], args, 1, NULL));
		EXPECT_EQ(-EINVAL, wd_comp_reset_sess(bad[i]));
		EXPECT_EQ(-EINVAL, wd_comp_free_sess(bad[i]));
		EXPECT_EQ(-EINVAL, wd_comp_wait(bad[i], 1));
		EXPECT_EQ(-EINVAL, wd_comp_wakeup(bad[i]));
		EXPECT_EQ(-EINVAL, wd_comp_sess_caps(bad[i]));
		errno = 0;
		EXPECT_EQ(0, wd_comp_bound(bad[i], 1));
		EXPECT_EQ(EINVAL, errno);
	}
}

TEST_F(block, a_call_that_the_session_is_not_for_is_einval)
{
	handle_t comp = sess_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	handle_t decomp = sess_of(WD_GZIP, WD_SYNC, WD_DIR_DECOMPRESS);
	handle_t async = sess_of(WD_GZIP, WD_ASYNC, WD_DIR_COMPRESS);
	struct wd_comp_arg arg;
	size_t len = ROOM;

	EXPECT_EQ(-EINVAL, run(comp, false, self->plain, LEN, self->packed, &len, &arg));
	EXPECT_EQ(0, len);
	EXPECT_EQ(WD_COMP_PARMS, arg.status);
	len = ROOM;
	EXPECT_EQ(-EINVAL, run(decomp, true, self->plain, LEN, self->packed, &len, &arg));
	len = ROOM;
	EXPECT_EQ(-EINVAL, run(async, true, self->plain, LEN, self->packed, &len, &arg));
	len = ROOM;
	EXPECT_EQ(-EINVAL, wd_comp_async(comp, &arg, NULL));
	wd_comp_free_sess(async);
	wd_comp_free_sess(decomp);
	wd_comp_free_sess(comp);
}

TEST_F(block, a_request_with_a_bad_member_is_einval_and_produces_nothing)
{
	handle_t sess = sess_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	struct wd_comp_arg arg;
	size_t len;
	char detail[200];

	len = ROOM;
	EXPECT_EQ(-EINVAL, run(sess, true, NULL, 1, self->packed, &len, &arg));
	EXPECT_EQ(0, len);
	EXPECT_GT(wd_error_detail(sess, detail, sizeof(detail)), 0);
	len = ROOM;
	EXPECT_EQ(-EINVAL, run(sess, true, self->plain, LEN, NULL, &len, &arg));
	EXPECT_EQ(-EINVAL, run(sess, true, self->plain, LEN, self->packed, NULL, &arg));
	EXPECT_EQ(-EINVAL, wd_compress(sess, NULL));
	len = ROOM;
	memset(&arg, 0, sizeof(arg));
	arg.src = self->plain;
	arg.src_len = LEN;
	arg.dst = self->packed;
	arg.dst_len = &len;
	arg.flags = 1u << 31;
	EXPECT_EQ(-EINVAL, wd_compress(sess, &arg));
	EXPECT_EQ(0, len);
	wd_comp_free_sess(sess);
}

TEST_F(block, errno_is_left_alone)
{
	handle_t sess = sess_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	struct wd_comp_arg arg;
	size_t len = ROOM;

	errno = 4242;
	EXPECT_EQ(0, run(sess, true, self->plain, LEN, self->packed, &len, &arg));
	EXPECT_EQ(4242, errno);
	len = 1;
	EXPECT_EQ(-ENOSPC, run(sess, true, self->plain, LEN, self->packed, &len, &arg));
	EXPECT_EQ(4242, errno);
	EXPECT_EQ(-EINVAL, wd_compress(0, &arg));
	EXPECT_EQ(4242, errno);
	EXPECT_EQ(0, wd_comp_free_sess(sess));
	EXPECT_EQ(4242, errno);
}

TEST_F(block, every_level_and_window_of_every_algorithm_is_readable_by_zlib)
{
	struct wd_comp_sess_setup s;
	struct wd_comp_arg arg;
	size_t a, len, used;
	int level, win;
	handle_t sess;

	for (a = 0; a < sizeof(all_algs); a++) {
		for (level = 1; level <= 22; level++) {
			win = level % 5;
			s = setup_of(all_algs[a], WD_SYNC, WD_DIR_COMPRESS);
			s.comp_lv = level;
			s.win_size = win;
			sess = wd_comp_alloc_sess(&s, NULL);
			ASSERT_NE(0, sess);
			len = ROOM;
			ASSERT_EQ(0, run(sess, true, self->plain, LEN, self->packed, &len, &arg))
				TH_LOG("alg %d level %d win %d", all_algs[a], level, win);
			EXPECT_EQ(LEN, arg.consumed);
			EXPECT_EQ(WD_COMP_OK, arg.status);
			EXPECT_LT(len, LEN);
			ASSERT_EQ(LEN, judge_inflate(all_algs[a], self->packed, len, self->again, ROOM, &used));
			EXPECT_EQ(len, used);
			EXPECT_EQ(0, memcmp(self->plain, self->again, LEN));
			EXPECT_EQ(0, wd_comp_free_sess(sess));
		}
	}
}

TEST_F(block, every_size_comes_back_the_same)
{
	static const size_t sizes[] = { 0, 1, 2, 3, 7, 255, 256, 4095, 4096, 4097, 32767, 32768, 65535, 65536, 65537, LEN };
	struct wd_comp_arg arg;
	size_t a, i, len, again;
	handle_t comp, decomp;

	for (a = 0; a < sizeof(all_algs); a++) {
		comp = sess_of(all_algs[a], WD_SYNC, WD_DIR_COMPRESS);
		decomp = sess_of(all_algs[a], WD_SYNC, WD_DIR_DECOMPRESS);
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			len = ROOM;
			ASSERT_EQ(0, run(comp, true, self->plain, sizes[i], self->packed, &len, &arg))
				TH_LOG("alg %zu size %zu", a, sizes[i]);
			ASSERT_EQ((long)sizes[i], judge_inflate(all_algs[a], self->packed, len, self->again, ROOM, NULL));
			again = sizes[i];
			memset(self->again, GUARD, ROOM + GUARD_BYTES);
			ASSERT_EQ(0, run(decomp, false, self->packed, len, self->again, &again, &arg))
				TH_LOG("alg %zu size %zu", a, sizes[i]);
			EXPECT_EQ(sizes[i], again);
			EXPECT_EQ(len, arg.consumed);
			EXPECT_EQ(0, memcmp(self->plain, self->again, again));
			EXPECT_TRUE(guard_intact(self->again + sizes[i]));
		}
		wd_comp_free_sess(decomp);
		wd_comp_free_sess(comp);
	}
}

TEST_F(block, the_path_is_reported_and_is_the_devices_where_there_is_one)
{
	handle_t sess = sess_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	int path = path_expected();
	struct wd_comp_arg arg;
	size_t len = ROOM;

	ASSERT_EQ(0, run(sess, true, self->plain, LEN, self->packed, &len, &arg));
	EXPECT_EQ(path, arg.path);
	if (path == WD_PATH_SOFT)
		EXPECT_EQ(WD_REASON_NO_DEVICE, arg.path_reason);
	EXPECT_STRNE("", wd_path_str(arg.path));
	EXPECT_STRNE("", wd_path_reason_str(arg.path_reason));
	wd_comp_free_sess(sess);
}

TEST_F(block, what_zlib_writes_is_read)
{
	struct wd_comp_arg arg;
	size_t a, len, again;
	handle_t sess;

	for (a = 0; a < sizeof(all_algs); a++) {
		sess = sess_of(all_algs[a], WD_SYNC, WD_DIR_DECOMPRESS);
		len = judge_deflate(all_algs[a], self->plain, LEN, self->packed, ROOM);
		again = LEN;
		EXPECT_EQ(0, run(sess, false, self->packed, len, self->again, &again, &arg));
		EXPECT_EQ(LEN, again);
		EXPECT_EQ(0, memcmp(self->plain, self->again, LEN));
		wd_comp_free_sess(sess);
	}
}

TEST_F(block, bytes_behind_the_stream_are_not_consumed)
{
	struct wd_comp_arg arg;
	size_t a, len, again;
	handle_t sess;

	for (a = 0; a < sizeof(all_algs); a++) {
		sess = sess_of(all_algs[a], WD_SYNC, WD_DIR_DECOMPRESS);
		len = judge_deflate(all_algs[a], self->plain, LEN, self->packed, ROOM);
		memset(self->packed + len, 0x55, 1000);
		again = ROOM;
		EXPECT_EQ(0, run(sess, false, self->packed, len + 1000, self->again, &again, &arg))
			TH_LOG("alg %zu", a);
		EXPECT_EQ(len, arg.consumed) TH_LOG("alg %zu", a);
		EXPECT_EQ(LEN, again);
		wd_comp_free_sess(sess);
	}
}

TEST_F(block, too_little_room_is_enospc_and_nothing_is_written_behind_it)
{
	static const size_t tenths[] = { 0, 1, 5, 9 };
	struct wd_comp_arg arg;
	size_t a, i, d, full, room, len;
	handle_t sess[2];

	for (a = 0; a < sizeof(all_algs); a++) {
		sess[0] = sess_of(all_algs[a], WD_SYNC, WD_DIR_COMPRESS);
		sess[1] = sess_of(all_algs[a], WD_SYNC, WD_DIR_DECOMPRESS);
		full = ROOM;
		ASSERT_EQ(0, run(sess[0], true, self->plain, LEN, self->packed, &full, &arg));
		for (d = 0; d < 2; d++) {
			for (i = 0; i < 5; i++) {
				size_t out = d ? LEN : full;

				room = i < 4 ? out * tenths[i] / 10 : out - 1;
				len = room;
				memset(self->again, GUARD, ROOM + GUARD_BYTES);
				EXPECT_EQ(-ENOSPC, run(sess[d], !d, d ? self->packed : self->plain, d ? full : LEN,
						       self->again, &len, &arg))
					TH_LOG("alg %zu dir %zu room %zu of %zu", a, d, room, out);
				EXPECT_EQ(0, len);
				EXPECT_EQ(WD_COMP_OUT_NOSPACE, arg.status);
				EXPECT_TRUE(guard_intact(self->again + room)) TH_LOG("alg %zu dir %zu room %zu", a, d, room);
			}
		}
		wd_comp_free_sess(sess[1]);
		wd_comp_free_sess(sess[0]);
	}
}

TEST_F(block, a_stream_cut_anywhere_is_ebadmsg)
{
	struct wd_comp_arg arg;
	size_t a, cut, len, again;
	handle_t sess;

	for (a = 0; a < sizeof(all_algs); a++) {
		sess = sess_of(all_algs[a], WD_SYNC, WD_DIR_DECOMPRESS);
		len = judge_deflate(all_algs[a], self->plain, 5000, self->packed, ROOM);
		for (cut = 0; cut < len; cut += cut < 20 || cut + 20 > len ? 1 : 37) {
			again = ROOM;
			EXPECT_EQ(-EBADMSG, run(sess, false, self->packed, cut, self->again, &again, &arg))
				TH_LOG("alg %zu cut %zu of %zu", a, cut, len);
			EXPECT_EQ(0, again);
			EXPECT_EQ(WD_DATA_ERR, arg.status);
		}
		wd_comp_free_sess(sess);
	}
}

TEST_F(block, a_wrong_checksum_or_length_is_ebadmsg_and_named)
{
	struct wd_comp_arg arg;
	size_t a, i, len, again;
	char detail[200];
	handle_t sess;

	for (a = 0; a < 2; a++) {
		sess = sess_of(all_algs[a], WD_SYNC, WD_DIR_DECOMPRESS);
		len = judge_deflate(all_algs[a], self->plain, LEN, self->packed, ROOM);
		for (i = 1; i <= (all_algs[a] == WD_GZIP ? 8u : 4u); i++) {
			self->packed[len - i] ^= 0x10;
			again = ROOM;
			EXPECT_EQ(-EBADMSG, run(sess, false, self->packed, len, self->again, &again, &arg));
			EXPECT_EQ(0, again);
			EXPECT_GT(wd_error_detail(sess, detail, sizeof(detail)), 0);
			self->packed[len - i] ^= 0x10;
		}
		wd_comp_free_sess(sess);
	}
}

TEST_F(block, damage_is_noticed_where_zlib_notices_it)
{
	struct wd_comp_arg arg;
	size_t a, at, len, again;
	unsigned char *judged = malloc(ROOM);
	handle_t sess;
	long want;
	int ret;

	ASSERT_NE(NULL, judged);
	for (a = 0; a < sizeof(all_algs); a++) {
		sess = sess_of(all_algs[a], WD_SYNC, WD_DIR_DECOMPRESS);
		len = judge_deflate(all_algs[a], self->plain, 3000, self->packed, ROOM);
		for (at = 0; at < len; at++) {
			self->packed[at] ^= 0x41;
			want = judge_inflate(all_algs[a], self->packed, len, judged, ROOM, NULL);
			again = ROOM;
			ret = run(sess, false, self->packed, len, self->again, &again, &arg);
			if (want < 0) {
				/* Raw deflate may lead anywhere, out of room as well. */
				EXPECT_TRUE(ret == -EBADMSG || ret == -ENOSPC) TH_LOG("alg %zu byte %zu: %d", a, at, ret);
				EXPECT_EQ(0, again);
			} else {
				EXPECT_EQ(0, ret) TH_LOG("alg %zu byte %zu", a, at);
				EXPECT_EQ((size_t)want, again);
				EXPECT_EQ(0, memcmp(judged, self->again, want));
			}
			self->packed[at] ^= 0x41;
		}
		wd_comp_free_sess(sess);
	}
	free(judged);
}

TEST_F(block, the_bound_is_enough_for_noise)
{
	static const size_t sizes[] = { 0, 1, 100, 16383, 16384, 65535, 65536, LEN };
	unsigned char *noise = malloc(LEN), *out;
	struct wd_comp_arg arg;
	size_t a, i, bound, len;
	handle_t sess;

	fill_noise(noise, LEN, 3);
	for (a = 0; a < sizeof(all_algs); a++) {
		sess = sess_of(all_algs[a], WD_SYNC, WD_DIR_COMPRESS);
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			bound = wd_comp_bound(sess, sizes[i]);
			ASSERT_GT(bound, sizes[i]);
			out = malloc(bound);
			len = bound;
			EXPECT_EQ(0, run(sess, true, noise, sizes[i], out, &len, &arg)) TH_LOG("size %zu", sizes[i]);
			EXPECT_EQ((long)sizes[i], judge_inflate(all_algs[a], out, len, self->again, ROOM, NULL));
			free(out);
		}
		errno = 0;
		EXPECT_EQ(0, wd_comp_bound(sess, ~(size_t)0));
		EXPECT_EQ(EOVERFLOW, errno);
		wd_comp_free_sess(sess);
	}
	free(noise);
}

static void expect_efault(struct __test_metadata *_metadata, unsigned char *plain, unsigned char *packed,
			  void *unreadable, void *unwritable)
{
	handle_t comp = sess_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	struct wd_comp_arg arg;
	size_t len = ROOM;

	EXPECT_EQ(-EFAULT, run(comp, true, unreadable, LEN, packed, &len, &arg));
	EXPECT_EQ(0, len);
	len = ROOM;
	EXPECT_EQ(-EFAULT, run(comp, true, plain, LEN, unwritable, &len, &arg));
	EXPECT_EQ(0, len);
	/* The session goes on. */
	len = ROOM;
	EXPECT_EQ(0, run(comp, true, plain, LEN, packed, &len, &arg));
	EXPECT_EQ(0, wd_comp_free_sess(comp));
}

TEST_F(block, memory_that_is_not_there_is_efault)
{
	/* So low that no later mapping is put there by itself. */
	void *hole = (void *)0x100000;

	expect_efault(_metadata, self->plain, self->packed, hole, hole);
}

TEST_F(block, memory_that_a_device_may_not_read_or_write_is_efault)
{
	void *none = mmap(NULL, LEN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *fixed = mmap(NULL, ROOM, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, none);
	ASSERT_NE(MAP_FAILED, fixed);
	if (path_expected() == WD_PATH_SOFT)
		SKIP(goto out_unmap, "on this CPU protected memory is the caller's fault signal");
	expect_efault(_metadata, self->plain, self->packed, none, fixed);
out_unmap:
	munmap(fixed, ROOM);
	munmap(none, LEN);
}

TEST(a_request_larger_than_one_descriptor_comes_back_the_same)
{
	size_t big = (20u << 20) + 12345, room, len, again = big;
	unsigned char *plain = malloc(big), *packed, *back = malloc(big);
	handle_t comp = sess_of(WD_ZLIB, WD_SYNC, WD_DIR_COMPRESS);
	handle_t decomp = sess_of(WD_ZLIB, WD_SYNC, WD_DIR_DECOMPRESS);
	struct wd_comp_arg arg;

	fill_text(plain, big, 5);
	room = wd_comp_bound(comp, big);
	packed = malloc(room);
	ASSERT_TRUE(plain && packed && back);
	len = room;
	ASSERT_EQ(0, run(comp, true, plain, big, packed, &len, &arg));
	EXPECT_EQ(big, arg.consumed);
	ASSERT_EQ((long)big, judge_inflate(WD_ZLIB, packed, len, back, big, NULL));
	memset(back, 0, big);
	ASSERT_EQ(0, run(decomp, false, packed, len, back, &again, &arg));
	EXPECT_EQ(big, again);
	EXPECT_EQ(0, memcmp(plain, back, big));
	wd_comp_free_sess(decomp);
	wd_comp_free_sess(comp);
	free(back);
	free(packed);
	free(plain);
}

/* Cuts a buffer into pieces, with empty ones between. */
static int cut_into(struct wd_datalist *list, unsigned char *buf, size_t len, size_t piece)
{
	int n = 0;
	size_t at = 0;

	do {
		list[n].data = NULL;
		list[n].len = 0;
		list[n].next = &list[n + 1];
		n++;
		list[n].data = buf + at;
		list[n].len = len - at < piece ? len - at : piece;
		at += list[n].len;
		list[n].next = at < len ? &list[n + 1] : NULL;
		n++;
	} while (at < len);
	return n;
}

TEST_F(block, lists_give_what_flat_buffers_give)
{
	struct wd_comp_sess_setup s = setup_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	static const size_t pieces[] = { 100000, 4096, 999 };
	static struct wd_datalist in[512], out[512];
	struct wd_comp_arg arg;
	handle_t comp, decomp;
	size_t i, len, again;

	s.data_fmt = WD_SGL_BUF;
	comp = wd_comp_alloc_sess(&s, NULL);
	s.dir_type = WD_DIR_DECOMPRESS;
	decomp = wd_comp_alloc_sess(&s, NULL);
	ASSERT_TRUE(comp && decomp);
	for (i = 0; i < 3; i++) {
		cut_into(in, self->plain, LEN, pieces[i]);
		cut_into(out, self->packed, LEN, pieces[i]);
		len = LEN;
		ASSERT_EQ(0, run(comp, true, in, LEN, out, &len, &arg)) TH_LOG("pieces of %zu", pieces[i]);
		EXPECT_EQ(LEN, arg.consumed);
		EXPECT_EQ(LEN, judge_inflate(WD_GZIP, self->packed, len, self->again, ROOM, NULL));
		cut_into(in, self->packed, len, pieces[i]);
		memset(self->again, 0, LEN);
		cut_into(out, self->again, LEN, pieces[i]);
		again = LEN;
		ASSERT_EQ(0, run(decomp, false, in, len, out, &again, &arg)) TH_LOG("pieces of %zu", pieces[i]);
		EXPECT_EQ(LEN, again);
		EXPECT_EQ(0, memcmp(self->plain, self->again, LEN));
	}
	cut_into(in, self->plain, 1000, 100);
	cut_into(out, self->packed, ROOM, 1000);
	len = ROOM;
	EXPECT_EQ(-EINVAL, run(comp, true, in, 1001, out, &len, &arg));
	len = ROOM + 1;
	EXPECT_EQ(-EINVAL, run(comp, true, in, 1000, out, &len, &arg));
	wd_comp_free_sess(decomp);
	wd_comp_free_sess(comp);
}

TEST_F(block, the_child_of_a_fork_goes_on_with_a_session_and_the_parent_notices_nothing)
{
	handle_t sess = sess_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	struct wd_comp_arg arg;
	size_t len = ROOM;
	int status, i;
	pid_t pid;

	ASSERT_EQ(0, run(sess, true, self->plain, LEN, self->packed, &len, &arg));
	for (i = 0; i < 3; i++) {
		pid = fork();
		ASSERT_GE(pid, 0);
		if (!pid) {
			len = ROOM;
			if (run(sess, true, self->plain, LEN, self->packed, &len, &arg))
				_exit(1);
			if (judge_inflate(WD_GZIP, self->packed, len, self->again, ROOM, NULL) != LEN)
				_exit(2);
			if (arg.path != path_expected())
				_exit(3);
			_exit(wd_comp_free_sess(sess) ? 4 : 0);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		len = ROOM;
		EXPECT_EQ(0, run(sess, true, self->plain, LEN, self->packed, &len, &arg));
	}
	EXPECT_EQ(0, wd_comp_free_sess(sess));
}

TEST(the_environment_restricts_and_never_widens)
{
	struct wd_comp_sess_setup s = setup_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	bool device = path_expected() != WD_PATH_SOFT;
	handle_t h;

	s.flags = WD_SESS_PATH_HW;
	errno = 0;
	h = wd_comp_alloc_sess(&s, NULL);
	EXPECT_EQ(device, h != 0);
	if (h)
		wd_comp_free_sess(h);
	else if (!device)
		EXPECT_EQ(ENODEV, errno);
	s.flags = WD_SESS_PATH_SOFT;
	h = wd_comp_alloc_sess(&s, NULL);
	EXPECT_NE(0, h);
	wd_comp_free_sess(h);
}

TEST(a_path_flag_against_the_environment_is_eopnotsupp)
{
	struct wd_comp_sess_setup s = setup_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);

	setenv("WD_PATH", "soft", 1);
	s.flags = WD_SESS_PATH_HW;
	errno = 0;
	EXPECT_EQ(0, wd_comp_alloc_sess(&s, NULL));
	EXPECT_EQ(EOPNOTSUPP, errno);
}

TEST_HARNESS_MAIN
