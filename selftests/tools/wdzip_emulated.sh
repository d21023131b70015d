#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdzip on two emulated devices, no kernel module needed.

RUN=(wd-emulate --zip 2 --)
WANT=sim
MANY=20
. "$(dirname "$0")/wdzip_cases.sh"

command -v wd-emulate >/dev/null || {
	echo "1..0 # SKIP wd-emulate is not built"
	exit 4
}

test_the_same_program_takes_the_other_path_on_request() {
	text 100000 >f
	wz --path soft -v -c f 2>err >a.gz
	says "path soft" err
	wz --path hw -v -c f 2>err >b.gz
	says "path sim" err
	wz -dc a.gz | same - f
	wdzip -dc b.gz | same - f
}

test_20_mb_survive_a_pipe_of_two() {
	text 20000000 >f
	wz -c f | wz -dc | same - f
}

run_tests "$@"
