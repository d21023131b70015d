#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# On a machine without a device, the programs of this folder are skipped, each with the reason.
set -u

# shellcheck source=selftests/include/tap.sh
. "$(dirname "$0")/../include/tap.sh"

is_skipped() {
	local output code=0

	output=$("$1" 2>&1) || code=$?
	echo "exit status $code: $output"
	[ "$code" = 4 ] && [[ $output == *"# SKIP "*device* ]] && ! grep -q 'ok [0-9]' <<<"$output"
}

for program in "$OUT"/tests/uacce/test_*; do
	if compgen -G '/sys/class/uacce/*' >/dev/null; then
		skip_that "$(basename "$program") is skipped without a device" 'this machine has one'
	else
		test_that "$(basename "$program") is skipped without a device" is_skipped "$program"
	fi
done
tap_done
