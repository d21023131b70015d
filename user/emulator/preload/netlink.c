// SPDX-License-Identifier: Apache-2.0
/* Sections: generic netlink sockets, and the charges of opens, go to wd-emulate. */
#include <fcntl.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "control.h"
#include "emu.h"
#include "messages.h"

EMU_REAL(int, socket, int domain, int type, int protocol)
EMU_REAL(int, getsockopt, int fd, int level, int name, void *value, socklen_t *len)
EMU_REAL(int, close, int fd)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int private_fd = -1;

static socklen_t address(struct sockaddr_un *to)
{
	const char *name = emu_config()->sections;

	memset(to, 0, sizeof(*to));
	to->sun_family = AF_UNIX;
	strcpy(to->sun_path + 1, name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}

static int connection(int flags)
{
	int fd = real_socket()(AF_UNIX, SOCK_SEQPACKET | flags, 0);
	struct sockaddr_un to;
	socklen_t len = address(&to);

	if (fd < 0 || !connect(fd, (struct sockaddr *)&to, len))
		return fd;
	real_close()(fd);
	errno = EPROTONOSUPPORT;
	return -1;
}

bool emu_sections_there(void)
{
	return emu_config()->on && emu_config()->sections[0];
}

int socket(int domain, int type, int protocol)
{
	if (domain == AF_NETLINK && protocol == NETLINK_GENERIC && emu_sections_there())
		return connection(type & (SOCK_CLOEXEC | SOCK_NONBLOCK));
	return real_socket()(domain, type, protocol);
}

/* This includes sockets opened before this program was executed. */
static bool is_ours(int fd)
{
	struct sockaddr_un peer, to;
	socklen_t len = sizeof(peer), want = address(&to);

	return !getpeername(fd, (struct sockaddr *)&peer, &len) && len == want && !memcmp(&peer, &to, len);
}

int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	bool asks = level == SOL_SOCKET && (name == SO_DOMAIN || name == SO_PROTOCOL) && *len >= sizeof(int);

	if (!asks || !emu_sections_there() || !is_ours(fd))
		return real_getsockopt()(fd, level, name, value, len);
	*(int *)value = name == SO_DOMAIN ? AF_NETLINK : NETLINK_GENERIC;
	*len = sizeof(int);
	return 0;
}

/* --- requests of this library --- */

static int private_open(void)
{
	if (private_fd < 0)
		private_fd = emu_fd_private(connection(SOCK_CLOEXEC));
	return private_fd;
}

/* Return: the value of the answer, or -errno. */
static int ask(struct emu_sections_message *m, enum emu_sections_type type)
{
	ssize_t n = -1;
	int fd;

	m->h.nlmsg_len = sizeof(*m);
	m->h.nlmsg_type = (unsigned short)type;
	pthread_mutex_lock(&lock);
	fd = private_open();
	if (fd >= 0 && send(fd, m, sizeof(*m), MSG_NOSIGNAL) == sizeof(*m))
		do
			n = recv(fd, m, sizeof(*m), 0);
		while (n < 0 && errno == EINTR);
	pthread_mutex_unlock(&lock);
	return n == sizeof(*m) ? m->value : -EIO;
}

int emu_sections_charge(unsigned int device)
{
	struct emu_sections_message m = { .value = (int)device };

	return emu_sections_there() ? ask(&m, EMU_CHARGE) : 0;
}

void emu_sections_uncharge(int charge)
{
	struct emu_sections_message m = { .value = charge };

	if (charge)
		ask(&m, EMU_UNCHARGE);
}

struct emu_device *emu_available_of(const char *path)
{
	static const char attr[] = "/available_instances";
	struct emu_device *dev;
	unsigned int i;
	size_t len, n;

	n = path && path[0] == '/' && emu_sections_there() ? strlen(path) : 0;
	if (n < sizeof(attr) || strcmp(path + n - (sizeof(attr) - 1), attr))
		return NULL;
	if (!strncmp(path, emu_config()->root, strlen(emu_config()->root)))
		path += strlen(emu_config()->root);
	if (strncmp(path, EMU_CLASS "/", sizeof(EMU_CLASS)))
		return NULL;
	path += sizeof(EMU_CLASS);
	for (i = 0; (dev = emu_device_at(i)); i++) {
		len = strlen(dev->name);
		if (!strncmp(path, dev->name, len) && path[len] == '/')
			return dev;
	}
	return NULL;
}

/* The file has the pool's number; the kernel shows an attached process another one. */
int emu_available_open(struct emu_device *dev, int flags)
{
	struct emu_sections_message m = { .value = (int)dev->index };
	int left = ask(&m, EMU_LEFT), fd;
	char text[16];
	ssize_t n;

	if (left < 0) {
		errno = -left;
		return -1;
	}
	fd = memfd_create("available_instances", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
	n = snprintf(text, sizeof(text), "%d\n", left);
	if (fd < 0 || pwrite(fd, text, (size_t)n, 0) == n)
		return fd;
	real_close()(fd);
	errno = EIO;
	return -1;
}

int wd_emulate_section(const char *name, const char *command)
{
	struct emu_sections_message m = { .value = 0 };
	int ret;

	if (!emu_sections_there() || strlen(name) >= sizeof(m.name) || strlen(command) >= sizeof(m.command))
		return -EINVAL;
	strcpy(m.name, name);
	strcpy(m.command, command);
	ret = ask(&m, EMU_CONTROL);
	/* This process doesn't know which queues were the section's: all of them end. */
	if (!ret && !strcmp(command, "revoke"))
		emu_control_revoke();
	return ret;
}

void emu_sections_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
	emu_fd_private_close(private_fd);
	private_fd = -1;
}
