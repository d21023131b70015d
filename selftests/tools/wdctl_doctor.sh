#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl doctor on recorded machines, without modules or root.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/roots.sh"

doctor() {
	wdctl doctor --root "$1" | grep -v '^ok *memlock\|^note *memlock'
}

healthy() {
	make_root "$1"
	install_all "$1"
	load_all "$1"
	add_device "$1" hisi_zip-0 0000:75:00.0
	mkdir -p "$1/sys/kernel/config/uacce/sections"
	put "$1/etc/group" "root:x:0:
accel:x:999:"
	put "$1/etc/warpdrive/sections.conf" "[SSL]"
	put "$1/etc/systemd/system/multi-user.target.wants/warpdrive-sections.service" ""
	put "$1/sys/bus/pci/devices/0000:00:05.0/vendor" 0x1af4
	put "$1/sys/bus/pci/devices/0000:00:05.0/device" 0x1110
	put "$1/sys/bus/pci/devices/0000:00:05.0/resource" "0x0000000000000000 0x0000000000000000 0x0
0x0000000000000000 0x0000000000000000 0x0
0x00000000c0000000 0x00000000c3ffffff 0x0"
}

test_doctor_finds_no_problem_on_a_healthy_machine() {
	healthy r
	doctor r >got
	golden got <<'END'
ok       kernel     6.1.0-48-test
ok       kernel     r/boot/config-6.1.0-48-test has all options that the modules need
ok       modules    uacce: loaded (0.2.0), installed: updates
ok       modules    hisi_qm: loaded (0.2.0), installed: updates
ok       modules    hisi_zip: loaded (0.2.0), installed: updates
ok       modules    hisi_sec2: loaded (0.2.0), installed: updates
ok       modules    hisi_hpre: loaded (0.2.0), installed: updates
ok       modules    hisi_sim: loaded (0.2.0), installed: updates
ok       devices    hisi_zip-0: zlib gzip deflate
ok       sva        hisi_zip-0: sva-iommu
ok       nodes      /dev/hisi_zip-0 can be opened
ok       simulator  room for its registers: 64 MiB at 0000:00:05.0
ok       sections   the loaded uacce has sections
ok       sections   group accel exists
ok       sections   /etc/warpdrive/sections.conf is restored at boot
ok       numa       nodes 0-1 are online
ok       configfs   mounted on /sys/kernel/config
no problems
END
}

# Programs that remedies use; not every machine has all of them.
REMEDY_PROGRAMS=' dracut update-initramfs echo mkdir rm mknod mount modprobe depmod dkms ldconfig groupadd usermod '
REMEDY_PROGRAMS+='udevadm systemctl ulimit chmod '

# a_command WORD...: wdctl and make must have the command or target and its options; any other program must be in the
# list.
a_command() {
	local o

	case $1 in
	wdctl)
		wdctl --list-cmds | grep -qxF -- "$2" || return
		for o in "${@:3}"; do
			[[ $o != -* ]] || wdctl --list-opts "$2" | tr -d = | grep -qxF -- "$o" || return
		done
		;;
	make)
		[ $# = 2 ] && grep -q "^$2:" "$TOP/Makefile"
		;;
	*)
		[[ $REMEDY_PROGRAMS == *" $1 "* ]]
		;;
	esac
}

# commands_of FILE: every remedy after an arrow is a command that bash parses, and all its names exist.
commands_of() {
	local line part

	sed -n 's/^ * -> //p' "$1" >commands
	while read -r line; do
		bash -n -c "$line"
		not grep -e '<' -e '\.\.\.' -e '[A-Z]\{4\}' <<<"$line"
		while read -r part; do
			# shellcheck disable=SC2086
			a_command ${part%% >*} || {
				echo "no such command: $part"
				return 1
			}
		done < <(sed 's/ && /\n/g' <<<"$line")
	done <commands
	# Any other remedy is a sentence.
	sed -n '/^ * -> /d; s/^ \{20\}//p' "$1" | not grep -v '^[A-Z].*\.$'
}

# problem ROOT TEXT: doctor exits with 1 and reports this problem, with a remedy.
problem() {
	exits 1 wdctl doctor --root "$1" >got
	grep -F -- "$2" got | grep -q '^problem' || {
		echo "no problem '$2' in:"
		cat got
		return 1
	}
	grep -A1 -F -- "$2" got | tail -1 | grep -q '^ '
	commands_of got
}

