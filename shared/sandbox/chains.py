"""What a child process takes from itself before it opens an untrusted file.

Standard library only: the libraries that are most likely to be attacked are loaded in chains.
"""

import resource


def confine(*, memory_bytes: int, cpu_s: int) -> None:
    for kind, soft, hard in (
        (resource.RLIMIT_AS, memory_bytes, memory_bytes),
        # With both equal the kernel kills at once, and its signal would not say why.
        (resource.RLIMIT_CPU, cpu_s, cpu_s + 1),
        # Nothing is written, no core is dumped, and a handful of descriptors is plenty.
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_NOFILE, 32, 32),
    ):
        resource.setrlimit(kind, (soft, hard))
