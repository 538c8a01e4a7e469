"""What a child process takes from itself before it opens an untrusted file.

Standard library only: the libraries that are most likely to be attacked are loaded in chains.
Processor time is counted by the kernel for the whole life of a process, but a document may only
use up its own: so each is `allowed` its seconds on top of what was used before, while the hard
limit, which no process can raise again, is what all documents of one life may use together.
"""

import ctypes
import math
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1


def confine(*, memory_bytes: int, life_cpu_s: int) -> None:
    for kind, soft, hard in (
        (resource.RLIMIT_AS, memory_bytes, memory_bytes),
        (resource.RLIMIT_CPU, life_cpu_s, life_cpu_s),
        # Nothing is written, no core is dumped, and a handful of descriptors is plenty.
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NOFILE, 64, 64),
    ):
        resource.setrlimit(kind, (soft, hard))


def allow(cpu_s: int) -> None:
    """So many seconds from now on. Over them the kernel sends SIGXCPU, which says why; at the
    hard limit it kills, and its signal would not."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = math.ceil(used.ru_utime + used.ru_stime) + cpu_s
    resource.setrlimit(resource.RLIMIT_CPU, (min(soft, hard), hard))


def die_with_the_parent() -> None:
    """A child in the middle of a document does not read the pipe that has closed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
