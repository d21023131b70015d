// SPDX-License-Identifier: Apache-2.0
/*
 * Messages of GCM in parts: the same result as in one request, however they are cut; released data and refusals.
 *   WD_STREAM_CASES=N   how many random cases (1,000)
 */
#include <sys/wait.h>

#include "aead_test.h"
#include "kselftest_harness.h"

#define BYTES_MAX	20000
#define GCM_MOST	((1ull << 36) - 32)

static const unsigned char key64[64] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
static const unsigned char iv16[16] = "an initial value";
static const struct aead_kind gcm = { WD_CIPHER_AES, WD_CIPHER_GCM, 0 };

static unsigned char in[BYTES_MAX], whole[BYTES_MAX], parts[BYTES_MAX];
static unsigned int seed = 1;

static unsigned int rnd(unsigned int n)
{
	seed = seed * 1664525u + 1013904223u;
	return (unsigned int)(((unsigned long long)seed * n) >> 32);
}

static struct wd_datalist *listed(struct wd_datalist *l, unsigned char *p, size_t len)
{
	unsigned int n = 1 + rnd(6), i;

	for (i = 0; i < n; i++) {
		size_t part = i + 1 == n ? len : rnd((unsigned int)len + 1);

		l[i] = (struct wd_datalist){
			.data = part ? p : NULL, .len = part, .next = i + 1 == n ? NULL : &l[i + 1]
		};
		p += part;
		len -= part;
	}
	return l;
}

/* Processes a message in parts of random lengths; from and to may be the same. */
static int in_parts(handle_t h, bool lists, int op, size_t iv_len, unsigned char *from, size_t assoc, size_t len,
		    unsigned char *to, void *mac)
{
	struct wd_datalist src[8], dst[8];
	size_t at = 0, n, a;
	bool last;
	int ret;

	do {
		a = at ? 0 : assoc;
		/* The first part is never empty: at would stay 0, and the next part would be a first part again. */
		n = a + rnd(4) * rnd(2000) / 3 + !(at + a);
		n = n < assoc + len - at ? n : assoc + len - at;
		last = at + n == assoc + len && (!n || rnd(2));
		ret = aead_part(h, op, at ? NULL : iv16, iv_len, lists ? (void *)listed(src, from + at, n) : from + at,
				a, n - a, lists ? (void *)listed(dst, to + at, n) : to + at, last ? mac : NULL);
		at += n;
	} while (!ret && !last);
	return ret;
}

static bool random_case(struct aead_kind kind, handle_t flat, handle_t list, handle_t once)
{
	static const unsigned char tags[] = { 4, 8, 12, 13, 14, 15, 16 };
	unsigned int tag = tags[rnd(sizeof(tags))], klen = kind.calg == WD_CIPHER_AES ? 16 + 8 * rnd(3) : 16;
	size_t len = rnd(6) ? rnd(100) : rnd(BYTES_MAX - 4000), assoc = rnd(3) ? rnd(40) : rnd(3) ? 0 : rnd(3000);
	size_t iv_len = wd_aead_sess_caps(once) & WD_CAP_SOFT && !rnd(8) ? 1 + rnd(16) : 12;
	unsigned char mac[16], again[16] = { 0 };
	handle_t all[3] = { flat, list, once };
	bool lists = rnd(2), place = rnd(2);
	unsigned int i;

	/* A device takes no empty message in one request. */
	if (!(wd_aead_sess_caps(once) & WD_CAP_SOFT))
		len += !(len + assoc);
	for (i = 0; i < 3; i++)
		if (wd_aead_set_ckey(all[i], key64, klen) || wd_aead_set_authsize(all[i], tag))
			return false;
	fill_noise(in, sizeof(in), seed);
	if (aead_do(once, WD_CIPHER_ENCRYPTION, iv16, iv_len, in, assoc, len, whole, mac))
		return false;
	memcpy(parts, in, assoc + len);
	if (in_parts(lists ? list : flat, lists, WD_CIPHER_ENCRYPTION, iv_len, place ? parts : in, assoc, len, parts,
		     again) || memcmp(whole, parts, assoc + len) || memcmp(mac, again, tag))
		return false;
	return !in_parts(lists ? list : flat, lists, WD_CIPHER_DECRYPTION, iv_len, place ? parts : whole, assoc, len,
			 parts, mac) && !memcmp(in, parts, assoc + len);
}

