"""Arguments for batch files on Windows: what goes in comes out, and nothing in it is ever run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.servers.batch_files import batch_command, is_batch_file

NPX = "C:\\Program Files\\nodejs\\npx.cmd"


@pytest.mark.parametrize(
    ("path", "is_one"), [(NPX, True), ("x.BAT", True), ("C:\\x.exe", False), ("x.cmd.exe", False), ("cmd", False)]
)
def test_batch_files_are_told_by_their_ending(path: str, is_one: bool) -> None:
    assert is_batch_file(path) is is_one


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("-y", "-y"),
        ("@scope/server@1.2", "@scope/server@1.2"),
        ("", '""'),
        ("a b", '"a b"'),
        ("a&calc", '"a&calc"'),
        ("a^|b", '"a^|b"'),
        ('say "hi"', '"say ""hi"""'),
        ("100%", '"100%%cd:~,%"'),
        ("%PATH%", '"%%cd:~,%PATH%%cd:~,%"'),
        ("C:\\a b\\", '"C:\\a b\\\\"'),
        ("C:\\ab\\", '"C:\\ab\\\\"'),
        ('back\\"slash', '"back\\\\""slash"'),
    ],
)
def test_argument_is_written_so_that_it_comes_out_as_it_went_in(word: str, written: str) -> None:
    assert batch_command([NPX, word]) == f'"{NPX}" {written}'


@pytest.mark.parametrize("word", ["a\nb", "a\rb", "a\0b"])
def test_argument_with_a_line_break_cannot_be_passed(word: str) -> None:
    with pytest.raises(ValueError, match="line break"):
        batch_command([NPX, word])


def expanded(text: str) -> str:
    """What cmd.exe makes of percent signs here: the trick's variable is empty, so that one of them is left."""
    return text.replace("%%cd:~,%", "%")


def parsed(command: str) -> list[str]:
    """What a program's C runtime makes of a command line: quotes, doubled quotes, backslashes before quotes."""
    words, word, in_quotes, at, started = [], "", False, 0, False
    while at < len(command):
        sign = command[at]
        if sign == "\\":
            run = len(command[at:]) - len(command[at:].lstrip("\\"))
            at += run
            if at < len(command) and command[at] == '"':
                word += "\\" * (run // 2)
                if run % 2:
                    word += '"'
                    at += 1
            else:
                word += "\\" * run
            started = True
            continue
        if sign == '"':
            if in_quotes and command[at + 1 : at + 2] == '"':
                word += '"'
                at += 1
            else:
                in_quotes = not in_quotes
            started = True
        elif sign == " " and not in_quotes:
            if started:
                words.append(word)
            word, started = "", False
        else:
            word += sign
            started = True
        at += 1
    return [*words, word] if started else words


ARGUMENT = st.text(st.sampled_from('ab "\\%&|<>^()!,;=-/'), max_size=12)


@given(st.lists(ARGUMENT, max_size=4))
def test_any_arguments_come_out_as_they_went_in(words: list[str]) -> None:
    assert parsed(expanded(batch_command([NPX, *words]))) == [NPX, *words]


@given(ARGUMENT)
def test_what_cmd_would_obey_stands_inside_of_quotes(word: str) -> None:
    written = expanded(batch_command([NPX, word])).removeprefix(f'"{NPX}" ')
    outside = "".join(part for at, part in enumerate(written.split('"')) if at % 2 == 0)

    assert not set(outside) & set("&|<>^()%!")
