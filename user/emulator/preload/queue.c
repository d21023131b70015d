// SPDX-License-Identifier: Apache-2.0
/* The file operations of a queue: open, ioctl, readiness, last close. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <misc/uacce/hisi_qm.h>
#include <misc/uacce/uacce.h>
#include "emu.h"

EMU_REAL(long, syscall, long number, ...)
EMU_REAL(int, open, const char *path, int flags, ...)
EMU_REAL(int, close, int fd)
EMU_REAL(int, munmap, void *addr, size_t len)
EMU_REAL(int, madvise, void *addr, size_t len, int advice)
EMU_REAL(ssize_t, write, int fd, const void *buf, size_t len)
EMU_REAL(ssize_t, read, int fd, void *buf, size_t len)

static size_t page_align(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (n + page - 1) & ~(page - 1);
}

size_t emu_sq_size(const struct emu_device *dev)
{
	return (size_t)emu_depth() << dev->kind->sqe_shift;
}

size_t emu_cq_size(void)
{
	return sizeof(struct qm_cqe) * emu_depth();
}

size_t emu_dus_size(const struct emu_device *dev)
{
	return page_align(emu_sq_size(dev) + emu_cq_size()) + (size_t)sysconf(_SC_PAGESIZE);
}

/* The attribute is a file, so that every way to read it finds the number. */
static void available_update(struct emu_device *dev)
{
	char path[512], text[16];
	int fd, n = snprintf(text, sizeof(text), "%u\n", dev->nr_queues - dev->nr_open);

	/* With sections, wd-emulate knows the reserved contexts and those of other processes. */
	if (emu_sections_there())
		return;
	snprintf(path, sizeof(path), "%s/sys/class/uacce/%s/available_instances", emu_config()->root, dev->name);
	/* Without O_TRUNC: file systems take that for the replacement of a file, and wait for the disk. */
	fd = real_open()(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (real_write()(fd, text, (size_t)n) != n || ftruncate(fd, n))
		ftruncate(fd, 0);
	real_close()(fd);
}

static void queue_free(struct emu_queue *q)
{
	if (q->device_cq)
		real_munmap()(q->device_cq, emu_region_bytes(q->dev, UACCE_QFRT_DEVICE_CQ));
	if (q->dus)
		real_munmap()(q->dus, emu_dus_size(q->dev));
	emu_fd_private_close(q->mem_fd);
	emu_fd_private_close(q->event_fd);
	pthread_mutex_destroy(&q->poll_lock);
	free(q);
}

static bool shares_doorbell(const struct emu_device *dev)
{
	return !emu_config()->null && !wdm_generation(dev->generation)->isolated;
}

size_t emu_window_bytes(const struct emu_device *dev)
{
	return page_align(wdm_generation(dev->generation)->window_bytes);
}

size_t emu_window_own(const struct emu_device *dev)
{
	return shares_doorbell(dev) ? emu_window_bytes(dev) - (size_t)sysconf(_SC_PAGESIZE) : emu_window_bytes(dev);
}

size_t emu_region_bytes(const struct emu_device *dev, unsigned int type)
{
	switch (type) {
	case UACCE_QFRT_MMIO:
		return emu_window_bytes(dev);
	case UACCE_QFRT_DUS:
		return emu_dus_size(dev);
	case UACCE_QFRT_DEVICE_CQ:
		return dev->mediated ? page_align(emu_cq_size()) : 0;
	default:
		return 0;
	}
}

size_t emu_region_at(const struct emu_device *dev, unsigned int type)
{
	return (type > UACCE_QFRT_MMIO ? emu_window_bytes(dev) : 0) + (type > UACCE_QFRT_DUS ? emu_dus_size(dev) : 0);
}

int emu_shared_memory(size_t bytes)
{
	int fd = emu_fd_private((int)real_syscall()(SYS_memfd_create, "uacce", 1u /* MFD_CLOEXEC */));

	if (fd < 0 || !ftruncate(fd, (off_t)bytes))
		return fd;
	emu_fd_private_close(fd);
	return -1;
}

void *emu_shared_map(void *at, size_t len, int fd, off_t offset)
{
	void *p = mmap(at, len, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), fd, offset);

	if (p == MAP_FAILED)
		return NULL;
	real_madvise()(p, len, MADV_DONTFORK);
	return p;
}

static unsigned char *window(const struct emu_queue *q)
{
	return q->dev->bar4 + (size_t)q->id * QM_DB_WINDOW;
}

unsigned char *emu_queue_window(const struct emu_queue *q)
{
	return shares_doorbell(q->dev) ? q->dev->bar2 : window(q);
}

/* The device's view of the queue's window */
static bool window_open(const struct emu_queue *q)
{
	return shares_doorbell(q->dev) || emu_shared_map(window(q), emu_window_bytes(q->dev), q->mem_fd, 0);
}

