# SPDX-License-Identifier: Apache-2.0
"""What the runs of a build folder share: lanes on the host, and VMs; imported by runner.py."""

import contextlib
import fcntl
import sys

# More lanes help nobody: an emulated device and its clients spin for each other, so on a crowded CPU they take several
# times as long.
LANES = 3
# A VM mostly waits or uses one CPU, and two of them leave the programs of the host behind.
MACHINES = 2


def taken(file):
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class Shared:
    """Locks in a folder, or none without a folder; who waits for one ends with the run, of which ended tells."""

    def __init__(self, folder, ended):
        self.folder, self.ended = folder, ended

    def lane(self):
        return self._any([f"lane-{number}" for number in range(LANES)])

    def machine(self):
        return self._any([f"vm-{number}" for number in range(MACHINES)])

    def only(self, name):
        return self._any([name])

    @contextlib.contextmanager
    def _any(self, names):
        with contextlib.ExitStack() as stack:
            files = [stack.enter_context(open(f"{self.folder}/{name}.lock", "w")) for name in names if self.folder]
            while files and not any(taken(file) for file in files):
                if self.ended.wait(0.2):
                    sys.exit()
            yield
