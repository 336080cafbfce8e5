"""How many tokens a text costs a model, estimated from the kinds of its characters; no vocabulary needed. Pure.

The weights fit the mean of OpenAI's o200k and cl100k tokenizers over 4,032 real tools, each as its JSON definition and
as a TypeScript signature, with the least relative error; `build.bench.tokens` prints how far off they are.
"""

_KINDS = (
    (b"abcdefghijklmnopqrstuvwxyz", b"a"),
    (b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"A"),
    (b"0123456789", b"0"),
    (b"{}[]();|:,", b"{"),
    (b'"', b'"'),
    (b" \t\r\n", b" "),
    # The first byte of a character tells its script: Latin to Arabic; of Asia; signs, also full-width ones; emoji.
    (bytes(range(0xC2, 0xE0)), b"l"),
    (bytes((0xE0, 0xE1, *range(0xE4, 0xEF))), b"c"),
    (b"\xe2\xe3\xef", b"p"),
    (bytes(range(0xF0, 0xF5)), b"e"),
)
"""Bytes of UTF-8, and the letter that stands for all of their kind."""


def _table() -> bytes:
    # Other ASCII is punctuation. A byte inside a character has no kind, since the first one has.
    table = bytearray(b"." * 128 + b"-" * 128)
    for members, kind in _KINDS:
        for byte in members:
            table[byte] = kind[0]
    return bytes(table)


_TABLE = _table()


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` has; 0 only for an empty one.

    For tool definitions within 4 % on average of what either tokenizer counts; single servers within 12 % of the two's
    mean, which differ by a quarter themselves on Chinese. Some 8 ns a character.
    """
    if not text:
        return 0
    kinds = text.encode("utf-8", "replace").translate(_TABLE)
    count = kinds.count
    tokens = 0.297 * count(b"a") + 0.412 * count(b"A") + 0.845 * count(b"0") + 0.538 * count(b".")
    # Five letters in a row are a word, which is one token however long. A quote after a space is one by itself.
    tokens += 0.737 * count(b"{") + 1.64 * count(b' "') - 0.91 * count(b"aaaaa") - 1.129
    if not text.isascii():
        tokens += 4.882 * count(b"l") + 0.803 * count(b"c") + 2.119 * count(b"p") + 3.705 * count(b"e")
    return max(1, round(tokens))