note() {
	wdctl doctor --root "$1" >got
	grep -F -- "$2" got | grep -q '^note' || {
		echo "no note '$2' in:"
		cat got
		return 1
	}
	commands_of got
}

# remedy TEXT COMMAND: the finding in the file got has exactly this command.
remedy() {
	[ "$(grep -A1 -F -- "$1" got | sed -n 's/^ * -> //p')" = "$2" ] || {
		echo "expected '$2' after '$1' in:"
		cat got
		return 1
	}
}

test_doctor_names_each_kernel_problem() {
	local o

	healthy r
	put r/proc/sys/kernel/osrelease 5.10.0-test
	problem r "5.10.0-test is too old"
	put r/proc/sys/kernel/osrelease next
	problem r "release 'next' doesn't begin with MAJOR.MINOR"
	put r/proc/sys/kernel/osrelease "$REL"
	for o in MODULES PCI PCI_MSI CONFIGFS_FS; do
		cp "r/boot/config-$REL" keep
		sed -i "s/^CONFIG_$o=.*/# CONFIG_$o is not set/" "r/boot/config-$REL"
		problem r "built without CONFIG_$o"
		mv keep "r/boot/config-$REL"
	done
	echo CONFIG_UACCE=y >>"r/boot/config-$REL"
	problem r "the kernel's own uacce is built in"
	sed -i '/UACCE/d' "r/boot/config-$REL"
	echo CONFIG_MODULE_SIG_FORCE=y >>"r/boot/config-$REL"
	problem r "loads signed modules only"
	sed -i '/SIG_FORCE/d' "r/boot/config-$REL"
	put r/sys/kernel/security/lockdown "none [integrity] confidentiality"
	problem r "is locked down (none [integrity] confidentiality)"
	put r/sys/kernel/security/lockdown "[none] integrity confidentiality"
	gzip -c "r/boot/config-$REL" >r/proc/config.gz
	rm "r/boot/config-$REL"
	wdctl doctor --root r >got
	says "r/proc/config.gz" got
	rm r/proc/config.gz
	note r "no configuration found in /proc/config.gz, /boot or /lib/modules/$REL"
}

test_doctor_names_each_module_problem() {
	healthy r
	rm -r r/sys/module/hisi_zip
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded"
	remedy "hisi_zip: installed" "wdctl load"
	load_module r hisi_zip 0.0.9
	problem r "hisi_zip: the loaded module (0.0.9) is another build than the installed one (updates, 0.2.0)"
	put r/sys/module/hisi_zip/srcversion SRC0.2.0
	problem r "hisi_zip: the loaded module (0.0.9) is another build than the installed one (updates, 0.2.0)"
	remedy "hisi_zip: the loaded" "wdctl unload && wdctl load"
	rm -r r/sys/module/hisi_zip r/lib/modules
	mkdir -p "r/lib/modules/$REL"
	depmod -b r "$REL"
	problem r "hisi_zip: not installed for kernel $REL"
	remedy "hisi_zip: not installed" "make install-modules"
	put "r/usr/src/warpdrive-$(cat "$TOP/VERSION")/dkms.conf" ""
	problem r "hisi_zip: not installed for kernel $REL"
	remedy "hisi_zip: not installed" "dkms install warpdrive/$(cat "$TOP/VERSION") -k $REL"
	rm -r r/sys/module/hisi_sim
	wdctl doctor --root r >got || :
	grep -q "^note .*hisi_sim: not installed" got
}

test_doctor_only_notes_a_driver_without_a_device() {
	healthy r
	rm -r r/sys/module/hisi_sim r/sys/module/hisi_sec2
	note r "hisi_sec2: installed (updates, 0.2.0), not loaded; this machine has no device for it"
	says "no problems" got
	rm "r/lib/modules/$REL/updates/hisi_sec2.ko"
	depmod -b r "$REL"
	note r "hisi_sec2: not installed for kernel $REL; this machine has no device for it"
	# The driver of a device that is there, and of one that the simulator may get.
	mv r/sys/module/hisi_zip .
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded"
	mv hisi_zip r/sys/module/
	load_module r hisi_sim 0.2.0
	problem r "hisi_sec2: not installed for kernel $REL"
	# A simulator that was told which devices to make.
	put r/sys/module/hisi_sim/parameters/devices zip,zip
	note r "hisi_sec2: not installed for kernel $REL; this machine has no device for it"
	put r/sys/module/hisi_sim/parameters/devices zip,sec
	problem r "hisi_sec2: not installed for kernel $REL"
}

