// SPDX-License-Identifier: Apache-2.0
/* The price of a doorbell that the kernel rings, on hardware of generation 2; only on a kernel with our modules. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <misc/uacce/hisi_qm.h>
#include <wd.h>
#include "bench.h"

#define CALLS	20000
#define ROUNDS	15

static unsigned long long ring(void *arg, unsigned int n)
{
	/* What the device knows already: it has nothing to do. */
	struct hisi_qp_doorbell db = { .flags = HISI_QP_DB_SQ };
	unsigned long long start = now_ns();
	int ret = 0;

	while (n-- && !ret)
		ret = wd_ctx_set_io_cmd(*(handle_t *)arg, (int)UACCE_CMD_QM_DOORBELL, &db);
	if (ret)
		die("UACCE_CMD_QM_DOORBELL", ret);
	return now_ns() - start;
}

static unsigned long long empty_call(void *arg, unsigned int n)
{
	unsigned long long start = now_ns();

	(void)arg;
	while (n--)
		syscall(SYS_getppid);
	return now_ns() - start;
}

/* doorbell NODE: expects a device of generation 2 with a free queue. */
int doorbell_rows(int argc, char **argv)
{
	struct hisi_qp_ctx qp = { .qc_type = 0 };
	struct pair pair;
	handle_t ctx;
	int ret;

	if (argc != 1)
		die("doorbell NODE", -EINVAL);
	ctx = wd_request_ctx(argv[0]);
	if (!ctx)
		die(argv[0], -errno);
	ret = wd_ctx_set_io_cmd(ctx, (int)UACCE_CMD_QM_SET_QP_CTX, &qp);
	if (!ret)
		ret = wd_ctx_start(ctx);
	if (ret)
		die(argv[0], ret);
	pair = measure_pair(ring, &ctx, empty_call, NULL, CALLS, ROUNDS);
	row("doorbell.kernel.ns", pair.ours, "ns", pair.floor);
	wd_release_ctx(ctx);
	return 0;
}
