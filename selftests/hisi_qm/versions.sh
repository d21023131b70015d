#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Hardware that the driver sees for the first time: later versions, and virtual functions as guests see them.

. "$(dirname "$0")/../include/tap.sh"
. "$(dirname "$0")/../include/need_machine.sh"
need_sim hisi_zip 2
. "$(dirname "$0")/functions.inc.sh"

PARAMETER=/sys/module/hisi_qm/parameters/any_version

# api_is TEXT: of the physical function.
api_is() {
	[ "$(cat "$PCI/uacce/$(name "$PF")/api")" = "$1" ]
}

# version NUMBER: a device whose register of later versions has it.
version() {
	ATTRIBUTES="sub_version=$(($1))" device 256 2 16
}

# unbound NUMBER: such a device, which the driver doesn't bind.
unbound() {
	drop
	mkdir $ITEM
	echo $(($1)) >$ITEM/sub_version
	dmesg -C
	echo 1 >$ITEM/live
	read -r PF <$ITEM/address
	[ ! -e "/sys/bus/pci/devices/$PF/driver" ]
}

test_the_version_of_a_register_counts() {
	version 0
	api_is hisi_qm_v3
	version 0x50
	api_is hisi_qm_v3
	version 0x51
	api_is hisi_qm_v5
	compress "$PF"
	enable 2
	until_true 30 named "$(vf 2)"
	compress "$(vf 2)"
}

test_an_unknown_version_is_refused_with_a_sentence() {
	echo 0 >$PARAMETER
	unbound 0x52
	dmesg | grep "hisi_zip $PF: hardware version 0x52 is unknown, expected 0x21, 0x30, 0x50 or 0x51; hisi_qm's"
	unbound 0x22
	dmesg | grep "hisi_zip $PF: hardware version 0x22 is unknown"
}

test_a_parameter_lets_an_unknown_version_through() {
	echo 1 >$PARAMETER
	version 0x52
	api_is hisi_qm_v5
	compress "$PF"
	dmesg | grep "hisi_zip $PF: hardware version 0x52 is unknown, and is driven as 0x51"
	unbound 0x11
}

test_a_virtual_function_works_with_half_of_its_registers() {
	local start end

	ATTRIBUTES='vf_migration=0' device 256 2 16
	enable 2
	until_true 30 named "$(vf 2)"
	read -r start end _ < <(sed -n 3p "/sys/bus/pci/devices/$(vf 2)/resource")
	[ $((end - start + 1)) = 32768 ]
	compress "$(vf 1)"
	compress "$(vf 2)"
	echo 1 >"/sys/bus/pci/devices/$(vf 2)/reset"
	compress "$(vf 2)"
	compress "$(vf 1)"
}

at_exit() {
	echo 0 >$PARAMETER
	drop
}
run_tests "$@"
