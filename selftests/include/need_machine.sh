# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced: skips a whole script, with exit status 4 and the reason, if this machine lacks what its tests need.

need_skip() {
	echo "1..0 # SKIP $*"
	exit 4
}

# need_commands NAME...
need_commands() {
	local name

	for name; do
		command -v "$name" >/dev/null || need_skip "$name is not installed"
	done
}

need_root() {
	[ $EUID = 0 ] || need_skip 'root is needed'
}

# need_sim MODULE N: MODULE can be loaded, it has at least N devices, and all its devices are simulated.
need_sim() {
	local module=$1 nr=$2 device n=0 simulated

	[ -d /sys/kernel/config/hisi_sim ] || need_skip 'hisi_sim is not loaded: there are no simulated devices'
	modinfo "$module" >/dev/null 2>&1 || need_skip "modprobe does not find the module $module"
	for device in /sys/class/uacce/"$module"-*; do
		[ -e "$device" ] || continue
		{ read -r simulated <"$device/simulated"; } 2>/dev/null || simulated=
		[ "$simulated" = 1 ] ||
			need_skip "the device ${device##*/} is not simulated, and the tests unload its driver"
		n=$((n + 1))
	done
	[ $n -ge "$nr" ] || need_skip "$nr simulated $module devices needed, found $n"
	need_root
}
