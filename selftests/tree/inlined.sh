#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compilers inline an engine's operations into the entries of its driver (drivers/hisi/fast.h): no entry calls one of
# them, or calls anything through a table.
set -u
cd "${TOP:-$(dirname "$0")/../..}" || exit 1
. selftests/include/tap.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

includes=(-Iinclude -Iinclude/uapi -Iuser/libwd -Iuser/libhisi_qm -Iuser/algs/shared -Iuser/drivers/soft)
for dir in user/*/include user/algs/*/include; do
	[ ! -d "$dir" ] || includes+=("-I$dir")
done

# calls: the calls in the entries' code that aren't of the core, each with its entry. Only async_one() may end with one
# through a table: what can't take the fast path continues there.
calls() {
	objdump -d --no-show-raw-insn "$scratch/object" | awk '
		/^[0-9a-f]+ </ {
			entry = $2
			hot = entry ~ /<hisi_.*_(sync|async_one|async|tell|pull|other|ready)(\.cold[.0-9]*)?>:/
			found += hot && entry ~ /_(sync|async|pull)>/
		}
		hot && entry !~ /_async_one/ && /[ \t](call +\*|blr[ \t])/ { print entry, $0 }
		hot && /[ \t](call|bl)[ \t].*<(fast_|[a-z]+_(fill|told|job|results)[>.])/ { print entry, $0 }
		END { if (found < 3) print "only " found " entries" }'
}

inlined() {
	local compiler=$1 class=$2 file=$3

	"$compiler" -std=c11 -D_GNU_SOURCE -O2 -fPIC -fexceptions "${includes[@]}" "-Iuser/algs/$class" \
		-c -o "$scratch/object" "user/drivers/hisi/$file.c" || return
	! calls | grep .
}

# Without optimization they are not inlined.
noticed() {
	cc -std=c11 -D_GNU_SOURCE -O0 "${includes[@]}" -Iuser/algs/comp -c -o "$scratch/object" \
		user/drivers/hisi/zip.c && calls | grep .
}

for compiler in cc clang; do
	while read -r class file; do
		rule="$compiler inlines the operations of $file.c"
		if command -v "$compiler" >/dev/null; then
			test_that "$rule" inlined "$compiler" "$class" "$file"
		else
			skip_that "$rule" "no $compiler"
		fi
	done <<-END
		comp zip
		cipher sec_cipher
		digest sec_digest
		aead sec_aead
		rsa hpre_rsa
		dh hpre_dh
		ecc hpre_ecc_fast
	END
done
test_that "a call through the table is noticed" noticed
tap_done
