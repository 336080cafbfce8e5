"""What can go wrong, as one small tree: a message for a person and a hint that says what to do next.

```
SwitchboardError      anything a person should read; `.hint` is the way out
├─ ConfigError        the config is not valid; `.problems` names each fault
│  └─ ConfigConflict  the file or the entry is no longer what the edit was based on
├─ NotFound           no such profile, server or tool (a tool outside the profile reads the same)
├─ ServerError        a server cannot answer: not started, busy, gone, paused
│  ├─ ConnectionLost  a server went away before it answered
│  └─ CallTimeout     a server took longer than `callTimeoutSec`
├─ Refused            the gateway will not do it: wrong state, wrong token
└─ GatewayError       seen by clients of the gateway: not running, not ours, already running
```
Translated in two places only: `gateway.dispatch` (to MCP) and `admin.api` (to HTTP). A bug is not in this tree.
"""

from collections.abc import Sequence


class SwitchboardError(Exception):
    """An error meant for a person: `str(error)` is one sentence, `hint` what to do next (may be empty)."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    @property
    def message(self) -> str:
        """The sentence without the hint."""
        return str(self)


class ConfigError(SwitchboardError):
    """The config is not valid. `problems` holds one line for each fault, all found at once."""

    def __init__(self, message: str, *, problems: Sequence[str] = (), hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.problems = tuple(problems)


class ConfigConflict(ConfigError):
    """The edit was based on something that changed meanwhile, or it would overwrite an entry that exists."""


class NotFound(SwitchboardError):
    """No such profile, server or tool. For a tool it also means: not in this profile."""


class ServerError(SwitchboardError):
    """A server cannot answer now: it failed to start, is busy, went away, or is switched off."""


class ConnectionLost(ServerError):
    """A server went away before it answered. `was_sent`: it may have acted on the request."""

    def __init__(self, message: str, *, was_sent: bool, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.was_sent = was_sent


class CallTimeout(ServerError):
    """A server did not answer a call in time."""


class Refused(SwitchboardError):
    """The gateway understands the request and will not do it in its present state."""


class GatewayError(SwitchboardError):
    """The gateway cannot be reached as ours: it does not run, or something else holds its port."""
