#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients of a TLS server on the loopback, eight at a time.

client.py handshakes PORT COUNT CAFILE [FILE]   full handshakes, each with a request of HTTP; on until FILE exists
client.py vanish PORT COUNT                     clients that go away in the middle of a handshake

The first fails if one handshake does. What is offered to the server is up to the file OPENSSL_CONF.
"""
import itertools
import os
import random
import socket
import ssl
import struct
import sys
import threading

PARALLEL = 8
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


def all_of(work, more):
    """Lets threads do the work until more() says that there is none; returns what has failed."""
    failures = []

    def thread():
        while more():
            try:
                work()
            except (OSError, ssl.SSLError) as error:
                failures.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=thread) for _ in range(PARALLEL)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return failures


def main():
    mode, port, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    begun = itertools.count()
    if mode == "handshakes":
        context = ssl.create_default_context(cafile=sys.argv[4])
        until = sys.argv[5] if len(sys.argv) > 5 else None
        failures = all_of(lambda: handshake(context, port),
                          lambda: next(begun) < count or (until and not os.path.exists(until)))
    else:
        message, chance = hello(), random.Random(port)
        failures = all_of(lambda: vanish(message, port, chance), lambda: next(begun) < count)
    done = next(begun) - PARALLEL
    print(f"{done - len(failures)} of {done}")
    for failure, times in {f: failures.count(f) for f in failures}.items():
        print(f"{times} times {failure}")
    sys.exit(1 if failures else 0)


main()
