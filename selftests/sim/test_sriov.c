// SPDX-License-Identifier: Apache-2.0
/* Virtual functions of a simulated device as PCI sees them: they come, answer, are reset and go. */
#include <linux/pci_regs.h>
#include <signal.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "functions.h"

#define NAME		"testsriov"
#define VFS		3
#define QUEUES		64
#define SHARE		(QUEUES / (VFS + 1))
#define BURNERS		4
#define CYCLES		5
#define CAP_SRIOV	0x100

FIXTURE(sriov) {
	char address[64];
	char pf[160];
	char vf[VFS][160];
};

static int device_up(const char *vfs, const char *queues, char *address, size_t size, char *dir, size_t dir_size)
{
	int err = sim_set(NAME, "vfs", vfs);

	if (!err)
		err = sim_set(NAME, "queues", queues);
	if (!err)
		err = sim_set(NAME, "live", "1");
	if (err)
		return err;
	sim_get(NAME, "address", address, size);
	snprintf(dir, dir_size, SIM_PCI "/%s", address);
	return stub_bind(dir, address);
}

FIXTURE_SETUP(sriov)
{
	ASSERT_EQ(0, sim_mkdir(NAME)) TH_LOG("no hisi_sim in configfs");
	ASSERT_EQ(0, device_up("3", "64", self->address, sizeof(self->address), self->pf, sizeof(self->pf)));
	/* The drivers of virtual functions would change what these tests look at. */
	ASSERT_EQ(0, attr_write(self->pf, "sriov_drivers_autoprobe", "0"));
	for (int i = 0; i < VFS; i++)
		snprintf(self->vf[i], sizeof(self->vf[i]), "%.*s%d", (int)strlen(self->pf) - 1, self->pf, i + 1);
}

FIXTURE_TEARDOWN(sriov)
{
	sim_set(NAME, "live", "0");
	EXPECT_EQ(0, sim_rmdir(NAME));
}

static int numvfs(const char *pf, const char *n)
{
	return attr_write(pf, "sriov_numvfs", n);
}

TEST_F(sriov, the_capability_describes_them)
{
	uint8_t cfg[CFG_SIZE];

	ASSERT_EQ(0, cfg_read(self->pf, cfg, CFG_SIZE, 0));
	EXPECT_EQ(PCI_EXT_CAP_ID_SRIOV | 1 << 16, le(cfg + CAP_SRIOV, 4)) TH_LOG("it is the last");
	EXPECT_EQ(VFS, le(cfg + CAP_SRIOV + PCI_SRIOV_INITIAL_VF, 2));
	EXPECT_EQ(VFS, le(cfg + CAP_SRIOV + PCI_SRIOV_TOTAL_VF, 2));
	EXPECT_EQ(0xa251, le(cfg + CAP_SRIOV + PCI_SRIOV_VF_DID, 2));
	EXPECT_TRUE(attr_is(self->pf, "sriov_totalvfs", "3"));
	EXPECT_TRUE(attr_is(self->pf, "sriov_offset", "1"));
	EXPECT_TRUE(attr_is(self->pf, "sriov_stride", "1"));
	EXPECT_TRUE(attr_is(self->pf, "sriov_vf_device", "a251"));
}

TEST_F_TIMEOUT(sriov, they_identify_themselves_as_the_hardware_does, 100)
{
	ASSERT_EQ(0, numvfs(self->pf, "3"));
	EXPECT_TRUE(attr_is(self->pf, "sriov_numvfs", "3"));
	for (int i = 0; i < VFS; i++) {
		EXPECT_TRUE(attr_is(self->vf[i], "vendor", "0x19e5")) TH_LOG("%s", self->vf[i]);
		EXPECT_TRUE(attr_is(self->vf[i], "device", "0xa251"));
		EXPECT_TRUE(attr_is(self->vf[i], "revision", "0x30"));
		EXPECT_TRUE(attr_is(self->vf[i], "class", "0x120000"));
		EXPECT_TRUE(attr_is(self->vf[i], "subsystem_device", "0xa251"));
	}
	ASSERT_EQ(0, numvfs(self->pf, "0"));
	for (int i = 0; i < VFS; i++)
		EXPECT_FALSE(sim_exists(self->vf[i]));
}

