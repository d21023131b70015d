/* SPDX-License-Identifier: Apache-2.0 */
/* Sections as in the kernel, for programs on emulated devices: owners of slots, and contexts charged to slots. */
#ifndef EMULATE_SECTIONS_H
#define EMULATE_SECTIONS_H

#include <stdbool.h>
#include <sys/types.h>
#include "config.h"
#include "devices.h"
#include "endpoints.h"

#define SECTIONS_MAX	16
#define SLOTS_MAX	64	/* of a section */
#define CHARGES_MAX	4096

struct slot {
	int endpoint;		/* whose devices it has */
	int index;
	pid_t owner;		/* 0: no process is attached */
	int pidfd;
	int conn;		/* the attachment's socket */
	pid_t charged;		/* the process whose contexts are charged to it */
	unsigned int used[DEVICES_MAX];		/* by position of the device */
};

struct waiter {
	struct section *section;
	pid_t pid;
	uid_t uid;
	int conn;
	unsigned int seq;
	unsigned long long until;	/* ns */
};

struct id_range {
	unsigned int first, last;
};

/* Users or groups. */
struct section_ids {
	bool all;
	unsigned int nr;
	struct id_range range[VALUE_LIST_MAX];
};

struct section {
	char name[SECTION_NAME_MAX + 1];
	unsigned int num_processes, limit, sync, async, priority, max_extra;
	struct {
		int node;
		unsigned int sync, async;
	} nodes[DEVICES_MAX];
	unsigned int nr_nodes;
	unsigned int device[DEVICES_MAX];	/* numbers, in order */
	struct endpoint_device place[DEVICES_MAX];	/* in the same order */
	unsigned int nr_devices;
	struct section_ids uids, gids;
	enum section_state state;
	struct slot slot[SLOTS_MAX];
	unsigned int nr_slots;
};

struct charge {
	pid_t pid;
	int conn;
	unsigned int device;
	struct slot *slot;	/* NULL: the pool */
	struct section *section;
	bool extra;
};

/* The devices, as far as sections need them. */
struct sections_devices {
	unsigned int nr, queues;
	int node[DEVICES_MAX];
};

extern struct section sections[SECTIONS_MAX];
extern unsigned int nr_sections;

/* sections_parse.c */
/* Read the file ("-": standard input); 0, or -1 after messages that name file and line. */
int sections_read(const char *path);

/* sections.c */
/* Take the sections live: 0, or -1 after a message. */
int sections_begin(const struct sections_devices *devices);
struct section *section_find(const char *name);
void section_share(const struct section *s, unsigned int position, unsigned int *sync, unsigned int *async);
/* From now on, available_instances of the devices below @root shows the counts. */
void sections_show(const char *root);
int device_node(unsigned int device);
void slot_name(const struct section *s, const struct slot *slot, char name[64]);
bool slot_has(const struct section *s, const struct slot *slot, unsigned int position);
struct slot *attachment_of(pid_t pid, struct section **s);
/* Return: 0 and *slot (NULL: none is free), or -errno and *why. */
int attach(const char *name, const char *want, pid_t pid, uid_t uid, int conn, struct section **s, struct slot **slot,
	   const char **why);
struct slot *slot_take(struct section *s, const char *want, pid_t pid, int conn);
void slot_leave(struct section *s, struct slot *slot);
unsigned int slots_attached(const struct section *s);
unsigned int slots_lingering(const struct section *s);
int charge_open(unsigned int device, pid_t pid, int conn);
void charge_close(int charge);
/* Contexts that the process can still open, from its slot or the pool: the kernel's available_instances. */
int charges_left(unsigned int device, pid_t pid);
/* The connection has ended. */
void conn_gone(int conn);
int section_control(const char *name, const char *command);

#endif
