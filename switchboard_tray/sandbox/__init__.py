"""JavaScript that a model wrote, run where it can do no harm: in a process of its own that knows and may nothing.

In the gateway: `model` (a script, its budgets, what comes of it), `values` (tool results as JavaScript values),
`answer` (what the model is told), `run` (one run: calls out, results in), `process` and `pool` (the workers). In the
worker: `worker`, `engine` with `prelude.js` (the bridge), `source` (what counts as a script), `hardening`. In both:
`frames`.
"""
