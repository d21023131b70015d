// SPDX-License-Identifier: Apache-2.0
/* Requests of tests to their devices: faults, the order of events, reset, removal. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "control.h"
#include "emu.h"
#include "faults.h"

static _Atomic unsigned long long sleeps, timeouts;

/* --- order --- */

void emu_control_wait(struct emu_device *dev)
{
	while (dev->held)
		pthread_cond_wait(&dev->kick, &dev->lock);
}

static int hold(struct emu_device *dev, bool on)
{
	dev->held = on;
	atomic_store(&dev->release_at, EMU_RELEASE_NEVER);
	pthread_cond_broadcast(&dev->kick);
	return 0;
}

/* Only the polling thread advances the device in the meantime, so its poll always finds the same completions. */
void emu_control_look(struct emu_device *dev, bool sleeps_then)
{
	unsigned int at = sleeps_then ? EMU_RELEASE_AT_SLEEP : EMU_RELEASE_AT_LOOK;
	unsigned long long before;
	struct wdm_look look;

	if (atomic_load_explicit(&dev->release_at, memory_order_relaxed) != at)
		return;
	emu_device_enter(dev);
	before = wdm_device_stats(dev->model)->completions;
	while (dev->held && wdm_device_stats(dev->model)->completions == before) {
		emu_device_turn(dev, &look);
		emu_wait_until(dev, emu_now() + 20000);
	}
	hold(dev, false);
	emu_device_leave(dev);
}

void emu_control_sleeps(void)
{
	atomic_fetch_add(&sleeps, 1);
}

void emu_control_timeout(void)
{
	atomic_fetch_add(&timeouts, 1);
}

/* --- reset and removal --- */

static void queue_kill(struct emu_queue *q)
{
	q->state = EMU_ZOMBIE;
	wdm_writel(1, q->dus + QM_DUS_TX_STOP(emu_dus_size(q->dev)));
	wdm_writel(1, q->dus + QM_DUS_RX_STOP(emu_dus_size(q->dev)));
	atomic_store(&q->dead, true);
	emu_queue_wake(q);
}

/* Inside the driver. The stop words come last, because clients take their buffers back when they see them. */
int emu_control_reset(struct emu_device *dev)
{
	struct wdm_look look;
	unsigned int i;

	wdm_device_reset(dev->model);
	while (wdm_function_busy(dev->model, WDM_PF)) {
		emu_device_turn(dev, &look);
		emu_wait_until(dev, emu_now() + 100000);
	}
	for (i = 0; i < dev->nr_queues; i++)
		if (dev->queues[i] && dev->queues[i]->state != EMU_ZOMBIE) {
			emu_driver_let_go(dev->queues[i]);
			queue_kill(dev->queues[i]);
		}
	return emu_driver_init(dev);
}

static int reset(struct emu_device *dev, bool gone)
{
	int err = 0;

	emu_driver_begin(dev);
	dev->gone |= gone;
	if (dev->up)
		err = emu_control_reset(dev);
	emu_driver_end(dev);
	return err;
}

static int rename_both(const struct emu_device *dev, bool gone)
{
	static const char * const folders[] = { "/sys/class/uacce", "/dev" };
	const char *root = emu_config()->root;
	char there[512], away[512];
	size_t i;

	for (i = 0; i < 2; i++) {
		snprintf(there, sizeof(there), "%s%s/%s", root, folders[i], dev->name);
		snprintf(away, sizeof(away), "%s/away-%zu-%u", root, i, dev->index);
		if (gone ? rename(there, away) : rename(away, there))
			return -errno;
	}
	return 0;
}

void emu_control_revoke(void)
{
	struct emu_device *dev;
	unsigned int i, id;

	for (i = 0; (dev = emu_device_at(i)); i++) {
		emu_device_enter(dev);
		emu_driver_begin(dev);
		for (id = 0; dev->up && id < dev->nr_queues; id++)
			if (dev->queues[id] && dev->queues[id]->state != EMU_ZOMBIE) {
				if (dev->queues[id]->state == EMU_STARTED)
					emu_driver_stop(dev->queues[id]);
				queue_kill(dev->queues[id]);
			}
		emu_driver_end(dev);
		emu_device_leave(dev);
	}
}

/* Remove the names first, so that a client that sees the end can't find the device again. */
static int removal(struct emu_device *dev)
{
	int err = rename_both(dev, true);

	return err ? err : reset(dev, true);
}

