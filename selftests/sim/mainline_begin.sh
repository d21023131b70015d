# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Mainline's drivers on simulated devices: fresh modules, devices that they have bound, and what they have registered.
# Sourced, after tap.sh.

ROOT=/sys/kernel/config/hisi_sim
MODULES=${BUILD:-$TOP/build}/mainline/$(uname -r)
CYCLES=40
[ -z "${WD_TEST_BRIEF:-}" ] || CYCLES=10

drop_all() {
	local module

	[ ! -d $ROOT/vf ] || { echo 0 >$ROOT/vf/live && rmdir $ROOT/vf; }
	for module in hisi_sim hisi_zip hisi_sec2 hisi_hpre hisi_qm; do
		[ ! -d /sys/module/$module ] || timeout 600 rmmod $module
	done
}

# load_driver zip|sec|hpre PARAMETER...: mainline's driver anew, and no device.
load_driver() {
	engine=$1
	shift
	case $engine in
	zip) module=hisi_zip ;;
	sec) module=hisi_sec2 ;;
	hpre) module=hisi_hpre ;;
	esac
	DRIVER=/sys/bus/pci/drivers/$module
	drop_all
	dmesg -C
	insmod "$MODULES/hisi_qm.ko"
	case $engine in
	sec) modprobe authenc ;;
	hpre) modprobe -a dh_generic ecdh_generic curve25519_generic ;;
	esac
	insmod "$MODULES/$module.ko" "$@"
}

# begin zip|sec|hpre: fresh modules and one device that mainline's driver has bound.
begin() {
	load_driver $1
	modprobe hisi_sim old_drivers=1 devices=$engine
	address=$(cat $ROOT/${engine}0/address)
	bound
}

# begin_with_vfs zip|sec|hpre VFS QUEUES PARAMETER...: fresh modules and one bound device that can have VFS virtual
# functions, is reset by $method, is of hardware generation $generation, and has $sva and $iommu.
begin_with_vfs() {
	local vfs=$2 queues=$3

	load_driver $1 "${@:4}"
	modprobe hisi_sim old_drivers=1
	mkdir $ROOT/vf
	echo $engine >$ROOT/vf/type
	echo "$queues" >$ROOT/vf/queues
	echo "$vfs" >$ROOT/vf/vfs
	echo "${method:-auto}" >$ROOT/vf/reset_method
	echo "${generation:-3}" >$ROOT/vf/generation
	echo "${sva:-1}" >$ROOT/vf/sva
	echo "${iommu:-1}" >$ROOT/vf/iommu
	echo 1 >$ROOT/vf/live
	address=$(cat $ROOT/vf/address)
	PF=/sys/bus/pci/devices/$address
	bound
}

# vf NUMBER: the address of a virtual function, from 1.
vf() {
	basename "$(readlink "$PF/virtfn$(($1 - 1))")"
}

# vfs_bound COUNT: there are that many virtual functions, and mainline's driver has bound them.
vfs_bound() {
	local i

	[ "$(cat "$PF/sriov_numvfs")" = "$1" ]
	[ "$(find "$PF/" -maxdepth 1 -name 'virtfn*' | wc -l)" = "$1" ]
	for ((i = 1; i <= $1; i++)); do
		[ -e "$DRIVER/$(vf $i)" ] || { echo "virtual function $i isn't bound"; return 1; }
	done
}

bound() {
	[ -e "$DRIVER/$address" ]
}

# SEC's driver falls back on the kernel's own algorithms, which may be missing: SM4 in Debian's 6.1.
quiet() {
	dmesg | grep hisi | grep -vE 'alg: .*sm4|fallback tfm' >log || :
	not grep -iE 'timeout|fail|error' log
}

cycle() {
	local i

	for ((i = 0; i < CYCLES; i++)); do
		echo "$address" >$DRIVER/unbind
		not bound
		echo "$address" >$DRIVER/bind
		bound
	done
}

# algorithms NAME FIELD VALUE: counts the algorithms of /proc/crypto whose driver and field match these.
algorithms() {
	awk -v RS= -v name="driver *: $1" -v field="$2 *: $3" \
		'$0 ~ name && $0 ~ field { n++ } END { print n + 0 }' /proc/crypto
}

# self_tested NAMES COUNT: the kernel ran its tests of COUNT such algorithms when the driver registered them.
self_tested() {
	[ "$(algorithms "$1" selftest passed)" = "$2" ]
}

has_self_tests() {
	! zgrep -qs CONFIG_CRYPTO_MANAGER_DISABLE_TESTS=y /proc/config.gz "/boot/config-$(uname -r)" ||
		skip 'this kernel has no crypto self-tests'
}

# run_mainline ARGUMENT...: the tests, without mainline's modules behind them. Sets status.
run_mainline() {
	[ -e "$MODULES/hisi_zip.ko" ] || {
		echo "1..0 # SKIP mainline's driver is built from linux-source-6.1," \
			"for 6.1 kernels (sim/mainline_build.sh)"
		exit 4
	}
	run_tests "$@"
	status=$?
	drop_all
}
