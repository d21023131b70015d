#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Deadlines on an emulated device that takes half a second for each request.

. "$(dirname "$0")/../include/tap.sh"

test_deadlines_are_kept_on_a_slow_device() {
	WD_TEST_SLOW=hisi_zip-0 wd-emulate --zip 1 --latency 500000000 -- "$OUT/tests/comp/test_deadline" >deadline ||
		{ cat deadline; return 1; }
	not grep -q '# SKIP' deadline
}

run_tests "$@"
