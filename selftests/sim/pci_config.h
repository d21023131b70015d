/* SPDX-License-Identifier: Apache-2.0 */
/* Config space of PCI functions for tests, through sysfs; @dir is the function's folder. */
#ifndef WD_TEST_PCI_CONFIG_H
#define WD_TEST_PCI_CONFIG_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define CFG_SIZE	4096
#define PCI_COMMAND	0x04
#define PCI_CAP_PTR	0x34
#define CAP_MSI		0x05
#define CAP_EXP		0x10

static inline int cfg_open(const char *dir, int flags)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/config", dir);
	return open(path, flags | O_CLOEXEC);
}

static inline int cfg_read(const char *dir, void *buf, size_t len, off_t at)
{
	int fd = cfg_open(dir, O_RDONLY);
	ssize_t n = pread(fd, buf, len, at);

	close(fd);
	return n == (ssize_t)len ? 0 : -EIO;
}

static inline int cfg_write(const char *dir, const void *buf, size_t len, off_t at)
{
	int fd = cfg_open(dir, O_RDWR);
	ssize_t n = pwrite(fd, buf, len, at);

	close(fd);
	return n == (ssize_t)len ? 0 : -EIO;
}

static inline uint32_t le(const uint8_t *p, int bytes)
{
	return bytes ? p[0] | le(p + 1, bytes - 1) << 8 : 0;
}

static inline uint16_t cfg_word(const char *dir, int at)
{
	uint8_t raw[2] = { 0xff, 0xff };

	cfg_read(dir, raw, sizeof(raw), at);
	return le(raw, 2);
}

static inline void cfg_word_write(const char *dir, int at, uint16_t value)
{
	uint8_t raw[2] = { value & 0xff, value >> 8 };

	cfg_write(dir, raw, sizeof(raw), at);
}

static inline int find_cap(const uint8_t *cfg, uint8_t id)
{
	int at = cfg[PCI_CAP_PTR];

	for (int n = 0; at && n < 48; n++, at = cfg[at + 1])
		if (cfg[at] == id)
			return at;
	return 0;
}

#endif
