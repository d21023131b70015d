#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A build folder rebuilds what includes a changed header, also after it was copied or moved, with its checkout or alone.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

folders=(user/libhisi_qm selftests/libhisi_qm)
work=$(realpath "$(mktemp -d "${TMPDIR:-/tmp}/wd-moved.XXXXXX")")
trap 'rm -rf "$work"' EXIT
[ -e "$OUT/lib/libwd.so" ] || { echo "1..0 # SKIP libwd is not built"; exit 4; }

# in_folders TREE BUILD ARGUMENT...: make in each of these folders of the tree.
in_folders() {
	local tree=$1 build=$2 folder

	shift 2
	for folder in "${folders[@]}"; do
		(unset TOP BUILD OUT O CC; quiet_make -C "$tree/$folder" O="$build" "$@") || return
	done
}

# Prints the sources that this make would compile, each as OBJECT-FOLDER/SOURCE: tests share sources.
compiled() {
	in_folders "$@" -n V=1 | sed -n "s|.* -c -o [^ ]*/user/obj/\([^ ]*\)[.]o .*|\1|p" | sort
}

# Prints "HEADER OBJECT" for each header below the tree that an object's source includes, as the compiler lists them.
included() {
	local tree=$1 build=$2 folder

	for folder in "${folders[@]}"; do
		(
			unset TOP BUILD OUT O CC
			cd "$tree/$folder" || exit
			quiet_make O="$build" -n -B V=1 |
				sed -n 's/^\(.*\) -MMD -MP -c -o \([^ ]*\) \([^ ]*\)$/\2 \1 -MM \3/p' |
				while read -r object command; do
					# The words of the command are quoted for a shell.
					eval "$command" | sed 's/^[^:]*://; s/\\$//' | xargs -n 1 realpath |
						sed -n "s|^$tree/\(.*[.]h\)$|\1 ${object##*/user/obj/}|p" |
						sed 's/[.]o$//'
				done
		)
	done | sort
}

# rebuilds TREE BUILD: nothing by itself, and after a change of each header exactly the sources that include it.
rebuilds() {
	local tree=$1 build=$2 header found

	found=$(compiled "$tree" "$build")
	[ -z "$found" ] || { echo "without a change: $found"; return 1; }
	for header in $headers; do
		touch -r "$tree/$header" "$work/time"
		touch "$tree/$header"
		found=$(compiled "$tree" "$build")
		touch -r "$work/time" "$tree/$header"
		diff <(sed -n "s|^$header ||p" "$work/included") <(echo "$found") || {
			echo "after a change of $header"
			return 1
		}
	done
}

# The other place's headers are no concern of this one.
apart() {
	local header found

	for header in $headers; do touch "$work/first/$header"; done
	found=$(compiled "$work/copy" "$work/copy/build")
	[ -z "$found" ] || { echo "after a change in another checkout: $found"; return 1; }
	rebuilds "$work/copy" "$work/copy/build"
}

without_the_first() {
	rm -rf "$work/first"
	rebuilds "$work/copy" "$work/copy/build"
}

moved() {
	mv "$work/copy" "$work/moved" && rebuilds "$work/moved" "$work/moved/build"
}

folder_moved() {
	mv "$work/moved/build" "$work/elsewhere" && rebuilds "$work/moved" "$work/elsewhere"
}

# After a compilation in the new place the lists are new.
compiled_elsewhere() {
	touch "$work/moved/user/libwd/include/wd.h"
	in_folders "$work/moved" "$work/elsewhere" && rebuilds "$work/moved" "$work/elsewhere" &&
		mv "$work/elsewhere" "$work/moved/build" && rebuilds "$work/moved" "$work/moved/build"
}

# The runner's list names the programs of this build folder.
listed() {
	local list=$2/user/tests/libhisi_qm/list

	in_folders "$@" || return
	! awk -v here="$2/" '$5 !~ "/[^/]*[.][^/]*$" && index($5, here) != 1 { print; found = 1 } END { exit !found }' \
		"$list"
}

# Prints what this make would link.
linked() {
	in_folders "$@" -n V=1 | sed -n 's|.* -o [^ ]*/user/\([^ ]*\)[.]new .*|\1|p'
}

# A library that changes inside is linked, and no program with it.
same_symbols() {
	local tree=$work/first found

	touch "$tree/user/libhisi_qm/ring.c"
	found=$(linked "$tree" "$tree/build")
	[[ $found == lib/libhisi_qm.so* && $found != *tests/* ]] || { echo "to be linked: $found"; return 1; }
	in_folders "$tree" "$tree/build" || return
	found=$(linked "$tree" "$tree/build")
	[ -z "$found" ] || { echo "linked afterwards: $found"; return 1; }
}

# With another symbol, its programs are linked as well.
another_symbol() {
	local tree=$work/first found

	printf '%s\n' 'int hisi_qm_added(void);' 'int hisi_qm_added(void) { return 0; }' \
		>>"$tree/user/libhisi_qm/ring.c"
	sed -i '0,/^global:/s//global:\n\thisi_qm_added;/' "$tree/user/libhisi_qm/libhisi_qm.map"
	(folders=(user/libhisi_qm) && in_folders "$tree" "$tree/build") || return
	found=$(linked "$tree" "$tree/build")
	[[ $found == *tests/libhisi_qm/test_qp* ]] || { echo "to be linked: $found"; return 1; }
}

mkdir -p "$work/first/build/user" "$work/first/selftests"
cp -a VERSION scripts user include "$work/first/"
cp -a selftests/include selftests/libhisi_qm selftests/libwd "$work/first/selftests/"
cp -a "$OUT/lib" "$work/first/build/user/"
rm -f "$work"/first/build/user/lib/libhisi_qm*
cp -a "${OUT%/*}/kselftest" "$work/first/build/"
test_that 'a part of the tree builds in another place' in_folders "$work/first" "$work/first/build"
included "$work/first" "$work/first/build" >"$work/included"
# One header for each set of sources.
headers=$(awk '{ of[$1] = of[$1] " " $2 } END { for (h in of) print of[h] "\t" h }' "$work/included" |
	sort -u -t $'\t' -k 1,1 | cut -f 2)
test_that 'the compiler names the headers' [ "$(wc -w <<<"$headers")" -gt 5 ]
cp -a "$work/first" "$work/copy"
test_that 'a header rebuilds what includes it, nothing else' rebuilds "$work/first" "$work/first/build"
test_that 'a program is not linked again with a library of the same symbols' same_symbols
test_that 'it is linked again when these change' another_symbol
test_that 'in a copy, the headers of the copy count' apart
test_that 'a copy does not need the first place' without_the_first
test_that 'in a moved checkout, too' moved
test_that 'with a build folder that was moved alone, too' folder_moved
test_that 'and after it compiled there' compiled_elsewhere
test_that 'its list names its own programs' listed "$work/moved" "$work/moved/build"
tap_done
