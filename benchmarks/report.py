# SPDX-License-Identifier: Apache-2.0
"""Groups of rows, how to run each, and the table."""

import csv
import fnmatch
import functools
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import calls
import count
import record
import speed

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("BUILD") or os.path.join(TOP, "build")
OUT = os.environ.get("OUT") or os.path.join(BUILD, "user")
SLOW = ["--engine", "none", "--latency"]
# A limit for hangs: a busy machine may take minutes for seconds of work.
STUCK_S = 3000

PUBKEY = ("rsa2048-sign", "rsa2048-verify", "ffdhe2048", "ecdh-p256", "ecdsa-p256-sign", "ecdsa-p256-verify", "x25519")
CRYPTO = ("aes-128-cbc", "aes-256-ctr", "sm4-cbc", "sha256", "hmac-sha256", "sm3", "aes-128-gcm")

# The library's targets, printed in the table.
TARGETS = {
    "sync.null.instr": "<= 280", "sync.null.locked": "<= 3", "sync.null.ns": "<= 2.0 times",
    "async.null.instr": "<= 280", "async.null.ns": "<= 2.0 times",
    "burst.null.instr": "<= 180", "burst.null.ns": "<= 1.3 times",
    "doorbell.calls": "<= 101000", "sleep.queue.calls": "<= 200000", "sleep.*.calls": "<= 100000",
    "sync.2thr.scale": ">= 1.9", "sync.8thr1ctx.scale.1ms": ">= 7", "sync.8thr1ctx.scale.100us": ">= 4",
    "poll.empty.*": "<= 20", "submit.full.ns": "<= 50",
    "wait.2ms.cpu_pct": "< 3", "wait.2ms.extra_us": "<= 60", "wait.2us.ratio": "<= 1.2",
    "heap.ctx.*": "<= 65536", "heap.sess.bytes": "<= 1024", "heap.sess.aead.*": "<= 4096",
    "sess.8dev.ns": "<= 3000", "init.first.us": "<= 1000", "init.next.us": "<= 200",
    "cipher.*.instr": "<= 400", "digest.*.instr": "<= 400", "aead.*.instr": "<= 400", "ccm.*.instr": "<= 400",
    "rsa.*.instr": "<= 500", "dh.*.instr": "<= 500", "ecdsa.*.instr": "<= 500", "ecdh.*.instr": "<= 500",
    "ecdsa-verify.*.instr": "<= 500", "x25519.*.instr": "<= 500",
    "rsa.null.ns": "<= 2.0 times", "dh.null.ns": "<= 2.0 times", "cipher.null.ns": "<= 1.9 times",
    "digest.null.ns": "<= 1.9 times", "aead.null.ns": "<= 2.4 times",
    "openssl.async64.ratio": ">= 40", "openssl.start.us": "<= 1000 more",
    "zlib.*.parts.bytes": "<= 1.02", "zlib.small.instr": "<= 20 more",
    "wdzip.pigz.*": "<= 1", "wdzip.gunzip.cpu": "<= 0.5",
    "wdzip.igzip.1.cpu": "<= 1.2", "wdzip.libdeflate.?.cpu": "<= 1", "wdzip.*.bytes": "<= 1.01",
    "soft.deflate-part.*": "<= 1.12", "soft.*": "<= 1.03 or +60 ns",
    "nosva.submit.64.ns": "<= 2 times", "nosva.submit.4k.ns": "<= 3 times", "nosva.reap.4k.ns": "<= 2 times",
    "nosva.burst.ns": "<= 1 times",
    "uadk.*.more.instr": "<= 80", "uadk.heap.bytes": "<= 65536",
    "provision.1000.*": "< 2000", "provision.attach.us": "< 1000",
}


class Row:
    """One line of the table."""

    def __init__(self, name, value, unit, floor="-", ratio="-"):
        self.name, self.value, self.unit, self.floor, self.ratio = name, value, unit, floor, ratio
        self.target = next((t for p, t in TARGETS.items() if fnmatch.fnmatchcase(name, p)), "-")

    def cells(self):
        return [self.name, self.value, self.unit, self.floor, self.ratio, self.target]


