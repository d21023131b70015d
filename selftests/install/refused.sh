#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An installation that can't be complete says so and fails; one that fails has changed nothing.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
built=${BUILD:-$PWD/build}
export BUILD=$scratch/build
unset DESTDIR PREFIX

# staged FILE...: parts as the Makefiles leave them, with 64 KiB in each file.
staged() {
	local file

	rm -rf "$BUILD/install"
	for file in "$@"; do
		mkdir -p "$(dirname "$BUILD/install/user/$file")"
		head -c 65536 /dev/urandom >"$BUILD/install/user/$file"
	done
}
commit() { DESTDIR=$root scripts/install commit "$@" 2>"$scratch/said"; }
# one_line TEXT: the last command gave this as its only message.
one_line() {
	if [ "$(wc -l <"$scratch/said")" != 1 ] || ! grep -qF "$1" "$scratch/said"; then
		echo "expected one line with '$1':"
		cat "$scratch/said"
		return 1
	fi
}
# An older installation, which must stay as it is.
older() {
	rm -rf "$root"
	mkdir -p "$root/usr/local/lib"
	echo old >"$root/usr/local/lib/b"
}
unchanged() {
	diff <(printf '%s\n' . ./usr ./usr/local ./usr/local/lib ./usr/local/lib/b) <(cd "$root" && find . | sort) &&
		grep -qx old "$root/usr/local/lib/b"
}

replaces() {
	older
	staged usr/local/lib/{a,b} usr/local/share/x/y
	cp "$BUILD/install/user/usr/local/lib/b" "$scratch/b"
	commit user && cmp "$scratch/b" "$root/usr/local/lib/b" &&
		diff <(printf 'usr/local/%s\n' lib/a lib/b share/x/y) <(cd "$root" && find usr -type f | sort)
}

# The mount is seen by these commands only.
full_disk() {
	local unshare=(unshare -m)

	[ "$(id -u)" = 0 ] || unshare=(unshare -rm)
	"${unshare[@]}" true 2>/dev/null || { echo 'SKIP this user may not mount a small disk'; return 4; }
	older
	staged usr/local/lib/{a,b,c} usr/local/share/x/y
	export -f commit unchanged
	export root scratch
	"${unshare[@]}" bash -c 'mount -t tmpfs -o size=180k none "$1" &&
		mkdir -p "$1/usr/local/lib" && echo old >"$1/usr/local/lib/b" &&
		! commit user && unchanged' - "$root" && one_line 'No space left on device; nothing was changed'
}

# A cp that waits at its third file.
slow_cp() {
	mkdir -p "$scratch/slow"
	cat >"$scratch/slow/cp" <<-EOF
		#!/bin/sh
		echo >>"$scratch/copies"
		[ \$(wc -l <"$scratch/copies") != 3 ] || sleep 2
		exec $(command -v cp) "\$@"
	EOF
	chmod +x "$scratch/slow/cp"
}
third_copy() { [ "$(wc -l 2>/dev/null <"$scratch/copies")" = 3 ]; }
# A shell's background processes ignore SIGINT.
interrupted() {
	local pid code=0

	older
	staged usr/local/lib/{a,b,c,d} usr/local/share/x/y
	slow_cp
	rm -f "$scratch/copies"
	DESTDIR=$root PATH=$scratch/slow:$PATH env --default-signal=INT scripts/install commit user 2>"$scratch/said" &
	pid=$!
	until_true 20 third_copy || return
	kill "-$1" $pid
	wait $pid || code=$?
	[ $code = "$2" ] || { echo "exit status $code, not $2"; return 1; }
	unchanged && one_line 'install: interrupted; nothing was changed'
}

