#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs that copy files, and compress them on the way or at the end: rsync, ssh, qemu-img, dpkg-deb.
# WD_TEST_LONG=1: with more data.

. "$(dirname "$0")/zlib.inc.sh"
. "$(dirname "$0")/../include/sshd.sh"
need_kept_set git-tools

# rsync's two ways to use zlib: one of them lets it know data that aren't sent, if it is rsync's own zlib.
rsyncs() {
	local way

	big_file
	mkdir -p from
	for way in zlibx zlib; do
		rm -rf to
		cp "$BIG" from/file
		on_devices git-tools "$@" -- rsync -a -z --compress-choice=$way --compress-level=6 from/ to/
		same from/file to/file
		# Most of it is there already, in blocks that aren't sent.
		{ head -c 300000 "$BIG"; echo 'another line'; tail -c 4000000 \
			"$BIG"; data 400000 /dev/stdout; } >from/file
		on_devices git-tools "$@" -- rsync -a -z --no-whole-file --checksum --compress-choice=$way from/ to/
		same from/file to/file
		[ -z "$(stock with_set git-tools rsync -a -n -i --checksum from/ to/)" ]
	done
}

test_rsync() {
	rsyncs
	devices_deflated $BIG_BYTES rsync
}

test_rsync_while_devices_fail() {
	rsyncs --fault fail=60/4
	did_at_least 1 parts_redone rsync
}

# A packet has at most 32 KB, and its end is flushed: these streams are zlib's, at both ends.
test_ssh() {
	need_also ssh
	big_file
	sshd start_with_ssh
	on_devices ssh -- ssh "${LOGIN[@]}" -C 127.0.0.1 "tee $PWD/copy" <"$BIG" >got 2>ssh.log ||
		{ cat ssh.log sshd.log; return 1; }
	same "$BIG" copy
	same "$BIG" got
	none_deflated
}
start_with_ssh() { start_on_devices "${@:2}"; }

# images OPTION...: an image of clusters of 64 KiB, and one of 2 MiB, each compressed by one call, with a window of 4
# KiB.
images() {
	local cluster

	big_file
	{ cat "$BIG"; head -c 3000000 /dev/zero; } >raw
	truncate -s %64K raw
	for cluster in 64k 2M; do
		on_devices git-tools "$@" -- qemu-img convert -c -O qcow2 -o cluster_size=$cluster raw $cluster.qcow2
		stock with_set git-tools qemu-img check -q $cluster.qcow2
		stock with_set git-tools qemu-img compare -q -f raw -F qcow2 raw $cluster.qcow2
		on_devices git-tools -- qemu-img compare -q -f raw -F qcow2 raw $cluster.qcow2
	done
	[ "$(stat -c %s 64k.qcow2)" -lt "$(stat -c %s raw)" ]
}

test_qemu_img() {
	images
	devices_deflated $((BIG_BYTES / 2)) qemu-img
}

test_qemu_img_while_devices_fail() {
	images --fault fail=60/4
	did_at_least 1 parts_redone qemu-img
}

# package NAME COMMAND...: NAME.deb, of level 6. Its own is 9.
package() { "${@:2}" dpkg-deb --root-owner-group -Zgzip -z6 --build tree "$1.deb" >/dev/null; }

make_tree() {
	big_file
	mkdir -p tree/DEBIAN
	printf '%s\n' 'Package: made-up' 'Version: 1' 'Architecture: all' 'Maintainer: nobody <nobody@example.org>' \
		'Description: none' >tree/DEBIAN/control
	cp "$BIG" tree/file
}

test_packages() {
	make_tree
	package one on_devices host --
	devices_deflated $((BIG_BYTES / 2)) dpkg-deb
	dpkg-deb -x one.deb out
	same "$BIG" out/file
	ar p one.deb data.tar.gz | gzip -t
	on_devices host -- dpkg-deb -x one.deb again
	same "$BIG" again/file
}

# Two builds at the same time of the clock are the same, and so are the devices' results.
test_packages_are_the_same_twice() {
	make_tree
	package one on_devices host --
	package two on_devices host --
	for part in control.tar.gz data.tar.gz; do
		ar p one.deb $part >one
		ar p two.deb $part | same one -
	done
}

# Who builds reproducibly gets what the distribution's zlib makes.
test_reproducible_packages() {
	make_tree
	export SOURCE_DATE_EPOCH=1700000000
	package one on_devices host --
	none_deflated
	package two stock
	same one.deb two.deb
}

run_tests "$@"
