"""``config``: path, check, schema, history, restore, set. All but ``set`` look at the file, not at the gateway."""

import argparse
from typing import Any

from switchboard_tray.cli.editing import apply_edit, restore
from switchboard_tray.cli.main import CONFIG_INVALID, DONE
from switchboard_tray.cli.output import count, print_json, print_table, report, warn
from switchboard_tray.cli.parsing import Parser, add_action, add_actions
from switchboard_tray.cli.reading import broken_config
from switchboard_tray.cli.values import key_path, kind_at, typed
from switchboard_tray.config.edit import set_value
from switchboard_tray.config.problems import InvalidConfig, Problem
from switchboard_tray.errors import NotFound
from switchboard_tray.paths import Paths

_SET_EXAMPLES = """
switchboard config set settings.port 8923
switchboard config set profiles.work.exclude 'github.delete_*,sentry.*'
switchboard config set /servers/files/args/1 ~/notes
"""


def add_arguments(parser: Parser, command: str) -> None:
    """Give ``config`` its actions."""
    actions = add_actions(parser)
    add_action(actions, "path", "print where config.json is", _path, 'cat "$(switchboard config path)"')
    add_action(actions, "check", "say what is wrong with config.json", _check, "switchboard config check --json")
    about = "print the JSON Schema of config.json"
    add_action(actions, "schema", about, _schema, "switchboard config schema > schema.json")
    add_action(actions, "history", "list the versions that were in force", _history, "switchboard config history")
    back = add_action(actions, "restore", "put an earlier version back", _restore, "switchboard config restore")
    back.add_argument("id", nargs="?", metavar="ID", help="from config history; the last other valid one by default")
    changed = add_action(actions, "set", "set one value; an empty one removes the key", _set, _SET_EXAMPLES)
    changed.add_argument("key", metavar="KEY", help="a dotted key, or a JSON pointer")
    changed.add_argument("value", metavar="VALUE", help="text, a number, true or false, or JSON")


def _path(args: argparse.Namespace, paths: Paths) -> int:
    if args.json:
        print_json({"path": str(paths.config)})
    else:
        print(paths.config)
    return DONE


def _check(args: argparse.Namespace, paths: Paths) -> int:
    problems, warnings = _look(paths)
    if args.json:
        found = {"path": str(paths.config), "state": "error" if problems else "ok"}
        print_json({**found, "problems": _views(problems), "warnings": _views(warnings)})
        return CONFIG_INVALID if problems else DONE
    for warning in warnings:
        place = "" if warning.line is None else f"{warning.line}:{warning.column}: "
        warn(f"{place}{warning.pointer}: {warning.message}", warning.hint)
    if problems:
        report(broken_config(problems, str(paths.config)))
        return CONFIG_INVALID
    print(f"config: ok, {paths.config}")
    return DONE


def _look(paths: Paths) -> tuple[tuple[Problem, ...], tuple[Problem, ...]]:
    """Problems and warnings of the file, which is made where there is none."""
    from switchboard_tray.stores.config import ConfigStore

    store = ConfigStore(paths)
    try:
        loaded = store.load()
    except NotFound:
        loaded = store.create_first()
    except InvalidConfig as exc:
        return exc.faults, ()
    return loaded.problems, loaded.warnings


def _views(problems: tuple[Problem, ...]) -> list[dict[str, Any]]:
    from switchboard_tray.admin.views import problem_view

    return [problem_view(problem) for problem in problems]


def _schema(args: argparse.Namespace, paths: Paths) -> int:
    from switchboard_tray.config.schema import config_schema

    print_json(config_schema())
    return DONE


def _history(args: argparse.Namespace, paths: Paths) -> int:
    from switchboard_tray.stores.config import ConfigStore

    versions = ConfigStore(paths).history()
    if args.json:
        print_json(
            [
                {"id": one.id, "savedAt": one.saved_at.isoformat(timespec="seconds"), "sizeBytes": one.size_bytes}
                for one in versions
            ]
        )
    else:
        rows = [(one.id, f"{one.saved_at:%Y-%m-%d %H:%M:%S}", count(one.size_bytes, "byte")) for one in versions]
        print_table(("ID", "IN FORCE SINCE (UTC)", "SIZE"), rows)
    return DONE


def _restore(args: argparse.Namespace, paths: Paths) -> int:
    restore(paths, args.id)
    if args.json:
        print_json({"path": str(paths.config)})
    else:
        print(f"{paths.config} is restored.")
    return DONE


def _set(args: argparse.Namespace, paths: Paths) -> int:
    keys = key_path(args.key)

    def edit(document: dict[str, Any]) -> dict[str, Any]:
        if args.value == "":
            removed: dict[str, Any] = without(document, keys, args.key)
            return removed
        return set_value(document, args.key, typed(kind_at(keys), args.value))

    apply_edit(paths, edit)
    if args.json:
        print_json({"key": args.key})
    else:
        print(f"{args.key} is {'removed' if args.value == '' else 'set'}.")
    return DONE


def without(value: Any, keys: tuple[str, ...], whole_key: str) -> Any:
    """`value` without what stands at `keys`, which match in any letter case. Raises NotFound where nothing does."""
    name, rest = keys[0], keys[1:]
    if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
        at = int(name)
        return [*value[:at], *([without(value[at], rest, whole_key)] if rest else []), *value[at + 1 :]]
    members = value if isinstance(value, dict) else {}
    spelled = next((key for key in members if key.casefold() == name.casefold()), None)
    if spelled is None:
        raise NotFound(f"The config has no {whole_key}.", hint="See: switchboard config schema")
    if rest:
        return {**members, spelled: without(members[spelled], rest, whole_key)}
    return {key: member for key, member in members.items() if key != spelled}
