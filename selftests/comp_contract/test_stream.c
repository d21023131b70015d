// SPDX-License-Identifier: Apache-2.0
/* The contract of streams: input cut and output taken anywhere, ends, flushes, errors. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "contract.h"

#define LEN 300000
#define ROOM (LEN * 2)
#define CALLS_MAX 2000000

FIXTURE(stream) {
	unsigned char *plain, *packed, *again;
};

FIXTURE_SETUP(stream)
{
	self->plain = malloc(LEN);
	self->packed = malloc(ROOM);
	self->again = malloc(ROOM);
	ASSERT_TRUE(self->plain && self->packed && self->again);
	fill_text(self->plain, LEN, 7);
	/* Something of everything: text, noise, and a long run. */
	fill_noise(self->plain + LEN / 2, LEN / 6, 8);
	memset(self->plain + 2 * LEN / 3, 'x', LEN / 6);
}

FIXTURE_TEARDOWN(stream)
{
	free(self->again);
	free(self->packed);
	free(self->plain);
}

static int call(handle_t sess, bool compress, const void *src, size_t *src_len, void *dst, size_t *dst_len,
		bool last, __u32 flags, struct wd_comp_strm *strm)
{
	memset(strm, 0, sizeof(*strm));
	strm->src = (void *)src;
	strm->src_len = src_len;
	strm->dst = dst;
	strm->dst_len = dst_len;
	strm->last = last;
	strm->flags = flags;
	return compress ? wd_strm_compress(sess, strm) : wd_strm_decompress(sess, strm);
}

/* A whole stream in steps of at most in_step and out_step bytes. Return: bytes produced, or the error. */
static long run(handle_t sess, bool compress, const unsigned char *src, size_t len, unsigned char *dst,
		size_t room, size_t in_step, size_t out_step)
{
	size_t used = 0, made = 0, n, m, calls;
	struct wd_comp_strm strm;
	int ret;

	for (calls = 0; calls < CALLS_MAX; calls++) {
		n = len - used < in_step ? len - used : in_step;
		m = room - made < out_step ? room - made : out_step;
		ret = call(sess, compress, src + used, &n, dst + made, &m, used + n == len, 0, &strm);
		if (ret < 0)
			return ret;
		used += n;
		made += m;
		if (ret == 1)
			return used == len ? (long)made : -EPROTO;
	}
	return -ELOOP;
}

TEST_F_TIMEOUT(stream, any_steps_give_a_stream_that_zlib_reads, 150)
{
	static const size_t steps[][2] = {
		{ LEN, ROOM }, { 4096, 4096 }, { 1000, 100 }, { 100, 70000 }, { 65536, 313 }, { 70001, 65536 },
	};
	size_t a, i;
	handle_t sess;
	long n;

	for (a = 0; a < sizeof(all_algs); a++) {
		sess = sess_of(all_algs[a], WD_SYNC, WD_DIR_COMPRESS);
		for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			n = run(sess, true, self->plain, LEN, self->packed, ROOM, steps[i][0], steps[i][1]);
			ASSERT_GT(n, 0) TH_LOG("alg %zu steps %zu: %ld", a, i, n);
			ASSERT_EQ(LEN, judge_inflate(all_algs[a], self->packed, n, self->again, ROOM, NULL))
				TH_LOG("alg %zu steps %zu", a, i);
			EXPECT_EQ(0, memcmp(self->plain, self->again, LEN));
		}
		wd_comp_free_sess(sess);
	}
}

TEST_F_TIMEOUT(stream, any_steps_read_what_zlib_wrote, 150)
{
	static const size_t steps[][2] = {
		{ ROOM, ROOM }, { 4096, 4096 }, { 1, 65536 }, { 1000, 100 }, { 100, 70000 }, { 65536, 313 },
	};
	size_t a, i, len;
	handle_t sess;
	long n;

	for (a = 0; a < sizeof(all_algs); a++) {
		sess = sess_of(all_algs[a], WD_SYNC, WD_DIR_DECOMPRESS);
		for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			size_t part = steps[i][0] == 1 ? 20000 : LEN;

			len = judge_deflate(all_algs[a], self->plain, part, self->packed, ROOM);
			memset(self->again, 0, ROOM);
			n = run(sess, false, self->packed, len, self->again, ROOM, steps[i][0], steps[i][1]);
			ASSERT_EQ((long)part, n) TH_LOG("alg %zu steps %zu", a, i);
			EXPECT_EQ(0, memcmp(self->plain, self->again, part));
		}
		wd_comp_free_sess(sess);
	}
}

