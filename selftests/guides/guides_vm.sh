#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An administrator who follows the guides on a machine with our modules succeeds. Leaves two simulated devices.

OUT_HERE=${OUT:?} LONG=${WD_TEST_LONG:-}
. "$(dirname "$0")/guides.inc.sh"
. "$(dirname "$0")/../include/kept.sh"

# Sections of an earlier guide would hold the modules.
no_sections() {
	wdctl section list --json >/dev/null 2>&1 && printf '' | wdctl apply --prune --revoke - >/dev/null 2>&1
}

at_exit() {
	no_sections
	# What the guides declare would be missed by the doctor of later tests.
	rm -rf /etc/warpdrive
	until_true 30 wdctl unload >/dev/null
	wdctl load --sim zip,zip >/dev/null
}

# As if installed: a service's user may not read the checkout. Where systemd runs, it has this folder.
install_here() {
	mkdir -p /etc/modules-load.d
	cp -a "$OUT_HERE"/bin/wd* /usr/local/bin/
	cp -a "$OUT_HERE"/lib/*.so* /usr/local/lib/
}

# state_is NTH STATE: the device's state in the Nth output of wdctl list.
state_is() {
	[ "$(awk '$1 == "hisi_zip-0" && $2 ~ /:/ { print $NF }' got | sed -n "$1p")" = "$2" ]
}

test_administer() {
	install_here
	follow vm docs/guide/administer.md >got 2>&1 || { cat got; false; }
	says '/tmp/numbers:	 64' got
	says 'path sim (asked for)' got
	says 'slot nginx_INT_0' got
	says 'hisi_zip-0: 1+0 contexts' got
	says 'NumProcesses = 8' got
	# Before the reset, after it, and after binding the driver.
	state_is 4 isolated
	state_is 5 ok
	state_is 6 ok
	[ "$(grep -c 'is a virtual function of' got)" = 3 ]
}

test_observe() {
	install_here
	no_sections
	follow vm docs/guide/observe.md >got 2>&1 || { cat got; false; }
	says 'warpdrive_section_slots{section="web",state="total"} 2' got
	says 'HTTP/1.1 200 OK' got
	grep -q 'queue_refused: device=hisi_zip-0 section=web error=-122 reason=quota' got || { cat got; false; }
	grep -q 'attach: section=web' got
	rm -r /var/lib/prometheus/node-exporter/warpdrive.prom
}

test_hardware() {
	install_here
	no_sections
	SIM="--sim zip$DEVICES,sec$DEVICES,hpre$DEVICES" follow vm docs/guide/hardware.md >got 2>&1 ||
		{ cat got; false; }
	says 'path sim (asked for)' got
	grep -qE '^hisi_sec2-[0-9]+ +SM3 +ok +sim ' got
	grep -qE '^hisi_hpre-[0-9]+ +RSA-2048 sign +ok +sim ' got
	grep -qE '^[0-9]+ passed, 0 failed, ' got
	says wd-report/selftest.json got
	rm -r /tmp/wd-report /tmp/wd-report.tar.gz
}

# As udev does it where it runs, the nodes belong to a group.
nodes_of_group() {
	[ "$1" != load ] || { chgrp accel /dev/hisi_* && chmod 660 /dev/hisi_*; }
}

# Other users reach the build, also if the checkout is below a folder of root's. The VM's root is its own.
reachable() {
	local dir=$TOP

	while [ "$dir" != / ]; do
		dir=$(dirname "$dir")
		chmod o+x "$dir"
	done
}

# machine_of_nginx: new libraries are found, a worker process may open devices, and no driver is loaded yet.
machine_of_nginx() {
	reachable
	ldconfig
	getent group accel >/dev/null || groupadd --system accel
	mkdir -p /var/lib/nginx
	busybox ip link set lo up
	no_sections
	until_true 30 wdctl unload >/dev/null
	wdctl() {
		command wdctl "$@" && nodes_of_group "$1"
	}
	export -f wdctl nodes_of_group
}

# need_kept SET: skips the test without these programs. The host's tests of the guides fetch them.
need_kept() {
	kept programs "$1" || skip "the set is not in the cache: scripts/programs $1 fetches it"
}

test_openssl() {
	need_kept web
	install_here
	cp -a "$OUT_HERE/ossl-modules" /usr/local/lib/
	machine_of_nginx
	script_of vm docs/guide/openssl.md
	place
	(cd warpdrive && "$TOP/scripts/programs" web -- bash ../script) >got 2>&1 || { cat got; false; }
	says hello got
	# The worker's queue for the certificate's key, with requests that are done.
	[ "$(awk '$1 == "hisi_hpre-0" && $4 == "nginx" && $NF > 0' got | wc -l)" -ge 1 ] || { cat got; false; }
	export OPENSSL_CONF=$HOME/tls/warpdrive.cnf
	cp "$OPENSSL_CONF" /tmp/warpdrive.cnf
	chmod 600 /dev/hisi_hpre-0
	OPENSSL_CONF=/tmp/warpdrive.cnf setpriv --reuid 65534 --regid 65534 --clear-groups wdctl doctor >got || :
	says "user 65534 can't open hisi_hpre-0" got
}

test_zlib() {
	local size

	[ -e "$OUT_HERE/lib/warpdrive/zlib/libz.so.1" ] || skip 'the replacement of zlib was left out'
	need_kept web
	need_kept git-tools
	install_here
	cp -a "$OUT_HERE/lib/warpdrive" /usr/local/lib/
	machine_of_nginx
	export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null
	script_of vm docs/guide/zlib.md
	place
	(cd warpdrive &&
		PATH=/usr/local/bin:$PATH TMPDIR=/tmp "$TOP/scripts/programs" git-tools -- "$TOP/scripts/programs" web \
		-- bash ../script) >got 2>&1 || {
		cat got
		false
	}
	says 'ok       zlib       /usr/local/lib/warpdrive/zlib/libz.so.1' got
	says 'no problems' got
	grep '^program=' got >counts
	size=$(seq 1000000 | wc -c)
	[ "$(bytes_of git counts)" -ge $((2 * size)) ] && [ "$(bytes_of pigz counts)" -ge "$size" ] &&
		[ "$(bytes_of nginx counts)" -ge "$size" ] || { cat got; false; }
}

# mediated GUIDE: its test, on devices without shared virtual addressing.
mediated() {
	[ -n "$LONG" ] || skip 'WD_TEST_LONG=1 follows the guides on such devices, too'
	no_sections
	until_true 30 wdctl unload >/dev/null
	wdctl load --sim zip@nosva,zip@nosva >/dev/null
	DEVICES=@nosva
	test_$1
	[ "$(cat /sys/class/uacce/*/iommu | sort -u)" = mediated ]
	no_sections
	until_true 30 wdctl unload >/dev/null
	wdctl load --sim zip,zip >/dev/null
}

test_administer_without_shared_addresses() { mediated administer; }
test_observe_without_shared_addresses() { mediated observe; }
test_hardware_without_shared_addresses() { mediated hardware; }
test_openssl_without_shared_addresses() { mediated openssl; }
test_zlib_without_shared_addresses() { mediated zlib; }

run_tests "$@"
