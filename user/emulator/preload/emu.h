/* SPDX-License-Identifier: Apache-2.0 */
/* The emulator: model devices inside a process, and the libc calls that reach them. */
#ifndef EMU_H
#define EMU_H

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <misc/uacce/uacce.h>
#include "generation.h"
#include "mapping.h"
#include "model.h"
#include "hw/qm_hw.h"

#define EMU_DEVICES_MAX		16
#define EMU_WORKERS_MAX		8
#define EMU_FDS			65536
#define EMU_CLASS		"/sys/class/uacce"

struct emu_reg {
	unsigned int reg, value;
};

/**
 * struct emu_kind - what differs between kinds of device
 * @name: the kernel's driver
 * @type: the model's type
 * @qc_types: number of a queue's possible types, by generation
 * @sqe_shift: log2 of a descriptor's bytes
 * @start: writes to its registers at the start, by generation; ended by register 0
 * @sva: of a generation without a bit in the queues' contexts: further ones, if it has shared virtual addressing
 * @engine, @no_engine: the engine that computes, and the one that doesn't
 * @ws_alloc, @ws_free: allocate and free a worker's memory for the engine
 */
struct emu_kind {
	const char *name;
	enum wdm_type type;
	unsigned int qc_types[WDM_GENERATIONS];
	unsigned int sqe_shift;
	const struct emu_reg *start[WDM_GENERATIONS];
	const struct emu_reg *sva[WDM_GENERATIONS];
	const struct wdm_engine_ops *engine;
	const struct wdm_engine_ops *no_engine;
	void *(*ws_alloc)(void);
	void (*ws_free)(void *ws);
};

struct emu_config {
	bool on;
	unsigned int devices;
	unsigned int queues;
	unsigned int workers;
	unsigned int mbps;
	unsigned long long latency_ns;
	unsigned int depth;	/* of both rings of a queue */
	bool nodes;		/* the tree has NUMA nodes of its own */
	bool null;		/* rings complete in advance, no engine and no threads */
	bool no_engine;		/* requests are accepted and answered, nothing is computed */
	bool trap;		/* doorbells fault, so that the device sees each of them */
	bool mainline_poll;	/* as in mainline's uacce: poll doesn't remember events since the last poll */
	char sections[64];	/* address of wd-emulate's service for sections; "": there are no sections */
	char root[256];		/* folder of the sysfs tree and the device nodes */
};

/* State of a queue's event for poll(). */
enum emu_event {
	EMU_EVENT_NONE,
	EMU_EVENT_SEEN,		/* one check has found it */
	EMU_EVENT_NEW,
};

enum emu_state {
	EMU_INIT,
	EMU_STARTED,
	EMU_ZOMBIE,
};

#define EMU_REGIONS	(UACCE_QFRT_DEVICE_CQ + 1)

struct emu_mediated;

/* Locks: device->lock, then queue->poll_lock or mapped_lock. None is held while a client sleeps. */
struct emu_queue {
	struct emu_device *dev;
	unsigned int id;
	atomic_uint refs;	/* descriptors of the process */
	atomic_bool foreign;	/* inherited over a fork, and owned by the parent */
	atomic_bool dead;	/* taken back from its user */
	enum emu_state state;	/* device->lock */
	unsigned short qc_type;
	int event_fd;
	int mem_fd;		/* window, DUS, the completion ring of a mediated queue's device */
	unsigned char *dus;
	unsigned char *device_cq;	/* NULL: the queue isn't mediated */
	struct emu_mediated *mediated;	/* device->lock; while it is started */
	atomic_uint published;	/* completions of a mediated queue */
	bool mapped[EMU_REGIONS];	/* region.c's lock */
	int charge;		/* wd-emulate's number for its charge */
	pthread_mutex_t poll_lock;
	unsigned int poll_head;	/* completions that poll() has seen */
	atomic_int event;	/* enum emu_event */
	/* null.c; poll_lock */
	unsigned int null_head;	/* completions known to be consumed, and renewed */
	unsigned int null_tail;	/* submissions known */
	bool null_missed;	/* the last check found no CQ doorbell */
	bool null_guessed;	/* more than null_head may have been consumed */
	unsigned long long null_bell;	/* doorbell at the last check */
};

enum emu_release {
	EMU_RELEASE_NEVER,
	EMU_RELEASE_AT_LOOK,
	EMU_RELEASE_AT_SLEEP,
};

