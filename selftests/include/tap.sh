# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# TAP for scripts. Source it; then either
#   - call test_that for each rule, and end with tap_done, or
#   - write each test as a function test_..., and end with run_tests "$@".

# shellcheck source=selftests/include/where.sh
. "${BASH_SOURCE[0]%/*}/where.sh"
PATH=$OUT/bin:$PATH
export PATH

# A pipe from which nothing comes. To wait for it starts no program, which takes seconds on the debug kernel. It is
# opened here because that changes $!.
exec {tap_never}<> <(:)

tap_count=0
tap_failed=0

# tap_result RULE CODE OUTPUT: prints one line of TAP; code 4 is a skip, whose reason follows SKIP in the output.
tap_result() {
	local rule=$1 code=$2 output=$3

	tap_count=$((tap_count + 1))
	case $code in
	0) echo "ok $tap_count - $rule" ;;
	4) echo "ok $tap_count - $rule # SKIP $(sed -n 's/^SKIP //p' <<<"$output" | tail -1)" ;;
	*)
		[ -z "$output" ] || sed 's/^/# /' <<<"$output"
		echo "not ok $tap_count - $rule"
		tap_failed=$((tap_failed + 1))
		;;
	esac
}

# test_that RULE COMMAND...: passes when the command succeeds; otherwise its output is shown.
test_that() {
	local rule=$1 output code=0

	shift
	output=$("$@" 2>&1) || code=$?
	tap_result "$rule" "$code" "$output"
}

# skip_that RULE REASON: instead of test_that.
skip_that() {
	tap_result "$1" 4 "SKIP $2"
}

tap_done() {
	echo "1..$tap_count"
	[ $tap_failed = 0 ]
	exit
}

# A script redefines this function if it has to clean up after run_tests.
at_exit() {
	:
}

# tap_end_jobs CODE: what a failed test has left in the background would go on for as long as the machine runs.
tap_end_jobs() {
	local left

	left=$(jobs -p)
	# shellcheck disable=SC2086 # numbers
	[ "$1" = 0 ] || [ -z "$left" ] || kill $left 2>/dev/null || :
}

# run_tests [PATTERN...]: the functions test_... whose names match one of the patterns, else all, each in
# a folder of its own below WORK, under "set -e".
run_tests() {
	local t tests code log output

	WORK=$(mktemp -d "${TMPDIR:-/tmp}/wd-test.XXXXXX")
	trap 'at_exit; chmod -R u+rwX "$WORK" 2>/dev/null; rm -rf "$WORK"' EXIT
	log=$WORK/log
	# Without test_that, which is no test in spite of its prefix.
	tests=$(declare -F | sed -n 's/^declare -f \(test_.*\)/\1/p' | grep -v '^test_that$' |
		grep -E "$(IFS='|'; echo "$*")")
	echo "1..$(echo "$tests" | wc -w)"
	for t in $tests; do
		mkdir "$WORK/$t"
		(trap 'tap_end_jobs $?' EXIT; cd "$WORK/$t" && set -eo pipefail && "$t") >"$log" 2>&1 </dev/null
		code=$?
		t=${t#test_}
		output=
		[ $code = 0 ] || output=$(tr -d '\0' <"$log")
		tap_result "${t//_/ }" "$code" "$output"
	done
	[ $tap_failed = 0 ]
}

# skip REASON: ends this test, or the script if no test has run.
skip() {
	echo "SKIP $*"
	exit 4
}

# exits CODE COMMAND...: the command must end with exactly this code.
exits() {
	local want=$1 got=0

	shift
	"$@" || got=$?
	[ "$got" = "$want" ] || {
		echo "'$*' ended with $got, expected $want"
		return 1
	}
}

# "set -e" ignores a command that is negated with the shell's own "!".
not() {
	! "$@"
}

# says TEXT FILE: the file has this text, on any line.
says() {
	grep -qF -- "$1" "$2" || {
		echo "expected '$1' in:"
		cat "$2"
		return 1
	}
}

same() {
	cmp -- "$1" "$2"
}

absent() {
	[ ! -e "$1" ] || {
		echo "$1 exists"
		return 1
	}
}

# quiet_make ARGUMENT...: make, whose output is warnings and errors only, without the flags of a make that runs the
# script.
quiet_make() {
	MAKEFLAGS='' make --no-print-directory -s "$@"
}

# until_true SECONDS COMMAND...: repeats the command until it succeeds, for at most twice that long, and longer where
# each look takes long: the limit counts the pauses only. It has to end before the program does, whose limit says
# nothing of what was waited for. The pauses grow, since the processes of a look keep a busy or emulated CPU from what
# the look waits for.
until_true() {
	local left=$(($1 * 2000)) pause=20 seconds

	shift
	until "$@"; do
		[ $left -gt 0 ] || {
			echo "'$*' was not true in time"
			return 1
		}
		printf -v seconds 0.%03d $pause
		read -rt "$seconds" -u "$tap_never" || :
		left=$((left - pause))
		[ $pause -ge 160 ] || pause=$((pause * 2))
	done
}
