// SPDX-License-Identifier: Apache-2.0
/* Runs another program and reads what it prints. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sleep.h"
#include "command.h"
#include "escape.h"

#define OUTPUT_MAX (64UL * 1024 * 1024)
#define NS_PER_S UINT64_C(1000000000)

extern char **environ;

struct reader {
	int fd;			/* -1: at its end */
	char *text;
	size_t len, room;
	size_t max;		/* more is dropped, or is an error */
	bool drop;
};

static int reader_take(struct reader *r)
{
	char buf[4096], *grown;
	ssize_t got = read(r->fd, buf, sizeof(buf));
	size_t take;

	if (got < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	if (!got) {
		close(r->fd);
		r->fd = -1;
		return 0;
	}
	take = (size_t)got < r->max - r->len ? (size_t)got : r->max - r->len;
	if (take < (size_t)got && !r->drop)
		return -EFBIG;
	if (r->len + take + 1 > r->room) {
		r->room = 2 * (r->len + take + 1);
		grown = realloc(r->text, r->room);
		if (!grown)
			return -ENOMEM;
		r->text = grown;
	}
	memcpy(r->text + r->len, buf, take);
	r->len += take;
	r->text[r->len] = '\0';
	return 0;
}

static int spawn(const char *const *argv, int out, int err, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int ret = posix_spawn_file_actions_init(&actions);

	if (ret)
		return -ret;
	ret = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!ret)
		ret = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!ret)
		ret = posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
	if (!ret)
		ret = posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -ret;
}

static int read_both(struct reader *r, uint64_t until)
{
	struct pollfd fds[2];
	uint64_t now;
	int i, ret = 0;

	while (!ret && (r[0].fd >= 0 || r[1].fd >= 0)) {
		now = wd_now_ns();
		if (now >= until)
			return -ETIME;
		for (i = 0; i < 2; i++)
			fds[i] = (struct pollfd){ .fd = r[i].fd, .events = POLLIN };
		if (poll(fds, 2, (int)((until - now) / 1000000) + 1) < 0)
			continue;
		for (i = 0; i < 2 && !ret; i++)
			if (r[i].fd >= 0 && fds[i].revents)
				ret = reader_take(&r[i]);
	}
	return ret;
}

static void take_output(struct command_output *o, struct reader *r, int status)
{
	char *line = r[1].text ? r[1].text : NULL;

	o->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	o->out = r[0].text;
	o->len = r[0].len;
	if (line)
		escape(o->err, sizeof(o->err), line, strcspn(line, "\n"));
	r[0].text = NULL;
}

int command_run(const char *const *argv, int seconds, struct command_output *o)
{
	struct reader r[2] = { { .fd = -1, .max = OUTPUT_MAX }, { .fd = -1, .max = 4096, .drop = true } };
	int out[2], err[2], status = 0, ret;
	pid_t pid;

	memset(o, 0, sizeof(*o));
	r[0].text = calloc(1, 1);
	if (!r[0].text)
		return -ENOMEM;
	if (pipe2(out, O_CLOEXEC)) {
		ret = -errno;
		goto out_free;
	}
	if (pipe2(err, O_CLOEXEC)) {
		ret = -errno;
		close(out[0]);
		close(out[1]);
		goto out_free;
	}
	r[0].fd = out[0];
	r[1].fd = err[0];
	ret = spawn(argv, out[1], err[1], &pid);
	close(out[1]);
	close(err[1]);
	if (ret)
		goto out_close;
	ret = read_both(r, wd_now_ns() + seconds * NS_PER_S);
	if (ret)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!ret)
		take_output(o, r, status);
out_close:
	if (r[0].fd >= 0)
		close(r[0].fd);
	if (r[1].fd >= 0)
		close(r[1].fd);
out_free:
	free(r[0].text);
	free(r[1].text);
	return ret;
}

void command_free(struct command_output *o)
{
	free(o->out);
	memset(o, 0, sizeof(*o));
}