def machine():
    model = governor = "unknown"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith(("model name", "CPU part")):
                model = line.split(":", 1)[1].strip()
                break
    try:
        with open("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", encoding="utf-8") as file:
            governor = file.read().strip()
    except OSError:
        pass
    return (f"cpu {model}; cpus allowed {len(os.sched_getaffinity(0))}; kernel {platform.release()}; "
            f"governor {governor}; load {os.getloadavg()[0]:.1f}")


def wd_bench(devices, *args, mode=None):
    """The lines that one run of wd-bench prints."""
    command = [f"{OUT}/bench/wd-bench", *args]
    if devices is not None:
        command = [f"{OUT}/bin/wd-emulate", *devices, "--", *command]
    env = {k: v for k, v in os.environ.items() if not k.startswith("WD_")}
    if mode:
        env["WD_WAIT"] = mode
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=env, timeout=STUCK_S, check=False)
    if done.returncode:
        raise SystemExit(f"bench: {' '.join(args)} failed with {done.returncode}")
    return done.stdout.splitlines()


def rows_of(lines):
    return [Row(*line.split()[1:]) for line in lines if line.startswith("row ")]


def plain(devices, *args):
    """A group whose program prints its rows itself."""
    return lambda: rows_of(wd_bench(devices, *args))


def init():
    """Each sample is a process of its own."""
    samples = [rows_of(wd_bench(["--null", "--zip", "2"], "init")) for _ in range(9)]
    for same in zip(*samples):
        value = statistics.median(float(r.value) for r in same)
        floor = statistics.median(float(r.floor) for r in same)
        yield Row(same[0].name, f"{value:.0f}", "us", f"{floor:.0f}", f"{value / floor:.2f}")


def waits(latency_ns, requests, turns):
    """Medians of latency and CPU share; adaptive and spinning waits take turns."""
    samples = {"adaptive": [], "spin": []}
    for _ in range(turns):
        for mode, got in samples.items():
            words = wd_bench([*SLOW, str(latency_ns)], "waiting", str(requests), mode=mode)[-1].split()
            got.append((float(words[1]), float(words[2])))
    return {mode: tuple(map(statistics.median, zip(*got))) for mode, got in samples.items()}


def wait_long():
    got = waits(2000000, 150, 3)
    ours, spin = got["adaptive"], got["spin"]
    yield Row("wait.2ms.cpu_pct", f"{ours[1]:.2f}", "%", f"{spin[1]:.2f}", f"{ours[1] / spin[1]:.3f}")
    yield Row("wait.2ms.extra_us", f"{(ours[0] - spin[0]) / 1000:.1f}", "us", f"{spin[0] / 1000:.1f}",
              f"{ours[0] / spin[0]:.3f}")


def wait_short():
    got = waits(2000, 3000, 5)
    ours, spin = got["adaptive"][0], got["spin"][0]
    yield Row("wait.2us.ratio", f"{ours / spin:.3f}", "x", f"{spin:.0f}", f"{ours / spin:.3f}")


def instructions(kind):
    loop = count.Loop(OUT, kind)
    if os.environ.get("SHARES"):
        for cost, function, obj in loop.shares[:int(os.environ["SHARES"])]:
            print(f"    {cost:8.2f}  {function}  {obj}")
    return loop


def counted(kind):
    def rows():
        if not shutil.which("valgrind") or not shutil.which("objdump"):
            print("bench: no valgrind, or no objdump: instructions aren't counted", file=sys.stderr)
            return
        loop = instructions(kind)
        yield Row(f"{kind}.null.instr", f"{loop.instructions:.1f}", "instructions")
        yield Row(f"{kind}.null.locked", f"{loop.locked():.2f}", "instructions")
    return rows


