#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The probes of the built libraries are those of docs/tracing.md, and each has a semaphore.

. "$(dirname "$0")/../include/tap.sh"

echo '#include <sys/sdt.h>' | "${CC:-gcc}" -E - >/dev/null 2>&1 || skip "sys/sdt.h isn't here, so there are no probes"

# built LIBRARY PROVIDER: the names of its probes, each with the word Semaphore.
built() {
	readelf -n "$1" | awk -v p="$2" '$1 == "Provider:" { on = $2 == p } $1 == "Name:" { name = $2 }
		on && /Semaphore: 0x0*[1-9a-f]/ { print name }' | sort -u
}

# documented PROVIDER: the first row of a provider has its name.
documented() {
	awk -F '|' -v p="\`$1\`" '$2 ~ /`/ { on = index($2, p) } on && $3 ~ /`/ { gsub(/[` ]/, "", $3); print $3 }' \
		"$TOP/docs/tracing.md" | sort -u
}

each_is_there() {
	built "$1" "$2" >built
	documented "$2" >documented
	[ -s built ] && diff documented built
}

test_libwd_has_the_documented_probes() {
	each_is_there "$OUT/lib/libwd.so.0" libwd
}

test_the_replacement_of_zlib_has_the_documented_probes() {
	[ -e "$OUT/lib/warpdrive/zlib/libz.so.1" ] || skip 'the replacement of zlib was left out'
	each_is_there "$OUT/lib/warpdrive/zlib/libz.so.1" wdz
}

test_the_provider_has_the_documented_probes() {
	[ -e "$OUT/ossl-modules/warpdrive-devices.so" ] || skip 'the provider was left out'
	each_is_there "$OUT/ossl-modules/warpdrive-devices.so" wdossl
}

test_a_debugger_lists_them() {
	command -v gdb >/dev/null || skip 'gdb is not here'
	gdb -nx -batch -ex 'info probes stap libwd' "$OUT/lib/libwd.so.0" >got
	[ "$(grep -c 'libwd *fallback' got)" -ge 1 ]
}

# Each script's probe is one of a library, or a tracepoint of the document.
test_scripts_name_probes_that_exist() {
	cat "$TOP"/user/tools/bpftrace/*.bt >scripts
	grep -oE '^usdt:\$1:[a-z]+:[a-z_]+' scripts | sort -u >used
	[ "$(wc -l <used)" -ge 5 ]
	while IFS=: read -r _ _ provider name; do
		documented "$provider" | grep -qx "$name" || { echo "$provider:$name"; false; }
	done <used
	for name in $(sed -n 's/^tracepoint:uacce://p' scripts); do
		grep -qx "Tracepoint:	$name" "$TOP/docs/abi/tracepoints"
	done
}

run_tests "$@"
