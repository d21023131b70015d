// SPDX-License-Identifier: Apache-2.0
/* A device that is unbound or removed while queue pairs are busy: errors, and the process survives. */
#include <fcntl.h>
#include <hisi_qm.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "text_file.h"
#include "turn.h"
#include "zip_job.h"
#include "kselftest_harness.h"

#define THREADS		4
#define DEADLINE_MS	300000
#define LEN		2048

static const struct hisi_qp_cfg cfg = { .sqe_size = 128, .op_type = ZIP_QC_COMPRESS, .mode = QP_SYNC };

FIXTURE(removed) {
	struct uacce_dev_info info;
	char pci[64];
	char driver[PATH_MAX];
	int devices;
};

static int count_devices(void)
{
	struct uacce_dev_list *list = wd_list_accels("deflate"), *node;
	int n = 0;

	for (node = list; node; node = node->next)
		n++;
	wd_free_list_accels(list);
	return n;
}

static bool wait_for_devices(int n)
{
	long long end = job_now_ms() + DEADLINE_MS;

	while (count_devices() != n && job_now_ms() < end)
		turn_over();
	return count_devices() == n;
}

FIXTURE_SETUP(removed)
{
	struct uacce_dev_list *list = wd_list_accels("deflate");
	char path[PATH_MAX], target[PATH_MAX];

	ASSERT_NE(NULL, list);
	self->info = *list->info;
	wd_free_list_accels(list);
	self->devices = count_devices();
	snprintf(path, sizeof(path), "%.200s/device", self->info.alg_path);
	ASSERT_NE(NULL, realpath(path, target));
	snprintf(self->pci, sizeof(self->pci), "%.63s", basename(target));
	snprintf(path, sizeof(path), "%.200s/device/driver", self->info.alg_path);
	ASSERT_NE(NULL, realpath(path, self->driver));
}

FIXTURE_TEARDOWN(removed)
{
	EXPECT_TRUE(wait_for_devices(self->devices));
}

/* Each job's memory lives as long as the process. */
struct worker {
	pthread_t thread;
	handle_t qp;
	unsigned char src[LEN];
	unsigned char dst[2 * LEN];
	atomic_int done;
	int error;
};

static struct worker workers[THREADS];

static void *work_until_error(void *arg)
{
	long long end = job_now_ms() + DEADLINE_MS;
	struct worker *w = arg;
	struct zip_sqe sqe;
	int ret = 0;

	while (ret >= 0 && job_now_ms() < end) {
		job_fill(&sqe, w->src, LEN, w->dst, sizeof(w->dst), 0);
		ret = hisi_qm_send(w->qp, &sqe, 1);
		if (ret == -EBUSY)
			ret = 0;
		if (ret < 0)
			break;
		ret = hisi_qm_recv(w->qp, &sqe, 1);
		w->done += ret > 0;
		if (!ret)
			turn_over();
	}
	w->error = ret;
	return NULL;
}

static bool all_at_work(void)
{
	long long end = job_now_ms() + DEADLINE_MS;
	int i;

	for (i = 0; i < THREADS; i++)
		while (workers[i].done < 3)
			if (job_now_ms() > end || workers[i].error)
				return false;
			else
				turn_over();
	return true;
}

/* Takes the device away with one write while all threads work. Returns how many threads saw anything but -ENODEV. */
static int take_away(const struct uacce_dev_info *info, const char *path, const char *text)
{
	char words[128];
	int wrong = 0;
	int i, ret;

	for (i = 0; i < THREADS; i++) {
		workers[i].qp = hisi_qm_alloc_qp(info->dev_root, &cfg);
		if (!workers[i].qp)
			return -1;
		memset(workers[i].src, 'a' + i, LEN);
		pthread_create(&workers[i].thread, NULL, work_until_error, &workers[i]);
	}
	if (!all_at_work() || text_write(path, text))
		return -2;
	for (i = 0; i < THREADS; i++) {
		struct zip_sqe sqe;

		pthread_join(workers[i].thread, NULL);
		/* Between its two stop words a queue is stopped although the device is still there. */
		wrong += workers[i].error != -ENODEV && workers[i].error != -EIO;
		wrong += hisi_qm_send(workers[i].qp, &sqe, 1) != -ENODEV;
		/* Jobs that finished earlier are received first. */
		do
			ret = hisi_qm_recv(workers[i].qp, &sqe, 1);
		while (ret > 0);
		wrong += ret != -ENODEV;
		wrong += wd_error_detail(workers[i].qp, words, sizeof(words)) <= 0 || !strstr(words, "gone");
		hisi_qm_free_qp(workers[i].qp);
	}
	wrong += wd_request_ctx(info->dev_root) != 0;
	return wrong;
}

TEST_F(removed, its_driver_unbound)
{
	char path[PATH_MAX + 16];

	if (!self->info.simulated)
		SKIP(return, "mainline's uacce: a removal is a SIGBUS there");
	snprintf(path, sizeof(path), "%s/unbind", self->driver);
	EXPECT_EQ(0, take_away(&self->info, path, self->pci));
	snprintf(path, sizeof(path), "%s/bind", self->driver);
	EXPECT_EQ(0, text_write(path, self->pci));
}

TEST_F(removed, its_function_removed)
{
	char path[PATH_MAX];

	if (!self->info.simulated)
		SKIP(return, "mainline's uacce: a removal is a SIGBUS there");
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/remove", self->pci);
	EXPECT_EQ(0, take_away(&self->info, path, "1"));
	EXPECT_EQ(0, text_write("/sys/bus/pci/rescan", "1"));
}

#include "need_device.h"
