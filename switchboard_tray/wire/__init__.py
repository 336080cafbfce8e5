"""Streamable HTTP: what goes over the socket between a client and the gateway.

Reading order: `listen` and `server` (sockets, the HTTP server), `guard` (who may come in at all), `http` (answers as
ASGI messages), `request` (what a request says apart from its body), `exchange` (its way back to its client), `sessions`
(clients of the 2025 era), `endpoint` (POST, GET and DELETE of the MCP addresses).
"""
