// SPDX-License-Identifier: Apache-2.0
/* Messages of commands that ask the kernel by netlink, for when it doesn't answer. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"

#define SECONDS_MAX 86400

static bool is_foreign(void)
{
	struct device_list list;
	bool foreign = false;
	struct root root;

	if (root_open(&root, NULL))
		return false;
	if (!device_list_read(&root, &list)) {
		foreign = device_list_foreign(&list);
		device_list_free(&list);
	}
	root_close(&root);
	return foreign;
}

enum wdctl_exit ask_open(const char *command, struct wd_nl *f)
{
	int ret = wd_nl_open(f, UACCE_GENL_NAME);

	if (!ret)
		return EXIT_DONE;
	if (ret == -ENOENT && is_foreign())
		wdctl_error(command, "this is another uacce than WarpDrive's, which tells nothing by netlink; "
			    "'wdctl doctor' says what differs, 'wdctl unload --dry-run' who has its queues open");
	else if (ret == -ENOENT)
		wdctl_error(command, "this kernel has no netlink family '%s', so it has no sections; "
			    "run 'wdctl doctor' for the cause", UACCE_GENL_NAME);
	else
		wdctl_error(command, "netlink: %s", strerror(-ret));
	return EXIT_FAILED;
}

void ask_failed(const char *command, const char *what, const struct wd_nl *f, int error)
{
	wdctl_error(command, "%s%s%s", what ? what : "", what ? ": " : "", f->why[0] ? f->why : strerror(-error));
}

bool ask_torn(const char *command, int ret)
{
	if (ret == -EINTR)
		wdctl_error(command, "note: the list changed while it was read, and may be incomplete");
	return ret == -EINTR;
}

bool ask_number(const char *command, const char *option, const char *text, unsigned long max, unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(text, &end, 10);
	if (isdigit((unsigned char)text[0]) && !*end && !errno && *number <= max)
		return true;
	wdctl_error(command, "--%s %s: expected a number from 0 to %lu", option, text, max);
	return false;
}

bool ask_seconds(const char *command, const char *option, const char *text, long *ms)
{
	double seconds;
	char *end;

	seconds = strtod(text, &end);
	if (isdigit((unsigned char)text[0]) && !*end && seconds * 1000 >= 1 && seconds <= SECONDS_MAX) {
		*ms = (long)(seconds * 1000);
		return true;
	}
	wdctl_error(command, "--%s %s: expected seconds from 0.001 to %d", option, text, SECONDS_MAX);
	return false;
}

void ask_counts(const struct root *root, struct device_list *list, bool requests)
{
	struct fact_devices facts;
	struct wd_nl family;
	int ret;

	if (root_is_fake(root) || wd_nl_open(&family, UACCE_GENL_NAME))
		return;
	if (requests)
		facts_count_requests(&family);
	ret = facts_devices(&family, &facts);
	if (!ret || ret == -EINTR) {
		device_list_take_counts(list, &facts);
		fact_devices_free(&facts);
	}
	wd_nl_close(&family);
}
