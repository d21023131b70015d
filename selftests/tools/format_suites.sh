#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tests of zstd's and lz4's own, with wdzip as these commands on emulated devices, which take what both have of the
# options (as_wdzip): the sections of zstd's playTests.sh, its files of special cases, and lz4's tests of the command.
# Those in the file formats_differ fail by intention, which is tested as well. The sources come from the mirror.
# WD_TEST_LONG=1: it runs at all, some minutes.

. "$(dirname "$0")/../include/programs.sh"
. "$(dirname "$0")/../include/preloaded.sh"
need_built() { [ -x "$OUT/bin/wdzip" ] || not_here 'wdzip was left out of the build'; }
[ -n "${WD_TEST_LONG:-}" ] || not_here 'some minutes, with WD_TEST_LONG=1'
need_devices
HERE=$(realpath "$(dirname "$0")")
DIFFERS=$HERE/formats_differ

# command_of FORMAT: makes a program of that name in the folder bin, with devices.
command_of() {
	mkdir -p bin
	printf '#!/bin/sh\nexec wd-emulate --zip 1 -- %q %s "$@"\n' "$HERE/as_wdzip" "$1" >bin/"$1"
	chmod +x bin/"$1"
}

# reason_of FORMAT NAME: why that test fails by intention, or nothing.
reason_of() { awk -F ' *\\| *' -v format="$1" -v name="$2" '$1 == format && $2 == name { print $3 }' "$DIFFERS"; }

# result FORMAT NAME COMMAND...: the test passes, or it is in the list and fails, without a signal and in time. The file
# passed is there if it passes.
result() {
	local code=0 reason

	reason=$(reason_of "$1" "$2")
	rm -f passed
	timeout -k 5 300 "${@:3}" >log 2>&1 </dev/null || code=$?
	[ $code != 0 ] || touch passed
	if [ -n "$reason" ]; then
		[ $code = 0 ] || [ $code -ge 124 ] || return 0
	else
		[ $code != 0 ] || return 0
	fi
	echo "$1 | $2: ended with $code${reason:+, and is in the list of those that differ}"
	tail -n 5 log
	bad=1
}

# sections: writes the sections of playTests.sh, each behind the script's own beginning, as section.N, and their names,
# one in a line. Those after the check for --test-large-data take gigabytes.
sections() {
	awk '
	/^println "\\n===>/ {
		name = $0
		gsub(/^println "\\n===> *|[ "]*$/, "", name)
		close(file)
		file = "section." ++nr
		for (i = 1; i <= heads; i++)
			print head[i] >file
		print name
	}
	/--test-large-data/ { exit }
	!nr { head[++heads] = $0 }
	nr { print >file }' "$SOURCE/tests/playTests.sh"
}

test_sections_of_playtests() {
	local nr=0 name bad=0

	source_of libzstd
	command_of zstd
	gcc -O1 -I"$SOURCE/programs" -I"$SOURCE/lib/common" -o datagen "$SOURCE"/programs/datagen.c \
		"$SOURCE"/tests/datagencli.c
	sections >names
	[ "$(wc -l <names)" -gt 30 ]
	while read -r name; do
		nr=$((nr + 1))
		begin_section
		ZSTD_BIN=$PWD/bin/zstd DATAGEN_BIN=$PWD/datagen result zstd "$name" \
			env -C run bash -c ". ../section.$nr" "$SOURCE/tests/playTests.sh"
		[ -e passed ] || rm -rf run
	done <names
	return $bad
}

# begin_section: in a folder with the files of those before, or with the first file of all behind one that failed.
begin_section() {
	[ -d run ] || { mkdir run && ./datagen >run/tmp; }
}

# Files that a compressor or a decompressor once got wrong.
test_files_of_special_cases() {
	local file level

	source_of libzstd
	command_of zstd
	for file in "$SOURCE"/tests/golden-compression/*; do
		for level in 1 3 9 19; do
			bin/zstd -$level -c "$file" >packed
			zstd -dc packed | same - "$file"
			bin/zstd -dc packed | same - "$file"
		done
	done
	for file in "$SOURCE"/tests/golden-decompression/*.zst; do
		zstd -dc "$file" >want
		bin/zstd -dc "$file" | same - want
	done
	for file in "$SOURCE"/tests/golden-decompression-errors/*.zst; do
		[ ! -e "$file" ] || exits 1 bin/zstd -t "$file"
	done
}

# Targets of a Makefile, without those that need gigabytes.
test_targets_of_lz4() {
	local name bad=0

	source_of lz4
	command_of lz4
	cp -r "$SOURCE" lz4
	gcc -O1 -Ilz4/programs -Ilz4/lib -o lz4/tests/datagen lz4/programs/datagen.c lz4/tests/datagencli.c
	ln -s ../../bin/lz4 lz4/programs/lz4
	for name in unlz4 lz4cat; do
		printf '#!/bin/sh\nexec %q %s "$@"\n' "$PWD/bin/lz4" "$([ $name = unlz4 ] && echo -d || echo -dcf)" \
			>lz4/programs/$name
		chmod +x lz4/programs/$name
	done
	for name in $(grep -oE '^test-lz4-[a-zA-Z-]+' lz4/tests/Makefile | sort -u | grep -v 'huge\|essentials'); do
		result lz4 "$name" env MAKEFLAGS= make -C lz4/tests -o lz4 -o datagen -o unlz4 -o lz4cat "$name"
	done
	return $bad
}

test_each_difference_has_a_reason() {
	local format name reason

	while IFS='|' read -r format name reason; do
		[[ $format == "#"* ]] || [ -n "${reason// /}" ]
	done <"$DIFFERS"
}

run_tests "$@"
