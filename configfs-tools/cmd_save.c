// SPDX-License-Identifier: Apache-2.0
/* wdctl save: prints the kernel's sections and the devices' settings as a file for 'apply'. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "lib/json_config.h"
#include "lib/text_file.h"
#include "provision.h"

/* The file's old content, if it differs, stays beside it. Only a regular file can be replaced. */
static int keep_old(const char *path, const char *text, size_t len)
{
	struct stat st;
	size_t old_len;
	char *old;
	bool same;
	int ret;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	ret = text_file_read(path, &old, &old_len);
	if (ret)
		return ret;
	same = old_len == len && !memcmp(old, text, len);
	free(old);
	return same ? 0 : text_file_backup(path);
}

static int save_to(const char *path, const struct config *c)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f;
	int ret;

	f = open_memstream(&text, &len);
	if (!f)
		return -ENOMEM;
	config_print(f, c);
	ret = fclose(f) ? -ENOMEM : keep_old(path, text, len);
	if (!ret)
		ret = text_file_replace(path, text, len);
	free(text);
	return ret;
}

static enum wdctl_exit save_run(const struct wdctl_run *r)
{
	enum wdctl_exit result;
	struct provision p;
	int ret = 0;

	if (r->args_nr > 1 || (r->args_nr && r->json)) {
		wdctl_error("save", "%s", r->json ? "--json prints to standard output: expected no FILE" :
			    "expected at most one FILE");
		return EXIT_USAGE;
	}
	result = provision_open(&p, r, "save", false);
	if (result != EXIT_DONE)
		return result;
	if (r->json)
		result = provision_print_json("save", json_from_config(&p.kernel, true));
	else if (r->args_nr && strcmp(r->args[0], "-"))
		ret = save_to(r->args[0], &p.kernel);
	else
		config_print(stdout, &p.kernel);
	provision_close(&p);
	if (!ret)
		return result;
	wdctl_error("save", "%s: %s", r->args[0], strerror(-ret));
	return EXIT_FAILED;
}

const struct wdctl_cmd cmd_save = {
	.name = "save",
	.help = "print the sections and the devices' settings as a file for 'apply'",
	.args = "[FILE]",
	.kind = WDCTL_QUERY,
	.run = save_run,
};
