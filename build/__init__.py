"""The project's commands. Nothing here is shipped.

Reading order: `environment` (makes `.venv/`), `run` (the app from source), `test` (every check), `layers` (who may
import whom, as data), `lock` (makes `locks/`).
"""
