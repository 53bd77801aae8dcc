"""Limits of a sandboxed child, set before it reads an untrusted file: rlimits, no network, a seccomp filter."""

import ctypes
import math
import os
import platform
import resource
import signal
import struct
import sys
import time
from functools import cache
from pathlib import Path

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
CLONE_THREAD = 0x00010000
PR_SET_PDEATHSIG = 1
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
PAGE_BYTES = resource.getpagesize()
MOST_DESCRIPTORS = 1024


def mapped_bytes() -> int:
    """How much address space this process has."""
    statm = Path("/proc/self/statm")
    return int(statm.read_text().split()[0]) * PAGE_BYTES if statm.exists() else 0


def limit_descriptors() -> None:
    """Keep descriptors below a small number, so that a child can close all that it inherited one by one."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(MOST_DESCRIPTORS, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, also if it has ended already.

    The parent must have one thread.
    """
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def leave_network() -> bool:
    """Move into an empty network namespace, and out of root's privileges, where the kernel lets us."""
    return sys.platform == "linux" and int(_libc().unshare(CLONE_NEWUSER | CLONE_NEWNET)) == 0


def set_limits(*, cpu_s: int, memory_bytes: int) -> None:
    """Bound time and memory, and forbid every new file, socket, written byte and core dump.

    Both count from here: loading the work is not counted against the file. Descriptors that are open
    already go on working; a limit of zero forbids new ones only.
    """
    most_s, most_bytes = math.ceil(time.process_time()) + cpu_s, mapped_bytes() + memory_bytes
    resource.setrlimit(resource.RLIMIT_CPU, (most_s, most_s + 1))
    resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))
    for nothing in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
        resource.setrlimit(nothing, (0, 0))


def install_filter() -> bool:
    """Have the kernel refuse every call that no decoder needs: opening, deleting, connecting, starting, killing."""
    program = seccomp_filter()
    if not program:
        return False
    instructions = ctypes.create_string_buffer(program, len(program))
    whole = _Program(len(program) // _INSTRUCTION.size, ctypes.addressof(instructions))
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    return _prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(whole)) == 0


@cache
def seccomp_filter() -> bytes:
    """Return the filter for this machine, empty where there is none; a fork server builds it once for all children."""
    machine = platform.machine()
    return _filter(_MACHINES.index(machine)) if sys.platform == "linux" and machine in _MACHINES else b""


# --- The filter (seccomp, classic BPF) --------------------------------------------------------------------------------

_MACHINES = ("x86_64", "aarch64")
_AUDIT_ARCHITECTURE = (0xC000003E, 0xC00000B7)
_CLONE = (56, 220)
# All that is left, numbered as on each of the machines: memory, time, threads, and descriptors that are open already.
# No fcntl and no kill: with them a child could signal other processes. `abort` then ends in an illegal instruction.
# `getcwd` is for the compiler, which a child needs for a kind of array that no warm-up has compiled.
_ALLOWED = {
    "read": (0, 63),
    "pread64": (17, 67),
    "preadv": (295, 69),
    "lseek": (8, 62),
    "futex": (202, 98),
    "mmap": (9, 222),
    "munmap": (11, 215),
    "mremap": (25, 216),
    "mprotect": (10, 226),
    "madvise": (28, 233),
    "brk": (12, 214),
    "clock_gettime": (228, 113),
    "sendto": (44, 206),
    "sendmsg": (46, 211),
    "recvfrom": (45, 207),
    "write": (1, 64),
    "writev": (20, 66),
    "readv": (19, 65),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "close": (3, 57),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "getrusage": (98, 165),
    "times": (100, 153),
    "getrandom": (318, 278),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "getcpu": (309, 168),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "sysinfo": (99, 179),
    "uname": (63, 160),
    "getcwd": (79, 17),
    "membarrier": (324, 283),
    "rseq": (334, 293),
    "set_robust_list": (273, 99),
    "restart_syscall": (219, 128),
    "exit": (60, 93),
    "exit_group": (231, 94),
}
_INSTRUCTION = struct.Struct("=HBBI")  # struct sock_filter: code, lines to skip if true, if false, operand
_LOAD, _IF_EQUAL, _IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16  # in struct seccomp_data
_ALLOW = 0x7FFF0000
# ENOSYS rather than EPERM: the C library then tries an older call, or gives up in good order.
_NO_SUCH_CALL = 0x00050026


class _Program(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def _filter(machine: int) -> bytes:
    """Allow the listed calls, and `clone` for threads only."""
    lines = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_IF_EQUAL, 1, 0, _AUDIT_ARCHITECTURE[machine]),
        (_RETURN, 0, 0, _NO_SUCH_CALL),
        (_LOAD, 0, 0, _NUMBER_AT),
    ]
    for numbers in _ALLOWED.values():
        lines += [(_IF_EQUAL, 0, 1, numbers[machine]), (_RETURN, 0, 0, _ALLOW)]
    lines += [
        (_IF_EQUAL, 0, 3, _CLONE[machine]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
        (_IF_ANY_BIT, 0, 1, CLONE_THREAD),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _NO_SUCH_CALL),
    ]
    return b"".join(_INSTRUCTION.pack(*line) for line in lines)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, argument: int, pointer: int = 0) -> int:
    if sys.platform != "linux":
        return -1
    return int(_libc().prctl(option, ctypes.c_ulong(argument), ctypes.c_ulong(pointer), 0, 0))
