/* SPDX-License-Identifier: Apache-2.0 */
/* Pages whose first access waits until the test delivers them, in the kernel too. */
#ifndef WD_TEST_LATE_PAGE_H
#define WD_TEST_LATE_PAGE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct late_page {
	int uffd;
	void *at;
	size_t bytes;
};

static inline void late_page_end(struct late_page *p)
{
	if (p->at != MAP_FAILED)
		munmap(p->at, p->bytes);
	if (p->uffd >= 0)
		close(p->uffd);
	*p = (struct late_page){ .uffd = -1, .at = MAP_FAILED };
}

/* 0, or why this kernel or this user can't. */
static inline int late_page_make(struct late_page *p, size_t bytes)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int ret = 0;

	p->bytes = bytes;
	p->at = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p->uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	reg.range.start = (unsigned long)p->at;
	reg.range.len = p->bytes;
	if (p->at == MAP_FAILED || p->uffd < 0 || ioctl(p->uffd, UFFDIO_API, &api) ||
	    ioctl(p->uffd, UFFDIO_REGISTER, &reg))
		ret = -errno;
	if (ret)
		late_page_end(p);
	return ret;
}

/* Returns when an access waits. */
static inline int late_page_wanted(const struct late_page *p)
{
	struct uffd_msg msg;

	return read(p->uffd, &msg, sizeof(msg)) == sizeof(msg) ? 0 : -EIO;
}

/* The pages are there from now on, and zero. */
static inline int late_page_deliver(const struct late_page *p)
{
	struct uffdio_zeropage zero = { .range = { (unsigned long)p->at, p->bytes } };

	return ioctl(p->uffd, UFFDIO_ZEROPAGE, &zero) ? -errno : 0;
}

#endif