TEST_F(stream, random_steps_both_ways)
{
	unsigned int x = 12345, i;
	handle_t comp, decomp;
	long n, m;
	__u8 alg;

	for (i = 0; i < 60; i++) {
		size_t in = 1 + (x = x * 1103515245u + 12345) % (i % 2 ? 5000 : 100000);
		size_t out = 1 + (x = x * 1103515245u + 12345) % (i % 3 ? 5000 : 100000);
		size_t len = (x = x * 1103515245u + 12345) % (in < 50 || out < 50 ? 20000 : LEN);

		alg = all_algs[i % 3];
		comp = sess_of(alg, WD_SYNC, WD_DIR_COMPRESS);
		decomp = sess_of(alg, WD_SYNC, WD_DIR_DECOMPRESS);
		n = run(comp, true, self->plain, len, self->packed, ROOM, in, out);
		ASSERT_GT(n, 0) TH_LOG("alg %d len %zu in %zu out %zu: %ld", alg, len, in, out, n);
		m = run(decomp, false, self->packed, n, self->again, ROOM, out, in);
		ASSERT_EQ((long)len, m) TH_LOG("alg %d len %zu in %zu out %zu", alg, len, out, in);
		EXPECT_EQ(0, memcmp(self->plain, self->again, len));
		wd_comp_free_sess(decomp);
		wd_comp_free_sess(comp);
	}
}

TEST_F(stream, an_empty_stream_ends_at_once)
{
	struct wd_comp_strm strm;
	size_t a, n, m;
	handle_t sess;

	for (a = 0; a < sizeof(all_algs); a++) {
		sess = sess_of(all_algs[a], WD_SYNC, WD_DIR_COMPRESS);
		n = 0;
		m = ROOM;
		ASSERT_EQ(1, call(sess, true, NULL, &n, self->packed, &m, true, 0, &strm));
		EXPECT_EQ(0, judge_inflate(all_algs[a], self->packed, m, self->again, ROOM, NULL));
		wd_comp_free_sess(sess);
	}
}

TEST_F(stream, a_new_one_starts_by_itself_after_the_end)
{
	handle_t sess = sess_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	long n, m;
	int i;

	n = run(sess, true, self->plain, 5000, self->packed, ROOM, 1000, 1000);
	for (i = 0; i < 5; i++) {
		m = run(sess, true, self->plain, 5000, self->again, ROOM, 1000, 1000);
		EXPECT_EQ(n, m);
		EXPECT_EQ(0, memcmp(self->packed, self->again, n));
	}
	wd_comp_free_sess(sess);
}

TEST_F(stream, reset_abandons_one)
{
	handle_t sess = sess_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	struct wd_comp_strm strm;
	size_t n = 5000, m = ROOM;
	long len;

	EXPECT_EQ(0, wd_comp_reset_sess(sess));
	EXPECT_EQ(0, call(sess, true, self->plain, &n, self->packed, &m, false, 0, &strm));
	EXPECT_EQ(0, wd_comp_reset_sess(sess));
	len = run(sess, true, self->plain, LEN, self->packed, ROOM, LEN, ROOM);
	EXPECT_EQ(LEN, judge_inflate(WD_GZIP, self->packed, len, self->again, ROOM, NULL));
	/* Also freed half done. */
	n = 5000;
	m = ROOM;
	EXPECT_EQ(0, call(sess, true, self->plain, &n, self->packed, &m, false, 0, &strm));
	EXPECT_EQ(0, wd_comp_free_sess(sess));
}

