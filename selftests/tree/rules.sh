#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Rules that the source tree keeps: licences, sizes, dependencies, names.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

files() {
	if [ -d .git ] || [ -f .git ]; then
		git ls-files -- "$@"
	else
		find . -path ./build -prune -o -type f -print | sed 's|^\./||' | grep -E "$(printf '%s\n' "$@" | sed 's/\*/.*/g; s/$/$/' | paste -sd'|')"
	fi
}

# none WHAT: fails when there is input.
none() {
	local found
	found=$(cat)
	[ -z "$found" ] || { echo "$1:"; echo "$found"; return 1; }
}

sources() { files '*.c' '*.h' '*.S' '*.sh' '*.py' '*.mk' '*Makefile' '*Kbuild'; scripts_without_suffix; }
scripts_without_suffix() {
	files 'scripts/*' 'selftests/*' '.ci/*' | while read -r file; do
		[[ ${file##*/} == *.* ]] || [ ! -f "$file" ] || ! head -c 2 "$file" | grep -q '^#!' || echo "$file"
	done
}

spdx() {
	sources | sort -u | while read -r file; do
		[ ! -s "$file" ] || head -n 3 "$file" | grep -q 'SPDX-License-Identifier:' || echo "$file"
	done | none 'no SPDX line'
}

# The licence that goes with a place.
licence() {
	local pattern=$1
	shift
	files "$@" | grep -E '\.(c|h)$' | while read -r file; do
		head -n 1 "$file" | grep -qE "SPDX-License-Identifier: $pattern( \*/)?$" || echo "$file: $(head -n 1 "$file")"
	done | none "not under $pattern"
}

licences() {
	local code=0
	licence 'GPL-2.0-or-later WITH Linux-syscall-note' 'include/uapi/*' || code=1
	licence 'GPL-2.0-or-later OR Apache-2.0' 'model/*' kernel/hisi_qm/qm_hw.h kernel/hisi_qm/zip_hw.h || code=1
	licence 'Apache-2.0' 'user/*' 'configfs-tools/*' || code=1
	return $code
}

texts() {
	local id
	git grep -hoE 'SPDX-License-Identifier: .*' 2>/dev/null | sed 's/.*: //; s| \*/||' | tr ' ' '\n' |
		grep -xE '(GPL|Apache|MIT|BSD|Linux)[-A-Za-z0-9.]*' | sort -u | while read -r id; do
		[ -s "LICENSES/${id/-or-later/}" ] || [ -s "LICENSES/$id" ] || echo "$id"
	done | none 'no text in LICENSES/'
}

long_files() {
	files '*.c' '*.h' '*.sh' '*.py' 'scripts/*' | while read -r file; do
		lines=$(wc -l <"$file")
		[ "$lines" -le 1000 ] || echo "$file: $lines"
	done | none 'longer than 1000 lines'
}

versions() {
	grep -rnE 'LINUX_VERSION_CODE|KERNEL_VERSION\(' kernel model --include='*.[ch]' --include='Kbuild*' | grep -v '^kernel/compat/' |
		none 'version checks outside kernel/compat'
}

vague_names() {
	files '*util.c' '*utils.c' '*common.c' '*misc.c' '*helper.c' '*helpers.c' | none 'a file is a noun, a verb or a facility'
}

# includes DIR: "file: header" for each quoted or angled include.
includes() {
	grep -rnoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"][^>"]+[>"]' "$@" --include='*.[ch]' 2>/dev/null | sed 's/#.*include[[:space:]]*/ /'
}

kernel_from_user() { includes kernel | grep -E 'user/|selftests/|configfs-tools/|<(wd|stdio|stdlib|string|unistd)' | none 'kernel/ includes from user/'; }

# The model sees the user ABI, the register headers and itself.
model_alone() {
	includes model | grep -vE '"[a-z0-9_]+\.h"|[<"](linux/types\.h|stdint\.h|stdbool\.h|stddef\.h|string\.h|linux/string\.h|linux/errno\.h|errno\.h|linux/kernel\.h)[>"]|misc/uacce/|linux/' |
		none 'model/ includes something else'
	includes model | grep -E 'uacce\.h"|"(\.\./)' | grep -vE 'uapi|misc/uacce|qm_hw\.h|zip_hw\.h' | none 'model/ reaches into another folder'
}

user_from_kernel() {
	includes user configfs-tools | grep -E 'kernel/' | grep -vE 'linux/kernel|(qm_hw|zip_hw|sec_hw|hpre_hw)\.h' |
		none 'user/ includes more of kernel/ than the register headers'
}

nothing_from_tests() { includes kernel model user configfs-tools | grep 'selftests' | none 'selftests/ is included'; }

# A class library may not look inside a driver, nor a tool inside a library.
private_headers() { includes configfs-tools docs/examples | grep -E '/(driver|engine|slot|internal)\.h|user/libwd/[a-z]' | none 'a tool uses a private header'; }

sleeping_poll() { grep -rnE '\b(usleep|nanosleep|sleep)[[:space:]]*\(' user --include='*.[ch]' | none 'user/ polls by sleeping'; }
# The emulator has one of its own: it stands in for that of the program it runs.
selects() { grep -rnE '\bselect[[:space:]]*\(' user configfs-tools --include='*.[ch]' --exclude-dir=emulator | none 'select() ends at 1024 descriptors'; }
unfinished() { files '*.c' '*.h' '*.sh' '*.py' '*Makefile' '*.mk' '*.md' | grep -v '^selftests/tree/' | xargs -d '\n' grep -nE '\b(TODO|FIXME|XXX|HACK)\b' /dev/null | none 'unfinished'; }
harness_stays_out() { files '*kselftest.h' '*kselftest_harness.h' | none "kselftest's headers are committed"; }

test_that 'every source says its licence' spdx
test_that 'each place has its licence' licences
test_that 'every licence has its text' texts
test_that 'no file is longer than 1000 lines' long_files
test_that 'kernel versions are known in kernel/compat only' versions
test_that 'no file has a name that says nothing' vague_names
test_that 'kernel/ includes nothing from user space' kernel_from_user
test_that 'model/ includes the ABI, the registers and itself only' model_alone
test_that 'user/ knows the registers of kernel/ only' user_from_kernel
test_that 'nothing includes selftests/' nothing_from_tests
test_that 'tools use public headers only' private_headers
test_that 'user/ does not sleep to poll' sleeping_poll
test_that 'no select()' selects
test_that 'nothing is marked as unfinished' unfinished
test_that "kselftest's headers are not committed" harness_stays_out
tap_done
