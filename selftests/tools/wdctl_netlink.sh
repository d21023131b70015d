#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl's commands that use netlink, without a kernel that answers: usage, and their messages.

. "$(dirname "$0")/../include/tap.sh"

test_bad_usage_of_what_asks_by_netlink() {
	exits 2 wdctl ctx --pid me 2>err
	says "--pid me: expected a number" err
	exits 2 wdctl top --interval 0 2>err
	says "--interval 0: expected seconds" err
	exits 2 wdctl top --interval nan 2>err
	exits 2 wdctl top --sort size 2>err
	says "expected device, section, pid or age" err
	exits 2 wdctl top --once -b 3 2>err
	exits 2 wdctl monitor --group all 2>err
	says "expected config or event" err
	exits 2 wdctl monitor --count -1 2>err
	exits 2 wdctl monitor --timeout 1e9 2>err
}

test_run_ends_with_125_when_nothing_was_run() {
	exits 125 wdctl run 2>err
	says "expected --section NAME" err
	exits 125 wdctl run --section A 2>err
	says "expected a COMMAND to run" err
	exits 125 wdctl run --section A --wait long -- true 2>err
	says "--wait long: expected a number" err
	exits 125 wdctl run --section A --slot A_INT_0 --device hisi_zip-0 -- true 2>err
	says "expected --slot or --device, not both" err
	exits 125 wdctl run --frobnicate -- true 2>err
	says "unrecognized option '--frobnicate'" err
}

test_without_the_netlink_family_it_says_so() {
	[ ! -e /sys/module/uacce ] || skip "this machine has the module"
	for c in ctx 'top --once' monitor; do
		exits 1 wdctl $c >got 2>err
		[ ! -s got ]
		says "wdctl ${c%% *}: this kernel has no netlink family 'uacce'" err
		says "run 'wdctl doctor' for the cause" err
	done
	exits 125 wdctl run --section A -- touch ran 2>err
	says "this kernel has no netlink family 'uacce'" err
	absent ran
}

run_tests "$@"
