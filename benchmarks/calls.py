# SPDX-License-Identifier: Apache-2.0
"""System calls, counted by calls.so: the difference of two runs, in which start and end cancel."""

import math
import os
import subprocess
import tempfile
from typing import NamedTuple

import count

# What the libraries and wd-bench call, not the emulator.
PRELOAD = 'LD_PRELOAD="$1:$LD_PRELOAD"; export LD_PRELOAD; shift; exec "$@"'
PER = 100000
SHORT, LONG = 2048, 2048 + PER
# Of a device that takes a millisecond for each.
FEW, MORE = 16, 216
SLOW = ["--zip", "1", "--engine", "none", "--latency", "1000000"]
# A thread that loses its CPU between two calls finds its request complete, and doesn't sleep after the first of them.
TRIES = 3
VAIN = 0.05


class Kind(NamedTuple):
    """What is counted: for each request, or each sleep of threads that don't spin first."""
    devices: list
    loop: list
    sleeps: bool = False
    rings: bool = False
    but: str = ""


KINDS = {
    "sync": Kind(count.NULL, ["loop", "sync"]), "async": Kind(count.NULL, ["loop", "async"]),
    "burst": Kind(count.NULL, ["loop", "burst"]),
    "doorbell": Kind(count.NULL_V2, ["zlib-loop", "sync"], rings=True),
    "sessions": Kind(count.NULL, ["loop", "sessions"]),
    # How often memory is looked at depends on where it lies, which is random.
    "rsa": Kind(count.IDLE_HPRE, ["pubkey-loop", "rsa"], but="msync"),
    "sleep.sync": Kind(SLOW, ["loop", "sync"], sleeps=True),
    "sleep.async": Kind(SLOW, ["loop", "single"], sleeps=True),
    "sleep.burst": Kind(SLOW, ["loop", "burst"], sleeps=True),
    "sleep.queue": Kind(SLOW, ["loop", "queue"], sleeps=True),
}


def run(out, kind, requests):
    """The number of calls of each function; sleeps: how many of them were sleeps."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
        # A list of devices, say, is read again after a tenth of a second.
        env = {k: v for k, v in os.environ.items() if not k.startswith("WD_")}
        env |= {"BENCH_CALLS": file.name, "BENCH_STILL": "1"}
        if kind.sleeps:
            env |= {"BENCH_SLEEPS": "1", "WD_WAIT": "sleep"}
        if kind.rings:
            env["BENCH_RINGS"] = "1"
        command = [f"{out}/bin/wd-emulate", *kind.devices, "--", "sh", "-c", PRELOAD, "sh", f"{out}/bench/calls.so",
                   f"{out}/bench/wd-bench", *kind.loop, str(requests)]
        subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)
        calls = {name: int(n) for name, n in map(str.split, file)}
    if not calls:
        raise SystemExit(f"bench: {out}/bench/calls.so has counted nothing")
    return calls


class Calls:
    """The calls of one kind for 100,000 requests or sleeps."""

    def __init__(self, out, name):
        kind = KINDS[name]
        runs = [self._counted(out, kind) for _ in range(TRIES if kind.sleeps else 1)]
        self.functions = min(runs, key=lambda functions: sum(functions.values()))
        total = sum(self.functions.values())
        # A sleep that is repeated at once costs less than a whole one, and that happens by chance.
        self.total = PER * math.ceil(total / PER - VAIN) if kind.sleeps else round(total)

    @staticmethod
    def _counted(out, kind):
        short, long = (FEW, MORE) if kind.sleeps else (SHORT, LONG)
        few, more = run(out, kind, short), run(out, kind, long)
        number = {name: more[name] - few.get(name, 0) for name in more}
        per = PER / (number["sleeps"] if kind.sleeps else long - short)
        return {name: n * per for name, n in number.items() if name not in ("sleeps", kind.but) and n}
