// SPDX-License-Identifier: Apache-2.0
/* All files below a folder, in the order of their names. */
#include <errno.h>
#include <fts.h>
#include <string.h>

#include "wdzip.h"

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static enum wdzip_exit entry_process(struct settings *set, const FTSENT *e)
{
	switch (e->fts_info) {
	case FTS_D:
	case FTS_DP:
		return WDZIP_DONE;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		complain(e->fts_path, "%s", strerror(e->fts_errno));
		return WDZIP_ERROR;
	default:
		return file_process(set, e->fts_accpath);
	}
}

enum wdzip_exit walk_process(struct settings *set, const char *folder)
{
	char *paths[] = { (char *)folder, NULL };
	enum wdzip_exit result = WDZIP_DONE;
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	const FTSENT *e;

	if (!walk) {
		complain(folder, "%s", strerror(errno));
		return WDZIP_ERROR;
	}
	while ((e = fts_read(walk)))
		result = exit_worse(result, entry_process(set, e));
	if (errno) {
		complain(folder, "%s", strerror(errno));
		result = WDZIP_ERROR;
	}
	fts_close(walk);
	return result;
}
