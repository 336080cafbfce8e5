"""``profile``: add, set, list, show, remove, default."""

import argparse
from collections.abc import Mapping
from typing import Any

from switchboard_tray.cli.editing import apply_edit
from switchboard_tray.cli.main import DONE
from switchboard_tray.cli.output import count, print_facts, print_json, print_table, warn
from switchboard_tray.cli.parsing import Actions, Parser, Run, add_action, add_actions
from switchboard_tray.cli.reading import Json, open_reader
from switchboard_tray.cli.values import commas, typed_item
from switchboard_tray.config.edit import edit_list, put_profile, remove_profile, set_default_profile
from switchboard_tray.config.keys import BUDGETS, OVERRIDE
from switchboard_tray.errors import NotFound
from switchboard_tray.names import did_you_mean
from switchboard_tray.paths import Paths

LISTS = ("servers", "include", "exclude")

_PUT_EXAMPLES = """
switchboard profile {0} work --servers github,linear --exclude 'github.delete_*'
switchboard profile {0} work --include-add notion.search --surface passthrough
switchboard profile {0} work --override github.search_issues name=find_issues
"""


def add_arguments(parser: Parser, command: str) -> None:
    """Give ``profile`` its actions."""
    actions = add_actions(parser)
    _add_options(_named(actions, "add", "make a profile, or change one", _add, _PUT_EXAMPLES.format("add")))
    _add_options(_named(actions, "set", "change a profile", _set, _PUT_EXAMPLES.format("set")))
    add_action(actions, "list", "list all profiles", _list, "switchboard profile list")
    _named(actions, "show", "show a profile and its tools", _show)
    _named(actions, "remove", "remove a profile", _remove)
    _named(actions, "default", "give a profile to clients that no rule names", _default)


def _named(actions: Actions, name: str, about: str, run: Run, examples: str = "") -> Parser:
    parser = add_action(actions, name, about, run, examples or f"switchboard profile {name} work")
    parser.add_argument("name", metavar="NAME", help="the profile")
    return parser


def _add_options(parser: Parser) -> None:
    helps = {
        "servers": ("A,B", "servers with all their tools"),
        "include": ("PATTERN", "tools that are added: server.tool, with *"),
        "exclude": ("PATTERN", "tools that are left out; always wins"),
    }
    for name, (metavar, about) in helps.items():
        parser.add_argument(f"--{name}", action="append", metavar=metavar, help=f"{about}; replaces the list")
        for change in ("add", "remove"):
            help = f"{change} some of {name}"
            parser.add_argument(f"--{name}-{change}", action="append", default=[], metavar=metavar, help=help)
    parser.add_argument("--surface", metavar="S", help="how tools are presented: auto, passthrough, meta, code, ...")
    parser.add_argument("--auto-threshold", type=int, metavar="N", help="the most tools that auto lists one by one")
    parser.add_argument("--auto-above", metavar="S", help="what auto presents above that: meta or apps")
    parser.add_argument(
        "--override",
        nargs=2,
        action="append",
        default=[],
        metavar=("REF", "KEY=TEXT"),
        help="another name or description for a tool; an empty text takes it back",
    )
    parser.add_argument("--budget", action="append", default=[], metavar="KEY=N", help="a limit for a run of code")
    parser.add_argument("--description", metavar="D", help="what the profile is for")


def _add(args: argparse.Namespace, paths: Paths) -> int:
    return _put(args, paths, is_new_allowed=True)


def _set(args: argparse.Namespace, paths: Paths) -> int:
    return _put(args, paths, is_new_allowed=False)


def _put(args: argparse.Namespace, paths: Paths, *, is_new_allowed: bool) -> int:
    def edit(document: dict[str, Any]) -> dict[str, Any]:
        profiles = document.get("profiles", {})
        current = _member(profiles, args.name)
        if current is None and not is_new_allowed:
            hint = did_you_mean(args.name, profiles) or f"Make it: switchboard profile add {args.name}"
            raise NotFound(f"There is no profile {args.name!r}.", hint=hint)
        return put_profile(document, args.name, _patch(args, current or {}))

    for item in [*(item for _, item in args.override), *args.budget]:
        if "=" not in item:
            args.parser.error(f"{item!r} is not KEY=VALUE")
    apply_edit(paths, edit)
    profile = open_reader(paths).profile(args.name)
    if args.json:
        print_json(profile)
        return DONE
    print(f"Profile {profile['name']} has {count(profile['tools'], 'tool')}.")
    for text in profile["warnings"]:
        warn(text)
    if profile["unlisted"]:
        print(f"Not listed yet, so their tools are still to come: {', '.join(profile['unlisted'])}")
    return DONE


