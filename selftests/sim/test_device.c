// SPDX-License-Identifier: Apache-2.0
/* A simulated device as PCI sees it: config space, resets, coming and going under load. */
#include <linux/pci_regs.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "hw/qm_hw.h"
#include "pci_config.h"
#include "sim_item.h"

#define NAME		"testdev"
#define BURNERS		4
#define CYCLES		20

#define PCI_LINE	0x3c
#define EXTENDED	0x100	/* the first extended capability */

FIXTURE(device) {
	char dir[160];
	uint8_t cfg[CFG_SIZE];
};

/* Raw config writes would disturb a driver. */
static void unbind(const char *dir)
{
	char path[256], address[64];

	sim_get(NAME, "address", address, sizeof(address));
	snprintf(path, sizeof(path), "%s/driver/unbind", dir);
	text_write(path, address);
}

FIXTURE_SETUP(device)
{
	char address[64];

	ASSERT_EQ(0, sim_mkdir(NAME)) TH_LOG("no hisi_sim in configfs");
	ASSERT_EQ(0, sim_set(NAME, "live", "1"));
	ASSERT_LT(0, sim_get(NAME, "address", address, sizeof(address)));
	snprintf(self->dir, sizeof(self->dir), SIM_PCI "/%s", address);
	unbind(self->dir);
	ASSERT_EQ(0, cfg_read(self->dir, self->cfg, CFG_SIZE, 0));
}

FIXTURE_TEARDOWN(device)
{
	sim_set(NAME, "live", "0");
	EXPECT_EQ(0, sim_rmdir(NAME));
}

TEST_F(device, identifies_itself_as_the_hardware_does)
{
	EXPECT_EQ(0x19e5, le(self->cfg, 2));
	EXPECT_EQ(0xa250, le(self->cfg + 2, 2));
	EXPECT_EQ(0x30, self->cfg[8]);
	EXPECT_EQ(0x1200, le(self->cfg + 10, 2));
	EXPECT_EQ(0, self->cfg[0x0e]);
	EXPECT_EQ(0, self->cfg[0x3d]) TH_LOG("no legacy interrupt");
}

TEST_F(device, is_an_integrated_endpoint_with_function_level_reset)
{
	int exp = find_cap(self->cfg, CAP_EXP);

	ASSERT_NE(0, exp);
	EXPECT_EQ(9, (le(self->cfg + exp + 2, 2) >> 4) & 0xf);
	EXPECT_TRUE(le(self->cfg + exp + 4, 4) & 1u << 28);
}

TEST_F(device, has_32_maskable_64_bit_messages)
{
	int msi = find_cap(self->cfg, CAP_MSI);
	uint32_t control;

	ASSERT_NE(0, msi);
	control = le(self->cfg + msi + 2, 2);
	EXPECT_EQ(5, control >> 1 & 7);
	EXPECT_TRUE(control & 1u << 7);
	EXPECT_TRUE(control & 1u << 8);
}

/* What hardware doesn't have would mislead a driver. */
TEST_F(device, has_no_extended_capability_without_virtual_functions)
{
	EXPECT_EQ(0, le(self->cfg + EXTENDED, 4));
}

TEST_F(device, sizes_its_bars)
{
	uint32_t ones = 0xffffffff, size;
	uint16_t off = 0;

	/* With decoding off, as the PCI core does it. */
	ASSERT_EQ(0, cfg_write(self->dir, &off, 2, PCI_COMMAND));
	ASSERT_EQ(0, cfg_write(self->dir, &ones, 4, 0x18));
	ASSERT_EQ(0, cfg_read(self->dir, &size, 4, 0x18));
	EXPECT_EQ(4u << 20, ~(size & ~0xfu) + 1);
	EXPECT_EQ(0xc, size & 0xf);
	ASSERT_EQ(0, cfg_write(self->dir, &ones, 4, 0x20));
	ASSERT_EQ(0, cfg_read(self->dir, &size, 4, 0x20));
	EXPECT_EQ(64u * 65536, ~(size & ~0xfu) + 1);
	ASSERT_EQ(0, cfg_write(self->dir, &ones, 4, 0x10));
	ASSERT_EQ(0, cfg_read(self->dir, &size, 4, 0x10));
	EXPECT_EQ(0, size) TH_LOG("BAR0 isn't there");
	cfg_write(self->dir, self->cfg + 0x10, 24, 0x10);
}

