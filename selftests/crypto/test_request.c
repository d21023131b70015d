// SPDX-License-Identifier: Apache-2.0
/* Requests of the three libraries apart from the arithmetic: sizes, addresses, lists, chains, parts, keys, fork. */
#include <malloc.h>
#include <pthread.h>
#include <sys/wait.h>

#include "aead_test.h"
#include "digest_test.h"
#include "kselftest_harness.h"

static const unsigned char key64[64] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
static const unsigned char iv16[16] = "an initial value";

static const struct aead_kind gcm = { WD_CIPHER_AES, WD_CIPHER_GCM, 0 };
static const struct aead_kind ccm = { WD_CIPHER_AES, WD_CIPHER_CCM, 0 };
static const struct aead_kind authenc = { WD_CIPHER_AES, WD_CIPHER_CBC, WD_DIGEST_SHA256 };

/* Memory that ends or begins at an inaccessible page. */
struct edge {
	unsigned char *base;
	size_t len;
};

static struct edge edge_open(size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (len + page - 1) / page * page;
	struct edge e = { .len = whole };

	e.base = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (e.base == MAP_FAILED || mprotect(e.base + whole, page, PROT_NONE))
		abort();
	return e;
}

static unsigned char *edge_end(const struct edge *e, size_t n)
{
	return e->base + e->len - n;
}

static void edge_close(struct edge *e)
{
	munmap(e->base, e->len + (size_t)sysconf(_SC_PAGESIZE));
}

/* --- empty and large data --- */

TEST(no_data_is_a_request)
{
	handle_t c = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, 0),
		 g = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	handle_t m = aead_keyed(ccm, key64, 16, NULL, 0, 0, 0), a = aead_keyed(authenc, key64, 16, key64, 20, 0, 0);
	handle_t d = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, NULL, 0, 0, 0);
	/* Test case 1 of the GCM specification, with a key of zeroes. */
	static const unsigned char zeroes[16], want[16] = {
		0x58, 0xe2, 0xfc, 0xce, 0xfa, 0x7e, 0x30, 0x61, 0x36, 0x7f, 0x1d, 0x57, 0xa4, 0xe7, 0x45, 0x5a
	};
	unsigned char mac[32], one[1];

	ASSERT_TRUE(c && g && m && a && d);
	EXPECT_EQ(0, cipher_do(c, WD_CIPHER_ENCRYPTION, iv16, 16, NULL, 0, NULL));
	EXPECT_EQ(0, cipher_do(c, WD_CIPHER_DECRYPTION, iv16, 16, one, 0, one));
	ASSERT_EQ(0, wd_aead_set_ckey(g, zeroes, 16));
	EXPECT_EQ(0, aead_do(g, WD_CIPHER_ENCRYPTION, zeroes, 12, NULL, 0, 0, NULL, mac)) TH_LOG("%s", detail(g));
	EXPECT_EQ(0, memcmp(mac, want, 16));
	EXPECT_EQ(0, aead_do(g, WD_CIPHER_DECRYPTION, zeroes, 12, NULL, 0, 0, NULL, mac));
	mac[0] ^= 1;
	EXPECT_EQ(-EBADMSG, aead_do(g, WD_CIPHER_DECRYPTION, zeroes, 12, NULL, 0, 0, NULL, mac));
	EXPECT_EQ(0, aead_do(m, WD_CIPHER_ENCRYPTION, iv16, 12, NULL, 0, 0, NULL, mac)) TH_LOG("%s", detail(m));
	EXPECT_EQ(0, aead_do(m, WD_CIPHER_DECRYPTION, iv16, 12, NULL, 0, 0, NULL, mac));
	EXPECT_EQ(0, aead_do(a, WD_CIPHER_ENCRYPTION, iv16, 16, NULL, 0, 0, NULL, mac)) TH_LOG("%s", detail(a));
	EXPECT_EQ(0, aead_do(a, WD_CIPHER_DECRYPTION, iv16, 16, NULL, 0, 0, NULL, mac));
	EXPECT_EQ(0, digest_do(d, NULL, 0, mac, 32));
	EXPECT_EQ(0xe3, mac[0]);
	EXPECT_EQ(0, wd_cipher_free_sess(c));
	EXPECT_EQ(0, wd_aead_free_sess(g));
	EXPECT_EQ(0, wd_aead_free_sess(m));
	EXPECT_EQ(0, wd_aead_free_sess(a));
	EXPECT_EQ(0, wd_digest_free_sess(d));
}