void emu_control_fault(struct emu_device *dev)
{
	unsigned int faulted = dev->faulted;

	dev->faulted = 0;
	if (dev->gone)
		return;
	/* Another process may have removed the names. */
	if (faulted & 1u << WDM_FAULT_REMOVE)
		rename_both(dev, true);
	/* A command that got no answer: again. */
	if (reset(dev, faulted & 1u << WDM_FAULT_REMOVE) && !dev->gone)
		dev->faulted |= faulted;
}

static int comeback(struct emu_device *dev)
{
	if (!dev->gone)
		return -EINVAL;
	dev->gone = false;
	return rename_both(dev, false);
}

/* --- entry points --- */

static const char *argument(const char *command, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(command, name, n) && command[n] == ' ' ? command + n + 1 : NULL;
}

static int release_at(struct emu_device *dev, const char *text)
{
	if (!dev->held || (strcmp(text, "look") && strcmp(text, "sleep")))
		return -EINVAL;
	atomic_store(&dev->release_at, *text == 'l' ? EMU_RELEASE_AT_LOOK : EMU_RELEASE_AT_SLEEP);
	return 0;
}

static int seed(struct emu_device *dev, const char *text)
{
	wdm_fault_seed(dev->model, strtoull(text, NULL, 0));
	return 0;
}

static int poll_variant(const char *text)
{
	if (strcmp(text, "on") && strcmp(text, "off"))
		return -EINVAL;
	emu_config_mainline_poll(!strcmp(text, "on"));
	return 0;
}

static int control(struct emu_device *dev, const char *command)
{
	const char *arg;
	int err = emu_config()->null ? -EINVAL : dev->gone ? 0 : emu_device_up(dev);

	if (err)
		return err;
	if (!strcmp(command, "return"))
		return comeback(dev);
	if (dev->gone)
		return -ENODEV;
	if ((arg = argument(command, "fault")))
		return emu_faults_change(dev, arg);
	if ((arg = argument(command, "seed")))
		return seed(dev, arg);
	if ((arg = argument(command, "release-at")))
		return release_at(dev, arg);
	if ((arg = argument(command, "mainline-poll")))
		return poll_variant(arg);
	if (!strcmp(command, "hold") || !strcmp(command, "release"))
		return hold(dev, *command == 'h');
	if (!strcmp(command, "reset-end")) {
		dev->resetting = false;
		return 0;
	}
	dev->resetting |= !strcmp(command, "reset-begin");
	if (!strcmp(command, "reset") || !strcmp(command, "reset-begin"))
		return reset(dev, false);
	if (!strcmp(command, "remove"))
		return removal(dev);
	return -EINVAL;
}

static struct emu_device *device_named(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/%s", name);
	return emu_device_find(path);
}

int wd_emulate_control(const char *name, const char *command)
{
	struct emu_device *dev = device_named(name);
	int err;

	if (!dev)
		return -ENODEV;
	emu_device_enter(dev);
	err = control(dev, command);
	emu_device_leave(dev);
	return err;
}

static int count(struct emu_device *dev, const char *what, unsigned long long *value)
{
	const struct wdm_stats *s = wdm_device_stats(dev->model);
	const struct {
		const char *name;
		unsigned long long value;
	} all[] = {
		{ "completions", s->completions }, { "descriptors", s->descriptors },
		{ "running", dev->running }, { "async_events", s->async_events }, { "sq_recovered", s->sq_recovered },
		{ "arm_recovered", s->arm_recovered }, { "sleeps", atomic_load(&sleeps) },
		{ "timeouts", atomic_load(&timeouts) }, { "wrong_results", atomic_load(&dev->wrong) },
		{ "outside", atomic_load(&dev->outside) },
		{ wdm_fault_name(WDM_FAULT_PAGE), emu_faults_pages() },
	};
	unsigned int i;

	for (i = 0; i < WDM_FAULT_NR; i++)
		if (!strcmp(what, wdm_fault_name(i))) {
			*value = wdm_fault_counts(dev->model)[i];
			return 0;
		}
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(what, all[i].name)) {
			*value = all[i].value;
			return 0;
		}
	return -EINVAL;
}

int wd_emulate_count(const char *name, const char *what, unsigned long long *value)
{
	struct emu_device *dev = device_named(name);
	int err = 0;

	*value = 0;
	if (!dev)
		return -ENODEV;
	emu_device_enter(dev);
	if (dev->model)
		err = count(dev, what, value);
	emu_device_leave(dev);
	return err;
}
