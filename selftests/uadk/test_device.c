// SPDX-License-Identifier: Apache-2.0
/* Devices, tokens, schedulers, pools of blocks, and functions that are refused. */
#include <dlfcn.h>
#include <stdarg.h>

#include "uadk/wd_aead.h"
#include "uadk/wd_comp.h"
#include "uadk/wd_sched.h"
#include "uadk_test.h"

#include "kselftest_harness.h"

/* What the library writes to the system's log. */
static char said[512];
static int lines;

static void listen(const char *format, va_list args)
{
	vsnprintf(said, sizeof(said), format, args);
	lines++;
}

void syslog(int level, const char *format, ...)
{
	va_list args;

	(void)level;
	va_start(args, format);
	listen(format, args);
	va_end(args);
}

TEST(list)
{
	struct uacce_dev_list *list;
	struct uacce_dev *dev;
	static const char *const algs[] = { "zlib", "cbc(aes)", "rsa" };

	for (size_t i = 0; i < 3; i++) {
		list = wd_get_accel_list(algs[i]);
		if (!list) {
			EXPECT_EQ(ENODEV, errno);
			continue;
		}
		EXPECT_EQ(0, strncmp(list->dev->api, "hisi_qm_v", 9));
		EXPECT_EQ(0, strncmp(list->dev->char_dev_path, "/dev/hisi_", 10));
		EXPECT_TRUE(list->dev->flags & UACCE_DEV_SVA);
		EXPECT_GT(wd_get_avail_ctx(list->dev), 0);
		EXPECT_EQ(0, wd_is_isolate(list->dev));
		EXPECT_EQ(list->dev, wd_find_dev_by_numa(list, list->dev->numa_id));
		EXPECT_EQ(NULL, wd_find_dev_by_numa(list, 12345));
		dev = wd_get_accel_dev(algs[i]);
		ASSERT_NE(NULL, dev);
		EXPECT_STREQ(list->dev->char_dev_path, dev->char_dev_path);
		free(dev);
		wd_free_list_accels(list);
	}
	errno = 0;
	EXPECT_EQ(NULL, wd_get_accel_list(NULL));
	EXPECT_EQ(EINVAL, errno);
	errno = 0;
	EXPECT_EQ(NULL, wd_get_accel_dev("rot13"));
	EXPECT_EQ(EINVAL, errno);
	wd_free_list_accels(NULL);
}

TEST(names)
{
	char *name = wd_get_accel_name("/dev/hisi_zip-0", 0);

	EXPECT_STREQ("hisi_zip-0", name);
	free(name);
	name = wd_get_accel_name("/dev/hisi_zip-0", 1);
	EXPECT_STREQ("hisi_zip", name);
	free(name);
	EXPECT_FALSE(wd_need_debug());
	EXPECT_FALSE(wd_need_info());
}

TEST(token)
{
	struct uacce_dev *dev = wd_get_accel_dev("zlib");
	struct uacce_dev wrong = { .char_dev_path = "/dev/null" };
	int free_before, x;
	handle_t ctx;

	EXPECT_EQ(0, wd_request_ctx(NULL));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, wd_request_ctx(&wrong));
	EXPECT_EQ(ENODEV, errno);
	EXPECT_EQ(-WD_ENODEV, wd_get_avail_ctx(&wrong));
	EXPECT_EQ(-WD_EINVAL, wd_get_avail_ctx(NULL));
	wd_release_ctx(0);
	if (!dev)
		SKIP(return, "no device");
	free_before = wd_get_avail_ctx(dev);
	ctx = wd_request_ctx(dev);
	ASSERT_NE(0, ctx);
	EXPECT_EQ(free_before, wd_get_avail_ctx(dev));
	EXPECT_STREQ(dev->api, wd_ctx_get_api(ctx));
	EXPECT_STREQ("hisi_zip-0", wd_ctx_get_dev_name(ctx));
	EXPECT_EQ(dev->numa_id, wd_get_numa_id(ctx));
	EXPECT_EQ(1, wd_is_sva(ctx));
	EXPECT_EQ(NULL, wd_ctx_get_priv(ctx));
	EXPECT_EQ(0, wd_ctx_set_priv(ctx, &x));
	EXPECT_EQ(&x, wd_ctx_get_priv(ctx));
	EXPECT_EQ(dev->qfrs_offs[UACCE_QFRT_DUS], wd_ctx_get_region_size(ctx, UACCE_QFRT_DUS));
	wd_release_ctx(ctx);
	free(dev);
}

