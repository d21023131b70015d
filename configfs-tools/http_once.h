/* SPDX-License-Identifier: Apache-2.0 */
/* One request of HTTP/1.1 on standard input, and its answer on standard output. */
#ifndef WDCTL_HTTP_ONCE_H
#define WDCTL_HTTP_ONCE_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_REQUEST_MAX 8192
#define HTTP_READ_MS 4000	/* for the request */
#define HTTP_ALL_S 5		/* then the process ends, whatever it waits for */

struct http_request {
	char text[HTTP_REQUEST_MAX + 1];
	size_t len;
	bool head;		/* HEAD: the answer has no body */
	bool open_metrics;	/* accepted by the client */
};

/**
 * http_begin() - start the clock: HTTP_ALL_S later the process ends with status 0, since a client that is slow is no
 * failure of the service.
 */
void http_begin(void);
/** http_read() - read and check the request. Return: 0, or the status of an answer such as 404. */
int http_read(struct http_request *r, const char *path);
/**
 * http_answer() - send the answer, and read on until the client closes: closing with input unread would reset the
 * connection before the client has the answer.
 */
void http_answer(const struct http_request *r, int status, const char *type, const char *body, size_t len);

#endif
