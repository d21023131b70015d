#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The manual: each page is clean, complete and found by its subject; the examples of section 3 compile and link.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh
out=${OUT:-${BUILD:-build}/user}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Aliases are symbolic links.
mapfile -t pages < <(find user configfs-tools docs -type f -name '*.[1-8]' | sort)
mapfile -t functions < <(find user -type f -path '*/man/*.3' | sort)
mapfile -t aliases < <(find user configfs-tools docs -type l -name '*.[1-8]' | sort)

clean() {
	local said
	said=$(mandoc -T lint -W warning "${pages[@]}" 2>&1)
	[ -z "$said" ] || { echo "$said"; return 1; }
}

# The names in a page's section NAME, one per line.
names() {
	awk '/^\.SH/ { if (name) exit; name = $2 == "NAME"; next } name' "$1" | sed 's/ \\- .*//' | tr ',' '\n' |
		tr -d ' '
}
bare() { basename "$1" | sed 's/\.[1-8]$//'; }

named() {
	local page code=0
	for page in "${pages[@]}"; do
		names "$page" | grep -qx "$(bare "$page")" || { echo "$page: doesn't name itself"; code=1; }
	done
	for page in "${aliases[@]}"; do
		if [ ! -e "$page" ]; then
			echo "$page: links to nothing"; code=1
		elif ! names "$page" | grep -qx "$(bare "$page")"; then
			echo "$page: not named in $(readlink "$page")"; code=1
		fi
	done
	return $code
}

# Installs the pages as the libraries do, with an index for man.
install_pages() {
	mkdir "$scratch/man" || return
	cat >"$scratch/Makefile" <<-'MK'
		INSTALL := install
		DESTDIR := $(SCRATCH)
		MANDIR := /man
		include scripts/make/man.mk
		all: ; $(install-man)
	MK
	quiet_make -f "$scratch/Makefile" SCRATCH="$scratch" MAN="${pages[*]} ${aliases[*]}" &&
		chmod -R a+rX "$scratch" && mandb -cqu "$scratch/man"
}

found() {
	local page code=0
	install_pages || return
	man -M "$scratch/man" -k warpdrive >"$scratch/found" || return
	for page in "${pages[@]}" "${aliases[@]}"; do
		grep -q "^$(bare "$page") (" "$scratch/found" || { echo "man -k warpdrive doesn't find $page"; code=1; }
	done
	return $code
}

# An installed alias shows its page.
opens() {
	local page code=0
	for page in "${aliases[@]}"; do
		[ -e "$scratch/man/man${page##*.}/${page##*/}" ] ||
			{ echo "$page: no page is installed for it"; code=1; }
	done
	return $code
}

complete() {
	local page found code=0
	local wanted='NAME LIBRARY SYNOPSIS DESCRIPTION RETURN_VALUE ERRORS ATTRIBUTES EXAMPLES SEE_ALSO '
	for page in "${functions[@]}"; do
		found=$(sed -n 's/^\.SH //p' "$page" | grep -vx ENVIRONMENT | tr ' \n' '_ ')
		[ "$found" = "$wanted" ] || { echo "$page: $found"; code=1; }
	done
	[ $code = 0 ] || { echo "expected: $wanted"; return 1; }
}

refers() {
	local page name section code=0
	declare -A known
	for page in "${pages[@]}" "${aliases[@]}"; do
		known[${page##*/}]=1
	done
	for page in "${pages[@]}"; do
		while read -r name section; do
			[[ $name =~ ^(wd|warpdrive|hisi_qm|icp_sal) ]] || continue
			[ "${known[$name.$section]-}" ] || { echo "$page: $name($section) doesn't exist"; code=1; }
		done < <(sed -n 's/^\.BR \([a-zA-Z0-9_-]*\) (\([1-8]\)).*/\1 \2/p' "$page"
			grep -oE '\\fB[a-zA-Z0-9_-]+\\fP\([1-8]\)' "$page" | sed 's/\\fB\(.*\)\\fP(\(.\))/\1 \2/')
	done
	return $code
}

includes=(-Iinclude/uapi)
for dir in user/*/include user/algs/*/include; do
	[ ! -d "$dir" ] || includes+=("-I$dir")
done
libs=()
for lib in "$out"/lib/libwd*.so "$out/lib/libhisi_qm.so"; do
	[ ! -e "$lib" ] || libs+=("-l$(basename "$lib" .so | sed 's/^lib//')")
done

# The lines of a page's example, as a reader sees them.
example() {
	awk '/^\.SH/ { here = $2 == "EXAMPLES" } here && /^\.EE/ { code = 0 } code; here && /^\.EX/ { code = 1 }' "$1" |
		sed 's/^\\&//; s/\\-/-/g; s/\\e/\\/g'
}

# An example may be a single function: all that it calls must be in the libraries.
compiles() {
	example "$1" >"$scratch/example.c"
	[ -s "$scratch/example.c" ] || { echo "no example"; return 1; }
	cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror "${includes[@]}" -fPIC -shared -Wl,-z,defs \
		-o "$scratch/example.so" "$scratch/example.c" \
		-L"$out/lib" -Wl,-rpath-link,"$out/lib" -Wl,--as-needed "${libs[@]}"
}

wrong_example() {
	printf '.SH EXAMPLES\n.EX\n#include <wd.h>\n\nint f(void)\n{\n\treturn wd_there_is_no_such_call();\n}\n.EE\n' \
		>"$scratch/wrong.3"
	not compiles "$scratch/wrong.3"
}

# The first library of an example that wasn't built here.
left_out() {
	local lib
	for lib in $(example "$1" | sed -n 's/^#include <\(wd_[a-z]*\|hisi_qm\)\.h>/lib\1/p'); do
		[ ! -e "$out/left-out/$lib" ] || { echo "$lib was left out"; return; }
	done
}

if command -v mandoc >/dev/null; then
	test_that 'no page has anything that mandoc warns of' clean
else
	skip_that 'no page has anything that mandoc warns of' 'no mandoc here'
fi
test_that 'a page names itself and its aliases' named
if command -v mandb >/dev/null && command -v man >/dev/null; then
	test_that 'man -k warpdrive finds every page' found
	test_that 'every alias is installed with its page' opens
else
	skip_that 'man -k warpdrive finds every page' 'no man-db here'
fi
test_that 'pages of functions have the same sections in the same order' complete
test_that 'pages refer to pages that exist' refers
test_that "an example of what doesn't exist is found" wrong_example
for page in "${functions[@]}"; do
	rule="the example of $(bare "$page") compiles and links"
	why=$(left_out "$page")
	if [ -n "$why" ]; then
		skip_that "$rule" "$why"
	elif [ ! -e "$out/lib/libwd.so" ]; then
		skip_that "$rule" 'the libraries are not built'
	else
		test_that "$rule" compiles "$page"
	fi
done
tap_done
