// SPDX-License-Identifier: Apache-2.0
/*
 * Contexts of programs: tokens with a device. A session opens the queues that it needs, so a program that requests a
 * thousand contexts, as some do, takes none from others.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "own.h"
#include "uadk/wd.h"

struct token {
	struct uacce_dev dev;
	char *name;
	void *priv;
};

static struct token *token_of(handle_t h_ctx)
{
	return (struct token *)h_ctx;
}

handle_t wd_request_ctx(struct uacce_dev *dev)
{
	struct token *t;
	int ret;

	if (!dev) {
		errno = WD_EINVAL;
		return 0;
	}
	/* The path is the caller's, and may be of any file. */
	ret = own_ctx_get_avail_ctx(dev->char_dev_path);
	if (ret < 0) {
		errno = ret == -ENOENT ? WD_ENODEV : -ret;
		return 0;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		return 0;
	t->dev = *dev;
	t->name = own_get_accel_name(dev->char_dev_path, 0);
	if (!t->name) {
		free(t);
		return 0;
	}
	return (handle_t)t;
}

void wd_release_ctx(handle_t h_ctx)
{
	struct token *t = token_of(h_ctx);

	if (t)
		free(t->name);
	free(t);
}

int wd_ctx_set_priv(handle_t h_ctx, void *priv)
{
	if (!h_ctx)
		return -WD_EINVAL;
	token_of(h_ctx)->priv = priv;
	return 0;
}

void *wd_ctx_get_priv(handle_t h_ctx)
{
	return h_ctx ? token_of(h_ctx)->priv : NULL;
}

char *wd_ctx_get_api(handle_t h_ctx)
{
	return h_ctx ? token_of(h_ctx)->dev.api : NULL;
}

char *wd_ctx_get_dev_name(handle_t h_ctx)
{
	return h_ctx ? token_of(h_ctx)->name : NULL;
}

int wd_get_numa_id(handle_t h_ctx)
{
	return h_ctx ? token_of(h_ctx)->dev.numa_id : -WD_EINVAL;
}

int wd_is_sva(handle_t h_ctx)
{
	return h_ctx ? !!(token_of(h_ctx)->dev.flags & UACCE_DEV_SVA) : -WD_EINVAL;
}

unsigned long wd_ctx_get_region_size(handle_t h_ctx, enum uacce_qfrt qfrt)
{
	return h_ctx && (unsigned int)qfrt < UACCE_QFRT_MAX ? token_of(h_ctx)->dev.qfrs_offs[qfrt] : 0;
}

int wd_ctx_start(handle_t h_ctx)
{
	(void)h_ctx;
	UADK_REFUSE();
	return -WD_EINVAL;
}

int wd_release_ctx_force(handle_t h_ctx)
{
	(void)h_ctx;
	UADK_REFUSE();
	return -WD_EINVAL;
}

int wd_ctx_wait(handle_t h_ctx, __u16 ms)
{
	(void)h_ctx;
	(void)ms;
	UADK_REFUSE();
	return -WD_EINVAL;
}

void *wd_ctx_mmap_qfr(handle_t h_ctx, enum uacce_qfrt qfrt)
{
	(void)h_ctx;
	(void)qfrt;
	UADK_REFUSE();
	return NULL;
}

void wd_ctx_unmap_qfr(handle_t h_ctx, enum uacce_qfrt qfrt)
{
	(void)h_ctx;
	(void)qfrt;
	UADK_REFUSE();
}

int wd_ctx_set_io_cmd(handle_t h_ctx, unsigned long cmd, void *arg)
{
	(void)h_ctx;
	(void)cmd;
	(void)arg;
	UADK_REFUSE();
	return -WD_EINVAL;
}