test_doctor_only_notes_modules_on_a_machine_without_accelerators() {
	make_root r
	install_all r
	exits 1 wdctl doctor --root r >got
	says "hisi_qm: installed (updates, 0.2.0), not loaded; this machine has no accelerator" got
	not grep "^problem *modules" got
	remedy "no accelerator, so" "wdctl load --sim zip"
}

# build_module FILE WORD: a module with the linker's note, as in the kernel's build.
build_module() {
	printf 'static const char w[] __attribute__((section(".modinfo"), used)) = "description=%s";\n' "$2" |
		gcc -c -x c -o m.o -
	ld -r --build-id=sha1 -o "$1" m.o
}

test_doctor_notices_another_build_of_the_same_version() {
	local ko=r/lib/modules/$REL/updates/hisi_zip.ko

	healthy r
	build_module "$ko" one
	depmod -b r "$REL"
	mkdir r/sys/module/hisi_zip/notes
	objcopy -O binary --only-section=.note.gnu.build-id "$ko" r/sys/module/hisi_zip/notes/.note.gnu.build-id
	wdctl doctor --root r >got
	build_module "$ko" two
	problem r \
		"hisi_zip: the loaded module (0.2.0) is another build than the installed one (updates, without version)"
	echo garbage >"$ko"
	wdctl doctor --root r >got || :
	not says "another build" got >/dev/null
}

test_doctor_tells_the_kernels_own_modules_apart() {
	make_root r
	add_module r uacce kernel/drivers/misc/uacce 1.0
	depmod -b r "$REL"
	load_module r uacce 1.0 ""
	exits 1 wdctl doctor --root r >got
	says "uacce: the kernel's own module is loaded (1.0)" got
	commands_of got
	remedy "uacce: the kernel's own" "wdctl unload && make install-modules && wdctl load"
}

# foreign ROOT: a machine with the kernel's own modules and a device of generation 3.
foreign() {
	local m

	make_root "$1"
	for m in uacce hisi_qm hisi_zip; do
		add_module "$1" $m kernel/drivers/any 1.0
		load_module "$1" $m 1.0 ""
	done
	depmod -b "$1" "$REL"
	add_mainline_device "$1" hisi_zip-0 0000:75:00.0 region_mmio_size=65536
	mkdir -p "$1/sys/module/hisi_zip/parameters"
	put "$1/etc/group" "accel:x:999:"
}

test_doctor_says_once_that_the_uacce_is_another_one() {
	local other="this is another uacce than WarpDrive's"

	foreign r
	note r "$other"
	[ "$(grep -c -- '->' got)" = 1 ]
	remedy "$other" "wdctl unload && make install-modules && wdctl load"
	says "hisi_zip: the kernel's own module is loaded (1.0)" got
	not grep -E 'the loaded uacce has|restored at boot|mailbox' got
	install_all r
	problem r "uacce: the kernel's own module is loaded (1.0) instead of the installed one"
	remedy "$other" "wdctl unload && wdctl load"
}

test_remedies_work_on_another_uacce() {
	foreign r
	rm r/sys/module/uacce/initstate "r/lib/modules/$REL/kernel/drivers/any/uacce.ko"
	put "r/lib/modules/$REL/modules.builtin" kernel/drivers/any/uacce.ko
	depmod -b r "$REL"
	echo CONFIG_UACCE=y >>"r/boot/config-$REL"
	note r "this is another uacce than WarpDrive's"
	says "WarpDrive's modules need a kernel with CONFIG_UACCE=m or without CONFIG_UACCE." got
	not grep -E 'make install-modules|wdctl save|wdctl load' got
	put r/sys/class/uacce/hisi_zip-0/available_instances 0
	note r "hisi_zip-0: all its queues are in use"
	remedy "hisi_zip-0: all its queues" "wdctl unload --dry-run"
	put r/sys/devices/pci/0000:75:00.0/numa_node 7
	problem r "hisi_zip-0: numa_node is node 7"
	remedy "hisi_zip-0: numa_node" "echo 0 >/sys/bus/pci/devices/0000:75:00.0/numa_node"
}

