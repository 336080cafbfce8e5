"""Measurements. Each script prints ratios of one run, since machines differ and are shared; none of them is a test.

`snapshot` (how long a change of the catalog takes), `calls` (what the gateway adds to a call), `soak` (what is left
after thousands of calls in which everything goes wrong).
"""
