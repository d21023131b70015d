/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that attach and open on command, each with its own netlink socket. */
#ifndef WD_TEST_WORKER_H
#define WD_TEST_WORKER_H

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include "uacce_tree.h"
#include "uacce_nl.h"
#include "uacce_sys.h"
#include "wait_ms.h"

#define WORKER_FILES	64

/* --- the worker process itself --- */

struct nl_client {
	struct nlc *sk;		/* NULL: closed */
	char slot[64];		/* of the last grant */
	unsigned int grants;
	unsigned int sync;	/* of the first grant */
	bool granted;		/* the awaited grant has come, with this error: */
	int error;
};

static inline int client_open(struct nl_client *c)
{
	memset(c, 0, sizeof(*c));
	c->sk = malloc(sizeof(*c->sk));
	return c->sk && !nlc_open(c->sk) ? 0 : -ENOTSUP;
}

static inline void client_close(struct nl_client *c)
{
	if (!c->sk)
		return;
	nlc_close(c->sk);
	free(c->sk);
	c->sk = NULL;
}

/* A reply, or SLOT_GRANTED: stores the grant. */
static inline void client_note(struct nl_client *c, const struct nlmsghdr *h)
{
	const struct nlattr *g = NULL;

	if (nlm_cmd(h) == UACCE_NL_SLOT_GRANTED) {
		c->granted = true;
		c->error = nlm_next(h, UACCE_A_ERROR, NULL) ? -(int)nlm_num(h, UACCE_A_ERROR) : 0;
	}
	snprintf(c->slot, sizeof(c->slot), "%s", nlm_string(h, UACCE_A_SLOT));
	for (c->grants = 0; (g = nlm_next(h, UACCE_A_GRANT, g)); )
		if (!c->grants++)
			c->sync = nla_num_of(nest_attr(g, UACCE_A_GRANT_SYNC));
}

/* @slot, @dev: NULL or the names that are asked for. Returns 0: attached, 1: waiting, or -errno. */
static inline int client_attach(struct nl_client *c, const char *section, const char *slot, const char *dev,
				unsigned int wait_ms)
{
	int ret = nlc_attach(c->sk, section, slot, dev, wait_ms);

	c->granted = false;
	if (ret)
		return ret;
	client_note(c, &c->sk->reply.h);
	return c->granted || !nlm_next(&c->sk->reply.h, UACCE_A_SLOT, NULL);
}

static inline int client_detach(struct nl_client *c)
{
	return nlc_detach(c->sk);
}

/* For a waiting client: 0 when the slot is granted, the error of the grant, or -ETIME. */
static inline int client_granted(struct nl_client *c, int ms)
{
	struct nlmsghdr *h = NULL;

	if (!c->granted) {
		if (nlc_event(c->sk, UACCE_NL_SLOT_GRANTED, &h, ms))
			return -ETIME;
		client_note(c, h);
	}
	return c->error;
}

/* --- processes --- */

enum { W_ATTACH, W_DETACH, W_GRANTED, W_OPEN, W_START, W_CLOSE, W_CLOSE_SOCKET, W_SETUID };

struct order {
	int what;
	int number;
	char section[64], slot[64], dev[64];
};

struct answer {
	int ret;
	char slot[64];
	unsigned int grants, sync;
};

struct worker {
	pid_t pid;
	int fd;
	struct answer last;
};

static inline int worker_open_dev(int *files, const char *dev)
{
	char path[128];
	int i, fd;

	snprintf(path, sizeof(path), "/dev/%s", dev);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (i = 0; i < WORKER_FILES; i++)
		if (files[i] < 0) {
			files[i] = fd;
			return 0;
		}
	close(fd);
	return -EMFILE;
}

/* The file that was opened last; NULL: there is none. */
static inline int *worker_last_file(int *files)
{
	int i;

	for (i = WORKER_FILES - 1; i >= 0; i--)
		if (files[i] >= 0)
			return &files[i];
	return NULL;
}

static inline int worker_close_dev(int *files)
{
	int *last = worker_last_file(files);

	if (!last)
		return -EBADF;
	close(*last);
	*last = -1;
	return 0;
}

static inline int worker_start_queue(int *files)
{
	int *last = worker_last_file(files);

	return last ? uacce_start_q(*last) : -EBADF;
}