# Whoever may open such a device has the whole function, whatever the version of the kernel.
test_doctor_names_a_mailbox_that_every_opener_maps() {
	local d=r/sys/class/uacce/hisi_zip-0 mailbox="hisi_zip-0: every process that opens it maps the device's mailbox"

	foreign r
	put $d/api hisi_qm_v2
	put $d/region_mmio_size 8192
	problem r "$mailbox"
	remedy "$mailbox" "chmod 600 /dev/hisi_zip-0"
	chmod 600 r/dev/hisi_zip-0
	note r "$mailbox"
	says "; only root may open it" got
	# With pages of 64 KiB the size says nothing.
	chmod 660 r/dev/hisi_zip-0
	put $d/region_mmio_size 65536
	problem r "$mailbox"
	# A later device may lack windows of its own as well.
	put $d/api hisi_qm_v3
	put $d/region_mmio_size 8192
	problem r "$mailbox"
	# On this project's uacce the kernel rings.
	put $d/api hisi_qm_v2
	put $d/priority 0
	wdctl doctor --root r >got || :
	not grep mailbox got
}

# An installed driver of a device that is there, and is not loaded.
refused_root() {
	healthy r
	rm -r r/sys/module/hisi_zip
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded"
	remedy "hisi_zip: installed" "wdctl load"
}

test_doctor_says_that_a_module_is_unsigned() {
	local only='it is unsigned, and this kernel loads signed modules only'

	refused_root
	put r/sys/kernel/security/lockdown "none [integrity] confidentiality"
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded; $only: it is locked down"
	says "$only: it is locked down (none [integrity] confidentiality)" got
	says "run 'make install-modules', which signs" got
	put r/sys/kernel/security/lockdown "[none] integrity confidentiality"
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded"
	not grep unsigned got
	put r/sys/module/module/parameters/sig_enforce N
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded"
	not grep unsigned got
	put r/sys/module/module/parameters/sig_enforce Y
	problem r "not loaded; $only: /sys/module/module/parameters/sig_enforce is Y"
	rm r/sys/module/module/parameters/sig_enforce
	echo CONFIG_MODULE_SIG_FORCE=y >>"r/boot/config-$REL"
	problem r "not loaded; it is unsigned, and this kernel loads signed modules only: CONFIG_MODULE_SIG_FORCE"
}

test_doctor_says_whose_signature_is_not_trusted() {
	local m

	refused_root
	for m in uacce hisi_qm hisi_zip hisi_sec2 hisi_hpre hisi_sim; do
		sign_module r $m "my key"
	done
	put r/sys/module/module/parameters/sig_enforce Y
	put r/proc/keys "1 I------ 1 perm 1f030000 0 0 asymmetri my key 2: 0123: X509.rsa 0123 []
2 I------ 1 perm 1f030000 0 0 keyring my key: 1"
	problem r "not loaded; it is signed with the key 'my key', which this kernel doesn't trust"
	says "mokutil --import" got
	grep -q "^ok .*the kernel loads signed modules only" got
	put r/proc/keys "1 I------ 1 perm 1f030000 0 0 asymmetri my key: 0123: X509.rsa 0123 []"
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded"
	not grep trust got
	# Without keys to read nothing is known.
	rm r/proc/keys
	problem r "hisi_zip: installed (updates, 0.2.0), not loaded"
	not grep trust got
	load_module r hisi_zip 0.2.0
	wdctl doctor --root r >got
}

test_doctor_says_that_a_module_is_of_another_kernel() {
	refused_root
	add_module r hisi_zip updates 0.2.0 "" "5.10.0-1-test SMP mod_unload "
	depmod -b r "$REL"
	problem r \
		"hisi_zip: installed (updates, 0.2.0), not loaded; it was built for kernel 5.10.0-1-test, not for $REL"
	remedy "hisi_zip: installed" "make install-modules"
	add_module r hisi_zip updates 0.2.0 "" "${REL}x SMP mod_unload "
	problem r "it was built for kernel ${REL}x, not for $REL"
	add_module r hisi_zip updates 0.2.0 "" "$REL SMP mod_unload "
	problem r "hisi_zip: installed"
	remedy "hisi_zip: installed" "wdctl load"
}

