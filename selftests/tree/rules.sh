#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Rules that the source tree keeps: licences, sizes, dependencies, names.
set -u
shopt -s extglob
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

files() {
	if [ -d .git ] || [ -f .git ]; then
		git ls-files -- "$@"
	else
		find . -path ./build -prune -o -type f -print | sed 's|^\./||' |
			grep -E "$(printf '%s\n' "$@" | sed 's/\*/.*/g; s/$/$/' | paste -sd'|')"
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

# The licence that belongs to a folder.
licence() {
	local pattern=$1
	shift
	files "$@" | grep -E '\.(c|h)$' | while read -r file; do
		head -n 1 "$file" |
			grep -qE "SPDX-License-Identifier: $pattern( \*/)?$" || echo "$file: $(head -n 1 "$file")"
	done | none "not under $pattern"
}

licences() {
	local code=0
	licence 'GPL-2.0-or-later WITH Linux-syscall-note' 'include/uapi/*' || code=1
	licence 'GPL-2.0-or-later OR Apache-2.0' 'model/*' 'include/hw/*' 'include/endpoints.h' \
		'kernel/hisi_qm/translate/*' || code=1
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
	grep -rnE 'LINUX_VERSION_CODE|KERNEL_VERSION\(' kernel model --include='*.[ch]' --include='Kbuild*' |
		grep -v '^kernel/compat/' |
		none 'version checks outside kernel/compat'
}

vague_names() {
	files '*util.c' '*utils.c' '*common.c' '*misc.c' '*helper.c' '*helpers.c' |
		none 'a file is a noun, a verb or a facility'
}

# includes DIR: "file: header" for each quoted or angled include.
includes() {
	grep -rnoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"][^>"]+[>"]' "$@" --include='*.[ch]' 2>/dev/null |
		sed 's/#.*include[[:space:]]*/ /'
}

# The header of portable code has the headers of both sides.
kernel_from_user() {
	includes kernel | grep -v '^kernel/hisi_qm/translate/translate\.h:' |
		grep -E 'user/|selftests/|configfs-tools/|<(wd|stdio|stdlib|string|unistd)' |
		none 'kernel/ includes from user/'
}

# The model includes the user ABI, the register headers and its own headers only.
model_alone() {
	local code=0
	local standard='(linux/(types|string|errno|kernel)|stdint|stdbool|stddef|string|errno)\.h'

	includes model | grep -vE '"[a-z0-9_]+\.h"|"hw/[a-z_]+_hw\.h"|[<"]'"$standard"'[>"]|misc/uacce/|linux/' |
		none 'model/ includes something else' || code=1
	includes model | grep -E 'uacce\.h"' | grep -vE 'uapi|misc/uacce' | none 'model/ includes uacce.h' || code=1
	return $code
}

user_from_kernel() {
	includes user configfs-tools | grep -E 'kernel/' | grep -v 'linux/kernel' | none 'user/ includes of kernel/'
}

nothing_from_tests() { includes kernel model user configfs-tools | grep 'selftests' | none 'selftests/ is included'; }

# Of libwd's folders, a driver may include the fast path and how to open a context; a class may include the frame of its
# calls; both may include base/.
core_headers() {
	{
		includes user/algs | grep -vE '"request/frame\.h"'
		includes user/drivers | grep -vE '"request/fast\.h"|queue\.c:[0-9]+: *"section/ctx\.h"'
	} | grep -E '"(device|section|request)/' | none 'a driver or class looks into libwd'
}

relative() { includes user kernel model configfs-tools | grep -E '"\.\./' | none 'a relative include out of a folder'; }

# Templates are included before all functions: behind one, neither grep nor a reader of the head would see them.
heads() {
	files 'user/*.c' 'kernel/*.c' 'model/*.c' 'configfs-tools/*.c' | xargs awk '
		FNR == 1 { code = 0 }
		code && /^[ \t]*#[ \t]*include/ { print FILENAME ":" FNR ": " $0 }
		/^\{/ { code = 1 }' | none 'an include behind functions'
}

# Of all templates in the list. Lower it with the list; never raise it.
template_lines=74

templates() {
	local file listed lines list=selftests/tree/templates.txt

	{
		while read -r file listed; do
			[ -f "$file" ] || { echo "$file: gone, the list must shrink"; continue; }
			lines=$(wc -l <"$file")
			[ "$lines" -le "$listed" ] || echo "$file: $lines lines, the list has $listed"
			[ "$lines" -ge "$listed" ] || echo "$file: only $lines lines, the list must shrink: $listed"
		done < <(grep -v '^#' "$list")
		files '*.inc.h' | grep -vxF "$(grep -v '^#' "$list" | cut -d ' ' -f 1)" | sed 's/$/: a new template/'
		awk -v most=$template_lines '!/^#/ { sum += $2 }
			END { if (sum != most) print "the sum is " sum ", not " most }' "$list"
	} | none 'templates may only become shorter, in templates.txt and rules.sh'
}

# on_path FOLDER...: prints header names that are in several of these folders, which one compiler searches.
on_path() { for dir; do find "$dir" -maxdepth 1 -name '*.h' -printf '%f\n'; done | sort | uniq -d | sed "s|^|$1: |"; }

# asked FOLDER: prints the folders that its Makefile searches, one per line, and after a "+" those of its sources.
asked() {
	quiet_make -C "$1" asked \
		--eval='asked: ; @printf "%s\n" $(patsubst -I%,%,$(filter -I%,$(WD_CPPFLAGS) $(CPPFLAGS))) \
		+ $(sort $(dir $(SRCS) $(foreach p,$(PROGS),$($(p)_SRCS))))'
}

# Tools compile single files of libwd, which find their headers by the folder's name.
twice() {
	local part folder own path
	{
		for part in user/{libwd,libhisi_qm,openssl,zlib} user/{algs,emulator,tools}/*/ configfs-tools; do
			[ -f "$part/Makefile" ] || continue
			own='' path=''
			while read -r folder; do
				if [[ $folder == */+ ]]; then path=$own own=''; else own+=" $folder"; fi
			done < <(asked "$part" | (cd "$part" && xargs realpath -s --relative-to="$OLDPWD"))
			for folder in $own; do
				[[ $folder == user/libwd/* && $part != user/libwd ]] ||
					on_path $(printf '%s\n' "$folder" $path | sort -u)
			done
		done
		for part in kernel/uacce kernel/hisi_qm kernel/hisi_sim; do
			on_path $part $(grep -ohE -e '-I\$\(src\)[^ ]*' Kbuild $part/Kbuild | sed 's|-I$(src)|.|')
		done
	} | sort -u | none 'a header name twice on a path'
}

# A function's name of one word says nothing in a stack trace.
one_word() {
	files 'kernel/*.c' 'kernel/*.h' | xargs grep -nE '^static [^;={}()#]*\b[a-z0-9]+\(' |
		none 'a function of the kernel whose name is one word'
}

# Code that libwd shares with wdctl and wd-zlib is libwd's, compiled into both: reading sysfs, netlink, whose times are
# of that clock.
lower_part() {
	includes configfs-tools user/tools user/emulator/tool | grep -E '"(base|device|section|request)/' |
		grep -vE '"base/sysfs\.h"|^(configfs-tools|user/tools/wd-zlib)/.*"base/(netlink|sleep)\.h"' |
		none 'a tool looks into libwd'
}

# A class library may not look inside a driver, nor a tool inside a library.
private_headers() {
	includes configfs-tools docs/examples | grep -E '/(driver|engine|slot|internal)\.h|user/libwd/[a-z]' |
		none 'a tool uses a private header'
}

sleeping_poll() {
	grep -rnE '\b(usleep|nanosleep|sleep)[[:space:]]*\(' user --include='*.[ch]' | none 'user/ polls by sleeping'
}
# The emulator has its own select(), which replaces the program's.
selects() {
	grep -rnE '\bselect[[:space:]]*\(' user configfs-tools --include='*.[ch]' --exclude-dir=emulator |
		none 'select() ends at 1024 descriptors'
}
unfinished() {
	files '*.c' '*.h' '*.sh' '*.py' '*Makefile' '*.mk' '*.md' | grep -v '^selftests/tree/' |
		xargs -d '\n' grep -nE '\b(TODO|FIXME|XXX|HACK)\b' /dev/null | none 'unfinished'
}
harness_stays_out() { files '*kselftest.h' '*kselftest_harness.h' | none "kselftest's headers are committed"; }

# Text for people, without the fuzzers' inputs and the licences.
prose() { files | grep -vE '^(selftests/fuzz/corpus|LICENSES)/'; }
markdown() { files '*.md' | grep -E '^docs/|^[^/]*$'; }
documents() { files | grep -E '^docs/|^[^/]*\.md$' | grep -v '^docs/examples/'; }

# Tables and code count, too; a line that is a single link can't be shorter.
wide() {
	markdown | LC_ALL=C.UTF-8 xargs grep -nE '.{121}' /dev/null |
		grep -vE '^[^:]*:[0-9]*:[-*> ]*(\[[^]]*\]\([^ )]*\)|<?https?://[^ ]*)[.,;]?$' |
		none 'wider than 120 columns'
}

# Sources and scripts of all languages, and Makefiles.
code() {
	sources
	files '*.cc' '*.js' '*.php' '*/completion/*'
	files 'benchmarks/*' 'debian/*' 'user/zlib/*' | while read -r file; do
		[[ ${file##*/} == *.* ]] || ! head -c 2 "$file" | grep -q '^#!' || echo "$file"
	done
}
# Fifteen times eight columns, with eight characters or a tab that ends earlier ones, and one character more.
wide_code() {
	code | sort -u | LC_ALL=C.UTF-8 xargs grep -nE $'^([^\t]{8}|[^\t]{0,7}\t){15}.' /dev/null |
		none 'wider than 120 columns'
}

