#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs lists of tests natively and in VMs and counts their TAP; started by selftests/run."""

import argparse
import contextlib
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
SIM = "zip,zip"
SKIP = 4
TIMEOUT = 124
# scripts/vm: QEMU's emulation failed, so the VM says nothing about the program that ran.
EMULATION = 72
# Seconds for all boots of a kernel, so that a run where everything hangs ends too.
BUDGET = 2500
BUDGET_DEBUG = 3500
# At most this many seconds pass for one second of a limit.
SLOWEST = 20
# Of the time between two looks at the machine, at most this many seconds count.
LOOK_MAX = 1
# Seconds that a late program gets to end after it was told to; then its VM is ended.
GRACE = 60

# What a program's name ends with, by its kind.
SUFFIX = {"emulated": "+emulated", "emulated-v2": "+v2", "emulated-mixed": "+mixed"}

ENDINGS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
SPLAT = re.compile("|".join(open(TOP + "/scripts/kernel-splats").read().splitlines()))
MARK = re.compile(r"selftest: (?:begin (\S+)|end)")
RESULT = re.compile(r"^(ok|not ok)\b\s*(\d*)\s*-?\s*(.*)$")
SKIPPED = re.compile(r"#\s*SKIP\b:?\s*(.*)$", re.I)


class Machine:
    """The machine's load since its start, from /proc/stat."""

    def __init__(self, text):
        lines = text.splitlines()
        ticks = [int(word) for word in lines[0].split()[1:9]]
        self.ticks, self.stolen = sum(ticks), ticks[7]
        self.cpus = sum(bool(re.match(r"cpu\d", line)) for line in lines)
        self.running = int(re.search(r"^procs_running (\d+)", text, re.M).group(1))

    def share(self, before):
        """The share of a CPU that a running thread got since then: less than 1 if more threads than CPUs run."""
        # The thread that reads /proc/stat runs as well.
        share = min(1, self.cpus / max(1, self.running - 1))
        ticks = self.ticks - before.ticks
        stolen = (self.stolen - before.stolen) / ticks if ticks > 0 else 0
        return max(1 / SLOWEST, share * (1 - stolen))


class Clock:
    """Seconds for limits. A limit is for hangs only: while others use the CPUs as well, its seconds are longer."""

    def __init__(self):
        self.seconds = 0
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        before, then = self._look()
        while True:
            time.sleep(0.5)
            machine, now = self._look()
            # If this thread was late, the whole machine may have stalled.
            self.seconds += min(now - then, LOOK_MAX) * machine.share(before)
            before, then = machine, now

    @staticmethod
    def _look():
        with open("/proc/stat") as stat:
            return Machine(stat.read()), time.monotonic()


CLOCK = Clock()


class Watch:
    """Makes selftests/exec end a late program; ends the whole run if that doesn't help or the whole run is late."""

    def __init__(self, path, run, whole=None):
        self.path, self.run, self.whole = path, run, whole
        self.start = self.begun = self.prog = None
        self.ended = False
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def begin(self, prog):
        self.begun = CLOCK.seconds
        self.start = self.begun if self.start is None else self.start
        self.prog = prog

    def end(self):
        self.prog = None

    def stop(self):
        """Returns the seconds since the first program began: waiting for another VM doesn't count."""
        self.over.set()
        self.thread.join()
        if os.path.exists(self.path):
            os.unlink(self.path)
        return CLOCK.seconds - self.start if self.start is not None else 0

    def _watch(self):
        told = None
        while not self.over.wait(0.5):
            prog, now = self.prog, CLOCK.seconds
            if prog and now > self.begun + prog.limit and told is not prog:
                told = prog
                with open(self.path, "w") as late:
                    late.write(prog.name + "\n")
            if self.whole and self.start is not None and not self.ended and \
               (now > self.start + self.whole or (prog and now > self.begun + prog.limit + GRACE)):
                self.ended = True
                self.run.terminate()


class Program:
    """One program of a list, with its limit before the run and its result after it."""

    def __init__(self, line):
        self.kind, self.area, limit, self.path = line.strip().split(None, 3)
        self.limit = int(limit)
        # A program may run without an emulated device, and on those of each generation.
        self.name = f"{self.area}/{os.path.basename(self.path)}" + SUFFIX.get(self.kind, "")
        self.lines = []
        self.code = None
        self.millis = 0
        self.begun = False
        self.late = False

    def names(self):
        """The names that select it on the command line."""
        return {self.area, f"{self.area}/{os.path.basename(self.path)}"}


