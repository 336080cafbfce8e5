"""How a profile's tools are presented to a model: each surface lists tools and turns a call into a plan.

Reading order: `plan` (what a call comes to), `passthrough` (all tools as they are), `material` (what the other
surfaces work on), `topics` and `manifest` (servers in a few lines), `arguments`, `calling` (search, describe, call),
`meta`, `compact`, `apps`, `auto` (which one by size), `display` (one of them over a profile), `tokens` and `costs`
(what they cost a model), `instructions` (what a client is told when it connects).
"""