def uadk():
    """Through UADK's interface, beside ours: what it adds."""
    program = f"{OUT}/bench/wd-bench-uadk"
    if not os.path.exists(program):
        print("bench: the libraries with UADK's names were left out: no rows of them", file=sys.stderr)
        return

    def ask(*args):
        return float(subprocess.run([f"{OUT}/bin/wd-emulate", "--null", "--zip", "8", "--", program, *args],
                                    stdout=subprocess.PIPE, text=True, timeout=STUCK_S, check=True).stdout.split()[1])
    for kind in ("sync", "async"):
        ours = next(float(row.value) for row in rows_of(wd_bench(["--null"], "null")) if row.name == f"{kind}.null.ns")
        value = statistics.median(ask(kind, "100000") for _ in range(5))
        yield Row(f"uadk.{kind}.ns", f"{value:.1f}", "ns", f"{ours:.1f}", f"{value / ours:.3f}")
        if shutil.which("valgrind"):
            ours, value = (count.Loop(OUT, name, addresses=False).instructions for name in (kind, f"uadk.{kind}"))
            yield Row(f"uadk.{kind}.more.instr", f"{value - ours:.1f}", "instructions", f"{ours:.1f}",
                      f"{value / ours:.3f}")
    yield Row("uadk.heap.bytes", f"{ask('heap') / 2:.0f}", "bytes/context")


def called(kind):
    def rows():
        counted_calls = calls.Calls(OUT, kind)
        if os.environ.get("SHARES"):
            for function, number in sorted(counted_calls.functions.items(), key=lambda item: -item[1]):
                print(f"    {number:10.1f}  {function}")
        yield Row(f"{kind}.calls", f"{counted_calls.total}", "calls/100000")
    return rows


def openssl(rows):
    """The rows with the provider, if it is there."""
    def group():
        runs = speed.Speed(OUT)
        if runs.missing:
            print(f"bench: no {runs.missing}: no rows of openssl", file=sys.stderr)
            return
        yield from rows(runs)
    return group


def openssl_libcrypto(runs):
    for alg in speed.ALGS:
        ours, plain = speed.by_libcrypto(runs, alg)
        yield Row(f"openssl.{alg}.ns", f"{ours:.0f}", "ns", f"{plain:.0f}", f"{ours / plain:.3f}")


def openssl_start(runs):
    ours, plain = speed.start(runs)
    yield Row("openssl.start.us", f"{ours:.0f}", "us", f"{plain:.0f}", f"{ours / plain:.3f}")


def openssl_jobs(_):
    return rows_of(wd_bench(["--hpre", "1", *SLOW, "500000"], "jobs"))


def openssl_caller(_):
    return rows_of(wd_bench(["--hpre", "1", "--latency", "500000"], "jobs-caller"))


def script(name):
    """The rows of a script that runs programs of others; if these can't be had there are none."""
    def rows():
        done = subprocess.run([f"{TOP}/benchmarks/{name}"], stdout=subprocess.PIPE, text=True,
                              env=os.environ | {"OUT": OUT}, timeout=STUCK_S, check=False)
        if done.returncode:
            why = "".join(line for line in done.stdout.splitlines() if "SKIP" in line)
            why = why or f"failed with {done.returncode}"
            print(f"bench: {name}: {why}: no rows of it", file=sys.stderr)
            return
        yield from rows_of(done.stdout.splitlines())
    return rows


def zlib(rows):
    """The rows of the replacement of zlib, if it is there."""
    def group():
        shim = f"{OUT}/lib/warpdrive/zlib/libz.so.1"
        if os.path.exists(shim):
            yield from rows(shim)
        else:
            print("bench: no libz.so.1 was built: no rows of zlib", file=sys.stderr)
    return group


def zlib_streams(shim):
    return rows_of(wd_bench(["--zip", "1"], "zlib", shim))


def zlib_small(shim):
    if not shutil.which("valgrind"):
        print("bench: no valgrind: instructions aren't counted", file=sys.stderr)
        return
    stock = wd_bench(None, "zlib-path")[-1]
    ours, plain = (count.small_streams(OUT, library) for library in (shim, stock))
    yield Row("zlib.small.instr", f"{ours - plain:.1f}", "instructions", f"{plain:.0f}", f"{ours / plain:.4f}")


