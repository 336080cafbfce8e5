"""Who may use the admin API: whoever holds the token of this user's state folder.

`hello` lets a program make sure that the port is held by our gateway before it sends the token there.
"""

import hmac
import os
import secrets
from hashlib import sha256
from pathlib import Path

from switchboard_tray.jsonfile import write_atomic

TOKEN_BYTES = 32
NONCE_CHARS = 128


def read_or_make_token(path: Path) -> str:
    """The admin token, made at the first start; readable by its user alone."""
    try:
        token = path.read_text().strip()
        if os.name == "posix" and path.stat().st_mode & 0o077:
            path.chmod(0o600)
    except (FileNotFoundError, UnicodeDecodeError):
        token = ""
    if len(token) < TOKEN_BYTES:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        write_atomic(path, token.encode())
    return token


def prove(token: str, nonce: str) -> str:
    """What only a holder of the token can answer to `nonce`: an HMAC-SHA256 in hex digits."""
    return hmac.new(token.encode(), nonce.encode(), sha256).hexdigest()


def is_authorized(authorization: str | None, token: str) -> bool:
    """Whether an ``Authorization`` header carries the token."""
    scheme, _, given = (authorization or "").partition(" ")
    return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())