TEST_F(stream, after_a_sync_flush_everything_given_can_be_read)
{
	size_t a, i, n, m, made;
	struct wd_comp_strm strm;
	handle_t sess;
	z_stream z;
	int ret;

	for (a = 0; a < sizeof(all_algs); a++) {
		sess = sess_of(all_algs[a], WD_SYNC, WD_DIR_COMPRESS);
		memset(&z, 0, sizeof(z));
		ASSERT_EQ(Z_OK, inflateInit2(&z, window_bits(all_algs[a])));
		z.next_out = self->again;
		z.avail_out = ROOM;
		for (i = made = 0; i < 10; i++) {
			n = 1000;
			m = ROOM - made;
			ret = call(sess, true, self->plain + i * 1000, &n, self->packed + made, &m, false,
				   WD_COMP_FLUSH_SYNC, &strm);
			ASSERT_EQ(0, ret);
			ASSERT_EQ(1000, n);
			z.next_in = self->packed + made;
			z.avail_in = m;
			made += m;
			ret = inflate(&z, Z_SYNC_FLUSH);
			EXPECT_TRUE(ret == Z_OK || ret == Z_BUF_ERROR);
			EXPECT_EQ((i + 1) * 1000, z.total_out) TH_LOG("alg %zu flush %zu", a, i);
		}
		n = 0;
		m = ROOM - made;
		EXPECT_EQ(1, call(sess, true, self->plain, &n, self->packed + made, &m, false, WD_COMP_FLUSH_FINISH,
				  &strm));
		z.next_in = self->packed + made;
		z.avail_in = m;
		EXPECT_EQ(Z_STREAM_END, inflate(&z, Z_FINISH));
		EXPECT_EQ(0, memcmp(self->plain, self->again, 10000));
		inflateEnd(&z);
		wd_comp_free_sess(sess);
	}
}

TEST_F(stream, enospc_means_no_progress_was_possible_and_more_room_goes_on)
{
	handle_t sess = sess_of(WD_GZIP, WD_SYNC, WD_DIR_DECOMPRESS);
	size_t len = judge_deflate(WD_GZIP, self->plain, LEN, self->packed, ROOM);
	size_t used = 0, made = 0, n, m, room, refused = 0;
	struct wd_comp_strm strm;
	int ret = 0, calls = 0;

	/* No room at first in each round, then a little. */
	while (ret != 1 && calls++ < 100000) {
		room = calls % 2 ? 0 : 3000;
		n = len - used;
		m = room;
		ret = call(sess, false, self->packed + used, &n, self->again + made, &m, true, 0, &strm);
		if (ret == -ENOSPC) {
			refused++;
			ASSERT_EQ(0, n);
			ASSERT_EQ(0, m);
			ASSERT_EQ(0, room);
			continue;
		}
		ASSERT_GE(ret, 0);
		used += n;
		made += m;
	}
	EXPECT_EQ(1, ret);
	EXPECT_GT(refused, 0);
	EXPECT_EQ(LEN, made);
	EXPECT_EQ(0, memcmp(self->plain, self->again, LEN));
	wd_comp_free_sess(sess);
}

TEST_F(stream, input_that_ends_early_with_last_is_ebadmsg_wherever_it_ends)
{
	size_t a, cut, len;
	handle_t sess;

	for (a = 0; a < sizeof(all_algs); a++) {
		sess = sess_of(all_algs[a], WD_SYNC, WD_DIR_DECOMPRESS);
		len = judge_deflate(all_algs[a], self->plain, 4000, self->packed, ROOM);
		for (cut = 0; cut < len; cut += cut < 20 || cut + 20 > len ? 1 : 29) {
			EXPECT_EQ(-EBADMSG, run(sess, false, self->packed, cut, self->again, ROOM, ROOM, ROOM))
				TH_LOG("alg %zu cut %zu of %zu", a, cut, len);
			EXPECT_EQ(0, wd_comp_reset_sess(sess));
			EXPECT_EQ(-EBADMSG, run(sess, false, self->packed, cut, self->again, ROOM, 100, 500))
				TH_LOG("alg %zu cut %zu of %zu, in steps", a, cut, len);
			EXPECT_EQ(0, wd_comp_reset_sess(sess));
		}
		wd_comp_free_sess(sess);
	}
}

