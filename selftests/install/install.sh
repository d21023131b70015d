#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make install into a scratch root: what it installs can be found, compiled against, run, and removed again.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
mkdir -p "$scratch/headers/include/generated"
echo '#define UTS_RELEASE "1.2.3-other"' >"$scratch/headers/include/generated/utsrelease.h"
export BUILD=${BUILD:-$PWD/build}
kernel=$(scripts/kernel default)
mk() { quiet_make "$@" DESTDIR="$root" PREFIX=/usr KERNEL="$kernel"; }
pc() { PKG_CONFIG_PATH=$root/usr/lib/pkgconfig pkg-config --define-variable=prefix="$root/usr" \
	--define-variable=libdir="$root/usr/lib" --define-variable=includedir="$root/usr/include" "$@"; }

all_there() {
	local file code=0
	for file in "$@"; do
		[ -e "$root/$file" ] || { echo "$file is missing"; code=1; }
	done
	return $code
}

# compiles PC: with that function as pkg-config.
compiles() {
	cat >"$scratch/user.c" <<-'EOF'
		#include <wd.h>
		#include <wd_aead.h>
		#include <wd_cipher.h>
		#include <wd_comp.h>
		#include <wd_dh.h>
		#include <wd_digest.h>
		#include <wd_ecc.h>
		#include <wd_rsa.h>
		#include <hisi_qm.h>
		#include <misc/uacce/uacce.h>
		#include <stdio.h>

		int main(void)
		{
			return puts(wd_version()) < 0;
		}
	EOF
	# shellcheck disable=SC2046
	cc -std=c11 -Wall -Wpedantic -Werror -o "$scratch/user" "$scratch/user.c" \
		$("$1" --cflags --libs warpdrive{-aead,-cipher,-comp,-dh,-digest,-ecc,-rsa,,-hisi_qm}) \
		-Wl,-rpath-link,"$root/usr/lib"
}

# says_version FOLDER: with the libraries of that folder.
says_version() {
	local said
	said=$(LD_LIBRARY_PATH=$1 "$scratch/user") || return
	[ "$said" = "$(cat VERSION)" ] || { echo "$said"; return 1; }
}

links_statically() {
	# shellcheck disable=SC2046
	cc -o "$scratch/static" "$scratch/user.c" $(pc --cflags warpdrive) \
		"$root/usr/lib/warpdrive/libwd.a" $(pc --static --libs-only-l warpdrive | sed 's/-lwd//')
}

# Declarations that several headers share must not be there several times.
links_all_statically() {
	cat >"$scratch/all.c" <<-'EOF'
		#include <wd_aead.h>
		#include <wd_cipher.h>
		#include <wd_dh.h>
		#include <wd_digest.h>
		#include <wd_ecc.h>
		#include <wd_rsa.h>

		int main(void)
		{
			return wd_rsa_sess_caps(0) == 0 || wd_dh_sess_caps(0) == 0 || wd_ecc_sess_caps(0) == 0 ||
			       wd_cipher_sess_caps(0) == 0 || wd_digest_sess_caps(0) == 0 || wd_aead_sess_caps(0) == 0;
		}
	EOF
	# shellcheck disable=SC2046
	cc -o "$scratch/all" "$scratch/all.c" $(pc --cflags warpdrive-aead) -L"$root/usr/lib/warpdrive" -Wl,-Bstatic \
		-lwd_aead -lwd_cipher -lwd_dh -lwd_digest -lwd_ecc -lwd_rsa \
		-lhisi_qm -lwd -Wl,-Bdynamic -lcrypto -lnl-genl-3 -lnl-3 -lnuma -pthread && "$scratch/all"
}

# hw/, as a program on its own each, in both languages.
descriptors_compile() {
	local header code=0
	for header in qm zip sec hpre; do
		# shellcheck disable=SC2046
		echo "#include <hw/${header}_hw.h>" |
			cc -std=c11 -x c -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pc --cflags warpdrive) - ||
			code=1
		# shellcheck disable=SC2046
		echo "#include <hw/${header}_hw.h>" |
			c++ -std=c++17 -x c++ -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pc --cflags warpdrive) \
			- || code=1
	done
	return $code
}

