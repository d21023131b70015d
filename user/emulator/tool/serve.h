/* SPDX-License-Identifier: Apache-2.0 */
/* Answers requests about sections instead of the kernel. */
#ifndef EMULATE_SERVE_H
#define EMULATE_SERVE_H

/* Serve at this abstract address (without NUL bytes), in a thread of its own. Return: 0 or -errno. */
int serve_start(const char *address);

#endif