# What differs most between kernels is tested here.
KERNEL_AREAS = {"uacce", "sim", "provision"}


class Count:
    """The numbers of the last line, and the failures and skips before it."""

    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []
        self.met = set()        # areas and programs of those lists that were read
        self.lock = threading.RLock()

    def fail(self, suite, what, detail=()):
        with self.lock:
            self.failed.append(f"{suite}: {what}")
            print(f"  FAIL  {suite}: {what}")
            for line in detail:
                print(f"        | {line}")

    def skip(self, suite, what, reason):
        with self.lock:
            self.skipped.append(f"{suite}: {what}: {reason or 'no reason given'}")

    def program(self, suite, prog):
        """Counts one program's TAP; a program that says nothing is one test by its exit code."""
        with self.lock:
            self.read(suite, prog)

    def read(self, suite, prog):
        before = self.passed, len(self.failed), len(self.skipped)
        plan, seen, since, running = None, 0, [], ""
        for line in prog.lines:
            started = re.match(r"#\s+RUN\s+(\S+)", line)
            if started:
                running = started.group(1)
            planned = re.match(r"^1\.\.(\d+)(?:\s*#\s*SKIP\b:?\s*(.*))?", line, re.I)
            result = RESULT.match(line)
            if planned and plan is None:
                plan = int(planned.group(1))
                if plan == 0:
                    self.skip(suite, prog.name, planned.group(2))
                continue
            if not result:
                since.append(line)
                continue
            seen += 1
            skipped = SKIPPED.search(result.group(3))
            title = result.group(3).split("#")[0].strip() or running or f"test {result.group(2)}"
            if skipped:
                self.skip(suite, f"{prog.name}: {title}", skipped.group(1))
            elif result.group(1) == "ok":
                self.passed += 1
            else:
                self.fail(suite, f"{prog.name}: {title}", since[-40:])
            since = []
        self.ending(suite, prog, plan, seen, since, len(self.failed) > before[1])
        counted = [now - then for now, then in zip((self.passed, len(self.failed), len(self.skipped)), before)]
        word = "ok" if not counted[1] else "FAIL"
        print(f"  {word:5} {suite}: {prog.name}: {counted[0]} passed, {counted[1]} failed, {counted[2]} skipped"
              f" ({prog.millis / 1000:.1f} s)", flush=True)

    def ending(self, suite, prog, plan, seen, since, failed):
        if prog.code is None:
            what = "not run: the run ended before" if not prog.begun else \
                f"still running after {prog.limit} s" if prog.late else "the run ended while it ran"
            self.fail(suite, f"{prog.name}: {what}", since[-40:])
        elif prog.code == TIMEOUT:
            self.fail(suite, f"{prog.name}: still running after {prog.limit} s", since[-40:])
        elif prog.code == SKIP and not seen:
            if plan != 0:
                reason = [line.lstrip("# ") for line in since if line.strip()]
                self.skip(suite, prog.name, reason[-1] if reason else "")
        elif prog.code not in (0, SKIP) and not failed:
            self.fail(suite, f"{prog.name}: exit status {prog.code}", since[-40:])
        elif plan is not None and seen < plan:
            self.fail(suite, f"{prog.name}: planned {plan} tests, ran {seen}", since[-40:])
        elif not seen and plan != 0:
            self.passed += 1


def read_lists(out, kinds, areas, count, suite):
    programs = []
    for path in sorted(glob.glob(f"{out}/tests/*/list")):
        area = os.path.basename(os.path.dirname(path))
        # The list of a removed folder may still be there.
        if not os.path.isdir(f"{TOP}/selftests/{area}"):
            continue
        for line in open(path):
            if line.startswith("left-out"):
                if ("vm" in kinds or "native" in kinds) and (not areas or area in areas):
                    count.met.add(area)
                    count.skip(suite, f"tests of {area}", line.split(None, 3)[3].strip())
                continue
            program = Program(line)
            if program.kind in kinds and (not areas or program.names() & set(areas)):
                count.met |= program.names()
                programs.append(program)
    return programs


def write_list(programs, scale=1):
    handle, path = tempfile.mkstemp(prefix="list.", dir=f"{BUILD}/test")
    with os.fdopen(handle, "w") as out:
        for prog in programs:
            prog.limit *= scale
            out.write(f"{prog.kind} {prog.area} {prog.limit * SLOWEST} {prog.path}\n")
    return path


RUNNING = set()
ENDED = threading.Event()


