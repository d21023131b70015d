#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Emulated devices without shared virtual addressing: options, attributes, and what libraries and reports make of them.
set -u
. "${TOP:?}/selftests/include/tap.sh"

emulate=${OUT:?}/bin/wd-emulate

# attrs OPTION "WORDS": flags and iommu of all devices
attrs() {
	[ "$("$emulate" $1 -- bash -c 'cat /sys/class/uacce/*/{flags,iommu}' | xargs)" = "$2" ]
}

# refused OPTION VALUE WHAT-WAS-EXPECTED
refused() {
	local said code=0

	said=$("$emulate" "--$1" "$2" -- true 2>&1) || code=$?
	[ $code = 2 ] && [ "$said" = "wd-emulate: --$1 $2: expected $3" ] || { echo "# $said"; return 1; }
}

all_refused() {
	local text word='sva=0 or sva=1 behind a number, iommu=0 or iommu=1, or a further number'

	for text in 1,sva=2 1,sva= 1,sva 1,sva=00 1,SVA=0 1,sva=0,iommu=2 1,sva=0, 1, '1, sva=0' 1,iommu=0x; do
		refused zip "$text" "$word" || return 1
	done
	refused sec 1,iommu=0 'iommu with sva=0 only' &&
		refused hpre 1,iommu=1,1,sva=0 'iommu with sva=0 only' &&
		refused zip sva=0 'a number from 0 to 16, which @v2 or @v3 may follow' &&
		refused zip 1,sva=0,17 'a number from 0 to 16, which @v2 or @v3 may follow'
}

null_refused() {
	[ "$("$emulate" --zip 1,sva=0 --null -- true 2>&1)" = \
		'wd-emulate: 1,sva=0: with --null the kernel executes nothing: expected devices with sva=1' ]
}

# The library's own words for what it has used.
round_trip() {
	seq 20000 >"$scratch/in"
	WD_PATH=hw "$emulate" "$@" --stats "$scratch/stats" -- bash -c '
		wdzip -c "$1" >"$1.gz" && wdzip -dc "$1.gz" >"$1.back"' - "$scratch/in" &&
		cmp "$scratch/in" "$scratch/in.back" &&
		grep -Eqx 'hisi_zip-0 requests [1-9].* wrong 0 outside 0' "$scratch/stats"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

test_that 'a device shares addresses by default' attrs '--zip 1' '1 sva-sim'
test_that 'sva=1 says so' attrs '--zip 1,sva=1' '1 sva-sim'
test_that 'one without is mediated' attrs '--zip 1,sva=0' '0 mediated'
test_that 'with an IOMMU and without, of each kind' \
	attrs '--zip 1@v2,sva=0 --sec 1,sva=0,iommu=0 --hpre 1,iommu=1,sva=0' '0 0 0 mediated mediated mediated'
test_that 'what is behind a number belongs to its devices' attrs '--zip 1,sva=0,1' '0 1 mediated sva-sim'
test_that 'other words are refused, and the message says what was expected' all_refused
test_that 'null devices have SVA' null_refused
test_that 'a tool has its file back' round_trip --zip 1,sva=0
test_that 'also where scattered pages stay scattered' round_trip --zip 1,sva=0,iommu=0
test_that 'and on generation 2' round_trip --zip 1@v2,sva=0,iommu=0
tap_done
