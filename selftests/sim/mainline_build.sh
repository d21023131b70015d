#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds mainline's driver for the kernels of this run, so that mainline.sh finds it in the VM.

here=$(dirname "$(readlink -f "$0")")
top=$(dirname "$(dirname "$here")")
count=0
failed=0

for kernel in ${KERNELS:-$("$top"/scripts/kernel default)}; do
	count=$((count + 1))
	case $kernel in
	6.1|debug) ;;
	*)
		echo "ok $count - mainline's driver builds for $kernel # SKIP linux-source-6.1 is for 6.1"
		continue ;;
	esac
	if "$here/mainline-build" "$("$top"/scripts/kernel release "$kernel")" \
		"$("$top"/scripts/kernel headers "$kernel")"; then
		echo "ok $count - mainline's driver builds for $kernel"
	else
		echo "not ok $count - mainline's driver builds for $kernel"
		failed=1
	fi
done
echo "1..$count"
exit $failed
