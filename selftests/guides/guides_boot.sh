#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A user who follows the guides and the README with a VM succeeds, from the first command on.

LONG=${WD_TEST_LONG:-}
. "$(dirname "$0")/guides.inc.sh"

test_first_steps_in_a_vm() { follow host,boot docs/guide/first-steps.md; }
test_readme_in_a_vm() { follow host,boot README.md; }

# The same with devices that can't share a process' address space, where the kernel executes submissions.
mediated() {
	[ -n "$LONG" ] || skip 'WD_TEST_LONG=1 follows the guides on such devices, too'
	DEVICES=@nosva
	follow "$@" >got 2>&1 || { cat got; false; }
	grep -q ' mediated ' got
}

test_first_steps_without_shared_addresses() { mediated host,boot docs/guide/first-steps.md; }
test_readme_without_shared_addresses() { mediated host,boot README.md; }

run_tests "$@"
