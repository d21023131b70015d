#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The words of the manual and of the public headers are English, or are listed in words.txt.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh
list=selftests/tree/words.txt

# prose PAGE: prints its text, without names, code, macros and escapes.
prose() {
	awk '
		/^\.TH/ || /^\.\\"/ { next }
		/^\.SH/ { here = $0; print $2, $3; next }
		/^\.TS/ { format = 1 }
		format { if (/\.$/) format = 0; next }
		/^\.EX/ { code = 1 }
		/^\.EE/ { code = 0; next }
		code || here ~ /LIBRARY/ || here ~ /SYNOPSIS/ || here ~ /SEE ALSO/ { next }
		here ~ /NAME/ { sub(/^.* \\- /, "") }
		{ print }' "$1" |
		sed -E 's/^\.[A-Z]+ ?//; s/\\f[BI][^\\]*\\f[PR]/ /g; s/\\[&e]//g; s/\\\(bu//g; s/\\-/-/g
			s/\\f[BIPR]//g'
}

# comments HEADER: prints the text between /* and */.
comments() {
	awk '{
		line = $0
		while (length(line)) {
			if (inside) {
				at = index(line, "*/")
				if (!at) {
					print line
					break
				}
				print substr(line, 1, at - 1)
				line = substr(line, at + 2)
				inside = 0
			} else {
				at = index(line, "/*")
				if (!at)
					break
				line = substr(line, at + 2)
				inside = 1
			}
		}
	}' "$1"
}

# Leaves out names from code and abbreviations.
words() {
	tr -c "A-Za-z0-9_'./<>@-" '\n' | grep -vE "[_0-9./<>@]|[a-z][A-Z]" | tr -- '-' '\n' |
		sed "s/^'*//; s/'*$//; s/'s$//" | grep -E '^[A-Za-z][a-z]' | sort -u
}

# unknown COMMAND FILE...
unknown() {
	local command=$1 file bad code=0
	shift
	for file; do
		bad=$("$command" "$file" | sed -E 's/[A-Za-z_]\w*(\(\)|->\w+)/ /g; s/([.,;:!?)])( |$)/ /g' | words |
			aspell --lang=en --encoding=utf-8 list | grep -vxF -f "$list" | sort -u | tr '\n' ' ')
		[ -z "$bad" ] || { echo "$file: $bad"; code=1; }
	done
	return $code
}

wrong_word() {
	local page
	page=$(mktemp) && printf '.SH DESCRIPTION\nThis is teh word.\n' >"$page" && not unknown prose "$page"
	set -- $?
	rm -f "$page"
	return "$1"
}

sorted() { LC_ALL=C sort -cu "$list"; }

if ! command -v aspell >/dev/null || ! aspell dicts 2>/dev/null | grep -qx en; then
	skip_that 'the words of manual and headers are spelled right' 'no aspell with English here'
	tap_done
fi
mapfile -t pages < <(find user configfs-tools docs -type f -name '*.[1-8]' | sort)
test_that 'every word of the manual is English or listed' unknown prose "${pages[@]}"
test_that 'every word of the comments in public headers is English or listed' unknown comments user/*/include/*.h \
	user/algs/*/include/*.h
test_that 'a wrong word is found' wrong_word
test_that 'the list is sorted and has no word twice' sorted
tap_done
