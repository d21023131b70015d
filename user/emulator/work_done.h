/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the devices of all of a command's processes have done: a file below wd-emulate's folder, which each of them
 * maps.
 */
#ifndef EMU_WORK_DONE_H
#define EMU_WORK_DONE_H

#include <stdint.h>

#define EMU_COUNTS_FILE		"counts"

struct emu_counts {
	uint64_t requests;	/* completed, with and without an error */
	uint64_t bytes_in, bytes_out;
	uint64_t wrong;		/* results that processes have reported to be wrong */
	uint64_t outside;	/* accesses to memory that isn't mapped for them */
};

#endif
