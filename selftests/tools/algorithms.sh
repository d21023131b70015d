#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tables with one content: what wdctl asks libcrypto for, and the libraries; the algorithms of the kernel's drivers, of
# the emulator, and of the libraries.

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

# engines: writes lines "NAME STREAM LATENCY THROUGHPUT" of each engine's algorithms, as the kernel's drivers and the
# emulator have them, and lines "NAME" of those that a library asks for.
engines() {
	python3 - "$TOP" <<'END'
import glob, re, sys

def read(path):
    with open(f"{sys.argv[1]}/{path}", encoding="utf-8") as file:
        return file.read()

kernel, known = [], []
for engine in "zip", "sec", "hpre":
    text = read(f"kernel/hisi_qm/{engine}.c")
    known += re.findall(r'^\t\{ [A-Z]+_ALG_\w+, "(\w+)" \},', text, re.M)
    rows = re.findall(r'^\t\{ "(\w+)", (\w+), (\w+), (\w+) \},', text, re.M)
    kernel += [[name, str(int(flag == "UACCE_CAPA_STREAM"))] + [
        "10" if level == "UACCE_LEVEL_AVERAGE" else level for level in levels] for name, flag, *levels in rows]
assert known == [row[0] for row in kernel], (known, kernel)
text = read("user/emulator/tool/sysfs_tree.c")
rows = re.findall(r'\{ "(\w+)", (\w+), (\d+), (\d+), \d \}', text)
emulator = [[name, str(int(flag == "FLAG_STREAM")), *levels] for name, flag, *levels in rows]
asked = []
for path in glob.glob("user/algs/*/*.c", root_dir=sys.argv[1]):
    for table in re.findall(r"\*const \w+_algs\[\] = \{(.*?)\};", read(path), re.S):
        asked += re.findall(r'"(\w+)"', table)
for name, rows in ("kernel", kernel), ("emulator", emulator), ("asked", [[name] for name in sorted(asked)]):
    with open(name, "w", encoding="utf-8") as file:
        file.write("".join(" ".join(row) + "\n" for row in rows))
END
}

test_the_emulator_has_the_algorithms_of_the_kernels_drivers() {
	engines
	[ "$(wc -l <kernel)" -ge 16 ]
	diff kernel emulator
}

# No device makes or reads whole frames of zstd, and no library has a use for sequences without zstd's tables.
test_libraries_ask_for_what_the_kernels_drivers_advertise() {
	engines
	{ echo zstd; cut -d' ' -f1 kernel | grep -vx lz77_only; } | LC_ALL=C sort | diff asked -
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
