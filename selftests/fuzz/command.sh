#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# "make fuzz": targets by name, refusals, and the handling of an input that fails.
. "$(dirname "$0")/../include/tap.sh"

build=${BUILD:-$TOP/build}

# The command with a build folder of its own, which holds the real programs.
fuzz() {
	mkdir -p build/user-fuzz
	ln -sfn "$build/user-fuzz/fuzz" build/user-fuzz/fuzz
	BUILD=$PWD/build "$TOP/selftests/fuzz/run" "$@"
}

test_the_list_has_each_target_with_a_line_on_it() {
	fuzz --list >list
	says inflate list
	says netlink_wdctl list
	not grep -qE '^ *[a-z_]+ *$' list
}

test_each_target_has_inputs_in_the_tree() {
	local target
	for target in $(cut -f1 "$build/user-fuzz/fuzz/targets"); do
		[ -n "$(ls "$TOP/selftests/fuzz/corpus/$target")" ]
	done
}

test_an_unknown_target_is_refused_with_the_list() {
	exits 2 fuzz nonsense 1 2>said
	says 'TARGET=nonsense: there is no such target' said
	says inflate said
}

test_a_time_that_is_none_is_refused() {
	exits 2 fuzz headers 0 2>said
	says 'SECONDS=0' said
	exits 2 fuzz headers soon 2>said
	says 'SECONDS=soon' said
}

test_without_fuzzers_the_reason_is_said() {
	mkdir -p none/user-fuzz/tests/fuzz
	echo 'left-out fuzz - no-clang-here' >none/user-fuzz/tests/fuzz/list
	BUILD=$PWD/none exits 4 "$TOP/selftests/fuzz/run" headers 1 2>said
	says 'no-clang-here' said
}

test_a_target_that_fails_nowhere_succeeds() {
	fuzz headers 1 >said
	says 'inputs:' said
}

test_an_input_that_fails_is_kept_and_fails_again() {
	local again
	# The run ends as soon as an input fails.
	exits 1 fuzz fails 1000 >said
	says 'an input that begins with an F' said
	again=$(sed -n 's/.*again: //p' said)
	[ -s "${again##* }" ]
	[ "$(head -c 1 "${again##* }")" = F ]
	not $again 2>/dev/null
}

run_tests "$@"
