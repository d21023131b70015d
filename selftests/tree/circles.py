#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files call downwards as orders.txt says; only those in circles.txt need each other, and that list only shrinks."""

import glob
import os
import re
import subprocess
import sys

TOP = os.path.realpath(os.environ.get("TOP") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
BUILD = os.environ.get("BUILD") or os.path.join(TOP, "build")
OUT = os.environ.get("OUT") or os.path.join(BUILD, "user")
LIST = os.path.join(TOP, "selftests/tree/circles.txt")
ORDERS = os.path.join(TOP, "selftests/tree/orders.txt")
FILES = 23	# in the list of circles. Lower it with the list; never raise it
# What the Makefiles of libraries, modules of libcrypto, programs and zlib say: "artefact source...", one a line.
ASK = """asked: ; @printf '%s\\n' $(foreach n,$(LIB) $(MODULE) $(NAME),'$(n) $(foreach s,$(SRCS),$(abspath $(s)))') \
$(foreach p,$(PROGS),'$(p) $(foreach s,$(or $($(p)_SRCS),$(p).c),$(abspath $(s)))')"""
# Folders of USER_DIRS that link no artefact.
NOTHING = ("docs/man", "docs/examples")


class Wrong(Exception):
    """A rule can't be checked, so it doesn't hold."""


class Skip(Exception):
    """This machine or this build doesn't have what would be checked."""


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
        what = ", smaller than the list says: circles.txt must shrink" if smaller else " that is not permitted"
        yield f"a circle of {len(c)}{what}"
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


def make(folder, rule):
    """The words of the lines that a rule of our own prints in a folder's Makefile."""
    ours = ("LIB", "MODULE", "NAME", "PROGS", "SRCS", "MAKEFLAGS", "TOP", "OUT")
    env = {k: v for k, v in os.environ.items() if k not in ours}
    command = ["make", "-s", "--no-print-directory", "-C", os.path.join(TOP, folder), f"--eval={rule}", "asked"]
    lines = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split() for line in lines if line.strip()]


def user_artefacts():
    """{artefact: its sources} of all folders that the top Makefile builds."""
    found = {}
    for folder in sum(make("", "asked: ; @printf '%s\\n' $(USER_DIRS)"), []):
        said = make(folder, ASK)
        if not said and folder not in NOTHING:
            raise Wrong(f"{folder}/Makefile names no artefact")
        for name, *sources in said:
            found[name] = [os.path.relpath(source, TOP) for source in sources]
    if not found:
        raise Wrong("the top Makefile names no artefact")
    return found


def user_objects(name, sources):
    """{source: object} of an artefact."""
    reason = os.path.join(OUT, "left-out", name.split("/")[0])
    if os.path.exists(reason):
        with open(reason, encoding="utf-8") as file:
            raise Skip(f"left out: {file.read().strip()}")
    objects = {source: os.path.join(OUT, "obj", name, source + ".o") for source in sources}
    missing = [source for source, path in objects.items() if not os.path.exists(path)]
    if missing or not objects:
        raise Wrong(f"no object of {' '.join(missing) or 'any source'}: run 'make user'")
    return objects


def kernel_artefacts():
    """The modules' names."""
    names = []
    for path in sorted(glob.glob(os.path.join(TOP, "kernel/*/Kbuild"))):
        with open(path, encoding="utf-8") as file:
            for line in re.findall(r"^obj-m\s*[:+]?=\s*(.*)", file.read(), re.M):
                names += [word[:-2] for word in line.split() if word.endswith(".o")]
    if not names:
        raise Wrong("no kernel/*/Kbuild names a module")
    return names


def kernel_objects(release, name):
    """{source: object} of a module."""
    root = os.path.join(BUILD, "kmod", release)
    mods = glob.glob(os.path.join(root, "kernel/*", name + ".mod"))
    if not mods:
        raise Wrong(f"{name} was not built, other modules were: run 'make modules'")
    objects = {}
    with open(mods[0], encoding="utf-8") as file:
        for word in file.read().split():
            path = os.path.normpath(os.path.join(root, word))
            source = os.path.relpath(path, root)[:-2] + ".c"
            origin = os.path.join(TOP, source)
            there = os.path.exists(origin) and os.path.exists(path)
            if not there or os.path.getmtime(origin) > os.path.getmtime(path):
                raise Skip("older than its sources")
            objects[source] = path
    if not objects:
        raise Wrong(f"{mods[0]} names no object")
    return objects


def orders():
    """{artefact: [(layer, entries)], lowest first} of orders.txt, whose head describes its lines."""
    shared, found, layers, folder = {}, {}, None, ""
    with open(ORDERS, encoding="utf-8") as file:
        for line in file:
            line = line.split("#")[0].rstrip()
            if not line:
                continue
            words = line.split()
            if not line[0].isspace():
                kind, *names, folder = words
                layers = []
                for name in names:
                    table = shared if kind == "shared" else found
                    if kind not in ("shared", "order") or name in table:
                        raise Wrong(f"orders.txt: {line}: a second order, or neither 'shared' nor 'order'")
                    table[name] = layers
            elif words[0] == "shared":
                if words[1] not in shared:
                    raise Wrong(f"orders.txt: no shared layers {words[1]} before their use")
                layers += shared[words[1]]
            elif words[0].endswith(":"):
                layers.append((words[0][:-1], sum((entry(folder, word) for word in words[1:]), [])))
            else:
                layers[-1][1].extend(sum((entry(folder, word) for word in words), []))
    return found


