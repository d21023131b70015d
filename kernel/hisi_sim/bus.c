// SPDX-License-Identifier: GPL-2.0-or-later
/* The virtual PCI side of a device: a root bus of its own, added and removed at run time. */
#include <linux/acpi.h>
#include <linux/dma-map-ops.h>
#include <linux/pci.h>
#include <linux/pci-ecam.h>
#include <linux/rcupdate.h>

#include "inject.h"
#include "internal.h"

/* The type that the architecture expects behind pci_bus.sysdata. */
#ifdef CONFIG_X86
typedef struct pci_sysdata sim_sysdata_t;
#else
typedef struct pci_config_window sim_sysdata_t;
#endif

/*
 * Lives as long as the bridge, so that a late config access finds sdev NULL instead of freed
 * memory. Config accesses, which some architectures make without a lock, use sdev in an RCU
 * read-side section. A caller that looks up sdev from a device on the bus needs none: the
 * device is taken off the bus before sdev is freed.
 */
struct sim_bus {
	sim_sysdata_t sysdata;
	struct resource busn;
	struct sim_dev *sdev;
};

#define DOMAIN_FIRST	0xa000
#define DOMAIN_LAST	0xfffe

static int domain;
static const struct dma_map_ops *dma_ops_without_sva;

int sim_bus_domain(void)
{
	return domain;
}

static struct sim_dev *bus_device(struct pci_bus *bus)
{
	struct sim_bus *sbus = container_of((sim_sysdata_t *)bus->sysdata, struct sim_bus, sysdata);

	return READ_ONCE(sbus->sdev);
}

static bool is_bridge(const struct sim_dev *sdev, struct pci_bus *bus, unsigned int devfn)
{
	return sdev && sdev->shape.bridge && pci_is_root_bus(bus) && !devfn;
}

static struct sim_fn *bus_function(struct sim_dev *sdev, struct pci_bus *bus, unsigned int devfn)
{
	if (!sdev || (sdev->shape.bridge && pci_is_root_bus(bus)))
		return NULL;
	return devfn < sdev->nr_fns ? &sdev->fns[devfn] : NULL;
}

static int read_config(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *val)
{
	int ret = PCIBIOS_SUCCESSFUL;
	struct sim_dev *sdev;
	struct sim_fn *fn;

	*val = ~0u;
	rcu_read_lock();
	sdev = bus_device(bus);
	fn = bus_function(sdev, bus, devfn);
	if (fn)
		*val = sim_config_read(fn, where, size);
	else if (is_bridge(sdev, bus, devfn))
		*val = sim_bridge_read(sdev, where, size);
	else
		ret = PCIBIOS_DEVICE_NOT_FOUND;
	rcu_read_unlock();
	return ret;
}

static int write_config(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 val)
{
	int ret = PCIBIOS_SUCCESSFUL;
	struct sim_dev *sdev;
	struct sim_fn *fn;

	rcu_read_lock();
	sdev = bus_device(bus);
	fn = bus_function(sdev, bus, devfn);
	if (fn)
		sim_config_write(fn, where, size, val);
	else if (!is_bridge(sdev, bus, devfn))
		ret = PCIBIOS_DEVICE_NOT_FOUND;
	else if (sim_bridge_write(sdev, where, size, val))
		sim_config_bus_reset(sdev);
	rcu_read_unlock();
	return ret;
}

static struct pci_ops sim_pci_ops = {
	.read = read_config,
	.write = write_config,
};

/* The simulated function behind a PCI device, or NULL if the device isn't simulated. */
struct sim_fn *sim_bus_function(struct device *dev)
{
	struct pci_dev *pdev = dev_is_pci(dev) ? to_pci_dev(dev) : NULL;

	if (!pdev || pdev->bus->ops != &sim_pci_ops)
		return NULL;
	return bus_function(bus_device(pdev->bus), pdev->bus, pdev->devfn);
}

/*
 * Before any driver's probe: waits until the function's registers answer, marks the device's
 * memory as coherent, since threads access it, and sets the NUMA node and what maps memory for
 * a device without SVA. After its removal: drops the address spaces that are still bound to it,
 * and the memory that is still mapped.
 */
static int function_event(struct notifier_block *nb, unsigned long action, void *data)
{
	struct device *dev = data;
	struct sim_fn *fn = sim_bus_function(dev);

	if (!fn)
		return NOTIFY_DONE;
	switch (action) {
	case BUS_NOTIFY_ADD_DEVICE:
		/* The PCI core gives a virtual function 100 ms, which aren't enough on a busy machine. */
		sim_worker_wait(fn);
		fallthrough;
	case BUS_NOTIFY_BIND_DRIVER:
		dev_set_dma_coherent(dev);
		set_dev_node(dev, fn->sdev->shape.node);
		if (!fn->sdev->shape.sva)
			set_dma_ops(dev, dma_ops_without_sva);
		return NOTIFY_OK;
	case BUS_NOTIFY_REMOVED_DEVICE:
		sim_sva_drop(fn);
		if (!fn->sdev->shape.sva)
			set_dma_ops(dev, NULL);
		sim_mapped_drop(fn);
		return NOTIFY_OK;
	default:
		return NOTIFY_DONE;
	}
}

static struct notifier_block function_nb = {
	.notifier_call = function_event,
};