def zlib_devices(shim):
    """Throughput of devices that take a hundred megabits a second each."""
    def rate(devices):
        return statistics.median(float(wd_bench(["--zip", str(devices), "--bandwidth", "100"], "zlib-wall", shim)[-1])
                                 for _ in range(3))
    one = rate(1)
    for devices in (2, 4, 8):
        many = rate(devices)
        yield Row(f"zlib.devices.{devices}.scale", f"{many / one:.2f}", "x", f"{one / 1e6:.1f}", f"{many / one:.2f}")


def in_vm(device, *command):
    """The rows of a command in a VM with the kernel modules and a simulated device; if the VM fails there are none."""
    def rows():
        vm = [f"{TOP}/scripts/vm", "--sim", device, "--", "env", f"OUT={OUT}", *command]
        done = subprocess.run(vm, stdout=subprocess.PIPE, text=True, timeout=600, check=False)
        if done.returncode:
            print(f"bench: the VM failed with {done.returncode}: no rows of {command[0]}", file=sys.stderr)
        yield from rows_of(done.stdout.splitlines())
    return rows


def crowd(name, latency_ns):
    return plain([*SLOW, str(latency_ns)], "throughput", name, "8", "700")


# The groups: the function that yields the rows, and the rows' names.
GROUPS = [
    (plain(["--null"], "null"),
     (*(f"{kind}.null{what}.ns" for kind in ("sync", "async", "burst") for what in ("", ".floor")), "submit.full.ns")),
    (plain(["--hpre", "1", "--engine", "none"], "pubkey-null"),
     tuple(f"{op}.null.ns" for op in ("rsa", "dh", "ecdsa", "ecdh"))),
    (plain(["--sec", "1", "--engine", "none"], "crypto-null"),
     tuple(f"{op}.null.ns" for op in ("cipher", "digest", "aead"))),
    *((counted(kind), (f"{kind}.null.instr", f"{kind}.null.locked")) for kind in count.KINDS),
    *((called(kind), (f"{kind}.calls",)) for kind in calls.KINDS),
    (uadk, (*(f"uadk.{kind}.{what}" for kind in ("sync", "async") for what in ("ns", "more.instr")),
            "uadk.heap.bytes")),
    (plain(["--null", "--zip", "2"], "two"), ("sync.2thr.scale",)),
    (crowd("sync.8thr1ctx.scale.1ms", 1000000), ("sync.8thr1ctx.scale.1ms",)),
    (crowd("sync.8thr1ctx.scale.100us", 100000), ("sync.8thr1ctx.scale.100us",)),
    (plain(["--zip", "16", *SLOW, "9000000000"], "poll"), ("poll.empty.ns", "poll.empty.16ctx.ns")),
    (wait_long, ("wait.2ms.cpu_pct", "wait.2ms.extra_us")),
    (wait_short, ("wait.2us.ratio",)),
    (plain(["--null", "--zip", "9"], "heap"), ("heap.sess.bytes", "heap.ctx.bytes", "heap.ctx.async.bytes")),
    (plain(["--sec", "1", "--engine", "none"], "crypto-heap"), ("heap.sess.aead.bytes", "heap.sess.aead.auto.bytes")),
    (plain(["--null", "--zip", "8"], "session"), ("sess.8dev.ns",)),
    (init, ("init.first.us", "init.next.us")),
    (plain(None, "soft"), ("soft.deflate*.ratio", "soft.inflate*.ratio")),
    (plain(None, "crypto"), tuple(f"soft.{alg}.*.ratio" for alg in CRYPTO)),
    (plain(None, "pubkey"), tuple(f"soft.{alg}.ratio" for alg in PUBKEY)),
    (openssl(openssl_libcrypto), tuple(f"openssl.{alg}.ns" for alg in speed.ALGS)),
    (openssl(openssl_start), ("openssl.start.us",)),
    (openssl(openssl_jobs), ("openssl.async64.us", "openssl.async64.ratio")),
    (openssl(openssl_caller),
     tuple(f"openssl.caller.{op}{how}.us" for op in (*speed.ALGS, "ecdsa-p256-verify") for how in ("", ".jobs"))),
    (script("haproxy.sh"), ("openssl.haproxy.us", "openssl.haproxy.jobs.us")),
    (zlib(zlib_streams), ("zlib.text.*", "zlib.binary.*", "zlib.packed.*")),
    (zlib(zlib_devices), tuple(f"zlib.devices.{n}.scale" for n in (2, 4, 8))),
    (zlib(zlib_small), ("zlib.small.instr",)),
    (plain(["--zip", "1"], "verify"),
     ("verify.deflate.zlib6", "verify.deflate.isal1", "verify.inflate.libdeflate")),
    (plain(["--zip", "1"], "zstd"), ("zstd.1.*", "zstd.3.*", "lz4.1.*")),
    (script("wdzip.sh"),
     ("wdzip.pigz.1.s", "wdzip.pigz.6.s", "wdzip.gunzip.cpu", "wdzip.igzip.1.*", "wdzip.libdeflate.*")),
    (in_vm("zip@v2", f"{OUT}/bench/wd-bench", "doorbell", "/dev/hisi_zip-0"), ("doorbell.kernel.ns",)),
    (in_vm("zip@nosva,zip", f"{OUT}/bench/wd-bench", "mediated", "/dev/hisi_zip-0", "/dev/hisi_zip-1"),
     ("nosva.call.ns", "nosva.burst.ns", "nosva.reap.4k.ns", "nosva.submit.*.ns", "nosva.trip.*.us")),
    (in_vm("zip", f"{TOP}/benchmarks/provision.sh"),
     (*(f"provision.1000.{what}.ms" for what in ("apply", "again", "save", "list")),
      *(f"provision.{span}.us" for span in ("attach", "open", "start", "close", "detach")))),
]


