"""What outlives the process, each file with one writer.

`config` (the user's intent), `catalog` (tool lists), `audit` (one row for each call), `daemon` (where the gateway is).
"""
