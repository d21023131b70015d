#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The system sleeps and hibernates, up to and with its devices, while clients are at work: no request is lost. On a
# stock machine, since the root of scripts/vm, a 9p share, doesn't survive that. Runs on demand only, with
# WD_TEST_LONG=1.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh
. selftests/install/stock.inc.sh

long_only 'boots a machine for some minutes'
suite=${WD_SUITES:-bookworm}
suite=${suite%% *}

# The kernel's own test: all devices are suspended, and wake after 5 s. What runs then must not be on a share either.
sleeps() {
	# The shares of the host do not survive either: unmounting them in an orderly shutdown would hang.
	in_machine '
		trap "echo \$? >/dev/virtio-ports/status; sync; echo o >/proc/sysrq-trigger; sleep 60" EXIT
		make install
		ldconfig
		cp build/user/tests/comp/busy /root/
		cd /root
		wdctl load --sim zip,zip
		udevadm settle
		echo devices >/sys/power/pm_test
		./busy 40 >ready 2>errors &
		client=$!
		until [ -s ready ]; do sleep 1; done
		for state in freeze mem disk; do
			echo $state >/sys/power/state
			sleep 2
		done
		code=0
		wait $client || code=$?
		cat errors
		[ $code = 2 ]
		[ "$(grep -c ": no error" errors)" = 8 ]
		[ "$(dmesg | grep -c "reset and restarted")" = 6 ]
		grep -x 0 /sys/class/uacce/hisi_zip-*/isolate'
}

test_that "modules build for $suite with the machine's headers" modules_built "$suite"
test_that 'no request is lost when the system sleeps or hibernates' sleeps
rm -f "$scratch/$suite"
tap_done
