// SPDX-License-Identifier: GPL-2.0-or-later
/* Access to a function's registers. */
#include <linux/delay.h>
#include <linux/io.h>
#include "internal.h"

/**
 * hisi_qm_read - read a 32-bit register
 * @qm: the function
 * @reg: offset in BAR2
 */
u32 hisi_qm_read(struct hisi_qm *qm, u32 reg)
{
	return readl(qm->io + reg);
}
EXPORT_SYMBOL_GPL(hisi_qm_read);

/**
 * hisi_qm_write - write a 32-bit register
 * @qm: the function
 * @reg: offset in BAR2
 * @value: the value
 */
void hisi_qm_write(struct hisi_qm *qm, u32 reg, u32 value)
{
	writel(value, qm->io + reg);
}
EXPORT_SYMBOL_GPL(hisi_qm_write);

/**
 * qm_looked - time since the last poll that counts towards a deadline
 * @seen: time of the last poll; set to now
 * @most_us: most that counts, in microseconds
 *
 * A long gap between polls means that the machine was stopped, and a software device with it.
 */
u64 qm_looked(ktime_t *seen, u64 most_us)
{
	ktime_t last = *seen;

	*seen = ktime_get();
	return min_t(u64, ktime_us_delta(*seen, last), most_us);
}

/**
 * qm_poll - poll a register until its bits have a value
 * @qm: the function
 * @reg: offset in BAR2
 * @mask: bits to check
 * @value: value that they must have
 * @timeout_us: deadline
 * @now: receives the last value read
 *
 * Long gaps between polls count little towards the deadline. 0, -ETIMEDOUT, or -ENODEV when the
 * device is gone. Sleeps.
 */
int qm_poll(struct hisi_qm *qm, u32 reg, u32 mask, u32 value, u64 timeout_us, u32 *now)
{
	ktime_t seen = ktime_get();
	u64 waited_us = 0;

	for (;;) {
		*now = hisi_qm_read(qm, reg);
		if ((*now & mask) == value)
			return 0;
		if (qm_gone(qm, *now))
			return -ENODEV;
		if (waited_us > timeout_us)
			return -ETIMEDOUT;
		usleep_range(QM_REG_PERIOD_US / 4 + 1, QM_REG_PERIOD_US);
		waited_us += qm_looked(&seen, QM_LOOK_MAX_US);
	}
}

/**
 * hisi_qm_wait - wait until the device has set bits of a register
 * @qm: the function
 * @reg: offset in BAR2
 * @mask: bits to check
 * @value: value that they must have
 *
 * Hardware needs microseconds, but a software device on a busy machine may not run for long. 0,
 * -ETIMEDOUT, or -ENODEV when the device is gone. Sleeps.
 */
int hisi_qm_wait(struct hisi_qm *qm, u32 reg, u32 mask, u32 value)
{
	u32 now;

	return qm_poll(qm, reg, mask, value, QM_REG_TIMEOUT_US, &now);
}
EXPORT_SYMBOL_GPL(hisi_qm_wait);

/**
 * hisi_qm_write_regs - write registers in order
 * @qm: the function
 * @regs: registers and values
 * @nr: number of @regs
 */
void hisi_qm_write_regs(struct hisi_qm *qm, const struct hisi_qm_reg *regs, unsigned int nr)
{
	for (; nr; nr--, regs++)
		hisi_qm_write(qm, regs->offset, regs->value);
}
EXPORT_SYMBOL_GPL(hisi_qm_write_regs);

/**
 * hisi_qm_set_bits - set bits of a register, leave the others
 * @qm: the function
 * @reg: offset in BAR2
 * @bits: bits to set
 */
void hisi_qm_set_bits(struct hisi_qm *qm, u32 reg, u32 bits)
{
	hisi_qm_write(qm, reg, hisi_qm_read(qm, reg) | bits);
}
EXPORT_SYMBOL_GPL(hisi_qm_set_bits);

/**
 * hisi_qm_clear_bits - clear bits of a register, leave the others
 * @qm: the function
 * @reg: offset in BAR2
 * @bits: bits to clear
 */
void hisi_qm_clear_bits(struct hisi_qm *qm, u32 reg, u32 bits)
{
	hisi_qm_write(qm, reg, hisi_qm_read(qm, reg) & ~bits);
}
EXPORT_SYMBOL_GPL(hisi_qm_clear_bits);
