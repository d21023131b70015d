#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One request or a few through the libraries to a simulated device of each kind; software checks what came out.

. "$(dirname "$0")/../include/tap.sh"

ITEMS=/sys/kernel/config/hisi_sim
EXAMPLES=$OUT/examples

drop() {
	local kind

	for kind in sec hpre; do
		[ ! -d $ITEMS/engines_$kind ] || { echo 0 >$ITEMS/engines_$kind/live && rmdir $ITEMS/engines_$kind; }
	done
	timeout 600 modprobe -r -q hisi_sec2 hisi_hpre
}

# The kernel makes the node last.
there() {
	compgen -G "/dev/$1-*" >/dev/null
}

# begin MODULE KIND: a device of that kind, and its driver.
begin() {
	timeout 600 modprobe "$1"
	mkdir "$ITEMS/engines_$2"
	echo "$2" >"$ITEMS/engines_$2/type"
	echo 1 >"$ITEMS/engines_$2/live"
	until_true 30 there "$1"
}

test_ZIP_packs_and_unpacks() {
	head -c 300000 "$OUT/bin/wdctl" >plain
	WD_PATH=hw wdzip -c plain >packed
	gzip -dc packed | same - plain
	gzip -c plain | WD_PATH=hw wdzip -dc | same - plain
}

test_SEC_seals_what_software_opens_and_the_reverse() {
	head -c 100000 "$OUT/bin/wdctl" >plain
	head -c 32 /dev/urandom >key
	WD_PATH=hw "$EXAMPLES/crypt_file" -e key plain sealed
	WD_PATH=soft "$EXAMPLES/crypt_file" -d key sealed opened
	same plain opened
	WD_PATH=soft "$EXAMPLES/crypt_file" -e key plain sealed
	WD_PATH=hw "$EXAMPLES/crypt_file" -d key sealed opened
	same plain opened
}

test_HPRE_agrees_and_signs() {
	WD_PATH=hw "$EXAMPLES/handshakes" >out
	says ' 0 failed' out
	says ' 0 by soft' out
}

at_exit() {
	drop
}

[ -d $ITEMS ] || { echo '1..0 # SKIP hisi_sim is not loaded'; exit 4; }
drop
# A handshake uses both.
begin hisi_sec2 sec
begin hisi_hpre hpre
run_tests "$@"
