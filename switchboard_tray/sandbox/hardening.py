"""What a worker gives up before a script comes: files, network, processes, more memory, more time. Inside the worker.

The engine must be taken for breakable; what it could reach then is taken away here. What a system has no means for is
left to the engine's own limits and to the gateway, which ends the process.
"""

import os
import sys
from collections.abc import Callable

_SPARE_BYTES = 64 << 20
_SPARE_S = 2


def memory_meter() -> Callable[[], int]:
    """A function that gives the most memory this process ever held, in bytes; it works when no file can be opened."""
    if sys.platform == "linux":
        status = os.open("/proc/self/status", os.O_RDONLY | os.O_CLOEXEC)

        def high_water() -> int:
            for line in os.pread(status, 4096, 0).splitlines():
                if line.startswith(b"VmHWM:"):
                    return int(line.split()[1]) * 1024
            return 0

        return high_water
    if sys.platform == "win32":
        return lambda: 0
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def prepare(parent: int) -> None:
    """Load what `close_in` needs, and have the process end with its `parent`, the gateway."""
    if sys.platform == "linux":
        from switchboard_tray.sandbox import seccomp

        seccomp.die_with(parent)
    elif sys.platform != "win32":
        import ctypes  # noqa: F401
        import resource  # noqa: F401


def close_in(memory_bytes: int, wall_s: float) -> list[str]:
    """Give up what is not needed; the protections that are on, in words."""
    if sys.platform == "win32":
        return []
    protections = _limited(memory_bytes, wall_s)
    if sys.platform == "linux":
        from switchboard_tray.sandbox import seccomp

        protections += seccomp.close_in()
    return protections


def probe() -> dict[str, bool]:
    """What is refused, found out by trying it."""
    tried = _ON_WINDOWS if sys.platform == "win32" else tuple(_ACTS)
    return {name: _is_refused(_ACTS[name]) for name in tried}


def _limited(memory_bytes: int, wall_s: float) -> list[str]:
    if sys.platform == "win32":
        return []
    import resource

    wanted = [
        ("no core dumps", "RLIMIT_CORE", 0),
        ("no files written", "RLIMIT_FSIZE", 0),
        ("processor time", "RLIMIT_CPU", int(wall_s) + _SPARE_S),
        ("no further processes", "RLIMIT_NPROC", 0),
        ("no further files", "RLIMIT_NOFILE", 4),
    ]
    if sys.platform == "linux":
        # Elsewhere it is not kept.
        wanted.append(("memory", "RLIMIT_AS", _address_space(memory_bytes)))
    done = []
    for words, name, value in wanted:
        try:
            resource.setrlimit(getattr(resource, name), (value, value))
            done.append(words)
        except (AttributeError, ValueError, OSError):
            continue
    return done


def _address_space(memory_bytes: int) -> int:
    """Twice what the script may have, beside what the process has already."""
    if sys.platform == "win32":
        return 0
    with open("/proc/self/statm", "rb") as file:
        pages = int(file.read().split()[0])
    return pages * os.sysconf("SC_PAGE_SIZE") + 2 * memory_bytes + _SPARE_BYTES


def _is_refused(act: Callable[[], object]) -> bool:
    try:
        act()
    except (OSError, MemoryError):
        return True
    return False


def _open_socket() -> None:
    import ctypes

    # The module for sockets would have to be loaded, which is refused before.
    if ctypes.CDLL(None).socket(2, 1, 0) < 0:
        raise OSError("refused")


def _open_file() -> None:
    os.open(__file__, os.O_RDONLY)


def _fork() -> None:
    if sys.platform != "win32" and os.fork() == 0:
        os._exit(0)


# What is tried is refused, or harmless: a file that is there, a socket that is not connected.
_ACTS: dict[str, Callable[[], object]] = {
    "open a file": _open_file,
    "write a file": lambda: os.open("/tmp", os.O_WRONLY),
    "list a folder": lambda: os.listdir("/"),
    "open a socket": _open_socket,
    "start a process": _fork,
    "run a program": lambda: os.execv(sys.executable, [sys.executable]),
    "signal another process": lambda: os.kill(os.getppid(), 0),
    "take 400 MB": lambda: bytearray(400 << 20),
}
_ON_WINDOWS = ("open a file", "take 400 MB")
"""What can be tried there without doing it."""
