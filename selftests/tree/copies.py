#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Outside tests, only the files in copies.txt share a run of lines of one shape, and the list only shrinks."""

import os
import re
import sys

TOP = os.environ.get("TOP") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
LIST = os.path.join(TOP, "selftests/tree/copies.txt")
PLACES = ("include", "kernel", "model", "user", "configfs-tools")
PAIRS = 20	# in the list. Lower it with the list; never raise it
LINES = 208	# of all pairs in the list, likewise
RUN = 8	# lines; shorter ones are idioms
KEYWORDS = frozenset("""auto break case char const continue default do double else enum extern float for goto if inline
int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
bool true false NULL""".split())
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\d\w*|\S')
# The compiler compares a prototype with what it declares, and calls that classes have in common look alike by intent.
PROTOTYPE = re.compile(r"[A-Za-z_][\w\s*]*\(.*\);$")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def shape(line):
    """The line with names, numbers and texts folded; empty for braces, includes, table rows, macros and prototypes."""
    if line.lstrip().startswith("#") or PROTOTYPE.match(line):
        return ""
    words = []
    for token in TOKEN.findall(line):
        if token[0].isalpha() or token[0] == "_":
            words.append(token if token in KEYWORDS else "i")
        elif token[0].isdigit():
            words.append("0")
        elif token[0] in "\"'":
            words.append("s")
        else:
            words.append(token)
    text = " ".join(words)
    return "" if len(words) < 4 or words[0] in "{[." else text


def lines(source):
    """(number, shape) of the lines that count."""
    with open(os.path.join(TOP, source), encoding="utf-8") as file:
        text = COMMENT.sub(lambda m: "\n" * m[0].count("\n"), file.read())
    return [(nr, s) for nr, s in enumerate(map(shape, text.splitlines()), 1) if s]


def pairs(names):
    """{(a, b): (where, lines)}: the files share RUN lines in a row or more; a file may share them with itself."""
    seen, where, shared = {}, {}, {}
    for name in names:
        counted = lines(name)
        for at in range(len(counted) - RUN + 1):
            run = tuple(s for _, s in counted[at:at + RUN])
            # Rows of one table repeat each other.
            if len(set(run)) < RUN - 2:
                continue
            for other, index, nr in seen.get(run, ()):
                if other != name or at - index >= RUN:
                    where.setdefault((other, name), f"{other}:{nr} ~ {name}:{counted[at][0]}")
                    shared.setdefault((other, name), set()).update(range(at, at + RUN))
            seen.setdefault(run, []).append((name, at, counted[at][0]))
    return {pair: (where[pair], len(shared[pair])) for pair in where}


def sources():
    names = []
    for place in PLACES:
        for folder, _, files in os.walk(os.path.join(TOP, place)):
            names += [os.path.relpath(os.path.join(folder, f), TOP) for f in files if f.endswith((".c", ".h"))]
    return sorted(names)


def permitted():
    with open(LIST, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {(a, b): int(count) for a, b, count in rows}


def longer(found, allowed):
    for pair, (where, count) in found.items():
        if pair not in allowed:
            yield f"{where}, {count} lines"
        elif count > allowed[pair]:
            yield f"{where}: {count} lines, copies.txt has {allowed[pair]}"


def shorter(found, allowed):
    for pair, listed in allowed.items():
        count = found[pair][1] if pair in found else 0
        if count < listed:
            yield f"only {count} lines, copies.txt must shrink: {' '.join(pair)} {listed}"


def outdated(allowed):
    if len(allowed) != PAIRS:
        yield f"copies.txt has {len(allowed)} pairs, copies.py says {PAIRS}: it may only become fewer, in both"
    if sum(allowed.values()) != LINES:
        yield f"copies.txt has {sum(allowed.values())} lines, copies.py says {LINES}: only fewer are permitted, in both"


def main():
    found, allowed = pairs(sources()), permitted()
    results = (
        ("no two places share lines of one shape but those permitted", list(longer(found, allowed))),
        ("each permitted pair still shares as many", list(shorter(found, allowed))),
        ("the permitted pairs have not become more", list(outdated(allowed))),
    )
    print(f"1..{len(results)}")
    for nr, (title, wrong) in enumerate(results, 1):
        for line in sorted(wrong):
            print(f"# {line}")
        print(f"{'not ok' if wrong else 'ok'} {nr} - {title}")
    return any(wrong for _, wrong in results)


if __name__ == "__main__":
    sys.exit(main())
