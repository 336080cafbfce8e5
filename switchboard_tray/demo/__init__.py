"""Built-in demo server: a small SQLite notebook that an AI client can be tried on, as a plain stdio MCP server.

It stands alone: standard library only, nothing of the gateway, so it shows the gateway what any other server shows it.

Reading order:

1. `notes`: the values, the limits, and `Refused`, the sentence a model reads when something cannot be done.
2. `database`: the SQLite file: opening, tables, search index, the welcome notes.
3. `notebook`: what can be done with notes, as SQL.
4. `export`: many notes as one markdown or JSON document.
5. `parameters`: kinds of argument; each knows its JSON Schema and how to read a value.
6. `results`: values as JSON objects, next to the schemas that promise them.
7. `tool`: what a tool is and how one is called; `tools`: the eleven of them.
8. `protocol`: one JSON-RPC message in, one answer out; no IO.
9. `stdio`: lines on stdin and stdout.
10. `__main__`: ``python -m switchboard_tray.demo --db PATH``.
"""