test_doctor_says_who_forbids_a_module() {
	refused_root
	put r/etc/modprobe.d/1.conf "blacklist hisi_sec2"
	problem r "hisi_zip: installed"
	remedy "hisi_zip: installed" "wdctl load"
	put r/run/modprobe.d/2.conf "blacklist hisi-zip"
	problem r "not loaded; modprobe.d says 'blacklist hisi_zip', so udev doesn't load it"
	put r/lib/modprobe.d/3.conf "install hisi_zip /bin/false"
	problem r "not loaded; modprobe.d says 'install hisi_zip /bin/false', which runs instead"
	put r/proc/cmdline "quiet module_blacklist=floppy,hisi_zip ro"
	problem r "not loaded; the kernel was booted with module_blacklist=hisi_zip"
	put r/proc/cmdline "quiet module_blacklist=floppy,hisi_zip2 ro"
	problem r "not loaded; modprobe.d says 'install"
}

test_doctor_notices_modules_from_an_initramfs() {
	healthy r
	load_module r uacce 1.0 ""
	local own="uacce: the kernel's own module is loaded (1.0) instead of the installed one (updates, 0.2.0)"
	problem r "$own: from the initramfs"
	remedy "uacce: the kernel's own" "update-initramfs -u -k $REL && wdctl unload && wdctl load"
	put r/usr/bin/dracut ""
	problem r "uacce: the kernel's own"
	remedy "uacce: the kernel's own" "dracut --force --kver $REL && wdctl unload && wdctl load"
	load_module r uacce 0.1.9
	problem r "(updates, 0.2.0); it is older: loaded before an upgrade, or from an old initramfs"
	load_module r uacce 0.10.0
	problem r "uacce: the loaded module (0.10.0) is another build"
	not grep older got
}

test_doctor_names_each_device_problem() {
	make_root r
	install_all r
	load_all r
	problem r "no accelerator"
	remedy "no accelerator" "wdctl load --sim zip"
	add_device r hisi_zip-0 0000:75:00.0 isolate=1
	problem r "hisi_zip-0: isolated"
	local folder=/sys/bus/pci/drivers/hisi_zip
	remedy "hisi_zip-0: isolated" "echo 0000:75:00.0 >$folder/unbind && echo 0000:75:00.0 >$folder/bind"
	put r/sys/devices/pci/0000:75:00.0/reset ""
	problem r "hisi_zip-0: isolated"
	remedy "hisi_zip-0: isolated" "wdctl device reset hisi_zip-0"
	put r/sys/class/uacce/hisi_zip-0/isolate 0
	put r/sys/class/uacce/hisi_zip-0/flags 0
	problem r "hisi_zip-0: no shared virtual addressing"
	put r/sys/class/uacce/hisi_zip-0/flags 1
	put r/sys/class/uacce/hisi_zip-0/iommu none
	problem r "hisi_zip-0: no shared virtual addressing"
	put r/sys/class/uacce/hisi_zip-0/iommu sva-sim
	put r/sys/class/uacce/hisi_zip-0/zone_id 7
	problem r "hisi_zip-0: zone_id is node 7, but only 0-1 are online"
	remedy "hisi_zip-0: zone_id" "wdctl device set hisi_zip-0 Zone=0"
	put r/sys/class/uacce/hisi_zip-0/zone_id -1
	put r/sys/class/uacce/hisi_zip-0/priority 1000
	note r "hisi_zip-0: priority 1000 is outside -100..99"
	remedy "hisi_zip-0: priority" "wdctl device set hisi_zip-0 Priority=0"
	put r/sys/class/uacce/hisi_zip-0/priority 0
	put r/sys/class/uacce/hisi_zip-0/available_instances 0
	note r "hisi_zip-0: all its queues are in use"
	remedy "hisi_zip-0: all its queues" "wdctl ctx --dev hisi_zip-0"
	put r/sys/class/uacce/hisi_zip-0/available_instances 256
	put r/sys/class/uacce/hisi_zip-0/api hisi_qm_v1
	note r "hisi_zip-0: the libraries have no driver for api 'hisi_qm_v1'"
	rm r/dev/hisi_zip-0
	problem r "/dev/hisi_zip-0 is missing"
	remedy "/dev/hisi_zip-0 is missing" "mknod -m 660 /dev/hisi_zip-0 c 240 0"
}

