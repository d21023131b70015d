// SPDX-License-Identifier: GPL-2.0-or-later
/* debugfs alg_qos: the bandwidth of each function, with mainline's formats. */
#include <linux/ctype.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/pci.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "internal.h"

#define QM_QOS_LINE_MAX		256
#define QM_QOS_VALUE_MAX	16

/* ------ reading ------ */

static int qm_qos_ask(struct hisi_qm *qm, u32 *qos)
{
	u32 mbps;
	int ret = qm_message_ask_bandwidth(qm, &mbps);

	if (!ret)
		*qos = mbps / QM_QOS_MBPS;
	return ret;
}

static ssize_t qm_qos_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct hisi_qm *qm = file->private_data;
	char text[QM_QOS_VALUE_MAX];
	u32 qos;
	int ret;

	/* The end of the file costs no message. */
	if (*pos)
		return 0;
	ret = qm->pf || qm->physical ? qm_share_get(qm, &qos) : qm_qos_ask(qm, &qos);
	if (ret)
		return ret;
	return simple_read_from_buffer(buf, count, pos, text, scnprintf(text, sizeof(text), "%u\n", qos));
}

/* ------ writing ------ */

static int qm_qos_parse(struct hisi_qm *qm, const char *value, u32 *qos)
{
	if (!value || !isdigit(*value) || kstrtou32(value, 10, qos) || !*qos || *qos > QM_QOS_MAX) {
		pci_err(qm->pdev, "alg_qos: \"%s\": expected 1..%u after the address of a function\n",
			value ?: "", QM_QOS_MAX);
		return -EINVAL;
	}
	return 0;
}

static int qm_qos_line(struct hisi_qm *qm, char *line)
{
	const char *name = strsep(&line, " ");
	struct device *dev;
	u32 qos;
	int ret;

	ret = qm_qos_parse(qm, line, &qos);
	if (ret)
		return ret;
	dev = bus_find_device_by_name(&pci_bus_type, NULL, name);
	if (!dev) {
		pci_err(qm->pdev, "alg_qos: there is no PCI device %s\n", name);
		return -ENODEV;
	}
	ret = -EINVAL;
	if (pci_physfn(to_pci_dev(dev)) == qm->pdev)
		ret = qm_share_set(qm, to_pci_dev(dev), qos);
	else
		pci_err(qm->pdev, "alg_qos: %s is not a function of this device\n", name);
	put_device(dev);
	return ret;
}

static ssize_t qm_qos_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	char line[QM_QOS_LINE_MAX] = "";
	int ret;

	if (*pos)
		return -EINVAL;
	if (count >= sizeof(line))
		return -ENOSPC;
	if (copy_from_user(line, buf, count))
		return -EFAULT;
	ret = qm_qos_line(file->private_data, strim(line));
	return ret ? ret : count;
}

static const struct file_operations qm_qos_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = qm_qos_read,
	.write = qm_qos_write,
	.llseek = default_llseek,
};

static const struct file_operations qm_vf_qos_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = qm_qos_read,
	.llseek = default_llseek,
};

/**
 * qm_debugfs_qos_init - create the file, if the device has limits and the function can know its own
 * @qm: a started function, whose directory exists
 */
void qm_debugfs_qos_init(struct hisi_qm *qm)
{
	if (!hisi_qm_has(qm, QM_CAP_QOS))
		return;
	if (qm->pf)
		debugfs_create_file("alg_qos", 0644, qm->debugfs, qm, &qm_qos_fops);
	else if (qm->physical || qm_has_messages(qm))
		debugfs_create_file("alg_qos", 0444, qm->debugfs, qm, &qm_vf_qos_fops);
}