TEST_F(stream, an_end_told_by_an_empty_call_is_ebadmsg_when_early)
{
	size_t a, cut, n, m, len;
	struct wd_comp_strm strm;
	handle_t sess;

	for (a = 0; a < sizeof(all_algs); a++) {
		sess = sess_of(all_algs[a], WD_SYNC, WD_DIR_DECOMPRESS);
		len = judge_deflate(all_algs[a], self->plain, 4000, self->packed, ROOM);
		for (cut = 1; cut < len; cut += 53) {
			n = cut;
			m = ROOM;
			ASSERT_EQ(0, call(sess, false, self->packed, &n, self->again, &m, false, 0, &strm))
				TH_LOG("alg %zu cut %zu", a, cut);
			EXPECT_EQ(cut, n);
			n = 0;
			m = ROOM;
			EXPECT_EQ(-EBADMSG, call(sess, false, self->packed, &n, self->again, &m, true, 0, &strm))
				TH_LOG("alg %zu cut %zu", a, cut);
			EXPECT_EQ(0, m);
			EXPECT_EQ(0, wd_comp_reset_sess(sess));
		}
		wd_comp_free_sess(sess);
	}
}

TEST_F(stream, corrupt_data_ends_it_until_reset)
{
	handle_t sess = sess_of(WD_GZIP, WD_SYNC, WD_DIR_DECOMPRESS);
	size_t len = judge_deflate(WD_GZIP, self->plain, 50000, self->packed, ROOM);
	struct wd_comp_strm strm;
	size_t n, m;

	self->packed[len - 6] ^= 1;
	EXPECT_EQ(-EBADMSG, run(sess, false, self->packed, len, self->again, ROOM, 1000, 5000));
	n = 10;
	m = ROOM;
	EXPECT_LT(call(sess, false, self->packed, &n, self->again, &m, false, 0, &strm), 0);
	EXPECT_EQ(0, wd_comp_reset_sess(sess));
	self->packed[len - 6] ^= 1;
	EXPECT_EQ(50000, run(sess, false, self->packed, len, self->again, ROOM, 1000, 5000));
	wd_comp_free_sess(sess);
}

TEST_F(stream, what_follows_the_end_is_not_consumed)
{
	struct wd_comp_strm strm;
	size_t a, n, m, len;
	handle_t sess;

	for (a = 0; a < sizeof(all_algs); a++) {
		sess = sess_of(all_algs[a], WD_SYNC, WD_DIR_DECOMPRESS);
		len = judge_deflate(all_algs[a], self->plain, 1000, self->packed, ROOM);
		memset(self->packed + len, 0x1f, 500);
		n = len + 500;
		m = ROOM;
		EXPECT_EQ(1, call(sess, false, self->packed, &n, self->again, &m, false, 0, &strm)) TH_LOG("alg %zu", a);
		EXPECT_EQ(len, n);
		EXPECT_EQ(1000, m);
		EXPECT_EQ(n, strm.consumed);
		wd_comp_free_sess(sess);
	}
}

TEST_F(stream, a_gzip_header_with_every_field_may_be_split_anywhere)
{
	static const unsigned char head[] = "\x1f\x8b\x08\x1e\1\2\3\4\0\3\5\0extraname\0a comment";
	handle_t sess = sess_of(WD_GZIP, WD_SYNC, WD_DIR_DECOMPRESS);
	size_t len = sizeof(head), body, split, n, m, total;
	unsigned char *plain_gz = self->again + ROOM / 2;
	struct wd_comp_strm strm;
	unsigned long crc;
	int ret;

	memcpy(self->packed, head, len);
	crc = crc32(0, head, len);
	self->packed[len++] = crc;
	self->packed[len++] = crc >> 8;
	body = judge_deflate(WD_GZIP, self->plain, 2000, plain_gz, ROOM / 2) - 10;
	memcpy(self->packed + len, plain_gz + 10, body);
	total = len + body;
	ASSERT_EQ(2000, judge_inflate(WD_GZIP, self->packed, total, self->again, 4000, NULL));
	for (split = 0; split <= len + 2; split++) {
		n = split;
		m = 4000;
		ASSERT_EQ(0, call(sess, false, self->packed, &n, self->again, &m, false, 0, &strm)) TH_LOG("split %zu", split);
		ASSERT_EQ(split, n);
		ret = run(sess, false, self->packed + split, total - split, self->again + m, 4000 - m, 100000, 100000);
		EXPECT_EQ(2000 - (long)m, ret) TH_LOG("split %zu", split);
	}
	self->packed[len - 1] ^= 1;
	EXPECT_EQ(-EBADMSG, run(sess, false, self->packed, total, self->again, 4000, 7, 100));
	wd_comp_free_sess(sess);
}