TEST_F_TIMEOUT(sriov, their_config_space_has_what_a_virtual_function_has, 100)
{
	uint8_t cfg[CFG_SIZE], junk[64];
	int exp, msi;

	ASSERT_EQ(0, numvfs(self->pf, "3"));
	ASSERT_EQ(0, cfg_read(self->vf[2], cfg, CFG_SIZE, 0));
	EXPECT_EQ(0xffffffff, le(cfg, 4)) TH_LOG("the capability has vendor and device");
	EXPECT_EQ(0, le(cfg + 0x100, 4));
	exp = find_cap(cfg, CAP_EXP);
	ASSERT_NE(0, exp);
	EXPECT_EQ(9, (le(cfg + exp + 2, 2) >> 4) & 0xf);
	EXPECT_TRUE(le(cfg + exp + 4, 4) & 1u << 28) TH_LOG("function-level reset");
	msi = find_cap(cfg, CAP_MSI);
	ASSERT_NE(0, msi);
	EXPECT_EQ(2, le(cfg + msi + 2, 2) >> 1 & 7) TH_LOG("4 messages");
	EXPECT_TRUE(le(cfg + msi + 2, 2) & PCI_MSI_FLAGS_64BIT);
	EXPECT_TRUE(le(cfg + msi + 2, 2) & PCI_MSI_FLAGS_MASKBIT);
	memset(junk, 0xff, sizeof(junk));
	ASSERT_EQ(0, cfg_write(self->vf[2], junk, sizeof(junk), 0));
	ASSERT_EQ(0, cfg_read(self->vf[2], junk, sizeof(junk), 0));
	EXPECT_EQ(PCI_COMMAND_MASTER, le(junk + PCI_COMMAND, 2));
	for (int at = 0x10; at < 0x28; at += 4)
		EXPECT_EQ(0, le(junk + at, 4));
	ASSERT_EQ(0, cfg_read(self->vf[1], cfg, CFG_SIZE, 0));
	EXPECT_EQ(0, le(cfg + PCI_COMMAND, 2)) TH_LOG("another's command register");
}

/* The first and the last address of a BAR. */
static int bar_get(const char *dir, int nr, uint64_t *start, uint64_t *end)
{
	char path[256], text[2048], *line = text;

	snprintf(path, sizeof(path), "%s/resource", dir);
	if (text_read(path, text, sizeof(text)) < 0)
		return -EIO;
	while (nr-- && line)
		line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
	return line && sscanf(line, "%lx %lx", start, end) == 2 ? 0 : -EIO;
}

TEST_F_TIMEOUT(sriov, their_bars_lie_side_by_side, 100)
{
	uint64_t first, start, end;

	ASSERT_EQ(0, numvfs(self->pf, "3"));
	for (int i = 0; i < VFS; i++) {
		ASSERT_EQ(0, bar_get(self->vf[0], QM_BAR_REGS, &first, &end));
		ASSERT_EQ(0, bar_get(self->vf[i], QM_BAR_REGS, &start, &end));
		EXPECT_EQ(QM_BAR2_VF_SIZE, end - start + 1);
		EXPECT_EQ(first + i * (uint64_t)QM_BAR2_VF_SIZE, start);
		ASSERT_EQ(0, bar_get(self->vf[0], QM_BAR_DB, &first, &end));
		ASSERT_EQ(0, bar_get(self->vf[i], QM_BAR_DB, &start, &end));
		EXPECT_EQ(SHARE * QM_DB_WINDOW, end - start + 1) TH_LOG("a function has as many windows as queues");
		EXPECT_EQ(first + i * SHARE * (uint64_t)QM_DB_WINDOW, start);
	}
	ASSERT_EQ(0, bar_get(self->pf, QM_BAR_DB, &start, &end));
	EXPECT_EQ(SHARE * QM_DB_WINDOW, end - start + 1);
}

TEST_F_TIMEOUT(sriov, numbers_out_of_range_are_refused, 100)
{
	EXPECT_EQ(-ERANGE, numvfs(self->pf, "4"));
	EXPECT_EQ(-ERANGE, numvfs(self->pf, "64"));
	EXPECT_TRUE(attr_is(self->pf, "sriov_numvfs", "0"));
	EXPECT_FALSE(sim_exists(self->vf[0]));
	ASSERT_EQ(0, numvfs(self->pf, "2"));
	EXPECT_EQ(-EBUSY, numvfs(self->pf, "3"));
	EXPECT_FALSE(sim_exists(self->vf[2]));
}

