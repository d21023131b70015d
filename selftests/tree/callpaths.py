#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions that docs/architecture.md names beside a file are defined there, and files that it names call them."""

import os
import re
import sys

TOP = os.environ.get("TOP") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
PAGE = "docs/architecture.md"
FILE = re.compile(r"[\w/-]+\.[ch]\b")
CALL = re.compile(r"\b([A-Za-z_]\w*)\(\)")
ROW = re.compile(r"^\| `([\w/]+\.[ch])` \|([^|]*)\|([^|]*)\|$")
ATTRIBUTE = re.compile(r"__attribute__\(\((?:[^()]|\([^()]*\))*\)\)")
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)


def source(path, cache={}):
    """The text of a file without comments, strings and attributes."""
    if path not in cache:
        with open(os.path.join(TOP, path), encoding="utf-8") as file:
            cache[path] = ATTRIBUTE.sub("", COMMENT.sub(lambda m: "\n" * m[0].count("\n"), file.read()))
    return cache[path]


def defines(text, name):
    """A body of the function, whose head begins at the left margin, or the macro."""
    function = rf"^[A-Za-z_][\w \t*\n]*?\b{name}\([^;{{}}]*\)[^;{{}}()]*\n?\{{"
    return re.search(rf"^[ \t]*#[ \t]*define[ \t]+{name}\b", text, re.M) or re.search(function, text, re.M)


def blocks(page):
    """Lines of the blocks that begin with a path of C files: (number, line), one list for each block."""
    inside, found = False, []
    for nr, line in enumerate(page.splitlines(), 1):
        if line.startswith("```"):
            inside = line != "```"
            if inside:
                found.append([])
        elif inside:
            found[-1].append((nr, line))
    return [b for b in found if any(FILE.match(line.strip()) for _, line in b)]


def of_block(block):
    """(number, file, functions) of the lines. A file without a folder is in the folder of the file before."""
    folder, files = "", []
    for nr, line in block:
        head, _, rest = line.strip().partition("  ")
        named = FILE.findall(head) if FILE.match(head) else []
        if named:
            files = []
            for name in named:
                if "/" in name:
                    folder = os.path.dirname(name)
                files.append(os.path.join(folder, os.path.basename(name)))
        else:
            rest = line
        for file in files if named else []:
            yield nr, file, []
        for name in CALL.findall(rest):
            yield nr, files[-1] if len(files) == 1 else None, [name]
        for name in FILE.findall(rest):
            yield nr, name if "/" in name else os.path.join(folder, name), []


def undefined(nr, file, functions):
    yield from (f"{PAGE}:{nr}: {file} does not define {f}()" for f in functions if not defines(source(file), f))


def wrong_paths(page):
    for block in blocks(page):
        for nr, file, functions in of_block(block):
            if file is None:
                yield f"{PAGE}:{nr}: {functions[0]}() is in no line of one file"
            elif not os.path.exists(os.path.join(TOP, file)):
                yield f"{PAGE}:{nr}: there is no {file}"
            else:
                yield from undefined(nr, file, functions)


def rows(page):
    for nr, line in enumerate(page.splitlines(), 1):
        row = ROW.match(line)
        if row:
            yield nr, "user/" + row[1], CALL.findall(row[2]), FILE.findall(row[3])


def wrong_rows(page):
    """Files of the third column are named with their folders in a block or in a first column."""
    known = {file for block in blocks(page) for _, file, _ in of_block(block) if file}
    known |= {file for _, file, _, _ in rows(page)}
    known = {file for file in known if os.path.exists(os.path.join(TOP, file))}
    for nr, file, functions, callers in rows(page):
        if not os.path.exists(os.path.join(TOP, file)):
            yield f"{PAGE}:{nr}: there is no {file}"
            continue
        yield from undefined(nr, file, functions)
        paths = {c: [k for k in known if os.path.basename(k) == c] for c in callers}
        for caller, found in paths.items():
            if not any(re.search(rf"\b{f}\(", source(k)) for k in found for f in functions):
                yield f"{PAGE}:{nr}: {caller} calls none of {', '.join(functions)}"
        for f in functions:
            if not any(re.search(rf"\b{f}\(", source(k)) for found in paths.values() for k in found):
                yield f"{PAGE}:{nr}: no file that the row names calls {f}()"


def judge(page):
    yield from wrong_paths(page)
    yield from wrong_rows(page)


def counted(page):
    """(functions in blocks, functions in the table): a page that the patterns don't match would pass."""
    return (sum(len(f) for b in blocks(page) for _, _, f in of_block(b)), sum(len(f) for _, _, f, _ in rows(page)))


def refuses(page, before, after):
    """The page with this mistake is refused."""
    if before not in page:
        return [f"the page has no '{before}'"]
    return [] if list(judge(page.replace(before, after, 1))) else [f"'{after}' in place of '{before}' passed"]


def main():
    with open(os.path.join(TOP, PAGE), encoding="utf-8") as file:
        page = file.read()
    paths, table = counted(page)
    results = [
        ("each function of a call path is defined in the file beside it", list(wrong_paths(page))),
        ("each function of the table is defined in the header, and called from the files", list(wrong_rows(page))),
        ("the page names functions", [] if paths > 20 and table > 15 else [f"only {paths}, and {table} in the table"]),
        ("a wrong function is refused", refuses(page, "frame_sync(): ", "frame_sink(): ")),
        ("a wrong file is refused", refuses(page, "/fast.h         fast_do()", "/queue.c        fast_do()")),
        ("a file that is not there is refused", refuses(page, "  doorbell.c  ", "  doorbells.c ")),
        ("a declaration is no definition", refuses(page, "section.c                        uacce_section_settle()",
                                                  "provision.h                      uacce_section_settle()")),
        ("a wrong header is refused", refuses(page, "| `libwd/base/handle.h` |", "| `libwd/base/error.h` |")),
        ("a wrong caller is refused", refuses(page, "`wd_handle_get()` | `driver.h`", "`wd_handle_get()` | `ring.h`")),
    ]
    print(f"1..{len(results)}")
    for nr, (title, wrong) in enumerate(results, 1):
        for line in wrong:
            print(f"# {line}")
        print(f"{'not ok' if wrong else 'ok'} {nr} - {title}")
    return any(wrong for _, wrong in results)


if __name__ == "__main__":
    sys.exit(main())
