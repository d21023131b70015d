# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Counts of a simulated device without shared virtual addressing, whose directory is ITEM. Sourced.

ROOT=/sys/kernel/config/hisi_sim

# maps present|made|segments|failed|faults
maps() {
	awk -v name="$1" '$1 == name { print $2 }' "$ITEM/mappings"
}

no_faults() {
	[ "$(maps faults)" = 0 ] || { cat "$ITEM/mappings"; dmesg | grep "isn't mapped"; return 1; }
}

# Pages that are pinned for devices.
pins() {
	echo 1 >/proc/sys/vm/stat_refresh
	awk '$1 == "nr_foll_pin_acquired" { n += $2 } $1 == "nr_foll_pin_released" { n -= $2 } END { print n }' \
		/proc/vmstat
}

pins_are() {
	[ "$(pins)" = "$1" ]
}

# have_nosva: such devices work on this kernel; skips the test where they don't.
have_nosva() {
	modprobe hisi_sim
	mkdir $ROOT/probe
	if ! echo 0 >$ROOT/probe/sva; then
		rmdir $ROOT/probe
		skip 'this kernel lets no device have DMA mapping operations of its own'
	fi
	rmdir $ROOT/probe
}
