#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Libraries and tools on mainline's uacce and drivers, with devices of generation 2.

# shellcheck disable=SC2034 # for foreign_cases.sh
GENERATION=2
. "$(dirname "$0")/foreign_cases.sh"