# A device without shared virtual addressing, and the four reasons for it.
test_doctor_says_why_address_spaces_are_not_shared() {
	local config=r/boot/config-$REL function=r/sys/devices/pci/0000:75:00.0

	healthy r
	put r/sys/class/uacce/hisi_zip-0/flags 0
	echo CONFIG_IOMMU_SVA=y >>"$config"
	problem r 'no shared virtual addressing, which the libraries need: no IOMMU translates'
	put $function/iommu_group/type identity
	problem r 'which the libraries need: the IOMMU passes'
	put $function/iommu_group/type DMA-FQ
	problem r 'which the libraries need: its IOMMU refuses it'
	sed -i '/IOMMU_SVA/d' "$config"
	problem r 'which the libraries need: this kernel was built without CONFIG_IOMMU_SVA'
	echo CONFIG_ARM64=y >>"$config"
	problem r 'which the libraries need: this kernel was built without CONFIG_ARM_SMMU_V3_SVA'
	echo CONFIG_ARM_SMMU_V3_SVA=y >>"$config"
	problem r 'which the libraries need: its IOMMU refuses it'
}

# The same of a device that works all the same: a note with the reason and the costs.
test_doctor_says_why_a_device_is_mediated() {
	local config=r/boot/config-$REL function=r/sys/devices/pci/0000:75:00.0 device=hisi_zip-0

	healthy r
	put r/sys/class/uacce/$device/flags 0
	put r/sys/class/uacce/$device/iommu mediated
	echo CONFIG_IOMMU_SVA=y >>"$config"
	note r "$device: mediated, without shared virtual addressing: no IOMMU translates"
	says 'the kernel executes each submission, which costs a system call' got
	says 'a copy, or a pin and a mapping' got
	put r/proc/cpuinfo 'flags		: fpu vme'
	note r 'virtual addressing: no IOMMU translates'
	put r/proc/cpuinfo 'flags		: fpu hypervisor lahf_lm'
	note r 'virtual addressing: this is a guest'
	rm r/proc/cpuinfo
	put r/sys/class/dmi/id/sys_vendor QEMU
	note r 'virtual addressing: this is a guest'
	rm -r r/sys/class/dmi
	put r/sys/firmware/devicetree/base/compatible linux,dummy-virt
	note r 'virtual addressing: this is a guest'
	rm -r r/sys/firmware
	put $function/iommu_group/type identity
	note r 'virtual addressing: the IOMMU passes'
	echo CONFIG_ARM64=y >>"$config"
	note r 'virtual addressing: this kernel was built without CONFIG_ARM_SMMU_V3_SVA'
	rm "$config"
	note r 'virtual addressing: the IOMMU passes'
	put $function/iommu_group/type DMA-FQ
	note r 'virtual addressing: its IOMMU refuses it'
	put r/sys/class/uacce/$device/simulated 1
	note r 'virtual addressing: it is simulated without'
	# The file's section isn't there.
	rm r/etc/warpdrive/sections.conf
	put r/sys/kernel/config/uacce/devices/$device/memory mediated
	note r "$device: mediated, as its attribute memory demands"
	put r/sys/kernel/config/uacce/devices/$device/memory sva
	problem r "$device: nobody can open it"
	remedy "$device: nobody can open it" "wdctl device set $device Memory=auto"
}

test_doctor_finds_functions_that_gave_no_device() {
	healthy r
	put r/sys/bus/pci/devices/0000:76:00.0/vendor 0x19e5
	put r/sys/bus/pci/devices/0000:76:00.0/device 0xa255
	problem r "0000:76:00.0: no driver is bound to it; expected hisi_sec2"
	remedy "0000:76:00.0: no driver" "echo 0000:76:00.0 >/sys/bus/pci/drivers/hisi_sec2/bind"
	mv r/sys/module/hisi_sec2 keep
	problem r "0000:76:00.0: no driver is bound to it; expected hisi_sec2"
	remedy "0000:76:00.0: no driver" "wdctl load"
	mv keep r/sys/module/hisi_sec2
	ln -s ../../drivers/hisi_sec2 r/sys/bus/pci/devices/0000:76:00.0/driver
	problem r "0000:76:00.0: driver hisi_sec2 is bound to it, but registered no uacce device"
	put r/sys/module/hisi_sec2/parameters/uacce_mode 0
	problem r "0000:76:00.0: driver hisi_sec2 is bound to it, but registered no uacce device"
	remedy "0000:76:00.0: driver" "modprobe -r hisi_sec2 && modprobe hisi_sec2 uacce_mode=1"
}

