// SPDX-License-Identifier: Apache-2.0
/*
 * The mathematics of the emulated HPRE engine: libcrypto's powers, the kernel's random numbers. A worker must not
 * allocate (a fork's child would find malloc's lock held): all numbers come from a pool that has been filled.
 */
#include <openssl/bn.h>
#include <stdlib.h>
#include <sys/random.h>
#include "emu.h"
#include "hw/hpre_hw.h"

#define BYTES_MAX	512	/* of a number */
#define EXPONENT_BYTES	96	/* from 672 bits on, libcrypto's table of powers is the largest */

struct engine_ws {
	BN_CTX *pool;
	BN_MONT_CTX *mont;
	BIGNUM *base, *exponent, *modulus, *result;
};

static void engine_ws_free(void *ws)
{
	struct engine_ws *e = ws;

	if (!e)
		return;
	BN_clear_free(e->result);
	BN_clear_free(e->modulus);
	BN_clear_free(e->exponent);
	BN_clear_free(e->base);
	BN_MONT_CTX_free(e->mont);
	BN_CTX_free(e->pool);
	free(e);
}

static bool engine_load(struct engine_ws *e, const struct wdm_power *p)
{
	return BN_bin2bn(p->base, (int)p->base_bytes, e->base) && BN_bin2bn(p->exponent, (int)p->bytes, e->exponent) &&
	       BN_bin2bn(p->modulus, (int)p->bytes, e->modulus) && BN_MONT_CTX_set(e->mont, e->modulus, e->pool) &&
	       BN_nnmod(e->base, e->base, e->modulus, e->pool);
}

static int engine_power(void *ws, const struct wdm_power *p)
{
	struct engine_ws *e = ws;
	bool good = engine_load(e, p) &&
		    BN_mod_exp_mont(e->result, e->base, e->exponent, e->modulus, e->pool, e->mont) &&
		    BN_bn2binpad(e->result, p->result, (int)p->bytes) >= 0;

	BN_clear(e->base);
	BN_clear(e->exponent);
	BN_clear(e->modulus);
	BN_clear(e->result);
	return good ? 0 : -EIO;
}

static int engine_random(void *ws, u8 *p, u32 len)
{
	ssize_t got;

	(void)ws;
	for (; len; len -= (u32)got, p += got) {
		got = getrandom(p, len, 0);
		if (got < 0 && errno != EINTR)
			return -errno;
		got = got < 0 ? 0 : got;
	}
	return 0;
}

/*
 * Reads the largest numbers, and computes powers of them: one with a base below the modulus, and one whose base must be
 * divided first. Later powers reuse their allocations. With a multiple of the modulus as base, nothing would be
 * computed or allocated. The exponents are short, since every process that opens a device waits for this.
 */
static bool pool_fill(struct engine_ws *e)
{
	u8 ones[BYTES_MAX], base[BYTES_MAX], exponent[BYTES_MAX] = { 0 }, result[BYTES_MAX];
	struct wdm_power p = {
		.base = base, .base_bytes = BYTES_MAX, .exponent = ones, .modulus = ones, .result = result,
		.bytes = BYTES_MAX,
	};

	memset(ones, 0xff, sizeof(ones));
	memset(base, 0x55, sizeof(base));
	base[BYTES_MAX - 1] = 0x57;
	memset(exponent + BYTES_MAX - EXPONENT_BYTES, 0xff, EXPONENT_BYTES);
	if (!engine_load(e, &p))
		return false;
	p.exponent = exponent;
	if (engine_power(e, &p))
		return false;
	p.bytes = BYTES_MAX / 2;
	p.exponent += BYTES_MAX - p.bytes;
	return !engine_power(e, &p);
}

static void *engine_ws_alloc(void)
{
	struct engine_ws *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->pool = BN_CTX_new();
	e->mont = BN_MONT_CTX_new();
	e->base = BN_new();
	e->exponent = BN_new();
	e->modulus = BN_new();
	e->result = BN_new();
	if (e->pool && e->mont && e->base && e->exponent && e->modulus && e->result && pool_fill(e))
		return e;
	engine_ws_free(e);
	return NULL;
}

static const struct wdm_engine_ops none;

static const struct wdm_engine_ops engine = {
	.power = engine_power,
	.random = engine_random,
};

#define CLUSTER_AT(i, reg) (HPRE_CLUSTER_BASE + (i) * HPRE_CLUSTER_STRIDE + (reg))
#define CLUSTER(i)	{ CLUSTER_AT(i, HPRE_CLUSTER_CORES), HPRE_CORES_V2 }, { CLUSTER_AT(i, HPRE_CLUSTER_START), 1 }

static const struct emu_reg start_v2[] = {
	{ HPRE_TYPES_ENABLE, HPRE_TYPES_RSA },
	{ HPRE_START_INIT, 1 },
	CLUSTER(0),
	CLUSTER(1),
	CLUSTER(2),
	CLUSTER(3),
	{ HPRE_OOO_SHUTDOWN, HPRE_OOO_SHUTDOWN_ON },
	{ 0, 0 },
};

static const struct emu_reg sva_v2[] = {
	{ HPRE_DATA_READ_USER, HPRE_DATA_USER_SVA },
	{ HPRE_DATA_WRITE_USER, HPRE_DATA_USER_SVA },
	{ 0, 0 },
};

static const struct emu_reg start_v3[] = {
	{ HPRE_TYPES_ENABLE, HPRE_TYPES_RSA | HPRE_TYPES_ECC },
	{ HPRE_START_INIT, 1 },
	{ HPRE_CLUSTER_BASE + HPRE_CLUSTER_CORES, HPRE_CAP_CORE_ENABLE_V3 },
	{ HPRE_CLUSTER_BASE + HPRE_CLUSTER_START, 1 },
	{ HPRE_OOO_SHUTDOWN, HPRE_OOO_SHUTDOWN_ON },
	{ 0, 0 },
};

const struct emu_kind emu_hpre = {
	.name = "hisi_hpre",
	.type = WDM_HPRE,
	.qc_types = { [WDM_ROW(2)] = 1, [WDM_ROW(3)] = 2 },
	.sqe_shift = 6,
	.start = { [WDM_ROW(2)] = start_v2, [WDM_ROW(3)] = start_v3 },
	.sva = { [WDM_ROW(2)] = sva_v2 },
	.engine = &engine,
	.no_engine = &none,
	.ws_alloc = engine_ws_alloc,
	.ws_free = engine_ws_free,
};
