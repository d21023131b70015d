#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The Debian packages on a stock machine: dkms builds for its kernel, udev, systemd, a reboot, a newer kernel, an older
# version and back, and a purge that leaves nothing. Each rule is a boot of the same disk (scripts/machine).
# dkms builds four times in an emulated machine: an hour a release. Runs on demand only, with WD_TEST_LONG=1; WD_SUITES
# names the releases, and WD_PACKAGES a folder with the packages (default: builds them).
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh
. selftests/install/stock.inc.sh
. selftests/packages/older.sh

long_only 'boots machines for an hour each' "${WD_PACKAGES_TMP:-/var/tmp}"
version=$(cat VERSION)
packages='libwarpdrive0 libwarpdrive-dev warpdrive-tools warpdrive-dkms warpdrive-sim-dkms'
packages+=' warpdrive-emulator openssl-provider-warpdrive warpdrive-uadk warpdrive-zlib warpdrive-doc'

debs_there() {
	local deb

	mkdir -p "$scratch/debs" "$scratch/older"
	[ -n "${WD_PACKAGES:-}" ] && compgen -G "$WD_PACKAGES/warpdrive-dkms_${version}_*.deb" >/dev/null ||
		scripts/package deb "${WD_PACKAGES:=$scratch/built}" || return
	for deb in $packages; do
		cp "$WD_PACKAGES/${deb}_${version}"_*.deb "$scratch/debs/" || return
	done
	for deb in "$scratch"/debs/*.deb; do
		make_older "$deb" "$scratch/older" || return
	done
}

# The release's newest kernel with its headers, and what these need that the machine lacks: it has no network.
kernel_fetched() {
	local image release status=$scratch/status to=$scratch/$suite-kernel

	image=$(scripts/machine-image "$suite") && mkdir -p "$to/partial" &&
		PATH=$PATH:/sbin debugfs -R 'cat /var/lib/dpkg/status' "$image" >"$status" 2>/dev/null || return
	(
		fail() { echo "$*"; exit 1; }
		cache=${WARPDRIVE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/warpdrive}
		. scripts/apt.sh
		locked
		apt_setup "$suite"
		kernel=$(apt-cache search --names-only '^linux-image-[0-9]+\.[0-9]+\.[0-9]+[^-]*(-[0-9]+)?-amd64$' |
			cut -d' ' -f1 |
			sort -V | tail -n 1)
		# A kernel of the backports may need packages from there.
		release=$(apt-cache madison "$kernel" | sed -n '1s|.* \([^ /]*\)/main amd64 Packages$|\1|p')
		apt-get -q -y --download-only -o "Dir::State::status=$status" -o "Dir::Cache::archives=$to" \
			-t "$release" install "$kernel" "${kernel/image/headers}"
	) && compgen -G "$to/linux-headers-*.deb"
}

# with_packages COMMANDS: a boot of this release's disk, where the packages and the functions below are at hand.
with_packages() {
	in_machine "older=$older version=$version scratch=$scratch packages='$packages'
		modules='uacce hisi_qm hisi_zip hisi_sec2 hisi_hpre hisi_sim'
		export DEBIAN_FRONTEND=noninteractive
		$(declare -f built user_compresses not)
		$1" --timeout 14400 --with "$scratch"
}

# In the machine: every module is dkms' own, of that version.
built() {
	local module

	dkms status "warpdrive/$1" -k "$(uname -r)" | grep -w installed
	dkms status "warpdrive-sim/$1" -k "$(uname -r)" | grep -w installed
	for module in $modules; do
		modinfo -n "$module" | grep -x "/lib/modules/$(uname -r)/updates/dkms/$module\.ko.*"
		modinfo -F version "$module" | grep -Fx "$1"
	done
}

# In the machine: an ordinary user of the group accel compresses on a device. user_compresses [COMMAND...]
user_compresses() {
	stat -c '%G %a' /dev/hisi_zip-0 | grep -x 'accel 660'
	usermod -aG accel user
	su user -c "WD_PATH=hw $* wdzip -c /usr/bin/ls" | gzip -dc | cmp - /usr/bin/ls
}

# dkms' own key and backups of the system's files stay, too.
files=$(list_files /var/lib/apt '/var/lib/dkms/mok.*' '/etc/*-' "$scratch")

installs() {
	with_packages "$files >/root/before"'
		apt-get -q -y install $scratch/debs/*.deb
		built $version
		not systemctl is-active warpdrive-sections
		[ -z "$(systemctl list-units --failed --no-legend "warpdrive*")" ]'
}

works() {
	with_packages '
		debian/tests/device
		wdctl load --sim zip,sec,hpre
		udevadm settle
		user_compresses
		wdctl doctor | tee doctor || true
		grep -i "unsigned\|signed" doctor || true
		mkdir -p /etc/warpdrive
		printf "%s\n" "[web]" "NumProcesses = 2" "AllowedGroups = accel" >/etc/warpdrive/sections.conf
		systemctl start warpdrive-sections
		wdctl section list | grep web
		user_compresses /usr/sbin/wdctl run --section web --
		printf "%s\n" "options hisi_sim devices=zip,sec,hpre" >/etc/modprobe.d/warpdrive.conf
		printf "%s\n" uacce hisi_zip hisi_sec2 hisi_hpre hisi_sim >/etc/modules-load.d/warpdrive.conf'
}

reboot_restores() {
	with_packages '
		systemctl is-active warpdrive-sections
		wdctl section list | grep web
		user_compresses /usr/sbin/wdctl run --section web --'
}

# The disk of the machine before the newer kernel is kept for the purge.
follows_kernel() {
	with_packages '
		uname -r >/root/old-kernel
		apt-get -q -y install $scratch/'"$suite"'-kernel/*.deb' && with_packages '
		[ "$(uname -r)" != "$(cat /root/old-kernel)" ]
		built $version
		systemctl is-active warpdrive-sections
		wdctl section list | grep web
		user_compresses /usr/sbin/wdctl run --section web --'
}

# The loaded modules stay while a program has a queue open, and wdctl doctor names them. One kernel is enough.
older_and_back() {
	with_packages '
		old=$(cat /root/old-kernel)
		apt-get -q -y purge linux-image-$old linux-headers-$old
		apt-get -q -y --allow-downgrades install $scratch/older/*.deb
		built $older
		wdctl section del web
		wdctl unload
		modprobe -a uacce hisi_zip hisi_sim
		grep -Fx $older /sys/module/uacce/version
		udevadm settle
		(cat /usr/bin/* 2>/dev/null | head -c 4M; sleep 1000000) | WD_PATH=hw wdzip -c >/dev/null &
		until ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q /dev/hisi_zip; do sleep 1; done
		apt-get -q -y install $scratch/debs/*.deb
		built $version
		grep -Fx $older /sys/module/uacce/version
		wdctl doctor | tee doctor || true
		other="is another build than the installed one"
		grep "uacce: the loaded module ($older) $other (.*$version).*it is older" doctor
		[ -z "$(dpkg-query -W $packages | grep -F "$older")" ]
		[ -e /etc/warpdrive/sections.conf ]'
}

leaves_nothing() {
	mv "$scratch/purge" "$scratch/$suite"
	with_packages '
		rm /etc/modprobe.d/warpdrive.conf /etc/modules-load.d/warpdrive.conf
		wdctl section del web
		wdctl unload
		wdctl load --sim zip
		cd /home/user
		cp /usr/bin/ls file
		su user -c "wdzip -v file"
		gzip -dc file.gz | cmp - /usr/bin/ls
		rm file*
		apt-get -q -y purge warpdrive-sim-dkms warpdrive-dkms
		for module in $modules; do [ ! -e /sys/module/$module ]; done
		apt-get -q -y purge $packages
		'"$files >/root/after"'
		diff /root/before /root/after
		getent group accel'
}

test_that 'the packages are there' debs_there
[ $tap_failed = 0 ] || tap_done
for suite in ${WD_SUITES:-bookworm trixie}; do
	test_that "a newer kernel for $suite is there" kernel_fetched
	test_that "the packages install on $suite, and dkms builds the modules for its kernel" installs
	test_that "devices, the group, sections and an ordinary user's requests work on $suite" works
	test_that "a reboot restores them on $suite" reboot_restores
	cp --sparse=always "$scratch/$suite" "$scratch/purge"
	test_that "dkms builds for a newer kernel of $suite, and everything works on it" follows_kernel
	test_that "an older version and an upgrade with a queue open leave the modules on $suite" older_and_back
	test_that "a purge unloads the modules and leaves nothing on $suite" leaves_nothing
	rm -f "$scratch/$suite"
done
tap_done
