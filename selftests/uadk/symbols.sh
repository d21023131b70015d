#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The libraries export the names and versions that their maps name, and nothing of ours that isn't renamed. pkg-config
# finds them by their folder alone.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh
out=$(realpath "${OUT:-${BUILD:-build}/user}")
dir=$out/lib/warpdrive/uadk

# "NAME VERSION" of each function of UADK's; those of our own version are the libraries' affair.
exported() {
	nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@@/, " ", $3); print $3 }' | grep -v ' WARPDRIVE_UADK_' | sort
}

mapped() {
	awk '/^UADK_/ { version = $1 } /^}/ { version = "" } version && /^\t[a-z]/ && $1 != "local:" {
		sub(/;/, "", $1); print $1, version }' "$1" | sort
}

# Names that our own libraries have can't be bound to by mistake.
ours() {
	[ -z "$(nm -D "$1" | awk '{ print $NF }' | grep -E '^(wd_|hisi_qm_)[a-z0-9_]*(@@?LIBWD.*)?$' |
		grep -vE '@@?UADK_|^wd_sched_' | sed 1q)" ]
}

is_2_10() {
	[ "$(PKG_CONFIG_PATH=$dir/pkgconfig pkg-config --modversion "$1")" = 2.10 ]
}

compiles() {
	local flags

	flags=$(PKG_CONFIG_PATH=$dir/pkgconfig pkg-config --cflags --libs libwd_comp libwd_crypto) &&
		printf '#include <uadk/wd_comp.h>\n#include <uadk/wd_ecc.h>\nint main(void) { %s }\n' \
			'wd_get_version(); return wd_comp_init(NULL, NULL) != -WD_EINVAL;' >"$scratch/a.c" &&
		# The flags are words.
		# shellcheck disable=SC2086
		cc -Wall -Werror -o "$scratch/a" "$scratch/a.c" $flags &&
		LD_LIBRARY_PATH=$dir "$scratch/a" >"$scratch/said" &&
		grep -q '^2\.10\.0 ' "$scratch/said"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for lib in libwd libwd_comp libwd_crypto libwd_dae; do
	test_that "$lib exports what its map names" \
		diff <(mapped "user/uadk/versions/$lib.map") <(exported "$dir/$lib.so.2")
	test_that "$lib has no name of our libraries" ours "$dir/$lib.so.2"
	test_that "$lib's soname is UADK's" eval "readelf -d '$dir/$lib.so' | grep -q 'SONAME.*\[$lib.so.2\]'"
	test_that "pkg-config finds $lib in its folder" is_2_10 "$lib"
	test_that "pkg-config doesn't find $lib elsewhere" \
		eval "! PKG_CONFIG_PATH='$out/lib/pkgconfig' pkg-config --exists $lib"
done
test_that 'a program is built with PKG_CONFIG_PATH alone' compiles
tap_done
