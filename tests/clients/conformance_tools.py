"""The tools that MCP's conformance suite calls, each as the scenario that calls it describes it.

Source: the scenarios' descriptions in the npm package @modelcontextprotocol/conformance.
"""

import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
PAUSE_S = 0.05
"""Between two notifications of one call, as the scenarios ask."""
CHANGING = "test_changing"
"""A tool, and a prompt, that come and go."""


@dataclass
class State:
    """What changes while one connection lasts."""

    bus: InMemorySubscriptionBus = field(default_factory=InMemorySubscriptionBus)
    shown: set[str] = field(default_factory=set)
    """Of ``tools`` and ``prompts``, the lists that hold the one that comes and goes."""
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32))


Context = ServerRequestContext[State]
Params = types.CallToolRequestParams
Result = types.CallToolResult | types.InputRequiredResult
Run = Callable[[Context, Params], Awaitable[Result]]
Json = dict[str, Any]


@dataclass(frozen=True)
class Offered:
    """A tool: what it does, and the arguments it takes."""

    run: Run
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})


def text(*parts: str, is_error: bool = False) -> types.CallToolResult:
    """A result of text blocks."""
    return types.CallToolResult(content=[types.TextContent(text=part) for part in parts], is_error=is_error)


def embedded(uri: str, mime_type: str, content: str) -> types.EmbeddedResource:
    """A resource inside a result."""
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=content))


