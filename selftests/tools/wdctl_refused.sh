#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl load and wdctl doctor name the reason why a kernel refuses a module. Boots a VM for each reason.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# refused PARAMETER WHY REMEDY: on a kernel that was booted with PARAMETER.
refused() {
	# shellcheck disable=SC2016 # the VM's shell expands these
	scripts/vm --no-modules --append "$1" -- env "PATH=$OUT/bin:$PATH" sh -c 'wdctl load >/tmp/load 2>&1
		echo "exit status $?" >>/tmp/load
		cat /tmp/load
		wdctl doctor
		ls -d /sys/module/uacce /sys/module/hisi_qm
		true' >"$scratch/said" 2>&1
	grep -x "wdctl load: /lib/modules/.*/updates/uacce.ko: .*; $2\. $3" "$scratch/said" &&
		grep -x 'exit status 1' "$scratch/said" &&
		[ "$(grep -c "$2" "$scratch/said")" -gt 1 ] && ! grep -x /sys/module/uacce "$scratch/said" ||
		{ cat "$scratch/said"; return 1; }
}

test_that 'a kernel that loads signed modules only' refused module.sig_enforce=1 \
	'it is unsigned, and this kernel loads signed modules only: /sys/module/module/parameters/sig_enforce is Y' \
	'Create a key.*'
test_that 'a module that was excluded at boot' refused module_blacklist=uacce \
	'the kernel was booted with module_blacklist=uacce' 'Boot without that parameter.'
tap_done
