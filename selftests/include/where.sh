# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced: TOP, OUT (the build's folder), and PROGRAMS with one folder of test programs for each area, in the checkout
# or where selftests/Makefile has installed them.

here=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
if [ -e "$here/kselftest-list.txt" ]; then
	TOP=$here OUT=$here PROGRAMS=$here
else
	TOP=${TOP:-${here%/*}}
	OUT=${OUT:-$TOP/build/user}
	PROGRAMS=$OUT/tests
fi
