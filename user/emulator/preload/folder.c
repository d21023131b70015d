// SPDX-License-Identifier: Apache-2.0
/*
 * Folders that a program keeps open, to reach devices and attributes by relative paths: the class's and /dev. Their
 * descriptors are the emulated tree's, so they work after chroot() as real ones do. They are recognised by the folder
 * and not by their number.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "emu.h"

EMU_REAL(int, faccessat, int dir, const char *path, int mode, int flags)
EMU_REAL(int, fstat, int fd, struct stat *st)

static struct folder {
	const char *path;
	_Atomic bool known;
	dev_t dev;
	ino_t ino;
} folders[] = { { .path = EMU_CLASS }, { .path = "/dev" } };

#define FOLDERS	(sizeof(folders) / sizeof(folders[0]))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct folder *folder_find(const char *path)
{
	unsigned int i;

	for (i = 0; i < FOLDERS && strcmp(path, folders[i].path); i++)
		;
	return i < FOLDERS ? &folders[i] : NULL;
}

bool emu_folder_is_dev(const char *path, int flags)
{
	return flags & O_PATH && path && folder_find(path) == &folders[1];
}

void emu_folder_opened(const char *path, int fd)
{
	struct folder *f = fd < 0 ? NULL : folder_find(path);
	struct stat st;

	if (!f || atomic_load(&f->known) || real_fstat()(fd, &st))
		return;
	pthread_mutex_lock(&lock);
	if (!atomic_load(&f->known)) {
		f->dev = st.st_dev;
		f->ino = st.st_ino;
		atomic_store(&f->known, true);
	}
	pthread_mutex_unlock(&lock);
}

const char *emu_folder_path(int dir, const char *path, char *full, size_t room)
{
	const struct folder *f = NULL;
	struct stat st;
	unsigned int i;

	if (dir < 0 || !path || path[0] == '/' || real_fstat()(dir, &st))
		return path;
	for (i = 0; i < FOLDERS && !f; i++)
		if (atomic_load(&folders[i].known) && folders[i].dev == st.st_dev && folders[i].ino == st.st_ino)
			f = &folders[i];
	if (!f || (size_t)snprintf(full, room, "%s/%s", f->path, path) >= room)
		return path;
	return full;
}

/* A service may have given up its right to the folder. Says so once, and not in each process of that user. */
void emu_folder_reached(const char *root)
{
	static atomic_uint seen = ~0u;
	static atomic_bool said;
	unsigned int user = geteuid();
	int before = errno;

	if (atomic_exchange(&seen, user) != user && real_faccessat()(AT_FDCWD, root, X_OK, AT_EACCESS) &&
	    !atomic_exchange(&said, true))
		fprintf(stderr, "wd-emulate: user %u can't reach the emulated devices in %s: "
			"expected wd-emulate --user %u\n", user, root, user);
	errno = before;
}
