#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What can be said of the packages without building them: versions, symbols, and which package has which file.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
version=$(cat VERSION)

versions_agree() {
	local deb rpm
	deb=$(sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
	rpm=$(sed -n '/^%changelog/{n;s/.* - \(.*\)-[0-9]*$/\1/p}' packaging/warpdrive.spec)
	[ "$deb" = "$version" ] && [ "$rpm" = "$version" ] ||
		{ echo "VERSION $version, debian/changelog $deb, spec $rpm"; return 1; }
}

# The public symbols of the maps, as SONAME SYMBOL NODE.
map_symbols() {
	local map name
	for map in user/lib*/*.map user/algs/*/*.map; do
		name=$(basename "$map" .map)
		sed 's|/\*.*\*/||' "$map" | awk -v so="$name.so.0" '
			$2 == "{" { node = $1; public = node !~ /PRIVATE/; if (public) print so, node, node; next }
			/local:/ { public = 0 }
			public && /;/ {
				gsub(/[ \t]/, "")
				n = split($0, s, ";")
				for (i = 1; i < n; i++)
					print so, s[i], node
			}'
	done | LC_ALL=C sort
}

package_symbols() {
	awk '/^lib/ { so = $1; next } /^ [^(]/ { split($1, s, "@"); print so, s[1], s[2] }' \
		debian/libwarpdrive0.symbols | LC_ALL=C sort
}

symbols_agree() {
	map_symbols >"$scratch/maps"
	package_symbols >"$scratch/symbols"
	[ -s "$scratch/maps" ] && diff "$scratch/maps" "$scratch/symbols"
}

installed() {
	quiet_make install-user dkms-install dkms-install-sim DESTDIR="$root" PREFIX=/usr \
		LIBDIR=/usr/lib/x86_64-linux-gnu &&
		scripts/package arrange "$root" &&
		(cd "$root" && find . ! -type d | sed 's|^\./||' | LC_ALL=C sort) >"$scratch/all"
}

# matching PATTERN...: the installed files that are one of these, or below it.
matching() {
	(cd "$root" && for pattern in "$@"; do
		found=$(compgen -G "$pattern" | grep -v '^$') || { echo "UNMATCHED $pattern"; continue; }
		while read -r path; do find "$path" ! -type d; done <<<"$found"
	done) | LC_ALL=C sort
}

# Files of a Debian package: its list, and what debian/rules takes out for debhelper.
of_deb() {
	local patterns
	# Documents come from the source, and are no installed files.
	mapfile -t patterns < <(sed -n '/^usr/{s/ .*//;p}' "debian/$1.install")
	[ "$1" != warpdrive-tools ] || patterns+=('usr/lib/systemd/system/*' 'usr/lib/udev/rules.d/*')
	matching "${patterns[@]}"
}

# Files of the RPM package, by its part of the spec.
of_rpm() {
	local patterns
	mapfile -t patterns < \
		<(awk -v want="$1" \
		'/^%/ && !/^%[{d]/ { on = 0 } /^%files/ && $NF == want { on = 1; next } on && NF && !/^%dir/' \
		packaging/warpdrive.spec |
		sed -e "s|%{version}|$version|; s|%{devlibdir}|/usr/lib/x86_64-linux-gnu/warpdrive|" \
			-e 's|%{_libdir}|/usr/lib/x86_64-linux-gnu|' \
			-e 's|%{modulesdir}|/usr/lib/x86_64-linux-gnu/ossl-modules|' \
			-e 's|%{_bindir}|/usr/bin|; s|%{_sbindir}|/usr/sbin|; s|%{_includedir}|/usr/include|' \
			-e 's|%{_mandir}|/usr/share/man|; s|%{_datadir}|/usr/share|' \
			-e 's|%{docs}|/usr/share/doc/warpdrive-doc|; s|%{_unitdir}|/usr/lib/systemd/system|' \
			-e 's|%{_udevrulesdir}|/usr/lib/udev/rules.d|; s|%{_sysusersdir}|/usr/lib/sysusers.d|' \
			-e 's|^/||')
	matching "${patterns[@]}"
}

pairs='libwarpdrive0:libwarpdrive0 libwarpdrive-dev:libwarpdrive-devel warpdrive-tools:tools warpdrive-dkms:dkms
	warpdrive-sim-dkms:sim-dkms warpdrive-emulator:emulator warpdrive-zlib:zlib
	warpdrive-uadk:uadk warpdrive-zstd:zstd
	openssl-provider-warpdrive:openssl-provider-warpdrive warpdrive-doc:doc'

each_file_once() {
	local pair
	for pair in $pairs; do of_deb "${pair%:*}"; done | LC_ALL=C sort >"$scratch/packaged"
	diff "$scratch/all" "$scratch/packaged"
}

# hisi_sim is built where its package is installed, and nowhere else.
simulator_apart() {
	local own=$root/usr/src/warpdrive-$version sim=$root/usr/src/warpdrive-sim-$version

	[ ! -e "$own/model" ] && [ ! -e "$own/kernel/hisi_sim" ] && [ -e "$sim/kernel/hisi_sim/Kbuild" ] &&
		! grep hisi_sim "$own/dkms.conf" &&
		[ "$(sed -n 's/^BUILT_MODULE_NAME.*="\(.*\)"$/\1/p' "$sim/dkms.conf")" = hisi_sim ]
}

no_link_dangles() {
	local dangling
	dangling=$(find "$root" -xtype l) && [ -z "$dangling" ] || { echo "$dangling"; return 1; }
}

same_in_rpm() {
	local pair code=0
	for pair in $pairs; do
		of_deb "${pair%:*}" >"$scratch/deb"
		of_rpm "${pair#*:}" >"$scratch/rpm"
		[ -s "$scratch/deb" ] && diff "$scratch/deb" "$scratch/rpm" || { echo "${pair%:*}"; code=1; }
	done
	return $code
}

# As debhelper gives them to dpkg: with its own lines missing.
scripts_parse() {
	local script
	for script in debian/*.p[or]* debian/tests/* debian/rules; do
		case $script in
		*/control | */rules) ;;
		*) sh -n "$script" || return ;;
		esac
	done
}

