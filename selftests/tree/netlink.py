#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The netlink family's specification, its C header and libwd's table of types name the same things."""

import os
import re
import sys

import yaml

TOP = os.environ.get("TOP") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
HEADER = os.path.join(TOP, "include/uapi/linux/uacce_netlink.h")
SPEC = os.path.join(TOP, "docs/netlink/uacce.yaml")
POLICY = os.path.join(TOP, "user/libwd/base/netlink.c")

ENUM = re.compile(r"enum (\w+) \{\n(.*?)\n\};", re.S)
MEMBER = re.compile(r"^\t(\w+)(?:\s*=\s*(\w+)(?: - 1)?)?,?\s*(?:/\*\s*(.*?)\s*\*/)?$")
DEFINE = re.compile(r'^#define (\w+)\s+(?:"(.*)"|(\d+))$', re.M)
TYPE = re.compile(r"(u32|s32|u64|string|nest|flag)\b")


def header_enums(text):
    """{enum: {name: (number, comment)}}, without members that only count."""
    enums = {}
    for name, body in ENUM.findall(text):
        members, number = {}, 0
        for line in filter(str.strip, body.split("\n")):
            found = MEMBER.match(line)
            if not found:
                raise ValueError(f"{name}: not understood: {line}")
            if found[2] and found[2].isdigit():
                number = int(found[2])
            if not found[1].startswith("__") and not found[1].endswith("_MAX"):
                members[found[1]] = (number, found[3] or "")
            number += 1
        enums[name] = members
    return enums


def c_name(*parts):
    return "".join(parts).upper().replace("-", "_")


def numbered(entries, prefix, number, step):
    """Numbers the entries as the kernel's tools do: one after the other, from a value where one is given."""
    names = {}
    for entry in entries:
        entry = entry if isinstance(entry, dict) else {"name": entry}
        number = entry.get("value", number)
        names[c_name(prefix, entry["name"])] = number
        number = step(number)
    return names


def spec_enums(spec):
    """{enum: {name: number}} as in the header, without the first of messages and attributes."""
    enums = {}
    for d in spec["definitions"]:
        flags = d["type"] == "flags"
        enums[d["enum-name"]] = numbered(d["entries"], d["name-prefix"], 1 if flags else 0,
                                         (lambda n: n * 2) if flags else (lambda n: n + 1))
    for s in spec["attribute-sets"]:
        enums[s["enum-name"]] = numbered(s["attributes"], s["name-prefix"], 1, lambda n: n + 1)
    ops = spec["operations"]
    enums[ops["enum-name"]] = numbered(ops["list"], ops["name-prefix"], 1, lambda n: n + 1)
    return enums


def numbers_differ(spec, header):
    ours, theirs = spec_enums(spec), header_enums(header)
    for name in sorted(set(ours) | set(theirs)):
        mine = ours.get(name, {})
        c = {n: number for n, (number, _) in theirs.get(name, {}).items() if not n.endswith("_UNSPEC")}
        for n in sorted(set(mine) | set(c)):
            if mine.get(n) != c.get(n):
                yield f"{name}: {n} is {mine.get(n)} in the specification, {c.get(n)} in the header"


def types_differ(spec, header):
    enums = header_enums(header)
    c_enums = {d["name"]: d["enum-name"] for d in spec["definitions"] + spec["attribute-sets"]}
    for s in spec["attribute-sets"]:
        for a in s["attributes"]:
            comment = enums[s["enum-name"]].get(c_name(s["name-prefix"], a["name"]), (0, ""))[1]
            found = TYPE.match(comment)
            if a["type"] != (found[1] if found else "pad"):
                yield f"{a['name']}: {a['type']} in the specification, \"{comment}\" in the header"
            found = re.search(r"enum (uacce_nl_\w+)", comment)
            refers = c_enums.get(a.get("enum") or a.get("nested-attributes"))
            if refers != (found[1] if found else None):
                yield f"{a['name']}: of {refers} in the specification, \"{comment}\" in the header"


def names_differ(spec, header):
    defines = {name: string or number for name, string, number in DEFINE.findall(header)}
    wanted = {c_name(spec["c-family-name"]): spec["name"], c_name(spec["c-version-name"]): str(spec["version"])}
    for group in spec["mcast-groups"]["list"]:
        wanted[c_name(group["c-define-name"])] = group["name"]
    for name in sorted(set(wanted) | set(defines)):
        if wanted.get(name) != defines.get(name):
            yield f"{name} is {wanted.get(name)} in the specification, {defines.get(name)} in the header"


def references_of(op):
    for part in ("do", "dump"):
        for side in ("request", "reply"):
            yield from op.get(part, {}).get(side, {}).get("attributes", [])
    yield from op.get("event", {}).get("attributes", [])


def dangling(spec, _):
    sets = {s["name"]: {a["name"] for a in s["attributes"]} for s in spec["attribute-sets"]}
    enums = {d["name"] for d in spec["definitions"]}
    groups = {g["name"] for g in spec["mcast-groups"]["list"]}
    ops = {op["name"] for op in spec["operations"]["list"]}
    used = {"pad"}
    for s in spec["attribute-sets"]:
        for a in s["attributes"]:
            if a["type"] == "nest" and a["nested-attributes"] not in sets:
                yield f"{a['name']}: no set {a['nested-attributes']}"
            if "enum" in a and a["enum"] not in enums:
                yield f"{a['name']}: no definition {a['enum']}"
    for op in spec["operations"]["list"]:
        names = set(references_of(op))
        used |= names
        for name in names - sets.get(op.get("attribute-set"), set()):
            yield f"{op['name']}: no attribute {name}"
        if op.get("notify", op["name"]) not in ops or op.get("mcgrp", "config") not in groups:
            yield f"{op['name']}: no such operation or group"
        if not op.get("doc"):
            yield f"{op['name']}: not described"
    for name in sets["main"] - used:
        yield f"{name}: in no message"


def unchecked(spec, header):
    """An attribute that isn't in the table may be shorter than what is read from it."""
    with open(POLICY, encoding="utf-8") as file:
        table = dict(re.findall(r"\[(UACCE_A_\w+)\] = (\w+|\{ \.type = NLA_FLAG \}),", file.read()))
    kinds = {"{ .type = NLA_FLAG }": "flag"}
    for members in header_enums(header).values():
        for name, (_, comment) in members.items():
            found = TYPE.match(comment)
            kind = kinds.get(table.get(name), table.get(name, "").lower())
            if name.startswith("UACCE_A_") and found and found[1] != kind:
                yield f"{name}: {found[1]} in the header, {kind or 'missing'} in libwd's table"


CHECKS = [
    ("names and numbers are the header's", numbers_differ),
    ("types are those of the header's comments", types_differ),
    ("the family, its version and its groups are the header's", names_differ),
    ("what the specification refers to is there, and used", dangling),
    ("libwd checks the length of each attribute", unchecked),
]


def main():
    with open(SPEC, encoding="utf-8") as file:
        spec = yaml.safe_load(file)
    with open(HEADER, encoding="utf-8") as file:
        header = file.read()
    failed = 0
    print(f"1..{len(CHECKS)}")
    for nr, (title, check) in enumerate(CHECKS, 1):
        wrong = list(check(spec, header))
        for line in wrong:
            print(f"# {line}")
        print(f"{'not ok' if wrong else 'ok'} {nr} - {title}")
        failed += bool(wrong)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
