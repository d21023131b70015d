# SPDX-License-Identifier: Apache-2.0
"""Programs, what their TAP says, and the numbers of a run; imported by runner.py."""

import copy
import os
import re
import threading
import time

SKIP = 4
# timeout(1): it ended the program, by SIGTERM or by SIGKILL.
TIMEOUT = 124
KILLED = 137

# What a program's name ends with, by its kind.
SUFFIX = {"emulated": "+emulated", "v2": "+v2", "mixed": "+mixed", "nosva": "+nosva"}

RESULT = re.compile(r"^(ok|not ok)\b\s*(\d*)\s*-?\s*(.*)$")
SKIPPED = re.compile(r"#\s*SKIP\b:?\s*(.*)$", re.I)
REPORT = re.compile(r"(ERROR|WARNING|SUMMARY): (Address|Leak|Thread|UndefinedBehavior)Sanitizer|: runtime error: ")

# This many programs that fail and pass when repeated are a failure.
FLAKY_MAX = 3
# With more failures than this the reason isn't chance, and the run ends without repeating any.
REPEATED_MAX = 10
# The last lines name as many programs that took longest.
LONGEST = 10
# The last lines repeat so many of a kernel's complaint.
COMPLAINT = 40


class Program:
    """One program of a list, with its limit before the run and its result after it."""

    def __init__(self, line):
        self.kind, self.area, limit, flags, self.path = line.strip().split(None, 4)
        self.flags = set(flags.split(","))
        # As the list has it, and as this run allows it.
        self.seconds = self.limit = int(limit)
        self.base = f"{self.area}/{os.path.basename(self.path)}"
        # A program may run without an emulated device, and on those of each generation.
        self.name = self.base + SUFFIX.get(self.kind, "")
        self.clear()

    def clear(self):
        self.lines = []
        self.code = None
        self.took = self.cpu = 0
        self.begun = False
        self.late = False

    def names(self):
        """The names that select it on the command line."""
        return {self.area, self.base, self.name}

    def anew(self):
        other = copy.copy(self)
        other.clear()
        return other

    def hung(self):
        return self.code in (TIMEOUT, KILLED) or self.late

    def repeatable(self):
        """Whether chance may be the reason of its failure; what a strict program, a sanitizer or a limit says isn't."""
        return "strict" not in self.flags and self.code is not None and not self.hung() and \
            not any(REPORT.search(line) for line in self.lines)


class Result:
    """What one program's TAP says; a program that says nothing is one test by its exit code."""

    def __init__(self, prog):
        self.passed, self.failed, self.skipped = 0, [], []
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
                    self._skip(prog.name, planned.group(2))
                continue
            if not result:
                since.append(line)
                continue
            seen += 1
            skipped = SKIPPED.search(result.group(3))
            title = result.group(3).split("#")[0].strip() or running or f"test {result.group(2)}"
            if skipped:
                self._skip(f"{prog.name}: {title}", skipped.group(1))
            elif result.group(1) == "ok":
                self.passed += 1
            else:
                self.failed.append((f"{prog.name}: {title}", since[-40:]))
            since = []
        self._ending(prog, plan, seen, since)

    def _skip(self, what, reason):
        self.skipped.append(f"{what}: {reason or 'no reason given'}")

    def _ending(self, prog, plan, seen, since):
        why = None
        if prog.code is None:
            why = "not run: the run ended before" if not prog.begun else \
                f"still running after {prog.limit} s" if prog.late else "the run ended while it ran"
        elif prog.code == TIMEOUT:
            why = f"still running after {prog.limit} s"
        elif prog.code == SKIP and not seen:
            if plan != 0:
                reason = [line.lstrip("# ") for line in since if line.strip()]
                self._skip(prog.name, reason[-1] if reason else "")
        elif prog.code not in (0, SKIP) and not self.failed:
            why = f"exit status {prog.code}"
        elif plan is not None and seen < plan:
            why = f"planned {plan} tests, ran {seen}"
        elif not seen and plan != 0:
            self.passed += 1
        if why:
            self.failed.append((f"{prog.name}: {why}", since[-40:]))


