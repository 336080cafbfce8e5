"""Which tools a profile has, and which profile a client has.

Reading order: `select` (servers + include - exclude), `view` (the selected tools with their names), `relayed`
(prompts and resources it passes on), `resolve` (what a request tells about its client -> profile and reason).
"""