/* Encrypts and decrypts; two chained halves must give the same result. */
static void large_cipher(struct __test_metadata *_metadata, int mode, size_t len)
{
	unsigned char *plain = malloc(len), *whole = malloc(len), *halves = malloc(len), iv[16];
	handle_t h = cipher_keyed(WD_CIPHER_AES, mode, key64, 16, 0);
	size_t half = len / 32 * 16, iv_len = mode == WD_CIPHER_ECB ? 0 : 16;
	struct wd_cipher_arg arg = {
		.src = plain, .src_len = half, .dst = halves, .dst_len = &half, .iv = iv_len ? iv : NULL,
		.iv_len = (__u32)iv_len, .flags = iv_len ? WD_CIPHER_CHAIN : 0,
	};

	ASSERT_TRUE(h && plain && whole && halves);
	fill_noise(plain, len, 3);
	ASSERT_EQ(0, cipher_do(h, WD_CIPHER_ENCRYPTION, iv_len ? iv16 : NULL, iv_len, plain, len, whole))
		TH_LOG("%s", detail(h));
	memcpy(iv, iv16, 16);
	ASSERT_EQ(0, wd_cipher_sync(h, &arg)) TH_LOG("%s", detail(h));
	ASSERT_EQ(0, cipher_do(h, WD_CIPHER_ENCRYPTION, iv_len ? iv : NULL, iv_len, plain + half, len - half,
			       halves + half));
	EXPECT_EQ(0, memcmp(whole, halves, len));
	/* In place: the library has to keep the ciphertext that the next half needs. */
	memcpy(iv, iv16, 16);
	arg.src = arg.dst = halves;
	arg.op = WD_CIPHER_DECRYPTION;
	ASSERT_EQ(0, wd_cipher_sync(h, &arg));
	ASSERT_EQ(0, cipher_do(h, WD_CIPHER_DECRYPTION, iv_len ? iv : NULL, iv_len, halves + half, len - half,
			       halves + half));
	EXPECT_EQ(0, memcmp(plain, halves, len));
	ASSERT_EQ(0, cipher_do(h, WD_CIPHER_DECRYPTION, iv_len ? iv16 : NULL, iv_len, whole, len, whole));
	EXPECT_EQ(0, memcmp(plain, whole, len));
	EXPECT_EQ(0, wd_cipher_free_sess(h));
	free(plain);
	free(whole);
	free(halves);
}

TEST(sixteen_mebibytes_and_chains_of_each_mode)
{
	LARGE();
	large_cipher(_metadata, WD_CIPHER_ECB, 16 * MIB);
	large_cipher(_metadata, WD_CIPHER_CBC, 16 * MIB);
	large_cipher(_metadata, WD_CIPHER_CTR, 16 * MIB + 5);
	large_cipher(_metadata, WD_CIPHER_OFB, 16 * MIB + 5);
	large_cipher(_metadata, WD_CIPHER_CFB, 16 * MIB + 5);
}

TEST(a_counter_of_all_ones_rolls_over_in_a_chain)
{
	unsigned char plain[64] = { 0 }, whole[64], iv[16];
	handle_t h = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CTR, key64, 16, 0);
	size_t n = 32;
	struct wd_cipher_arg arg = {
		.src = plain, .src_len = 32, .dst = plain, .dst_len = &n, .iv = iv, .iv_len = 16,
		.flags = WD_CIPHER_CHAIN,
	};

	ASSERT_NE(0, h);
	memset(iv, 0xff, 16);
	ASSERT_EQ(0, cipher_do(h, WD_CIPHER_ENCRYPTION, iv, 16, plain, 64, whole));
	ASSERT_EQ(0, wd_cipher_sync(h, &arg));
	EXPECT_EQ(0, iv[0]);
	EXPECT_EQ(1, iv[15]);
	ASSERT_EQ(0, cipher_do(h, WD_CIPHER_ENCRYPTION, iv, 16, plain + 32, 32, plain + 32));
	EXPECT_EQ(0, memcmp(whole, plain, 64));
	EXPECT_EQ(0, wd_cipher_free_sess(h));
}

TEST(an_iv_is_not_written_unless_asked_for)
{
	handle_t c = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, 0),
		 a = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	unsigned char buf[64] = { 0 }, mac[16];

	/* A failure would be a segmentation fault. */
	EXPECT_EQ(0, cipher_do(c, WD_CIPHER_ENCRYPTION, iv16, 16, buf, 64, buf));
	EXPECT_EQ(0, aead_do(a, WD_CIPHER_ENCRYPTION, iv16, 12, buf, 16, 48, buf, mac));
	EXPECT_EQ(0, wd_cipher_free_sess(c));
	EXPECT_EQ(0, wd_aead_free_sess(a));
}