class Count:
    """The numbers of the last lines, and the failures and skips before them."""

    def __init__(self, build, quiet=False):
        self.build, self.quiet = build, quiet
        self.total = self.done = 0
        self.begin = time.monotonic()
        self.passed = 0
        self.failed = []
        self.skipped = []
        self.programs = []      # (suite, program, result) of those with a failure that a repetition may take back
        self.complaints = {}    # (suite, program's name): the first lines of what the kernel said while it ran
        self.times = []         # (seconds, seconds of CPU time, program)
        self.flaky = []
        self.lock = threading.RLock()

    def fail(self, suite, what, detail=()):
        with self.lock:
            self.failed.append(f"{suite}: {what}")
            if self.quiet:
                return
            print(f"  FAIL  {suite}: {what}")
            for line in detail:
                print(f"        | {line}")

    def complaint(self, suite, test, excerpt):
        """The kernel complained during that test. Of a log only the end may be kept, so the last lines repeat how."""
        with self.lock:
            self.complaints[suite, test] = excerpt[:COMPLAINT]
            self.fail(suite, f"the kernel complained during {test}", excerpt)

    def skip(self, suite, what, reason):
        with self.lock:
            self.skipped.append(f"{suite}: {what}: {reason or 'no reason given'}")

    def progress(self):
        """Programs done of all, and the time since the start."""
        seconds = int(time.monotonic() - self.begin)
        width = len(str(self.total))
        return f"[{self.done:{width}}/{self.total} {seconds // 60:2}:{seconds % 60:02}]"

    def program(self, suite, prog):
        """Counts one program's TAP."""
        with self.lock:
            result = Result(prog)
            self.done += 1
            self.times.append((prog.took, prog.cpu, f"{suite}: {prog.name}"))
            self.passed += result.passed
            self.skipped += [f"{suite}: {line}" for line in result.skipped]
            for what, detail in result.failed:
                self.fail(suite, what, detail)
            if result.failed:
                self.programs.append((suite, prog, result))
            self._say(suite, prog, result)

    def _say(self, suite, prog, result):
        if self.quiet:
            return
        word = "FAIL" if result.failed else "ok"
        print(f"{self.progress()} {word:5} {suite}: {prog.name}: {result.passed} passed, {len(result.failed)} failed, "
              f"{len(result.skipped)} skipped ({prog.took:.1f} s, CPU {prog.cpu:.1f} s)", flush=True)

    def repeatable(self):
        """(suite, program) of those that are run once more."""
        found = [(suite, prog) for suite, prog, _ in self.programs
                 if prog.repeatable() and (suite, prog.name) not in self.complaints]
        return found if len(found) <= REPEATED_MAX else []

    def repeated(self, suite, prog):
        """The program has run once more: if it passes now, the first run doesn't count."""
        with self.lock:
            result = Result(prog)
            self._say(suite, prog, result)
            if result.failed or not result.passed:
                return
            first_prog, first = next((p, r) for s, p, r in self.programs if (s, p.name) == (suite, prog.name))
            self.passed += result.passed - first.passed
            for what, _ in first.failed:
                self.failed.remove(f"{suite}: {what}")
            for line in first.skipped:
                self.skipped.remove(f"{suite}: {line}")
            self.skipped += [f"{suite}: {line}" for line in result.skipped]
            self.flaky.append((suite, prog.base, first.failed[0][0], self._keep(suite, first_prog, prog)))

    def _keep(self, suite, first, second):
        """Keeps both outputs; returns the name that their files have in common."""
        folder = f"{self.build}/test/flaky"
        os.makedirs(folder, exist_ok=True)
        path = folder + "/" + re.sub("[ /]", "-", f"{suite} {first.name}")
        for number, prog in (("1", first), ("2", second)):
            with open(f"{path}.{number}", "w") as out:
                out.write("\n".join(prog.lines) + "\n")
        return path

    def print_flaky(self, known):
        """known: {program: what is known of the cause}"""
        if self.flaky:
            print("\nflaky (failed, and passed when repeated alone):")
            for suite, base, what, path in self.flaky:
                print(f"  {suite}: {what}; both outputs: {path}.1, .2")
                print(f"    {known.get(base, 'selftests/flaky does not know it')}")
        if len(self.flaky) >= FLAKY_MAX:
            self.fail("run", f"{len(self.flaky)} programs are flaky, {FLAKY_MAX} are a failure")

    def close(self, left_out):
        """Prints the last lines; returns the exit status."""
        if len(self.times) > LONGEST:
            cpu = sum(used for _, used, _ in self.times)
            print(f"\nlongest programs ({len(self.times)} took {cpu:.0f} s of CPU time):")
            for took, used, name in sorted(self.times, reverse=True)[:LONGEST]:
                print(f"  {took:6.1f} s, CPU {used:6.1f} s  {name}")
        for title, lines in (("skipped", self.skipped), ("failed", self.failed)):
            if lines:
                print(f"\n{title}:")
                for line in lines:
                    print("  " + line)
        for (suite, test), excerpt in self.complaints.items():
            print(f"\n{suite}: the kernel during {test}:")
            for line in excerpt:
                print("  | " + line)
        ran = self.passed + len(self.failed)
        if not ran:
            print("\nno test ran: that is a failure")
        print()
        for line in left_out:
            print(line)
        print(f"flaky programs: {len(self.flaky)}")
        print(f"{self.passed} passed, {len(self.failed)} failed, {len(self.skipped)} skipped", flush=True)
        return 1 if self.failed or not ran else 0
