// SPDX-License-Identifier: Apache-2.0
/* wdctl metrics: prints the counts of devices and sections for Prometheus. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "http_once.h"
#include "lib/metrics.h"
#include "lib/text_file.h"

#define COMMAND "metrics"

/* Keys of options without a letter. */
enum { KEY_HTTP = 10, KEY_OPEN_METRICS };

/* Without the module there is a family that says so: a file that stays would show old numbers. */
static enum wdctl_exit collect(struct metrics *m)
{
	struct wd_nl family;
	int ret = wd_nl_open(&family, UACCE_GENL_NAME);

	memset(m, 0, sizeof(*m));
	if (ret == -ENOENT)
		return EXIT_DONE;
	if (ret) {
		wdctl_error(COMMAND, "netlink: %s", strerror(-ret));
		return EXIT_FAILED;
	}
	ret = metrics_read(&family, m);
	if (ret && !ask_torn(COMMAND, ret)) {
		ask_failed(COMMAND, NULL, &family, ret);
		metrics_free(m);
		wd_nl_close(&family);
		return EXIT_FAILED;
	}
	wd_nl_close(&family);
	return EXIT_DONE;
}

static int to_text(enum metrics_format format, char **text, size_t *len)
{
	struct metrics m;
	FILE *f;
	int ret = collect(&m) == EXIT_DONE ? 0 : -EIO;

	if (ret)
		return ret;
	f = open_memstream(text, len);
	if (f)
		metrics_print(f, &m, format);
	metrics_free(&m);
	if (f && !fclose(f))
		return 0;
	wdctl_error(COMMAND, "out of memory");
	return -ENOMEM;
}

static enum wdctl_exit to_file(const char *path)
{
	char *text = NULL;
	size_t len = 0;
	int ret;

	if (to_text(METRICS_TEXT, &text, &len)) {
		free(text);
		return EXIT_FAILED;
	}
	ret = text_file_replace(path, text, len);
	free(text);
	if (!ret)
		return EXIT_DONE;
	wdctl_error(COMMAND, "--output %s: %s", path, strerror(-ret));
	return EXIT_FAILED;
}

static enum wdctl_exit to_client(void)
{
	static const char *const plain = "text/plain; charset=utf-8";
	enum metrics_format format;
	struct http_request r;
	char *text = NULL;
	size_t len = 0;
	int status;

	http_begin();
	status = http_read(&r, "/metrics");
	if (status) {
		http_answer(&r, status, plain, "expected GET /metrics\n", strlen("expected GET /metrics\n"));
		return EXIT_DONE;
	}
	format = r.open_metrics ? METRICS_OPEN : METRICS_TEXT;
	if (to_text(format, &text, &len))
		http_answer(&r, 500, plain, "see the log\n", strlen("see the log\n"));
	else
		http_answer(&r, 200, metrics_type(format), text, len);
	free(text);
	return EXIT_DONE;
}

static enum wdctl_exit to_stdout(enum metrics_format format)
{
	char *text = NULL;
	size_t len = 0;
	int ret = to_text(format, &text, &len);

	if (!ret)
		fwrite(text, 1, len, stdout);
	free(text);
	return ret ? EXIT_FAILED : EXIT_DONE;
}

static enum wdctl_exit metrics_run(const struct wdctl_run *r)
{
	if (!!r->opt['o'] + !!r->opt[KEY_HTTP] + !!r->opt[KEY_OPEN_METRICS] > 1) {
		wdctl_error(COMMAND, "expected one of --output, --http and --openmetrics");
		return EXIT_USAGE;
	}
	if (r->opt['o'] && !r->opt['o'][0]) {
		wdctl_error(COMMAND, "--output: expected the path of a file");
		return EXIT_USAGE;
	}
	if (r->opt['o'])
		return to_file(r->opt['o']);
	if (r->opt[KEY_HTTP])
		return to_client();
	return to_stdout(r->opt[KEY_OPEN_METRICS] ? METRICS_OPEN : METRICS_TEXT);
}

static const struct wdctl_option metrics_options[] = {
	{ 'o', "output", "FILE", "replace FILE at once, for node exporter's textfile collector" },
	{ KEY_HTTP, "http", NULL, "answer one HTTP request on standard input" },
	{ KEY_OPEN_METRICS, "openmetrics", NULL, "print OpenMetrics 1.0 instead of the text format 0.0.4" },
	{ 0 },
};

const struct wdctl_cmd cmd_metrics = {
	.name = COMMAND,
	.help = "print the counts of devices and sections for Prometheus",
	.options = metrics_options,
	.run = metrics_run,
};