static inline int worker_obey(struct nl_client *c, int *files, const struct order *o)
{
	switch (o->what) {
	case W_ATTACH:
		if (!c->sk && client_open(c))
			return -ENOTSUP;
		return client_attach(c, o->section, o->slot[0] ? o->slot : NULL, o->dev[0] ? o->dev : NULL, o->number);
	case W_DETACH:
		if (!c->sk && client_open(c))
			return -ENOTSUP;
		return client_detach(c);
	case W_GRANTED:
		return client_granted(c, o->number);
	case W_OPEN:
		return worker_open_dev(files, o->dev);
	case W_START:
		return worker_start_queue(files);
	case W_CLOSE:
		return worker_close_dev(files);
	case W_CLOSE_SOCKET:
		client_close(c);
		return 0;
	case W_SETUID:
		return setgid(o->number) || setuid(o->number) ? -errno : 0;
	}
	return -EINVAL;
}

static inline void worker_run(int fd)
{
	struct nl_client c = { 0 };
	int files[WORKER_FILES];
	struct answer a;
	struct order o;

	memset(files, -1, sizeof(files));
	while (recv(fd, &o, sizeof(o), 0) == sizeof(o)) {
		memset(&a, 0, sizeof(a));
		a.ret = worker_obey(&c, files, &o);
		memcpy(a.slot, c.slot, sizeof(a.slot));
		a.grants = c.grants;
		a.sync = c.sync;
		if (send(fd, &a, sizeof(a), MSG_NOSIGNAL) != sizeof(a))
			break;
	}
	_exit(0);
}

static inline int worker_start(struct worker *w)
{
	int fds[2];

	memset(w, 0, sizeof(*w));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	w->fd = fds[0];
	w->pid = fork();
	if (!w->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fds[0]);
		worker_run(fds[1]);
	}
	close(fds[1]);
	return w->pid < 0 ? -errno : 0;
}

static inline void worker_kill(struct worker *w)
{
	if (w->pid <= 0)
		return;
	kill(w->pid, SIGKILL);
	waitpid(w->pid, NULL, 0);
	close(w->fd);
	w->pid = 0;
}

static inline int worker_do(struct worker *w, struct order *o)
{
	if (send(w->fd, o, sizeof(*o), MSG_NOSIGNAL) != sizeof(*o) ||
	    recv(w->fd, &w->last, sizeof(w->last), 0) != sizeof(w->last))
		return -EPIPE;
	return w->last.ret;
}

static inline int w_attach(struct worker *w, const char *section, unsigned int wait_ms)
{
	struct order o = { .what = W_ATTACH, .number = wait_ms };

	snprintf(o.section, sizeof(o.section), "%s", section);
	return worker_do(w, &o);
}

static inline int w_attach_slot(struct worker *w, const char *section, const char *slot, unsigned int wait_ms)
{
	struct order o = { .what = W_ATTACH, .number = wait_ms };

	snprintf(o.section, sizeof(o.section), "%s", section);
	snprintf(o.slot, sizeof(o.slot), "%s", slot);
	return worker_do(w, &o);
}

static inline int w_attach_dev(struct worker *w, const char *section, const char *dev)
{
	struct order o = { .what = W_ATTACH };

	snprintf(o.section, sizeof(o.section), "%s", section);
	snprintf(o.dev, sizeof(o.dev), "%s", dev);
	return worker_do(w, &o);
}

static inline int w_open(struct worker *w, const char *dev)
{
	struct order o = { .what = W_OPEN };

	snprintf(o.dev, sizeof(o.dev), "%s", dev);
	return worker_do(w, &o);
}

static inline int w_simple(struct worker *w, int what, int number)
{
	struct order o = { .what = what, .number = number };

	return worker_do(w, &o);
}

#define w_detach(w)		w_simple(w, W_DETACH, 0)
#define w_start(w)		w_simple(w, W_START, 0)
#define w_close(w)		w_simple(w, W_CLOSE, 0)
#define w_granted(w, ms)	w_simple(w, W_GRANTED, ms)
#define w_close_socket(w)	w_simple(w, W_CLOSE_SOCKET, 0)
#define w_setuid(w, id)		w_simple(w, W_SETUID, id)

/* The kernel notices a dead process a moment later. */
static inline int w_attach_soon(struct worker *w, const char *section)
{
	long long end = now_ms() + WAIT_MS;
	int ret;

	while ((ret = w_attach(w, section, 0)) == -EUSERS && now_ms() < end)
		usleep(1000);
	return ret;
}

/* The contexts of a dead process come back a moment later, too: returns the number at the end. */
static inline long soon_zero(const char *dev, const char *attr)
{
	long long end = now_ms() + WAIT_MS;
	long n;

	while ((n = dev_num(dev, attr)) && now_ms() < end)
		usleep(1000);
	return n;
}

#endif
