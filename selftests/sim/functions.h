/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of a simulated device without a driver of their own, for tests that use their registers: they are bound to
 * pci-pf-stub, which touches nothing and can enable virtual functions. Kernels without it get it from
 * mainline_build.sh.
 */
#ifndef WD_TEST_FUNCTIONS_H
#define WD_TEST_FUNCTIONS_H

#include <sys/mman.h>
#include "pci_config.h"
#include "sim_item.h"
#include "wait_ms.h"
#include "hw/qm_hw.h"

#define STUB	"/sys/bus/pci/drivers/pci-pf-stub"

/* Skips the whole program, before the harness prints anything. */
static void __attribute__((constructor)) need_stub(void)
{
	if (sim_exists(STUB) ||
	    !system("modprobe -q pci-pf-stub || insmod \"$BUILD/mainline/$(uname -r)/pci-pf-stub.ko\" 2>/dev/null"))
		return;
	printf("TAP version 13\n1..0 # SKIP the kernel has no pci-pf-stub (sim/mainline_build.sh)\n");
	exit(4);
}

static inline int attr_write(const char *dir, const char *attr, const char *text)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/%s", dir, attr);
	return text_write(path, text);
}

static inline int attr_is(const char *dir, const char *attr, const char *text)
{
	char path[320], buf[256];

	snprintf(path, sizeof(path), "%s/%s", dir, attr);
	return text_read(path, buf, sizeof(buf)) >= 0 && !strcmp(buf, text);
}

/* Gives a function to the stub; another driver may have bound it. */
static inline int stub_bind(const char *dir, const char *address)
{
	int err;

	attr_write(dir, "driver/unbind", address);
	err = attr_write(dir, "driver_override", "pci-pf-stub");
	return err ? err : text_write("/sys/bus/pci/drivers_probe", address);
}

static inline volatile uint32_t *regs_map(const char *dir, size_t size)
{
	char path[320];
	void *map;
	int fd;

	snprintf(path, sizeof(path), "%s/resource%d", dir, QM_BAR_REGS);
	fd = open(path, O_RDWR | O_CLOEXEC);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

#define REG(regs, at)	((regs)[(at) / 4])

/* Waits until @at has @value under @mask. */
static inline int reg_becomes(volatile uint32_t *regs, uint32_t at, uint32_t mask, uint32_t value)
{
	for (int ms = 0; ms < WAIT_MS; ms++) {
		if ((REG(regs, at) & mask) == value)
			return 1;
		usleep(1000);
	}
	return 0;
}

/* One mailbox command: 0, the positive status of the device, or -ETIMEDOUT. */
static inline int command(volatile uint32_t *regs, uint32_t cmd, uint32_t queue, uint64_t base)
{
	REG(regs, QM_MB_DATA_L) = (uint32_t)base;
	REG(regs, QM_MB_DATA_H) = base >> 32;
	REG(regs, QM_MB) = cmd | QM_MB_BUSY | queue << 16;
	REG(regs, QM_MB_LAST) = 0;
	if (!reg_becomes(regs, QM_MB, QM_MB_BUSY, 0))
		return -ETIMEDOUT;
	return (REG(regs, QM_MB) & QM_MB_STATUS_MASK) >> QM_MB_STATUS_SHIFT;
}

/* The result of a command that asks for a value; ~0 if there is none. */
static inline uint64_t command_get(volatile uint32_t *regs, uint32_t cmd, uint32_t queue)
{
	if (command(regs, cmd | QM_MB_OP_GET, queue, 0))
		return ~0ull;
	return REG(regs, QM_MB_DATA_L) | (uint64_t)REG(regs, QM_MB_DATA_H) << 32;
}

/* The share of a function, as it asks for it itself; ~0 if there is no answer. */
static inline uint64_t share(volatile uint32_t *regs)
{
	return command_get(regs, QM_MB_CMD_SQC_VFT, 0);
}

static inline uint64_t entry(uint64_t base, uint64_t nr)
{
	return base << QM_VFT_SQC_BASE_SHIFT | QM_VFT_SQC_VALID | (nr - 1) << QM_VFT_SQC_NUM_SHIFT;
}

/* As the physical function's driver does it. */
static inline int vft_set(volatile uint32_t *pf, enum qm_vft_type type, int fn, uint64_t value)
{
	REG(pf, QM_VFT_OP_WR) = 0;
	REG(pf, QM_VFT_TYPE) = type;
	REG(pf, QM_VFT_FUNC) = fn;
	REG(pf, QM_VFT_DATA_L) = (uint32_t)value;
	REG(pf, QM_VFT_DATA_H) = value >> 32;
	REG(pf, QM_VFT_RDY) = 0;
	REG(pf, QM_VFT_OP_ENABLE) = 1;
	return reg_becomes(pf, QM_VFT_RDY, 1, 1) ? 0 : -ETIMEDOUT;
}

static inline int share_set(volatile uint32_t *pf, int fn, uint64_t value)
{
	return vft_set(pf, QM_VFT_TYPE_SQC, fn, value);
}

#endif