TEST_F(stream, it_does_not_change_its_path)
{
	handle_t sess = sess_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	int path = path_expected(), i;
	struct wd_comp_strm strm;
	size_t n, m;

	for (i = 0; i < 20; i++) {
		n = 5000;
		m = ROOM;
		ASSERT_LE(0, call(sess, true, self->plain + i * 5000, &n, self->packed, &m, i == 19, 0, &strm));
		EXPECT_EQ(path, strm.path);
	}
	wd_comp_free_sess(sess);
}

TEST_F(stream, bad_calls_are_einval_and_leave_the_stream_alone)
{
	handle_t sess = sess_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	struct wd_comp_strm strm;
	size_t n = 1000, m = ROOM, made;

	ASSERT_EQ(0, call(sess, true, self->plain, &n, self->packed, &m, false, 0, &strm));
	made = m;
	EXPECT_EQ(-EINVAL, wd_strm_compress(sess, NULL));
	n = 10;
	m = ROOM;
	EXPECT_EQ(-EINVAL, call(sess, true, self->plain, &n, self->packed + made, &m, false, 1u << 31, &strm));
	EXPECT_EQ(0, m);
	m = ROOM;
	EXPECT_EQ(-EINVAL, call(sess, true, self->plain, NULL, self->packed + made, &m, false, 0, &strm));
	n = 10;
	EXPECT_EQ(-EINVAL, call(sess, true, self->plain, &n, self->packed + made, NULL, false, 0, &strm));
	n = 10;
	m = ROOM;
	EXPECT_EQ(-EINVAL, call(sess, true, NULL, &n, self->packed + made, &m, false, 0, &strm));
	n = 10;
	m = ROOM;
	EXPECT_EQ(-EINVAL, call(sess, true, self->plain, &n, NULL, &m, false, 0, &strm));
	n = 10;
	m = ROOM;
	EXPECT_EQ(-EINVAL, call(sess, false, self->plain, &n, self->packed + made, &m, false, 0, &strm));
	n = 1000;
	m = ROOM - made;
	ASSERT_EQ(1, call(sess, true, self->plain + 1000, &n, self->packed + made, &m, true, 0, &strm));
	EXPECT_EQ(2000, judge_inflate(WD_GZIP, self->packed, made + m, self->again, ROOM, NULL));
	wd_comp_free_sess(sess);
}

TEST_F(stream, one_that_is_half_done_is_estale_in_a_child)
{
	handle_t sess = sess_of(WD_GZIP, WD_SYNC, WD_DIR_COMPRESS);
	struct wd_comp_strm strm;
	size_t n = 1000, m = ROOM, made;
	int status;
	pid_t pid;

	ASSERT_EQ(0, call(sess, true, self->plain, &n, self->packed, &m, false, 0, &strm));
	made = m;
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		n = 1000;
		m = ROOM;
		if (call(sess, true, self->plain, &n, self->packed, &m, false, 0, &strm) != -ESTALE)
			_exit(1);
		_exit(wd_comp_free_sess(sess) ? 2 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	n = 1000;
	m = ROOM - made;
	ASSERT_EQ(1, call(sess, true, self->plain + 1000, &n, self->packed + made, &m, true, 0, &strm));
	EXPECT_EQ(2000, judge_inflate(WD_GZIP, self->packed, made + m, self->again, ROOM, NULL));
	wd_comp_free_sess(sess);
}

TEST_HARNESS_MAIN
