#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# pigz and git with the library on simulated devices, through the kernel, which counts their requests.

. "$(dirname "$0")/zlib.inc.sh"
. "$(dirname "$0")/../include/need_machine.sh"

# shellcheck disable=SC2034 # of zlib.inc.sh
SIMULATED=1
BIG_BYTES=2000000

# counted: the requests of all devices that are there.
counted() {
	wdctl list --json | python3 -c 'import json, sys
print(sum(device["requests"] or 0 for device in json.load(sys.stdin)["devices"]))'
}

# counts COMMAND...: the command succeeds, and the kernel counts a request for each of its parts.
counts() {
	local before

	before=$(counted)
	"$@"
	did_at_least 4 parts
	until_true 30 counted_since "$before" "$(sum_of parts)"
}
counted_since() { [ $(($(counted) - $1)) -ge "$2" ]; }

test_pigz() {
	big_file
	counts on_devices git-tools -- pigz -p1 -i -b 512 -c "$BIG" >big.gz
	unpacks big.gz
	devices_deflated $BIG_BYTES pigz
	mv did before
	counts on_devices git-tools -- pigz -p4 -i -b 512 -c "$BIG" >big.gz
	unpacks big.gz
	devices_deflated $BIG_BYTES pigz
}

git_here() { on_devices git-tools -- git -C repository -c user.name=tester -c user.email=tester@localhost "$@"; }
commit() {
	git_here add big
	git_here commit -q -m 'all of it'
}

test_git() {
	export XDG_CONFIG_HOME=/nowhere GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
	big_file
	mkdir repository
	git_here init -q
	cp "$BIG" repository/big
	counts commit
	git_here gc -q
	git_here fsck --full --strict
	devices_deflated $((2 * BIG_BYTES)) git
	stock with_set git-tools git -C repository fsck --full --strict
	stock with_set git-tools git -C repository cat-file blob HEAD:big | same "$BIG" -
}

# Behind the first half of the data there are no devices. zlib does the rest.
halves() {
	head -c $((BIG_BYTES / 2)) "$BIG"
	until_true 120 test -e gone >&2
	tail -c $((BIG_BYTES - BIG_BYTES / 2)) "$BIG"
}

# unbind, bind: all ZIP devices.
DRIVER=/sys/bus/pci/drivers/hisi_zip
unbind() {
	local device

	for device in "$DRIVER"/*:*; do
		[ ! -e "$device" ] || { echo "${device##*/}" >>"$WORK/unbound" &&
			echo "${device##*/}" >"$DRIVER/unbind"; }
	done
}
bind() {
	[ ! -e "$WORK/unbound" ] || xargs -I{} sh -c "echo {} >$DRIVER/bind" <"$WORK/unbound"
	rm -f "$WORK/unbound"
}
at_exit() { bind; }

test_nobody_notices_that_the_devices_are_gone() {
	local before packing

	big_file
	before=$(counted)
	halves | on_devices git-tools -- pigz -p1 -i -b 128 -c >big.gz &
	packing=$!
	until_true 120 counted_since "$before" 1
	unbind
	touch gone
	wait $packing
	bind
	unpacks big.gz
	devices_deflated 131072 pigz
	did_at_least 131072 deflate_zlib_bytes pigz
}

need_sim hisi_zip 1
need_kept_set git-tools
run_tests "$@"
