/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sandbox like that of sshd's unprivileged process: some system calls are allowed, some fail with EACCES because
 * libraries try them, and every other one ends the process with SIGSYS.
 */
#ifndef INSIDE_SANDBOX_H
#define INSIDE_SANDBOX_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define SANDBOX_ARCH	AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SANDBOX_ARCH	AUDIT_ARCH_AARCH64
#endif

static const unsigned int sandbox_allowed[] = {
	SYS_brk, SYS_clock_gettime, SYS_clock_nanosleep, SYS_close, SYS_exit, SYS_exit_group, SYS_futex, SYS_getpid,
	SYS_getrandom, SYS_gettid, SYS_gettimeofday, SYS_getuid, SYS_madvise, SYS_mremap, SYS_munmap, SYS_nanosleep,
	SYS_ppoll, SYS_pselect6, SYS_read, SYS_rt_sigprocmask, SYS_shutdown, SYS_write, SYS_writev,
#ifdef SYS_poll
	SYS_poll, SYS_select, SYS_time,
#endif
};

static const unsigned int sandbox_refused[] = {
	SYS_fstat, SYS_newfstatat, SYS_openat, SYS_shmget, SYS_shmat, SYS_shmdt, SYS_socketpair, SYS_statx,
#ifdef SYS_open
	SYS_lstat, SYS_open, SYS_stat,
#endif
};

#define SANDBOX_NR(list)	(sizeof(list) / sizeof((list)[0]))

/* Low halves: both machines are little-endian. */
#define SANDBOX_ARG(n)	((uint32_t)(offsetof(struct seccomp_data, args) + (n) * sizeof(uint64_t)))

static inline unsigned int sandbox_rule(struct sock_filter *f, unsigned int nr, uint32_t action)
{
	f[0] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1);
	f[1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	return 2;
}

/* Allowed only without PROT_EXEC, and with the bits of must in argument with. */
static inline unsigned int sandbox_memory(struct sock_filter *f, unsigned int nr, unsigned int with, uint32_t must)
{
	const struct sock_filter rule[] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 6),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SANDBOX_ARG(2)),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 3, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SANDBOX_ARG(with)),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, must, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};

	memcpy(f, rule, sizeof(rule));
	return SANDBOX_NR(rule);
}

/* 0 or -errno. */
static inline int sandbox_enter(void)
{
	struct sock_filter f[2 * (SANDBOX_NR(sandbox_allowed) + SANDBOX_NR(sandbox_refused)) + 32];
	struct sock_fprog prog = { .filter = f };
	unsigned int n = 0, i;

	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SANDBOX_ARCH, 1, 0);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (i = 0; i < SANDBOX_NR(sandbox_allowed); i++)
		n += sandbox_rule(f + n, sandbox_allowed[i], SECCOMP_RET_ALLOW);
	for (i = 0; i < SANDBOX_NR(sandbox_refused); i++)
		n += sandbox_rule(f + n, sandbox_refused[i], SECCOMP_RET_ERRNO | EACCES);
	n += sandbox_memory(f + n, SYS_mmap, 3, MAP_ANONYMOUS);
	/* Any right will do. */
	n += sandbox_memory(f + n, SYS_mprotect, 2, PROT_READ | PROT_WRITE);
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	prog.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return -errno;
	return 0;
}

#endif