TEST(a_digest_and_aead_of_sixteen_mebibytes)
{
	handle_t d = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_HMAC, key64, 20, 0, 0),
		 a = aead_keyed(gcm, key64, 32, NULL, 0, 0, 0);
	unsigned char *data = malloc(16 * MIB), *out = malloc(16 * MIB), whole[32], parts[32], mac[16];
	size_t at;

	LARGE();
	ASSERT_TRUE(d && a && data && out);
	fill_noise(data, 16 * MIB, 5);
	ASSERT_EQ(0, digest_do(d, data, 16 * MIB, whole, 32)) TH_LOG("%s", detail(d));
	for (at = 0; at < 15 * MIB; at += MIB) {
		ASSERT_EQ(0, digest_part(d, data + at, MIB, NULL));
	}
	ASSERT_EQ(0, digest_part(d, data + at, MIB, parts));
	EXPECT_EQ(0, memcmp(whole, parts, 32));
	ASSERT_EQ(0, aead_do(a, WD_CIPHER_ENCRYPTION, iv16, 12, data, 100, 16 * MIB - 100, out, mac))
		TH_LOG("%s", detail(a));
	EXPECT_EQ(0, memcmp(data, out, 100));
	ASSERT_EQ(0, aead_do(a, WD_CIPHER_DECRYPTION, iv16, 12, out, 100, 16 * MIB - 100, out, mac));
	EXPECT_EQ(0, memcmp(data, out, 16 * MIB));
	EXPECT_EQ(0, wd_digest_free_sess(d));
	EXPECT_EQ(0, wd_aead_free_sess(a));
	free(data);
	free(out);
}

/* --- memory --- */

TEST(nothing_is_touched_beyond_a_page_at_any_alignment)
{
	handle_t c = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CTR, key64, 16, 0),
		 a = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	handle_t d = digest_keyed(WD_DIGEST_SHA512, WD_DIGEST_NORMAL, NULL, 0, 0, 0);
	struct edge in = edge_open(8192), out = edge_open(8192), iv = edge_open(16), mac = edge_open(64);
	unsigned char plain[5000];
	size_t n;

	ASSERT_TRUE(c && a && d);
	fill_noise(plain, sizeof(plain), 9);
	memcpy(edge_end(&iv, 16), iv16, 16);
	for (n = 1; n < 5000; n += 1 + n / 3) {
		memcpy(edge_end(&in, n), plain, n);
		ASSERT_EQ(0, cipher_do(c, WD_CIPHER_ENCRYPTION, edge_end(&iv, 16), 16, edge_end(&in, n), n,
				       edge_end(&out, n)));
		ASSERT_EQ(0, cipher_do(c, WD_CIPHER_DECRYPTION, edge_end(&iv, 16), 16, edge_end(&out, n), n,
				       edge_end(&in, n)));
		EXPECT_EQ(0, memcmp(plain, edge_end(&in, n), n));
		ASSERT_EQ(0, aead_do(a, WD_CIPHER_ENCRYPTION, edge_end(&iv, 12), 12, edge_end(&in, n), n / 2, n - n / 2,
				     edge_end(&out, n), edge_end(&mac, 16)));
		ASSERT_EQ(0, aead_do(a, WD_CIPHER_DECRYPTION, edge_end(&iv, 12), 12, edge_end(&out, n), n / 2,
				     n - n / 2, edge_end(&in, n), edge_end(&mac, 16)));
		EXPECT_EQ(0, memcmp(plain, edge_end(&in, n), n));
		ASSERT_EQ(0, digest_do(d, edge_end(&in, n), n, edge_end(&mac, 64), 64));
	}
	EXPECT_EQ(0, wd_cipher_free_sess(c));
	EXPECT_EQ(0, wd_aead_free_sess(a));
	EXPECT_EQ(0, wd_digest_free_sess(d));
	edge_close(&in);
	edge_close(&out);
	edge_close(&iv);
	edge_close(&mac);
}

