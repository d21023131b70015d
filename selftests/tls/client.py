#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients of a TLS server on the loopback, PARALLEL at a time.

client.py PORT COUNT PARALLEL handshakes CAFILE [FILE]   full ones, each with a request of HTTP; on until FILE exists
client.py PORT COUNT PARALLEL vanish                     clients that go away in the middle of a handshake
client.py PORT COUNT PARALLEL paced CAFILE RATE          full handshakes, of which RATE begin in each second

It fails if one client does. What is offered to the server is up to the file OPENSSL_CONF.
"""
import itertools
import os
import random
import socket
import ssl
import struct
import sys
import threading
import time

# Seconds. Only a server that hangs reaches them.
LIMIT = 60


def connected(port):
    return socket.create_connection(("127.0.0.1", port), timeout=LIMIT)


def handshake(context, port):
    """One full handshake, and an answer."""
    with connected(port) as raw, context.wrap_socket(raw, server_hostname="localhost") as connection:
        connection.sendall(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
        answer = b""
        while more := connection.recv(4096):
            answer += more
    if b"hello" not in answer:
        raise ssl.SSLError(f"expected hello, got {answer[:100]!r}")


def hello():
    """The first message of a client that knows its server by no certificate."""
    context = ssl._create_unverified_context()
    sent = ssl.MemoryBIO()
    try:
        context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        pass
    return sent.read()


def vanish(message, port, chance):
    """Closes, or breaks off, somewhere between the first byte and the server's answer."""
    with connected(port) as raw:
        stage = chance.randrange(4)
        raw.sendall(message[:chance.randrange(1, len(message))] if stage == 0 else message)
        if stage >= 2:
            raw.settimeout(chance.random() / 100)
            try:
                raw.recv(100 if stage == 2 else 10000)
            except (TimeoutError, ConnectionError):
                pass
        if chance.randrange(2):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def all_of(work, parallel, more):
    """Lets threads do the work until more() says that there is none; returns what has failed."""
    failures = []

    def thread():
        while more():
            try:
                work()
            except (OSError, ssl.SSLError) as error:
                failures.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=thread) for _ in range(parallel)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return failures


def work_of(mode, port):
    if mode in ("handshakes", "paced"):
        context = ssl.create_default_context(cafile=sys.argv[5])
        return lambda: handshake(context, port)
    message, chance = hello(), random.Random(port)
    return lambda: vanish(message, port, chance)


def main():
    port, count, parallel = map(int, sys.argv[1:4])
    mode, last = sys.argv[4], sys.argv[6] if len(sys.argv) > 6 else None
    begun, start = itertools.count(), time.monotonic()

    def more():
        number = next(begun)
        if mode == "paced" and number < count:
            time.sleep(max(0, start + number / int(last) - time.monotonic()))
        return number < count or (mode == "handshakes" and last and not os.path.exists(last))

    failures = all_of(work_of(mode, port), parallel, more)
    done = next(begun) - parallel
    print(f"{done - len(failures)} of {done}")
    for failure in sorted(set(failures)):
        print(f"{failures.count(failure)} times {failure}")
    sys.exit(1 if failures else 0)


main()
