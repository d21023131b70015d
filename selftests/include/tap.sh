# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# TAP for scripts: source it, call test_that for each rule, end with tap_done.

tap_count=0
tap_failed=0

# test_that RULE COMMAND...: passes when the command succeeds; what it says is shown when not.
test_that() {
	local rule=$1 output code=0

	shift
	tap_count=$((tap_count + 1))
	output=$("$@" 2>&1) || code=$?
	if [ $code = 0 ]; then
		echo "ok $tap_count - $rule"
		return
	fi
	[ -z "$output" ] || sed 's/^/# /' <<<"$output"
	echo "not ok $tap_count - $rule"
	tap_failed=$((tap_failed + 1))
}

# skip RULE REASON
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

tap_done() {
	echo "1..$tap_count"
	[ $tap_failed = 0 ]
	exit
}
