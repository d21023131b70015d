/* SPDX-License-Identifier: Apache-2.0 */
/* The attributes of sections and devices: one row has all that the file, configfs and the plan need. */
#ifndef WDCTL_ATTR_H
#define WDCTL_ATTR_H

#include <stdbool.h>
#include <stddef.h>

enum object_kind {
	OBJECT_SECTION,
	OBJECT_DEVICE,
	OBJECT_TEMPLATE,	/* of a file: for sections of a scheduler's jobs; has a section's attributes */
};

#define OBJECT_KINDS (OBJECT_TEMPLATE + 1)

enum value_type {
	VALUE_NUMBER,
	VALUE_BOOL,
	VALUE_NODES,		/* 0=2+2 1=1+0 */
	VALUE_DEVICES,		/* hisi_zip-0 0000:75:00.0 */
	VALUE_UIDS,		/* 0,1000-1999 or * */
	VALUE_GIDS,
	VALUE_DOORBELLS,	/* kernel, exclusive or mapped */
	VALUE_MEMORY,		/* auto, sva or mediated */
};

/* In the order in which they are written. */
enum section_attr {
	SECTION_NUM_PROCESSES,
	SECTION_LIMIT_DEV_ACCESS,
	SECTION_SYNC_CTXS,
	SECTION_ASYNC_CTXS,
	SECTION_NODES,
	SECTION_DEVICES,
	SECTION_QUEUE_PRIORITY,
	SECTION_MAX_EXTRA_CTXS,
	SECTION_BANDWIDTH,
	SECTION_MAX_PINNED,
	SECTION_ALLOWED_UIDS,
	SECTION_ALLOWED_GIDS,
	SECTION_LIVE,
	SECTION_ATTRS,
};

enum device_attr {
	DEVICE_PRIORITY,
	DEVICE_ZONE_ID,
	DEVICE_MAX_CTXS,
	DEVICE_LATENCY,
	DEVICE_THROUGHPUT,
	DEVICE_DOORBELLS,
	DEVICE_MEMORY,
	DEVICE_ATTRS,
};

#define OBJECT_ATTRS_MAX SECTION_ATTRS

struct attr {
	const char *key;	/* in the file */
	const char *file;	/* in configfs */
	enum value_type type;
	long min, max;		/* of a number */
	const char *initial;	/* value in a new section, or of a new device; NULL: depends on the machine */
	const char *absent;	/* value if the file has none; NULL: leave it as it is */
	bool while_live;	/* may be written while the section is live */
};

/* Limits of names, values and lists. */
#define SECTION_NAME_MAX 31
#define OBJECT_NAME_MAX 79
#define VALUE_BYTES_MAX 4000
#define VALUE_LIST_MAX 128
#define VALUE_CTXS_MAX 1024
#define VALUE_NODE_MAX 1023

size_t attr_count(enum object_kind kind);
const struct attr *attr_get(enum object_kind kind, size_t i);
/* Finds an attribute by its key in the file, in upper or lower case. Return: index, or -1. */
int attr_find(enum object_kind kind, const char *key, size_t len);
/* "NumProcesses, LimitDevAccess, ...": for messages. */
const char *attr_keys(enum object_kind kind);
const char *object_kind_name(enum object_kind kind);

#endif