TEST(a_buffer_that_is_not_mapped_is_EFAULT)
{
	handle_t c = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, 0),
		 a = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	handle_t d = digest_keyed(WD_DIGEST_SHA1, WD_DIGEST_NORMAL, NULL, 0, 0, 0);
	unsigned char *gone = NOWHERE, buf[4096] = { 0 }, mac[32];

	ASSERT_TRUE(c && a && d);
	EXPECT_EQ(-EFAULT, cipher_do(c, WD_CIPHER_ENCRYPTION, iv16, 16, gone, 4096, buf));
	EXPECT_NE(NULL, strstr(detail(c), "mapped"));
	EXPECT_EQ(-EFAULT, cipher_do(c, WD_CIPHER_ENCRYPTION, iv16, 16, buf, 4096, gone));
	EXPECT_EQ(-EFAULT, digest_do(d, gone, 4096, mac, 20));
	EXPECT_EQ(-EFAULT, digest_do(d, buf, 4096, gone, 20));
	EXPECT_EQ(-EFAULT, aead_do(a, WD_CIPHER_ENCRYPTION, iv16, 12, gone, 16, 4080, buf, mac));
	EXPECT_EQ(-EFAULT, aead_do(a, WD_CIPHER_DECRYPTION, iv16, 12, buf, 16, 4080, gone, mac));
	EXPECT_EQ(-EFAULT, aead_do(a, WD_CIPHER_ENCRYPTION, iv16, 12, buf, 16, 4080, buf, gone));
	EXPECT_EQ(0, wd_cipher_free_sess(c));
	EXPECT_EQ(0, wd_aead_free_sess(a));
	EXPECT_EQ(0, wd_digest_free_sess(d));
}

/* Where the device writes. A decryption that fails zeroes its destination as far as that can be written. */
TEST(a_destination_that_is_read_only_is_EFAULT_on_a_device)
{
	unsigned char *fixed = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), buf[4096] = { 0 };
	unsigned char mac[32] = { 0 };
	handle_t c, d, a;

	if (expected_path("cipher") == WD_PATH_SOFT)
		SKIP(return, "needs a device");
	c = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, 0);
	d = digest_keyed(WD_DIGEST_SHA1, WD_DIGEST_NORMAL, NULL, 0, 0, 0);
	a = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	ASSERT_NE(MAP_FAILED, fixed);
	ASSERT_TRUE(c && a && d);
	EXPECT_EQ(-EFAULT, cipher_do(c, WD_CIPHER_ENCRYPTION, iv16, 16, buf, 4096, fixed));
	EXPECT_EQ(-EFAULT, digest_do(d, buf, 4096, fixed, 20));
	EXPECT_EQ(-EFAULT, aead_do(a, WD_CIPHER_ENCRYPTION, iv16, 12, buf, 16, 4080, fixed, mac));
	EXPECT_EQ(-EFAULT, aead_do(a, WD_CIPHER_DECRYPTION, iv16, 12, buf, 16, 4080, fixed, mac));
	EXPECT_EQ(0, wd_cipher_free_sess(c));
	EXPECT_EQ(0, wd_digest_free_sess(d));
	EXPECT_EQ(0, wd_aead_free_sess(a));
	munmap(fixed, 4096);
}

TEST(a_length_that_goes_beyond_the_last_address_is_EFAULT)
{
	handle_t c = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CTR, key64, 16, 0),
		 d = digest_keyed(WD_DIGEST_SHA1, WD_DIGEST_NORMAL, NULL, 0, 0, 0);
	unsigned char *buf = calloc(1, MIB), *mid = buf + MIB / 2, mac[20];
	struct wd_digest_arg part = { .src = mid, .src_len = SIZE_MAX };

	ASSERT_TRUE(c && d && buf);
	/* The library knows the mapping around the buffer now. */
	EXPECT_EQ(0, digest_do(d, mid, 4096, mac, 20));
	EXPECT_EQ(-EFAULT, digest_do(d, mid, SIZE_MAX, mac, 20));
	EXPECT_EQ(-EFAULT, digest_do(d, mid, SIZE_MAX - 4096, mac, 20));
	EXPECT_EQ(-EFAULT, cipher_do(c, WD_CIPHER_ENCRYPTION, iv16, 16, mid, SIZE_MAX, mid));
	EXPECT_EQ(-EFAULT, wd_digest_update(d, &part));
	EXPECT_EQ(0, wd_cipher_free_sess(c));
	EXPECT_EQ(0, wd_digest_free_sess(d));
	free(buf);
}