# The installed Makefile of the samples, called in another folder.
examples_build() {
	cat >"$scratch/pc" <<-END
		#!/bin/sh
		PKG_CONFIG_PATH=$root/usr/lib/pkgconfig exec pkg-config --define-variable=prefix=$root/usr \\
			--define-variable=libdir=$root/usr/lib --define-variable=includedir=$root/usr/include "\$@"
	END
	chmod +x "$scratch/pc"
	mkdir -p "$scratch/samples/$1" &&
		(cd "$scratch/samples/$1" &&
		quiet_make -f "$root/usr/share/doc/warpdrive/examples/Makefile" PKG_CONFIG="$scratch/pc" CFLAGS=-O0 \
		"${@:2}" 2>&1)
}
examples_run() {
	examples_build shared LDFLAGS="-Wl,-rpath-link,$root/usr/lib" && cp VERSION "$scratch/file" &&
		LD_LIBRARY_PATH=$root/usr/lib "$scratch/samples/shared/comp_block" "$scratch/file" &&
		LD_LIBRARY_PATH=$root/usr/lib "$scratch/samples/shared/comp_stream" <VERSION | gzip -dc | cmp - VERSION
}
# comp, aead, digest and ecc: a static program has no loader, and the linker finds everything by pkg-config alone.
examples_run_statically() {
	local said
	said=$(examples_build static STATIC=1) || { echo "$said"; return 1; }
	! readelf -l "$scratch/samples/static/comp_block" |
		grep INTERP && "$scratch/samples/static/comp_block" "$scratch/file" &&
		"$scratch/samples/static/comp_stream" <VERSION | gzip -dc |
		cmp - VERSION && "$scratch/samples/static/handshakes" &&
		"$scratch/samples/static/poll_1"
}
# The other classes.
others_run_statically() {
	local class said
	for class in cipher rsa dh; do
		printf '#include <wd_%s.h>\nint main(void)\n{\n\treturn wd_%s_sess_caps(0) == 0;\n}\n' $class $class \
			>"$scratch/one.c"
		# shellcheck disable=SC2046
		said=$(cc -static -o "$scratch/one" "$scratch/one.c" \
			$(pc --static --cflags --libs warpdrive-$class) 2>&1) || { echo "$said"; return 1; }
		"$scratch/one" || return
	done
}

tools_run() {
	LD_LIBRARY_PATH=$root/usr/lib "$root/usr/bin/wdctl" --help >/dev/null &&
		echo hello | LD_LIBRARY_PATH=$root/usr/lib "$root/usr/bin/wdzip" --path soft -c | gzip -dc |
		grep -qx hello
}

pages_found() {
	local page
	for page in wdctl wdctl-apply warpdrive.conf wdzip wd-zlib warpdrive wd; do
		compgen -G "$root/usr/share/man/man[1578]/$page.[1578]*" >/dev/null ||
			{ echo "no page for $page"; return 1; }
	done
}

# The service and the rules name the installed program, and are what the installed wdctl prints.
service_right() {
	grep -qx 'ExecStart=/usr/bin/wdctl apply --keep-going --missing-ok --wait 0 /etc/warpdrive/sections.conf' \
		"$root/usr/lib/systemd/system/warpdrive-sections.service" &&
		grep -qx 'ExecStart=/usr/bin/wdctl apply --keep-going .* --device %i /etc/warpdrive/sections.conf' \
			"$root/usr/lib/systemd/system/warpdrive-device@.service" &&
		grep -qx 'ExecStart=/usr/bin/wdctl export cdi --sections --output /run/cdi/warpdrive.json' \
			"$root/usr/lib/systemd/system/warpdrive-cdi.service" &&
		grep -qx 'PathExists=/run/wdctl.changed' "$root/usr/lib/systemd/system/warpdrive-cdi.path" &&
		LD_LIBRARY_PATH=$root/usr/lib "$root/usr/bin/wdctl" export udev |
		cmp - "$root/usr/lib/udev/rules.d/60-warpdrive.rules" &&
		LD_LIBRARY_PATH=$root/usr/lib "$root/usr/bin/wdctl" export sysusers |
		cmp - "$root/usr/lib/sysusers.d/warpdrive.conf"
}

