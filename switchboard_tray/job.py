"""A Windows Job object: what holds a process and everything it starts, and ends with us even if we are killed.

Elsewhere a process group does this, and the leftovers of a killed gateway are found at the next start.
"""

import sys

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _LIMIT_INFORMATION = 9
    _KILL_ON_CLOSE, _ACTIVE_PROCESSES, _PROCESS_MEMORY = 0x2000, 0x0008, 0x0100
    _SET_QUOTA, _TERMINATE = 0x0100, 0x0001

    class _BasicLimits(ctypes.Structure):
        _fields_ = (
            ("PerProcessUserTimeLimit", ctypes.c_int64),
            ("PerJobUserTimeLimit", ctypes.c_int64),
            ("LimitFlags", wintypes.DWORD),
            ("MinimumWorkingSetSize", ctypes.c_size_t),
            ("MaximumWorkingSetSize", ctypes.c_size_t),
            ("ActiveProcessLimit", wintypes.DWORD),
            ("Affinity", ctypes.c_size_t),
            ("PriorityClass", wintypes.DWORD),
            ("SchedulingClass", wintypes.DWORD),
        )

    class _ExtendedLimits(ctypes.Structure):
        _fields_ = (
            ("BasicLimitInformation", _BasicLimits),
            ("IoInfo", ctypes.c_uint64 * 6),
            ("ProcessMemoryLimit", ctypes.c_size_t),
            ("JobMemoryLimit", ctypes.c_size_t),
            ("PeakProcessMemoryUsed", ctypes.c_size_t),
            ("PeakJobMemoryUsed", ctypes.c_size_t),
        )

    class Job:
        """Holds one process tree; the system ends the tree when the last handle of the job closes."""

        def __init__(self, pid: int) -> None:
            self._kernel = ctypes.WinDLL("kernel32", use_last_error=True)
            for name in ("CreateJobObjectW", "OpenProcess"):
                getattr(self._kernel, name).restype = wintypes.HANDLE
            self._handle = wintypes.HANDLE(self._kernel.CreateJobObjectW(None, None))
            limits = _ExtendedLimits()
            limits.BasicLimitInformation.LimitFlags = _KILL_ON_CLOSE
            self._set(limits)
            process = wintypes.HANDLE(self._kernel.OpenProcess(_SET_QUOTA | _TERMINATE, False, pid))
            self._kernel.AssignProcessToJobObject(self._handle, process)
            self._kernel.CloseHandle(process)

        def restrict(self, memory_bytes: int) -> None:
            """Have it start no further process, and hold no more memory than that."""
            limits = _ExtendedLimits()
            limits.BasicLimitInformation.LimitFlags = _KILL_ON_CLOSE | _ACTIVE_PROCESSES | _PROCESS_MEMORY
            limits.BasicLimitInformation.ActiveProcessLimit = 1
            limits.ProcessMemoryLimit = memory_bytes
            self._set(limits)

        def _set(self, limits: _ExtendedLimits) -> None:
            self._kernel.SetInformationJobObject(
                self._handle, _LIMIT_INFORMATION, ctypes.byref(limits), ctypes.sizeof(limits)
            )

        def terminate(self) -> None:
            """End every process in it."""
            self._kernel.TerminateJobObject(self._handle, 1)

        def close(self) -> None:
            """Let go of it; what is still in it ends."""
            self._kernel.CloseHandle(self._handle)
            self._handle = wintypes.HANDLE(None)

else:

    class Job:
        """Nothing to hold here: the process group does it."""

        def __init__(self, pid: int) -> None:
            self._pid = pid

        def restrict(self, memory_bytes: int) -> None:
            """The process limits itself."""

        def terminate(self) -> None:
            """The signals to the group have done it."""

        def close(self) -> None:
            """Nothing was held."""
