// SPDX-License-Identifier: Apache-2.0
/* The time that a process needs to get a queue of its section and to return it; only on a kernel with sections. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <wd_user.h>
#include "bench.h"

#define TURNS	300

enum span {
	ATTACH,		/* from nothing to a slot and its first context */
	OPEN,		/* the context alone */
	START,
	CLOSE,
	DETACH,
	BARE,		/* the node opened by hand, outside the section: the floor of the first two */
	SPANS
};

static const char *const names[] = {
	[ATTACH] = "provision.attach.us",
	[OPEN] = "provision.open.us",
	[START] = "provision.start.us",
	[CLOSE] = "provision.close.us",
	[DETACH] = "provision.detach.us",
};

static void check(const char *what, int ret)
{
	if (ret)
		die(what, ret);
}

static double us_since(unsigned long long *at)
{
	unsigned long long before = *at;

	*at = now_ns();
	return (double)(*at - before) / 1000;
}

static handle_t ctx_open(const char *node)
{
	handle_t ctx = wd_request_ctx(node);

	if (!ctx)
		die(node, -errno);
	return ctx;
}

static double bare_open_us(const char *node)
{
	unsigned long long at = now_ns();
	int fd = open(node, O_RDWR | O_CLOEXEC);
	double us = us_since(&at);

	if (fd < 0)
		die(node, -errno);
	close(fd);
	return us;
}

static void turn(const char *section, const char *node, double us[SPANS])
{
	unsigned long long at = now_ns();
	handle_t ctx;
	double attach;

	check("wd_user_start", wd_user_start(section));
	attach = us_since(&at);
	ctx = ctx_open(node);
	us[OPEN] = us_since(&at);
	us[ATTACH] = attach + us[OPEN];
	check("wd_ctx_start", wd_ctx_start(ctx));
	us[START] = us_since(&at);
	wd_release_ctx(ctx);
	us[CLOSE] = us_since(&at);
	check("wd_user_stop", wd_user_stop());
	us[DETACH] = us_since(&at);
	us[BARE] = bare_open_us(node);
}

/* attach SECTION NODE: expects a free slot in SECTION with a context on NODE. */
int attach_rows(int argc, char **argv)
{
	static double us[SPANS][TURNS];
	double one[SPANS], bare;
	int i, s;

	if (argc != 2)
		die("attach SECTION NODE", -EINVAL);
	/* A first turn that isn't measured. */
	turn(argv[0], argv[1], one);
	for (i = 0; i < TURNS; i++) {
		turn(argv[0], argv[1], one);
		for (s = 0; s < SPANS; s++)
			us[s][i] = one[s];
	}
	bare = median(us[BARE], TURNS);
	for (s = 0; s < BARE; s++)
		row(names[s], median(us[s], TURNS), "us", s <= OPEN ? bare : 0);
	return 0;
}
