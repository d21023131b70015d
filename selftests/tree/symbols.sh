#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A library or module exports exactly the names in its map, and each name of a library has a prototype and a manual
# page.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh
out=${OUT:-${BUILD:-build}/user}

names_of_map() {
	sed 's|/\*.*\*/||g; s/#.*//' "$1" | tr '{};' '\n\n\n' |
		sed 's/^[[:space:]]*//; s/[[:space:]]*$//; s/^global:[[:space:]]*//' |
		grep -E '^([a-z_]|OSSL_|ZSTD_)[a-zA-Z0-9_]*$' | grep -vx local | sort -u
}

exports() {
	nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort -u
}

same() {
	diff <(names_of_map "$1") <(exports "$2")
}

# Version nodes inherit and are never edited; only the private one may be.
public_names() {
	awk '/WD_PRIVATE|_PRIVATE/ { private = 1 } !private { print } /^}/ { private = 0 }' "$1" >"$scratch/public"
	# Names of libzstd, in whose place a preloaded library has them, are declared and described there.
	names_of_map "$scratch/public" | grep -v '^ZSTD_'
}

declared() {
	local name code=0
	for name in $(public_names "$1"); do
		grep -qrwE "$name" --include='*.h' "$(dirname "$1")/include" ||
			{ echo "$name: in no public header"; code=1; }
	done
	return $code
}

manual() {
	local name code=0
	for name in $(public_names "$1"); do
		[ -e "$(dirname "$1")/man/$name.3" ] || { echo "$name: no page"; code=1; }
	done
	return $code
}

soname() {
	readelf -d "$1" | grep -q "SONAME.*\[$(basename "$1")\.[0-9]*\]"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for map in user/*/*.map user/algs/*/*.map; do
	[ -f "$map" ] || continue
	lib=$(basename "$map" .map)
	so=$out/lib/$lib.so
	# A module, which has no prefix, is loaded by its file's name.
	[[ $lib == lib* ]] || so=$out/ossl-modules/$lib.so
	if [ ! -e "$so" ]; then
		skip_that "$lib exports what its map names" \
			"it was left out: $(cat "$out/left-out/$lib" 2>/dev/null || echo 'not built')"
		continue
	fi
	test_that "$lib exports what its map names" same "$map" "$so"
	[[ $lib != lib* ]] || test_that "$lib has a soname" soname "$so"
	[ -d "$(dirname "$map")/include" ] || continue
	test_that "every public function of $lib is declared" declared "$map"
	test_that "every public function of $lib has a manual page" manual "$map"
done
tap_done
