/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of UADK's interface: whether there is a device, and data. */
#ifndef UADK_TEST_H
#define UADK_TEST_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "uadk/wd.h"

static inline bool have_device(const char *alg)
{
	struct uacce_dev *dev = wd_get_accel_dev(alg);

	/* As programs do. */
	free(dev);
	return dev;
}

/* Text-like, repeatable for a seed. */
static inline void fill_text(unsigned char *p, size_t n, unsigned int seed)
{
	static const char words[] = "queue context descriptor doorbell the of session ring 42 completion a and ";

	for (size_t i = 0; i < n;) {
		size_t at, len;

		seed = seed * 1103515245u + 12345u;
		at = (seed >> 16) % (sizeof(words) - 12);
		len = 3 + (seed >> 8) % 9;
		if (len > n - i)
			len = n - i;
		memcpy(p + i, words + at, len);
		i += len;
	}
}

#endif
