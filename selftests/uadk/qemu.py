#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Migrates a guest between two QEMUs over a socket, with multifd-compression=uadk.

usage: qemu.py QEMU FROM TO CHANNELS

FROM and TO are options of wd-emulate for the QEMU on that side, or "none". The guest has one CPU, which writes to its
memory all the time. Prints what happened, in words that a script compares; the exit status is 0 if the migration
ended, in whatever way, and the guest goes on at the end where it then is.
"""
import json
import os
import random
import socket
import struct
import subprocess
import sys
import time

MEMORY = 64 << 20
PAGE = 4096
LONGEST = 600           # seconds that only a hang takes
# The guest's program, and the memory in which it counts, once in each page.
START, COUNTED, COUNTED_END = 0x1000, 0x100000, 0x300000
T0, T1, A0, A1 = 5, 6, 10, 11


def program():
    """RISC-V: counts in each page of a range, for ever."""
    def lui(rd, value):
        return value | rd << 7 | 0x37
    return struct.pack(
        "<8I",
        lui(A1, COUNTED_END),
        lui(T0, PAGE),
        lui(A0, COUNTED),
        1 << 20 | T1 << 15 | T1 << 7 | 0x13,                    # addi t1, t1, 1
        T1 << 20 | A0 << 15 | 3 << 12 | 0x23,                   # sd t1, 0(a0)
        T0 << 20 | A0 << 15 | A0 << 7 | 0x33,                   # add a0, a0, t0
        0xfe000ae3 | A1 << 20 | A0 << 15 | 6 << 12,             # bltu a0, a1, -12
        0xfedff06f)                                             # j -20


def memory():
    """Pages of text, of noise, of both, and of zeroes, in turns."""
    rand = random.Random(40)
    words = b"queue context descriptor doorbell session ring completion ".split()
    whole = bytearray(MEMORY)
    for at in range(COUNTED_END, MEMORY, PAGE):
        kind = at // PAGE % 4
        text = b" ".join(rand.choices(words, k=700))[:PAGE]
        noise = rand.randbytes(PAGE)
        page = (text, noise, text[:PAGE // 2] + noise[:PAGE // 2], bytes(PAGE))[kind]
        whole[at:at + len(page)] = page
    code = program()
    whole[START:START + len(code)] = code
    return whole


class Qemu:
    """One side: a process, perhaps with devices, and its monitor."""
    def __init__(self, program, name, devices, *more):
        self.name = name
        run = [] if devices == "none" else ["wd-emulate", "--stats", name + ".stats"] + devices.split() + ["--"]
        with open(name + ".log", "w") as log:
            self.process = subprocess.Popen(
                run + [program, "-M", "none,memory-backend=ram", "-m", str(MEMORY >> 20), "-cpu", "rv64",
                       "-object", f"memory-backend-file,id=ram,size={MEMORY},mem-path={name}.ram,share=on",
                       "-nodefaults", "-display", "none", "-qmp", f"unix:{name}.qmp,server=on,wait=off", *more],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.monitor = socket.socket(socket.AF_UNIX)
        self.wait(self.connected)
        self.answers = self.monitor.makefile()
        self.answer()
        self.ask("qmp_capabilities")

    def connected(self):
        """Whether the monitor is there."""
        try:
            self.monitor.connect(self.name + ".qmp")
        except OSError:
            return False
        return True

    def wait(self, true):
        """Until something is true; a QEMU that has ended says why in its log."""
        for _ in range(LONGEST * 20):
            if true():
                return
            if self.process.poll() is not None:
                with open(self.name + ".log") as log:
                    sys.exit(f"{self.name} has ended:\n{log.read()}")
            time.sleep(0.05)
        sys.exit(f"{self.name}: no end after {LONGEST} s")

    def answer(self):
        """The next answer; events are passed over."""
        while True:
            line = self.answers.readline()
            if not line:
                sys.exit(f"{self.name} closed its monitor")
            message = json.loads(line)
            if "event" not in message:
                return message

    def ask(self, command, **arguments):
        """The result of a command."""
        self.monitor.sendall(json.dumps({"execute": command, "arguments": arguments}).encode())
        message = self.answer()
        if "error" in message:
            sys.exit(f"{self.name}: {command}: {message['error']['desc']}")
        return message["return"]

    def prepare(self, channels):
        """The same settings on both sides; the pauses at the end are as long as they may be."""
        self.ask("migrate-set-capabilities", capabilities=[
            {"capability": "multifd", "state": True}, {"capability": "events", "state": True}])
        self.ask("migrate-set-parameters", **{
            "multifd-channels": channels, "multifd-compression": "uadk", "downtime-limit": 60000,
            "max-bandwidth": 1 << 40})

    def migration(self):
        """Its state."""
        return self.ask("query-migrate").get("status", "none")

    def counter(self):
        """What the guest has counted last in its first page."""
        with open(self.name + ".ram", "rb") as ram:
            ram.seek(COUNTED)
            return ram.read(8)

    def goes_on(self):
        """Waits until the guest counts."""
        before = self.counter()
        self.wait(lambda: self.counter() != before)

    def end(self):
        """Quits, so that wd-emulate writes its counts; the other side of a migration that failed may be gone."""
        try:
            self.monitor.sendall(b'{"execute": "quit"}')
        except BrokenPipeError:
            pass
        self.process.wait()


def same():
    """Whether both sides have the same memory."""
    with open("from.ram", "rb") as one, open("to.ram", "rb") as other:
        return one.read() == other.read()


def migrate(here, there):
    """Runs a migration to its end, and returns its state."""
    there.ask("migrate-incoming", uri="unix:migration")
    here.ask("migrate", uri="unix:migration")
    here.wait(lambda: here.migration() in ("completed", "failed"))
    return here.migration()


def main():
    program_path, devices, others, channels = sys.argv[1:]
    with open("from.ram", "wb") as ram:
        ram.write(memory())
    with open("to.ram", "wb") as ram:
        ram.truncate(MEMORY)
    here = Qemu(program_path, "from", devices)
    there = Qemu(program_path, "to", others, "-S", "-incoming", "defer")
    for side in here, there:
        side.prepare(int(channels))
    here.goes_on()
    state = migrate(here, there)
    facts = here.ask("query-migrate")
    if state == "completed":
        there.wait(lambda: there.migration() == "completed")
        print("memory is the same" if same() else "memory differs")
        there.ask("cont")
        there.goes_on()
        print("the guest goes on at the other side")
    else:
        print("failed:", facts.get("error-desc"))
        here.goes_on()
        print("the guest goes on where it was")
    ram = facts.get("ram", {})
    print("pages", ram.get("normal"), "zeroes", ram.get("duplicate"), "rounds", ram.get("dirty-sync-count"),
          "bytes", ram.get("multifd-bytes"))
    here.end()
    there.end()
    for name in "from.ram", "to.ram":
        os.remove(name)


main()
