# SPDX-License-Identifier: Apache-2.0
"""Records of what a request costs in instructions and in system calls, and whether that has grown."""

import fnmatch
import os
import platform
import shutil
import subprocess

import calls
import count

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Of generation 2 beyond the later ones'.
V2_GROWTH = 1.10


def compiler():
    """The versions that the counts of instructions depend on besides the source."""
    cc = os.environ.get("CC", "cc")
    version = subprocess.run([cc, "-dumpfullversion", "-dumpversion"], capture_output=True, text=True,
                             check=True).stdout
    libc = platform.libc_ver()[1]
    flags = os.environ.get("CFLAGS", "").replace(" ", "")
    return f"{platform.machine()} cc-{version.split()[0]} libc-{libc}" + (f" {flags}" if flags else "")


class Record:
    """A file with one number for each kind of request."""

    HEAD = UNIT = NAME = ""
    GROWTH = 1.0

    def __init__(self, out):
        self.out = out
        self.path = os.path.join(TOP, "benchmarks", self.NAME)
        self.numbers, self.where = {}, None
        with open(self.path, encoding="utf-8") as file:
            for line in file:
                if line.startswith("# recorded with "):
                    self.where = line[len("# recorded with "):].strip()
                elif not line.startswith("#") and line.strip():
                    name, value = line.split()
                    self.numbers[name] = float(value)

    def kinds(self):
        raise NotImplementedError

    def measure(self, kind):
        raise NotImplementedError

    def why_not(self):
        """Why the numbers can't be compared here, or None."""
        return None

    def limit(self, name):
        return self.numbers[name] * self.GROWTH

    def text(self, value):
        return f"{value:.1f}"

    def lines(self):
        return [self.HEAD] + [f"{kind}{self.UNIT} {self.text(self.measure(kind))}" for kind in self.kinds()]

    def write(self):
        lines = self.lines()
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        print("\n".join(lines))

    def names(self, patterns):
        return [name for name in self.numbers if any(fnmatch.fnmatch(name, p) for p in patterns)]

    def check(self, name):
        """Whether it hasn't grown."""
        now = self.measure(name.removesuffix(self.UNIT))
        print(f"# {name} was {self.text(self.numbers[name])}, is {self.text(now)}")
        if now <= self.limit(name):
            return True
        print(f"# More than {self.text(self.limit(name))}. On purpose? "
              "Then 'make bench-record', and commit the record with the reason.")
        return False


class Instructions(Record):
    NAME, UNIT = "instructions.record", ".null.instr"
    HEAD = "# Instructions a request on the null engine, without the device's; make bench-record writes this."
    # Counts repeat within one instruction.
    GROWTH = 1.005

    def kinds(self):
        return count.KINDS

    def measure(self, kind):
        return count.Loop(self.out, kind, addresses=False).instructions

    def why_not(self):
        if not shutil.which("valgrind"):
            return "no valgrind"
        return None if compiler() == self.where else f"recorded with {self.where}, here is {compiler()}"

    def limit(self, name):
        limit = super().limit(name)
        later = self.numbers.get(name.replace(".v2.", ".")) if ".v2." in name else None
        return min(limit, later * V2_GROWTH) if later else limit

    def lines(self):
        first, *rest = super().lines()
        return [first, f"# recorded with {compiler()}", *rest]


class Calls(Record):
    NAME, UNIT = "calls.record", ".calls"
    HEAD = "# System calls for 100,000 requests, sessions or sleeps; make bench-record writes this, and raises none."
    # A thread that loses its CPU between two calls may make one in vain.
    GROWTH = 1.01

    def kinds(self):
        return calls.KINDS

    def measure(self, kind):
        return calls.Calls(self.out, kind).total

    def limit(self, name):
        # On a busy machine another event may end a poll, which is repeated.
        spare = calls.PER if calls.KINDS[name.removesuffix(self.UNIT)].sleeps else 0
        return super().limit(name) + spare

    def text(self, value):
        return f"{value:.0f}"

    def lines(self):
        lines = super().lines()
        for name, was in self.numbers.items():
            lines = [f"{name} {self.text(min(was, float(line.split()[1])))}" if line.startswith(f"{name} ") else line
                     for line in lines]
        return lines


def write(out):
    for record in (Instructions(out), Calls(out)):
        record.write()


def check(out, patterns):
    """TAP: one test for each recorded number whose name matches a pattern."""
    tests = [(record, name) for record in (Instructions(out), Calls(out)) for name in record.names(patterns)]
    print(f"1..{len(tests)}")
    bad = 0
    for number, (record, name) in enumerate(tests, 1):
        rule = f"{number} - {name} has not grown"
        why = record.why_not()
        if why:
            print(f"ok {rule} # SKIP {why}")
            continue
        good = record.check(name)
        bad += not good
        print(f"{'ok' if good else 'not ok'} {rule}", flush=True)
    return 1 if bad else 0
