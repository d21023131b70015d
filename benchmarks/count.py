# SPDX-License-Identifier: Apache-2.0
"""Instructions per request, from callgrind: the difference of two runs, in which start and end cancel."""

import collections
import functools
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

# Behind 2048 requests all rings have come round, and each further 2048 cost the same.
SHORT, LONG = 2048, 4096
# Where the device computes, the difference is the number of uses for which a probe of memory stays valid.
COMPUTED_SHORT, COMPUTED_LONG = 64, 320
# deflate() and deflateReset().
CALLS_OF_STREAM = 2
# The device isn't part of the library, wherever it runs.
LIBRARIES = re.compile(r"/lib(wd|hisi_qm)[^/]*$")
NOT_OURS = re.compile(r"libuacce-emu|wd-bench|/valgrind/")
# The check whether a point is on its curve is arithmetic, like libcrypto's work: it has a row of its own.
POINT = "ecc_is_point"
LOCKED = re.compile(r"^\s*([0-9a-f]+):\s+(?:lock |xchg .*\()")


class Counts:
    """Instructions by object and function, and by object and address if the file has addresses."""

    def __init__(self, path):
        self.by_function = collections.Counter()
        self.by_address = collections.Counter()
        self._read(path)

    def _read(self, path):
        obj = function = ""
        call = False
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line[:1].isdigit():
                    # The line after calls= is the callee's cost, which is counted at the callee.
                    if not call:
                        *address, _, cost = line.split()
                        self.by_function[obj, function] += int(cost)
                        if address:
                            self.by_address[obj, int(address[0], 16)] += int(cost)
                    call = False
                elif line.startswith("calls="):
                    call = True
                elif line.startswith("fn="):
                    function = line[3:].strip()
                elif line.startswith("ob="):
                    obj = line[3:].strip()

    def minus(self, other):
        self.by_function.subtract(other.by_function)
        self.by_address.subtract(other.by_address)


# How to make each kind of request. SEC's results are in descriptors, which the null engine never writes: those
# devices compute nothing instead, and the loop waits until they are done before it polls.
NULL = ["--null"]
NULL_V2 = ["--null", "--zip", "1@v2"]
IDLE = ["--sec", "1", "--engine", "none"]
IDLE_V2 = ["--sec", "1@v2", "--engine", "none"]
IDLE_HPRE = ["--hpre", "1", "--engine", "none"]
# A device that computes nothing gives no good signature, and the library checks a shared secret of zeroes again.
COMPUTING_HPRE = ["--hpre", "1"]
KINDS = {
    "sync": (NULL, ["loop", "sync"]), "async": (NULL, ["loop", "async"]), "burst": (NULL, ["loop", "burst"]),
    "cipher.async": (IDLE, ["crypto-loop", "cipher", "async"]),
    "cipher.burst": (IDLE, ["crypto-loop", "cipher", "burst"]),
    "digest.async": (IDLE, ["crypto-loop", "digest", "async"]),
    "digest.burst": (IDLE, ["crypto-loop", "digest", "burst"]),
    **{f"{alg}.async": (IDLE_HPRE, ["pubkey-loop", alg]) for alg in ("rsa", "dh", "ecdsa", "ecdh")},
    "ecdh-point.async": (IDLE_HPRE, ["pubkey-loop", "ecdh"]),
    "ccm.async": (IDLE, ["crypto-loop", "ccm", "async"]), "ccm.burst": (IDLE, ["crypto-loop", "ccm", "burst"]),
    **{f"{alg}.async": (COMPUTING_HPRE, ["pubkey-loop", alg]) for alg in ("ecdsa-verify", "x25519")},
    "aead.async": (IDLE, ["crypto-loop", "aead", "async"]), "aead.burst": (IDLE, ["crypto-loop", "aead", "burst"]),
    # Generation 2 of the hardware, which has no raw deflate; HPRE's descriptors, and so its drivers, are the same.
    **{f"{kind}.zlib": (NULL, ["zlib-loop", kind]) for kind in ("sync", "async", "burst")},
    **{f"{kind}.zlib.v2": (NULL_V2, ["zlib-loop", kind]) for kind in ("sync", "async", "burst")},
    **{f"{alg}.async.v2": (IDLE_V2, ["crypto-loop", alg, "async"]) for alg in ("cipher", "digest", "ccm", "aead")},
    # Through the libraries with UADK's names.
    **{f"uadk.{kind}": (NULL, ["uadk", kind]) for kind in ("sync", "async")},
}