test_doctor_answers_for_the_caller() {
	[ "$(id -u)" = 0 ] || skip "needs root to become another user"
	setpriv --reuid 65534 --clear-groups test -x "$OUT/bin/wdctl" || skip "another user can't reach the build"
	healthy r
	chmod 755 "$WORK"
	wdctl doctor --root r >/dev/null
	exits 1 setpriv --reuid 65534 --regid 65534 --clear-groups wdctl doctor --root r >got
	says "/dev/hisi_zip-0 (mode 660, group 0) can't be opened by user 65534" got
	local rules=/etc/udev/rules.d/60-warpdrive.rules
	says "-> groupadd --force --system accel && wdctl export udev >$rules && udevadm" got
	commands_of got
	chgrp 1 r/dev/hisi_zip-0
	exits 1 setpriv --reuid 65534 --regid 65534 --clear-groups wdctl doctor --root r >got
	remedy "can't be opened" "usermod --append --groups $(getent group 1 | cut -d: -f1) $(id -nu 65534)"
	chmod 666 r/dev/hisi_zip-0
	setpriv --reuid 65534 --regid 65534 --clear-groups wdctl doctor --root r >got
	says "/dev/hisi_zip-0 is open to every user (mode 666)" got
	commands_of got
}

test_doctor_names_what_surrounds_the_kernel() {
	healthy r
	put r/proc/mounts "none / tmpfs rw 0 0"
	problem r "not mounted on /sys/kernel/config"
	remedy "not mounted" "modprobe configfs && mount -t configfs configfs /sys/kernel/config"
	rm r/proc/mounts
	note r "/proc/mounts can't be read"
	rm -r r/sys/devices/system
	note r "this kernel has no NUMA nodes"
	rm -r r/sys/bus/pci/devices/0000:00:05.0
	note r "no memory range for the registers of simulated devices"
	put r/sys/module/hisi_sim/parameters/aperture 0x100000000
	wdctl doctor --root r >got
	says "its registers are at 0x100000000" got
}

test_doctor_names_what_sections_lack() {
	healthy r
	rmdir r/sys/kernel/config/uacce/sections
	note r "the loaded uacce has no sections"
	mkdir r/sys/kernel/config/uacce/sections
	put r/etc/group "xaccel:x:999:"
	note r "group accel doesn't exist"
	chmod 666 r/dev/hisi_zip-0
	wdctl doctor --root r >got
	says "group accel doesn't exist, but users can open device nodes without it" got
	not grep -q 'only root can open' got
	chmod 660 r/dev/hisi_zip-0
	rm r/etc/group
	note r "group accel doesn't exist"
	remedy "group accel" "groupadd --system accel && udevadm trigger --subsystem-match=uacce"
	rm r/etc/systemd/system/multi-user.target.wants/warpdrive-sections.service
	note r "warpdrive-sections.service is not enabled"
	remedy "is not enabled" "systemctl enable warpdrive-sections.service"
	rm r/etc/warpdrive/sections.conf
	note r "no sections are restored at boot: /etc/warpdrive/sections.conf doesn't exist"
}

test_doctor_compares_the_kernel_with_the_file() {
	local u=r/sys/kernel/config/uacce

	healthy r
	mkdir -p $u/devices $u/sections/SSL
	put $u/sections/SSL/status live
	put $u/devices/hisi_zip-0/priority 3
	doctor r >got
	says "the kernel has what /etc/warpdrive/sections.conf declares" got
	put r/etc/warpdrive/sections.conf "[SSL] NumProcesses = 2 Devices = 0000:b5:00.0
[Web]
[Who] AllowedUsers = nobody-there
[device hisi_zip-0] Priority = 4"
	put $u/sections/Mine/status live
	exits 1 doctor r >got
	says "sections.conf has 1 error, in line 3: [Who] AllowedUsers: expected the name of an existing user" got
	says "not as /etc/warpdrive/sections.conf declares it: section SSL: drain and wait, ..." got
	says "not as /etc/warpdrive/sections.conf declares it: section Web: make, ..." got
	says "not as /etc/warpdrive/sections.conf declares it: device hisi_zip-0: priority = 4 (was 3)" got
	says "-> wdctl apply --missing-ok /etc/warpdrive/sections.conf" got
	says "section SSL: device 0000:b5:00.0 is not present: its share waits for it" got
	says "section Mine: not in the file" got
	says "5 problems" got
}

