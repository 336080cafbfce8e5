"""Switchboard: a desktop gateway for MCP servers."""

__version__ = "0.1.0"
