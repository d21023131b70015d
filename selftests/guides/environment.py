#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/guide/environment.md lists each variable that the sources read, and no other."""

import os
import re
import subprocess
import sys

TOP = os.environ.get("TOP") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
GUIDE = os.path.join(TOP, "docs/guide/environment.md")

NAME = r"([A-Z][A-Z0-9_]*)"
# Expressions that read a variable, by the kind of file. In a script, a variable with a default comes from outside,
# and so do names with our prefixes.
READERS = (
    (r"\.[ch]$", rf'\b(?:secure_getenv|getenv|wd_env|wd_env_choice|wd_env_number|setenv|env_prepend|is_nth)\("{NAME}"'),
    (r"\.(py|sh)$", rf'os\.environ(?:\.get\(|\[)"{NAME}"'),
    (r"script$", rf"\$\{{{NAME}:?[-=?+]"),
    (r"script$", r"\$\{?((?:WD|WARPDRIVE)_[A-Z0-9_]+)"),
    (r"(Makefile|\.mk)$", rf"^(?:override )?{NAME} \?="),
)
FOLDERS = ("user", "configfs-tools", "scripts", "selftests", "benchmarks", "docs/examples", ".ci", "Makefile")
# Matches that aren't variables from outside: a script's own variables with a default, names from /etc/os-release, a
# folder's Makefile's variables, and a test's own names.
OTHERS = {"BATCH", "BY", "BY_KILL", "COMMAND", "CYCLES", "DESC", "NAME", "NODE", "ROOTED", "SITE", "STATIC_PKGS",
          "TIMEOUT", "VERSION_CODENAME", "WDCTL", "WD_TEST", "WD_VERSION"}
# One variable of each kind.
KNOWN = ("WD_PATH", "TERM", "WD_TEST_SEED", "WARPDRIVE_ACCEL", "PREFIX", "SHARES")
# Read by make itself, or by an expression that the search doesn't find: each with a file that contains the name.
MORE = {"AR": "scripts/make/defs.mk", "O": "Makefile", "KERNEL": "Makefile", "ARCH": "scripts/make/defs.mk",
        "TEST": "Makefile",
        **{f"WD_OPENSSL_{key}": "user/openssl/core/config.c" for key in
           ("ALGORITHMS", "MIN_BYTES", "DEVICES", "SECTION", "POLLERS", "TIMEOUT_MS", "FALLBACK", "CHECK_RESULTS",
            "LOG")},
        "WD_COMP_CTX_NUM": "user/uadk/comp/comp.c",
        **{f"WD_{alg}_CTX_NUM": f"user/uadk/crypto/{alg.lower()}.c" for alg in
           ("CIPHER", "DIGEST", "AEAD", "RSA", "DH", "ECC")},
        "WD_ZLIB_STATS": "user/zlib/config.c",
        **{f"WD_ZLIB{key}": "user/shared/zlib_settings.c" for key in ("", "_LEVELS", "_MIN", "_CHUNK", "_INFLATE")},
        "WD_ZSTD_STATS": "user/zstd/config.c",
        **{f"WD_ZSTD{key}": "user/shared/zlib_settings.c" for key in ("", "_LEVELS", "_MIN")}}


def sources():
    run = subprocess.run(["git", "-C", TOP, "ls-files", "--", *FOLDERS], capture_output=True, text=True, check=False)
    files = run.stdout.split("\n")
    if run.returncode:
        files = [os.path.relpath(os.path.join(at, name), TOP) for folder in FOLDERS
                 for at, _, names in os.walk(os.path.join(TOP, folder)) for name in names] + ["Makefile"]
    return [path for path in files if path and not path.startswith("selftests/guides/")
            and os.path.isfile(os.path.join(TOP, path))]


def read():
    """Each variable, with the first file that reads it."""
    found = {}
    for path in sources():
        with open(os.path.join(TOP, path), encoding="utf-8", errors="replace") as source:
            text = source.read()
        script = path.endswith(".sh") or text.startswith("#!/bin/bash")
        for kind, pattern in READERS:
            if script if kind == "script$" else re.search(kind, path):
                for name in re.findall(pattern, text, re.M):
                    found.setdefault(name, path)
    for name, path in MORE.items():
        with open(os.path.join(TOP, path), encoding="utf-8") as source:
            if re.search(rf"\b{name}\b", source.read()):
                found.setdefault(name, path)
    return {name: path for name, path in found.items() if name not in OTHERS}


def listed():
    with open(GUIDE, encoding="utf-8") as guide:
        text = guide.read()
    names = re.findall(rf"^- `{NAME}`$", text, re.M)
    inner = re.search(r"not to be set by hand: (.*?)\n\n", text, re.S)
    return names + re.findall(rf"`{NAME}`", inner.group(1) if inner else "")


def result(number, rule, wrong):
    for line in wrong:
        print(f"# {line}")
    print(f"{'not ok' if wrong else 'ok'} {number} - {rule}")
    return not wrong


def main():
    found, names = read(), listed()
    print("1..4")
    good = [
        result(1, "the search finds variables of each kind", [name for name in KNOWN if name not in found]),
        result(2, "each variable that is read is in the guide",
               [f"{name}: read by {path}" for name, path in sorted(found.items()) if name not in names]),
        result(3, "each variable in the guide is read", [name for name in names if name not in found]),
        result(4, "none is there twice", sorted({name for name in names if names.count(name) > 1})),
    ]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
