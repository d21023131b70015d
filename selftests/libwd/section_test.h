/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of sections do: sessions, requests, sections that change, another process in a section. */
#ifndef SECTION_TEST_H
#define SECTION_TEST_H

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <wd_user.h>

#include "on_device.h"
#include "sectioned.h"

static inline handle_t session(__u32 flags)
{
	struct wd_comp_sess_setup setup = {
		.alg_type = WD_ZLIB, .op_type = WD_SYNC, .comp_lv = 1, .win_size = WD_COMP_WS_32K, .flags = flags,
	};

	return wd_comp_alloc_sess(&setup, NULL);
}

static inline int compress(handle_t sess)
{
	static unsigned char src[1000], dst[2000];
	size_t len = sizeof(dst);
	struct wd_comp_arg arg = { .src = src, .src_len = sizeof(src), .dst = dst, .dst_len = &len };

	return wd_compress(sess, &arg);
}

/* Returns 0 if the request took that path for that reason. */
static inline int compress_on(handle_t sess, int path, int reason)
{
	static unsigned char src[1000], dst[2000];
	size_t len = sizeof(dst);
	struct wd_comp_arg arg = { .src = src, .src_len = sizeof(src), .dst = dst, .dst_len = &len };
	int ret = wd_compress(sess, &arg);

	return ret ? ret : arg.path == path && arg.path_reason == reason ? 0 : 1;
}

static inline int section_control(const char *name, const char *command)
{
	union { void *p; __typeof__(&wd_emulate_section) f; } u = { .p = dlsym(RTLD_DEFAULT, "wd_emulate_section") };

	return u.p ? u.f(name, command) : -ENOSYS;
}

static inline struct wd_user_info info(void)
{
	struct wd_user_info i;

	memset(&i, 0xff, sizeof(i));
	if (wd_user_info(&i))
		abort();
	return i;
}

static inline bool says(const char *words)
{
	char text[256];

	wd_error_detail(0, text, sizeof(text));
	if (!strstr(text, words))
		printf("# \"%s\" isn't in \"%s\"\n", words, text);
	return strstr(text, words);
}

/* The previous test's slot becomes free when wd-emulate has seen its process end. */
static inline int start(const char *name)
{
	int ret;

	setenv("WD_ATTACH_TIMEOUT", "60000", 1);
	ret = wd_user_start(name);
	unsetenv("WD_ATTACH_TIMEOUT");
	return ret;
}

/* Another process, in a section until its pipe is closed. */
struct other {
	pid_t pid;
	int pipe;
};

static inline struct other other_starts(const char *name)
{
	int ready[2], end[2];
	struct other o;
	char c;

	if (pipe2(ready, O_CLOEXEC) || pipe2(end, O_CLOEXEC))
		abort();
	o.pid = fork();
	if (!o.pid) {
		close(end[1]);
		if (start(name) || write(ready[1], "", 1) != 1 || read(end[0], &c, 1) < 0)
			_exit(1);
		_exit(0);
	}
	close(end[0]);
	close(ready[1]);
	o.pipe = read(ready[0], &c, 1) == 1 ? end[1] : -1;
	close(ready[0]);
	return o;
}

static inline void other_ends(struct other o)
{
	/* Ends as in a crash. */
	kill(o.pid, SIGKILL);
	waitpid(o.pid, NULL, 0);
	close(o.pipe);
}

#endif
