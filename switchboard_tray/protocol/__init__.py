"""JSON-RPC and MCP as values that both sides share: ours to clients (`wire`) and ours to servers (`servers`).

Reading order: `spans` (an object one level deep, without loss), `messages` (envelopes), `eras` (revisions and what each
allows), `calls` (a call in flight: its mailbox and who listens to it).
"""
