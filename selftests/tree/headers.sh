#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Each public header compiles alone, as C11 and as C++17, with every warning on.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

includes=(-Iinclude/uapi)
for dir in user/*/include user/algs/*/include; do
	[ ! -d "$dir" ] || includes+=("-I$dir")
done

alone() {
	local compiler=$1 standard=$2 language=$3 header=$4
	"$compiler" -std="$standard" -Wall -Wextra -Wpedantic -Wshadow -Werror "${includes[@]}" \
		-x "$language" -fsyntax-only - <<<"#include \"$PWD/$header\""
}

# Included twice in one file: the guard works.
twice() {
	cc -std=c11 -Wall -Werror "${includes[@]}" -x c -fsyntax-only - <<<"#include \"$PWD/$1\"
#include \"$PWD/$1\""
}

for header in user/*/include/*.h user/algs/*/include/*.h include/uapi/*/*.h include/uapi/*/*/*.h; do
	[ -f "$header" ] || continue
	test_that "$header is C11 by itself" alone cc c11 c "$header"
	test_that "$header is C++17 by itself" alone c++ c++17 c++ "$header"
	test_that "$header may be included twice" twice "$header"
done
tap_done
