/* SPDX-License-Identifier: Apache-2.0 */
/* The fixture of netlink tests: a socket, the first two ZIP devices, and a section that is configured but not live. */
#ifndef WD_TEST_NETLINK_TEST_H
#define WD_TEST_NETLINK_TEST_H

#include <grp.h>
#include <stdlib.h>
#include <sys/wait.h>

#define NEED_DEVICES	2
#define NEED_NUMBERS	1
#define SECTION		"nltest"
#define NEED_SECTIONS	{ SECTION, "nlmore", "devevent" }
#include "need_machine.h"
#include "uacce_nl.h"
#include "uacce_tree.h"
#include "uacce_sys.h"

#define NOBODY		65534

FIXTURE(nl) {
	struct nlc *c;
	char dev[UACCE_NAME_MAX];
	char dev2[UACCE_NAME_MAX];
	char parent[UACCE_NAME_MAX];
};

/* A machine may have more devices, also of other engines. */
FIXTURE_SETUP(nl)
{
	char devices[2 * UACCE_NAME_MAX + 2];

	self->c = malloc(sizeof(*self->c));
	ASSERT_EQ(0, nlc_open(self->c)) TH_LOG("no family \"uacce\"");
	ASSERT_TRUE(uacce_find("hisi_zip", 0, self->dev));
	ASSERT_TRUE(uacce_find("hisi_zip", 1, self->dev2));
	ASSERT_EQ(0, uacce_parent(self->dev, self->parent, sizeof(self->parent)));
	sec_end(SECTION);
	ASSERT_EQ(0, sec_mkdir(SECTION));
	snprintf(devices, sizeof(devices), "%s %s", self->dev, self->dev2);
	ASSERT_EQ(0, sec_set(SECTION, "devices", devices));
}

FIXTURE_TEARDOWN(nl)
{
	nlc_close(self->c);
	free(self->c);
	EXPECT_EQ(0, sec_end(SECTION));
}

static inline int exit_code(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

static inline int be_nobody(void)
{
	return setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ? -errno :
	       0;
}

/* A live section of @n slots with 1 + 1 contexts on both devices. */
#define test_live(n) do {							\
	ASSERT_EQ(0, sec_set(SECTION, "num_processes", n));			\
	ASSERT_EQ(0, sec_set(SECTION, "live", "1"));			\
} while (0)

#define NUM(c, attr)	nlm_num(&(c)->reply.h, UACCE_A_##attr)
#define STRING(c, attr)	nlm_string(&(c)->reply.h, UACCE_A_##attr)

#endif