static void random_cases(struct __test_metadata *_metadata, struct aead_kind kind)
{
	const char *n = getenv("WD_STREAM_CASES");
	unsigned int todo = n ? (unsigned int)strtoul(n, NULL, 10) : 1000, i, was;
	handle_t flat = aead_open(kind, WD_SYNC, WD_FLAT_BUF, 0), list = aead_open(kind, WD_SYNC, WD_SGL_BUF, 0);
	handle_t once = aead_open(kind, WD_SYNC, WD_FLAT_BUF, 0);

	if (!flat && errno == EOPNOTSUPP)
		SKIP(return, "%s", detail(0));
	ASSERT_TRUE(flat && list && once);
	EXPECT_EQ(WD_CAP_STREAM, wd_aead_sess_caps(flat) & WD_CAP_STREAM);
	for (i = 0; i < todo; i++) {
		was = seed;
		ASSERT_TRUE(random_case(kind, flat, list, once)) TH_LOG("case %u, seed %u: %s", i, was, detail(flat));
	}
	EXPECT_EQ(0, wd_aead_free_sess(flat));
	EXPECT_EQ(0, wd_aead_free_sess(list));
	EXPECT_EQ(0, wd_aead_free_sess(once));
}

TEST(however_it_is_cut_it_is_as_at_once)
{
	random_cases(_metadata, gcm);
}

TEST(the_same_of_SM4)
{
	random_cases(_metadata, (struct aead_kind){ WD_CIPHER_SM4, WD_CIPHER_GCM, 0 });
}

TEST(on_this_cpu_it_is_as_where_it_goes_by_itself)
{
	handle_t any = aead_keyed(gcm, key64, 32, NULL, 0, 0, 0),
		 soft = aead_keyed(gcm, key64, 32, NULL, 0, 0, WD_SESS_PATH_SOFT);
	unsigned char a[16], b[16];
	static const unsigned char few[] = { 0, 1, 15, 16, 17, 31, 32, 33, 64 };
	size_t assoc, len, i, n = getenv("WD_NO_LARGE") ? sizeof(few) : 70;

	ASSERT_TRUE(any && soft);
	fill_noise(in, sizeof(in), 5);
	for (assoc = 0; assoc < 40; assoc += 13)
		for (i = 0; i < n; i++) {
			len = n == sizeof(few) ? few[i] : i;
			ASSERT_EQ(0, in_parts(any, false, WD_CIPHER_ENCRYPTION, 12, in, assoc, len, whole, a))
				TH_LOG("%s", detail(any));
			ASSERT_EQ(0, in_parts(soft, false, WD_CIPHER_ENCRYPTION, 12, in, assoc, len, parts, b))
				TH_LOG("%s", detail(soft));
			ASSERT_EQ(0, memcmp(whole, parts, assoc + len) || memcmp(a, b, 16))
				TH_LOG("%zu and %zu bytes", assoc, len);
		}
	EXPECT_EQ(0, wd_aead_free_sess(any));
	EXPECT_EQ(0, wd_aead_free_sess(soft));
}

/* One part that is too long for a descriptor. */
TEST(a_part_of_17_MiB)
{
	handle_t h = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0),
		 soft = aead_keyed(gcm, key64, 16, NULL, 0, 0, WD_SESS_PATH_SOFT);
	unsigned char *big = malloc(17 * MIB + 5), *out = malloc(17 * MIB + 5), a[16], b[16];

	LARGE();
	ASSERT_TRUE(h && soft && big && out);
	fill_noise(big, 17 * MIB + 5, 9);
	ASSERT_EQ(0, aead_part(h, WD_CIPHER_ENCRYPTION, iv16, 12, big, 7, 17 * MIB - 7, out, NULL))
		TH_LOG("%s", detail(h));
	ASSERT_EQ(0, aead_part(h, WD_CIPHER_ENCRYPTION, NULL, 0, big + 17 * MIB, 0, 5, out + 17 * MIB, a))
		TH_LOG("%s", detail(h));
	ASSERT_EQ(0, aead_do(soft, WD_CIPHER_ENCRYPTION, iv16, 12, big, 7, 17 * MIB - 2, big, b))
		TH_LOG("%s", detail(soft));
	EXPECT_EQ(0, memcmp(big, out, 17 * MIB + 5));
	EXPECT_EQ(0, memcmp(a, b, 16));
	free(big);
	free(out);
	EXPECT_EQ(0, wd_aead_free_sess(h));
	EXPECT_EQ(0, wd_aead_free_sess(soft));
}

/* --- the tag --- */

static bool filled(const unsigned char *p, size_t n, unsigned char with)
{
	while (n && *p == with) {
		p++;
		n--;
	}
	return !n;
}