# The same of the source for dkms, without what dkms does with it.
full_disk_of_dkms() {
	local unshare=(unshare -m) said

	[ "$(id -u)" = 0 ] || unshare=(unshare -rm)
	"${unshare[@]}" true 2>/dev/null || { echo 'SKIP this user may not mount a small disk'; return 4; }
	rm -rf "$root"
	mkdir "$root"
	said=$("${unshare[@]}" bash -c 'mount -t tmpfs -o size=200k none "$1" && mkdir -p "$1/usr/src" &&
		! DESTDIR=$1 scripts/install dkms warpdrive 2>"$2" && find "$1/usr/src" -mindepth 1' \
		- "$root" "$scratch/said") &&
		[ -z "$said" ] && one_line 'No space left on device; nothing was changed'
}

in_the_way() {
	older
	mkdir "$root/usr/local/lib/a"
	staged usr/local/lib/{a,b,c}
	! commit user && rmdir "$root/usr/local/lib/a" && unchanged &&
		one_line "$root/usr/local/lib/a: is a folder; nothing was changed"
}

# owned_by PACKAGE FILE...: the root folder is a Debian with that package, whose files say so; /bin is a link, and the
# package's list may name the file there.
owned_by() {
	local package=$1 file

	rm -rf "$root"
	mkdir -p "$root"/var/lib/dpkg/{info,updates} "$root/usr/bin"
	ln -s usr/bin "$root/bin"
	printf '%s\n' "Package: $package" 'Status: install ok installed' 'Maintainer: nobody <nobody@example.org>' \
		'Architecture: all' 'Version: 1' 'Description: none' '' >"$root/var/lib/dpkg/status"
	for file in "${@:2}"; do
		mkdir -p "$root${file%/*}"
		echo theirs >"$root$file"
		echo "$file" >>"$root/var/lib/dpkg/info/$package.list"
	done
}
has_dpkg() { command -v dpkg-query >/dev/null || { echo 'SKIP dpkg is not installed'; return 4; }; }
# keeps_theirs TEXT COMMAND...: the command fails with this text, and no file of the root folder is another one.
keeps_theirs() {
	local text=$1 code=0

	(cd "$root" && find . -printf '%p %i %T@\n' | sort) >"$scratch/before"
	"${@:2}" 2>"$scratch/said" || code=$?
	(cd "$root" && find . -printf '%p %i %T@\n' | sort) | diff "$scratch/before" - || return
	[ $code != 0 ] || { echo 'it succeeded'; return 1; }
	grep -F "$text" "$scratch/said" || { cat "$scratch/said"; return 1; }
}
package_file() {
	has_dpkg || return
	owned_by util-linux "$1"
	staged usr/bin/{another,wdctl} usr/share/x/y
	keeps_theirs "install: $root$1: belongs to the package util-linux; choose another PREFIX" commit user &&
		[ "$(wc -l <"$scratch/said")" = 1 ]
}
diverted_file() {
	has_dpkg || return
	owned_by util-linux /bin/wdctl
	staged usr/bin/wdctl
	dpkg-divert --admindir "$root/var/lib/dpkg" --instdir "$root" --local --no-rename --divert /bin/wdctl.theirs \
		--add /bin/wdctl &&
		commit user && ! grep -qx theirs "$root/usr/bin/wdctl"
}
own_package() {
	has_dpkg || return
	owned_by warpdrive-tools /usr/bin/wdzip
	staged usr/bin/wdzip
	keeps_theirs 'belongs to the package warpdrive-tools; remove the package first' commit user
}
package_source() {
	local folder

	has_dpkg || return
	folder=/usr/src/warpdrive-$(cat VERSION)
	owned_by warpdrive-dkms "$folder/dkms.conf"
	keeps_theirs "install: $root$folder/dkms.conf: belongs to the package warpdrive-dkms" env DESTDIR="$root" \
		scripts/install dkms warpdrive &&
		! DESTDIR=$root scripts/install remove && [ -e "$root$folder/dkms.conf" ]
}
uninstalls_package() {
	has_dpkg || return
	owned_by util-linux /bin/wdctl
	keeps_theirs "install: $root/bin/wdctl: belongs to the package util-linux" quiet_make uninstall \
		DESTDIR="$root" PREFIX=/usr &&
		[ -e "$root/bin/wdctl" ]
}

# modules_staged NAME...: a kernel's modules with their record.
modules_staged() {
	local ko to=$BUILD/install/modules/lib/modules/1.2-made-up/updates

	rm -rf "$BUILD/install"
	mkdir -p "$to"
	for ko in "$@"; do
		echo "$ko" | tee "$to/$ko.ko" >/dev/null
		echo "$ko.ko" >>"$to/.warpdrive"
	done
}
obsolete_removed() {
	local updates=$root/lib/modules/1.2-made-up/updates

	rm -rf "$root"
	modules_staged uacce hisi_old
	commit modules && [ -e "$updates/hisi_old.ko" ] || return
	echo foreign >"$updates/foreign.ko"
	modules_staged uacce hisi_new
	commit modules &&
		diff <(printf '%s\n' .warpdrive foreign.ko hisi_new.ko uacce.ko) \
		<(cd "$updates" && find . -type f -printf '%P\n' | LC_ALL=C sort)
}

mk() { quiet_make "$@" DESTDIR="$root" >"$scratch/said" 2>&1; }
says_why() { grep -F "$1" "$scratch/said" || { cat "$scratch/said"; return 1; }; }
nothing_there() { [ ! -e "$root" ] || ! find "$root" | grep .; }
unknown_kernel() {
	rm -rf "$root"
	! mk install-modules KERNEL="$1" && says_why "$2" && nothing_there
}
# As on a machine whose kernel has no headers, and which has fetched none.
no_headers() {
	rm -rf "$root"
	mkdir -p "$scratch/other"
	printf '#!/bin/sh\necho 9.9-none\n' >"$scratch/other/uname"
	chmod +x "$scratch/other/uname"
	! PATH=$scratch/other:$PATH WARPDRIVE_CACHE=$scratch/cache mk install-modules &&
		says_why 'install: left out: modules for 9.9-none: no headers; install linux-headers-9.9-none' &&
		nothing_there
}

# As on a machine without libkmod's headers: everything else is installed.
without_wdctl() {
	rm -rf "$root" "$BUILD"
	mkdir "$BUILD"
	cp -a "$built/user" "$BUILD/"
	printf '#!/bin/sh\ncase "$*" in *libkmod*) exit 1 ;; esac\nexec pkg-config "$@"\n' >"$scratch/pkg-config"
	chmod +x "$scratch/pkg-config"
	! mk install-user PKG_CONFIG="$scratch/pkg-config" &&
		says_why 'install: left out: wdctl: pkg-config-does-not-know-libkmod' &&
		[ -e "$root/usr/local/bin/wdzip" ] && [ ! -e "$root/usr/local/bin/wdctl" ] &&
		[ ! -e "$root/usr/local/lib/udev" ]
}

test_that 'an installation replaces an older one' replaces
test_that 'a full disk is one sentence, and nothing changes' full_disk
test_that "so is one for dkms' source" full_disk_of_dkms
test_that 'so is a folder where a file belongs' in_the_way
test_that 'so is a file of a Debian package' package_file /usr/bin/wdctl
test_that 'so is one that the package has below /bin' package_file /bin/wdctl
test_that 'a file that the administrator has diverted is replaced' diverted_file
test_that "this project's own package is named, and has to be removed first" own_package
test_that "dkms' source that a package has is neither replaced nor removed" package_source
test_that 'make uninstall removes no file of a package' uninstalls_package
test_that 'Ctrl-C in the middle is one sentence, and nothing changes' interrupted INT 130
test_that 'so is SIGTERM' interrupted TERM 143
test_that 'a module that the new version lacks is removed, others are not' obsolete_removed
test_that 'an unknown kernel is refused' unknown_kernel no-such-kernel 'no-such-kernel: expected'
test_that 'so is a folder without headers' unknown_kernel "$scratch" 'expected a folder of kernel headers'
test_that 'without headers no modules are installed, which fails' no_headers
test_that 'without a library everything else is installed, which fails' without_wdctl
tap_done
