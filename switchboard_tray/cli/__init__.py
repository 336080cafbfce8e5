"""The command line: a file for each noun, a client of the gateway or, where only the config matters, of the files.

Reading order: `main` (the table of commands, exit statuses), `parsing` (what all parsers share), `output` (tables,
JSON, errors), `reading` (what is shown, from the gateway or from the files), `editing` (the one way to edit), `values`
(text from the command line -> values of the config), then the nouns: `gateway`, `servers` with `new_server`,
`profiles`, `secrets`, `tools`, `config`, `doctor`.
"""
