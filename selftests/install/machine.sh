#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make install on a stock Debian with its own kernel and systemd: a reboot, simulated devices of all three kinds,
# sections, and an uninstallation that leaves nothing. Each rule is a boot of the same disk (scripts/machine).
# Takes some ten minutes a release: runs on demand only, with WD_TEST_LONG=1; WD_SUITES names the releases.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh
. selftests/install/stock.inc.sh

long_only 'boots machines for ten minutes each'

files=$(list_files)

installs() {
	in_machine "$files >/root/before; make install; wdctl version; systemd-sysusers; getent group accel"
}

wins() {
	in_machine '[ "$(modinfo -n uacce)" = "/lib/modules/$(uname -r)/updates/uacce.ko" ]'
}

works() {
	in_machine '
		ldconfig
		wdctl load --sim zip,sec,hpre
		wdctl list
		head -c 300000 /usr/bin/bash >plain
		WD_PATH=hw wdzip -c plain | gzip -dc | cmp - plain
		wdctl section add web NumProcesses=1 SyncCtxs=2 AsyncCtxs=1 Devices=hisi_zip-0
		WD_PATH=hw wdctl run --section web -- wdzip -c plain | gzip -dc | cmp - plain
		wdctl section show web
		wdctl section del web
		wdctl doctor || true
		usermod -aG accel user
		udevadm settle
		stat -c "%G %a" /dev/hisi_zip-0 | grep -x "accel 660"
		su user -c "WD_PATH=hw wdzip -c /usr/bin/ls" | gzip -dc | cmp - /usr/bin/ls'
}

leaves_nothing() {
	in_machine "
		groupdel accel
		mv $TOP/build $TOP/elsewhere
		make uninstall
		mv $TOP/elsewhere $TOP/build
		ldconfig
		$files >/root/after
		diff /root/before /root/after"
}

for suite in ${WD_SUITES:-bookworm trixie}; do
	test_that "modules build for $suite with the machine's headers" modules_built "$suite"
	test_that "make install works on $suite" installs
	test_that "our module wins over the kernel's own on $suite" wins
	test_that "devices, sections and an ordinary user's requests work on $suite" works
	test_that "make uninstall without the build folder leaves nothing on $suite" leaves_nothing
	rm -f "$scratch/$suite"
done
tap_done
