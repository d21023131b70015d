// SPDX-License-Identifier: Apache-2.0
/*
 * Doorbells that fault (--trap-doorbells): a handler makes the client's store, and the device looks at once. So it sees
 * every doorbell, as hardware does, where its control thread sees the last one only.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include "emu.h"

static struct sigaction before;

#ifdef __x86_64__
#define REX_W		0x48
#define REX_R		0x04	/* the upper half of the registers */
#define MOV_REG		0x89
#define MOV_IMM		0xc7

static const int registers[] = {
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11,
	REG_R12, REG_R13, REG_R14, REG_R15,
};

/* Bytes of the instruction's address operand, from its second byte on; 0: it is a register. */
static unsigned int operand_bytes(const uint8_t *modrm)
{
	unsigned int mod = modrm[0] >> 6, rm = modrm[0] & 7, n = 1;

	if (mod == 3)
		return 0;
	if (rm == 4)
		n++;
	if (!mod && (rm == 4 ? modrm[1] & 7 : rm) == 5)
		n += 4;
	return n + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/* The value of a store of 64 bits, which is the only kind that doorbells have; steps over it. */
static bool store_take(ucontext_t *context, u64 *value)
{
	greg_t *regs = context->uc_mcontext.gregs;
	const uint8_t *at = (const uint8_t *)(uintptr_t)regs[REG_RIP];
	unsigned int bytes = operand_bytes(at + 2);
	int32_t imm;

	if ((at[0] & 0xf8) != REX_W || !bytes)
		return false;
	if (at[1] == MOV_REG) {
		*value = (u64)regs[registers[(at[2] >> 3 & 7) | (at[0] & REX_R) << 1]];
		regs[REG_RIP] += 2 + bytes;
		return true;
	}
	if (at[1] != MOV_IMM)
		return false;
	memcpy(&imm, at + 2 + bytes, sizeof(imm));
	*value = (u64)(int64_t)imm;
	regs[REG_RIP] += 2 + bytes + sizeof(imm);
	return true;
}
#else
/* wd-emulate refuses the option. */
static bool store_take(ucontext_t *context, u64 *value)
{
	(void)context, (void)value;
	return false;
}
#endif

static void faulted(int sig, siginfo_t *info, void *context)
{
	struct emu_queue *q;
	struct wdm_look look;
	int saved = errno;
	size_t offset;
	u64 value;

	q = emu_region_window(info->si_addr, &offset);
	if (!q || !store_take(context, &value)) {
		/* A fault of the program's own: the store is tried again, without this handler. */
		sigaction(sig, &before, NULL);
		return;
	}
	emu_device_enter(q->dev);
	/* The same value may be rung twice, and counts twice. */
	wdm_writeq(WDM_DB_NONE, emu_queue_window(q) + offset);
	emu_device_turn(q->dev, &look);
	wdm_writeq(value, emu_queue_window(q) + offset);
	emu_device_turn(q->dev, &look);
	pthread_cond_broadcast(&q->dev->kick);
	emu_device_leave(q->dev);
	emu_queue_put(q);
	errno = saved;
}

__attribute__((constructor)) static void trap_begin(void)
{
	struct sigaction action = { .sa_sigaction = faulted, .sa_flags = SA_SIGINFO | SA_RESTART };

	if (emu_config()->trap)
		sigaction(SIGSEGV, &action, &before);
}
