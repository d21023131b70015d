#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make install signs modules with a key that it is given or finds, and says which.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
export BUILD=$scratch/build
unset MODULE_SIGN_KEY MODULE_SIGN_CERT
real=$(scripts/kernel headers "$(scripts/kernel default)") || exit 1

# Headers with the real ones' tools, and a module of theirs that is built.
headers=$scratch/headers
release=1.2-made-up
mkdir -p "$headers/include/generated" "$headers/include/config" "$BUILD/kmod/$release/kernel/uacce"
touch "$headers/Makefile"
echo "#define UTS_RELEASE \"$release\"" >"$headers/include/generated/utsrelease.h"
echo 'CONFIG_MODULE_SIG_HASH="sha512"' >"$headers/include/config/auto.conf"
ln -s "$real/scripts" "$headers/scripts"
echo 'static const char l[] __attribute__((section(".modinfo"), used)) = "license=GPL";' |
	gcc -c -x c -o "$BUILD/kmod/$release/kernel/uacce/uacce.ko" -

# key NAME FOLDER SUFFIX SUFFIX: a private key and its certificate, made as docs/guide/administer.md does.
key() {
	mkdir -p "$2"
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 36500 -subj "/CN=$1/" -outform DER \
		-keyout "$2/$1.$3" -out "$2/$1.$4" 2>/dev/null
}

install_it() {
	rm -rf "$root"
	{ scripts/install stage-modules "$headers" &&
		DESTDIR=$root scripts/install commit modules; } >"$scratch/said" 2>&1
}
says() { grep -F -- "$1" "$scratch/said" || { cat "$scratch/said"; return 1; }; }
signer() {
	modinfo -F "${2:-signer}" "$root/lib/modules/$release/updates/uacce.ko" |
		grep -qx "$1" || { modinfo "$root/lib/modules/$release/updates/uacce.ko"; return 1; }
}

# The keys that this machine may have are found, too: these can't be tested then.
unsigned() {
	[ ! -r /var/lib/dkms/mok.key ] && [ ! -r /var/lib/shim-signed/mok/MOK.priv ] ||
		{ echo 'SKIP this machine has a key'; return 4; }
	install_it && says ', unsigned: no key was found' &&
		[ -z "$(modinfo -F signer "$root/lib/modules/$release/updates/uacce.ko")" ]
}
kernels_key() {
	[ ! -r /var/lib/dkms/mok.key ] && [ ! -r /var/lib/shim-signed/mok/MOK.priv ] ||
		{ echo 'SKIP this machine has a key'; return 4; }
	key signing_key "$headers/certs" pem x509 && install_it &&
		says ", signed with $headers/certs/signing_key.pem" && signer signing_key
}
own_key() {
	key own "$scratch" priv der
	MODULE_SIGN_KEY=$scratch/own.priv MODULE_SIGN_CERT=$scratch/own.der install_it &&
		says ", signed with $scratch/own.priv" &&
		signer own && signer sha512 sig_hashalgo
}
# refused TEXT VARIABLE=VALUE...: nothing is installed.
refused() {
	local text=$1

	shift
	rm -rf "$root"
	if (export "$@"; install_it); then
		echo 'it was installed'
		return 1
	fi
	says "install: $text" && [ ! -e "$root" ]
}

test_that 'without a key modules are unsigned, and it says so' unsigned
test_that "the kernel's own key is found" kernels_key
test_that 'a given key comes before that, with the hash of the kernel' own_key
test_that 'a key without its certificate is refused' refused \
	"MODULE_SIGN_KEY=$scratch/own.priv MODULE_SIGN_CERT=: expected both" \
	MODULE_SIGN_KEY="$scratch/own.priv"
test_that 'so is one that does not exist' refused "MODULE_SIGN_KEY=$scratch/none: expected a file" \
	MODULE_SIGN_KEY="$scratch/none" MODULE_SIGN_CERT="$scratch/own.der"
echo nonsense >"$scratch/nonsense"
test_that 'so is one that is none' refused "$scratch/nonsense, $scratch/own.der: uacce.ko can't be signed" \
	MODULE_SIGN_KEY="$scratch/nonsense" MODULE_SIGN_CERT="$scratch/own.der"
rm "$headers/scripts"
mkdir "$headers/scripts"
test_that 'so are headers without the tool' refused "$headers: has no scripts/sign-file" \
	MODULE_SIGN_KEY="$scratch/own.priv" MODULE_SIGN_CERT="$scratch/own.der"
tap_done
