// SPDX-License-Identifier: Apache-2.0
/* Throwing through the library, and catching behind it. */
#include "throw.h"

namespace {

struct guard {
	int *destroyed;

	~guard()
	{
		++*destroyed;
	}
};

} // namespace

void throw_number(int number, int *destroyed)
{
	guard g = { destroyed };

	throw number;
}

int poll_and_catch(unsigned int count, unsigned int timeout_ms, int *caught)
{
	try {
		return wd_comp_poll(count, timeout_ms, nullptr);
	} catch (int number) {
		*caught = number;
	}
	return 0;
}