def callgrind(out, devices, loop, requests, addresses):
    with tempfile.NamedTemporaryFile() as file:
        program, loop = ("wd-bench-uadk", loop[1:]) if loop[0] == "uadk" else ("wd-bench", loop)
        command = [f"{out}/bin/wd-emulate", *devices, "--", "valgrind", "-q", "--tool=callgrind",
                   f"--dump-instr={'yes' if addresses else 'no'}",
                   "--compress-strings=no", "--compress-pos=no", f"--callgrind-out-file={file.name}",
                   f"{out}/bench/{program}", *loop, str(requests)]
        env = {k: v for k, v in os.environ.items() if not k.startswith("WD_")}
        subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)
        return Counts(file.name)


@functools.cache
def difference(out, devices, loop, lengths, addresses):
    """What the longer of two runs executes beyond the shorter one: they go on side by side."""
    with ThreadPoolExecutor(len(lengths)) as pool:
        short, long = pool.map(lambda requests: callgrind(out, devices, loop, requests, addresses), lengths)
    long.minus(short)
    return long


def small_streams(out, library):
    """Instructions of a call of zlib's, with a stream of 100 bytes and no device."""
    totals = []
    for streams in (COMPUTED_SHORT, COMPUTED_LONG):
        with tempfile.NamedTemporaryFile() as file:
            subprocess.run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={file.name}",
                            f"{out}/bench/wd-bench", "zlib-small", library, str(streams)],
                           check=True, stdout=subprocess.DEVNULL)
            text = file.read().decode()
        totals.append(int(re.search(r"^(?:summary|totals): (\d+)", text, re.M).group(1)))
    return (totals[1] - totals[0]) / (COMPUTED_LONG - COMPUTED_SHORT) / CALLS_OF_STREAM


def locked_addresses(obj):
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", obj], capture_output=True, text=True,
                          check=True).stdout
    return {int(m.group(1), 16) for m in map(LOCKED.match, text.splitlines()) if m}


class Loop:
    """
    The cost of one kind of request: instructions, and the functions that execute them; addresses: also those of locked
    instructions.
    """

    def __init__(self, out, kind, addresses=True):
        devices, loop = KINDS[kind]
        lengths = (COMPUTED_SHORT, COMPUTED_LONG) if devices is COMPUTING_HPRE else (SHORT, LONG)
        n = lengths[1] - lengths[0]
        counts = difference(out, tuple(devices), tuple(loop), lengths, addresses)
        self._counts, self._requests = counts, n
        ours = {key: cost for key, cost in counts.by_function.items() if self._is_ours(kind, *key)}
        self.instructions = sum(ours.values()) / n
        self.shares = sorted(((cost / n, function, os.path.basename(obj)) for (obj, function), cost in ours.items()),
                             reverse=True)
        self._objects = {key[0] for key in ours}

    @staticmethod
    def _is_ours(kind, obj, function):
        """For a working device libc isn't counted: its calls can't be told from the library's."""
        if (function == POINT) != (kind == "ecdh-point.async"):
            return False
        return LIBRARIES.search(obj) if KINDS[kind][0] not in (NULL, NULL_V2) else not NOT_OURS.search(obj)

    def locked(self):
        total = 0
        for obj in filter(os.path.exists, self._objects):
            addresses = locked_addresses(obj)
            total += sum(cost for (o, address), cost in self._counts.by_address.items()
                         if o == obj and address in addresses)
        return total / self._requests
