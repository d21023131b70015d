#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds all packages, twice, and checks them with lintian, blhc and rpmlint where these are installed; as root
# installs, upgrades and purges them in a root folder made by mmdebstrap, where dkms builds the modules. WD_TEST_LONG=1,
# a network and some fifteen minutes are needed. WD_PACKAGES=DIR keeps the packages there.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh
. selftests/packages/older.sh

[ "${WD_TEST_LONG:-}" = 1 ] || skip 'takes a quarter of an hour: WD_TEST_LONG=1 runs it'
scratch=$(mktemp -d "${WD_PACKAGES_TMP:-/var/tmp}/wd-packages.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 143' TERM INT HUP
chmod 755 "$scratch"
debs=${WD_PACKAGES:-$scratch/debs}
version=$(cat VERSION)
arch=$(dpkg --print-architecture)
packages='libwarpdrive0 libwarpdrive-dev warpdrive-tools warpdrive-dkms warpdrive-sim-dkms'
packages+=' warpdrive-emulator openssl-provider-warpdrive warpdrive-uadk warpdrive-zlib warpdrive-zstd'
packages+=' warpdrive-doc'

# The tree's own build folder is not touched: make and its variables come from a clean environment.
build() {
	env -u MAKEFLAGS -u MAKELEVEL BUILD="$1" "${@:3}" make -s --no-print-directory deb DEB="$2"
}

first_build() { build "$scratch/one" "$debs"; }
# Another folder of another length, mask, time zone, language, number of jobs, home, and path.
second_build() {
	(umask 0002; build "$scratch/another/place" \
		"$scratch/again" TZ=Pacific/Kiritimati LC_ALL=C LANG=C HOME=/nonexistent \
		DEB_BUILD_OPTIONS='nocheck parallel=1' PATH="$PATH:/nowhere")
}

sums() { (cd "$1" && sha256sum -- *.deb *.dsc *.tar.xz); }
identical() { diff <(sums "$debs") <(sums "$scratch/again"); }

all_built() {
	local package
	for package in $packages; do
		compgen -G "$debs/${package}_${version}_*.deb" || { echo "$package is missing"; return 1; }
	done
}

# lintian refuses to run as root.
lintian_quiet() {
	chmod -R a+rX "$debs"
	local said
	said=$(setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent lintian -I --pedantic \
		--tag-display-limit 0 \
		--fail-on error,warning,info "$debs/warpdrive_${version}_$arch.changes") || { echo "$said"; return 1; }
	! grep '^[EWIP]:' <<<"$said"
}

hardened() { blhc "$debs/warpdrive_${version}_$arch.build"; }

rpm_built() { scripts/package rpm "$scratch/rpms"; }

# The paths of both kinds of package, with the folders that the two systems name differently in one form.
plain_paths() {
	sed -E 's|^\.?/||; s|^lib/|usr/lib/|; s|^usr/lib64/|LIB/|; s|^usr/lib/[a-z0-9_]+-linux-gnu/|LIB/|; s|\.gz$||' |
		grep -v '^$\|/$\|^usr/share/doc/[^/]*/\(copyright\|changelog\)$\|^usr/share/lintian/\|/\.build-id' |
		LC_ALL=C sort
}
same_files() {
	local deb rpm code=0
	while read -r deb rpm; do
		dpkg-deb --fsys-tarfile "$debs/${deb}_${version}"_*.deb | tar -t | plain_paths >"$scratch/in-deb"
		rpm -qlp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$scratch/rpms/$rpm-$version"-*.rpm 2>/dev/null |
			sed -n '/^[-l]/s/^[^ ]* //p' | plain_paths >"$scratch/in-rpm"
		[ -s "$scratch/in-deb" ] && diff "$scratch/in-deb" "$scratch/in-rpm" || { echo "$deb"; code=1; }
	done <<-EOF
		libwarpdrive0 libwarpdrive0
		libwarpdrive-dev libwarpdrive-devel
		warpdrive-tools warpdrive-tools
		warpdrive-dkms warpdrive-dkms
		warpdrive-sim-dkms warpdrive-sim-dkms
		warpdrive-emulator warpdrive-emulator
		openssl-provider-warpdrive openssl-provider-warpdrive
		warpdrive-uadk warpdrive-uadk
		warpdrive-zlib warpdrive-zlib
		warpdrive-zstd warpdrive-zstd
		warpdrive-doc warpdrive-doc
	EOF
	return $code
}

# Errors that are none, or that come from Debian's rpmbuild and its missing configuration of a distribution: it strips
# static libraries, compresses no page (so that rpmlint takes .5 for the compression, and conf for the section), adds
# folders of build-ids, and its linker makes only the newer hash section. The packages are not signed here. rpmlint does
# not resolve the .. of a link, whose target contents.sh checks; and it takes doc for a language.
rpmlint_known='static-library-without-debuginfo /usr/lib64/warpdrive/'
rpmlint_known+='|bad-manual-page-folder .*/man5/warpdrive\.conf\.5 '
rpmlint_known+='|non-versioned-file-in-library-package /usr/lib/\.build-id'
rpmlint_known+='|missing-hash-section /usr/lib64/lib|no-signature$'
rpmlint_known+='|no-library-dependency-for /usr/lib64/warpdrive/\.\./lib|warpdrive-doc.*no-dependency-on locales-doc$'

rpmlint_quiet() {
	local said
	said=$(rpmlint "$scratch/rpms"/*.rpm 2>&1)
	! grep -E ': E: ' <<<"$said" | grep -vE "$rpmlint_known"
}

root_made() {
	local mirror
	read -r mirror _ < <(fail() { echo "$*"; exit 1; }; cache=$scratch; . scripts/apt.sh; host_mirror) &&
		mmdebstrap --variant=minbase \
		--include=dkms,linux-headers-"$arch",gcc,make,libc6-dev,systemd,udev bookworm "$scratch/root" \
		"$mirror" >"$scratch/mmdebstrap.log" 2>&1 ||
		{ tail -n 20 "$scratch/mmdebstrap.log"; return 1; }
	in_root 'apt-get -q update' >"$scratch/log" 2>&1 || { tail -n 20 "$scratch/log"; return 1; }
	files_of_root >"$scratch/before"
}
in_root() {
	unshare --mount --fork chroot "$scratch/root" env -u TOP \
		-u OUT PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
		HOME=/root sh -c "mount -t proc proc /proc; $*"
}
# What every installation of any package changes doesn't count.
files_of_root() {
	(cd "$scratch/root" &&
		find . -path ./proc -prune -o -path ./tmp -prune -o -path ./debs -prune -o -path ./older -prune -o \
		-path ./var/cache -prune -o \
		-path ./var/lib/apt -prune -o -path ./var/log -prune -o -path ./run -prune -o ! -type d -print) |
		LC_ALL=C sort
}
installed() {
	mkdir -p "$scratch/root/debs" && cp "$debs"/*.deb "$scratch/root/debs/" &&
		rm -f "$scratch"/root/debs/*-dbgsym_* &&
		in_root 'apt-get -q -y --no-install-recommends install /debs/*.deb' >"$scratch/log" 2>&1 ||
		{ tail -n 30 "$scratch/log"; return 1; }
}
# modules_built [VERSION]: and no other version's source or modules are there.
modules_built() {
	local release ko wanted=${1:-$version}
	release=$(cd "$scratch/root/lib/modules" && ls | head -n 1)
	for ko in uacce hisi_qm hisi_zip hisi_sec2 hisi_hpre hisi_sim; do
		compgen -G "$scratch/root/lib/modules/$release/updates/dkms/$ko.ko*" ||
			{ echo "$ko is missing for $release"; return 1; }
	done
	diff <(echo "$wanted") \
		<(in_root 'dkms status warpdrive' | sed -n 's|^warpdrive/\([^,]*\),.*: installed$|\1|p') &&
		diff <(printf '%s\n' "warpdrive-$wanted" "warpdrive-sim-$wanted") \
			<(cd "$scratch/root/usr/src" && ls -d warpdrive*) &&
		diff <(echo "$wanted") <(modinfo -F version "$scratch/root/lib/modules/$release/updates/dkms"/uacce.ko*)
}
tools_work() {
	in_root 'getent group accel && wd-emulate -- wdzip -c /etc/passwd | gzip -dc | cmp - /etc/passwd &&
		wd-emulate -- wd-zlib --check && wd-emulate -- wd-zstd --check'
}
# replaced OPTION FOLDER [VERSION]: the packages of the folder replace the installed ones.
replaced() {
	in_root "apt-get -q -y $1 install $2/*.deb" >"$scratch/log" 2>&1 || { tail -n 30 "$scratch/log"; return 1; }
	modules_built "${3:-$version}"
}
downgraded() {
	local deb

	mkdir -p "$scratch/root/older"
	for deb in "$scratch"/root/debs/*.deb; do
		make_older "$deb" "$scratch/root/older" || return
	done
	replaced --allow-downgrades /older $older
}
purged() {
	in_root 'mkdir -p /etc/warpdrive && echo "[S]" >/etc/warpdrive/sections.conf' &&
		in_root "apt-get -q -y purge $packages && apt-get -q -y autoremove --purge" >"$scratch/log" 2>&1 ||
		{ tail -n 30 "$scratch/log"; return 1; }
}
# Users, groups and the linker's cache are the system's, and change their contents only.
nothing_left() {
	files_of_root >"$scratch/after"
	! comm -13 "$scratch/before" "$scratch/after" | grep -v '^./var/lib/dpkg/\|^./etc/.*-$' |
		grep -i 'warpdrive\|uacce\|hisi\|wd' &&
		in_root 'getent group accel' && [ ! -e "$scratch/root/etc/warpdrive" ] &&
		[ ! -e "$scratch/root/var/lib/dkms/warpdrive" ] && [ ! -e "$scratch/root/var/lib/dkms/warpdrive-sim" ]
}

# tool_that TOOL RULE COMMAND...
tool_that() {
	if command -v "$1" >/dev/null; then
		test_that "${@:2}"
	else
		skip_that "$2" "$1 is not installed"
	fi
}

test_that 'make deb works' first_build
test_that 'all packages are there' all_built
test_that 'it works in another folder, with another umask, time zone and language' second_build
test_that 'both builds are identical' identical
tool_that lintian 'lintian has nothing to say' lintian_quiet
tool_that blhc 'every command uses the hardening flags' hardened
tool_that rpmbuild 'RPM packages are built from the same tree' rpm_built
tool_that rpmbuild 'they have the same files' same_files
tool_that rpmlint 'rpmlint finds no error' rpmlint_quiet
if [ "$(id -u)" != 0 ] || ! command -v mmdebstrap >/dev/null; then
	skip_that 'packages install, upgrade and purge' 'needs root and mmdebstrap'
else
	test_that 'a root folder with dkms and headers is made' root_made
	test_that 'the packages install' installed
	test_that 'dkms has built every module' modules_built
	test_that 'the group is there, and the tools work' tools_work
	test_that 'another installation builds the modules again' replaced --reinstall /debs
	test_that 'an older version replaces this one' downgraded
	test_that 'an upgrade replaces that one' replaced --no-install-recommends /debs
	test_that 'a purge works' purged
	test_that 'and leaves only the group' nothing_left
fi
tap_done
