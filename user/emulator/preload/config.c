// SPDX-License-Identifier: Apache-2.0
/* wd-emulate's configuration of this process, and the devices that follow from it. */
#include <stdlib.h>
#include <string.h>
#include "emu.h"

static struct emu_config config;
static struct emu_device devices[EMU_DEVICES_MAX];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* As in the kernel, all kinds share one sequence of device numbers. N@GENERATION, and what devices.h has behind that */
static void devices_add(const struct emu_kind *kind, const char *value)
{
	unsigned long nr, generation;
	char *end, memory;

	do {
		nr = strtoul(value, &end, 10);
		generation = *end == '@' ? strtoul(end + 1, &end, 10) : 0;
		memory = *end && *end != ',' ? *end++ : '\0';
		while (nr-- && config.devices < EMU_DEVICES_MAX)
			devices[config.devices++] = (struct emu_device){
				.kind = kind, .generation = (unsigned int)generation, .mediated = memory,
				.iommu = memory == 'i',
			};
		value = end + 1;
	} while (*end == ',');
}

static void config_word(const char *word, const char *value)
{
	unsigned long long v = strtoull(value, NULL, 0);

	if (!strcmp(word, "zip"))
		devices_add(&emu_zip, value);
	else if (!strcmp(word, "sec"))
		devices_add(&emu_sec, value);
	else if (!strcmp(word, "hpre"))
		devices_add(&emu_hpre, value);
	else if (!strcmp(word, "queues"))
		config.queues = (unsigned int)v;
	else if (!strcmp(word, "workers"))
		config.workers = v < 1 ? 1 : v < EMU_WORKERS_MAX ? (unsigned int)v : EMU_WORKERS_MAX;
	else if (!strcmp(word, "mbps"))
		config.mbps = (unsigned int)v;
	else if (!strcmp(word, "latency"))
		config.latency_ns = v;
	else if (!strcmp(word, "depth"))
		config.depth = v < 4 ? 4 : v < QM_SQ_DEPTH_V2 ? (unsigned int)v : QM_SQ_DEPTH_V2;
	else if (!strcmp(word, "null"))
		config.null = v;
	else if (!strcmp(word, "engine"))
		config.no_engine = !strcmp(value, "none");
	else if (!strcmp(word, "counts"))
		emu_counts_map(config.root);
	else if (!strcmp(word, "nodes"))
		config.nodes = v;
	else if (!strcmp(word, "sections"))
		snprintf(config.sections, sizeof(config.sections), "%s", value);
	else if (!strcmp(word, "mainline-poll"))
		config.mainline_poll = v;
	else if (!strcmp(word, "trap"))
		config.trap = v;
	else
		emu_faults_word(word, value);
}

static void device_init(struct emu_device *dev, unsigned int index)
{
	const struct emu_device was = *dev;
	pthread_condattr_t monotonic;

	memset(dev, 0, sizeof(*dev));
	dev->kind = was.kind;
	dev->generation = was.generation;
	dev->mediated = was.mediated;
	dev->iommu = was.iommu;
	dev->index = index;
	snprintf(dev->name, sizeof(dev->name), "%s-%u", dev->kind->name, index);
	dev->nr_queues = config.queues;
	dev->todo_last = &dev->todo;
	pthread_mutex_init(&dev->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&dev->kick, &monotonic);
	pthread_cond_init(&dev->work, &monotonic);
	pthread_condattr_destroy(&monotonic);
	emu_mapped_init(dev, emu_now() + index);
}

static void config_read(void)
{
	const char *spec = getenv("WD_EMULATE"), *root = getenv("WD_EMULATE_ROOT");
	char copy[1536], *word, *save = NULL, *value;
	unsigned int i;

	if (!spec || !root || strlen(root) >= sizeof(config.root) || strlen(spec) >= sizeof(copy))
		return;
	strcpy(copy, spec);
	strcpy(config.root, root);
	config.queues = 64;
	config.workers = 2;
	config.depth = QM_SQ_DEPTH_V2;
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		value = strchr(word, '=');
		if (value)
			*value++ = '\0';
		config_word(word, value ? value : "1");
	}
	for (i = 0; i < config.devices; i++)
		device_init(&devices[i], i);
	config.on = true;
}

const struct emu_config *emu_config(void)
{
	pthread_once(&once, config_read);
	return &config;
}

unsigned int emu_depth(void)
{
	return config.depth;
}

void emu_config_mainline_poll(bool on)
{
	config.mainline_poll = on;
}

/* A fork's child starts with devices of its own, and doesn't touch its copies of the parent's memory. */
void emu_config_after_fork(void)
{
	unsigned int i;

	for (i = 0; i < config.devices; i++)
		device_init(&devices[i], i);
}

struct emu_device *emu_device_at(unsigned int index)
{
	return index < emu_config()->devices ? &devices[index] : NULL;
}

struct emu_device *emu_device_find(const char *path)
{
	const struct emu_config *c = emu_config();
	size_t root = strlen(c->root);
	unsigned int i;

	if (!c->on)
		return NULL;
	if (!strncmp(path, c->root, root))
		path += root;
	if (strncmp(path, "/dev/", 5))
		return NULL;
	for (i = 0; i < c->devices; i++)
		if (!strcmp(path + 5, devices[i].name))
			return &devices[i];
	return NULL;
}
