// SPDX-License-Identifier: Apache-2.0
/* The functions that a machine loses when these modules take the place of its kernel's own (packaging/displaced). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "displaced.h"

#define VFIO "hisi_acc_vfio_pci"

const char displaced_vfio_text[] =
	VFIO ", which gives functions to guests that migrate, can't be loaded beside WarpDrive's hisi_qm; vfio-pci "
	"gives them to guests that don't";

static bool is_of_kernels_driver(const char *driver)
{
	return !strncmp(driver, "hisi", 4) || !strncmp(driver, "hpre-", 5);
}

static void add_name(struct displaced *d, const char *driver)
{
	size_t used = strlen(d->names);

	if (used + 1 + strlen(driver) < sizeof(d->names))
		snprintf(d->names + used, sizeof(d->names) - used, "%s%s", used ? " " : "", driver);
}

/* Of each algorithm, the driver's line comes before that of the count. The kernel itself holds an algorithm once. */
static void read_crypto(struct displaced *d, FILE *f)
{
	char *line = NULL, driver[128] = "";
	size_t len = 0;
	long count;

	while (getline(&line, &len, f) > 0) {
		if (sscanf(line, "driver : %127s", driver) == 1)
			d->algorithms += is_of_kernels_driver(driver);
		if (sscanf(line, "refcnt : %ld", &count) == 1 && count > 1 && is_of_kernels_driver(driver)) {
			d->used++;
			add_name(d, driver);
		}
	}
	free(line);
}

void displaced_read(struct displaced *d, const struct root *r, struct module_db *db)
{
	char path[ROOT_PATH_MAX];
	struct module m;
	FILE *f;

	memset(d, 0, sizeof(*d));
	d->vfio = !module_read(db, VFIO, &m) && m.origin != MODULE_ABSENT;
	if (root_path(r, path, sizeof(path), "/proc/crypto"))
		return;
	f = fopen(path, "re");
	if (!f)
		return;
	read_crypto(d, f);
	fclose(f);
}

bool displaced_crypto(const struct displaced *d, char *text, size_t len)
{
	if (!d->algorithms)
		return false;
	snprintf(text, len, "the kernel's own drivers offer %u algorithms to its crypto (dm-crypt, IPsec, zswap), "
		 "which WarpDrive's don't; in use now: %s", d->algorithms, d->used ? d->names : "none");
	return true;
}
