// SPDX-License-Identifier: Apache-2.0
/* One request of HTTP/1.1 on standard input, and its answer on standard output. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "http_once.h"

static void out_of_time(int signal)
{
	(void)signal;
	_exit(0);
}

void http_begin(void)
{
	signal(SIGALRM, out_of_time);
	/* A client that has gone is no failure either. */
	signal(SIGPIPE, SIG_IGN);
	alarm(HTTP_ALL_S);
}

static long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

/* Return: bytes; 0: the end; -1: an error, or out of time. */
static ssize_t read_some(char *buf, size_t room, long deadline)
{
	struct pollfd in = { STDIN_FILENO, POLLIN, 0 };
	long left = deadline - now_ms();
	ssize_t got;

	if (left <= 0 || poll(&in, 1, (int)left) <= 0)
		return -1;
	do
		got = read(STDIN_FILENO, buf, room);
	while (got < 0 && errno == EINTR);
	return got;
}

static bool is_complete(const char *text)
{
	return strstr(text, "\r\n\r\n") || strstr(text, "\n\n");
}

/* Return: 0, or the status that refuses what has come. */
static int read_head(struct http_request *r)
{
	long deadline = now_ms() + HTTP_READ_MS;
	ssize_t got;

	while (!is_complete(r->text)) {
		if (r->len == HTTP_REQUEST_MAX)
			return 431;
		got = read_some(r->text + r->len, HTTP_REQUEST_MAX - r->len, deadline);
		if (got <= 0)
			return got < 0 ? 408 : 400;
		r->len += got;
		r->text[r->len] = '\0';
		/* What is behind a NUL would be invisible to the functions below. */
		if (strlen(r->text) != r->len)
			return 400;
	}
	return 0;
}

static void read_accept(struct http_request *r)
{
	const char *line = r->text;

	while ((line = strchr(line, '\n'))) {
		line++;
		if (!strncasecmp(line, "accept:", 7) &&
		    memmem(line, strcspn(line, "\n"), "application/openmetrics-text",
			   strlen("application/openmetrics-text")))
			r->open_metrics = true;
	}
}

static bool is_path(const char *target, const char *path)
{
	size_t len = strlen(path);

	return !strncmp(target, path, len) && (target[len] == ' ' || target[len] == '?');
}

int http_read(struct http_request *r, const char *path)
{
	const char *target;
	int status;

	memset(r, 0, sizeof(*r));
	status = read_head(r);
	if (status)
		return status;
	target = strchr(r->text, ' ');
	if (!target || (size_t)(target - r->text) > strcspn(r->text, "\r\n"))
		return 400;
	r->head = !strncmp(r->text, "HEAD ", 5);
	if (!r->head && strncmp(r->text, "GET ", 4))
		return 405;
	read_accept(r);
	return is_path(target + 1, path) ? 0 : 404;
}

static const char *reason(int status)
{
	switch (status) {
	case 200:
		return "OK";
	case 400:
		return "Bad Request";
	case 404:
		return "Not Found";
	case 405:
		return "Method Not Allowed";
	case 408:
		return "Request Timeout";
	case 431:
		return "Request Header Fields Too Large";
	}
	return "Internal Server Error";
}

static void drain(void)
{
	long deadline = now_ms() + HTTP_ALL_S * 1000L;
	char rest[4096];

	/* Standard output of a test is a pipe, which has no such direction. */
	if (shutdown(STDOUT_FILENO, SHUT_WR))
		return;
	while (read_some(rest, sizeof(rest), deadline) > 0)
		;
}

void http_answer(const struct http_request *r, int status, const char *type, const char *body, size_t len)
{
	printf("HTTP/1.1 %d %s\r\n", status, reason(status));
	printf("Content-Type: %s\r\nContent-Length: %zu\r\n", type, len);
	if (status == 405)
		printf("Allow: GET, HEAD\r\n");
	printf("Connection: close\r\n\r\n");
	if (!r->head)
		fwrite(body, 1, len, stdout);
	if (!fflush(stdout))
		drain();
	/* What a client that has gone did not take is no error of this command. */
	__fpurge(stdout);
	clearerr(stdout);
}