no_paths_inside() {
	! readelf -d "$root"/usr/lib/*.so.*.* "$root"/usr/lib/warpdrive/zlib/libz.so.1 "$root"/usr/bin/* |
		grep -E 'RPATH|RUNPATH'
}

# With a PREFIX that the loader doesn't search there is exactly one path. The build folder isn't needed.
own_prefix_works() {
	local paths
	for part in user/libwd user/libhisi_qm user/algs/comp user/tools/wdzip user/zlib user/tools/wd-zlib; do
		quiet_make -C $part install PREFIX="$scratch/own" || return
	done
	paths=$(readelf -d "$scratch"/own/lib/*.so.*.* "$scratch"/own/lib/warpdrive/zlib/* "$scratch"/own/bin/* |
		sed -n 's/.*R\(UN\)\?PATH.*\[\(.*\)\]/\2/p' | sort -u)
	[ "$paths" = "$scratch/own/lib" ] || { echo "$paths"; return 1; }
	echo hello | "$scratch/own/bin/wdzip" --path soft -c | gzip -dc | grep -qx hello || return
	"$scratch/own/bin/wd-zlib" -- env | grep -qx "LD_PRELOAD=$scratch/own/lib/warpdrive/zlib/libz.so.1" || return
	paths=$(PKG_CONFIG_PATH=$scratch/own/lib/pkgconfig pkg-config --variable=prefix warpdrive)
	[ "$paths" = "$scratch/own" ] || { echo "prefix of pkg-config: $paths"; return 1; }
}

# Neither PREFIX nor another place outside the checkout.
build_pc() { PKG_CONFIG_PATH=$BUILD/user/lib/pkgconfig pkg-config "$@"; }
build_folder_found() {
	local path
	for path in $(build_pc --cflags-only-I --libs-only-L warpdrive-comp); do
		path=$(realpath -e "${path#-?}") || return
		[[ $path/ = "$(realpath .)"/* || $path/ = "$(realpath "$BUILD")"/* ]] || { echo "$path"; return 1; }
	done
}

# The files that UADK 2 installs, by its Makefile.am: libtool's libraries, links, archives, headers, .pc files, a tool.
uadk_files() {
	printf 'usr/lib/%s\n' lib{wd,wd_comp,wd_crypto,hisi_zip,hisi_hpre,hisi_sec}.{so,so.2,a,la} \
		pkgconfig/lib{wd,wd_comp,wd_crypto}.pc
	printf 'usr/include/uadk/%s\n' \
		{wd,wd_aead,wd_alg,wd_alg_common,wd_cipher,wd_comp,wd_dh,wd_digest,wd_ecc,wd_rsa,wd_sched,uacce}.h
	printf 'usr/include/uadk/v1/%s\n' {wd,wd_aead,wd_bmm,wd_cipher,wd_dh,wd_digest,wd_rsa,uacce}.h
	echo usr/bin/uadk_tool
}
nothing_of_uadk() {
	local both
	both=$(comm -12 <(uadk_files | sort) <(cd "$root" && find usr ! -type d | sort))
	[ -z "$both" ] || { echo "$both"; return 1; }
}

# Folders that every system has may stay.
nothing_left() {
	local left
	left=$(find "$root" ! -type d; find "$root"/usr/*/* -type d ! -path "$root/usr/share/man" 2>/dev/null)
	[ -z "$left" ] || { echo "$left"; return 1; }
}

# kernels_own_install VER [VARIABLE]: the kernel's own "make modules_install", without a word about where.
kernels_own_install() {
	local headers release mirror

	release=$(scripts/kernel release "$1") && headers=$(scripts/kernel headers "$1") || return
	mirror=$BUILD/kmod/$release
	MAKEFLAGS='' make -s -C "$headers" M="$mirror" INSTALL_MOD_PATH="$scratch/own-$1" "${@:2}" modules_install ||
		return
	# Some kernels compress.
	diff <(printf '%s\n' hisi_{hpre,qm,sec2,sim,zip} uacce) \
		<(find "$scratch/own-$1/lib/modules/$release/updates" -name '*.ko*' -printf '%f\n' | sed 's/\.ko.*//' |
		sort)
}
# The default of 6.1 is extra/, which only this variable changes.
kernels_own_folder() {
	case $kernel in
	6.1) kernels_own_install 6.1 INSTALL_MOD_DIR=updates ;;
	*) kernels_own_install "$kernel" ;;
	esac
}

