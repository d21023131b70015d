#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A user who follows the guides and the README with a VM succeeds, from the first command on.

. "$(dirname "$0")/guides.inc.sh"

test_first_steps_in_a_vm() { follow host,boot docs/guide/first-steps.md; }
test_readme_in_a_vm() { follow host,boot README.md; }

run_tests "$@"