@functools.lru_cache(maxsize=None)
def meet(one, other):
    """Whether some name matches both patterns, in which only * is special."""
    if not one or not other:
        return not (one + other).strip("*")
    if one[0] == "*":
        return meet(one[1:], other) or meet(one, other[1:])
    if other[0] == "*":
        return meet(other, one)
    return one[0] == other[0] and meet(one[1:], other[1:])


def wanted(patterns, names):
    """The names of a group may also contain *."""
    return not patterns or any(fnmatch.fnmatchcase(n, p) or meet(n, p) for n in names for p in patterns)


def bench(patterns):
    layout = "{:<34}{:>12}  {:<14}{:>12}{:>9}   {}"
    rows = []
    start = time.monotonic()
    print(machine())
    if os.getloadavg()[0] > len(os.sched_getaffinity(0)) / 2:
        print("The machine is busy with something else: rows about waiting, scaling and init mean little.")
    print(layout.format("row", "value", "unit", "floor", "ratio", "target"))
    for group, names in GROUPS:
        if not wanted(patterns, names):
            continue
        for row in group():
            if wanted(patterns, [row.name]):
                print(layout.format(*row.cells()), flush=True)
                rows.append(row)
    if not rows:
        raise SystemExit("bench: no row is called " + " ".join(patterns))
    path = os.path.join(BUILD, "bench.csv")
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["# " + machine()])
        writer.writerow(["row", "value", "unit", "floor", "ratio", "target"])
        writer.writerows(r.cells() for r in rows)
    print(f"{len(rows)} rows in {time.monotonic() - start:.0f} s: {path}")


def run(args):
    if args[:1] == ["--check"]:
        return record.check(OUT, args[1:] or ["*"])
    if args == ["--record"]:
        record.write(OUT)
    else:
        bench(args)
    return 0


def main(args):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        # Killed programs leave their files there.
        with tempfile.TemporaryDirectory(prefix="wd-bench.") as scratch:
            os.environ["TMPDIR"] = scratch
            return run(args)
    except KeyboardInterrupt:
        return 130
