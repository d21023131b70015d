#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Units of systemd on a stock machine, with simulated devices (units_inside.sh). Takes minutes: on demand only, with
# WD_TEST_LONG=1.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh
. selftests/install/stock.inc.sh
. selftests/deploy/machine_packages.sh

long_only 'boots a machine for some minutes' /var/tmp
suite=bookworm
mkdir "$scratch/site"
test_that 'packages for the machine are there' packages_fetched "$scratch/debs" nginx-light haproxy acl
test_that "modules build with the machine's headers" modules_built $suite
python3 selftests/guides/blocks.py script machine docs/guide/cluster.md >"$scratch/site/guide"
test_that 'units on a machine with systemd get their sections' scripts/machine run --suite $suite \
	--deb "$scratch/debs" --with "$scratch/site" --timeout 3600 -- \
	bash selftests/deploy/units_inside.sh "$scratch/site/guide"
tap_done
