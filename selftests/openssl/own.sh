#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Programs with a libcrypto of their own: linked with that of another release of Debian, while the module has another,
# older or newer. Briefly only 3.5 with the module on 3.0; with WD_TEST_LONG=1 also 3.6, 4.0, and 3.0 with the module on
# 3.5. Each root folder in the cache has some 200 MB.

. "$(dirname "$0")/../include/programs.sh"

need_built() {
	[ -e "$OUT/ossl-modules/warpdrive.so" ] || not_here 'the provider was left out of the build'
}
need_devices
[ "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" = bookworm ] || not_here 'expects a host with OpenSSL 3.0'
[ "$(uname -m)" = x86_64 ] || not_here 'expects x86_64'
BUILT=$(dirname "$OUT")
HERE=$(readlink -f "$(dirname "$0")")
LIBRARIES=usr/lib/x86_64-linux-gnu
WORK=$(mktemp -d "$OUT/tests/own.XXXXXX")
trap 'rm -rf "$WORK"' EXIT
mkdir "$WORK/host"
cp "/$LIBRARIES/libcrypto.so.3" "$WORK/host"
read -ra DEVICES <"$HERE/devices"

root_of() {
	"$TOP/scripts/root" make "$1" amd64 libssl-dev libc6-dev libnuma1 libnl-genl-3-200 libjson-c5 2>/dev/null
}

# link PROGRAM FOLDER LIBRARY...: with headers of that folder. The C library's own dependencies are the program's then.
link() {
	gcc -O1 -g1 -std=gnu11 -D_GNU_SOURCE -DOPENSSL_NO_DEPRECATED -w -pthread -o "$WORK/$1" \
		-isystem "$2/usr/include" -isystem "$2/usr/include/x86_64-linux-gnu" -isystem "$BUILT/kselftest" \
		-I"$TOP"/{include,user/shared,user/emulator,selftests/include,selftests/inside,selftests/crypto} \
		-Wl,--allow-shlib-undefined "$HERE/$1.c" "${@:3}"
}

# passes ROOT PROGRAM [FOLDER]: on emulated devices; the module's libcrypto is the folder's, or the root's own.
passes() {
	"$TOP/scripts/root" run "$1" -b "$TOP" -b "$BUILT" -- env "LD_LIBRARY_PATH=${3:-}" WD_TEST_FOREIGN=1 \
		"WD_OPENSSL_ALGORITHMS=pkey ciphers" \
		"$OUT/bin/wd-emulate" "${DEVICES[@]}" -- timeout -k 5 120 "$WORK/$2" </dev/null
}

# newer SUITE PROGRAM...: the program's is that release's, the module's is this host's.
newer() {
	local root lib program suite=$1
	shift

	root=$(root_of "$suite") || { test_that "$suite is here" false; return; }
	lib=$root/$LIBRARIES
	for program; do
		test_that "$program is linked with the libcrypto of $suite" link "$program" "$root" \
			"$lib"/lib{ssl,crypto}.a \
			"$lib"/{libc.so.6,libjson-c.so.5,libz.so.1,libzstd.so.1}
		test_that "$program has the libcrypto of $suite" passes "$root" "$program" "$WORK/host"
	done
}

# older SUITE PROGRAM...: the program's is this host's, the module's is that release's.
older() {
	local root program suite=$1
	shift

	root=$(root_of "$suite") || { test_that "$suite is here" false; return; }
	for program; do
		test_that "$program is linked with the libcrypto of this host" link "$program" / \
			/$LIBRARIES/lib{ssl,crypto}.a \
			-ljson-c
		test_that "$program on $suite has the libcrypto of this host" passes "$root" "$program"
	done
}

newer trixie test_own test_malformed
if [ -n "${WD_TEST_LONG:-}" ]; then
	newer trixie test_rsa_public
	newer forky test_own test_malformed test_rsa_public
	newer experimental test_own test_malformed test_rsa_public
	older trixie test_own test_malformed test_rsa_public
fi
tap_done
