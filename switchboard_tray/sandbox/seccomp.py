"""Linux: the process dies with its parent, can gain no rights, and may make few system calls. Inside the worker."""

import ctypes
import os
import platform
import signal
import struct
import sys

if sys.platform != "linux":
    raise ImportError("these are calls of Linux")

_SET_PDEATHSIG, _SET_SECCOMP, _SET_NO_NEW_PRIVS = 1, 22, 38
_FILTER_MODE = 2
_ALLOW, _KILL_PROCESS = 0x7FFF0000, 0x80000000
_REFUSE = 0x00050000 | 1  # EPERM
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4
# What an interpreter needs that reads, writes, computes and ends. By architecture: its name for the kernel, then the
# numbers of read, write, pread64, mmap, mprotect, munmap, brk, mremap, madvise, futex, exit, exit_group, rt_sigreturn,
# rt_sigaction, rt_sigprocmask, clock_gettime, clock_nanosleep, gettimeofday, getpid, gettid, getrandom,
# restart_syscall, sigaltstack, sched_yield, rseq, set_robust_list.
_ALLOWED = {
    "x86_64": (
        0xC000003E,
        (0, 1, 17, 9, 10, 11, 12, 25, 28, 202, 60, 231, 15, 13, 14, 228, 230, 96, 39, 186, 318, 219, 131, 24, 334, 273),
    ),
    "aarch64": (
        0xC00000B7,
        (63, 64, 67, 222, 226, 215, 214, 216, 233, 98, 93, 94, 139, 134, 135, 113, 115, 169, 172, 178, 278, 128, 132,
         124, 293, 99),
    ),
}  # fmt: skip
_libc = ctypes.CDLL(None, use_errno=True)
_machine = platform.machine()


def die_with(parent: int) -> None:
    """Have the kernel end this process when `parent`, which started it, ends."""
    _libc.prctl(_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        # It ended before.
        os._exit(0)


def close_in() -> list[str]:
    """Refuse all system calls but those in the list; the protections that are on, in words."""
    if _libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return []
    done = ["no new rights"]
    allowed = _ALLOWED.get(_machine)
    if allowed is not None and _install(_program(*allowed)):
        done.append("few system calls")
    return done


def _program(architecture: int, numbers: tuple[int, ...]) -> bytes:
    """A filter for the kernel: of another architecture, the process is killed; what is not listed is refused."""
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER_AT),
        *((_EQUAL, len(numbers) - at, 0, number) for at, number in enumerate(numbers)),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps)


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("program", ctypes.c_void_p))


def _install(program: bytes) -> bool:
    text = ctypes.create_string_buffer(program, len(program))
    asked = _Filter(len(program) // 8, ctypes.addressof(text))
    return not _libc.prctl(_SET_SECCOMP, _FILTER_MODE, ctypes.byref(asked), 0, 0)
