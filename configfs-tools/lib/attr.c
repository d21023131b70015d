// SPDX-License-Identifier: Apache-2.0
/* The attributes of sections and devices: one row has all that the file, configfs and the plan need. */
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "attr.h"

static const struct attr section_attrs[] = {
	[SECTION_NUM_PROCESSES] = { "NumProcesses", "num_processes", VALUE_NUMBER, 1, 65535, "1", "1", true },
	[SECTION_LIMIT_DEV_ACCESS] = { "LimitDevAccess", "limit_dev_access", VALUE_BOOL, 0, 1, "0", "0", false },
	[SECTION_SYNC_CTXS] = { "SyncCtxs", "sync_ctxs", VALUE_NUMBER, 0, VALUE_CTXS_MAX, "1", "1", false },
	[SECTION_ASYNC_CTXS] = { "AsyncCtxs", "async_ctxs", VALUE_NUMBER, 0, VALUE_CTXS_MAX, "1", "1", false },
	[SECTION_NODES] = { "Nodes", "nodes", VALUE_NODES, 0, 0, "", "", false },
	[SECTION_DEVICES] = { "Devices", "devices", VALUE_DEVICES, 0, 0, "", "", false },
	[SECTION_QUEUE_PRIORITY] = { "QueuePriority", "queue_priority", VALUE_NUMBER, 0, 7, "0", "0", true },
	[SECTION_MAX_EXTRA_CTXS] = { "MaxExtraCtxs", "max_extra_ctxs", VALUE_NUMBER, 0, UINT32_MAX, "0", "0", true },
	[SECTION_BANDWIDTH] = { "Bandwidth", "bandwidth", VALUE_NUMBER, 0, 1000, "0", "0", false },
	[SECTION_MAX_PINNED] = { "MaxPinned", "max_pinned", VALUE_NUMBER, 0, 1 << 20, "0", "0", true },
	[SECTION_ALLOWED_UIDS] = { "AllowedUsers", "allowed_uids", VALUE_UIDS, 0, 0, "", "", true },
	[SECTION_ALLOWED_GIDS] = { "AllowedGroups", "allowed_gids", VALUE_GIDS, 0, 0, "", "", true },
	/* A section in a file is meant to be used: files in QAT's syntax have no Live. */
	[SECTION_LIVE] = { "Live", "live", VALUE_BOOL, 0, 1, "0", "1", true },
};

/* Any number is a valid priority: with one outside of -100..99 a device is never chosen. */
static const struct attr device_attrs[] = {
	[DEVICE_PRIORITY] = { "Priority", "priority", VALUE_NUMBER, -INT_MAX, INT_MAX, "0", NULL, true },
	[DEVICE_ZONE_ID] = { "Zone", "zone_id", VALUE_NUMBER, -1, VALUE_NODE_MAX, NULL, NULL, false },
	[DEVICE_MAX_CTXS] = { "MaxCtxsPerProcess", "max_ctxs_per_process", VALUE_NUMBER, 0, UINT32_MAX, "0", NULL,
			      true },
	[DEVICE_LATENCY] = { "Latency", "latency", VALUE_NUMBER, 0, 99, "10", NULL, true },
	[DEVICE_THROUGHPUT] = { "Throughput", "throughput", VALUE_NUMBER, 0, 99, "10", NULL, true },
	[DEVICE_DOORBELLS] = { "Doorbells", "doorbells", VALUE_DOORBELLS, 0, 0, "kernel", NULL, false },
	[DEVICE_MEMORY] = { "Memory", "memory", VALUE_MEMORY, 0, 0, "auto", NULL, true },
};

size_t attr_count(enum object_kind kind)
{
	return kind == OBJECT_DEVICE ? DEVICE_ATTRS : SECTION_ATTRS;
}

const struct attr *attr_get(enum object_kind kind, size_t i)
{
	return kind == OBJECT_DEVICE ? &device_attrs[i] : &section_attrs[i];
}

int attr_find(enum object_kind kind, const char *key, size_t len)
{
	size_t i;

	for (i = 0; i < attr_count(kind); i++) {
		const char *name = attr_get(kind, i)->key;

		if (strlen(name) == len && !strncasecmp(name, key, len))
			return i;
	}
	return -1;
}

const char *attr_keys(enum object_kind kind)
{
	if (kind == OBJECT_DEVICE)
		return "Priority, Zone, MaxCtxsPerProcess, Latency, Throughput, Doorbells, Memory";
	return "NumProcesses, LimitDevAccess, SyncCtxs, AsyncCtxs, Nodes, Devices, QueuePriority, "
	       "MaxExtraCtxs, Bandwidth, MaxPinned, AllowedUsers, AllowedGroups, Live";
}

const char *object_kind_name(enum object_kind kind)
{
	static const char *const names[] = {
		[OBJECT_SECTION] = "section",
		[OBJECT_DEVICE] = "device",
		[OBJECT_TEMPLATE] = "slurm",
	};

	return names[kind];
}
