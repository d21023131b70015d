/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs of calls, one for each part of zlib's API. A program ends the process when something is wrong. */
#ifndef ZLIB_TEST_PROGRAM_H
#define ZLIB_TEST_PROGRAM_H

#include "meaning.h"
#include "run.h"

void program_deflate(struct run *r);
void program_inflate(struct run *r);
void program_restore(struct run *r);
void program_back(struct run *r);
void program_simple(struct run *r);
void program_gz(struct run *r);

#endif
