// SPDX-License-Identifier: GPL-2.0-or-later
/* The model's mathematics in the kernel: modular powers by the MPI library, and random numbers. */
#include <linux/errno.h>
#include <linux/mpi.h>
#include <linux/random.h>
#include <linux/string.h>

#include "model/env.h"
#include "internal.h"

/* The library writes a number without leading zeroes. */
static int number_write(MPI a, u8 *to, u32 bytes)
{
	unsigned int nr;
	int sign, err;

	err = mpi_read_buffer(a, to, bytes, &nr, &sign);
	if (err)
		return err;
	memmove(to + bytes - nr, to, nr);
	memset(to, 0, bytes - nr);
	return 0;
}

static int hpre_power(void *ws, const struct wdm_power *p)
{
	MPI base = mpi_read_raw_data(p->base, p->base_bytes);
	MPI exponent = mpi_read_raw_data(p->exponent, p->bytes);
	MPI modulus = mpi_read_raw_data(p->modulus, p->bytes);
	MPI result = mpi_alloc(0);
	int err = -ENOMEM;

	if (base && exponent && modulus && result)
		err = mpi_powm(result, base, exponent, modulus);
	if (!err)
		err = number_write(result, p->result, p->bytes);
	/* mpi_free() zeroes the memory. */
	mpi_free(result);
	mpi_free(modulus);
	mpi_free(exponent);
	mpi_free(base);
	return err;
}

static int hpre_random(void *ws, u8 *p, u32 len)
{
	get_random_bytes(p, len);
	return 0;
}

static size_t workspace_size(void)
{
	return 0;
}

static const struct wdm_engine_ops ops = {
	.power = hpre_power,
	.random = hpre_random,
};

const struct sim_engine sim_engine_hpre = {
	.ops = &ops,
	.workspace_size = workspace_size,
};
