// SPDX-License-Identifier: Apache-2.0
/* The process' folder, and system calls that it makes by number. */
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "emu.h"

EMU_REAL(int, chdir, const char *path)
EMU_REAL(char *, getcwd, char *buf, size_t len)
EMU_REAL(char *, __getcwd_chk, char *buf, size_t len, size_t room)
EMU_REAL(long, syscall, long number, ...)

int chdir(const char *path)
{
	char text[EMU_PATH_ROOM];

	return real_chdir()(emu_path_map(path, text));
}

/* The name by which the program came there */
static char *unmapped(char *cwd)
{
	const struct emu_config *c = emu_config();
	size_t n = strlen(c->root);

	if (cwd && c->on && !strncmp(cwd, c->root, n) && cwd[n] == '/')
		memmove(cwd, cwd + n, strlen(cwd + n) + 1);
	return cwd;
}

char *getcwd(char *buf, size_t len)
{
	char text[EMU_PATH_ROOM];

	/* The real name may be longer than there is room for the emulated one. */
	if (buf && real_getcwd()(text, sizeof(text)) && unmapped(text) && strlen(text) < len)
		return strcpy(buf, text);
	return unmapped(real_getcwd()(buf, len));
}

char *__getcwd_chk(char *buf, size_t len, size_t room)
{
	return len > room ? real___getcwd_chk()(buf, len, room) : getcwd(buf, len);
}

/* Those that would close this library's descriptors, or a queue without its knowledge. */
long syscall(long number, ...)
{
	va_list ap;
	long a[6];
	int i;

	va_start(ap, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_close)
		return close((int)a[0]);
	if (number == SYS_close_range)
		return close_range((unsigned int)a[0], (unsigned int)a[1], (int)a[2]);
	return real_syscall()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