/* On a device, the second part is longer than the buffered rest for a descriptor. */
TEST(a_stream_whose_digest_has_no_place_goes_on)
{
	handle_t d = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, NULL, 0, 0, 0);
	unsigned char want[32], md[32], *data = malloc(MIB);

	ASSERT_TRUE(d && data);
	fill_noise(data, MIB, 3);
	ASSERT_EQ(0, digest_do(d, data, MIB, want, 32));
	ASSERT_EQ(0, digest_part(d, data, 100, NULL));
	ASSERT_EQ(0, digest_part(d, data + 100, MIB - 200, NULL));
	EXPECT_EQ(-EFAULT, digest_part(d, data + MIB - 100, 100, NOWHERE));
	EXPECT_EQ(0, digest_part(d, data + MIB - 100, 100, md)) TH_LOG("%s", detail(d));
	EXPECT_EQ(0, memcmp(want, md, 32));
	EXPECT_EQ(0, wd_digest_free_sess(d));
	free(data);
}

TEST(a_stream_of_what_is_not_mapped_is_EFAULT)
{
	handle_t d = digest_keyed(WD_DIGEST_SHA1, WD_DIGEST_NORMAL, NULL, 0, 0, 0);
	struct wd_digest_arg arg = { .src = NOWHERE, .src_len = 100 };

	ASSERT_NE(0, d);
	EXPECT_EQ(-EFAULT, wd_digest_update(d, &arg));
	EXPECT_EQ(0, wd_digest_free_sess(d));
}

TEST(a_tag_that_cannot_be_read_releases_no_plaintext)
{
	handle_t a = aead_keyed(gcm, key64, 16, NULL, 0, 0, 0);
	unsigned char buf[4096] = { 0 }, out[4096];
	size_t i;

	ASSERT_NE(0, a);
	memset(out, 0xdb, sizeof(out));
	EXPECT_EQ(-EFAULT, aead_do(a, WD_CIPHER_DECRYPTION, iv16, 12, buf, 16, 4080, out, NOWHERE));
	for (i = 16; i < sizeof(out) && out[i] == out[16]; i++)
		;
	EXPECT_EQ(sizeof(out), i);
	EXPECT_TRUE(out[16] == 0xdb || !out[16]);
	EXPECT_EQ(0, wd_aead_free_sess(a));
}

/* The buffer is never touched: it is larger than the memory. */
TEST(stealing_of_more_than_libcrypto_counts_is_EFBIG)
{
	handle_t c = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC_CS3, key64, 16, WD_SESS_PATH_SOFT);
	size_t len = (1u << 30) + 1;
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	ASSERT_TRUE(c && p != MAP_FAILED);
	EXPECT_EQ(-EFBIG, cipher_do(c, WD_CIPHER_ENCRYPTION, iv16, 16, p, len, p));
	EXPECT_NE(NULL, strstr(detail(c), "libcrypto")) TH_LOG("%s", detail(c));
	munmap(p, len);
	EXPECT_EQ(0, wd_cipher_free_sess(c));
}

/* --- lists --- */

/* Cuts at odd sizes, with empty pieces among them. */
static unsigned int cut(struct wd_datalist *l, unsigned int max, unsigned char *p, size_t len, size_t first)
{
	unsigned int n = 0;

	while (len && n < max - 1) {
		size_t part = n % 3 == 1 ? 0 : first < len && n < max - 2 ? first : len;

		l[n] = (struct wd_datalist){ .data = part ? p : NULL, .len = part, .next = &l[n + 1] };
		n++;
		p += part;
		len -= part;
		first = first * 3 + 1;
	}
	l[n] = (struct wd_datalist){ .next = NULL };
	return n;
}

