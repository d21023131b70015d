// SPDX-License-Identifier: Apache-2.0
/* Opens a queue by hand: the file, its mappings, and the start. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <misc/uacce/uacce.h>
#include "rings.h"
#include "bench.h"

static void rings_map(struct rings *r)
{
	void *mmio;

	r->dus_bytes = (size_t)r->info.sq_depth * r->info.sqe_size + (size_t)r->info.cq_depth * sizeof(struct qm_cqe);
	r->dus_bytes = ((r->dus_bytes + 4095) & ~4095ul) + 4096;
	r->dus = mmap(NULL, r->dus_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, sysconf(_SC_PAGESIZE));
	mmio = mmap(NULL, QM_DB_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (r->dus == MAP_FAILED || (mmio == MAP_FAILED && errno != EPERM))
		die("mmap", -errno);
	if (mmio != MAP_FAILED)
		r->doorbell = (volatile uint64_t *)((char *)mmio + QM_DB_SQ_CQ);
	r->cq = (struct qm_cqe *)(r->dus + (size_t)r->info.sq_depth * r->info.sqe_size);
}

void rings_start(struct rings *r, const char *node, unsigned int qc_type)
{
	struct hisi_qp_ctx ctx = { .qc_type = (__u16)qc_type };

	memset(r, 0, sizeof(*r));
	r->phase = 1;
	r->fd = open(node, O_RDWR | O_CLOEXEC);
	if (r->fd < 0)
		die(node, -errno);
	if (ioctl(r->fd, UACCE_CMD_QM_SET_QP_CTX, &ctx) || ioctl(r->fd, UACCE_CMD_QM_SET_QP_INFO, &r->info))
		die("ioctl", -errno);
	r->id = ctx.id;
	r->batch = r->info.cq_depth / 4;
	rings_map(r);
	if (ioctl(r->fd, UACCE_CMD_START_Q))
		die("UACCE_CMD_START_Q", -errno);
}

void rings_stop(struct rings *r)
{
	munmap(r->dus, r->dus_bytes);
	if (r->doorbell)
		munmap((char *)r->doorbell - QM_DB_SQ_CQ, QM_DB_WINDOW);
	close(r->fd);
}
