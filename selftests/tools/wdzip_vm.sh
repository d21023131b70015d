#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdzip through the kernel modules and simulated devices.

RUN=()
WANT=sim
MANY=6
. "$(dirname "$0")/wdzip_cases.sh"

test_100_mb_survive_a_pipe_of_two() {
	text 104857600 >f
	wdzip --path hw -c f | wdzip --path hw -dc | same - f
}

test_falls_to_soft_when_asked() {
	text 1000 >f
	wdzip --path soft -v -c f 2>err >/dev/null
	says "path soft" err
}

# The previous test's queues are returned a moment after its end.
all_given_back() {
	! grep -qvx 0 /sys/kernel/config/uacce/devices/*/used_ctxs
}

test_killed_in_the_middle_it_gives_its_queues_back() {
	local before pid i

	until_true 30 all_given_back
	before=$(cat /sys/class/uacce/*/available_instances)
	for i in 1 2 3; do
		wdzip -c </dev/zero >/dev/null &
		pid=$!
		until_true 30 queues_differ "$before"
		kill -9 $pid
		wait $pid || :
		until_true 30 queues_are "$before"
	done
}

# at_work PID FILE QUEUES: wdzip has some of the queues and has written output; or it has finished already.
at_work() {
	{ [ -s "$2" ] && queues_differ "$3"; } || ! kill -0 "$1" 2>/dev/null
}

# pull_devices_from PID FILE QUEUES: the drivers are unloaded while wdzip works, and loaded again afterwards.
pull_devices_from() {
	local pid=$1

	# Before its first request wdzip has nothing to lose on a queue: the software path would do the work.
	until_true 60 at_work "$@"
	wdctl unload --force >unload.log 2>&1 || [ $? = 3 ]
	rc=0
	wait "$pid" || rc=$?
	# wdzip's queues are returned a moment after its end; until then uacce stays in use.
	until_true 30 wdctl unload >>unload.log 2>&1
	wdctl load --sim zip,zip >>unload.log 2>&1
}

test_begins_a_file_anew_when_its_device_goes() {
	local before i

	until_true 30 all_given_back
	before=$(cat /sys/class/uacce/*/available_instances)
	text 60000000 >f
	# If wdzip finishes the file before a device is removed, it doesn't lose one. That doesn't happen each time.
	for i in 1 2 3 4 5; do
		rm -f f.gz
		wdzip -T 1 -kv f 2>err &
		pull_devices_from $! f.gz "$before"
		cat err
		[ "$rc" = 0 ]
		gzip -dc f.gz | same - f
		! grep -q "starting again" err || ! grep -q "path soft" err || break
	done
	says "starting again" err
	says "path soft" err
}

# Parts that a device has lost are compressed again by themselves.
test_no_part_is_lost_with_its_device() {
	local before

	until_true 30 all_given_back
	before=$(cat /sys/class/uacce/*/available_instances)
	text 60000000 >f
	wdzip -cv <f 2>err >f.gz &
	pull_devices_from $! f.gz "$before"
	cat err
	[ "$rc" = 0 ]
	gzip -dc f.gz | same - f
	not grep "starting again" err
}

test_a_pipe_whose_device_goes_is_an_error() {
	local before

	until_true 30 all_given_back
	before=$(cat /sys/class/uacce/*/available_instances)
	wdzip -T 1 -c </dev/zero >got 2>err &
	pull_devices_from $! got "$before"
	cat err
	[ "$rc" = 1 ]
	says "wdzip: stdin: compression failed" err
}

queues_are() {
	[ "$(cat /sys/class/uacce/*/available_instances)" = "$1" ]
}

queues_differ() {
	! queues_are "$1"
}

# Only cases that the kernel takes part in: the emulated run tries all, and so does this one with WD_TEST_LONG.
if [ $# = 0 ] && [ -n "${WD_TEST_BRIEF:-}" ]; then
	set -- names_the_path exchanges_1 incompressible parts members_one damaged killed anew no_part pipe_whose \
		falls_to_soft
	MANY=1
elif [ $# = 0 ] && [ -z "${WD_TEST_LONG:-}" ]; then
	set -- names_the_path exchanges incompressible parts members damaged killed anew no_part pipe 100_mb \
		falls_to_soft
fi
run_tests "$@"
