#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# wdctl asks libcrypto for the same algorithms as the libraries: two tables with one content.

. "$(dirname "$0")/../include/tap.sh"

# Lines "NAME EVP" of every cipher and digest of the libraries, with wdctl's names; "-" stands for none.
of_libraries() {
	python3 - "$TOP" <<'END'
import re, sys

def read(cls):
    with open(f"{sys.argv[1]}/user/algs/{cls}/{cls}.c", encoding="utf-8") as file:
        return file.read()

def evp(name):
    return name.replace("%u", "128") if name else "-"

rows = re.findall(r'^\t\{ \{ "([^"]+)", SEC\([^)]*\)(?:, \.evp = "([^"]+)")? \}', read("cipher"), re.M)
rows += re.findall(r'\bROW\("([^"]+)", \w+, "([^"]+)"', read("digest"))
aead = read("aead")
rows += re.findall(r'\bTAGGED\("([^"]+)", \w+, \w+, "([^"]+)"', aead)
assert len(rows) > 40, rows
have = {(re.sub(r"-cs\d", "-cs", name), evp(e)) for name, e in rows}
plain = {pair for pair in have if not pair[0].startswith("hmac(")}
md = dict(plain)
# Composed algorithms have no line of their own, but their parts must have one.
for name, e in have - plain:
    assert md[name[5:-1]] == e, name
parts = re.findall(r'\bAUTHENC\("hmac\((\w+)\)", "([^"]+)", \w+, "([^"]+)", \w+, "([^"]+)"', aead)
assert parts
for digest, cipher, e, d in parts:
    assert md[digest] == d and md[cipher] == evp(e), (digest, cipher)
print("\n".join(sorted(" ".join(pair) for pair in plain)))
END
}

of_wdctl() {
	sed -nE 's/^\t\{ (CIPHER|DIGEST), "([^"]+)", (NULL|"([^"]+)") \},$/\2 \4/p' \
		"$TOP/configfs-tools/lib/health_algs.c" |
		sed 's/ $/ -/' | LC_ALL=C sort
}

test_wdctl_asks_libcrypto_for_what_the_libraries_do() {
	of_libraries | LC_ALL=C sort >libraries
	of_wdctl >wdctl
	[ -s wdctl ]
	diff libraries wdctl
}

# All installed libraries, except those that are preloaded.
test_doctor_looks_for_every_library() {
	local lib

	for lib in "$OUT"/lib/lib{wd,hisi}*.so.0; do
		[ "${lib##*/}" != libwd-zstd.so.0 ] || continue
		says "\"$(basename "$lib")\"" "$TOP/configfs-tools/lib/health_host.c"
	done
}

run_tests "$@"
