// SPDX-License-Identifier: Apache-2.0
/* Findings about the file of metrics that a timer writes for node exporter. */
#include <sys/stat.h>
#include <time.h>

#include "export_metrics.h"
#include "health.h"

#define TIMER		"warpdrive-textfile.timer"
#define OLD_SECONDS	120	/* the timer's period is 15 */

/* -1: there is no such file. */
static long age_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? -1 : (long)(time(NULL) - st.st_mtime);
}

static void check_file(struct health *h, const char *path)
{
	long age = age_of(path);

	if (age >= 0 && age <= OLD_SECONDS) {
		health_add(h, HEALTH_OK, "metrics", "%s is %ld seconds old", path, age);
		return;
	}
	if (age < 0)
		health_add(h, HEALTH_PROBLEM, "metrics", TIMER " is enabled, but there is no %s", path);
	else
		health_add(h, HEALTH_PROBLEM, "metrics", "%s is %ld seconds old, although " TIMER " is enabled", path,
			   age);
	health_command(h, "systemctl restart " TIMER " && systemctl status warpdrive-textfile.service");
}

void health_check_metrics(struct health *h, const struct health_input *in)
{
	char path[ROOT_PATH_MAX];

	if (!root_exists(in->root, "/etc/systemd/system/timers.target.wants/" TIMER))
		return;
	if (!root_exists(in->root, EXPORT_METRICS_FOLDER)) {
		health_add(h, HEALTH_PROBLEM, "metrics",
			   TIMER " is enabled, but node exporter's folder " EXPORT_METRICS_FOLDER " is missing");
		health_remedy(h, "install prometheus-node-exporter, or disable the timer");
		return;
	}
	if (!root_path(in->root, path, sizeof(path), EXPORT_METRICS_FOLDER "/" EXPORT_METRICS_FILE))
		check_file(h, path);
}
