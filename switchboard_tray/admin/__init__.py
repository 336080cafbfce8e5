"""The admin API: how CLI, window, tray and bridge see and change the gateway.

Reading order: `views` (our values as the API's JSON, secrets redacted), `auth` (the token, and how a client knows that
the port is ours), `http` (answers in JSON, whatever is asked), `api` (the routes), `client` (the one client of it).
"""
