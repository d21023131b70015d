#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdzip on the software path beside pigz, which compresses with as many threads, beside gzip, which decompresses, and
# beside the programs of ISA-L and libdeflate, on one CPU; there also in parts, as for several. Rows as wd-bench prints
# them.
set -euo pipefail

TOP=$(cd "$(dirname "$0")/.." && pwd)
BYTES=100000000 ROUNDS=5

# sample FILE wall|cpu COMMAND...: appends the command's microseconds to the file.
sample() {
	local TIMEFORMAT='%R %U %S' times

	times=$({ time "${@:3}" >/dev/null; } 2>&1)
	awk -v what="$2" '{ printf "%.0f\n", (what == "wall" ? $1 : $2 + $3) * 1e6 }' <<<"$times" >>"$1"
}
median() { sort -n "$1" | sed -n "$((ROUNDS / 2 + 1))p"; }
# row NAME OURS THEIRS
row() {
	paste -d ' ' <(median "$2") <(median "$3") |
		awk -v name="$1" '{ printf "row %s %.3f s %.3f %.3f\n", name, $1 / 1e6, $2 / 1e6, $1 / $2 }'
}

# bytes NAME THREADS LEVEL
bytes() {
	paste -d ' ' <(wdzip -T "$2" -"$3" text | wc -c) <("$(program "$3")" -"$3" -c text | wc -c) |
		awk -v name="$1" '{ print "row", name, $1, "B", $2, $1 / $2 }'
}

pigz=$("$TOP/scripts/programs" git-tools)/usr/bin/pigz || { echo '1..0 # SKIP pigz cannot be had'; exit 4; }
others=$("$TOP/scripts/programs" compressors)/usr/bin || { echo '1..0 # SKIP igzip cannot be had'; exit 4; }
cpu=$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')
WORK=$(mktemp -d "${TMPDIR:-/tmp}/wd-bench.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
cd "$WORK"
wdzip() { "$OUT/bin/wdzip" --path soft -q -n -c "$@"; }
alone() { taskset -c "$cpu" "$@"; }
# other LEVEL: the library that computes it; program LEVEL: its program.
other() { [ "$1" = 1 ] && echo igzip || echo libdeflate; }
program() { [ "$1" = 1 ] && echo "$others/igzip" || echo "$others/libdeflate-gzip"; }
"$OUT/bench/wd-bench" text $BYTES >text
gzip -6 -n -c text >text.gz
for ((round = 0; round < ROUNDS; round++)); do
	for level in 1 6; do
		sample wdzip.$level wall wdzip -T "$(nproc)" -$level text
		sample pigz.$level wall "$pigz" -p "$(nproc)" -n -c -$level text
	done
	for level in 1 2 4 6 9; do
		sample other.$level cpu alone "$(program $level)" -$level -c text
		sample ours.$level cpu alone "$OUT/bin/wdzip" --path soft -q -n -c -$level text
		sample parts.$level cpu alone "$OUT/bin/wdzip" --path soft -T 2 -q -n -c -$level text
	done
	sample wdunzip cpu wdzip -d text.gz
	sample gunzip cpu gzip -d -c text.gz
done
for level in 1 6; do
	row wdzip.pigz.$level.s wdzip.$level pigz.$level
done
for level in 1 2 4 6 9; do
	name=wdzip.$(other $level).$level
	row $name.cpu ours.$level other.$level
	row $name.parts.cpu parts.$level other.$level
	bytes $name.bytes 1 $level
	bytes $name.parts.bytes 2 $level
done
row wdzip.gunzip.cpu wdunzip gunzip