TEST_F(sriov, their_number_is_fixed_while_they_are_enabled)
{
	cfg_word_write(self->pf, CAP_SRIOV + PCI_SRIOV_NUM_VF, 2);
	cfg_word_write(self->pf, CAP_SRIOV + PCI_SRIOV_CTRL, PCI_SRIOV_CTRL_VFE | PCI_SRIOV_CTRL_MSE);
	cfg_word_write(self->pf, CAP_SRIOV + PCI_SRIOV_NUM_VF, 3);
	EXPECT_EQ(2, cfg_word(self->pf, CAP_SRIOV + PCI_SRIOV_NUM_VF));
	cfg_word_write(self->pf, CAP_SRIOV + PCI_SRIOV_TOTAL_VF, 9);
	EXPECT_EQ(VFS, cfg_word(self->pf, CAP_SRIOV + PCI_SRIOV_TOTAL_VF));
	cfg_word_write(self->pf, CAP_SRIOV + PCI_SRIOV_CTRL, 0);
	cfg_word_write(self->pf, CAP_SRIOV + PCI_SRIOV_NUM_VF, 3);
	EXPECT_EQ(3, cfg_word(self->pf, CAP_SRIOV + PCI_SRIOV_NUM_VF));
	cfg_word_write(self->pf, CAP_SRIOV + PCI_SRIOV_NUM_VF, 0);
}

TEST_F_TIMEOUT(sriov, their_registers_answer_and_tell_each_its_share, 200)
{
	volatile uint32_t *pf = regs_map(self->pf, QM_BAR2_PF_SIZE), *vf;

	ASSERT_NE(NULL, pf);
	/* Before they are enabled, as drivers do it. */
	cfg_word_write(self->pf, PCI_COMMAND, PCI_COMMAND_MEMORY);
	for (int i = 0; i < VFS; i++)
		ASSERT_EQ(0, share_set(pf, i + 1, entry(SHARE * (i + 1), SHARE - i)));
	ASSERT_EQ(0, numvfs(self->pf, "3"));
	for (int i = 0; i < VFS; i++) {
		vf = regs_map(self->vf[i], QM_BAR2_VF_SIZE);
		ASSERT_NE(NULL, vf);
		EXPECT_EQ(QM_CAP_V3_DEFAULT, REG(vf, QM_CAP_VERSION));
		EXPECT_EQ(1, REG(vf, QM_EQ_INT_MASK));
		EXPECT_EQ(entry(SHARE * (i + 1), SHARE - i), share(vf));
		munmap((void *)vf, QM_BAR2_VF_SIZE);
	}
	munmap((void *)pf, QM_BAR2_PF_SIZE);
}

TEST_F_TIMEOUT(sriov, a_reset_of_one_leaves_the_others_alone, 200)
{
	volatile uint32_t *pf = regs_map(self->pf, QM_BAR2_PF_SIZE), *one, *two;

	ASSERT_NE(NULL, pf);
	ASSERT_EQ(0, numvfs(self->pf, "3"));
	one = regs_map(self->vf[0], QM_BAR2_VF_SIZE);
	two = regs_map(self->vf[1], QM_BAR2_VF_SIZE);
	ASSERT_NE(NULL, one);
	ASSERT_NE(NULL, two);
	ASSERT_EQ(0, share_set(pf, 1, entry(16, 4)));
	REG(one, QM_PAGE_SIZE) = 0x11;
	REG(two, QM_PAGE_SIZE) = 0x22;
	REG(pf, QM_PAGE_SIZE) = 0x33;
	cfg_word_write(self->vf[1], PCI_COMMAND, PCI_COMMAND_MASTER);
	ASSERT_EQ(0, attr_write(self->vf[0], "reset", "1"));
	EXPECT_EQ(0, REG(one, QM_PAGE_SIZE));
	EXPECT_EQ(0x22, REG(two, QM_PAGE_SIZE));
	EXPECT_EQ(0x33, REG(pf, QM_PAGE_SIZE));
	EXPECT_EQ(PCI_COMMAND_MASTER, cfg_word(self->vf[1], PCI_COMMAND));
	EXPECT_EQ(entry(16, 4), share(one)) TH_LOG("only the physical function changes shares");
	EXPECT_TRUE(attr_is(self->pf, "sriov_numvfs", "3"));
}