test_that 'make install works' mk install
test_that 'libraries are there' all_there usr/lib/lib{wd,hisi_qm,wd_{aead,cipher,comp,dh,digest,ecc,rsa}}.so.0 \
	usr/lib/warpdrive/lib{wd,hisi_qm,wd_{aead,cipher,comp,dh,digest,ecc,rsa}}.{so,a} \
	usr/lib/pkgconfig/warpdrive{,-hisi_qm,-aead,-cipher,-comp,-dh,-digest,-ecc,-rsa}.pc
test_that "the provider is in libcrypto's folder" all_there \
	"$(pkg-config --variable=modulesdir libcrypto | sed 's,^/,,')"/warpdrive{,-devices}.so
test_that 'the replacement of zlib is in a folder of its own' all_there usr/lib/warpdrive/zlib/libz.so.1
test_that "libraries with UADK's names are in a folder of their own" all_there \
	usr/lib/warpdrive/uadk/lib{wd,wd_comp,wd_crypto}.so{,.2} \
	usr/lib/warpdrive/uadk/pkgconfig/libwd{,_comp,_crypto}.pc \
	usr/include/warpdrive/uadk/{wd,wd_comp,wd_cipher,wd_sched,uacce}.h
test_that 'nothing has a name that UADK installs' nothing_of_uadk
test_that 'nothing has an RPATH or RUNPATH' no_paths_inside
test_that 'from a PREFIX where the loader does not look the tools run' own_prefix_works
test_that 'headers are there' all_there \
	usr/include/warpdrive/{wd,wd_number,wd_{aead,cipher,comp,dh,digest,ecc,rsa},hisi_qm}.h \
	usr/include/warpdrive/misc/uacce/{uacce,hisi_qm}.h
test_that 'tools are there, with completion' all_there usr/bin/{wdctl,wdzip,wd-zlib} \
	usr/share/bash-completion/completions/{wdctl,wdzip,wd-zlib}
test_that 'modules lie in updates/' all_there \
	"lib/modules/$(scripts/kernel release \
	"$kernel")/updates/"{uacce,hisi_qm,hisi_zip,hisi_sec2,hisi_hpre,hisi_sim}.ko
test_that "the kernel's own modules_install puts them into updates/, too" kernels_own_folder
test_that 'manual pages are there' pages_found
test_that 'the service, the udev rules and their group are there' service_right
test_that 'a program compiles with what pkg-config says' compiles pc
test_that 'it runs, and its version is VERSION' says_version "$root/usr/lib"
test_that 'in the build folder pkg-config names the build folder and the checkout' build_folder_found
test_that 'a program compiles with that, too' compiles build_pc
test_that 'and runs' says_version "$BUILD/user/lib"
test_that 'it links with the static library' links_statically
test_that 'the static libraries of the algorithms link together' links_all_statically
test_that 'the installed tools run' tools_run
test_that 'the headers of the hardware compile alone, as C and C++' descriptors_compile
test_that 'the installed samples build and run' examples_run
test_that 'they do so statically' examples_run_statically
test_that 'so do programs of the other classes' others_run_statically
# Another package's module with one of our names.
foreign=$root/lib/modules/1.2.3-other/updates/hisi_zip.ko
not_ours() { mkdir -p "${foreign%/*}" && echo other >"$foreign"; }
# As from a new checkout: nothing is built there, and a package that the build needed is missing.
uninstall_afresh() {
	local code=0
	quiet_make uninstall DESTDIR="$root" PREFIX=/usr BUILD="$scratch/empty" PKG_CONFIG=false "$@" \
		>"$scratch/said" 2>&1 || code=$?
	cat "$scratch/said"
	return $code
}
says_what_is_missing() {
	! uninstall_afresh "$@" >/dev/null && grep "no modules are installed in $root/lib/modules/" "$scratch/said"
}

test_that "a module of another's is there" not_ours
test_that 'make uninstall of a kernel without modules says so, and fails' says_what_is_missing KERNEL="$scratch/headers"
test_that 'and leaves those of the others' all_there "lib/modules/$(scripts/kernel release "$kernel")/updates/uacce.ko"
test_that 'make uninstall works without the build folder' uninstall_afresh
test_that "and leaves what is another's" rm "$foreign"
test_that 'and leaves nothing' nothing_left
test_that 'with nothing there it says so, and fails' says_what_is_missing
test_that 'make install works once more' mk install
test_that 'make uninstall works for the kernel that it was for' mk uninstall
test_that 'and leaves nothing again' nothing_left
tap_done
