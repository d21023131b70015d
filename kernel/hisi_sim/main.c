// SPDX-License-Identifier: GPL-2.0-or-later
/* hisi_sim.ko: software accelerators on a virtual PCI bus, to which the hisi drivers bind. */
#include <linux/module.h>
#include <linux/string.h>

#include "dma_ops.h"
#include "internal.h"

static char *devices;
module_param(devices, charp, 0444);
MODULE_PARM_DESC(devices, "Devices to create at load, e.g. zip,sec@nosva,hpre@v2");

static char *aperture;
module_param(aperture, charp, 0444);
MODULE_PARM_DESC(aperture,
		 "START,SIZE of memory for the BARs, outside System RAM; default: the ivshmem-plain device of a VM");

static bool aperture_trusted;
module_param(aperture_trusted, bool, 0444);
MODULE_PARM_DESC(aperture_trusted,
		 "Try the aperture although the kernel doesn't know that it is memory (arm64; a wrong one is a panic)");

/* @word: the part of @spec that is the kind */
static void report_spec(const char *spec, const char *word, int err)
{
	if (err == -ENODEV)
		pr_err("hisi_sim: devices: \"%s\": expected zip, sec or hpre\n", word);
	else
		pr_err("hisi_sim: devices: \"%s\": expected %s, %s@v2 or %s@v3, then @nosva, @noiommu or nothing\n",
		       spec, word, word, word);
}

/* "zip,zip@v2@nosva" creates zip0, and zip1 of generation 2 without SVA. */
static int make_devices(void)
{
	char name[32], spec[32], *list, *rest, *word;
	unsigned int counts[SIM_TYPES_NR] = {};
	int err = 0;

	if (!devices || !*devices)
		return 0;
	list = kstrdup(devices, GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	rest = list;
	while (!err && (word = strsep(&rest, ","))) {
		struct sim_shape shape = sim_shape_default();

		strscpy(spec, word, sizeof(spec));
		err = sim_type_parse(word, &shape);
		if (err) {
			report_spec(spec, word, err);
			err = -EINVAL;
			break;
		}
		snprintf(name, sizeof(name), "%s%u", shape.type->name, counts[shape.type - sim_types]++);
		err = sim_configfs_add(name, &shape);
		if (err)
			pr_err("hisi_sim: devices: cannot create %s: %pe\n", name, ERR_PTR(err));
	}
	kfree(list);
	return err;
}

static int __init hisi_sim_init(void)
{
	int err;

	err = sim_aperture_init(aperture, aperture_trusted);
	if (err)
		return err;
	err = sim_bus_init(&sim_dma_ops);
	if (err)
		goto err_exit_aperture;
	err = sim_device_init();
	if (err)
		goto err_exit_bus;
	sim_sva_register();
	err = sim_configfs_init();
	if (err)
		goto err_exit_sva;
	err = make_devices();
	if (err)
		goto err_exit_configfs;
	return 0;

err_exit_configfs:
	sim_configfs_exit();
err_exit_sva:
	sim_sva_exit();
	sim_device_exit();
err_exit_bus:
	sim_bus_exit();
err_exit_aperture:
	sim_aperture_exit();
	return err;
}

static void __exit hisi_sim_exit(void)
{
	sim_configfs_exit();
	sim_sva_exit();
	sim_device_exit();
	sim_bus_exit();
	sim_aperture_exit();
}

module_init(hisi_sim_init);
module_exit(hisi_sim_exit);

MODULE_DESCRIPTION("Software accelerators that look like HiSilicon Kunpeng's");
MODULE_LICENSE("GPL");
MODULE_VERSION(WD_VERSION);
MODULE_SOFTDEP("pre: uacce");
