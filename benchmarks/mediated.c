// SPDX-License-Identifier: Apache-2.0
/*
 * The price of submissions that the kernel executes, on a device without shared virtual addressing; only on a kernel
 * with our modules. The rings are used by hand, so that each call is measured alone.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <time.h>
#include "bench.h"
#include "hw/zip_hw.h"
#include "rings.h"

#define ROUNDS		9
#define BURST		32
#define LARGEST		(8u << 20)

/* A request is measured so many times in a round. */
static const struct size {
	const char *name;
	unsigned int bytes, times;
} sizes[] = {
	{ "64", 64, 100 }, { "4k", 4096, 100 }, { "64k", 65536, 20 }, { "1m", 1u << 20, 3 }, { "8m", LARGEST, 1 },
};

struct device {
	struct rings rings;
	unsigned char *src, *dst;
	const struct size *size;
};

static void call(const struct rings *r, unsigned int flags)
{
	struct hisi_qp_doorbell db = { .sq_tail = (__u16)r->tail, .flags = flags };

	if (ioctl(r->fd, UACCE_CMD_QM_DOORBELL, &db))
		die("UACCE_CMD_QM_DOORBELL", -errno);
}

static void put(struct device *d)
{
	struct zip_sqe *sqe = rings_next(&d->rings, sizeof(*sqe));
	unsigned long long src = (uintptr_t)d->src, dst = (uintptr_t)d->dst;

	memset(sqe, 0, sizeof(*sqe));
	sqe->input_data_length = htole32(d->size->bytes);
	sqe->dw7 = htole32(ZIP_SQE_TYPE_3 << ZIP_DW7_SQE_TYPE_SHIFT | ZIP_DW7_NEW_STREAM | ZIP_DW7_FINISH);
	sqe->dw9 = htole32(ZIP_REQ_DEFLATE | ZIP_WIN_32K << ZIP_DW9_WIN_SHIFT);
	sqe->dest_avail_out = htole32(d->size->bytes);
	sqe->source_addr_l = htole32((uint32_t)src);
	sqe->source_addr_h = htole32((uint32_t)(src >> 32));
	sqe->dest_addr_l = htole32((uint32_t)dst);
	sqe->dest_addr_h = htole32((uint32_t)(dst >> 32));
}

static bool ready(const struct rings *r)
{
	return (__atomic_load_n(&r->cq[r->head].w7, __ATOMIC_ACQUIRE) & QM_CQE_PHASE) == r->phase;
}

