"""How a profile's tools are presented to a model: each surface lists tools and turns a call into a plan.

Reading order: `plan` (what a call comes to), `passthrough` (all tools as they are), `instructions` (what a client is
told when it connects).
"""
