// SPDX-License-Identifier: Apache-2.0
/*
 * Facts about devices, cached by device number.
 *
 * The sysfs folder identifies one life of a device. sysfs never reuses an inode
 * number; on a file system that does, the folder's change time differs.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "base/folders.h"
#include "base/fork.h"
#include "device/facts.h"

#define PLACES	64	/* devices whose numbers are equal modulo PLACES share an entry */

struct fact {
	uint32_t fork_gen;	/* of the writer: an entry that a fork left half written is ignored */
	struct wd_life life;
	struct uacce_dev_info info;
	dev_t rdev;
};

static _Atomic uint32_t holder;
static struct fact facts[PLACES];

int wd_life_of(const char *folder, struct wd_life *life)
{
	const char *rest;
	int dir = wd_folder_of(folder, &rest);
	struct stat st;

	if (fstatat(dir, rest, &st, 0))
		return -ENODEV;
	life->dev = st.st_dev;
	life->ino = st.st_ino;
	life->changed = st.st_ctim;
	return 0;
}

static bool same_life(const struct wd_life *a, const struct wd_life *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->changed.tv_sec == b->changed.tv_sec &&
	       a->changed.tv_nsec == b->changed.tv_nsec;
}

/* Nobody waits for the lock: a thread that doesn't get it reads the files. */
bool wd_facts_recall(const struct wd_life *life, struct uacce_dev_info *info, dev_t *rdev)
{
	const struct fact *f = &facts[info->node_id % PLACES];
	bool known;

	if (wd_fork_trylock(&holder))
		return false;
	known = f->fork_gen == wd_fork_now() && same_life(&f->life, life) && !strcmp(f->info.alg_path, info->alg_path);
	if (known) {
		*info = f->info;
		*rdev = f->rdev;
	}
	wd_fork_unlock(&holder);
	return known;
}

void wd_facts_keep(const struct wd_life *life, const struct uacce_dev_info *info, dev_t rdev)
{
	struct fact *f = &facts[info->node_id % PLACES];
	struct wd_life now;

	if (wd_life_of(info->alg_path, &now) || !same_life(life, &now) || wd_fork_trylock(&holder))
		return;
	f->life = *life;
	f->info = *info;
	f->rdev = rdev;
	f->fork_gen = wd_fork_now();
	wd_fork_unlock(&holder);
}