struct emu_runner {
	struct emu_device *dev;
	struct wdm_scratch *scratch;
	void *engine_ws;
};

/**
 * struct emu_mapping - memory that a device without shared virtual addressing reaches
 * @piece: where; its start is 0 while it isn't open
 * @user: the program's memory
 * @joins: its addresses follow those of the mapping before it
 * @freed: memory that is freed with it
 * @next: in its owner's list
 */
struct emu_mapping {
	struct wdm_piece piece;
	bool user;
	bool joins;
	void *freed;
	struct emu_mapping *next;
};

struct emu_device {
	const struct emu_kind *kind;
	unsigned int generation;
	bool mediated;		/* it has no shared virtual addressing */
	bool iommu;		/* which makes one range of scattered pages */
	unsigned int index;
	char name[32];
	pthread_mutex_t lock;
	pthread_cond_t kick;	/* for the control thread and threads that wait for the mailbox */
	pthread_cond_t work;	/* for the workers */
	atomic_uint callers;	/* threads that want the lock; the control thread yields to them */
	atomic_uint started;	/* number of its threads that run */
	bool up;
	bool gone;		/* removed */
	bool resetting;		/* refuses new queues */
	unsigned int faulted;	/* bits by enum wdm_fault: what the control thread has to do */
	bool held;		/* stopped by a test */
	atomic_uint release_at;	/* enum emu_release: when it continues */
	bool mailbox_busy;	/* a client is in the driver, where it may sleep without the lock */
	unsigned int nr_queues;
	unsigned int nr_open;
	struct emu_queue **queues;
	struct wdm_device *model;
	struct wdm_env env;
	unsigned char *bar2;
	int bar2_fd;		/* without isolated doorbells: users map its doorbell page */
	unsigned char *bar4;
	unsigned char *rings;
	pthread_mutex_t mapped_lock;
	struct wdm_map mapped;
	u64 rings_at;		/* for the device */
	unsigned int eq_head, aeq_head;
	struct wdm_job *todo, **todo_last;
	struct wdm_job *done;
	unsigned int running;
	struct wdm_stats counted;	/* by counts.c */
	_Atomic unsigned int wrong;	/* results that this process has reported to be wrong */
	_Atomic unsigned int outside;	/* accesses to memory that isn't mapped for them */
	struct emu_runner runners[EMU_WORKERS_MAX];
};

/* config.c */
const struct emu_config *emu_config(void);
struct emu_device *emu_device_find(const char *path);
struct emu_device *emu_device_at(unsigned int index);
void emu_config_after_fork(void);
void emu_config_mainline_poll(bool on);
/* Entries of a submission ring, and of a completion ring. */
unsigned int emu_depth(void);

/* device.c takes and releases a device's lock; all other functions expect it held */
void emu_device_enter(struct emu_device *dev);
void emu_device_leave(struct emu_device *dev);
int emu_device_up(struct emu_device *dev);
void emu_device_turn(struct emu_device *dev, struct wdm_look *look);
unsigned long long emu_now(void);
void emu_wait_until(struct emu_device *dev, unsigned long long ns);

/* last.c */
/* A thread that takes no signal of the program, runs until exit, and doesn't keep a process from ending. */
int emu_thread_start(void *(*fn)(void *), void *arg);
/* In the process' first thread; the second in that of a fork's child. */
void emu_threads_begin(void);
void emu_threads_after_fork(void);

/* counts.c */
void emu_counts_map(const char *root);
void emu_counts_add(struct emu_device *dev);
void emu_counts_wrong(struct emu_device *dev);
void emu_counts_outside(struct emu_device *dev);

/* driver.c: what the kernel's driver does, with the device's lock held, between begin and end */
void emu_driver_begin(struct emu_device *dev);
void emu_driver_end(struct emu_device *dev);
int emu_driver_init(struct emu_device *dev);
int emu_driver_start(struct emu_queue *q);
int emu_driver_stop(struct emu_queue *q);
void emu_driver_irq(struct emu_device *dev, unsigned int vector);
/* Of a mediated queue, and without the lock: its calls, and poll(), which is going to check it. */
int emu_driver_doorbell(struct emu_queue *q, const void *arg);
int emu_driver_limits(const struct emu_queue *q, void *arg);
void emu_driver_look(struct emu_queue *q);
/* The device has let go of the queue, if there is one. */
void emu_driver_let_go(struct emu_queue *q);

