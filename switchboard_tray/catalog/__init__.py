"""What the servers said they can do, kept so that a list never waits for a server.

Reading order: `model` (tools of a server, the catalog), `check` (accept, repair or quarantine one tool), `names` (wire
names settled once for all profiles).
"""