TEST(lists_give_what_flat_buffers_give)
{
	unsigned char in[5008], want[5008], out[5008], mac[32], mac_want[32];
	struct wd_datalist src[32], dst[32];
	handle_t flat, list;
	size_t n = sizeof(in);

	fill_noise(in, sizeof(in), 4);
	flat = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, 0);
	list = cipher_open(WD_CIPHER_AES, WD_CIPHER_CBC, WD_SYNC, WD_SGL_BUF, 0);
	ASSERT_TRUE(flat && list);
	EXPECT_EQ(WD_CAP_SGL, wd_cipher_sess_caps(list) & WD_CAP_SGL);
	ASSERT_EQ(0, wd_cipher_set_key(list, key64, 16));
	cut(src, 32, in, sizeof(in), 1);
	cut(dst, 32, out, sizeof(out), 7);
	ASSERT_EQ(0, cipher_do(flat, WD_CIPHER_ENCRYPTION, iv16, 16, in, sizeof(in), want));
	ASSERT_EQ(0, cipher_do(list, WD_CIPHER_ENCRYPTION, iv16, 16, src, sizeof(in), dst)) TH_LOG("%s", detail(list));
	EXPECT_EQ(0, memcmp(want, out, sizeof(out)));
	ASSERT_EQ(0, cipher_do(list, WD_CIPHER_DECRYPTION, iv16, 16, dst, sizeof(in), dst));
	EXPECT_EQ(0, memcmp(in, out, sizeof(out)));
	EXPECT_EQ(0, wd_cipher_free_sess(flat));
	EXPECT_EQ(0, wd_cipher_free_sess(list));

	flat = digest_keyed(WD_DIGEST_SM3, WD_DIGEST_NORMAL, NULL, 0, 0, 0);
	list = digest_open(WD_DIGEST_SM3, WD_DIGEST_NORMAL, WD_SYNC, WD_SGL_BUF, 0, 0);
	ASSERT_TRUE(flat && list);
	ASSERT_EQ(0, digest_do(flat, in, n, mac_want, 32));
	ASSERT_EQ(0, digest_do(list, src, n, mac, 32)) TH_LOG("%s", detail(list));
	EXPECT_EQ(0, memcmp(mac, mac_want, 32));
	ASSERT_EQ(0, digest_part(list, src, n, NULL));
	ASSERT_EQ(0, digest_part(list, NULL, 0, mac));
	EXPECT_EQ(0, memcmp(mac, mac_want, 32));
	EXPECT_EQ(0, wd_digest_free_sess(flat));
	EXPECT_EQ(0, wd_digest_free_sess(list));
}

TEST(a_wrong_tag_leaves_zeroes_in_lists_too)
{
	static const struct aead_kind kinds[] = { gcm, ccm, authenc };
	struct wd_datalist src[32], dst[32];
	unsigned char in[5008], out[5008], mac[32];
	unsigned int i, k;

	for (k = 0; k < 3; k++) {
		handle_t h = aead_open(kinds[k], WD_SYNC, WD_SGL_BUF, 0);
		int iv_len = kinds[k].cmode == WD_CIPHER_CBC ? 16 : 12;

		ASSERT_NE(0, h);
		ASSERT_EQ(0, wd_aead_set_ckey(h, key64, 16));
		if (kinds[k].cmode == WD_CIPHER_CBC)
			ASSERT_EQ(0, wd_aead_set_akey(h, key64, 32));
		fill_noise(in, sizeof(in), k + 1);
		cut(src, 32, in, sizeof(in), 3);
		cut(dst, 32, out, sizeof(out), 2);
		ASSERT_EQ(0, aead_do(h, WD_CIPHER_ENCRYPTION, iv16, iv_len, src, 32, 4976, dst, mac))
			TH_LOG("%s", detail(h));
		memset(in, 0, sizeof(in));
		ASSERT_EQ(0, aead_do(h, WD_CIPHER_DECRYPTION, iv16, iv_len, dst, 32, 4976, src, mac))
			TH_LOG("%s", detail(h));
		mac[3] ^= 0x10;
		EXPECT_EQ(-EBADMSG, aead_do(h, WD_CIPHER_DECRYPTION, iv16, iv_len, dst, 32, 4976, src, mac));
		EXPECT_NE(NULL, strstr(detail(h), "tag"));
		for (i = 32; i < sizeof(in) && !in[i]; i++)
			;
		EXPECT_EQ(sizeof(in), i);
		EXPECT_EQ(-EBADMSG, aead_do(h, WD_CIPHER_DECRYPTION, iv16, iv_len, dst, 32, 4976, dst, mac));
		for (i = 32; i < sizeof(out) && !out[i]; i++)
			;
		EXPECT_EQ(sizeof(out), i);
		EXPECT_EQ(0, wd_aead_free_sess(h));
	}
}

/* --- parts of a message --- */

TEST(parts_of_any_length_make_the_whole)
{
	unsigned char data[20000], whole[64], md[64];
	unsigned int alg, mode, seed = 1;

	fill_noise(data, sizeof(data), 6);
	for (alg = WD_DIGEST_SM3; alg <= WD_DIGEST_SHA512_256; alg++) {
		for (mode = WD_DIGEST_NORMAL; mode <= WD_DIGEST_HMAC; mode++) {
			handle_t h = digest_keyed((int)alg, (int)mode, key64, 33, 16, 0);
			size_t at, n;

			ASSERT_NE(0, h) TH_LOG("%s", detail(0));
			EXPECT_EQ(WD_CAP_STREAM, wd_digest_sess_caps(h) & WD_CAP_STREAM);
			ASSERT_EQ(0, digest_do(h, data, sizeof(data), whole, 16));
			for (at = 0; at < sizeof(data); at += n) {
				seed = seed * 1103515245u + 12345u;
				n = (seed >> 16) % 6000;
				if (n > sizeof(data) - at)
					n = sizeof(data) - at;
				ASSERT_EQ(0, digest_part(h, data + at, n, NULL)) TH_LOG("%s", detail(h));
				/* Whole requests of the same session don't disturb the stream. */
				if (at > 10000)
					ASSERT_EQ(0, digest_do(h, data, at, md, 16));
			}
			ASSERT_EQ(0, digest_part(h, NULL, 0, md));
			EXPECT_EQ(0, memcmp(md, whole, 16)) TH_LOG("alg %u mode %u", alg, mode);
			EXPECT_EQ(0, wd_digest_free_sess(h));
		}
	}
}