def entry(folder, word):
    """Files of a pattern, or a folder with a slash at its end, relative to the order's folder or to the top."""
    for path in (os.path.join(folder, word), word):
        paths = sorted(glob.glob(os.path.join(TOP, path)))
        if paths:
            return [os.path.relpath(p, TOP) + ("/" if word.endswith("/") else "") for p in paths]
    raise Wrong(f"orders.txt: there is no {word} in {folder} or at the top")


def height(source, layers):
    """The layer of a file: its own, that of the source beside a header, or that of its folder; or None."""
    for name in (source, re.sub(r"\.h$", ".c", source), os.path.dirname(source) + "/"):
        for at, (_, entries) in enumerate(layers):
            if name in entries:
                return at
    return None


def included(source):
    with open(os.path.join(TOP, source), encoding="utf-8") as file:
        return re.findall(r'^\s*#\s*include\s*"([^"]+)"', file.read(), re.M)


def upward(layers, graph):
    """Files in no layer, calls into higher layers, and includes of their headers."""
    heights = {source: height(source, layers) for source in graph}
    yield from (f"{source} is in no layer of orders.txt" for source in sorted(graph) if heights[source] is None)
    for source in sorted(graph):
        for to in sorted(graph[source]):
            if None not in (heights[source], heights[to]) and heights[source] < heights[to]:
                here, there = layers[heights[source]][0], layers[heights[to]][0]
                yield f"{source} ({here}) -> {to} ({there}): {', '.join(sorted(graph[source][to]))}"
    folders = sorted({os.path.dirname(source) for source in graph})
    roots = sorted({os.path.dirname(folder) for folder in folders} | set(folders))
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(TOP, folder, "*.[ch]"))):
            source = os.path.relpath(path, TOP)
            here = height(source, layers)
            if here is None or source.endswith(".c") and source not in graph:
                continue
            for name in included(source):
                header = next((h for h in (os.path.normpath(os.path.join(root, name)) for root in [folder, *roots])
                               if os.path.exists(os.path.join(TOP, h))), None)
                there = height(header, layers) if header else None
                if there is not None and here < there:
                    yield f"{source} ({layers[here][0]}) includes {header} ({layers[there][0]})"


def no_soft(tables):
    for name, table in tables.items():
        for source, (_, undefined) in table.items():
            if source.startswith("user/drivers/hisi/"):
                for symbol in sorted(s for s in undefined if s.startswith("soft_")):
                    yield f"{name}: {source} needs {symbol}"


class Results:
    """Numbered lines of TAP."""

    def __init__(self):
        self.count, self.failed = 0, False

    def add(self, title, wrong, skip=""):
        self.count += 1
        self.failed |= bool(wrong)
        for line in wrong:
            print(f"# {line}")
        print(f"{'not ok' if wrong else 'ok'} {self.count} - {title}{' # SKIP ' + skip if skip else ''}")

    def attempt(self, title, function):
        """What the function returns; None, and a line, if it can't."""
        try:
            return function()
        except Wrong as e:
            self.add(title, [str(e)])
        except Skip as e:
            self.add(title, [], str(e))
        return None

    def artefact(self, name, title, objects, layers, allowed):
        """The lines of one artefact; its symbols."""
        objects = self.attempt(f"{title} is built", objects)
        if objects is None:
            return {}
        table = symbols(objects)
        graph = edges(table)
        self.add(f"{title} has no circles but those permitted", list(judge(graph, allowed)))
        wrong = [f"orders.txt has no order for {name}"] if layers is None else list(upward(layers, graph))
        self.add(f"{title}'s files call and include downwards", wrong)
        return table


def main():
    allowed, tables, results = permitted(), {}, Results()
    results.add("the permitted circles have not become more", list(outdated(allowed)))
    stated = results.attempt("orders.txt is right", orders) or {}
    user = results.attempt("Makefiles name their artefacts", user_artefacts) or {}
    kernel = results.attempt("kernel/ names its modules", kernel_artefacts) or []
    names = [*user, *kernel]
    strange, without = [name for name in stated if name not in names], [name for name in names if name not in stated]
    results.add("each order is one of an artefact", [f"no such artefact: {name}" for name in strange])
    results.add("each artefact has an order", [f"orders.txt has no order for {name}" for name in without])
    for name, sources in user.items():
        tables[name] = results.artefact(name, name, lambda: user_objects(name, sources), stated.get(name), allowed)
    results.add("no driver of hardware needs one of software", list(no_soft(tables)))
    # The last file of a build: another run may be in the middle of one.
    built = glob.glob(os.path.join(BUILD, "kmod/*/Module.symvers"))
    releases = sorted(os.path.basename(os.path.dirname(path)) for path in built)
    for release in releases:
        for name in kernel:
            title = f"{name}.ko of {release}"
            results.artefact(name, title, lambda: kernel_objects(release, name), stated.get(name), allowed)
    if not releases:
        results.add("modules have no circles but those permitted", [], "not built: make modules")
    print(f"1..{results.count}")
    return results.failed


if __name__ == "__main__":
    sys.exit(main())