TEST(a_wrong_tag_zeroes_the_last_part_and_ends_the_stream)
{
	handle_t h = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	unsigned char mac[16];
	unsigned int place;

	ASSERT_NE(0, h);
	fill_noise(in, 4096, 3);
	ASSERT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv16, 12, in, 16, 4080, whole, mac));
	for (place = 0; place < 2; place++) {
		memset(parts, 0x5a, sizeof(parts));
		if (place)
			memcpy(parts, whole, 4096);
		mac[3] ^= 1;
		ASSERT_EQ(0,
			  aead_part(h, WD_CIPHER_DECRYPTION, iv16, 12, place ? parts : whole, 16, 1000, parts, NULL));
		EXPECT_EQ(-EBADMSG, aead_part(h, WD_CIPHER_DECRYPTION, NULL, 0, (place ? parts : whole) + 1016, 0, 3080,
					      parts + 1016, mac));
		EXPECT_NE(NULL, strstr(detail(h), "tag"));
		/* Data that earlier parts released stays; discarding it is up to the caller. */
		EXPECT_EQ(0, memcmp(parts, in, 1016));
		EXPECT_TRUE(filled(parts + 1016, 3080, 0));
		EXPECT_TRUE(filled(parts + 4096, 100, 0x5a));
		mac[3] ^= 1;
		/* The stream is over: the next part must begin a new one. */
		EXPECT_EQ(-EINVAL, aead_part(h, WD_CIPHER_DECRYPTION, NULL, 0, whole, 0, 16, parts, NULL));
		EXPECT_EQ(0, aead_part(h, WD_CIPHER_DECRYPTION, iv16, 12, whole, 16, 4080, parts, mac))
			TH_LOG("%s", detail(h));
		EXPECT_EQ(0, memcmp(parts, in, 4096));
	}
	EXPECT_EQ(0, wd_aead_free_sess(h));
}

/* --- refusals --- */

TEST(what_is_out_of_order_is_refused_and_the_stream_goes_on)
{
	handle_t h = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	unsigned char mac[16], got[16];

	ASSERT_NE(0, h);
	fill_noise(in, 300, 4);
	ASSERT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv16, 12, in, 20, 280, whole, mac));
	EXPECT_EQ(-EINVAL, aead_part(h, WD_CIPHER_ENCRYPTION, NULL, 0, in, 20, 80, parts, NULL));
	EXPECT_NE(NULL, strstr(detail(h), "iv"));
	ASSERT_EQ(0, aead_part(h, WD_CIPHER_ENCRYPTION, iv16, 12, in, 20, 83, parts, NULL)) TH_LOG("%s", detail(h));
	EXPECT_EQ(-EINVAL, aead_part(h, WD_CIPHER_ENCRYPTION, iv16, 12, in, 0, 20, parts + 200, NULL));
	EXPECT_NE(NULL, strstr(detail(h), "iv"));
	EXPECT_EQ(-EINVAL, aead_part(h, WD_CIPHER_ENCRYPTION, NULL, 0, in, 20, 0, parts + 200, NULL));
	EXPECT_NE(NULL, strstr(detail(h), "associated"));
	EXPECT_EQ(-EINVAL, aead_part(h, WD_CIPHER_DECRYPTION, NULL, 0, in, 0, 20, parts + 200, NULL));
	EXPECT_NE(NULL, strstr(detail(h), "encrypts"));
	EXPECT_EQ(-EBUSY, wd_aead_set_ckey(h, key64, 16));
	EXPECT_NE(NULL, strstr(detail(h), "stream"));
	EXPECT_EQ(-EBUSY, wd_aead_set_authsize(h, 12));
	/* Whole requests of the same session don't disturb the stream. */
	ASSERT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv16, 12, in, 20, 280, parts + 1000, got));
	ASSERT_EQ(0, aead_part(h, WD_CIPHER_ENCRYPTION, NULL, 0, in + 103, 0, 197, parts + 103, got))
		TH_LOG("%s", detail(h));
	EXPECT_EQ(0, memcmp(whole, parts, 300) || memcmp(mac, got, 16));
	EXPECT_EQ(0, wd_aead_set_authsize(h, 12));
	EXPECT_EQ(0, wd_aead_free_sess(h));
}

