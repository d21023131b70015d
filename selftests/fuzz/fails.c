// SPDX-License-Identifier: Apache-2.0
/* A target that fails on some inputs, for the tests of the command. */
#include "feed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	MUST(size < 1 || data[0] != 'F', "an input that begins with an F");
	return 0;
}
