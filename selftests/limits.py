# SPDX-License-Identifier: Apache-2.0
"""Time limits of programs, in seconds of a quiet machine; imported by runner.py."""

import os
import re
import threading
import time

# At most this many seconds pass for one second of a limit.
SLOWEST = 20
# Of the time between two looks at the machine, at most this many seconds count.
LOOK_MAX = 1
# Seconds that a late program gets to end after it was told to; then its VM is ended.
GRACE = 60


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


def cpu_seconds(root):
    """CPU time of a process and all that descend from it, a VM with all that runs in it."""
    own, children = {}, {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                fields = stat.read().rpartition(") ")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(pid))
        # Its own, and of its children that have ended.
        own[int(pid)] = sum(int(ticks) for ticks in fields[11:15])
    total, left = 0, [root]
    while left:
        pid = left.pop()
        total += own.get(pid, 0)
        left += children.get(pid, [])
    return total / os.sysconf("SC_CLK_TCK")


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