def ask(message: str, **properties: Json) -> types.ElicitRequest:
    """A question to the person at the client; each property is an answer it must have."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=schema))


def answer(params: Params | types.GetPromptRequestParams, key: str, member: str) -> object:
    """What the person answered to the question `key`; None where it was not answered so."""
    said = (params.input_responses or {}).get(key)
    is_given = isinstance(said, types.ElicitResult) and said.action == "accept"
    return (said.content or {}).get(member) if isinstance(said, types.ElicitResult) and is_given else None


# -- results that are always the same ----------------------------------------------------------------------------------


def _constant(*content: types.ContentBlock) -> Run:
    async def run(ctx: Context, params: Params) -> Result:
        return types.CallToolResult(content=list(content))

    return run


async def _fail(ctx: Context, params: Params) -> Result:
    return text("This tool intentionally returns an error for testing", is_error=True)


# -- what comes before the result --------------------------------------------------------------------------------------


async def _log(ctx: Context, params: Params) -> Result:
    for message in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.session.send_log_message("info", message, related_request_id=ctx.request_id)
        await anyio.sleep(PAUSE_S)
    return text("Logged three messages.")


async def _report_progress(ctx: Context, params: Params) -> Result:
    for progress in (0, 50, 100):
        await ctx.session.report_progress(progress, 100)
        await anyio.sleep(PAUSE_S)
    return text("Reported progress three times.")


async def _sample(ctx: Context, params: Params) -> Result:
    prompt = str((params.arguments or {})["prompt"])
    message = types.SamplingMessage(role="user", content=types.TextContent(text=prompt))
    said = await ctx.session.create_message([message], max_tokens=100, related_request_id=ctx.request_id)
    return text(f"LLM response: {said.content.text if isinstance(said.content, types.TextContent) else said.content}")


def _elicit(schema: Json, message: str | None = None) -> Run:
    async def run(ctx: Context, params: Params) -> Result:
        asked = message if message is not None else str((params.arguments or {})["message"])
        said = await ctx.session.elicit_form(asked, schema, related_request_id=ctx.request_id)
        return text(f"Elicitation completed: action={said.action}, content={said.content}")

    return run


_CONTACT: Json = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}
_DEFAULTS: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}
_OPTIONS = ["option1", "option2", "option3"]
_CHOICES = [{"const": f"value{n}", "title": f"{word} Choice"} for n, word in enumerate(("First", "Second", "Third"), 1)]
_ENUMS: Json = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": _OPTIONS},
        "titledSingle": {"type": "string", "oneOf": _CHOICES},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": _CHOICES}},
    },
}

# -- input that the modern era asks for by its result ------------------------------------------------------------------

_ASK_NAME = ask("What is your name?", name={"type": "string"})
_CONFIRM = ask("Please confirm", ok={"type": "boolean"})
_ROOTS = types.ListRootsRequest(params=types.RequestParams())


def _sampling(prompt: str, max_tokens: int) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=types.TextContent(text=prompt))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=max_tokens)
    )


def _need(requests: types.InputRequests, state: str | None = None) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=requests, request_state=state)


async def _input_name(ctx: Context, params: Params) -> Result:
    name = answer(params, "user_name", "name")
    return text(f"Hello, {name}!") if isinstance(name, str) else _need({"user_name": _ASK_NAME})


async def _input_sampling(ctx: Context, params: Params) -> Result:
    said = (params.input_responses or {}).get("capital_question")
    if isinstance(said, types.CreateMessageResult) and isinstance(said.content, types.TextContent):
        return text(said.content.text)
    return _need({"capital_question": _sampling("What is the capital of France?", 100)})


async def _input_roots(ctx: Context, params: Params) -> Result:
    said = (params.input_responses or {}).get("client_roots")
    if isinstance(said, types.ListRootsResult):
        return text(*(f"{root.name}: {root.uri}" for root in said.roots))
    return _need({"client_roots": _ROOTS})


async def _input_state(ctx: Context, params: Params) -> Result:
    if params.request_state is None:
        return _need({"confirm": _CONFIRM}, _sealed(ctx, "confirm"))
    _unsealed(ctx, params)
    return text("state-ok")


async def _input_many(ctx: Context, params: Params) -> Result:
    said = params.input_responses or {}
    requests: types.InputRequests = {
        "user_name": _ASK_NAME,
        "greeting": _sampling("Generate a greeting", 50),
        "client_roots": _ROOTS,
    }
    missing = {key: request for key, request in requests.items() if key not in said}
    if missing or params.request_state is None:
        return _need(requests, _sealed(ctx, "many"))
    _unsealed(ctx, params)
    return text(f"All of {', '.join(sorted(said))} were answered.")


async def _input_rounds(ctx: Context, params: Params) -> Result:
    if params.request_state is None:
        first = ask("Step 1: What is your name?", name={"type": "string"})
        return _need({"step1": first}, _sealed(ctx, "one"))
    if _unsealed(ctx, params) == "one":
        second = ask("Step 2: What is your favorite color?", color={"type": "string"})
        return _need({"step2": second}, _sealed(ctx, "two"))
    return text(f"Your color is {answer(params, 'step2', 'color')}.")


async def _input_offered(ctx: Context, params: Params) -> Result:
    """Ask only for what the client declared."""
    can = ctx.session.client_capabilities or types.ClientCapabilities()
    requests: types.InputRequests = {}
    if can.elicitation is not None:
        requests["name"] = _ASK_NAME
    if can.sampling is not None:
        requests["greeting"] = _sampling("Generate a greeting", 50)
    return text("Done.") if params.input_responses or not requests else _need(requests)


async def _needs_sampling(ctx: Context, params: Params) -> Result:
    can = ctx.session.client_capabilities
    if can is not None and can.sampling is not None:
        return text("The client can be sampled.")
    needed = types.ClientCapabilities(sampling=types.SamplingCapability())
    data = types.MissingRequiredClientCapabilityErrorData(required_capabilities=needed)
    raise MCPError(
        types.MISSING_REQUIRED_CLIENT_CAPABILITY,
        "This tool needs a client that can be sampled",
        data.model_dump(by_alias=True, exclude_none=True),
    )


def _sealed(ctx: Context, state: str) -> str:
    return f"{state}.{hmac.digest(ctx.lifespan_context.key, state.encode(), 'sha256').hex()}"


def _unsealed(ctx: Context, params: Params) -> str:
    """The state as it was sealed. Raises `MCPError` where somebody changed it."""
    given = params.request_state or ""
    state = given.partition(".")[0]
    if not hmac.compare_digest(given, _sealed(ctx, state)):
        raise MCPError(types.INVALID_PARAMS, "requestState was changed on its way")
    return state


# -- lists that change -------------------------------------------------------------------------------------------------


async def _change_tools(ctx: Context, params: Params) -> Result:
    ctx.lifespan_context.shown ^= {"tools"}
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        await ctx.lifespan_context.bus.publish(ToolsListChanged())
    else:
        await ctx.session.send_tool_list_changed()
    return text("The list of tools changed.")


async def _change_prompts(ctx: Context, params: Params) -> Result:
    ctx.lifespan_context.shown ^= {"prompts"}
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        await ctx.lifespan_context.bus.publish(PromptsListChanged())
    else:
        await ctx.session.send_prompt_list_changed()
    return text("The list of prompts changed.")


# -- all of them -------------------------------------------------------------------------------------------------------

_EVERY_KEYWORD: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def _one_string(name: str, **more: str) -> Json:
    return {"type": "object", "properties": {name: {"type": "string", **more}}, "required": [name]}


_DONE = _constant(types.TextContent(text="Done."))
_TEXT = types.TextContent(text="This is a simple text response for testing.")
_IMAGE = types.ImageContent(data=PNG, mime_type="image/png")
_MIXED = (
    types.TextContent(text="Multiple content types test:"),
    _IMAGE,
    embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
)

TOOLS: Mapping[str, Offered] = {
    "test_simple_text": Offered(_constant(_TEXT)),
    "test_image_content": Offered(_constant(_IMAGE)),
    "test_audio_content": Offered(_constant(types.AudioContent(data=WAV, mime_type="audio/wav"))),
    "test_embedded_resource": Offered(
        _constant(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."))
    ),
    "test_multiple_content_types": Offered(_constant(*_MIXED)),
    "test_error_handling": Offered(_fail),
    "test_tool_with_logging": Offered(_log),
    "test_logging_tool": Offered(_log),
    "test_tool_with_progress": Offered(_report_progress),
    "test_sampling": Offered(_sample, _one_string("prompt")),
    "test_elicitation": Offered(_elicit(_CONTACT), _one_string("message")),
    "test_elicitation_sep1034_defaults": Offered(_elicit(_DEFAULTS, "Please check the defaults")),
    "test_elicitation_sep1330_enums": Offered(_elicit(_ENUMS, "Please choose")),
    "test_streaming_elicitation": Offered(_input_name),
    "test_missing_capability": Offered(_needs_sampling),
    "test_input_required_result_elicitation": Offered(_input_name),
    "test_input_required_result_sampling": Offered(_input_sampling),
    "test_input_required_result_list_roots": Offered(_input_roots),
    "test_input_required_result_request_state": Offered(_input_state),
    "test_input_required_result_multiple_inputs": Offered(_input_many),
    "test_input_required_result_multi_round": Offered(_input_rounds),
    "test_input_required_result_tampered_state": Offered(_input_state),
    "test_input_required_result_capabilities": Offered(_input_offered),
    "test_trigger_tool_change": Offered(_change_tools),
    "test_trigger_prompt_change": Offered(_change_prompts),
    "test_header": Offered(_DONE, _one_string("region", **{"x-mcp-header": "Region"})),
    "json_schema_2020_12_tool": Offered(_DONE, _EVERY_KEYWORD),
    CHANGING: Offered(_DONE),
}
"""By name; the last one is listed only at times."""