# Two copies with different umasks, time zones and languages.
copies_agree() {
	(umask 077; TZ=Asia/Tokyo LC_ALL=C scripts/package copy "$scratch/a") &&
		(umask 000; TZ=America/Lima scripts/package copy "$scratch/b") || return
	diff -r "$scratch/a" "$scratch/b" &&
		diff <(cd "$scratch/a" && find . -printf '%p %m %T@ %l\n' | LC_ALL=C sort) \
			<(cd "$scratch/b" && find . -printf '%p %m %T@ %l\n' | LC_ALL=C sort)
}

no_build_folder() {
	[ -e "$scratch/a/debian/rules" ] && [ ! -e "$scratch/a/build" ] && [ ! -e "$scratch/a/.git" ]
}

# debhelper has the compatibility level and one of the sequences; every build needs build-essential.
dependencies_fetched() {
	{
		echo build-essential
		sed -n '/^Build-Depends:/,/^$/{s/^Build-Depends://;s/[ ,]\|(.*)//gp}' debian/control |
			sed 's/^debhelper-compat$\|^dh-sequence-installsysusers$/debhelper/
			s/^dh-sequence-dkms$/dh-dkms/; /^$/d'
	} | sort -u >"$scratch/wanted"
	[ "$(wc -l <"$scratch/wanted")" -gt 5 ] &&
		! scripts/deps --packages build deb | tr ' ' '\n' | sort -u | comm -13 - "$scratch/wanted" | grep .
}

bad_folder_is_refused() {
	: >"$scratch/file"
	exits 1 scripts/package deb "$scratch/file/x" 2>"$scratch/err" &&
		says "$scratch/file/x: expected a folder for the packages that can be written to" "$scratch/err"
}

bad_build_folder_is_refused() {
	BUILD=$scratch/file/x exits 1 scripts/package deb "$scratch" 2>"$scratch/err" &&
		says "$scratch/file/x: expected a build folder that can be written to" "$scratch/err"
}

missing_tool_is_named() {
	mkdir -p "$scratch/bin"
	ln -sf /usr/bin/* /bin/* "$scratch/bin/" && rm -f "$scratch/bin/$2"*
	PATH=$scratch/bin exits 1 scripts/package "$1" "$scratch" 2>"$scratch/err" &&
		says "package: $2 not found; $3" "$scratch/err"
}

test_that 'changelogs have the version of VERSION' versions_agree
test_that 'the symbols file has the public symbols of the maps' symbols_agree
test_that 'the files of the packages can be installed' installed
test_that 'each link leads to an installed file' no_link_dangles
test_that 'each installed file is in exactly one package, and each line of a list has files' each_file_once
test_that 'the simulator has a package of its own' simulator_apart
test_that 'RPM packages have the same files' same_in_rpm
test_that 'make deb installs every build dependency' dependencies_fetched
test_that 'the maintainers'\'' scripts and tests parse' scripts_parse
test_that 'copies of the tree do not depend on umask, time zone and language' copies_agree
test_that 'a copy has neither the build folder nor git'\''s' no_build_folder
test_that 'a folder that can not be written to is refused by name' bad_folder_is_refused
test_that 'so is such a build folder' bad_build_folder_is_refused
test_that 'missing build tools are named, with a remedy' missing_tool_is_named deb dpkg-buildpackage \
	"'scripts/deps build deb' installs"
test_that 'so is a missing rpmbuild' missing_tool_is_named rpm rpmbuild "install Debian's package rpm"
tap_done
