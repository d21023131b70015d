#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds mainline's uacce and drivers for the kernels of this run, so that mainline.sh and foreign.sh find them in the
# VM.

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
count=0
failed=0

for kernel in ${WD_TEST_KERNELS:-${KERNELS:-$("$top"/scripts/kernel default)}}; do
	count=$((count + 1))
	case $kernel in
	6.1|6.12|debug) ;;
	*-arm64)
		if [ -z "${WD_TEST_LONG:-}" ]; then
			echo "ok $count - mainline's drivers build for $kernel # SKIP on demand: WD_TEST_LONG=1"
			continue
		fi ;;
	*)
		echo "ok $count - mainline's drivers build for $kernel # SKIP they are those of 6.1 and 6.12"
		continue ;;
	esac
	if "$here/mainline-build" "$kernel"; then
		echo "ok $count - mainline's drivers build for $kernel"
	else
		echo "not ok $count - mainline's drivers build for $kernel"
		failed=1
	fi
done
echo "1..$count"
exit $failed
