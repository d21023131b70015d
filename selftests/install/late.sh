#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What systemd, udev and wdctl make of a file of sections if drivers, devices, users and services come in another order
# than usual: on a stock machine (scripts/machine), which is prepared in one boot and looked at in the next. Runs on
# demand only, with WD_TEST_LONG=1.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh
. selftests/install/stock.inc.sh

long_only 'sections at the boot of a stock machine' "${TMPDIR:-/var/tmp}"
suite=bookworm
export BUILD=${BUILD:-$PWD/build}

# ------ in the machine ------

# wait_for COMMAND...: it becomes true, if only once; the test's limit ends what never does.
wait_for() {
	until "$@" >/tmp/waited 2>&1; do
		sleep 0.2
	done
	echo "reached: $*"
}

member_count() {
	[ "$(wdctl section show "$1" | grep '^Devices = ' | grep -o '[0-9a-f.:]\+:' | wc -l)" = "$2" ]
}

unit_says() {
	journalctl -b -u "$1" -o cat | grep -F "$2"
}

second_device() {
	mkdir /sys/kernel/config/hisi_sim/second
	echo 1 >/sys/kernel/config/hisi_sim/second/live
}

parent() {
	basename "$(readlink -f "/sys/class/uacce/$1/device")"
}

prepare() {
	local release
	release=$(uname -r)

	# shellcheck disable=SC2154 # in_it sets it
	cp -a "$stage/." /
	install -D -t "/lib/modules/$release/updates" "$BUILD/kmod/$release"/kernel/*/*.ko
	depmod
	ldconfig
	wdctl export systemd >/etc/systemd/system/warpdrive-sections.service
	wdctl export systemd-device >/etc/systemd/system/warpdrive-device@.service
	wdctl export udev >/etc/udev/rules.d/60-warpdrive.rules
	# The addresses of the devices, which come in the same order after the reboot.
	modprobe uacce
	modprobe hisi_sim devices=zip
	wait_for test -e /dev/hisi_zip-0
	second_device
	wait_for test -e /dev/hisi_zip-1
	mkdir -p /etc/warpdrive
	# A section that names devices may be live before they come. "big" names none: it is refused when one is there.
	cat >/etc/warpdrive/sections.conf <<-END
		[early] NumProcesses = 1 Devices = $(parent hisi_zip-0)
		[pair] SyncCtxs = 2 Devices = $(parent hisi_zip-0) $(parent hisi_zip-1)
		[all] NumProcesses = 1
		[big] NumProcesses = 60000
		[who] NumProcesses = 1 AllowedUsers = comes-later
		[device $(parent hisi_zip-1)] Priority = 7
	END
	# A service that knows nothing of sections but its name, and may start before everything else.
	cat >/etc/systemd/system/early.service <<-END
		[Unit]
		After=warpdrive-sections.service
		Wants=warpdrive-sections.service
		[Service]
		Environment=WD_SECTION=early WD_ATTACH_TIMEOUT=1000000 WD_PATH=hw
		ExecStart=sh -c 'wdzip -c /usr/bin/ls >/root/early.gz && mv /root/early.gz /root/early.done'
		[Install]
		WantedBy=multi-user.target
	END
	mkdir -p /etc/systemd/system/warpdrive-sections.service.d /etc/systemd/system/warpdrive-device@.service.d
	printf '[Service]\nRestartSec=1\n' | tee /etc/systemd/system/warpdrive-{sections,device@}.service.d/soon.conf
	systemctl enable warpdrive-sections early
}

look() {
	# Nothing is there: the unit says so, and the service waits.
	[ ! -e /sys/module/uacce ]
	wait_for unit_says warpdrive-sections.service 'this kernel has no sections'
	[ "$(systemctl is-active early)" = active ]
	[ ! -e /root/early.done ]
	# The drivers and one of two devices.
	modprobe uacce
	modprobe hisi_sim devices=zip
	wait_for test -e /root/early.done
	gzip -dc /root/early.done | cmp - /usr/bin/ls
	wait_for member_count all 1
	wdctl section list | tee list
	grep -E '^early +live ' list
	grep -E '^pair +partial ' list
	wait_for unit_says warpdrive-sections.service "existing user, not 'comes-later'"
	wait_for unit_says warpdrive-sections.service 'section big: live: not enough free contexts'
	[ "$(systemctl is-active warpdrive-sections)" != active ]
	wdctl doctor | tee doctor || true
	grep 'section pair: device .* is not present: its share waits for it' doctor
	grep 'declares it: section big' doctor
	# The other device: sections that name it have it, and so have those that name none.
	second_device
	wait_for member_count all 2
	wait_for sh -c 'wdctl section list | grep -E "^pair +live "'
	wait_for grep -x 7 /sys/kernel/config/uacce/devices/hisi_zip-1/priority
	# The causes of the rest.
	useradd comes-later
	wait_for sh -c 'wdctl section list | grep -E "^who +live "'
	sed -i 's/60000/1/' /etc/warpdrive/sections.conf
	wait_for systemctl is-active warpdrive-sections
	wait_for systemctl is-active warpdrive-device@hisi_zip-1
	wdctl plan /etc/warpdrive/sections.conf | grep -x 'nothing to do'
	wdctl doctor | tee doctor || true
	grep 'the kernel has what /etc/warpdrive/sections.conf declares' doctor
	# What was saved is the same, with the members that a section got.
	wdctl save /etc/warpdrive/sections.conf
	grep -A3 '^\[all\]' /etc/warpdrive/sections.conf | grep 'Devices = .*, '
	[ -e /etc/warpdrive/sections.conf~ ]
}

# ------ here ------

staged() {
	local part

	mkdir -p "$scratch/stage"
	for part in user/libwd user/libhisi_qm user/algs/comp user/tools/wdzip configfs-tools; do
		quiet_make -C "$part" install DESTDIR="$scratch/stage" PREFIX=/usr || return
	done
}

in_it() {
	in_machine "stage=$scratch/stage
		$(declare -f wait_for member_count unit_says second_device parent prepare look)
		$1" --with "$scratch" --timeout 900
}

test_that "modules build for the machine" modules_built $suite
test_that "programs are installed" staged
test_that "a machine is prepared" in_it prepare
test_that "in any order every service gets what the file declares, or is told why not" in_it look
tap_done
