/* SPDX-License-Identifier: Apache-2.0 */
/* What the test of callbacks that throw does in C++. */
#ifndef THROW_H
#define THROW_H

#include <wd_comp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Throws the number, and destroys an object on the way, which adds 1 to *destroyed. */
void throw_number(int number, int *destroyed);

/* wd_comp_poll(). When it ends by an exception: the number that was thrown into *caught, and 0. */
int poll_and_catch(unsigned int count, unsigned int timeout_ms, int *caught);

#ifdef __cplusplus
}
#endif
#endif
