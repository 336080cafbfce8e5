"""What the ways to reach tools cost: one task, done on each surface and by our own command line, and measured.

Reading order: `fixture_server` (the servers that are reached), `host` (a gateway of its own, as a process), `home`
(the folder it runs in, which is removed), `requests` (what goes over the wire), `ways` (how the task is done),
`measure` (the costs), `report`.
"""
