#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The benchmarks' runner: rows by pattern, the CSV file, cleanup after an interrupt. No result is judged.
set -u
. "${TOP:?}/selftests/include/tap.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export BUILD=$dir TMPDIR=$dir

rows() {
	local names

	"$TOP/benchmarks/run" "$1" || return 1
	names=$(tail -n +3 "$dir/bench.csv" | cut -d, -f1 | tr '\n' ' ')
	[ "$names" = "$2" ] || { echo "rows: $names"; return 1; }
}

unknown() {
	! "$TOP/benchmarks/run" 'frob*'
}

# A group may name its rows by a pattern, too.
patterns_meet() {
	PYTHONPATH=$TOP/benchmarks python3 -B -c '
from report import wanted
group = ("soft.deflate*.ratio",)
for one in "soft.deflate-part.*", "soft.*.512k.ratio", "*part*", "soft.deflate.6.4k.ratio", "soft.deflate.?.4k*":
    assert wanted((one,), group), one
for one in "soft.inflate*", "soft.deflate*.cpu", "deflate*", "soft":
    assert not wanted((one,), group), one'
}

nothing_left() {
	[ "$(ls "$dir")" = bench.csv ] || { ls "$dir"; return 1; }
}

# The real programs, but with a measurement so long that it always has to be stopped.
endless() {
	mkdir -p "$1/bench"
	ln -s "$OUT/bin" "$1/bin"
	printf '#!/bin/bash\nexec %q "${@:1:$#-1}" 1000000000\n' "$OUT/bench/wd-bench" >"$1/bench/wd-bench"
	chmod +x "$1/bench/wd-bench"
}

# Interrupts the runner once its devices exist.
stopped() {
	local pid deadline=$((SECONDS + 600)) code=0

	endless "$dir/out"
	OUT=$dir/out setsid env --default-signal=INT "$TOP/benchmarks/run" 'sync.8thr*' >"$dir/said" &
	pid=$!
	until compgen -G "$dir/*/wd-emulate.*" >/dev/null; do
		[ $SECONDS -lt $deadline ] || { kill -KILL -- -$pid; return 1; }
		read -rt 0.05 <> <(:)
	done
	kill -INT -- -$pid
	wait $pid || code=$?
	rm -r "$dir/said" "$dir/out"
	[ $code = 130 ] || { echo "exit status $code"; return 1; }
	nothing_left
}

test_that 'a row is selected by name' rows sync.null.ns 'sync.null.ns '
test_that 'rows are selected by pattern' rows 'heap.ctx.*' 'heap.ctx.bytes heap.ctx.async.bytes '
test_that 'patterns of groups and of rows meet' patterns_meet
test_that 'no such row is an error' unknown
test_that 'nothing is left but the CSV file' nothing_left
test_that 'an interrupt ends it and leaves nothing' stopped
tap_done
