"""A server on the Python SDK that offers what MCP's conformance suite asks for, over stdio, in either era.

Source: the scenarios' descriptions in the npm package @modelcontextprotocol/conformance.
"""

import json
import warnings
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import anyio
import mcp_types as types
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError

from tests.clients.conformance_tools import CHANGING, PNG, TOOLS, Context, Result, State, answer, ask, embedded

TEMPLATE = "test://template/{id}/data"
RESOURCES: Mapping[str, tuple[str, str]] = {
    "test://static-text": ("text/plain", "This is the content of the static text resource."),
    "test://static-binary": ("image/png", PNG),
    "test://watched-resource": ("text/plain", "Somebody may watch this."),
}
"""MIME type and content, by URI."""
PROMPTS: Mapping[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
    CHANGING: (),
}
"""The arguments of each, all of them required; the last one is listed only at times."""


@asynccontextmanager
async def _lifespan(server: Server[State]) -> AsyncIterator[State]:
    state = State()
    server.add_request_handler(
        "subscriptions/listen", types.SubscriptionsListenRequestParams, ListenHandler(state.bus)
    )
    yield state


# -- tools -------------------------------------------------------------------------------------------------------------


async def list_tools(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    """All tools, in an order that never changes."""
    names = [name for name in TOOLS if name != CHANGING or "tools" in ctx.lifespan_context.shown]
    tools = [types.Tool(name=name, description=_about(name), input_schema=dict(TOOLS[name].schema)) for name in names]
    return types.ListToolsResult(tools=tools)


async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> Result:
    """Call one."""
    offered = TOOLS.get(params.name)
    if offered is None:
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
    return await offered.run(ctx, params)


# -- resources ---------------------------------------------------------------------------------------------------------


async def list_resources(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
    """The resources that have a URI of their own."""
    return types.ListResourcesResult(
        resources=[
            types.Resource(uri=uri, name=uri.rpartition("/")[2], description=_about(uri), mime_type=mime_type)
            for uri, (mime_type, _) in RESOURCES.items()
        ]
    )


async def list_templates(
    ctx: Context, params: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    """The one template."""
    template = types.ResourceTemplate(
        name="template", uri_template=TEMPLATE, description=_about(TEMPLATE), mime_type="application/json"
    )
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    """Read a resource, or one of the template."""
    before, after = TEMPLATE.split("{id}")
    uri, contents = params.uri, RESOURCES.get(params.uri)
    if contents is None and uri.startswith(before) and uri.endswith(after):
        number = uri[len(before) : -len(after)]
        said = {"id": number, "templateTest": True, "data": f"Data for ID: {number}"}
        contents = ("application/json", json.dumps(said))
    if contents is None:
        raise MCPError(types.INVALID_PARAMS, f"Resource not found: {uri}", {"uri": uri})
    mime_type, content = contents
    if mime_type.startswith("image/"):
        blob = types.BlobResourceContents(uri=uri, mime_type=mime_type, blob=content)
        return types.ReadResourceResult(contents=[blob])
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type=mime_type, text=content)]
    )


async def watch_resource(ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
    """Nothing ever changes, so there is nobody to remember."""
    return types.EmptyResult()


async def unwatch_resource(ctx: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
    """Nobody was remembered."""
    return types.EmptyResult()


# -- prompts -----------------------------------------------------------------------------------------------------------


async def list_prompts(ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    """All prompts."""
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=name,
                description=_about(name),
                arguments=[types.PromptArgument(name=one, description=_about(one), required=True) for one in arguments],
            )
            for name, arguments in PROMPTS.items()
            if name != CHANGING or "prompts" in ctx.lifespan_context.shown
        ]
    )


async def get_prompt(
    ctx: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    """One prompt, filled in."""
    given = params.arguments or {}
    match params.name:
        case "test_simple_prompt" | "test_changing":
            return _prompt(types.TextContent(text="This is a simple prompt for testing."))
        case "test_prompt_with_arguments":
            said = f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"
            return _prompt(types.TextContent(text=said))
        case "test_prompt_with_embedded_resource":
            resource = embedded(given["resourceUri"], "text/plain", "Embedded resource content for testing.")
            return _prompt(resource, types.TextContent(text="Please process the embedded resource above."))
        case "test_prompt_with_image":
            image = types.ImageContent(data=PNG, mime_type="image/png")
            return _prompt(image, types.TextContent(text="Please analyze the image above."))
        case "test_input_required_result_prompt":
            context = answer(params, "user_context", "context")
            if isinstance(context, str):
                return _prompt(types.TextContent(text=f"In the context of {context}."))
            question = ask("What context should the prompt use?", context={"type": "string"})
            return types.InputRequiredResult(input_requests={"user_context": question})
    raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")


async def complete(ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
    """Words that begin with what was typed."""
    values = [word for word in ("paris", "park", "party", "test", "testing") if word.startswith(params.argument.value)]
    return types.CompleteResult(completion=types.Completion(values=values, total=len(values), has_more=False))


def _prompt(*contents: types.ContentBlock) -> types.GetPromptResult:
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=one) for one in contents])


# -- the rest ----------------------------------------------------------------------------------------------------------


async def set_level(ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
    """All that is logged here is of one level."""
    return types.EmptyResult()


def build_server() -> Server[State]:
    """The server."""
    return Server(
        "conformance",
        version="1",
        lifespan=_lifespan,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_subscribe_resource=watch_resource,
        on_unsubscribe_resource=unwatch_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_set_logging_level=set_level,
    )


def _about(name: str) -> str:
    return f"{name}, for the conformance suite"


async def main() -> None:
    """Serve until stdin ends."""
    server = build_server()
    announced = NotificationOptions(prompts_changed=True, resources_changed=True, tools_changed=True)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options(announced))


if __name__ == "__main__":
    # The suite also tests what the latest revision calls deprecated.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    anyio.run(main)