/* faults.c: faults of wd-emulate and of tests; accesses to payload go through it */
bool emu_faults_word(const char *word, const char *value);
int emu_faults_up(struct emu_device *dev);
int emu_faults_change(struct emu_device *dev, const char *text);
unsigned long long emu_faults_pages(void);
void emu_faults_after_fork(void);
/* Deadline of a driver call: short if a call is going to hang. */
unsigned long long emu_faults_patience(unsigned long long otherwise);
int emu_payload_read(unsigned long long addr, void *buf, unsigned int len);
int emu_payload_write(unsigned long long addr, const void *buf, unsigned int len);

/* mapped.c: what a device without shared virtual addressing reaches */
void emu_mapped_init(struct emu_device *dev, u64 seed);
/* Addresses that nothing else has; 0: none are left. */
u64 emu_mapped_place(struct emu_device *dev, u64 len);
/* NULL: no memory. */
struct emu_mapping *emu_mapping_new(void *mem, u64 len, bool user);
void emu_mapping_open(struct emu_device *dev, struct emu_mapping *w, u64 at, u32 rights);
/* An open mapping of the emulator's memory: of given memory, or of new, zeroed one. NULL: no memory. */
struct emu_mapping *emu_mapping_on(struct emu_device *dev, void *mem, u64 len, u32 rights);
struct emu_mapping *emu_mapping_own(struct emu_device *dev, u64 len, u32 rights);
/* Closes and frees the mapping and those behind it. */
void emu_mapping_close(struct emu_device *dev, struct emu_mapping *first);
/*
 * What a device finds at an address, and how much of *len, at most; whether that is the program's memory. NULL: nothing
 * that it may access so, which is reported.
 */
unsigned char *emu_mapped_reach(struct emu_device *dev, u64 addr, u32 rights, u64 *len, bool *user);

/* control.c */
/* Waits until a test lets the device continue. */
void emu_control_wait(struct emu_device *dev);
/* poll() is going to check a queue of the device, and to sleep if it isn't ready; called without locks. */
void emu_control_look(struct emu_device *dev, bool sleeps_then);
/* poll() is going to sleep on queues; its timeout has expired. */
void emu_control_sleeps(void);
void emu_control_timeout(void);
/* Takes all queues of all devices from their users; the devices stay. */
void emu_control_revoke(void);
/* Inside the driver: drop all, kill all open queues. */
int emu_control_reset(struct emu_device *dev);
/* On the control thread: does what a kernel would do about faults of the whole device. */
void emu_control_fault(struct emu_device *dev);

/* netlink.c */
/* Asks for an open of the device. Return: 0 without sections, a charge, or -errno. */
bool emu_sections_there(void);
int emu_sections_charge(unsigned int device);
void emu_sections_uncharge(int charge);
/* With sections: the device whose available_instances this path is, in any folder, or NULL. */
struct emu_device *emu_available_of(const char *path);
/* Return: a descriptor of a file with its number, or -1 and errno. */
int emu_available_open(struct emu_device *dev, int flags);
void emu_sections_after_fork(void);

/* queue.c */
size_t emu_dus_size(const struct emu_device *dev);
/* Bytes that a user maps to ring, and of these the bytes in front of the page that all queues share. */
size_t emu_window_bytes(const struct emu_device *dev);
size_t emu_window_own(const struct emu_device *dev);
/* A file for memory that is mapped several times, or -1. */
int emu_shared_memory(size_t bytes);
void *emu_shared_map(void *at, size_t len, int fd, off_t offset);
/* Bytes of a submission ring; the completion ring follows it. */
size_t emu_sq_size(const struct emu_device *dev);
size_t emu_cq_size(void);
/* Where a region is in the queue's file, and how long it is. */
size_t emu_region_at(const struct emu_device *dev, unsigned int type);
size_t emu_region_bytes(const struct emu_device *dev, unsigned int type);
int emu_queue_open(struct emu_device *dev, int flags);
void emu_queue_get(struct emu_queue *q);
/* The device's view of the registers that the queue's owner maps */
unsigned char *emu_queue_window(const struct emu_queue *q);
void emu_queue_put(struct emu_queue *q);
int emu_queue_ioctl(struct emu_queue *q, unsigned long cmd, void *arg);
bool emu_queue_ready(struct emu_queue *q, bool waits);
#define EMU_READY		(POLLIN | POLLRDNORM)
/* Nothing wakes a sleeper on a null queue when another thread submits, so the sleeper polls this often. */
#define EMU_NULL_SLICE_NS	1000000ull
short emu_queue_revents(struct emu_queue *q, short events, bool waits);
/* An event for sleepers; _nudge: makes them look only. */
void emu_queue_wake(struct emu_queue *q);
void emu_queue_nudge(const struct emu_queue *q);