def _patch(args: argparse.Namespace, current: Mapping[str, Any]) -> dict[str, Any]:
    """The merge patch of a profile that is `current` now."""
    patch: dict[str, Any] = {
        "description": args.description,
        "surface": args.surface,
        "autoThreshold": args.auto_threshold,
        "autoAbove": args.auto_above,
    }
    patch = {key: value for key, value in patch.items() if value is not None}
    for name in LISTS:
        given = getattr(args, name)
        add, remove = commas(getattr(args, f"{name}_add")), commas(getattr(args, f"{name}_remove"))
        if given is not None or add or remove:
            patch[name] = edit_list(current.get(name, []) if given is None else commas(given), add, remove)
    if args.override:
        patch["overrides"] = _overrides(args.override, current.get("overrides", {}))
    if args.budget:
        patch["budgets"] = {keys[0]: value for keys, value in (typed_item(BUDGETS, item) for item in args.budget)}
    return patch


def _overrides(given: list[list[str]], current: Mapping[str, Any]) -> dict[str, Any]:
    """The merge patch of a profile's overrides; one that nothing is left of is removed."""
    patch: dict[str, dict[str, Any]] = {}
    spelled = {ref.casefold(): ref for ref in current}
    for ref, item in given:
        ref = spelled.setdefault(ref.casefold(), ref)
        keys, value = typed_item(OVERRIDE, item)
        patch.setdefault(ref, {})[keys[0]] = value
    after = {ref: {**current.get(ref, {}), **change} for ref, change in patch.items()}
    return {ref: patch[ref] if any(value is not None for value in after[ref].values()) else None for ref in patch}


def _member(members: Mapping[str, Any], name: str) -> Any:
    return next((member for key, member in members.items() if key.casefold() == name.casefold()), None)


def _list(args: argparse.Namespace, paths: Paths) -> int:
    profiles = open_reader(paths).profiles()
    if args.json:
        print_json(profiles)
    else:
        rows = [(_title(profile), profile["tools"], profile["surface"], _content(profile)) for profile in profiles]
        print_table(("NAME", "TOOLS", "SURFACE", "WHAT"), rows)
    return DONE


def _title(profile: Json) -> str:
    return f"{profile['name']} (default)" if profile["isDefault"] else str(profile["name"])


def _content(profile: Json) -> str:
    """What it is for, else what it is made of."""
    more, less = (f"+{one}" for one in profile["include"]), (f"-{one}" for one in profile["exclude"])
    return profile["description"] or " ".join((*profile["servers"], *more, *less))


def _show(args: argparse.Namespace, paths: Paths) -> int:
    profile = open_reader(paths).profile(args.name)
    if args.json:
        print_json(profile)
        return DONE
    names = ("description", "servers", "include", "exclude", "surface")
    overrides = {
        ref: ", ".join(f"{key} {text!r}" for key, text in one.items()) for ref, one in profile["overrides"].items()
    }
    print_facts([("name", _title(profile)), *((name, profile[name]) for name in names), ("overrides", overrides)])
    costs = {name: _cost(cost, name == profile["surfaceNow"]) for name, cost in profile["surfaces"].items()}
    print_facts([("costs", costs)])
    print_facts([("not listed yet", profile["unlisted"]), ("warnings", profile["warnings"])])
    print_facts([("tools", profile["toolRefs"] or "none")])
    return DONE


def _cost(cost: dict[str, int], is_now: bool) -> str:
    noun = "tool" if cost["tools"] == 1 else "tools"
    return f"{cost['tools']} {noun}, about {cost['tokens']} tokens{' (in force now)' if is_now else ''}"


def _remove(args: argparse.Namespace, paths: Paths) -> int:
    apply_edit(paths, lambda document: remove_profile(document, args.name))
    if args.json:
        print_json({"name": args.name})
    else:
        print(f"Profile {args.name} is removed.")
    return DONE


def _default(args: argparse.Namespace, paths: Paths) -> int:
    apply_edit(paths, lambda document: set_default_profile(document, args.name))
    if args.json:
        print_json(open_reader(paths).profile(args.name))
    else:
        print(f"Profile {args.name} is the default.")
    return DONE
