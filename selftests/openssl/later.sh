#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# This area's programs once more, as they were built here, with the OpenSSL of the next release of Debian, 3.5: without
# a device and on an emulated one. Its root folder in the cache has some 90 MB.

. "$(dirname "$0")/../include/programs.sh"

need_built() {
	[ -e "$OUT/ossl-modules/warpdrive.so" ] || not_here 'the provider was left out of the build'
	[ -e "$OUT/tests/openssl/test_cipher" ] || not_here 'the programs of this area are not built'
}
need_devices
# Programs don't run with the C library of a release before theirs.
[ "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" = bookworm ] ||
	not_here 'this host has that OpenSSL, or a later one'
SUITE=(--suite trixie)
why=$("$TOP/scripts/programs" openssl "${SUITE[@]}" 2>&1 </dev/null) || not_here "$(tail -n 1 <<<"$why")"

has_version() { with_set openssl openssl version | grep '^OpenSSL 3\.5'; }

# passes KIND LIMIT PROGRAM: in a folder that exists there.
passes() {
	local on=()

	if [ "$1" = emulated ]; then
		read -ra on <"$TOP/selftests/openssl/devices"
		# As selftests/exec does.
		on=(env "WD_VECTORS_EVERY=${WD_VECTORS_EVERY:-4}" wd-emulate "${on[@]}" --)
	fi
	(cd "$OUT" && with_set openssl timeout -k 5 "$2" "${on[@]}" "$3" </dev/null)
}

test_that 'the version is 3.5' has_version
while read -r kind _ limit _ program; do
	case $kind/$program in
	native/*.sh) ;;
	native/*|emulated/*) test_that "$kind ${program##*/}" passes "$kind" "$limit" "$program" ;;
	esac
done <"$OUT/tests/openssl/list"
tap_done
