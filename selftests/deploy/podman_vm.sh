#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sections in containers of podman, rootful and rootless, by a specification of CDI. Runs where podman, crun, uidmap and
# busybox-static are installed.

. "$(dirname "$0")/../include/tap.sh"

for program in podman crun newuidmap busybox; do
	command -v $program >/dev/null || skip "needs $program: apt-get install podman crun uidmap busybox-static"
done
U=/sys/kernel/config/uacce
DEV0=$(ls $U/devices | sed -n 1p)
DEV1=$(ls $U/devices | sed -n 2p)
[ -n "$DEV1" ] || skip "there are no two devices"
ID=1500
BOX=/run/deploy
SPEC=/run/cdi/warpdrive.json

# A folder for containers: busybox, wdctl and wdzip with their libraries.
fill_rootfs() {
	local root=$1 file lib

	mkdir -p "$root"/{bin,lib,lib64,proc,sys,dev,run,etc,tmp}
	cp "$(command -v busybox)" "$root/bin/"
	for file in sh sleep ls cat gzip md5sum id stat; do
		ln -s busybox "$root/bin/$file"
	done
	for file in wdctl wdzip; do
		cp "$OUT/bin/$file" "$root/bin/"
		ldd "$OUT/bin/$file" | grep -o '/[^ ]*' | while read -r lib; do
			cp -n "$lib" "$root/lib/"
		done
	done
	cp /lib64/ld-linux-* "$root/lib64/"
	head -c 300000 /bin/bash >"$root/plain"
}

# Their state must not lie on an overlay; all of it ends with the VM.
mkdir -p $BOX /run/cdi
mount -t tmpfs -o mode=755 none $BOX
mountpoint -q /sys/fs/cgroup || mount -t cgroup2 none /sys/fs/cgroup
mount --make-rshared /
fill_rootfs $BOX/rootfs
mkdir -p $BOX/run $BOX/home
chown -R $ID:$ID $BOX/run $BOX/home $BOX/rootfs
grep -q '^accel:' /etc/group || echo 'accel:x:1501:' >>/etc/group
grep -q '^deploy:' /etc/passwd || echo "deploy:x:$ID:$ID::$BOX/home:/bin/sh" >>/etc/passwd
grep -q '^deploy:' /etc/subuid || echo 'deploy:300000:65536' | tee -a /etc/subuid >>/etc/subgid
GID=$(getent group accel | cut -d: -f3)
chgrp accel /dev/$DEV0 /dev/$DEV1
chmod 660 /dev/$DEV0 /dev/$DEV1

at_exit() {
	wdctl apply --prune --revoke /dev/null >/dev/null
	rm -f $SPEC
	chgrp root /dev/$DEV0 /dev/$DEV1
	umount -l $BOX
}

common="--storage-driver vfs --cgroup-manager cgroupfs --runtime crun"
options="--rm --cgroups disabled --network none --quiet --ulimit nofile=1024:1024 --ulimit nproc=1024:1024"
options+=" --env LD_LIBRARY_PATH=/lib --env PATH=/bin"

# rootful OPTION... -- COMMAND: in a container, by sh.
rootful() {
	in_container podman --root $BOX/state --runroot $BOX/runroot "$@"
}

rootless() {
	in_container setpriv --reuid $ID --regid $ID --groups "$ID,$GID" \
		env "HOME=$BOX/home" "XDG_RUNTIME_DIR=$BOX/run" podman "$@"
}

# The command of podman, then the options of its run, -- and a command.
in_container() {
	local podman=() given=()

	while [[ $1 != --device ]]; do
		podman+=("$1")
		shift
	done
	while [[ $1 != -- ]]; do
		given+=("$1")
		shift
	done
	# shellcheck disable=SC2086 # words
	(cd / && "${podman[@]}" $common run $options "${given[@]}" --rootfs $BOX/rootfs sh -c "$2")
}

# Two sections with one device each; a slot has two contexts. Their users are the host's.
sections() {
	wdctl apply --prune --revoke - >/dev/null <<-END
		[web] NumProcesses = 2 Devices = $DEV1 AllowedUsers = 0, $ID
		[db] Devices = $DEV0 AllowedUsers = 0
	END
	wdctl export cdi --sections "$@" --output $SPEC
}

# opens COUNT: so many contexts, by a process with a slot of the container's section.
opens() {
	echo "wdctl run --section \$WD_SECTION -- sh -c '
		for n in $(seq -s ' ' 3 $((2 + $1))); do eval \"exec \$n<>/dev/$DEV1\" || exit; done; echo opened'"
}

test_a_container_has_its_sections_device_and_name() {
	sections
	rootful --device warpdrive/section=web -- \
		'ls /dev; stat -c "%a %g" /dev/hisi*; echo "section $WD_SECTION"
		wdctl run --section $WD_SECTION -v -- wdzip -cv plain | gzip -dc | md5sum' >got 2>err ||
		{ cat got err; false; }
	says "$DEV1" got
	not says "$DEV0" got
	says "660 $GID" got
	says 'section web' got
	says 'slot web_INT_' err
	says 'path sim' err
	says "$(head -c 300000 /bin/bash | md5sum)" got
}

test_the_open_beyond_the_share_is_refused() {
	sections
	rootful --device warpdrive/section=web -- "$(opens 2); $(opens 3)" >got 2>err || :
	[ "$(grep -c opened got)" = 1 ]
	says 'Disk quota exceeded' err
}

# A container that has a slot until $BOX/rootfs/tmp/stop is there, and then opens its device.
holds() {
	rootful --device warpdrive/section=web -- "wdctl run --section \$WD_SECTION -- sh -c '
		until [ -e /tmp/stop ]; do sleep 1; done; exec 3<>/dev/$DEV1; echo opened'"
}

test_two_containers_share_a_section_and_the_file_changes_under_them() {
	local first second

	sections
	holds >one 2>&1 &
	first=$!
	holds >two 2>&1 &
	second=$!
	until_true 120 sh -c 'wdctl section show web | grep "attached 2"'
	# The third finds no slot. In the meantime db is gone, and the file has no device of that name.
	wdctl section del db >/dev/null
	wdctl export cdi --sections --output $SPEC
	exits 125 rootful --device warpdrive/section=web -- "$(opens 1)" >got 2>err
	says '2 slots, 2 attached' err
	exits 126 rootful --device warpdrive/section=db -- true 2>err
	says 'unresolvable CDI devices warpdrive/section=db' err
	touch $BOX/rootfs/tmp/stop
	wait $first
	wait $second
	rm $BOX/rootfs/tmp/stop
	says opened one
	says opened two
}

test_a_rootless_container_keeps_its_users_group() {
	sections
	rootless --device warpdrive/section=web --group-add keep-groups -- \
		"echo section \$WD_SECTION; $(opens 2); $(opens 3)" >got 2>err || cat err
	says 'section web' got
	[ "$(grep -c opened got)" = 1 ]
	says 'Disk quota exceeded' err
	rootless --device warpdrive/section=web -- "$(opens 1)" >got 2>err || :
	not grep opened got
	says 'Permission denied' err
}

# What other versions read, and one bad name would take from all.
test_this_podman_reads_what_the_rules_say() {
	sections --gid
	exits 126 rootful --device warpdrive/section=web -- true 2>err
	says unresolvable err
	sections
	sed -i 's/"name":"db"/"name":"db-"/' $SPEC
	exits 126 rootful --device warpdrive/section=web -- true 2>err
	says unresolvable err
	exits 1 python3 "$TOP/selftests/deploy/cdi.py" $SPEC >got
	says "name 'db-'" got
}

run_tests "$@"