static int poll_one(__u32 pos, __u32 expect, __u32 *count)
{
	*count = pos == 0 ? expect - 1 : 0;
	return -WD_EAGAIN;
}

TEST(scheduler)
{
	struct wd_sched *sched = wd_sched_rr_alloc(SCHED_POLICY_RR, 2, 1, poll_one);
	struct sched_params params = { .type = 1, .mode = CTX_MODE_ASYNC, .begin = 2, .end = 3 };
	__u32 count = 5;

	ASSERT_NE(NULL, sched);
	/* Ceph gives it another. */
	sched->name = "mine";
	EXPECT_EQ(0, wd_sched_rr_instance(sched, &params));
	params.type = 2;
	EXPECT_EQ(-WD_EINVAL, wd_sched_rr_instance(sched, &params));
	params.type = 0;
	params.begin = 4;
	EXPECT_EQ(-WD_EINVAL, wd_sched_rr_instance(sched, &params));
	EXPECT_EQ(-WD_EINVAL, wd_sched_rr_instance(NULL, &params));
	EXPECT_EQ(0, sched->poll_policy(sched->h_sched_ctx, 4, &count));
	EXPECT_EQ(8, count);
	wd_sched_rr_release(sched);
	wd_sched_rr_release(NULL);
	EXPECT_EQ(NULL, wd_sched_rr_alloc(SCHED_POLICY_BUTT, 2, 1, poll_one));
	EXPECT_EQ(NULL, wd_sched_rr_alloc(SCHED_POLICY_RR, 0, 1, poll_one));
	EXPECT_EQ(NULL, wd_sched_rr_alloc(SCHED_POLICY_RR, 2, 0, poll_one));
	EXPECT_EQ(NULL, wd_sched_rr_alloc(SCHED_POLICY_RR, 2, 1, NULL));
}

TEST(pools)
{
	handle_t mem = wd_mempool_create(10 * 4096, 0), blocks;
	struct wd_mempool_stats stats;
	struct wd_blockpool_stats b;
	void *block[16];

	ASSERT_NE(0, mem);
	EXPECT_EQ(0, wd_mempool_create(0, 0));
	EXPECT_EQ(EINVAL, errno);
	blocks = wd_blockpool_create(mem, 1000, 16);
	ASSERT_NE(0, blocks);
	wd_mempool_stats(mem, &stats);
	EXPECT_EQ(10, stats.blk_num);
	EXPECT_EQ(6, stats.free_blk_num);
	EXPECT_EQ(0, wd_blockpool_create(mem, 4096, 7));
	EXPECT_EQ(ENOMEM, errno);
	EXPECT_EQ(0, wd_blockpool_create(mem, SIZE_MAX, 2));
	EXPECT_EQ(EINVAL, errno);
	for (int i = 0; i < 16; i++) {
		block[i] = wd_block_alloc(blocks);
		ASSERT_NE(NULL, block[i]);
		memset(block[i], i, 1000);
	}
	EXPECT_EQ(NULL, wd_block_alloc(blocks));
	EXPECT_EQ(ENOMEM, errno);
	for (int i = 0; i < 16; i++)
		EXPECT_EQ(i, ((char *)block[i])[999]);
	wd_block_free(blocks, &stats);
	EXPECT_EQ(NULL, wd_block_alloc(blocks));
	wd_block_free(blocks, block[3]);
	wd_blockpool_stats(blocks, &b);
	EXPECT_EQ(1, b.free_block_num);
	EXPECT_EQ(93, b.block_usage_rate);
	EXPECT_EQ(block[3], wd_block_alloc(blocks));
	wd_blockpool_destroy(blocks);
	wd_mempool_stats(mem, &stats);
	EXPECT_EQ(10, stats.free_blk_num);
	wd_mempool_destroy(mem);
}

