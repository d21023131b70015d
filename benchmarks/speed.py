# SPDX-License-Identifier: Apache-2.0
"""The openssl command with the provider on a machine without devices, and without the provider."""

import os
import resource
import shutil
import statistics
import subprocess
import tempfile

ALGS = {"rsa2048-sign": "rsa2048", "ecdsa-p256-sign": "ecdsap256", "x25519": "ecdhx25519", "ecdh-p256": "ecdhp256"}
TURNS = 3
STARTS = 50
STUCK_S = 120


class Speed:
    """Runs in which the provider is left out, or computes by libcrypto."""

    def __init__(self, out):
        self.out = out
        self.missing = next((what for what, there in (
            ("openssl", shutil.which("openssl")),
            ("provider", os.path.exists(f"{out}/ossl-modules/warpdrive.so"))) if not there), None)

    def environment(self, conf):
        env = {k: v for k, v in os.environ.items() if not k.startswith("WD_")}
        return env | {"OPENSSL_MODULES": f"{self.out}/ossl-modules", "OPENSSL_CONF": conf or os.devnull}

    def per_start(self, conf):
        """Microseconds of CPU time of a program that does nothing but start."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        for _ in range(STARTS):
            subprocess.run(["openssl", "list", "-providers"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env=self.environment(conf), timeout=STUCK_S, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return 1e6 * used / STARTS

    def per_second(self, alg, *options, conf=None):
        """Operations per second; those of the private key, if the algorithm has two."""
        command = ["openssl", "speed", "-mr", "-seconds", "1", *options, ALGS[alg]]
        env = self.environment(conf) | {"WD_OPENSSL_DEVICES": "later", "WD_OPENSSL_LOG": "off"}
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env,
                              timeout=STUCK_S, check=True)
        return float(next(line for line in reversed(done.stdout.splitlines()) if line.startswith("+F")).split(":")[3])

    def taken_in_turns(self, first, second):
        """Medians of two measurements that take turns."""
        with tempfile.NamedTemporaryFile("w", suffix=".cnf") as conf:
            subprocess.run([f"{self.out}/bin/wdctl", "export", "openssl"], stdout=conf, check=True)
            samples = [(first(conf.name), second(conf.name)) for _ in range(TURNS)]
        return tuple(map(statistics.median, zip(*samples)))


def by_libcrypto(speed, alg):
    """Nanoseconds of an operation by way of the provider, when libcrypto computes it, and without the provider."""
    plain, ours = speed.taken_in_turns(lambda conf: speed.per_second(alg),
                                       lambda conf: speed.per_second(alg, conf=conf))
    return 1e9 / ours, 1e9 / plain


def start(speed):
    """Microseconds of a start with the provider and without any, with configurations that are alike otherwise."""
    with tempfile.NamedTemporaryFile("w", suffix=".cnf") as other:
        def without(conf):
            other.seek(0)
            with open(conf, encoding="utf-8") as lines:
                other.writelines(line for line in lines if not line.startswith("warpdrive = "))
            other.flush()
            return speed.per_start(other.name)
        return speed.taken_in_turns(speed.per_start, without)