static void window_close(const struct emu_queue *q)
{
	if (shares_doorbell(q->dev))
		return;
	if (mmap(window(q), emu_window_bytes(q->dev), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) == MAP_FAILED)
		abort();
}

static void *region_open(const struct emu_queue *q, unsigned int type)
{
	return emu_shared_map(NULL, emu_region_bytes(q->dev, type), q->mem_fd, (off_t)emu_region_at(q->dev, type));
}

/* Each owner gets new memory, without the data of the last owner. */
static bool memory_open(struct emu_queue *q)
{
	const unsigned int last = UACCE_QFRT_DEVICE_CQ;

	q->mem_fd = emu_shared_memory(emu_region_at(q->dev, last) + emu_region_bytes(q->dev, last));
	if (q->mem_fd < 0)
		return false;
	q->dus = region_open(q, UACCE_QFRT_DUS);
	if (q->dev->mediated)
		q->device_cq = region_open(q, UACCE_QFRT_DEVICE_CQ);
	return q->dus && (q->device_cq || !q->dev->mediated) && window_open(q);
}

static struct emu_queue *queue_alloc(struct emu_device *dev, unsigned int id)
{
	struct emu_queue *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->dev = dev;
	q->id = id;
	atomic_init(&q->refs, 1);
	pthread_mutex_init(&q->poll_lock, NULL);
	q->event_fd = emu_fd_private(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
	if (q->event_fd < 0 || !memory_open(q)) {
		queue_free(q);
		return NULL;
	}
	return q;
}

static int queue_attach(struct emu_device *dev, struct emu_queue **out)
{
	unsigned int id;
	int err = dev->gone ? -ENOENT : dev->resetting ? -EPERM : emu_device_up(dev);

	if (err)
		return err;
	for (id = 0; id < dev->nr_queues && dev->queues[id]; id++)
		;
	if (id == dev->nr_queues)
		return -EBUSY;
	*out = queue_alloc(dev, id);
	if (!*out)
		return -ENOMEM;
	dev->queues[id] = *out;
	dev->nr_open++;
	available_update(dev);
	return 0;
}

int emu_queue_open(struct emu_device *dev, int flags)
{
	struct emu_queue *q = NULL;
	int charge, err, fd;

	charge = emu_sections_charge(dev->index);
	if (charge < 0) {
		errno = -charge;
		return -1;
	}
	emu_device_enter(dev);
	emu_driver_begin(dev);
	err = queue_attach(dev, &q);
	emu_driver_end(dev);
	emu_device_leave(dev);
	if (err) {
		emu_sections_uncharge(charge);
		errno = -err;
		return -1;
	}
	q->charge = charge;
	fd = fcntl(q->event_fd, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0);
	if (fd < 0 || fd >= EMU_FDS) {
		err = fd < 0 ? errno : EMFILE;
		if (fd >= 0)
			real_close()(fd);
		emu_queue_put(q);
		errno = err;
		return -1;
	}
	emu_fd_set(fd, q, flags);
	return fd;
}

void emu_queue_get(struct emu_queue *q)
{
	atomic_fetch_add(&q->refs, 1);
}

/* After the last descriptor and the last mapping: stop the queue, and give it back. */
void emu_queue_put(struct emu_queue *q)
{
	struct emu_device *dev = q->dev;

	if (atomic_fetch_sub(&q->refs, 1) != 1)
		return;
	if (emu_fd_epoll)
		emu_fd_epoll->queue_gone(q);
	if (atomic_load(&q->foreign))
		return;
	emu_device_enter(dev);
	emu_driver_begin(dev);
	if (q->state == EMU_STARTED && emu_driver_stop(q))
		emu_control_reset(dev);
	/* What is left of a queue that was taken away before its device had stopped it */
	emu_driver_let_go(q);
	dev->queues[q->id] = NULL;
	dev->nr_open--;
	available_update(dev);
	window_close(q);
	emu_driver_end(dev);
	emu_device_leave(dev);
	emu_sections_uncharge(q->charge);
	queue_free(q);
}

static int ioctl_set_ctx(struct emu_queue *q, void *arg)
{
	struct hisi_qp_ctx ctx;

	if (emu_memory_read((uintptr_t)arg, &ctx, sizeof(ctx)))
		return -EFAULT;
	if (ctx.qc_type >= q->dev->kind->qc_types[WDM_ROW(q->dev->generation)])
		return -EINVAL;
	q->qc_type = ctx.qc_type;
	ctx.id = (__u16)q->id;
	return emu_memory_write((uintptr_t)arg, &ctx, sizeof(ctx));
}

static int ioctl_info(const struct emu_queue *q, void *arg)
{
	struct hisi_qp_info info = {
		.sqe_size = 1u << q->dev->kind->sqe_shift, .sq_depth = (__u16)emu_depth(),
		.cq_depth = (__u16)emu_depth(),
	};

	if (emu_memory_read((uintptr_t)arg, &(struct hisi_qp_info){ 0 }, sizeof(info)))
		return -EFAULT;
	return emu_memory_write((uintptr_t)arg, &info, sizeof(info));
}

static int queue_command(struct emu_queue *q, unsigned long cmd, void *arg)
{
	int err;

	if (q->state == EMU_ZOMBIE)
		return -ENXIO;
	switch (cmd) {
	case UACCE_CMD_START_Q:
		if (q->state != EMU_INIT)
			return -EINVAL;
		err = emu_driver_start(q);
		if (!err)
			q->state = EMU_STARTED;
		return err;
	case UACCE_CMD_PUT_Q:
		err = q->state == EMU_STARTED ? emu_driver_stop(q) : 0;
		if (!err)
			q->state = EMU_INIT;
		return err;
	case UACCE_CMD_QM_SET_QP_CTX:
		return ioctl_set_ctx(q, arg);
	case UACCE_CMD_QM_SET_QP_INFO:
		return ioctl_info(q, arg);
	case UACCE_CMD_QM_GET_MEMORY:
		return q->dev->mediated ? emu_driver_limits(q, arg) : -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

int emu_queue_ioctl(struct emu_queue *q, unsigned long cmd, void *arg)
{
	int err;

	if (atomic_load(&q->foreign))
		return -EPERM;
	if (cmd == UACCE_CMD_WRONG_RESULT) {
		emu_counts_wrong(q->dev);
		return 0;
	}
	if ((unsigned int)cmd == UACCE_CMD_QM_DOORBELL && q->dev->mediated)
		return emu_driver_doorbell(q, arg);
	emu_device_enter(q->dev);
	emu_driver_begin(q->dev);
	err = queue_command(q, (unsigned int)cmd, arg);
	emu_driver_end(q->dev);
	emu_device_leave(q->dev);
	return err;
}

/* An event is found by one check, and once more by a check that doesn't wait. */
static bool event_look(struct emu_queue *q, bool waits)
{
	int event = atomic_load(&q->event);

	if (event != EMU_EVENT_NEW && (event == EMU_EVENT_NONE || waits))
		return false;
	/* A newer event stays. */
	atomic_compare_exchange_strong(&q->event, &event, event - 1);
	return true;
}

static bool ring_look(struct emu_queue *q)
{
	const unsigned char *cq = q->dus + emu_sq_size(q->dev);
	unsigned int seen = q->poll_head;
	bool ready = false;
	u32 word;

	/* The process writes to its own ring. */
	if (q->dev->mediated) {
		q->poll_head = atomic_load(&q->published);
		return q->poll_head != seen;
	}
	for (;;) {
		word = wdm_readl(cq + q->poll_head % emu_depth() * sizeof(struct qm_cqe) + 12);
		if ((word >> 16 & QM_CQE_PHASE) == (q->poll_head / emu_depth() & 1))
			break;
		q->poll_head++;
		ready = true;
	}
	return ready;
}

static bool model_ready(struct emu_queue *q, bool waits)
{
	int none = EMU_EVENT_NONE;
	unsigned long long count;
	bool ready;

	/* Before the check: a later event makes the descriptor readable again. */
	while (real_read()(q->event_fd, &count, sizeof(count)) > 0)
		;
	if (emu_config()->mainline_poll)
		return ring_look(q);
	ready = event_look(q, waits);
	if (!ring_look(q))
		return ready;
	atomic_compare_exchange_strong(&q->event, &none, EMU_EVENT_SEEN);
	return true;
}

/* This consumes the event, as the kernel's check does. @waits: the caller sleeps if there is no event. */
bool emu_queue_ready(struct emu_queue *q, bool waits)
{
	bool ready;

	if (q->dev->mediated)
		emu_driver_look(q);
	pthread_mutex_lock(&q->poll_lock);
	ready = emu_config()->null ? emu_null_look(q) : model_ready(q, waits);
	pthread_mutex_unlock(&q->poll_lock);
	return ready;
}

short emu_queue_revents(struct emu_queue *q, short events, bool waits)
{
	if (atomic_load(&q->foreign))
		return POLLERR;
	if (atomic_load(&q->dead))
		return (short)((events & EMU_READY) | POLLERR | POLLHUP);
	if (!(events & EMU_READY))
		return 0;
	return emu_queue_ready(q, waits) ? events & EMU_READY : 0;
}

void emu_queue_nudge(const struct emu_queue *q)
{
	static const unsigned long long one = 1;

	if (real_write()(q->event_fd, &one, sizeof(one)) < 0)
		return;	/* full: readable already */
}

void emu_queue_wake(struct emu_queue *q)
{
	atomic_store(&q->event, EMU_EVENT_NEW);
	emu_queue_nudge(q);
}