TEST(refused)
{
	__u8 enable;
	__u32 num;

	EXPECT_EQ(-WD_EINVAL, wd_ctx_start(1));
	EXPECT_EQ(1, lines);
	EXPECT_NE(NULL, strstr(said, "wd_ctx_start()"));
	EXPECT_EQ(-WD_EINVAL, wd_ctx_start(1));
	EXPECT_EQ(1, lines);
	EXPECT_EQ(-WD_EINVAL, wd_ctx_wait(1, 1));
	EXPECT_NE(NULL, strstr(said, "wd_ctx_wait()"));
	EXPECT_EQ(-WD_EINVAL, wd_release_ctx_force(1));
	EXPECT_EQ(-WD_EINVAL, wd_ctx_set_io_cmd(1, 0, NULL));
	EXPECT_EQ(NULL, wd_ctx_mmap_qfr(1, UACCE_QFRT_MMIO));
	wd_ctx_unmap_qfr(1, UACCE_QFRT_MMIO);
	EXPECT_EQ(6, lines);
	EXPECT_EQ(-WD_EINVAL, wd_comp_ctx_num_init(0, 0, 1, 0));
	EXPECT_NE(NULL, strstr(said, "wd_comp_ctx_num_init()"));
	EXPECT_EQ(-WD_EINVAL, wd_comp_get_env_param(0, 0, 0, &num, &enable));
	wd_comp_ctx_num_uninit();
	EXPECT_EQ(9, lines);
}

/* With any arguments: an error, or none at all, and one line, which names the function. */
static bool refuses(void *lib, const char *name, bool error)
{
	void *address = dlsym(lib, name);
	char call[64];
	bool right;

	if (!address)
		return false;
	lines = 0;
	for (int i = 0; i < 2; i++) {
		right = error ? ((int (*)(void))address)() == -WD_EINVAL : !((void *(*)(void))address)();
		if (!right)
			return false;
	}
	snprintf(call, sizeof(call), "%s()", name);
	return lines == 1 && strstr(said, call);
}

/* By name, since no header has them. */
TEST(not_there)
{
	static const char *const errors[] = {
		"wd_alg_driver_register", "wd_alg_driver_init", "wd_alg_driver_send", "wd_alg_driver_recv",
		"wd_alg_get_dev_usage", "wd_get_alg_type", "wd_get_dev_id",
		"wd_deflate_init", "wd_deflate", "wd_deflate_reset", "wd_deflate_end",
		"wd_inflate_init", "wd_inflate", "wd_inflate_reset", "wd_inflate_end",
	};
	static const char *const none[] = {
		"wd_alg_driver_unregister", "wd_alg_driver_exit", "wd_request_drv", "wd_release_drv",
		"wd_drv_alg_support", "wd_enable_drv", "wd_disable_drv", "wd_get_alg_head", "wd_find_ctx",
		"wd_insert_ctx_list", "wd_remove_ctx_list", "wd_mempool_alloc", "wd_mempool_free", "wd_mem_alloc",
		"wd_mem_free", "wd_mem_map", "wd_mem_unmap", "wd_get_free_num", "wd_get_fail_num", "wd_get_bufsize",
		"wd_create_device_nodemask", "wd_free_device_nodemask",
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		EXPECT_TRUE(refuses(RTLD_DEFAULT, errors[i], true)) TH_LOG("%s: %s", errors[i], said);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		EXPECT_TRUE(refuses(RTLD_DEFAULT, none[i], false)) TH_LOG("%s: %s", none[i], said);
	}
}

