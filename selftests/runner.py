#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs lists of tests natively and in VMs and counts their TAP; started by selftests/run."""

import argparse
import contextlib
import copy
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

from count import SUFFIX, Count, Program
from limits import SLOWEST, Watch, cpu_seconds
from shared import LANES, Shared

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
SIM = "zip,zip"
# scripts/vm: QEMU's emulation failed, so the VM says nothing about the program that ran.
EMULATION = 72
# The variables that a VM has from here.
ENVIRONMENT = ("WD_TEST_LONG", "WD_TEST_SEED", "WD_TEST_UNTIL")
# Seconds for all boots of a kernel, so that a run where everything hangs ends too.
BUDGET = 2500
BUDGET_DEBUG = 3500
# The part of a build folder with all scripts: they build, and install into a folder of the checkout.
SCRIPTS = "scripts"

ENDINGS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SPLAT = re.compile("|".join(open(TOP + "/scripts/kernel-splats").read().splitlines()))
MARK = re.compile(r"selftest: (?:begin (\S+)|end)")
HOST = ("native", *SUFFIX)
SUITES = {"user": "native", "user-asan": "asan", "user-tsan": "tsan", "user-fuzz": "fuzz"}
# What differs most between kernels is tested here.
KERNEL_AREAS = {"uacce", "sim", "provision"}


def lines_of(name):
    """The lines of a file of selftests/, without comments."""
    with open(f"{TOP}/selftests/{name}") as lines:
        return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def logs_of(tier):
    """The folder for logs: make check-rest may run beside make check."""
    return f"{BUILD}/test/rest" if tier == "rest" else f"{BUILD}/test"


class Lists:
    """The programs that this run has, by the builds' lists, and the number of those that it leaves out."""

    def __init__(self, args, count):
        self.args, self.count = args, count
        self.logs = logs_of(args.tier)
        self.areas = set(args.areas)
        self.met = set()        # areas and programs of those lists that were read
        self.left = {}          # suite: programs that are for make check-all only

    def wanted(self, suite, prog, tier):
        if "long" in prog.flags and not os.environ.get("WD_TEST_LONG"):
            return False
        if self.areas:
            return bool(prog.names() & self.areas)
        later = "later" in prog.flags
        if later and tier == "check":
            self.left[suite] = self.left.get(suite, 0) + 1
        return tier == "all" or later == (tier == "rest")

    def read(self, out, kinds, suite, tier=None):
        """The wanted programs of the build folder out, of these kinds; tier: in place of the run's own."""
        programs = []
        for path in sorted(glob.glob(f"{out}/tests/*/list")):
            area = os.path.basename(os.path.dirname(path))
            # The list of a removed folder may still be there.
            if not os.path.isdir(f"{TOP}/selftests/{area}"):
                continue
            for line in open(path):
                if line.startswith("left-out"):
                    if ("vm" in kinds or "native" in kinds) and (not self.areas or area in self.areas):
                        self.met.add(area)
                        self.count.skip(suite, f"tests of {area}", line.split(None, 3)[3].strip())
                    continue
                prog = Program(line)
                if prog.kind in kinds and self.wanted(suite, prog, tier or self.args.tier):
                    self.met |= prog.names()
                    programs.append(prog)
        return programs

    def host(self, out, kinds):
        """All programs of these kinds as one part."""
        suite = SUITES[os.path.basename(out)]
        return Host(out, self.read(out, kinds, suite), kinds[0], self.logs)

    def hosts(self, out):
        """The programs of a build folder in parts that may run side by side."""
        suite = SUITES[os.path.basename(out)]
        parts = {}
        for prog in self.read(out, HOST, suite):
            parts.setdefault(SCRIPTS if "." in os.path.basename(prog.path) else prog.area, []).append(prog)
        return [Host(out, programs, name, self.logs) for name, programs in parts.items()]

    def machine(self, number):
        """
        The programs of a kernel: all on the first of several, and those that show what differs between kernels on the
        last one. Between the oldest and the newest one, and on arm64, a few minutes' choice will do.
        """
        kernel = self.args.vm[number]
        debug, arm64 = kernel == "debug", kernel.endswith("arm64")
        out = f"{BUILD}/user-arm64" if arm64 else f"{BUILD}/user"
        if number == 0 or self.areas:
            programs = self.read(out, ("vm",), f"kernel {kernel}")
            # Tests of user space alone would take the debug kernel an hour; some of them run on one kernel only. Code
            # for another architecture has run nowhere else.
            apart = {"once", "user"} if debug else {"once"} if number and not arm64 else set()
        else:
            # Each of them is brief, so no tier leaves one out.
            programs = self.read(out, ("vm",), f"kernel {kernel}", "all")
            choice = set(lines_of("brief")) | (KERNEL_AREAS if number == len(self.args.vm) - 1 and not arm64 else set())
            programs = [prog for prog in programs if prog.names() & choice]
            apart = {"once", "user"}
        programs = [prog for prog in programs if not prog.flags & apart]
        # The kernel parts' own tests first, the longest tests last.
        order = {"uacce": 0, "hisi_qm": 1, "sim": 2}
        programs.sort(key=lambda prog: ("fail_nth" in prog.path, order.get(prog.area, 3)))
        # An emulated arm64 takes several times as long as amd64.
        slow = debug or arm64 and not os.environ.get("WD_TEST_LONG")
        return Guest(kernel, programs, bool(number or self.args.native or slow), f"{self.logs}/kernel-{kernel}")

    def machines(self, number):
        """A kernel's programs as parts: where the first kernel runs all, one VM would be the last to end."""
        guest = self.machine(number)
        if number or self.areas or self.args.tier == "check" or guest.kernel == "debug":
            return [guest]
        return [guest.half(first) for first in (0, 1)]


