// SPDX-License-Identifier: Apache-2.0
/* Identities of open files. */
#include <errno.h>
#include <sys/stat.h>

#include "base/file_id.h"

void wd_file_identify(int fd, struct wd_file_id *id)
{
	int saved = errno;
	struct stat st;

	*id = (struct wd_file_id){ 0 };
	if (fd >= 0 && !fstat(fd, &st))
		*id = (struct wd_file_id){ .dev = st.st_dev, .ino = st.st_ino };
	errno = saved;
}

bool wd_file_is(int fd, const struct wd_file_id *id)
{
	struct wd_file_id now;

	wd_file_identify(fd, &now);
	return now.ino && now.dev == id->dev && now.ino == id->ino;
}