static void set_sysdata(sim_sysdata_t *sysdata, struct sim_dev *sdev)
{
	/* The PCI core looks for the ACPI devices of functions below that of their bus. */
#ifdef CONFIG_X86
	sysdata->domain = domain;
	sysdata->node = sdev->shape.node;
#ifdef CONFIG_ACPI
	sysdata->companion = sdev->firmware;
#endif
#elif defined(CONFIG_ACPI)
	sysdata->parent = sdev->firmware ? &sdev->firmware->dev : NULL;
#endif
}

static bool bars_claimed(struct pci_bus *bus)
{
	struct pci_dev *pdev;
	int i;

	if (!bus)
		return false;
	list_for_each_entry(pdev, &bus->devices, bus_list)
		for (i = 0; i < PCI_BRIDGE_RESOURCES; i++)
			if (pdev->resource[i].flags && !pdev->resource[i].parent)
				return false;
	return !list_empty(&bus->devices);
}

/* All bridges share the module's domain. A bridge that still names it would release it with itself. */
static void free_bridge(struct pci_host_bridge *bridge)
{
	bridge->domain_nr = PCI_DOMAIN_NR_NOT_SET;
	pci_free_host_bridge(bridge);
}

/* The PCI core doesn't survive the removal of a physical function whose driver has left SR-IOV enabled. */
static void disable_vfs(struct pci_bus *bus)
{
	struct pci_dev *pf = bus ? pci_get_slot(bus, PCI_DEVFN(0, SIM_PF)) : NULL;

	if (pf)
		pci_disable_sriov(pf);
	pci_dev_put(pf);
}

static void remove_bus(struct pci_host_bridge *bridge)
{
	struct sim_bus *sbus = pci_host_bridge_priv(bridge);

	pci_stop_root_bus(bridge->bus);
	disable_vfs(sim_bridge_bus(sbus->sdev, bridge->bus));
	pci_remove_root_bus(bridge->bus);
	WRITE_ONCE(sbus->sdev, NULL);
	synchronize_rcu();
	/* Removing the bus drops its own reference; the reference of the allocation remains. */
	free_bridge(bridge);
}

int sim_bus_add(struct sim_dev *sdev)
{
	struct pci_host_bridge *bridge = pci_alloc_host_bridge(sizeof(struct sim_bus));
	struct sim_bus *sbus;
	unsigned int inject;
	int err;

	if (!bridge)
		return -ENOMEM;
	sbus = pci_host_bridge_priv(bridge);
	sbus->sdev = sdev;
	sbus->busn = (struct resource) {
		.name = "hisi_sim", .start = sdev->id, .end = sim_bus_number(sdev), .flags = IORESOURCE_BUS,
	};
	set_sysdata(&sbus->sysdata, sdev);
	bridge->sysdata = &sbus->sysdata;
	bridge->ops = &sim_pci_ops;
	bridge->busnr = sdev->id;
	bridge->domain_nr = domain;
	bridge->preserve_config = 1;
	/* A root port has no interrupt of its own. */
	bridge->native_pme = 0;
	dev_set_msi_domain(&bridge->dev, sdev->msi.domain);
	pci_add_resource(&bridge->windows, sim_aperture_resource());
	pci_add_resource(&bridge->windows, &sbus->busn);

	pci_lock_rescan_remove();
	/* The PCI core warns about its own failed allocations and continues, so no fault is injected here. */
	inject = sim_inject_take();
	err = pci_scan_root_bus_bridge(bridge);
	sim_inject_give(inject);
	if (err) {
		pci_unlock_rescan_remove();
		free_bridge(bridge);
		return err;
	}
	pci_bus_claim_resources(bridge->bus);
	if (!bars_claimed(sim_bridge_bus(sdev, bridge->bus))) {
		remove_bus(bridge);
		pci_unlock_rescan_remove();
		return -ENOMEM;
	}
	sdev->bridge = bridge;
	/*
	 * Nor here: 6.1 doesn't survive all failed allocations of its own in quirks and in a driver's
	 * interrupt setup.
	 */
	inject = sim_inject_take();
	pci_bus_add_devices(bridge->bus);
	sim_inject_give(inject);
	pci_unlock_rescan_remove();
	return 0;
}

/* Drivers unbind here and need answers, so the device's threads must still run. */
void sim_bus_remove(struct sim_dev *sdev)
{
	unsigned int inject = sim_inject_take();

	pci_lock_rescan_remove();
	remove_bus(sdev->bridge);
	pci_unlock_rescan_remove();
	sim_inject_give(inject);
}

/* Marks the devices as disconnected, as a hotplug port would. */
void sim_bus_disconnect(struct sim_dev *sdev)
{
	struct pci_dev *pdev;

	pci_lock_rescan_remove();
	list_for_each_entry(pdev, &sim_bridge_bus(sdev, sdev->bridge->bus)->devices, bus_list)
		pdev->error_state = pci_channel_io_perm_failure;
	pci_unlock_rescan_remove();
}

/* @without_sva: how memory is mapped for devices without SVA */
int sim_bus_init(const struct dma_map_ops *without_sva)
{
	int err;

	dma_ops_without_sva = without_sva;
	domain = pci_bus_find_emul_domain_nr(DOMAIN_FIRST, DOMAIN_FIRST, DOMAIN_LAST);
	if (domain < 0)
		return domain;
	err = bus_register_notifier(&pci_bus_type, &function_nb);
	if (err)
		pci_bus_release_emul_domain_nr(domain);
	return err;
}

void sim_bus_exit(void)
{
	bus_unregister_notifier(&pci_bus_type, &function_nb);
	pci_bus_release_emul_domain_nr(domain);
}
