#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The samples of docs/examples on two emulated devices.

RUN=(wd-emulate --zip 2 --sec 1 --hpre 1 --)
WANT=sim
. "$(dirname "$0")/examples_cases.sh"
command -v wd-emulate >/dev/null || {
	echo "1..0 # SKIP wd-emulate is not built"
	exit 4
}
run_tests "$@"