# In pages of decisions, what was decided comes first, in one paragraph behind its heading. Its reasons may be longer.
decisions() {
	awk '
		FNR == 1 { heading = ""; lines = 0 }
		/^### / { heading = $0; lines = 0; next }
		heading == "" { next }
		/^$/ && !lines { next }
		/^$/ || /^(-|\||[0-9]+\.) / { heading = ""; next }
		++lines == 6 { print FILENAME ":" FNR ": " heading }' docs/{hisi_qm,libwd,openssl,zlib}.md |
		none 'a decision of more than five lines'
}

# Documents that aren't in the tree. Random numbers come from "a seed" or "its seed".
cites='the (seeds?|issue|contract|tradition)'
cites_apart=(selftests/tree/rules.sh configfs-tools/lib/attr.c configfs-tools/lib/attr.h)
outside() {
	prose | grep -vxF "$(printf '%s\n' "${cites_apart[@]}")" | xargs grep -nIiwE "$cites" /dev/null |
		none 'cites what is not in the tree'
}

this_cpu() { documents | xargs grep -niwE 'this CPU' /dev/null | none '"this CPU" for the software path'; }

# Prints "file:line: path" for each path of the tree in documents, manual pages and comments; links count from their
# file's folder.
cited() {
	prose | grep -E '^docs/|\.md$|/man/|\.[chS]$|\.sh$|\.py$|\.mk$|Makefile$|Kbuild$' | xargs awk '
		BEGIN {
			top = "docs|kernel|user|model|include|selftests|scripts|configfs-tools|benchmarks|packaging"
			place = "(^|[^A-Za-z0-9_./$}<>~-])(" top ")/[A-Za-z0-9_./*{},\\[\\]-]+"
		}
		FNR == 1 {
			text = FILENAME ~ /\.md$|\/man\/|^docs\/(abi|netlink)\//
			c = FILENAME ~ /\.[chS]$/
			folder = FILENAME
			sub(/[^\/]*$/, "", folder)
			link = FILENAME ~ /\.md$/
		}
		!text && c && !/^[ \t]*(\/?\*|\/\/)|\/\*/ { next }
		!text && !c && !/^[ \t]*#/ { next }
		{
			gsub(/\\f[A-Z]|\\/, "")
			line = $0
			while (match(line, place)) {
				path = substr(line, RSTART, RLENGTH)
				line = substr(line, RSTART + RLENGTH)
				sub(/^[^a-z]/, "", path)
				if (path !~ /\[/)
					sub(/\].*$/, "", path)
				sub(/[.,\/-]+$/, "", path)
				if (line !~ /^[<$]/)
					print FILENAME ":" FNR ": " path
			}
			line = $0
			while (link && match(line, /\]\([^)#:]+[)#]/)) {
				print FILENAME ":" FNR ": " folder substr(line, RSTART + 2, RLENGTH - 3)
				line = substr(line, RSTART + RLENGTH)
			}
		}'
}

# Exceptions: a part of a path has no ending, a built library has its source's name, some folders name their own
# "include".
missing() {
	local where path tree
	tree=$(files)
	cited | sort -u | while read -r where path; do
		[[ $path == docs/* || ${path##*/} == *.* || ${path##*/} == *[*]* ]] || continue
		path=${path//\{*([!\}])\}/*}
		compgen -G "$path" >/dev/null || [ -e "${path%.so}.c" ] || grep -qE "/${path//./\\.}\$" <<<"$tree" ||
			echo "$where $path"
	done | none 'a file is cited that is not there'
}

# The macro's second statement ends the test: without braces a loop that waits never ends.
loops() {
	files 'selftests/*.c' 'selftests/*.h' | xargs awk '
		FNR == 1 { head = 0 }
		head && /^\t+ASSERT_/ { print FILENAME ":" FNR ": " $0 }
		{ head = /^\t+while \(.*\)$/ }' | none 'in a loop without braces'
}

# The known programs, each with what is known of the cause; nothing else makes the list longer.
known_flaky=0
flaky_list() {
	local name cause

	grep -v '^#' selftests/flaky | while read -r name cause; do
		grep -q "^${name#*/} " "selftests/${name%/*}/tests" 2>/dev/null || echo "$name: no such test"
		[ -n "$cause" ] || echo "$name: no cause"
	done | none 'in selftests/flaky' || return
	[ "$(grep -vc '^#' selftests/flaky)" = $known_flaky ] && return
	echo 'selftests/flaky may only become shorter, and known_flaky with it'
	return 1
}

test_that 'every source says its licence' spdx
test_that 'each place has its licence' licences
test_that 'every licence has its text' texts
test_that 'no file is longer than 1000 lines' long_files
test_that 'no document is wider than 120 columns' wide
test_that 'no line of code is wider than 120 columns' wide_code
test_that 'a decision has five lines at most, and then its reasons' decisions
test_that 'no text cites what is not in the tree' outside
test_that 'documents call the software path by its name' this_cpu
test_that 'files that documents and comments cite are there' missing
test_that 'kernel versions are known in kernel/compat only' versions
test_that "an assertion that is a loop's whole body is in braces" loops
test_that 'no file has a name that says nothing' vague_names
test_that 'kernel/ includes nothing from user space' kernel_from_user
test_that 'model/ includes the ABI, the registers and itself only' model_alone
test_that 'user/ includes nothing of kernel/' user_from_kernel
test_that 'nothing includes selftests/' nothing_from_tests
test_that 'drivers and classes see driver.h and their doors of libwd only' core_headers
test_that 'no include leaves its folder upwards' relative
test_that 'includes stand at the head' heads
test_that 'templates are listed, and do not become longer' templates
test_that 'no header name is twice on a path' twice
test_that 'names of functions in the kernel have two words at least' one_word
test_that 'of libwd, tools share what reads sysfs and asks by netlink only' lower_part
test_that 'tools use public headers only' private_headers
test_that 'user/ does not sleep to poll' sleeping_poll
test_that 'no select()' selects
test_that 'nothing is marked as unfinished' unfinished
test_that 'the list of flaky programs has not become longer' flaky_list
test_that "kselftest's headers are not committed" harness_stays_out
tap_done