TEST(a_stream_that_was_reset_begins_anew)
{
	handle_t h = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_HMAC, key64, 16, 0, 0);
	unsigned char a[32], b[32];

	ASSERT_NE(0, h);
	EXPECT_EQ(0, wd_digest_reset_sess(h));
	ASSERT_EQ(0, digest_part(h, key64, 64, NULL));
	EXPECT_EQ(-EBUSY, wd_digest_set_key(h, key64, 20));
	EXPECT_NE(NULL, strstr(detail(h), "stream"));
	EXPECT_EQ(0, wd_digest_reset_sess(h));
	EXPECT_EQ(0, wd_digest_set_key(h, key64, 16));
	ASSERT_EQ(0, digest_part(h, "abc", 3, a));
	ASSERT_EQ(0, digest_do(h, "abc", 3, b, 32));
	EXPECT_EQ(0, memcmp(a, b, 32));
	/* The session is freed with an unfinished stream. */
	ASSERT_EQ(0, digest_part(h, key64, 64, NULL));
	EXPECT_EQ(0, wd_digest_free_sess(h));
}

/* --- keys --- */

TEST(a_new_key_takes_the_place_of_the_old_one)
{
	unsigned char in[32] = "two keys, one session", a[32], b[32], again[32];
	handle_t h = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, 0);

	ASSERT_NE(0, h);
	ASSERT_EQ(0, cipher_do(h, WD_CIPHER_ENCRYPTION, iv16, 16, in, 32, a));
	ASSERT_EQ(0, wd_cipher_set_key(h, key64 + 16, 32));
	ASSERT_EQ(0, cipher_do(h, WD_CIPHER_ENCRYPTION, iv16, 16, in, 32, b));
	EXPECT_NE(0, memcmp(a, b, 32));
	ASSERT_EQ(0, wd_cipher_set_key(h, key64, 16));
	ASSERT_EQ(0, cipher_do(h, WD_CIPHER_ENCRYPTION, iv16, 16, in, 32, again));
	EXPECT_EQ(0, memcmp(a, again, 32));
	ASSERT_EQ(0, cipher_do(h, WD_CIPHER_DECRYPTION, iv16, 16, again, 32, again));
	EXPECT_EQ(0, memcmp(in, again, 32));
	EXPECT_EQ(0, wd_cipher_free_sess(h));
}

#ifndef __SANITIZE_ADDRESS__
#ifndef __SANITIZE_THREAD__
static const unsigned char secret[32] = "this is to be found nowhere....";
static _Atomic unsigned int left_behind;

extern void __libc_free(void *p);

/* Searches freed memory for the secret. */
void free(void *p)
{
	size_t n = p ? malloc_usable_size(p) : 0;

	if (n >= sizeof(secret) && memmem(p, n, secret, 16))
		left_behind++;
	__libc_free(p);
}

TEST(keys_are_not_left_in_memory_that_is_given_back)
{
	unsigned char buf[64] = { 0 }, mac[32], *bait = malloc(64);
	handle_t c, d, a;

	memcpy(bait, secret, sizeof(secret));
	__asm__ volatile("" : : "r"(bait) : "memory");
	free(bait);
	ASSERT_EQ(1, left_behind);
	left_behind = 0;
	c = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_XTS, secret, 32, 0);
	d = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_HMAC, secret, 32, 0, 0);
	a = aead_keyed(authenc, secret, 32, secret, 32, 0, 0);
	ASSERT_TRUE(c && d && a);
	EXPECT_EQ(0, cipher_do(c, WD_CIPHER_ENCRYPTION, iv16, 16, buf, 64, buf));
	EXPECT_EQ(0, digest_part(d, buf, 64, NULL));
	EXPECT_EQ(0, digest_do(d, buf, 64, mac, 32));
	EXPECT_EQ(0, aead_do(a, WD_CIPHER_ENCRYPTION, iv16, 16, buf, 0, 64, buf, mac));
	EXPECT_EQ(0, wd_cipher_set_key(c, key64, 32));
	EXPECT_EQ(0, wd_cipher_set_key(c, secret, 32));
	EXPECT_EQ(0, wd_cipher_free_sess(c));
	EXPECT_EQ(0, wd_digest_free_sess(d));
	EXPECT_EQ(0, wd_aead_free_sess(a));
	EXPECT_EQ(0, left_behind);
}
#endif
#endif

