// SPDX-License-Identifier: Apache-2.0
/*
 * A file that is compressed where it is, in the page cache, instead of in a copy. It must not change in between, or the
 * result wouldn't be of any of its contents. A read lease (fcntl(2)) exists only where nobody has the file open for
 * writing; who opens it so, or truncates it, waits for the lease's end, for 45 s at most by default, and is seen then.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "wdzip.h"

const void *still_begin(const struct job *job, size_t len)
{
	void *at;

	/* It tells that somebody waits. */
	signal(SIGIO, SIG_IGN);
	if (lseek(job->in, 0, SEEK_CUR) || fcntl(job->in, F_SETLEASE, F_RDLCK))
		return NULL;
	if (lseek(job->in, 0, SEEK_END) != (off_t)len)
		goto release;
	at = mmap(NULL, len, PROT_READ, MAP_PRIVATE, job->in, 0);
	if (at == MAP_FAILED)
		goto release;
	/* What the disk can't read is an error of this call; of a later access it would be a signal. */
	if (!madvise(at, len, MADV_POPULATE_READ))
		return at;
	munmap(at, len);
release:
	lseek(job->in, 0, SEEK_SET);
	fcntl(job->in, F_SETLEASE, F_UNLCK);
	return NULL;
}

bool still_end(const struct job *job, const void *at, size_t len)
{
	bool still = fcntl(job->in, F_GETLEASE) == F_RDLCK;

	munmap((void *)at, len);
	if (!still)
		lseek(job->in, 0, SEEK_SET);
	fcntl(job->in, F_SETLEASE, F_UNLCK);
	return still;
}
