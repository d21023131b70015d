// SPDX-License-Identifier: Apache-2.0
/* AddressSanitizer's settings for every target: each makes and frees the same large objects all the time. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "quarantine_size_mb=2:malloc_context_size=6:detect_stack_use_after_return=0:allocator_may_return_null=1";
}