static handle_t cipher(unsigned int alg, unsigned int mode)
{
	struct wd_cipher_sess_setup setup = { .alg = alg, .mode = mode };

	return wd_cipher_alloc_sess(&setup);
}

static handle_t digest(unsigned int alg, unsigned int mode)
{
	struct wd_digest_sess_setup setup = { .alg = alg, .mode = mode };

	return wd_digest_alloc_sess(&setup);
}

static handle_t aead(unsigned int alg, unsigned int mode)
{
	struct wd_aead_sess_setup setup = { .calg = alg, .cmode = mode, .dalg = WD_DIGEST_SHA256,
					    .dmode = WD_DIGEST_HMAC };

	return wd_aead_alloc_sess(&setup);
}

static handle_t comp(unsigned int alg, unsigned int mode)
{
	struct wd_comp_sess_setup setup = { .alg_type = alg, .op_type = mode };

	return wd_comp_alloc_sess(&setup);
}

/* Of SM4 no more is sure without a device: libcrypto may have them or not. */
#define SM4_ON_DEVICES	(1u << WD_CIPHER_XTS | 7u << WD_CIPHER_CBC_CS1 | 1u << WD_CIPHER_CCM | 1u << WD_CIPHER_GCM)

/* Of each class, bits of the modes in which an algorithm is there. */
static const struct {
	const char *name;
	handle_t (*alloc)(unsigned int alg, unsigned int mode);
	void (*free)(handle_t sess);
	unsigned int algs, modes;
	unsigned int there[WD_DIGEST_TYPE_MAX];
} having[] = {
	{ "cipher", cipher, wd_cipher_free_sess, WD_CIPHER_ALG_TYPE_MAX, WD_CIPHER_MODE_TYPE_MAX, {
		[WD_CIPHER_SM4] = 0x3f | 7 << WD_CIPHER_CBC_CS1, [WD_CIPHER_AES] = 0x3f | 7 << WD_CIPHER_CBC_CS1,
		[WD_CIPHER_3DES] = 1 << WD_CIPHER_ECB | 1 << WD_CIPHER_CBC } },
	{ "digest", digest, wd_digest_free_sess, WD_DIGEST_TYPE_MAX, WD_DIGEST_MODE_MAX, {
		[WD_DIGEST_SM3] = 3, [WD_DIGEST_MD5] = 3, [WD_DIGEST_SHA1] = 3, [WD_DIGEST_SHA256] = 3,
		[WD_DIGEST_SHA224] = 3, [WD_DIGEST_SHA384] = 3, [WD_DIGEST_SHA512] = 3, [WD_DIGEST_SHA512_224] = 3,
		[WD_DIGEST_SHA512_256] = 3 } },
	{ "aead", aead, wd_aead_free_sess, WD_CIPHER_ALG_TYPE_MAX, WD_CIPHER_MODE_TYPE_MAX, {
		[WD_CIPHER_SM4] = 1 << WD_CIPHER_CCM | 1 << WD_CIPHER_GCM | 1 << WD_CIPHER_CBC,
		[WD_CIPHER_AES] = 1 << WD_CIPHER_CCM | 1 << WD_CIPHER_GCM | 1 << WD_CIPHER_CBC } },
	{ "comp", comp, wd_comp_free_sess, WD_COMP_ALG_MAX, 1, {
		[WD_DEFLATE] = 1, [WD_ZLIB] = 1, [WD_GZIP] = 1, [WD_LZ4] = 1 } },
};

