# SPDX-License-Identifier: Apache-2.0
"""Groups of rows, how each is run, and the table."""

import csv
import fnmatch
import os
import platform
import shutil
import signal
import subprocess
import sys

import count

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("BUILD") or os.path.join(TOP, "build")
OUT = os.path.join(BUILD, "user")
RECORD = os.path.join(TOP, "benchmarks", "instructions.record")
KINDS = ("sync", "async", "burst")
GROWTH = 1.05

# Group of wd-bench, the devices it wants, and what its rows are called.
GROUPS = (
    ("null", ["--null"], ("sync.null.ns", "async.null.ns", "burst.null.ns")),
)

# What the library has to reach, for who reads the table.
TARGETS = {
    "sync.null.instr": "<= 350", "sync.null.locked": "<= 3", "sync.null.ns": "<= 40",
    "async.null.instr": "<= 300", "async.null.ns": "<= 35", "burst.null.ns": "<= 15",
}


class Row:
    def __init__(self, name, value, unit, floor="-", ratio="-"):
        self.name, self.value, self.unit, self.floor, self.ratio = name, value, unit, floor, ratio
        self.target = next((t for p, t in TARGETS.items() if fnmatch.fnmatchcase(name, p)), "-")

    def cells(self):
        return [self.name, self.value, self.unit, self.floor, self.ratio, self.target]


def machine():
    model = "unknown"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith(("model name", "CPU part")):
                model = line.split(":", 1)[1].strip()
                break
    governor = "none"
    try:
        with open("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") as file:
            governor = file.read().strip()
    except OSError:
        pass
    return (f"cpu {model}; cpus allowed {len(os.sched_getaffinity(0))}; kernel {platform.release()}; "
            f"governor {governor}; load {os.getloadavg()[0]:.1f}")


def wanted(patterns, names):
    return not patterns or any(fnmatch.fnmatchcase(n, p) or fnmatch.fnmatchcase(p, n) for n in names for p in patterns)


def group_rows(name, devices):
    """One run of wd-bench; its rows as they come."""
    command = [f"{OUT}/bench/wd-bench", name]
    if devices is not None:
        command = [f"{OUT}/bin/wd-emulate", *devices, "--", *command]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("row "):
                yield Row(*line.split()[1:])
            else:
                print(line, end="")
    if process.returncode:
        raise SystemExit(f"bench: {name} failed with {process.returncode}")


def count_rows(patterns):
    names = [f"{kind}.null.{what}" for kind in KINDS for what in ("instr", "locked")]
    if not wanted(patterns, names):
        return
    if not shutil.which("valgrind"):
        print("bench: no valgrind: instructions aren't counted", file=sys.stderr)
        return
    for kind in KINDS:
        if not wanted(patterns, [f"{kind}.null.instr", f"{kind}.null.locked"]):
            continue
        loop = count.Loop(OUT, kind)
        yield Row(f"{kind}.null.instr", f"{loop.instructions:.1f}", "instructions")
        yield Row(f"{kind}.null.locked", f"{loop.locked:.2f}", "instructions")
        if os.environ.get("SHARES"):
            for cost, function, obj in loop.shares[:25]:
                print(f"    {cost:8.2f}  {function}  {obj}")


def show(rows):
    for row in rows:
        print("{:<34}{:>12}  {:<14}{:>12}{:>9}   {}".format(*row.cells()), flush=True)
        yield row


def bench(patterns):
    rows = []
    print(machine())
    print("{:<34}{:>12}  {:<14}{:>12}{:>9}   {}".format("row", "value", "unit", "floor", "ratio", "target"))
    for name, devices, names in GROUPS:
        if wanted(patterns, names):
            rows += [r for r in show(r for r in group_rows(name, devices) if wanted(patterns, [r.name]))]
    rows += list(show(r for r in count_rows(patterns) if wanted(patterns, [r.name])))
    with open(os.path.join(BUILD, "bench.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["# " + machine()])
        writer.writerow(["row", "value", "unit", "floor", "ratio", "target"])
        writer.writerows(r.cells() for r in rows)
    if not rows:
        raise SystemExit("bench: no row is called " + " ".join(patterns))


def main(args):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        bench(args)
    except KeyboardInterrupt:
        return 130
    return 0
