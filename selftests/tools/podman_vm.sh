#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl in containers of podman that have one of two devices. Runs where podman and crun are installed.

. "$(dirname "$0")/../include/tap.sh"

command -v podman >/dev/null && command -v crun >/dev/null || skip "needs podman: apt-get install podman crun"
DEV0=$(ls /sys/class/uacce | sed -n 1p)
DEV1=$(ls /sys/class/uacce | sed -n 2p)
[ -n "$DEV1" ] || skip "there are no two devices"

# podman's state must not lie on an overlay; both file systems end with the VM.
mkdir -p /var/lib/containers
mount -t tmpfs none /var/lib/containers
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
# A container has no CAP_SYS_ADMIN.
wdctl section add Podman NumProcesses=2 AllowedUsers=0 >/dev/null

at_exit() {
	wdctl section del Podman >/dev/null
	rm -f /etc/cdi/warpdrive.json
	umount /var/lib/containers
}

# inside DEVICE COMMAND: in a container on this system's root, with that device.
inside() {
	podman --cgroup-manager cgroupfs --runtime crun run --rm --cgroups disabled --network none --quiet \
		--device "$1" --volume "$TOP:$TOP" --env "PATH=$PATH" --rootfs /:O bash -c "$2"
}

test_doctor_judges_as_inside_a_container() {
	inside "/dev/$DEV0" 'wdctl doctor' >got
	says "inside a container: kernel, modules and devices are the host's" got
	says "/dev/$DEV0 can be opened" got
	says "/dev/$DEV1: this container wasn't given it" got
	says "netlink family uacce answers" got
	not grep -E 'mknod|mount|modprobe|systemctl|make install|no sections' got
}

test_lists_are_those_of_the_host() {
	inside "/dev/$DEV0" 'wdctl list && wdctl section list' >got
	says "$DEV0" got
	grep -E '^Podman +live +2 ' got
}

test_a_program_runs_in_a_section() {
	inside "/dev/$DEV0" 'wdctl run --section Podman -v -- wdzip -cv </bin/bash | gzip -dc | cksum' >got 2>err
	says 'slot Podman_INT_0' err
	says 'path sim' err
	[ "$(cat got)" = "$(cksum </bin/bash)" ]
}

test_a_device_is_named_by_cdi() {
	mkdir -p /etc/cdi
	wdctl export cdi >/etc/cdi/warpdrive.json
	inside "warpdrive/uacce=$DEV1" 'ls -l /dev' >got
	says "$DEV1" got
	not says "$DEV0" got
	grep -E "^crw-rw---- .* $DEV1\$" got
}

run_tests "$@"
