"""What the user wants, as values, and how it is spelled in config.json. Pure: the file itself is `stores.config`.

`model` (the values), `keys` (every key, its range and a line about it), `problems` (a fault with its place), `read`
(one value), `parse` (the whole document), `references` (``${env:NAME}`` in values), `not_in_force` (keys of parts to
come), `schema` (the same as JSON Schema), `edit` (changes to the document), `first` (a first start), `migrate`
(older formats).
"""
