#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Only files in circles.txt may need each other in a circle, and the list only shrinks; folders have a direction."""

import glob
import os
import re
import subprocess
import sys

TOP = os.environ.get("TOP") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
BUILD = os.environ.get("BUILD") or os.path.join(TOP, "build")
OUT = os.environ.get("OUT") or os.path.join(BUILD, "user")
# The folders of a library, lowest first: calls and includes go down.
ORDERS = {"libwd": ("user/libwd/base", "user/libwd/device", "user/libwd/section", "user/libwd/request")}
LIST = os.path.join(TOP, "selftests/tree/circles.txt")
FILES = 27	# in the list. Lower it with the list; never raise it


def symbols(objects):
    """{source: (defined, undefined)} of {source: object}."""
    table = {source: (set(), set()) for source in objects}
    sources = {path: source for source, path in objects.items()}
    lines = subprocess.run(["nm", "-A", "-P", *sources], capture_output=True, text=True, check=True).stdout.splitlines()
    for line in lines:
        path, symbol = line.split(": ", 1)
        name, kind = symbol.split()[:2]
        if kind.isupper():
            table[sources[path]][kind == "U"].add(name)
    return table


def edges(table):
    """{source: {source that it needs: symbols}}"""
    owner = {name: source for source, (defined, _) in table.items() for name in defined}
    graph = {source: {} for source in table}
    for source, (_, undefined) in table.items():
        for name in undefined:
            if owner.get(name, source) != source:
                graph[source].setdefault(owner[name], []).append(name)
    return graph


def reach(graph, start):
    seen, todo = set(), [start]
    while todo:
        for to in graph[todo.pop()]:
            if to not in seen:
                seen.add(to)
                todo.append(to)
    return seen


def circles(graph):
    reached = {source: reach(graph, source) for source in graph}
    return {frozenset(b for b in reached[a] if a in reached[b]) for a in graph if a in reached[a]}


def permitted():
    """The permitted circles: each begins with a line, and its files follow, indented."""
    found = []
    with open(LIST, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#") and line.strip():
                if line[0] != "\t":
                    found.append(set())
                else:
                    found[-1].add(line.strip())
    return [frozenset(c) for c in found]


def judge(graph, allowed):
    """The mistakes of an artefact. With only some files of a permitted circle, any part of the circle is permitted."""
    found, files = circles(graph), set(graph)
    for c in found:
        if c in allowed or any(c <= a and not a <= files for a in allowed):
            continue
        smaller = any(c < a for a in allowed)
        yield f"a circle of {len(c)}, smaller than the list says: circles.txt must shrink" if smaller else f"a circle of {len(c)} that is not permitted"
        for a in sorted(c):
            for b in sorted(set(graph[a]) & c):
                yield f"    {a} -> {b}: {', '.join(sorted(graph[a][b]))}"
    for a in allowed:
        if a <= files and not any(c & a for c in found):
            yield f"no circle any more, circles.txt must shrink: {' '.join(sorted(a))}"


def outdated(allowed):
    """What is wrong with the list itself: a file that is gone hides its circle, and an addition is one more file."""
    files = [source for c in allowed for source in sorted(c)]
    for source in files:
        if not os.path.exists(os.path.join(TOP, source)):
            yield f"no such file, circles.txt must shrink: {source}"
    if len(files) != FILES:
        yield f"circles.txt has {len(files)} files, circles.py says {FILES}: it may only become fewer, in both"


def user_objects(folder):
    objects = {}
    for part in ("user", "configfs-tools", "model"):
        for path in glob.glob(os.path.join(folder, part, "**/*.c.o"), recursive=True):
            source = os.path.relpath(path, folder)[:-2]
            # A moved file may have left its object behind.
            if os.path.exists(os.path.join(TOP, source)):
                objects[source] = path
    return objects


def kernel_objects(mod):
    """The objects of a module; None if it is older than its sources."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(mod)))
    objects = {}
    with open(mod, encoding="utf-8") as file:
        for word in file.read().split():
            path = os.path.normpath(os.path.join(root, word))
            source = os.path.relpath(path, root)[:-2] + ".c"
            origin = os.path.join(TOP, source)
            if not os.path.exists(origin) or not os.path.exists(path) or os.path.getmtime(origin) > os.path.getmtime(path):
                return None
            objects[source] = path
    return objects


def height(source, order):
    """The height of the source's folder; None if the folder isn't in the order."""
    folder = os.path.dirname(source)
    return order.index(folder) if folder in order else None


def included(source):
    with open(os.path.join(TOP, source), encoding="utf-8") as file:
        return re.findall(r'^\s*#\s*include\s*"([^"]+)"', file.read(), re.M)


def upward(order, graph):
    """Calls into higher folders, and includes of their headers."""
    for source in sorted(graph):
        for to in sorted(graph[source]):
            here, there = height(source, order), height(to, order)
            if here is not None and there is not None and here < there:
                yield f"{source} -> {to}: {', '.join(sorted(graph[source][to]))}"
    root = os.path.dirname(order[0])
    for here, folder in enumerate(order):
        for path in sorted(glob.glob(os.path.join(TOP, folder, "*.[ch]"))):
            source = os.path.relpath(path, TOP)
            for header in included(source):
                there = height(os.path.join(root, header), order)
                if there is not None and here < there:
                    yield f"{source} includes {header}"


def no_soft(tables):
    for name, table in tables.items():
        for source, (_, undefined) in table.items():
            if source.startswith("user/drivers/hisi/"):
                for symbol in sorted(s for s in undefined if s.startswith("soft_")):
                    yield f"{name}: {source} needs {symbol}"


def main():
    allowed, tables, results = permitted(), {}, []
    results.append(("the permitted circles have not become more", list(outdated(allowed)), ""))
    for folder in sorted(glob.glob(os.path.join(OUT, "obj/*"))):
        objects = user_objects(folder)
        if objects:
            name = os.path.basename(folder)
            tables[name] = symbols(objects)
            results.append((f"{name} has no circles but those permitted", list(judge(edges(tables[name]), allowed)), ""))
    for name, order in ORDERS.items():
        if name in tables:
            results.append((f"{name}'s folders call and include downwards", list(upward(order, edges(tables[name]))), ""))
    results.append(("no driver of hardware needs one of software", list(no_soft(tables)), ""))
    mods = sorted(glob.glob(os.path.join(BUILD, "kmod/*/kernel/*/*.mod")))
    for mod in mods:
        objects = kernel_objects(mod)
        title = f"{os.path.basename(mod)[:-4]}.ko of {mod.split('/kmod/')[1].split('/')[0]} has no circles but those permitted"
        wrong = [] if objects is None else list(judge(edges(symbols(objects)), allowed))
        results.append((title, wrong, "older than its sources" if objects is None else ""))
    if not mods:
        results.append(("modules have no circles but those permitted", [], "not built: make modules"))
    print(f"1..{len(results)}")
    for nr, (title, wrong, skip) in enumerate(results, 1):
        for line in wrong:
            print(f"# {line}")
        print(f"{'not ok' if wrong else 'ok'} {nr} - {title}{' # SKIP ' + skip if skip else ''}")
    return any(wrong for _, wrong, _ in results)


if __name__ == "__main__":
    sys.exit(main())