TEST(arguments_of_a_part)
{
	handle_t h = aead_open(gcm, WD_SYNC, WD_FLAT_BUF, 0);
	size_t room = 64;
	unsigned char mac[16];
	struct wd_aead_arg good = {
		.src = in, .src_len = 64, .dst = parts, .dst_len = &room, .iv = (void *)iv16, .iv_len = 12, .mac = mac,
		.mac_len = 16,
	}, arg = good;

	ASSERT_NE(0, h);
	EXPECT_EQ(-EINVAL, wd_aead_update(h, &arg));
	EXPECT_NE(NULL, strstr(detail(h), "key"));
	ASSERT_EQ(0, wd_aead_set_ckey(h, key64, 16));
#define REFUSED(change, err, call) do { \
	room = 64; \
	arg = good; \
	change; \
	EXPECT_EQ(err, call(h, &arg)) TH_LOG("%s", #change); \
	EXPECT_EQ(err, arg.status); \
} while (0)
	EXPECT_EQ(-EINVAL, wd_aead_update(0, &good));
	EXPECT_EQ(-EINVAL, wd_aead_update(h, NULL));
	EXPECT_EQ(-EINVAL, wd_aead_final(h, NULL));
	EXPECT_EQ(-EINVAL, wd_aead_reset_sess(0));
	REFUSED(arg.src = NULL, -EINVAL, wd_aead_update);
	REFUSED(arg.dst = NULL, -EINVAL, wd_aead_update);
	REFUSED(arg.dst_len = NULL, -EINVAL, wd_aead_update);
	REFUSED(room = 63, -ENOSPC, wd_aead_update);
	EXPECT_EQ(0, room);
	REFUSED(arg.dst = in + 1, -EINVAL, wd_aead_update);
	REFUSED(arg.assoc_len = 65, -EINVAL, wd_aead_update);
	REFUSED(arg.op = 2, -EINVAL, wd_aead_update);
	REFUSED(arg.flags = 1, -EINVAL, wd_aead_update);
	REFUSED(arg.reserved[2] = 1, -EINVAL, wd_aead_final);
	REFUSED(arg.iv_len = 0, -EINVAL, wd_aead_update);
	REFUSED(arg.iv_len = 129, -EOPNOTSUPP, wd_aead_update);
	REFUSED(arg.mac = NULL, -EINVAL, wd_aead_final);
	REFUSED(arg.mac_len = 15, -EINVAL, wd_aead_final);
	REFUSED(arg.mac = parts + 60, -EINVAL, wd_aead_final);
	/* None of the refused parts has begun a stream. */
	EXPECT_EQ(0, wd_aead_set_ckey(h, key64, 16));
	room = 64;
	EXPECT_EQ(0, wd_aead_final(h, &good)) TH_LOG("%s", detail(h));
	EXPECT_EQ(0, wd_aead_free_sess(h));
}

TEST(only_GCM_and_only_synchronous_sessions_have_them)
{
	static const struct aead_kind others[] = {
		{ WD_CIPHER_AES, WD_CIPHER_CCM, 0 }, { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA256 }
	};
	handle_t h;
	int i;

	for (i = 0; i < 2; i++) {
		h = aead_keyed(others[i], key64, 16, key64, 32, 0, 0);
		ASSERT_NE(0, h);
		EXPECT_EQ(0, wd_aead_sess_caps(h) & WD_CAP_STREAM);
		EXPECT_EQ(-EOPNOTSUPP, aead_part(h, WD_CIPHER_ENCRYPTION, iv16, i ? 16 : 12, in, 0, 64, parts, NULL));
		EXPECT_NE(NULL, strstr(detail(h), "only GCM")) TH_LOG("%s", detail(h));
		EXPECT_EQ(0, wd_aead_free_sess(h));
	}
	h = aead_open(gcm, WD_ASYNC, WD_FLAT_BUF, 0);
	ASSERT_NE(0, h);
	EXPECT_EQ(0, wd_aead_sess_caps(h) & WD_CAP_STREAM);
	EXPECT_EQ(-EINVAL, aead_part(h, WD_CIPHER_ENCRYPTION, iv16, 12, in, 0, 64, parts, NULL));
	EXPECT_NE(NULL, strstr(detail(h), "asynchronous"));
	EXPECT_EQ(0, wd_aead_free_sess(h));
}