def write_list(programs, scale):
    handle, path = tempfile.mkstemp(prefix="list.", dir=f"{BUILD}/test")
    with os.fdopen(handle, "w") as out:
        for prog in programs:
            prog.limit = prog.seconds * scale
            out.write(f"{prog.kind} {prog.area} {prog.limit * SLOWEST} {prog.path}\n")
    return path


RUNNING = set()
ENDED = threading.Event()


@contextlib.contextmanager
def started(command, listing, **options):
    """A child process that ends with this run, because a VM makes all other VMs wait. If the run is killed,
    setpriv makes the kernel send the child a signal."""
    try:
        if ENDED.is_set():
            sys.exit()
        with subprocess.Popen(["setpriv", "--pdeathsig", "TERM"] + command, stdout=subprocess.PIPE, **options) as run:
            RUNNING.add(run)
            try:
                # The signal that ends the run may have come before this child could be ended.
                if ENDED.is_set():
                    sys.exit()
                yield run
            except BaseException:
                run.terminate()
                raise
            finally:
                RUNNING.discard(run)
    finally:
        os.unlink(listing)


def end_run(number, _frame):
    """Ends the children; then the threads that wait for them end. A second signal ends the run at once."""
    for each in ENDINGS:
        signal.signal(each, signal.SIG_DFL)
    ENDED.set()
    for run in list(RUNNING):
        run.terminate()
    sys.exit(128 + number)


def follow(stream, programs, log, done, watch, tap=False):
    """Reads the frames of selftests/exec, passes each ended program on; returns the seconds that all took."""
    by_name = {prog.name: prog for prog in programs}
    current = None
    for raw in stream:
        line = raw.decode(errors="replace").rstrip("\r\n")
        log.write(line + "\n")
        if line.startswith("@begin "):
            current = by_name.get(line[7:])
            if current:
                current.begun = True
                watch.begin(current)
                cpu = cpu_seconds(watch.run.pid)
        elif line.startswith("@end ") and current:
            _, _, code, millis = line.split()
            watch.end()
            current.code, current.took = int(code), int(millis) / 1000
            current.cpu = cpu_seconds(watch.run.pid) - cpu
            done(current)
            current = None
        elif current:
            current.lines.append(line)
            if tap:
                print(line, flush=True)
    if current:
        current.late = watch.ended
    return watch.stop()


