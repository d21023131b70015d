// SPDX-License-Identifier: Apache-2.0
/* Identities of open files. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/file_id.h"

/* Flags that are an open file's own, and that no program sets on files of these kinds. O_SYNC includes O_DSYNC. */
#define MARKS	(O_APPEND | O_SYNC)
/* The library's files are for reading and writing, logs with O_APPEND usually aren't. */
#define KEPT	(MARKS | O_ACCMODE)

bool wd_file_mark(int fd)
{
	int saved = errno, flags = fcntl(fd, F_GETFL);
	bool marked = flags >= 0 && !fcntl(fd, F_SETFL, flags | O_APPEND);

	errno = saved;
	return marked;
}

/* Sandboxes refuse fstat() or allow both calls; so fcntl() comes last. */
void wd_file_identify(int fd, struct wd_file_id *id)
{
	int saved = errno, flags;
	struct stat st;

	*id = (struct wd_file_id){ 0 };
	if (fd >= 0 && !fstat(fd, &st)) {
		flags = fcntl(fd, F_GETFL);
		if (flags >= 0)
			*id = (struct wd_file_id){ .dev = st.st_dev, .ino = st.st_ino, .marks = flags & KEPT };
	}
	errno = saved;
}

bool wd_file_is(int fd, const struct wd_file_id *id)
{
	struct wd_file_id now;

	if (!id->ino)
		return false;
	wd_file_identify(fd, &now);
	return now.dev == id->dev && now.ino == id->ino && now.marks == id->marks;
}

bool wd_file_seems(int fd, const struct wd_file_id *id)
{
	int saved = errno, flags;

	if (!id->ino || fd < 0)
		return false;
	if (!(id->marks & MARKS))
		return wd_file_is(fd, id);
	flags = fcntl(fd, F_GETFL);
	errno = saved;
	return flags >= 0 && (flags & KEPT) == id->marks;
}
