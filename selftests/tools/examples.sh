#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The samples of docs/examples without any device.

RUN=()
WANT=soft
. "$(dirname "$0")/examples_cases.sh"
run_tests "$@"
