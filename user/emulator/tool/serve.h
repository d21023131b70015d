/* SPDX-License-Identifier: Apache-2.0 */
/* Answers, in the kernel's place, what programs ask of sections. */
#ifndef EMULATE_SERVE_H
#define EMULATE_SERVE_H

/* From now on, in a thread of its own; address: where, without NUL bytes. 0 or -errno. */
int serve_start(const char *address);

#endif
