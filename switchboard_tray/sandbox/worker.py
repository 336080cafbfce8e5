"""The process that runs one script: ``python -I -S worker.py FOLDERS PARENT``.

Until the script comes it waits; the end of its input, which is the end of the gateway, ends it.
"""

import os
import sys

sys.path[:0] = sys.argv[1].split(os.pathsep)

from switchboard_tray.sandbox import engine, frames, hardening  # noqa: E402


def read_exactly(count: int) -> bytes:
    """So many bytes of the input; ends the process where there are no more."""
    parts = []
    while count:
        part = os.read(0, min(count, 1 << 20))
        if not part:
            os._exit(0)
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def send(message: bytes) -> None:
    """Write a whole message."""
    view = memoryview(message)
    while view:
        view = view[os.write(1, view) :]


def main() -> None:
    """Run the one script that comes."""
    if sys.platform == "win32":
        import msvcrt

        # Else the system takes bytes for lines of text.
        for descriptor in (0, 1):
            msvcrt.setmode(descriptor, os.O_BINARY)
    used_bytes = hardening.memory_meter()
    hardening.prepare(int(sys.argv[2]))
    send(frames.pack({"type": "ready"}))
    order, (source,) = frames.receive(read_exactly)
    protections = hardening.close_in(order["memoryBytes"], order["wallS"])
    limits = engine.Limits(order["memoryBytes"], order["calls"], order["resultChars"], order["logChars"])

    def exchange(calls: list[engine.Call], logs: str, is_log_cut: bool) -> tuple[list[engine.Settled], float]:
        asked = [[number, server, method] for number, server, method, _ in calls]
        head = {"type": "calls", "calls": asked, "logs": logs, "isLogCut": is_log_cut}
        send(frames.pack(head, [arguments for *_, arguments in calls]))
        answer, texts = frames.receive(read_exactly)
        results = zip(answer["results"], texts, strict=True)
        return [engine.Settled(number, is_done, text) for (number, is_done), text in results], answer["leftS"]

    if order.get("probe"):
        send(frames.pack({"type": "probed", "protections": protections, "refused": hardening.probe()}))
        return
    missed: list[tuple[str, str]] = []
    try:
        run = engine.Engine(limits, order["mark"], used_bytes)
        ended = run.run(source.decode("utf-8", "surrogatepass"), order["servers"], order["wallS"], exchange)
        missed = run.missed
    except MemoryError:
        ended = {"ok": False, "kind": "memory", "name": "OutOfMemory", "message": "the memory is used up"}
    except Exception as exc:
        # A bug of ours, or an engine that lost its senses.
        ended = {"ok": False, "kind": "aborted", "name": "Crash", "message": f"the engine failed: {exc!r}"}
    send(frames.pack({"type": "done", **ended, "missed": missed, "memoryBytes": used_bytes()}))


if __name__ == "__main__":
    try:
        main()
    finally:
        # Nothing is put in order: the script's objects would be asked along the way.
        os._exit(0)
