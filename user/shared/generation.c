// SPDX-License-Identifier: Apache-2.0
/* A page that fork() wipes in the child says when this process is new; no handler of fork() is needed. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "generation.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic unsigned int *page;
static _Atomic unsigned int last;

static void page_make(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return;
	if (!madvise(at, size, MADV_WIPEONFORK))
		page = at;
	else
		munmap(at, size);
}

unsigned int process_generation(void)
{
	unsigned int now, fresh;

	pthread_once(&once, page_make);
	if (!page)
		return (unsigned int)getpid();
	now = atomic_load(page);
	if (now)
		return now;
	fresh = atomic_fetch_add(&last, 1) + 1;
	return atomic_compare_exchange_strong(page, &now, fresh) ? fresh : now;
}