@contextlib.contextmanager
def started(command, listing, **options):
    """A child process that ends with this run, because a VM makes all other VMs wait. If the run is killed,
    setpriv makes the kernel send the child a signal."""
    if ENDED.is_set():
        sys.exit()
    try:
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


def follow(stream, programs, log, done, watch):
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
        elif line.startswith("@end ") and current:
            _, _, code, millis = line.split()
            watch.end()
            current.code, current.millis = int(code), int(millis)
            done(current)
            current = None
        elif current:
            current.lines.append(line)
    if current:
        current.late = watch.ended
    return watch.stop()


def native(out, areas, count, kinds=("native", *SUFFIX)):
    suite = {"user": "native", "user-asan": "asan", "user-tsan": "tsan", "user-fuzz": "fuzz"}[os.path.basename(out)]
    programs = read_lists(out, kinds, areas, count, suite)
    if not programs:
        return
    env = dict(os.environ, OUT=out)
    path = write_list(programs, 1 if suite == "native" else 3)
    command = [f"{TOP}/selftests/exec", path]
    if suite == "asan":
        env["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_stack_use_after_return=1"
        env["UBSAN_OPTIONS"] = "print_stacktrace=1"
        env["WD_TEST_BRIEF"] = "1"
    elif suite == "tsan":
        # ThreadSanitizer's shadow can't be placed under full address randomisation.
        command = ["setarch", "-R"] + command
        env["WD_TEST_BRIEF"] = "1"
        env["TSAN_OPTIONS"] = f"second_deadlock_stack=1 suppressions={TOP}/selftests/tsan.supp"
    with open(f"{BUILD}/test/{kinds[0] if suite == 'native' else suite}.log", "w") as log, \
         started(command, path, env=env) as run:
        follow(run.stdout, programs, log, lambda prog: count.program(suite, prog), Watch(path + ".late", run))
    for prog in programs:
        if prog.code is None:
            count.program(suite, prog)


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


def vm(kernel, areas, count, first, brief):
    """
    first: of several kernels; on the others, only those tests run that show what differs between kernels, unless others
    are asked for. brief: tests that don't depend on the kernel run in full elsewhere.
    """
    suite = f"kernel {kernel}"
    debug = kernel == "debug"
    # Tests of user space alone would take the debug kernel an hour; some of them run on one kernel only.
    arm64 = kernel.endswith("arm64")
    # Code for another architecture has run nowhere else.
    kinds = ("vm",) if debug else ("vm", "vm-user", "vm-once") if first or arm64 else ("vm", "vm-user")
    out = f"{BUILD}/user-arm64" if arm64 else f"{BUILD}/user"
    rest = read_lists(out, kinds, areas, count, suite)
    if not first and not areas:
        wanted = KERNEL_AREAS.union(brief_list())
        rest = [prog for prog in rest if prog.kind == "vm" and prog.names() & wanted]
    # The kernel parts' own tests first, the longest tests last.
    order = {"uacce": 0, "hisi_qm": 1, "sim": 2}
    rest.sort(key=lambda prog: ("fail_nth" in prog.path, order.get(prog.area, 3)))
    budget = BUDGET_DEBUG if debug or arm64 else BUDGET
    scale = 4 if debug else 2 if arm64 else 1
    boot = 0
    while rest:
        boot += 1
        path = write_list(rest, scale if boot == 1 else 1)
        name = f"{BUILD}/test/{suite.replace(' ', '-')}-{boot}"
        shutil.rmtree(name, ignore_errors=True)
        limit = max(60, min(120 + sum(prog.limit for prog in rest), int(budget)))
        command = [f"{TOP}/scripts/vm", "--kernel", kernel, "--sim", SIM, "--logs", name,
                   "--timeout", str(limit * SLOWEST)]
        command += ["--kmemleak"] if debug else []
        command += ["--", "env", f"OUT={out}"] + (["WD_TEST_BRIEF=1"] if brief else [])
        # The VM has its own environment.
        command += [f"{name}={os.environ[name]}" for name in ("WD_TEST_LONG", "WD_TEST_SEED") if name in os.environ]
        command += [f"{TOP}/selftests/exec", path, SIM]
        with open(name + ".log", "w") as log, open(name + ".vm", "w+") as said:
            with started(command, path, stderr=said) as run:
                watch = Watch(path + ".late", run, limit)
                budget -= follow(run.stdout, rest, log, lambda prog: count.program(suite, prog), watch)
            said.seek(0)
            words = said.read().splitlines()
        failed = run.returncode == EMULATION
        splats = [] if failed else console_splats(name + "/console.log")
        for test, excerpt in splats:
            count.fail(suite, f"the kernel complained during {test}", excerpt)
        if watch.ended:
            count.fail(suite, f"the VM was ended after {limit} s, or for the program that ran")
        elif run.returncode and not failed and not splats:
            count.fail(suite, f"the VM failed ({run.returncode})", words[-20:])
        for prog in [prog for prog in rest if prog.begun and prog.code is None]:
            if failed:
                print(f"  note  {suite}: {prog.name} runs again, because QEMU's emulation failed", flush=True)
                prog.lines, prog.begun = [], False
            else:
                count.program(suite, prog)
        later = [prog for prog in rest if not prog.begun]
        if len(later) == len(rest) and not failed or boot == 5 or budget <= 0:
            for prog in later:
                count.program(suite, prog)
            break
        rest = later


def brief(args, number):
    """Whether the tests on that kernel leave out their longest cases."""
    kernel = args.vm[number]
    # An emulated arm64 takes several times as long as amd64.
    slow = kernel == "debug" or kernel.endswith("arm64") and not os.environ.get("WD_TEST_LONG")
    return bool(number or args.native or slow)


def brief_list():
    with open(TOP + "/selftests/brief") as lines:
        return [line.strip() for line in lines if not line.startswith("#")]


def areas_on(args, number):
    """What runs on that kernel. Between the oldest and the newest one, a few minutes' choice will do."""
    return args.areas if args.areas or not 0 < number < len(args.vm) - 1 else brief_list()


def builds_and_boots(args, count):
    """The builds for VMs, and the programs of the host that boot their own."""
    if args.vm and args.vm != ["debug"]:
        native(f"{BUILD}/user", args.areas, count, ("build",))
    for out in args.boot:
        native(out, args.areas, count, ("boot",))


def lanes(args, count):
    """
    Three lanes at once: most programs have one thread, and tests in a VM mostly wait. No more lanes: an emulated
    device and its clients spin for each other, so on a crowded CPU they take several times as long. The first kernel's
    VM takes longest; a lane that is free takes the next kernel.
    """
    built = threading.Event()

    def natives(outs):
        for out in outs:
            native(out, args.areas, count)

    def machine(number):
        if number == 0:
            try:
                builds_and_boots(args, count)
            finally:
                built.set()
        built.wait()
        if number < len(args.vm):
            vm(args.vm[number], areas_on(args, number), count, first=number == 0, brief=brief(args, number))

    # The first machine is among the first three, so that no lane waits for its builds in vain.
    work = [lambda: machine(0), lambda: natives(args.native[:1]), lambda: natives(args.native[1:])]
    work += [lambda number=number: machine(number) for number in range(1, len(args.vm))]
    with ThreadPoolExecutor(3) as pool:
        running = {pool.submit(lane) for lane in work}
        while running:
            # Python handles a signal in the main thread. One that comes just before this thread begins to wait doesn't
            # interrupt the wait, so that has a limit.
            ended, running = wait(running, 1, FIRST_EXCEPTION)
            for lane in ended:
                # It raises the lane's exception, which ends the run.
                lane.result()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--native", action="append", default=[])
    parser.add_argument("--boot", action="append", default=[])
    parser.add_argument("--vm", action="append", default=[])
    parser.add_argument("--failed", action="append", default=[])
    parser.add_argument("areas", nargs="*")
    args = parser.parse_args()
    os.makedirs(f"{BUILD}/test", exist_ok=True)
    for each in ENDINGS:
        # nohup and the like ignore a signal on purpose.
        if signal.getsignal(each) != signal.SIG_IGN:
            signal.signal(each, end_run)
    count = Count()
    for what in args.failed:
        count.fail("build", what)
    lanes(args, count)

    for area in args.areas:
        if area not in count.met:
            count.fail("run", f"there is no test called {area} here: an area is a folder of selftests/, or FOLDER/PROGRAM")

    if count.skipped:
        print("\nskipped:")
        for line in count.skipped:
            print("  " + line)
    if count.failed:
        print("\nfailed:")
        for line in count.failed:
            print("  " + line)
    ran = count.passed + len(count.failed)
    if not ran:
        print("\nno test ran: that is a failure")
    print(f"\n{count.passed} passed, {len(count.failed)} failed, {len(count.skipped)} skipped", flush=True)
    return 1 if count.failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
