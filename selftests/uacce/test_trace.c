// SPDX-License-Identifier: Apache-2.0
/* Tracepoints: a queue's life, refusals and sections, as an admin reads them. */
#include <sys/mount.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "netlink_test.h"

#define TRACING		"/sys/kernel/tracing"

/* The trace itself, not an instance: an instance takes a debug kernel half a minute. */
static int trace_write(const char *file, const char *text)
{
	char path[128];
	int fd, ret = 0;

	snprintf(path, sizeof(path), TRACING "/%s", file);
	fd = open(path, O_WRONLY | O_CLOEXEC | (*text ? 0 : O_TRUNC));
	if (fd < 0)
		return -errno;
	if (*text && write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* Does the trace have a line with both texts? */
static int traced(const char *event, const char *fields)
{
	FILE *f = fopen(TRACING "/trace", "re");
	char line[512];
	int found = 0;

	while (f && !found && fgets(line, sizeof(line), f))
		found = strstr(line, event) && strstr(line, fields);
	if (f)
		fclose(f);
	return found;
}

/* NULL, or why tracing isn't possible. */
static const char *trace_begin(void)
{
	if (access(TRACING "/events", F_OK) && mount("tracefs", TRACING, "tracefs", 0, NULL))
		return "the kernel has no tracefs";
	return trace_write("events/uacce/enable", "1") || trace_write("events/hisi_qm/enable", "1") ||
	       trace_write("trace", "") ? "the events aren't there" : NULL;
}

static void trace_end(void)
{
	trace_write("events/uacce/enable", "0");
	trace_write("events/hisi_qm/enable", "0");
}

TEST_F_TIMEOUT(nl, queues_are_traced, 120)
{
	char fields[128];
	int fd;

	ASSERT_EQ(NULL, trace_begin());
	fd = test_open(self->dev);
	test_set_qp_ctx(fd, 0);
	test_start_q(fd);
	test_put_q(fd);
	test_start_q(fd);
	close(fd);
	snprintf(fields, sizeof(fields), "device=%s id=", self->dev);
	EXPECT_TRUE(traced("queue_open:", fields));
	EXPECT_TRUE(traced("queue_open:", "class=pool"));
	EXPECT_TRUE(traced("queue_start:", fields));
	EXPECT_TRUE(traced("queue_start:", "priority=0 result=0"));
	EXPECT_TRUE(traced("queue_stop:", "killed=0 result=0"));
	EXPECT_TRUE(traced("queue_close:", fields));
	snprintf(fields, sizeof(fields), "pci=%s command=0x0", self->parent);
	EXPECT_TRUE(traced("mailbox:", fields));
	trace_end();
}

/* Nothing waits for each of its queues on its own. */
TEST_F_TIMEOUT(nl, the_end_of_a_process_is_traced, 120)
{
	int status, fd;
	pid_t pid;

	ASSERT_EQ(NULL, trace_begin());
	pid = fork();
	if (!pid) {
		fd = uacce_open(self->dev);
		_exit(fd < 0 || uacce_set_qp_ctx(fd, 0) < 0 || uacce_start_q(fd));
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(0, status);
	EXPECT_TRUE(traced("queue_start:", "priority=0 result=0"));
	EXPECT_TRUE(traced("queue_stop:", "killed=0 result=0"));
	EXPECT_TRUE(traced("queue_close:", "device="));
	trace_end();
}

TEST_F_TIMEOUT(nl, refusals_and_sections_are_traced, 120)
{
	char fields[128];
	int fds[3];

	ASSERT_EQ(NULL, trace_begin());
	test_live("1");
	ASSERT_EQ(0, nlc_attach(self->c, SECTION, NULL, NULL, 0));
	for (int i = 0; i < 3; i++)
		fds[i] = uacce_open(self->dev);
	ASSERT_EQ(-EDQUOT, fds[2]);
	ASSERT_EQ(0, sec_set(SECTION, "live", "revoke"));
	snprintf(fields, sizeof(fields), "device=%s section=" SECTION " error=%d", self->dev, -EDQUOT);
	EXPECT_TRUE(traced("quota_refused:", fields));
	EXPECT_TRUE(traced("queue_open:", "class=slot"));
	snprintf(fields, sizeof(fields), "id=-1 class=pool pasid=4294967295 result=%d", -EDQUOT);
	EXPECT_TRUE(traced("queue_open:", fields));
	EXPECT_TRUE(traced("queue_stop:", "killed=1"));
	EXPECT_TRUE(traced("section_state:", "section=" SECTION " state=live attached=0"));
	EXPECT_TRUE(traced("section_state:", "section=" SECTION " state=draining attached=1"));
	EXPECT_TRUE(traced("section_state:", "section=" SECTION " state=configured attached=0"));
	close(fds[0]);
	close(fds[1]);
	trace_end();
}

TEST_HARNESS_MAIN
