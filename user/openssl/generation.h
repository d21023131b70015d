/* SPDX-License-Identifier: Apache-2.0 */
/* Which process of a family of forks this is. */
#ifndef WDP_GENERATION_H
#define WDP_GENERATION_H

/* Not 0; another number than in each ancestor of this process. */
unsigned int wdp_generation(void);

#endif