TEST_F_TIMEOUT(sriov, a_reset_of_the_physical_function_resets_all, 200)
{
	volatile uint32_t *vf;

	ASSERT_EQ(0, numvfs(self->pf, "3"));
	for (int i = 0; i < VFS; i++) {
		vf = regs_map(self->vf[i], QM_BAR2_VF_SIZE);
		ASSERT_NE(NULL, vf);
		REG(vf, QM_PAGE_SIZE) = 0x11;
		cfg_word_write(self->vf[i], PCI_COMMAND, PCI_COMMAND_MASTER);
		munmap((void *)vf, QM_BAR2_VF_SIZE);
	}
	ASSERT_EQ(0, attr_write(self->pf, "reset", "1"));
	/* The PCI core has enabled them again. */
	EXPECT_EQ(VFS, cfg_word(self->pf, CAP_SRIOV + PCI_SRIOV_NUM_VF));
	for (int i = 0; i < VFS; i++) {
		vf = regs_map(self->vf[i], QM_BAR2_VF_SIZE);
		ASSERT_NE(NULL, vf);
		EXPECT_EQ(0, cfg_word(self->vf[i], PCI_COMMAND));
		EXPECT_TRUE(reg_becomes(vf, QM_PAGE_SIZE, ~0u, 0));
		EXPECT_NE(~0ull, share(vf)) TH_LOG("%s doesn't answer", self->vf[i]);
		munmap((void *)vf, QM_BAR2_VF_SIZE);
	}
}

TEST_F_TIMEOUT(sriov, they_come_back_in_their_first_state, 100)
{
	volatile uint32_t *vf;

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, numvfs(self->pf, "1"));
		EXPECT_EQ(0, cfg_word(self->vf[0], PCI_COMMAND));
		vf = regs_map(self->vf[0], QM_BAR2_VF_SIZE);
		ASSERT_NE(NULL, vf);
		EXPECT_EQ(0, REG(vf, QM_PAGE_SIZE));
		REG(vf, QM_PAGE_SIZE) = 0x11;
		cfg_word_write(self->vf[0], PCI_COMMAND, PCI_COMMAND_MASTER);
		munmap((void *)vf, QM_BAR2_VF_SIZE);
		ASSERT_EQ(0, numvfs(self->pf, "0"));
	}
}

/* Without memory space the registers are memory that the device doesn't look at. */
TEST_F(sriov, their_registers_answer_only_with_memory_space_enabled)
{
	volatile uint32_t *pf = regs_map(self->pf, QM_BAR2_PF_SIZE), *vf;

	ASSERT_NE(NULL, pf);
	ASSERT_EQ(0, numvfs(self->pf, "1"));
	vf = regs_map(self->vf[0], QM_BAR2_VF_SIZE);
	ASSERT_NE(NULL, vf);
	cfg_word_write(self->pf, CAP_SRIOV + PCI_SRIOV_CTRL, PCI_SRIOV_CTRL_VFE);
	/* Each answer comes after the device has looked; the first look may have begun before the write. */
	ASSERT_EQ(0, share_set(pf, 1, 0));
	ASSERT_EQ(0, share_set(pf, 1, 0));
	REG(vf, QM_MB_DATA_L) = 0;
	REG(vf, QM_MB_DATA_H) = 0;
	REG(vf, QM_MB) = QM_MB_CMD_SQC_VFT | QM_MB_OP_GET | QM_MB_BUSY;
	REG(vf, QM_MB_LAST) = 0;
	ASSERT_EQ(0, share_set(pf, 1, 0));
	ASSERT_EQ(0, share_set(pf, 1, 0));
	EXPECT_TRUE(REG(vf, QM_MB) & QM_MB_BUSY);
	EXPECT_NE(0xffff, cfg_word(self->vf[0], PCI_CAP_PTR)) TH_LOG("config space answers");
	cfg_word_write(self->pf, CAP_SRIOV + PCI_SRIOV_CTRL, PCI_SRIOV_CTRL_VFE | PCI_SRIOV_CTRL_MSE);
	EXPECT_TRUE(reg_becomes(vf, QM_MB, QM_MB_BUSY, 0));
}

TEST_F_TIMEOUT(sriov, the_device_goes_with_them_enabled, 100)
{
	ASSERT_EQ(0, numvfs(self->pf, "3"));
	EXPECT_EQ(0, sim_set(NAME, "live", "0"));
	EXPECT_FALSE(sim_exists(self->vf[0]));
	EXPECT_FALSE(sim_exists(self->pf));
	EXPECT_EQ(0, sim_set(NAME, "live", "1"));
}

