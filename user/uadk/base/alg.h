/* SPDX-License-Identifier: Apache-2.0 */
/* Names of algorithms, and numbers of errors. */
#ifndef UADK_ALG_NAMES_H
#define UADK_ALG_NAMES_H

/* What devices call the algorithm that programs call @name: "cipher" for "cbc(aes)". Return: NULL if there is none. */
const char *uadk_alg_of_devices(const char *name);

/* The number of UADK's for an error of ours, a positive WD_E*. @bad stands for -EBADMSG. */
int uadk_error(int ret, int bad) __attribute__((cold));

/* The same of any result. */
static inline int uadk_status(int ret, int bad)
{
	return __builtin_expect(ret, 0) ? uadk_error(ret, bad) : 0;
}

#endif