/* --- threads and fork --- */

static void *crypt_much(void *arg)
{
	handle_t h = *(handle_t *)arg;
	unsigned char in[1024], out[1024];
	unsigned int i, bad = 0;

	for (i = 0; i < 300; i++) {
		fill_noise(in, sizeof(in), i);
		bad += !!cipher_do(h, WD_CIPHER_ENCRYPTION, iv16, 16, in, sizeof(in), out);
		bad += !!cipher_do(h, WD_CIPHER_DECRYPTION, iv16, 16, out, sizeof(in), out);
		bad += !!memcmp(in, out, sizeof(in));
	}
	return bad ? arg : NULL;
}

TEST(threads_share_a_session)
{
	handle_t h = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 32, 0);
	pthread_t t[8];
	unsigned int i;
	void *bad;

	ASSERT_NE(0, h);
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, pthread_create(&t[i], NULL, crypt_much, &h));
	}
	for (i = 0; i < 8; i++) {
		EXPECT_EQ(0, pthread_join(t[i], &bad));
		EXPECT_EQ(NULL, bad);
	}
	EXPECT_EQ(0, wd_cipher_free_sess(h));
}

TEST(a_childs_copy_has_the_key_and_no_half_done_stream)
{
	handle_t c = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, 0);
	handle_t d = digest_keyed(WD_DIGEST_SHA256, WD_DIGEST_NORMAL, NULL, 0, 0, 0);
	unsigned char in[32] = "a master's keys work in workers", want[32], out[32], md[32];
	int status;
	pid_t pid;

	ASSERT_TRUE(c && d);
	ASSERT_EQ(0, cipher_do(c, WD_CIPHER_ENCRYPTION, iv16, 16, in, 32, want));
	ASSERT_EQ(0, digest_part(d, in, 32, NULL));
	pid = fork();
	if (!pid) {
		int ret = cipher_do(c, WD_CIPHER_ENCRYPTION, iv16, 16, in, 32, out);

		if (ret || memcmp(want, out, 32))
			_exit(1);
		if (digest_part(d, in, 32, md) != -ESTALE || wd_digest_reset_sess(d) || digest_part(d, in, 32, md))
			_exit(2);
		_exit(wd_cipher_free_sess(c) || wd_digest_free_sess(d) ? 3 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, digest_part(d, in, 32, md));
	EXPECT_EQ(0, wd_cipher_free_sess(c));
	EXPECT_EQ(0, wd_digest_free_sess(d));
}

/* --- the path --- */

TEST(the_path_and_its_reason_are_reported)
{
	handle_t h = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, 0);
	handle_t soft = cipher_keyed(WD_CIPHER_AES, WD_CIPHER_CBC, key64, 16, WD_SESS_PATH_SOFT);
	unsigned char buf[4096] = { 0 };
	size_t n = sizeof(buf);
	struct wd_cipher_arg arg = {
		.src = buf, .src_len = n, .dst = buf, .dst_len = &n, .iv = (void *)iv16, .iv_len = 16
	};
	struct wd_sess_stats stats;
	int path = expected_path("cipher");

	ASSERT_TRUE(h && soft);
	EXPECT_EQ(0, wd_cipher_sync(h, &arg));
	EXPECT_EQ(path, arg.path);
	EXPECT_EQ(path == WD_PATH_SOFT ? WD_REASON_NO_DEVICE : WD_REASON_BEST, arg.path_reason);
	ASSERT_EQ(0, wd_sess_stats(h, &stats));
	EXPECT_EQ(1, stats.path[path].completed);
	EXPECT_EQ(4096, stats.path[path].bytes_in);
	EXPECT_EQ(0, wd_cipher_sync(soft, &arg));
	EXPECT_EQ(WD_PATH_SOFT, arg.path);
	EXPECT_EQ(WD_REASON_POLICY, arg.path_reason);
	EXPECT_EQ(0, wd_cipher_free_sess(h));
	EXPECT_EQ(0, wd_cipher_free_sess(soft));
}

TEST_HARNESS_MAIN
