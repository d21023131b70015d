# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Run in a stock machine by docker_machine.sh: SCRIPT [PATTERN...]

. selftests/include/tap.sh
BUILD=${BUILD:-$TOP/build}
ROOTFS=/var/lib/box
# The guide's commands for Docker, as a script.
GUIDE=$1

# An image of busybox, wdctl and wdzip.
make_image() {
	local file lib

	mkdir -p $ROOTFS/{bin,lib,lib64,tmp}
	cp "$(command -v busybox)" $ROOTFS/bin/
	for file in sh ls stat gzip md5sum sleep mknod; do
		ln -s busybox $ROOTFS/bin/$file
	done
	for file in wdctl wdzip; do
		cp "$OUT/bin/$file" $ROOTFS/bin/
		ldd "$OUT/bin/$file" | grep -o '/[^ ]*' | while read -r lib; do
			cp -n "$lib" $ROOTFS/lib/
		done
	done
	cp /lib64/ld-linux-* $ROOTFS/lib64/
	head -c 300000 /bin/bash >$ROOTFS/plain
	tar -C $ROOTFS -c . | docker import --change 'ENV LD_LIBRARY_PATH=/lib PATH=/bin' - box >/dev/null
}

box() {
	docker run --rm --network none "$@"
}

# Two sections with one device each; a slot of web has two contexts.
sections() {
	wdctl apply --prune --revoke - >/dev/null <<-END
		[web] NumProcesses = 2 Devices = hisi_zip-1 AllowedUsers = 0
		[db] Devices = hisi_zip-0 AllowedUsers = 0
	END
	wdctl export cdi --sections "$@" --output /run/cdi/warpdrive.json
}

opens() {
	echo "wdctl run --section \$WD_SECTION -- sh -c '
		for n in $(seq -s ' ' 3 $((2 + $1))); do eval \"exec \$n<>/dev/hisi_zip-1\" || exit; done; echo opened'"
}

test_1_docker_without_CDI_says_so() {
	mkdir -p /etc/sysusers.d
	wdctl export sysusers >/etc/sysusers.d/warpdrive.conf
	systemd-sysusers
	wdctl export udev >/etc/udev/rules.d/60-warpdrive.rules
	udevadm control --reload
	wdctl load --from "$BUILD/kmod/$(uname -r)" --sim zip,zip
	udevadm settle
	mkdir -p /run/cdi
	docker version --format '{{.Server.Version}}'
	make_image
	sections
	exits 125 box --device warpdrive/section=web box true 2>err
	says 'could not select device driver "cdi"' err
}

test_2_the_guides_commands_work() {
	sections
	bash "$GUIDE" >got 2>&1 || { cat got; journalctl -u docker | tail -n 30; false; }
	says hisi_zip-1 got
	says 'slot web_INT_' got
	says 'path sim' got
}

test_3_a_container_has_its_sections_device_and_name() {
	sections
	box --device warpdrive/section=web box sh -c 'ls /dev; stat -c "%a %g" /dev/hisi*; echo "section $WD_SECTION"
		wdctl run --section $WD_SECTION -v -- wdzip -cv plain | gzip -dc | md5sum' >got 2>err ||
		{ cat got err; journalctl -u docker | tail; false; }
	says hisi_zip-1 got
	not says hisi_zip-0 got
	says "660 $(getent group accel | cut -d: -f3)" got
	says 'section web' got
	says 'slot web_INT_' err
	says 'path sim' err
	says "$(md5sum <$ROOTFS/plain)" got
}

test_4_the_open_beyond_the_share_is_refused() {
	sections
	box --device warpdrive/section=web box sh -c "$(opens 2); $(opens 3)" >got 2>err || :
	[ "$(grep -c opened got)" = 1 ]
	says 'Disk quota exceeded' err
}

test_5_two_containers_share_a_section() {
	local name

	sections
	for name in one two; do
		box --detach --name $name --device warpdrive/section=web box \
			sh -c 'wdctl run --section $WD_SECTION -- sleep 1000' >/dev/null
	done
	until_true 120 sh -c 'wdctl section show web | grep "attached 2"'
	not box --device warpdrive/section=web box sh -c "$(opens 1)" >got 2>err
	says '2 slots, 2 attached' err
	docker kill one two >/dev/null
	until_true 60 sh -c 'wdctl section show web | grep "attached 0"'
}

# The node that db has, made by hand; and that of the container's own section, as a check of the first.
test_6_a_container_can_open_no_other_device() {
	local own other

	sections
	own=$(stat -c '0x%t 0x%T' /dev/hisi_zip-1)
	other=$(stat -c '0x%t 0x%T' /dev/hisi_zip-0)
	box --device warpdrive/section=web box sh -c "
		mknod /own c $(printf '%d %d' $own) && mknod /other c $(printf '%d %d' $other) || exit
		wdctl run --section web -- sh -c 'exec 3<>/own; echo opened'
		wdctl run --section db -- sh -c 'exec 3<>/other; echo opened'" >got 2>err || :
	[ "$(grep -c opened got)" = 1 ]
	says "/other: Operation not permitted" err
}

# This Docker takes a file of CDI 0.7.0, and leaves out the group that such a file can add to a container.
test_7_another_user_needs_the_group() {
	local option

	for option in '' --gid; do
		sections $option
		wdctl section set web AllowedUsers=0,1500 >/dev/null
		not box --user 1500 --device warpdrive/section=web box sh -c "$(opens 1)" >got 2>err
		says 'Permission denied' err
		box --user 1500 --group-add "$(getent group accel | cut -d: -f3)" --device warpdrive/section=web box \
			sh -c "$(opens 1)" >got 2>err || { cat got err; false; }
		says opened got
	done
}

test_8_a_section_that_is_gone_is_no_device() {
	sections
	wdctl section del db >/dev/null
	wdctl export cdi --sections --output /run/cdi/warpdrive.json
	exits 125 box --device warpdrive/section=db box true 2>err
	says 'warpdrive/section=db' err
}

run_tests "${@:2}"
