"""Definitions of tools as bytes: the members that count, with any JSON where a careless or hostile server puts it."""

from hypothesis import strategies as st

from tests.protocol.json_texts import VALUES

KEYS = st.sampled_from(
    "name title description inputSchema outputSchema annotations icons _meta execution meta output_schema "
    "input_schema x-unknown".split()
)
INNER_KEYS = st.sampled_from(
    "type properties required title readOnlyHint destructive_hint src sizes mimeType mime_type theme taskSupport "
    "task_support a".split()
)
WORDS = st.sampled_from(
    ['"object"', '"string"', '["object","null"]', "{}", "true", "false", "null", '["a"]', '"light"']
)
INNER = st.dictionaries(INNER_KEYS, VALUES | WORDS, max_size=4).map(
    lambda members: "{" + ",".join(f'"{key}":{value}' for key, value in members.items()) + "}"
)
PARTS = (
    VALUES
    | WORDS
    | INNER
    | INNER.map(lambda value: f"[{value}]")
    | INNER.map(lambda value: f'{{"properties":{value}}}')
)
DEFINITIONS = st.dictionaries(KEYS, PARTS, max_size=6).map(
    lambda members: (
        "{" + ",".join(f'"{key}":{value}' for key, value in {"name": '"a"', **members}.items()) + "}"
    ).encode()
)