test_doctor_json_is_valid_and_counts() {
	healthy r
	put r/sys/class/uacce/hisi_zip-0/isolate 1
	exits 1 wdctl doctor --json --root r >got
	python3 -c '
import json
d = json.load(open("got"))
assert d["problems"] == 1, d
bad = [f for f in d["findings"] if f["state"] == "problem"]
assert len(bad) == 1 and bad[0]["area"] == "devices" and bad[0]["remedy"] and bad[0]["command"] is True, bad
assert all(set(f) == {"state", "area", "text", "remedy", "command"} for f in d["findings"])
assert not any(f["command"] for f in d["findings"] if f["remedy"] is None)'
}

test_doctor_names_what_a_simulated_device_lacks() {
	healthy r
	sec_device r
	crypto sha1 sha256 sha512 >r/proc/crypto
	note r "hisi_sec2-0: lacks md5, which this kernel doesn't compute for it"
	put r/sys/module/hisi_sim/parameters/devices sec,zip
	note r "hisi_sec2-0: lacks md5"
	remedy "hisi_sec2-0: lacks" "modprobe -a crypto-md5 && wdctl unload && wdctl load --sim sec,zip"
	put r/proc/sys/crypto/fips_enabled 1
	note r "hisi_sec2-0: lacks md5"
	says "Boot without fips=1" got
	crypto md5 sha1 sha256 sha512 >r/proc/crypto
	doctor r >got
	[ "$(grep -c algorithms got)" = 0 ]
}

# software_path: doctor's finding with this process' libcrypto.
software_path() {
	{ wdctl doctor --json || :; } | python3 -c '
import json, sys
f, = [f for f in json.load(sys.stdin)["findings"]
      if f["area"] == "algorithms" and f["text"].startswith("software path")]
print(f["state"], f["text"], f["remedy"])'
}

test_doctor_names_what_the_software_path_lacks() {
	software_path >got
	says "xts(sm4)" got
	[ "$(grep -c 'gcm(aes)\|sha256' got)" = 0 ]
	printf '%s\n' 'openssl_conf = a' '[a]' 'providers = b' '[b]' 'base = c' '[c]' 'activate = 1' >conf
	OPENSSL_CONF=$PWD/conf software_path >got
	says "note software path: 0 of 29 algorithms, with OpenSSL" got
	says EOPNOTSUPP got
}

test_doctor_judges_a_container_by_what_it_has() {
	make_root r
	put r/run/.containerenv ''
	rm r/proc/mounts
	add_device r hisi_zip-0 0000:75:00.0
	add_device r hisi_zip-1 0000:b5:00.0
	rm r/dev/hisi_zip-1
	wdctl doctor --root r >got
	says "inside a container: kernel, modules and devices are the host's" got
	says "/dev/hisi_zip-1: this container wasn't given it" got
	says "Start the container with --device /dev/hisi_zip-1, or with a CDI device" got
	says "/dev/hisi_zip-0 can be opened" got
	not grep -E 'configfs|mknod|wdctl load|make install|systemctl|groupadd|simulator' got
	rm r/dev/hisi_zip-0
	exits 1 wdctl doctor --root r >got
	says "it has none of the host's 2 accelerators" got
	says "Start it with --device /dev/hisi_zip-0" got
	rm -r r/sys/class/uacce r/sys/bus
	exits 1 wdctl doctor --root r >got
	says "no accelerator, so the libraries compute in software" got
	says "Run 'wdctl doctor' on the host." got
}

test_doctor_knows_a_container_by_its_processes() {
	make_root r
	mkdir -p r/proc/self/ns
	ln -s 'pid:[4026531836]' r/proc/self/ns/pid
	wdctl doctor --root r >got || :
	not grep -q 'inside a container' got
	ln -sfn 'pid:[4026532201]' r/proc/self/ns/pid
	wdctl doctor --root r >got || :
	says 'inside a container' got
}

# The disk of a virtual machine may be made from an image for containers.
test_doctor_takes_no_machine_for_a_container_by_a_file() {
	make_root r
	mkdir -p r/proc/self/ns
	put r/.dockerenv ''
	ln -s 'pid:[4026531836]' r/proc/self/ns/pid
	ln -s 'uts:[4026531838]' r/proc/self/ns/uts
	wdctl doctor --root r >got || :
	not grep -q 'inside a container' got
	ln -sfn 'uts:[4026532200]' r/proc/self/ns/uts
	wdctl doctor --root r >got || :
	says 'inside a container' got
}

test_doctor_works_on_an_empty_folder() {
	mkdir r
	exits 1 wdctl doctor --root r >got
	says "no accelerator" got
}

run_tests "$@"