/* null.c */
void emu_null_start(struct emu_queue *q);
bool emu_null_look(struct emu_queue *q);

/* region.c */
void *emu_region_map(struct emu_queue *q, int access, void *addr, size_t len, int prot, int flags, off_t offset);
/* 1: handled, *ret is munmap's result; 0: not ours */
int emu_region_unmap(void *addr, size_t len, int *ret);
bool emu_region_covers(const void *addr, size_t len);
/* Would a call on that range split a region? */
bool emu_region_cut(const void *addr, size_t len);
/* The queue, with a reference, whose doorbell window has that address, or NULL */
struct emu_queue *emu_region_window(const void *addr, size_t *offset);
void emu_region_after_fork(void);

/* epoll.c */
/* Is the descriptor an epoll set with queues in it, or in sets within it? */
bool emu_epoll_has_queues(int fd);
/* Would a wait on that set find an event? */
bool emu_epoll_ready(int fd);
/* Held devices with queues in that set may be due for release. */
void emu_epoll_release(int fd, bool sleeps);

/* file.c */
#define EMU_PATH_ROOM		512
/* Translates a path of the emulated tree to its real path, in @text of EMU_PATH_ROOM bytes; others don't change. */
const char *emu_path_map(const char *path, char *text);

/* fd.c */
/* What epoll.c must be told: NULL until it is there. */
struct emu_fd_epoll {
	void (*copied)(int from, int fd);	/* both name the same file now */
	void (*closed)(unsigned int first, unsigned int last);
	void (*queue_gone)(const struct emu_queue *q);
	void (*after_fork)(void);
};
extern const struct emu_fd_epoll *emu_fd_epoll;
struct emu_queue *emu_fd_get(int fd);
#define EMU_FD_FLAGS	(O_ACCMODE | O_SYNC)	/* that F_GETFL reports; O_SYNC includes O_DSYNC */
int emu_fd_flags(int fd);
void emu_fd_set(int fd, struct emu_queue *q, int flags);
struct emu_queue *emu_fd_clear(int fd);
void emu_fd_foreign(void);
/* Descriptors that the kernel's driver would not need: the program can't close them. */
bool emu_fd_is_private(int fd);
/* Moves one of them out of the program's way, or leaves it; returns its number, -1 if fd is that. */
int emu_fd_private(int fd);
void emu_fd_private_close(int fd);

/* folder.c: folders that a program keeps open */
/* Whether the tree's /dev is opened instead: only by O_PATH, because the real one has other nodes as well. */
bool emu_folder_is_dev(const char *path, int flags);
/* Says so, once, if the process' user can't reach the emulated tree. */
void emu_folder_reached(const char *root);
void emu_folder_opened(const char *path, int fd);
/* The whole path of a file in such a folder, in full; else path itself. */
const char *emu_folder_path(int dir, const char *path, char *full, size_t room);

/* memory.c: this process' memory by address, without faulting */
int emu_memory_read(unsigned long long addr, void *buf, unsigned int len);
int emu_memory_write(unsigned long long addr, const void *buf, unsigned int len);
/* The emulator's own memory, as the device reads and writes it */
void emu_bus_read(const unsigned char *p, void *buf, u32 len);
void emu_bus_write(unsigned char *p, const void *buf, u32 len);

/* engine_zip.c, engine_sec.c */
extern const struct emu_kind emu_zip;
extern const struct emu_kind emu_sec;
extern const struct emu_kind emu_hpre;

/* real.c: the libc functions that this library replaces */
void *emu_real(void **cache, const char *name);
#define EMU_REAL(ret, name, ...) \
	static void *name##_cache; \
	static ret (*real_##name(void))(__VA_ARGS__) \
	{ \
		union { void *p; ret (*f)(__VA_ARGS__); } u = { .p = emu_real(&name##_cache, #name) }; \
		return u.f; \
	}

#endif
