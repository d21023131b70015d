#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sections in containers of Debian 13's Docker, on a stock machine with simulated devices (docker_inside.sh). Takes
# minutes: on demand only, with WD_TEST_LONG=1.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh
. selftests/install/stock.inc.sh
. selftests/deploy/machine_packages.sh

long_only 'boots a machine for some minutes' /var/tmp
suite=trixie
mkdir "$scratch/site"
test_that 'packages for the machine are there' packages_fetched "$scratch/debs" docker.io docker-cli busybox-static
test_that "modules build with the machine's headers" modules_built $suite
python3 selftests/guides/blocks.py script docker docs/guide/cluster.md >"$scratch/site/guide"
test_that "Docker's containers get their sections" scripts/machine run --suite $suite --deb "$scratch/debs" \
	--with "$scratch/site" --timeout 7200 -- bash selftests/deploy/docker_inside.sh "$scratch/site/guide"
tap_done