class Part:
    """Programs that run one after the other."""

    def __init__(self, suite, programs, log):
        self.suite, self.programs, self.log = suite, programs, log

    def again(self, prog):
        """One of the programs once more, with a log of its own."""
        part = copy.copy(self)
        part.programs, part.log = [prog.anew()], f"{self.log}-again-{os.path.basename(prog.name)}"
        return part


class Host(Part):
    """Programs that run on the host, from one build folder."""

    def __init__(self, out, programs, name, logs):
        suite = SUITES[os.path.basename(out)]
        super().__init__(suite, programs, f"{logs}/{suite}-{name}")
        self.out = out
        # Of all runs, one at a time.
        self.exclusive = name == SCRIPTS and suite == "native"

    def environment(self):
        env = dict(os.environ, OUT=self.out)
        if self.suite == "asan":
            env["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_stack_use_after_return=1"
            env["UBSAN_OPTIONS"] = "print_stacktrace=1"
            env["WD_TEST_BRIEF"] = "1"
        elif self.suite == "tsan":
            env["WD_TEST_BRIEF"] = "1"
            env["TSAN_OPTIONS"] = f"second_deadlock_stack=1 suppressions={TOP}/selftests/tsan.supp"
        return env

    def run(self, done, _count, tap=False):
        """Calls done(suite, program) for each program when it has ended."""
        if not self.programs:
            return
        path = write_list(self.programs, 1 if self.suite == "native" else 3)
        command = [f"{TOP}/selftests/exec", path]
        if self.suite == "tsan":
            # ThreadSanitizer's shadow can't be placed under full address randomisation.
            command = ["setarch", "-R"] + command
        with open(self.log + ".log", "w") as log, \
             started(command, path, env=self.environment()) as run:
            follow(run.stdout, self.programs, log, lambda prog: done(self.suite, prog), Watch(path + ".late", run), tap)
        for prog in self.programs:
            if prog.code is None:
                done(self.suite, prog)


def console_splats(path):
    """(test, excerpt) for each test during which the kernel complained."""
    found, current, excerpt = [], "boot", None
    try:
        lines = open(path, errors="replace").read().splitlines()
    except OSError:
        return found
    for line in lines:
        mark = MARK.search(line)
        if mark:
            current, excerpt = mark.group(1) or "end of the run", None
        elif excerpt is None and SPLAT.search(line):
            excerpt = [line]
            found.append((current, excerpt))
        elif excerpt is not None and len(excerpt) < 60:
            excerpt.append(line)
    return found


class Guest(Part):
    """Programs that run in a VM with one kernel."""

    def __init__(self, kernel, programs, brief, log):
        super().__init__(f"kernel {kernel}", programs, log)
        self.kernel, self.brief = kernel, brief

    def half(self, first):
        """Every second program, beginning with that one: neighbours take similar times."""
        return Guest(self.kernel, self.programs[first::2], self.brief, f"{self.log}-half{first}")

    def command(self, path, name, limit):
        debug = self.kernel == "debug"
        out = f"{BUILD}/user-arm64" if self.kernel.endswith("arm64") else f"{BUILD}/user"
        command = [f"{TOP}/scripts/vm", "--kernel", self.kernel, "--sim", SIM, "--logs", name]
        command += ["--timeout", str(limit * SLOWEST)]
        # A CPU of the VM that waits for another one, which the host doesn't run, spins: on a crowded host that is half
        # of all that a VM does. Only the debug kernel, which finds races, has CPUs that run at the same time.
        command += ["--kmemleak"] if debug else ["--turns"]
        # Tests leave out their longest cases where those run in full elsewhere.
        command += ["--", "env", f"OUT={out}"] + (["WD_TEST_BRIEF=1"] if self.brief else [])
        # The VM has its own environment.
        command += [f"{var}={os.environ[var]}" for var in ENVIRONMENT if var in os.environ]
        return command + [f"{TOP}/selftests/exec", path, SIM]

    def run(self, done, count, tap=False):
        """Calls done(suite, program) for each program when it has ended."""
        slow = self.kernel == "debug" or self.kernel.endswith("arm64")
        budget = BUDGET_DEBUG if slow else BUDGET
        scale = 4 if self.kernel == "debug" else 2 if slow else 1
        rest, boot = self.programs, 0
        while rest:
            boot += 1
            path = write_list(rest, scale)
            name = f"{self.log}-{boot}"
            shutil.rmtree(name, ignore_errors=True)
            limit = max(60, min(120 + sum(prog.limit for prog in rest), int(budget)))
            with open(name + ".log", "w") as log, open(name + ".vm", "w+") as said:
                with started(self.command(path, name, limit), path, stderr=said) as run:
                    watch = Watch(path + ".late", run, limit)
                    budget -= follow(run.stdout, rest, log, lambda prog: done(self.suite, prog), watch, tap)
                said.seek(0)
                words = said.read().splitlines()
            emulation = run.returncode == EMULATION
            self.judge(run.returncode, watch.ended, limit, name, words, count)
            for prog in [prog for prog in rest if prog.begun and prog.code is None]:
                if emulation:
                    print(f"  note  {self.suite}: {prog.name} runs again, because QEMU's emulation failed", flush=True)
                    prog.clear()
                else:
                    done(self.suite, prog)
            later = [prog for prog in rest if not prog.begun]
            if len(later) == len(rest) and not emulation or boot == 5 or budget <= 0:
                for prog in later:
                    done(self.suite, prog)
                break
            rest = later

    def judge(self, code, ended, limit, name, words, count):
        """Counts what went wrong with the VM itself."""
        splats = [] if code == EMULATION else console_splats(name + "/console.log")
        for test, excerpt in splats:
            count.complaint(self.suite, test, excerpt)
        if ended:
            count.fail(self.suite, f"the VM was ended after {limit} s, or for the program that ran")
        elif code and code != EMULATION and not splats:
            count.fail(self.suite, f"the VM failed ({code})", words[-20:])


class Plan:
    """
    Three lanes at once: most programs have one thread, and tests in a VM mostly wait. The first kernel's VM takes
    longest, and the second half of its programs has a lane more; a lane that is free takes the next part of the host's
    programs, then the next kernel. Runs of whole tiers share the lanes of the host, and VMs.
    """

    def __init__(self, args, lists, count):
        self.count = count
        self.tap = args.tap
        self.shared = Shared(None if args.tap or args.areas else f"{BUILD}/test", ENDED)
        # The builds for VMs, and the programs of the host that boot their own.
        build = args.vm and args.vm != ["debug"]
        self.builds = [lists.host(f"{BUILD}/user", ("build",))] if build and not args.tap else []
        self.boots = [lists.host(out, ("boot", "build") if args.tap else ("boot",)) for out in args.boot]
        self.hosts = [host for out in args.native for host in lists.hosts(out)]
        # Scripts are one part, so they begin first; then what may take longest.
        self.hosts.sort(key=lambda host: (not host.exclusive, -sum(prog.seconds for prog in host.programs)))
        machines = [lists.machines(number) for number in range(len(args.vm))]
        self.first = len(machines[0]) if machines else 1
        self.guests = [guest for parts in machines for guest in parts]
        self.parts = self.builds + self.boots + self.hosts + self.guests
        count.total = sum(len(part.programs) for part in self.parts)
        self.built = threading.Event()

    def run(self):
        # The first machine is the first, so that no lane waits for its builds in vain.
        work = [lambda number=number: self.machine(number) for number in range(self.first)]
        work += [lambda host=host: self.host(host) for host in self.hosts]
        work += [lambda number=number: self.machine(number) for number in range(self.first, len(self.guests))]
        with ThreadPoolExecutor(LANES + self.first - 1) as pool:
            running = {pool.submit(lane) for lane in work}
            try:
                while running:
                    # Python handles a signal in the main thread. One that comes just before this thread begins to wait
                    # doesn't interrupt the wait, so that has a limit.
                    ended, running = wait(running, 1, FIRST_EXCEPTION)
                    for lane in ended:
                        # It raises the lane's exception, which ends the run.
                        lane.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def host(self, host):
        if not host.programs:
            return
        with contextlib.ExitStack() as held:
            if host.exclusive:
                held.enter_context(self.shared.only(SCRIPTS))
            held.enter_context(self.shared.lane())
            host.run(self.count.program, self.count, self.tap)

    def machine(self, number):
        guest = self.guests[number] if number < len(self.guests) else None
        if number == 0:
            try:
                for host in self.builds:
                    self.host(host)
            finally:
                self.built.set()
        self.built.wait()
        # What boots a VM of its own, too: its limit is not for waiting.
        with self.shared.machine() if guest else contextlib.nullcontext():
            for host in self.boots if number == 0 else []:
                host.run(self.count.program, self.count, self.tap)
            if guest:
                guest.run(self.count.program, self.count, self.tap)

    def repeat(self):
        """Runs programs that failed once more, alone."""
        for part in self.parts:
            programs = [prog for _, prog in self.count.repeatable() if prog in part.programs]
            if programs:
                print(f"  note  {part.suite}: programs that failed run once more: {len(programs)}", flush=True)
                for prog in programs:
                    part.again(prog).run(self.count.repeated, self.count)


def known_flaky():
    """{program: what selftests/flaky says of it}"""
    return dict(line.split(None, 1) for line in lines_of("flaky"))


def left_out(args, lists):
    """The lines that say what this run has left out, and which command runs it."""
    if args.tier != "check" or args.areas:
        return []
    parts = ", ".join(f"{number} {suite}" for suite, number in lists.left.items())
    lines = [f"left out: programs ({parts}): make check-all"] if parts else []
    return lines + ["left out: other kernels, arm64: make check-all; the debug kernel: make check-debug"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--native", action="append", default=[], help="a build folder")
    parser.add_argument("--boot", action="append", default=[], help="a build folder with programs that boot VMs")
    parser.add_argument("--vm", action="append", default=[], help="a kernel")
    parser.add_argument("--failed", action="append", default=[], help="what has failed before this run")
    parser.add_argument("--tier", choices=("check", "rest", "all"), default="all")
    parser.add_argument("--tap", action="store_true", help="print what the programs print, and no numbers")
    parser.add_argument("areas", nargs="*")
    args = parser.parse_args()
    os.makedirs(logs_of(args.tier), exist_ok=True)
    for each in ENDINGS:
        # nohup and the like ignore a signal on purpose.
        if signal.getsignal(each) != signal.SIG_IGN:
            signal.signal(each, end_run)
    count = Count(BUILD, quiet=args.tap)
    for what in args.failed:
        count.fail("build", what)
    lists = Lists(args, count)
    plan = Plan(args, lists, count)
    plan.run()
    if args.tap:
        for line in count.failed:
            print(f"# {line}", file=sys.stderr)
        return bool(count.failed or not count.done)
    plan.repeat()
    count.print_flaky(known_flaky())
    for area in args.areas:
        if area not in lists.met:
            count.fail("run", f"no test is called {area} here: expected a folder of selftests/, or FOLDER/PROGRAM")
    return count.close(left_out(args, lists))


if __name__ == "__main__":
    sys.exit(main())
