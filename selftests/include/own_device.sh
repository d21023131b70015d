# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced after tap.sh by scripts in the VM whose programs use simulated devices that nobody else has.

. "${BASH_SOURCE[0]%/*}/need_machine.sh"
OWN=/sys/kernel/config/hisi_sim/own

# own_device TYPE MODULE: a new device with a driver that is loaded anew, instead of an earlier call's.
own_device() {
	own_device_drop "$@"
	timeout 600 modprobe "$2"
	mkdir "$OWN-$1"
	echo "$1" >"$OWN-$1/type"
	echo 1 >"$OWN-$1/live"
	until_true 30 own_device_there "$2"
}
own_device_there() { compgen -G "/sys/class/uacce/$1-*" >/dev/null; }

own_device_drop() {
	[ ! -d "$OWN-$1" ] || { echo 0 >"$OWN-$1/live" && rmdir "$OWN-$1"; }
	[ ! -d "/sys/module/$2" ] || timeout 600 modprobe -r "$2"
}

# good PROGRAM: it passes; its skips are accepted.
good() {
	"$TESTS/$1" >log || { grep -v '^ok' log; return 1; }
	says 'fail:0' log
}
