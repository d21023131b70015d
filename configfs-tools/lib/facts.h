/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that the kernel reports about devices, sections and contexts, and requests for them. */
#ifndef WDCTL_FACTS_H
#define WDCTL_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/netlink.h"

#define FACT_NAME_MAX 80
#define FACT_COMM_MAX 64	/* escaped */

/* Calls of open(). */
struct fact_opens {
	uint64_t done, refused, full;	/* full: of the refused, those for lack of contexts */
};

/* A count of the device's own, modulo 2^32 unless it is of requests completed on contexts. */
struct fact_count {
	bool known;
	uint64_t n;
};

struct fact_device {
	char name[FACT_NAME_MAX];
	char parent[FACT_NAME_MAX];
	char api[FACT_NAME_MAX];
	uint32_t flags, state;		/* enum uacce_nl_dev_flags, uacce_nl_dev_state */
	int node, priority;
	uint32_t latency, throughput, max_ctxs;
	struct fact_count doorbells;	/* enum uacce_nl_doorbells */
	uint32_t total, reserved, used, used_pool, free, quarantined;
	uint32_t resets, ctx_errors;
	struct fact_opens opens;
	struct fact_count requests, request_errors, bytes_in, bytes_out, busy_cycles;
	struct fact_count function_requests;
	struct fact_count wrong_results;	/* that processes have found and reported, here and below */
	uint64_t config_seq, event_seq;
	struct fact_count events_lost;	/* of all devices together */
};

struct fact_member {
	char name[FACT_NAME_MAX];
	char dev[FACT_NAME_MAX];	/* "": not present */
	uint32_t sync, async, reserved;
	struct fact_count endpoint;	/* with limit_dev_access */
	bool pending;
};

struct fact_section {
	char name[FACT_NAME_MAX];
	uint32_t state;			/* enum uacce_nl_section_state */
	uint32_t num_processes, limit_dev_access, sync, async, priority, max_extra, bandwidth, max_pinned;
	uint32_t slots, attached, lingering, waiting;
	struct fact_count open_ctxs, extra_ctxs;	/* of its slots; of their processes, beyond these */
	struct fact_opens opens;
	struct fact_count requests, wrong_results;
	char *nodes, *uids, *gids, *reason;
	struct fact_member *member;
	size_t members;
};

struct fact_ctx {
	char dev[FACT_NAME_MAX];
	char section[FACT_NAME_MAX], slot[FACT_NAME_MAX];	/* "": none */
	char comm[FACT_COMM_MAX];	/* escaped: the process chose it */
	bool has_id;			/* false while the context is being opened */
	uint32_t id, pid;		/* pid 0: ended, or not visible in this PID namespace */
	bool passed;			/* pid has the file from the process that opened it (holder_ctxs()) */
	uint32_t class, state;		/* enum uacce_nl_ctx_class, uacce_nl_ctx_state */
	uint64_t age_ms;
	uint32_t errors;
	struct fact_count requests, wrong_results;
	int node;
};

struct fact_devices {
	struct fact_device *item;
	size_t count;
};

struct fact_sections {
	struct fact_section *item;
	size_t count;
};

struct fact_ctxs {
	struct fact_ctx *item;
	size_t count;
};

/** fact_*_parse() - parse a message; a missing attribute becomes 0, "" or -1 (nodes). Return: 0 or -ENOMEM. */
void fact_device_parse(struct fact_device *d, const struct wd_nl_message *m);
int fact_section_parse(struct fact_section *s, const struct wd_nl_message *m);
void fact_ctx_parse(struct fact_ctx *c, const struct wd_nl_message *m);
void fact_section_fini(struct fact_section *s);

/**
 * facts_*() - read all; the request is repeated while they change. Sections are in the order of their names, the others
 * in the kernel's order. Return: 0; -EINTR if they changed each time: there is a list, but items may be missing; other
 * -errno: no list.
 */
int facts_devices(struct wd_nl *f, struct fact_devices *l);
int facts_sections(struct wd_nl *f, struct fact_sections *l);
int facts_ctxs(struct wd_nl *f, struct fact_ctxs *l);
void fact_devices_free(struct fact_devices *l);
void fact_sections_free(struct fact_sections *l);
void fact_ctxs_free(struct fact_ctxs *l);

/**
 * facts_count_requests() - make the kernel ask the devices for the requests of open contexts, as a dump of contexts
 * does; devices and sections have what was counted last. Return: see facts_ctxs().
 */
int facts_count_requests(struct wd_nl *f);

/** facts_section() - read one section. Return: 0, -ENOENT, other -errno. */
int facts_section(struct wd_nl *f, const char *name, struct fact_section *s);

/** fact_device_find() - find a device by its name or its parent's; NULL: there is none. */
const struct fact_device *fact_device_find(const struct fact_devices *l, const char *name);
const struct fact_section *fact_section_find(const struct fact_sections *l, const char *name);

/* Names of the numbers; "unknown" for those of a newer kernel. */
const char *fact_device_state_name(uint32_t state);
const char *fact_section_state_name(uint32_t state);
/** fact_section_state() - the same; "absent" for a live section without any of its devices, "partial" without some. */
const char *fact_section_state(const struct fact_section *s);
/** fact_section_pending() - the number of its devices that give it no share. */
size_t fact_section_pending(const struct fact_section *s);
const char *fact_ctx_class_name(uint32_t class);
const char *fact_ctx_state_name(uint32_t state);
const char *fact_doorbells_name(const struct fact_count *doorbells);	/* "": not reported */

#define FACT_AGE_SIZE 24
/** fact_age() - "7s", "3m05s", "2h10m", "5d03h". Return: @buf. */
const char *fact_age(char buf[FACT_AGE_SIZE], uint64_t ms);

/** fact_order() - compare names in natural order: device 10 comes after 9. */
int fact_order(const char *a, const char *b);

#endif
