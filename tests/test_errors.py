"""The tree of errors a person reads: what is caught by what, and what each carries."""

import pytest

from switchboard_tray.errors import (
    CallTimeout,
    ConfigConflict,
    ConfigError,
    ConnectionLost,
    GatewayError,
    NotFound,
    Refused,
    ServerError,
    SwitchboardError,
)


def test_an_error_has_a_sentence_and_a_way_out() -> None:
    error = NotFound("There is no profile 'x'.", hint="switchboard profile list")

    assert str(error) == error.message == "There is no profile 'x'."
    assert error.hint == "switchboard profile list"


def test_a_hint_may_be_missing() -> None:
    assert ServerError("gone").hint == ""
    assert ConfigError("broken").hint == ""


def test_a_config_error_keeps_every_problem() -> None:
    problems = ["/a: wrong", "/b: wrong"]

    error = ConfigError("broken", problems=problems, hint="mend it")
    problems.clear()

    assert error.problems == ("/a: wrong", "/b: wrong")
    assert error.hint == "mend it"


@pytest.mark.parametrize(
    "kind", [ConfigError, ConfigConflict, NotFound, ServerError, CallTimeout, Refused, GatewayError]
)
def test_every_error_for_a_person_is_caught_as_one(kind: type[SwitchboardError]) -> None:
    with pytest.raises(SwitchboardError, match=r"^so it is$"):
        raise kind("so it is")


@pytest.mark.parametrize("was_sent", [True, False])
def test_a_lost_connection_tells_whether_the_server_may_have_acted(was_sent: bool) -> None:
    error = ConnectionLost("gone", was_sent=was_sent, hint="try again")

    assert isinstance(error, ServerError)
    assert (str(error), error.hint, error.was_sent) == ("gone", "try again", was_sent)


def test_a_timeout_is_a_server_that_cannot_answer_and_a_conflict_an_invalid_edit() -> None:
    assert issubclass(CallTimeout, ServerError)
    assert issubclass(ConfigConflict, ConfigError)
