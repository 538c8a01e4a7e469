"""What a child may not ask of the kernel: the network, other programs, other processes.

A filter (seccomp) that a process puts on itself needs no privilege and cannot be taken off
again. It is a second wall: where the kernel or the machine has none, the limits still hold.
"""

import ctypes
import platform
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
ALLOW, ERRNO, NO_ACCESS, NO_SUCH_CALL = 0x7FFF0000, 0x00050000, 13, 38
# Of another architecture or numbering, the same numbers would mean other calls.
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
OTHER_NUMBERING = 0x40000000
# socket, execve, execveat, fork, vfork, ptrace, process_vm_readv, process_vm_writev, kill,
# tkill, tgkill excepted: a library aborts with it. io_uring_setup could do them all unseen.
DENIED = {
    "x86_64": (41, 59, 322, 57, 58, 101, 310, 311, 62, 425),
    "aarch64": (198, 221, 281, 117, 270, 271, 129, 425),
}
# Its flags lie in memory, where no filter sees them. Without it threads are made by `clone`.
CLONE3 = 435
CLONE = {"x86_64": 56, "aarch64": 220}
CLONE_THREAD = 0x00010000

LOAD, JUMP_EQUAL, JUMP_ABOVE, JUMP_BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
AT_NUMBER, AT_ARCHITECTURE, AT_FIRST_ARGUMENT = 0, 4, 16

Step = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def forbid() -> bool:
    """False where it cannot be had."""
    machine = platform.machine()
    if sys.platform != "linux" or machine not in DENIED:
        return False
    steps = b"".join(struct.pack("=HBBI", *step) for step in _filter(machine))
    program = _Program(len(steps) // 8, steps)
    prctl = ctypes.CDLL(None).prctl
    if prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return bool(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0)


def _filter(machine: str) -> list[Step]:
    refuse, missing = (RETURN, 0, 0, ERRNO | NO_ACCESS), (RETURN, 0, 0, ERRNO | NO_SUCH_CALL)
    steps: list[Step] = [
        (LOAD, 0, 0, AT_ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        refuse,
        (LOAD, 0, 0, AT_NUMBER),
        (JUMP_ABOVE, 0, 1, OTHER_NUMBERING),
        refuse,
        (JUMP_EQUAL, 0, 1, CLONE3),
        missing,
    ]
    for number in DENIED[machine]:
        steps += [(JUMP_EQUAL, 0, 1, number), refuse]
    # A thread is made, a process is not.
    steps += [
        (JUMP_EQUAL, 0, 3, CLONE[machine]),
        (LOAD, 0, 0, AT_FIRST_ARGUMENT),
        (JUMP_BITS, 1, 0, CLONE_THREAD),
        refuse,
        (RETURN, 0, 0, ALLOW),
    ]
    return steps