/* A session that can't be had is an error, and one line, which names the function and the numbers. */
TEST(algorithms)
{
	bool devices = have_device("cbc(aes)");
	char expected[96];

	ASSERT_EQ(0, wd_cipher_env_init(NULL));
	ASSERT_EQ(0, wd_digest_env_init(NULL));
	ASSERT_EQ(0, wd_aead_env_init(NULL));
	ASSERT_EQ(0, wd_comp_env_init(NULL));
	for (size_t i = 0; i < sizeof(having) / sizeof(having[0]); i++) {
		for (unsigned int n = 0; n < having[i].algs * having[i].modes; n++) {
			unsigned int alg = n / having[i].modes, mode = n % having[i].modes;
			handle_t sess;

			snprintf(expected, sizeof(expected), "wd_%s_alloc_sess(): algorithm %u, mode %u: not supported",
				 having[i].name, alg, mode);
			lines = 0;
			errno = 0;
			sess = having[i].alloc(alg, mode);
			if (!devices && alg == WD_CIPHER_SM4 && having[i].alloc != digest &&
			    SM4_ON_DEVICES & 1u << mode) {
				having[i].free(sess);
				continue;
			}
			if (having[i].there[alg] & 1u << mode) {
				EXPECT_NE(0, sess) TH_LOG("%s %u %u", having[i].name, alg, mode);
				having[i].free(sess);
				continue;
			}
			EXPECT_EQ(EINVAL, errno);
			EXPECT_EQ(0, sess) TH_LOG("%s", expected);
			EXPECT_EQ(0, having[i].alloc(alg, mode));
			EXPECT_EQ(1, lines) TH_LOG("%s", expected);
			EXPECT_NE(NULL, strstr(said, expected)) TH_LOG("%s, not %s", said, expected);
		}
	}
}

TEST(not_there_in_classes)
{
	static const char *const classes[] = { "comp", "cipher", "digest", "aead", "rsa", "dh", "ecc" };
	void *lib = dlopen(UADK_FOLDER "/libwd_crypto.so.2", RTLD_NOW | RTLD_LOCAL);
	char name[64];

	ASSERT_NE(NULL, lib) TH_LOG("%s", dlerror());
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		void *in = i ? lib : RTLD_DEFAULT;

		snprintf(name, sizeof(name), "wd_%s_get_driver", classes[i]);
		EXPECT_TRUE(refuses(in, name, false)) TH_LOG("%s: %s", name, said);
		snprintf(name, sizeof(name), "wd_%s_get_msg", classes[i]);
		EXPECT_TRUE(refuses(in, name, false)) TH_LOG("%s: %s", name, said);
		/* The test before has called these of the first class. */
		if (!i)
			continue;
		snprintf(name, sizeof(name), "wd_%s_ctx_num_init", classes[i]);
		EXPECT_TRUE(refuses(in, name, true)) TH_LOG("%s: %s", name, said);
		snprintf(name, sizeof(name), "wd_%s_get_env_param", classes[i]);
		EXPECT_TRUE(refuses(in, name, true)) TH_LOG("%s: %s", name, said);
	}
}

TEST(dae)
{
	void *lib = dlopen(UADK_FOLDER "/libwd_dae.so.2", RTLD_NOW | RTLD_LOCAL);

	ASSERT_NE(NULL, lib) TH_LOG("%s", dlerror());
	EXPECT_TRUE(refuses(lib, "wd_agg_init", true));
	EXPECT_TRUE(refuses(lib, "wd_agg_alloc_sess", false));
	EXPECT_TRUE(refuses(lib, "wd_join_probe_sync", true));
	EXPECT_TRUE(refuses(lib, "wd_join_gather_alloc_sess", false));
	EXPECT_TRUE(refuses(lib, "wd_do_udma_sync", true));
}

TEST(environment)
{
	setenv("WD_COMP_CTX_NUM", "sync-comp:2@0,async:1@0", 1);
	EXPECT_EQ(0, wd_comp_env_init(NULL));
	EXPECT_EQ(0, lines);
	wd_comp_env_uninit();
	setenv("WD_COMP_CTX_NUM", "plenty", 1);
	EXPECT_EQ(0, wd_comp_env_init(NULL));
	EXPECT_EQ(1, lines);
	EXPECT_NE(NULL, strstr(said, "WD_COMP_CTX_NUM=plenty"));
	EXPECT_EQ(-WD_EEXIST, wd_comp_env_init(NULL));
	wd_comp_env_uninit();
}

TEST_HARNESS_MAIN
