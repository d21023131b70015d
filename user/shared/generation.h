/* SPDX-License-Identifier: Apache-2.0 */
/* Which process of a family of forks this is. */
#ifndef PROCESS_GENERATION_H
#define PROCESS_GENERATION_H

/* Not 0; another number than in each ancestor of this process. */
unsigned int process_generation(void);

#endif
