"""A client of one era and a server of the other: what a request and its result must change on the way.

Legacy client, modern server: the request gets the envelope, and the questions a modern server answers with are put to
the client, until there is a result. Modern client, legacy server: the envelope is taken off; that the server may ask in
the middle of a call is the client's listener's part.

Source: docs/protocol.md, "Across the eras".
"""

from collections.abc import Awaitable, Callable, Mapping

import msgspec
from msgspec import Raw

from switchboard_tray.errors import ServerError
from switchboard_tray.protocol import eras
from switchboard_tray.protocol.calls import Ask, Expired, Listener, Mailbox, Tick
from switchboard_tray.protocol.eras import Era
from switchboard_tray.protocol.messages import Members, RpcError, dumps, read_members, read_text
from switchboard_tray.servers.clock import Clock
from switchboard_tray.servers.handshake import OUR_INFO

ASK_TIMEOUT_S = 600.0
"""A person may have to answer."""
ROUNDS = 100

Send = Callable[[Members], Awaitable[Raw]]
Answers = Mailbox[Tick | Expired | tuple[str, bytes | Raw | RpcError]]


async def call_across(method: str, params: Members, listener: Listener, server: Era, send: Send) -> bytes | Raw:
    """Send a request with `send`, in the form the server's era wants, and bring its result to the client's era.

    Raises what `send` raises, and `RpcError` where the client refuses what the server needs.
    """
    caller = listener.caller
    if server is caller.era:
        return await send(params)
    meta = read_members(params.get("_meta"))
    if server is Era.LEGACY:
        return await send({**params, "_meta": Raw(dumps(eras.without_envelope(meta)))})
    said = eras.envelope(caller.capabilities or {}, caller.info or OUR_INFO, caller.log_level)
    params = {**params, "_meta": Raw(dumps({**meta, **said}))}
    for _ in range(ROUNDS):
        result = await send(params)
        if not eras.wants_input(result):
            return eras.to_legacy(method, result)
        params = {**params, **await _input(result, listener)}
    raise ServerError(f"The server asked for input {ROUNDS} times without coming to a result.")


async def _input(result: Raw, listener: Listener) -> Mapping[str, Raw]:
    """What the request is repeated with: the client's answers to the server's questions, and the server's state."""
    wanted = read_members(result)
    questions = {key: read_members(raw) for key, raw in read_members(wanted.get("inputRequests")).items()}
    box: Answers = Mailbox()
    answers: dict[str, bytes | Raw] = {}
    clock = Clock(box.push, ASK_TIMEOUT_S)
    try:
        for key, question in questions.items():
            await listener.ask(_ask(key, question, box))
        while len(answers) < len(questions):
            match await box.next():
                case Tick():
                    await listener.tick()
                case Expired():
                    raise ServerError("The client did not answer what the server asked.")
                case (key, answer):
                    answers[key] = _answer(answer, questions[key])
    finally:
        clock.stop()
        listener.end()
    said = {key: Raw(bytes(answer)) for key, answer in answers.items()}
    state = {"requestState": wanted["requestState"]} if "requestState" in wanted else {}
    return {"inputResponses": Raw(msgspec.json.encode(said)), **state}


def _ask(key: str, question: Members, box: Answers) -> Ask:
    method = read_text(question.get("method")) or ""
    return Ask(method, question.get("params", b"{}"), key, lambda said: box.push((key, said)))


def _answer(said: bytes | Raw | RpcError, question: Members) -> bytes | Raw:
    if not isinstance(said, RpcError):
        return said
    # A refusal has no place among the answers, except to a dialog, which a person may close.
    if read_text(question.get("method")) != "elicitation/create":
        raise said
    return b'{"action":"cancel"}'