TEST(what_is_not_mapped_is_EFAULT_and_a_reset_begins_anew)
{
	handle_t h = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	unsigned char *gone = NOWHERE, mac[16];

	ASSERT_NE(0, h);
	EXPECT_EQ(0, wd_aead_reset_sess(h));
	/* The limit of SP 800-38D is checked first: only a length within it reaches the buffers. */
	EXPECT_EQ(-EFBIG, aead_part(h, WD_CIPHER_ENCRYPTION, iv16, 12, gone, 16, GCM_MOST + 1, gone, NULL));
	EXPECT_NE(NULL, strstr(detail(h), "2^36")) TH_LOG("%s", detail(h));
	EXPECT_EQ(-EFAULT, aead_part(h, WD_CIPHER_ENCRYPTION, iv16, 12, gone, 16, GCM_MOST, gone, NULL));
	EXPECT_EQ(-EFAULT, aead_part(h, WD_CIPHER_ENCRYPTION, gone, 12, in, 0, 64, parts, NULL));
	/* No stream had begun. */
	ASSERT_EQ(0, aead_part(h, WD_CIPHER_ENCRYPTION, iv16, 12, in, 0, 64, parts, NULL));
	EXPECT_EQ(-EFBIG, aead_part(h, WD_CIPHER_ENCRYPTION, NULL, 0, gone, 0, GCM_MOST - 63, gone, NULL));
	EXPECT_EQ(-EFAULT, aead_part(h, WD_CIPHER_ENCRYPTION, NULL, 0, in, 0, 64, gone, NULL));
	EXPECT_EQ(-EINVAL, aead_part(h, WD_CIPHER_ENCRYPTION, NULL, 0, in, 0, 64, parts, NULL));
	EXPECT_NE(NULL, strstr(detail(h), "wd_aead_reset_sess"));
	EXPECT_EQ(0, wd_aead_reset_sess(h));
	EXPECT_EQ(0, aead_part(h, WD_CIPHER_ENCRYPTION, iv16, 12, in, 3, 61, parts, mac));
	/* The session is freed with an unfinished stream. */
	EXPECT_EQ(0, aead_part(h, WD_CIPHER_ENCRYPTION, iv16, 12, in, 3, 61, parts, NULL));
	EXPECT_EQ(0, wd_aead_free_sess(h));
}

TEST(a_decryption_whose_tag_is_not_mapped_keeps_what_nobody_has_deciphered)
{
	handle_t h = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	unsigned char *gone = NOWHERE, mac[16];
	bool soft = expected_path("aead") == WD_PATH_SOFT;

	ASSERT_NE(0, h);
	fill_noise(in, 300, 6);
	ASSERT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv16, 12, in, 20, 280, whole, mac));
	memcpy(parts, whole, 300);
	EXPECT_EQ(-EFAULT, aead_part(h, WD_CIPHER_DECRYPTION, iv16, 12, parts, 20, 280, parts, gone));
	EXPECT_EQ(0, memcmp(parts, whole, 300));
	/* No stream has begun: the next part is a first part. */
	ASSERT_EQ(0, aead_part(h, WD_CIPHER_DECRYPTION, iv16, 12, parts, 20, 80, parts, NULL)) TH_LOG("%s", detail(h));
	EXPECT_EQ(-EFAULT, aead_part(h, WD_CIPHER_DECRYPTION, NULL, 0, parts + 100, 0, 200, parts + 100, gone));
	EXPECT_EQ(0, memcmp(parts, in, 100));
	EXPECT_TRUE(soft ? !memcmp(parts + 100, whole + 100, 200) : filled(parts + 100, 200, 0));
	EXPECT_EQ(-EINVAL, aead_part(h, WD_CIPHER_DECRYPTION, NULL, 0, parts + 100, 0, 200, parts + 100, mac));
	EXPECT_EQ(0, wd_aead_free_sess(h));
}

TEST(a_child_has_no_half_done_stream)
{
	handle_t h = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	unsigned char mac[16];
	int status;
	pid_t pid;

	ASSERT_NE(0, h);
	ASSERT_EQ(0, aead_part(h, WD_CIPHER_ENCRYPTION, iv16, 12, in, 3, 61, parts, NULL));
	pid = fork();
	if (!pid) {
		if (aead_part(h, WD_CIPHER_ENCRYPTION, NULL, 0, in, 0, 64, parts, mac) != -ESTALE)
			_exit(1);
		if (wd_aead_reset_sess(h) || aead_part(h, WD_CIPHER_ENCRYPTION, iv16, 12, in, 0, 64, parts, mac))
			_exit(2);
		_exit(wd_aead_free_sess(h) ? 3 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, aead_part(h, WD_CIPHER_ENCRYPTION, NULL, 0, in, 0, 64, parts, mac));
	EXPECT_EQ(0, wd_aead_free_sess(h));
}

TEST_HARNESS_MAIN
