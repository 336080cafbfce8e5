"""What is told of a server, with its own last words, and without the values that it was given to keep secret."""

from pathlib import Path

from switchboard_tray.redact import redact, spellings
from switchboard_tray.servers.stderr import StderrLog


class Words:
    """One process's words at a time; `stderr` keeps what it writes."""

    def __init__(self, path: Path) -> None:
        self.stderr = StderrLog(path)
        self.hidden: tuple[str, ...] = ()
        """What the server was started with and must not be shown where it repeats it."""
        self._spelled: tuple[str, ...] = ()

    def begin(self, hidden: tuple[str, ...]) -> None:
        """A new process speaks from now on, which knows these values."""
        self.hidden, self._spelled = hidden, spellings(hidden)
        self.stderr.begin(self._spelled)

    def shown(self, text: str) -> str:
        """`text` without values that must not be shown."""
        return redact(text, self._spelled)

    def explain(self, fault: str) -> str:
        """`fault` as a sentence, followed by the last lines of stderr."""
        tail = self.stderr.tail()
        return self.shown(f"{fault.rstrip('.')}. Its last words: {tail}" if tail else f"{fault.rstrip('.')}.")
