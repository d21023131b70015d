#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cdi.py FILE: checks a specification by the rules of the Container Device Interface, and prints what breaks them."""

import json
import re
import sys

# The version that first had a field, and its rule.
NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.:-]*[A-Za-z0-9])?")
KIND = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*[A-Za-z0-9]/[A-Za-z]([A-Za-z0-9_-]*[A-Za-z0-9])?")
VERSIONS = ("0.3.0", "0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "1.0.0")
EDITS = {"env": "0.3.0", "deviceNodes": "0.3.0", "hooks": "0.3.0", "mounts": "0.3.0", "intelRdt": "0.7.0",
         "additionalGids": "0.7.0"}


def id32(value):
    return type(value) is int and 0 <= value < 2 ** 32


NODE = {
    "path": lambda v: isinstance(v, str) and v.startswith("/"),
    "hostPath": lambda v: isinstance(v, str) and v.startswith("/"),
    "type": lambda v: v in ("b", "c", "u", "p"),
    "major": lambda v: type(v) is int,
    "minor": lambda v: type(v) is int,
    "fileMode": lambda v: type(v) is int and 0 <= v <= 0o777,
    "permissions": lambda v: isinstance(v, str) and re.fullmatch("r?w?m?", v) and v,
    "uid": id32,
    "gid": id32,
}


def check_edits(edits, at, version, wrong):
    if not isinstance(edits, dict) or not edits:
        wrong.append(f"{at}: expected edits, not {edits!r}")
        return
    for key, value in edits.items():
        if key not in EDITS:
            wrong.append(f"{at}: unknown field {key}")
        elif VERSIONS.index(version) < VERSIONS.index(EDITS[key]):
            wrong.append(f"{at}: {key} needs version {EDITS[key]}, not {version}")
        elif key != "intelRdt" and (not isinstance(value, list) or not value):
            wrong.append(f"{at}: {key}: expected a list with elements")
    for text in edits.get("env", []):
        if not isinstance(text, str) or not re.fullmatch("[^=]+=.*", text):
            wrong.append(f"{at}: env: expected NAME=VALUE, not {text!r}")
    for gid in edits.get("additionalGids", []):
        if not id32(gid) or not gid:
            wrong.append(f"{at}: additionalGids: {gid!r}")
    paths = [node.get("path") for node in edits.get("deviceNodes", [])]
    if len(set(paths)) != len(paths) or None in paths:
        wrong.append(f"{at}: deviceNodes: each needs a path of its own: {paths}")
    for node in edits.get("deviceNodes", []):
        for key, value in node.items():
            if key not in NODE or not NODE[key](value):
                wrong.append(f"{at}: deviceNodes: {key}: {value!r}")


def check(spec):
    wrong = []
    version = spec.get("cdiVersion")
    if version not in VERSIONS:
        return [f"cdiVersion {version!r}"]
    if not KIND.fullmatch(spec.get("kind", "")):
        wrong.append(f"kind {spec.get('kind')!r}")
    for key in set(spec) - {"cdiVersion", "kind", "devices", "containerEdits"}:
        wrong.append(f"unknown field {key}")
    names = set()
    for device in spec.get("devices", [None]):
        if not isinstance(device, dict) or set(device) != {"name", "containerEdits"}:
            wrong.append(f"device {device!r}")
            continue
        name = device["name"]
        if not isinstance(name, str) or not NAME.fullmatch(name) or name in names:
            wrong.append(f"name {name!r}")
        names.add(name)
        check_edits(device["containerEdits"], f"device {name}", version, wrong)
    return wrong


def main():
    wrong = check(json.load(open(sys.argv[1])))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
