"""JSON-RPC and MCP as values that both sides share: ours to clients (`wire`) and ours to servers (`servers`).

Reading order: `spans` (an object one level deep, without loss), `messages` (envelopes), `eras` (the two forms of the
protocol), `headers` (what a modern request says twice), `calls` (a call in flight: its mailbox, who listens to it).
"""