/* Leaves the CPU to the device. */
static void rest(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void take(struct device *d, unsigned int n)
{
	const struct zip_sqe *sqe;

	while (n--) {
		for (; !ready(&d->rings); rest())
			if (!d->rings.doorbell)
				call(&d->rings, HISI_QP_DB_REAP);
		sqe = rings_take(&d->rings, sizeof(*sqe));
		if ((le32toh(sqe->dw3) & ZIP_DW3_STATUS_MASK) > ZIP_ST_NEGATIVE_COMP)
			die("descriptor", -EIO);
	}
}

static void ring(struct device *d)
{
	if (d->rings.doorbell)
		rings_ring(&d->rings, QM_DB_CMD_SQ, d->rings.tail);
	else
		call(&d->rings, HISI_QP_DB_SQ);
}

/* ------ what is measured ------ */

/* A call that finds nothing to do. */
static unsigned long long plain_ns(void *arg, unsigned int n)
{
	struct device *d = arg;
	unsigned long long start = now_ns();

	while (n--)
		call(&d->rings, HISI_QP_DB_REAP);
	return now_ns() - start;
}

/* The same after a rest: the kernel's code and the emulation of it are as cold as for a single request. */
static unsigned long long cold_ns(void *arg, unsigned int n)
{
	unsigned long long ns = 0;

	while (n--) {
		rest();
		ns += plain_ns(arg, 1);
	}
	return ns;
}

static unsigned long long empty_ns(void *arg, unsigned int n)
{
	unsigned long long start = now_ns();

	(void)arg;
	while (n--)
		syscall(SYS_getppid);
	return now_ns() - start;
}

static unsigned long long submit_rows_ns(struct device *d, unsigned int n, unsigned int together)
{
	unsigned long long ns = 0, start;
	unsigned int i, k;

	for (i = 0; i < n; i += together) {
		for (k = 0; k < together; k++)
			put(d);
		start = now_ns();
		ring(d);
		ns += now_ns() - start;
		take(d, together);
	}
	return ns;
}

static unsigned long long submit_ns(void *arg, unsigned int n)
{
	return submit_rows_ns(arg, n, 1);
}

static unsigned long long burst_ns(void *arg, unsigned int n)
{
	return submit_rows_ns(arg, n, BURST);
}

/* The call that finds the completion. */
static unsigned long long reap_ns(void *arg, unsigned int n)
{
	unsigned long long ns = 0, start, last = 0;
	struct device *d = arg;

	while (n--) {
		put(d);
		ring(d);
		while (!ready(&d->rings)) {
			rest();
			start = now_ns();
			call(&d->rings, HISI_QP_DB_REAP);
			last = now_ns() - start;
		}
		ns += last;
		take(d, 1);
	}
	return ns;
}

/* From the submission to the completion, which a thread waits for that does nothing else. */
static unsigned long long trip_ns(void *arg, unsigned int n)
{
	unsigned long long start = now_ns();
	struct device *d = arg;

	while (n--) {
		put(d);
		ring(d);
		while (!ready(&d->rings))
			if (!d->rings.doorbell)
				call(&d->rings, HISI_QP_DB_REAP);
		take(d, 1);
	}
	return now_ns() - start;
}

/* ------ rows ------ */

static void device_open(struct device *d, const char *node)
{
	rings_start(&d->rings, node, ZIP_QC_COMPRESS);
	d->src = mmap(NULL, 2 * LARGEST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (d->src == MAP_FAILED)
		die("mmap", -errno);
	d->dst = d->src + LARGEST;
	d->size = &sizes[0];
}

static void row_of(const char *what, const char *unit, struct pair pair, double scale)
{
	char name[64];

	snprintf(name, sizeof(name), "nosva.%s.%s", what, unit);
	row(name, pair.ours / scale, unit, pair.floor / scale);
}

static void size_rows(struct device *d, struct device *shared, const struct size *size)
{
	char what[32];

	d->size = shared->size = size;
	snprintf(what, sizeof(what), "submit.%s", size->name);
	row_of(what, "ns", measure_pair(submit_ns, d, cold_ns, d, size->times, ROUNDS), 1);
	snprintf(what, sizeof(what), "trip.%s", size->name);
	row_of(what, "us", measure_pair(trip_ns, d, trip_ns, shared, size->times, ROUNDS), 1000);
}

/* mediated NODE SHARED: a device without and one with shared virtual addressing, both of generation 3. */
int mediated_rows(int argc, char **argv)
{
	struct device d, shared;

	if (argc != 2)
		die("mediated NODE SHARED", -EINVAL);
	device_open(&d, argv[0]);
	device_open(&shared, argv[1]);
	if (d.rings.doorbell || !shared.rings.doorbell)
		die("expected a device without and one with shared virtual addressing", -EINVAL);
	row_of("call", "ns", measure_pair(plain_ns, &d, empty_ns, NULL, 2000, ROUNDS), 1);
	row_of("burst", "ns", measure_pair(burst_ns, &d, plain_ns, &d, 5 * BURST, ROUNDS), 1);
	d.size = &sizes[1];
	row_of("reap.4k", "ns", measure_pair(reap_ns, &d, cold_ns, &d, sizes[1].times, ROUNDS), 1);
	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		size_rows(&d, &shared, &sizes[i]);
	rings_stop(&d.rings);
	rings_stop(&shared.rings);
	return 0;
}
