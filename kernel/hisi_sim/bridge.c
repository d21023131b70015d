// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bridge that a device may be behind, as on hardware, a root port: its config space, and the reset of the bus
 * behind it. It decodes subtractively, so it needs no windows.
 */
#include <linux/pci.h>
#include <linux/unaligned.h>

#include "internal.h"

#define BRIDGE_DEVICE		0xa121
#define CLASS_SUBTRACTIVE	0x060401
#define CAP_PCIE		0x40
#define LINK			(PCI_EXP_LNKSTA_CLS_2_5GB | PCI_EXP_LNKSTA_NLW_X1)

/* Windows whose base is above their limit are closed. They can't be opened. */
static void windows_close(u8 *cfg)
{
	cfg[PCI_IO_BASE] = PCI_IO_RANGE_MASK & 0xff;
	put_unaligned_le16(PCI_MEMORY_RANGE_MASK & 0xffff, cfg + PCI_MEMORY_BASE);
	put_unaligned_le16(PCI_PREF_RANGE_MASK & 0xffff, cfg + PCI_PREF_MEMORY_BASE);
}

/* The kernel asks only a root port whether extended config space behind it can be accessed. */
static void capability_init(u8 *cfg)
{
	put_unaligned_le16(PCI_STATUS_CAP_LIST, cfg + PCI_STATUS);
	cfg[PCI_CAPABILITY_LIST] = CAP_PCIE;
	cfg[CAP_PCIE] = PCI_CAP_ID_EXP;
	put_unaligned_le16(2 | PCI_EXP_TYPE_ROOT_PORT << 4, cfg + CAP_PCIE + PCI_EXP_FLAGS);
	put_unaligned_le32(PCI_EXP_DEVCAP_RBER, cfg + CAP_PCIE + PCI_EXP_DEVCAP);
	put_unaligned_le32(LINK, cfg + CAP_PCIE + PCI_EXP_LNKCAP);
	put_unaligned_le16(LINK, cfg + CAP_PCIE + PCI_EXP_LNKSTA);
}

void sim_bridge_init(struct sim_dev *sdev)
{
	u8 *cfg = sdev->bridge_cfg;

	put_unaligned_le16(QM_PCI_VENDOR_HUAWEI, cfg + PCI_VENDOR_ID);
	put_unaligned_le16(BRIDGE_DEVICE, cfg + PCI_DEVICE_ID);
	put_unaligned_le32(CLASS_SUBTRACTIVE << 8, cfg + PCI_CLASS_REVISION);
	cfg[PCI_HEADER_TYPE] = PCI_HEADER_TYPE_BRIDGE;
	cfg[PCI_PRIMARY_BUS] = sdev->id;
	cfg[PCI_SECONDARY_BUS] = sim_bus_number(sdev);
	cfg[PCI_SUBORDINATE_BUS] = sim_bus_number(sdev);
	windows_close(cfg);
	capability_init(cfg);
}

u32 sim_bridge_read(struct sim_dev *sdev, int where, int size)
{
	u32 val = 0;
	int i;

	for (i = 0; i < size; i++)
		if (where + i < SIM_BRIDGE_CFG_SIZE)
			val |= (u32)READ_ONCE(sdev->bridge_cfg[where + i]) << (8 * i);
	return val;
}

static u8 write_mask(int at)
{
	switch (at) {
	case PCI_COMMAND:
		return PCI_COMMAND_IO | PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY;
	case PCI_COMMAND + 1:
		return (PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE) >> 8;
	case PCI_CACHE_LINE_SIZE:
	case PCI_PRIMARY_BUS:
	case PCI_SECONDARY_BUS:
	case PCI_SUBORDINATE_BUS:
	case PCI_SEC_LATENCY_TIMER:
	case PCI_INTERRUPT_LINE:
	case PCI_BRIDGE_CONTROL:
	case CAP_PCIE + PCI_EXP_DEVCTL ... CAP_PCIE + PCI_EXP_DEVCTL + 1:
	case CAP_PCIE + PCI_EXP_LNKCTL ... CAP_PCIE + PCI_EXP_LNKCTL + 1:
	case CAP_PCIE + PCI_EXP_RTCTL ... CAP_PCIE + PCI_EXP_RTCTL + 1:
	case CAP_PCIE + PCI_EXP_DEVCTL2 ... CAP_PCIE + PCI_EXP_DEVCTL2 + 1:
		return 0xff;
	default:
		return 0;
	}
}

/* Returns true if it begins a reset of the bus. The PCI core writes to a bridge from one task at a time. */
bool sim_bridge_write(struct sim_dev *sdev, int where, int size, u32 val)
{
	u8 control = sdev->bridge_cfg[PCI_BRIDGE_CONTROL];
	int i;

	for (i = 0; i < size && where + i < SIM_BRIDGE_CFG_SIZE; i++) {
		u8 mask = write_mask(where + i), *at = &sdev->bridge_cfg[where + i];

		WRITE_ONCE(*at, (*at & ~mask) | (val >> (8 * i) & mask));
	}
	return ~control & sdev->bridge_cfg[PCI_BRIDGE_CONTROL] & PCI_BRIDGE_CTL_BUS_RESET;
}

/* The bus that the functions are on, @root or the one behind the bridge; NULL: that couldn't be added. */
struct pci_bus *sim_bridge_bus(const struct sim_dev *sdev, struct pci_bus *root)
{
	struct pci_dev *bridge;

	if (!sdev->shape.bridge)
		return root;
	bridge = list_first_entry_or_null(&root->devices, struct pci_dev, bus_list);
	return bridge ? bridge->subordinate : NULL;
}