TEST_F_TIMEOUT(sriov, the_device_is_pulled_out_with_them_enabled, 100)
{
	volatile uint32_t *vf;

	ASSERT_EQ(0, numvfs(self->pf, "3"));
	vf = regs_map(self->vf[2], QM_BAR2_VF_SIZE);
	ASSERT_NE(NULL, vf);
	ASSERT_EQ(0, sim_set(NAME, "faults/gone", "1"));
	EXPECT_EQ(0xffff, cfg_word(self->vf[2], PCI_CAP_PTR));
	EXPECT_EQ(~0u, REG(vf, QM_CAP_VERSION));
	munmap((void *)vf, QM_BAR2_VF_SIZE);
	EXPECT_EQ(0, sim_set(NAME, "faults/remove", "now"));
	EXPECT_FALSE(sim_exists(self->vf[2]));
	EXPECT_TRUE(sim_is(NAME, "live", "0"));
}

TEST_F_TIMEOUT(sriov, survives_any_value_in_any_register, 300)
{
	uint32_t seed = 1, value;

	ASSERT_EQ(0, numvfs(self->pf, "3"));
	for (int round = 0; round < 4; round++) {
		for (int at = 0; at < 0x200; at += 4) {
			seed = seed * 1103515245 + 12345;
			value = seed ^ seed >> 16;
			ASSERT_EQ(0, cfg_write(self->vf[round % VFS], &value, 4, at));
			/* Enabled and disabled under the kernel's feet. */
			ASSERT_EQ(0, cfg_write(self->pf, &value, 4, CAP_SRIOV + PCI_SRIOV_CTRL + at % 0x38 / 4 * 4));
		}
	}
	cfg_word_write(self->pf, CAP_SRIOV + PCI_SRIOV_CTRL, 0);
}

TEST_F_TIMEOUT(sriov, they_come_and_go_on_a_busy_machine, 400)
{
	pid_t pids[BURNERS];
	int err = 0, i;

	for (i = 0; i < BURNERS; i++) {
		pids[i] = fork();
		if (!pids[i])
			for (;;)
				__asm__ volatile("");
	}
	for (i = 0; i < CYCLES && !err; i++) {
		volatile uint32_t *vf;

		err = numvfs(self->pf, "3");
		vf = err ? NULL : regs_map(self->vf[2], QM_BAR2_VF_SIZE);
		/* The kernel has waited for the device before it made the function visible. */
		if (!vf || REG(vf, QM_CAP_VERSION) != QM_CAP_V3_DEFAULT || REG(vf, QM_PAGE_SIZE))
			break;
		REG(vf, QM_PAGE_SIZE) = 0x11;
		munmap((void *)vf, QM_BAR2_VF_SIZE);
		err = numvfs(self->pf, "0");
	}
	for (int j = 0; j < BURNERS; j++) {
		kill(pids[j], SIGKILL);
		waitpid(pids[j], NULL, 0);
	}
	EXPECT_EQ(0, err);
	EXPECT_EQ(CYCLES, i);
}

TEST_F_TIMEOUT(sriov, a_device_can_have_63, 400)
{
	char path[256];
	volatile uint32_t *vf;

	ASSERT_EQ(0, sim_set(NAME, "live", "0"));
	ASSERT_EQ(0, device_up("63", "1024", self->address, sizeof(self->address), self->pf, sizeof(self->pf)));
	ASSERT_EQ(0, attr_write(self->pf, "sriov_drivers_autoprobe", "0"));
	ASSERT_EQ(0, numvfs(self->pf, "63"));
	for (int i = 0; i < 63; i++) {
		snprintf(path, sizeof(path), "%s/virtfn%d", self->pf, i);
		vf = regs_map(path, QM_BAR2_VF_SIZE);
		ASSERT_NE(NULL, vf) TH_LOG("%s", path);
		EXPECT_NE(~0ull, share(vf)) TH_LOG("%s doesn't answer", path);
		munmap((void *)vf, QM_BAR2_VF_SIZE);
	}
	EXPECT_EQ(0, numvfs(self->pf, "0"));
	EXPECT_FALSE(sim_exists(path));
}

TEST_HARNESS_MAIN
