#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Extracts the fenced blocks of a guide.

    blocks.py check FILE            are all blocks marked, and is the syntax of every command valid?
    blocks.py script KINDS FILE     a bash script that runs the blocks of these kinds in order

After "sh", a block of commands names the place where it runs: "host", "boot" (on the host; it boots a VM), "vm" (as
root, with the modules and simulated devices), "machine" (the same where systemd runs), "docker" (there, with Docker of
Debian 13 and an image), or "syntax: REASON", which is not run. A block of C names its file, "file=NAME": a reader of
the guide saves it under that name, and so does the script.
"""

import re
import subprocess
import sys

KINDS = ("host", "boot", "vm", "machine", "docker")
# At most this many blocks of one guide may stay untried.
UNTRIED_MAX = 3
UNMARKED = ("bash", "shell", "console", "zsh", "C", "")


class Block:
    def __init__(self, line, info):
        self.line, self.text = line, ""
        self.lang, _, self.mark = info.partition(" ")
        self.mark = self.mark.strip()

    def problem(self):
        """The mistake in the mark, or None."""
        if self.lang == "sh":
            if self.mark in KINDS or re.match(r"syntax: \S", self.mark):
                return None
            return "sh without host, boot, vm, machine, docker or 'syntax: REASON'"
        if self.lang == "c":
            return None if re.match(r"file=[\w.-]+$", self.mark) else "c without file=NAME"
        return f"'{self.lang}': expected sh, c or text" if self.lang in UNMARKED else None

    def file_name(self):
        return self.mark[len("file="):] if self.lang == "c" else None


def blocks(path):
    """The blocks of a file. A block in a list's item is indented, including its end."""
    found, current, indent = [], None, ""
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        fence = re.match(r"(\s*)```(.*)$", line)
        if fence and current is None:
            indent, current = fence.group(1), Block(number, fence.group(2).strip())
        elif fence:
            found.append(current)
            current = None
        elif current is not None:
            current.text += line[len(indent):] if line.startswith(indent) else line
    if current is not None:
        sys.exit(f"{path}:{current.line}: the block has no end")
    return found


def check(path):
    wrong = 0
    for block in blocks(path):
        problem = block.problem()
        if not problem and block.lang == "sh":
            run = subprocess.run(["bash", "-n"], input=block.text, capture_output=True, text=True, check=False)
            problem = run.stderr.strip() or None
        if problem:
            print(f"{path}:{block.line}: {problem}")
            wrong += 1
    untried = [block for block in blocks(path) if block.mark.startswith("syntax:")]
    if len(untried) > UNTRIED_MAX:
        print(f"{path}: {len(untried)} blocks are not run, expected {UNTRIED_MAX} at most")
        wrong += 1
    return wrong


def script(kinds, path):
    # A guide's programs compile without warnings.
    print("set -eo pipefail\ncc() { command cc -Wall -Wextra -Werror \"$@\"; }")
    for block in blocks(path):
        if block.file_name():
            print(f"cat >{block.file_name()} <<'END-OF-BLOCK'\n{block.text}END-OF-BLOCK")
        elif block.lang == "sh" and block.mark in kinds:
            print(f"echo '== {path}:{block.line}'\n{block.text}")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "check":
        return 1 if check(sys.argv[2]) else 0
    if len(sys.argv) == 4 and sys.argv[1] == "script":
        script(sys.argv[2].split(","), sys.argv[3])
        return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
