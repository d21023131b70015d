#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each fuzzer for a short time, from the inputs in the tree: as many at once as the machine has CPUs, less one.
#   WD_FUZZ_SECONDS: for each fuzzer, 10 by default
set -u

top=${TOP:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${BUILD:-$top/build}
programs=$build/user-fuzz/fuzz
seconds=${WD_FUZZ_SECONDS:-10}
crashes=$build/fuzz/crashes
work=$(mktemp -d "${TMPDIR:-/tmp}/wd-fuzz.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$crashes"

# Runs one target; inputs that it finds are discarded, so that the next run does the same.
fuzz() {
	local target=$1 seeds=$top/selftests/fuzz/corpus/$1

	mkdir "$work/$target"
	nice -n 5 "$programs/$target" -seed=1 -max_total_time="$seconds" -timeout=600 -rss_limit_mb=2048 \
		-print_final_stats=1 \
		-artifact_prefix="$crashes/$target-" "$work/$target" "$seeds" >"$work/$target.log" 2>&1
	echo $? >"$work/$target.code"
}

# A target that has not even read the inputs of the tree has tested nothing.
judge() {
	local target=$1 log=$work/$1.log runs kept

	if [ "$(cat "$work/$target.code")" != 0 ]; then
		grep -aE -A16 'not so:|ERROR: |runtime error:' "$log" | head -40 | sed 's/^/# /'
		kept=$(sed -n 's/.*Test unit written to //p' "$log" | tail -1)
		[ -z "$kept" ] || echo "# again: $programs/$target $kept"
		return 1
	fi
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	echo "# $target: $runs inputs"
	[ "$runs" -ge "$(find "$top/selftests/fuzz/corpus/$target" -type f | wc -l)" ]
}

at_once=$(($(nproc) > 2 ? $(nproc) - 1 : 1))
number=0 running=0 failed=0
targets=$(cut -f1 "$programs/targets")
echo "1..$(wc -w <<<"$targets")"
for target in $targets; do
	fuzz "$target" &
	running=$((running + 1))
	[ $running -lt $at_once ] || { wait -n; running=$((running - 1)); }
done
wait
for target in $targets; do
	number=$((number + 1))
	if judge "$target"; then
		echo "ok $number - $target"
	else
		echo "not ok $number - $target"
		failed=1
	fi
done
exit $failed