TEST_F(device, ignores_writes_to_read_only_fields)
{
	uint8_t junk[CFG_SIZE], now[CFG_SIZE];
	int msi = find_cap(self->cfg, CAP_MSI), exp = find_cap(self->cfg, CAP_EXP);

	memset(junk, 0xa5, sizeof(junk));
	EXPECT_EQ(0, cfg_write(self->dir, junk, 4, 0));
	EXPECT_EQ(0, cfg_write(self->dir, junk, 4, 8));
	EXPECT_EQ(0, cfg_write(self->dir, junk, 8, 0x2c));
	EXPECT_EQ(0, cfg_write(self->dir, junk, 2, msi));
	EXPECT_EQ(0, cfg_write(self->dir, junk, 8, exp));
	EXPECT_EQ(0, cfg_write(self->dir, junk, 256, EXTENDED));
	ASSERT_EQ(0, cfg_read(self->dir, now, CFG_SIZE, 0));
	EXPECT_EQ(0, memcmp(now, self->cfg, CFG_SIZE));
}

TEST_F_TIMEOUT(device, survives_any_value_in_any_register, 300)
{
	uint32_t seed = 1, value;

	for (int round = 0; round < 4; round++) {
		for (int at = 0; at < CFG_SIZE; at += 4) {
			seed = seed * 1103515245 + 12345;
			value = seed ^ seed >> 16;
			ASSERT_EQ(0, cfg_write(self->dir, &value, 4, at));
		}
	}
	/* The writes may have reset the device; the BARs must come back where they were. */
	cfg_write(self->dir, self->cfg, 64, 0);
	ASSERT_EQ(0, cfg_read(self->dir, &value, 4, 0));
	EXPECT_TRUE(value == 0xa25019e5 || value == 0xffffffff);
}

TEST_F_TIMEOUT(device, a_reset_clears_what_was_written, 100)
{
	int msi = find_cap(self->cfg, CAP_MSI);
	uint32_t value = 0x12345670, now;
	char path[256];

	ASSERT_EQ(0, cfg_write(self->dir, &value, 4, msi + 4));
	ASSERT_EQ(0, cfg_read(self->dir, &now, 4, msi + 4));
	ASSERT_EQ(value, now);
	snprintf(path, sizeof(path), "%s/reset", self->dir);
	ASSERT_EQ(0, text_write(path, "1"));
	ASSERT_EQ(0, cfg_read(self->dir, &now, 4, msi + 4));
	EXPECT_EQ(0, now);
	ASSERT_EQ(0, cfg_read(self->dir, &now, 4, 0x18));
	EXPECT_EQ(le(self->cfg + 0x18, 4), now);
}

TEST_F_TIMEOUT(device, can_be_reset_again_and_again, 200)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/reset", self->dir);
	for (int i = 0; i < 5; i++)
		ASSERT_EQ(0, text_write(path, "1"));
}

static void burn(pid_t *pids)
{
	for (int i = 0; i < BURNERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			for (;;)
				__asm__ volatile("");
	}
}

static void quench(const pid_t *pids)
{
	for (int i = 0; i < BURNERS; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

TEST_F_TIMEOUT(device, comes_and_goes_on_a_busy_machine, 200)
{
	pid_t pids[BURNERS];
	int err = 0, i;

	burn(pids);
	for (i = 0; i < CYCLES && !err; i++) {
		err = sim_set(NAME, "live", "0");
		if (!err)
			err = sim_set(NAME, "live", "1");
	}
	quench(pids);
	EXPECT_EQ(0, err);
	EXPECT_EQ(CYCLES, i);
	EXPECT_TRUE(sim_is(NAME, "live", "1"));
}

/* Two of them at once, from two writers. */
TEST_F_TIMEOUT(device, another_comes_and_goes_at_the_same_time, 200)
{
	pid_t pid;
	int status;

	ASSERT_EQ(0, sim_mkdir("testdev2"));
	pid = fork();
	if (!pid) {
		for (int i = 0; i < CYCLES; i++)
			if (sim_set("testdev2", "live", "1") || sim_set("testdev2", "live", "0"))
				_exit(1);
		_exit(0);
	}
	for (int i = 0; i < CYCLES; i++) {
		EXPECT_EQ(0, sim_set(NAME, "live", "0"));
		EXPECT_EQ(0, sim_set(NAME, "live", "1"));
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, sim_rmdir("testdev2"));
}

TEST_HARNESS_MAIN
