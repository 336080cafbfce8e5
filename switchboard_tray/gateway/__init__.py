"""Between clients and servers.

Reading order: `hub` (holds the snapshot, tells listeners of changes), `door` (the one way to call a tool), `shown`
(what a client's address presents), `searching` (searches, beside the event loop), `scripts` (JavaScript that calls
tools), `relay` (prompts and resources), `dispatch` (an MCP request -> profile -> plan -> result; the one translator to
MCP errors).
"""
