"""The official Python SDK as a client of `rlm-eval mcp`, over HTTP and stdio."""

import sys

import anyio
import httpx2
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

URL, KEY, PROGRAM, _ = sys.argv[1:]
ARGS = [
    "mcp", "--model", "scripted:echo.yaml", "--confirm-first-return", "false", "--timer-timeout", "3600",
    "--root", "docs", "--max-concurrency", "1", "--max-queue", "0", "--log-dir", "own",
]


async def check(client: Client, is_limited: bool) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"rlm", "llm_map", "read_run", "compare_runs"}, tools
    result = await client.call_tool("rlm", {"query": "Say hello"})
    assert not result.is_error and result.content[0].text == "asked: Say hello", result
    assert result.structured_content["status"] == "ok", result
    result = await client.call_tool("rlm", {"query": "x", "files": ["a.txt"]})
    assert result.content[0].text == "context: text a", result
    result = await client.call_tool("rlm", {"query": "x", "files": ["/etc/passwd"]})
    assert result.is_error and "does not exist in a folder" in result.content[0].text, result
    run, sample = (await client.call_tool("rlm", {"query": "Say y"})).structured_content, None
    read = await client.call_tool("read_run", {"run": run["run"], "sample": run["sample"]})
    assert not read.is_error and read.structured_content["steps"], read
    mapped = await client.call_tool("llm_map", {"instruction": "x", "items": ["a", "b"]})
    assert [one["status"] for one in mapped.structured_content["results"]] == ["ok", "ok"], mapped
    steps = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        steps.append(message)

    await client.call_tool("rlm", {"query": "Say z"}, progress_callback=on_progress)
    assert steps == ["root: iteration 1", "root: ended ok after 1 iteration"], steps
    # A cancelled call frees its slot.
    began = anyio.Event()

    async def on_first(progress: float, total: float | None, message: str | None) -> None:
        began.set()

    async def wait() -> None:
        result = await client.call_tool("rlm", {"query": "wait"}, progress_callback=on_first)
        raise AssertionError(result)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await began.wait()
        if is_limited:
            busy = await client.call_tool("rlm", {"query": "Say b"})
            assert busy.is_error and "--max-concurrency" in busy.content[0].text, busy
        tasks.cancel_scope.cancel()
    with anyio.fail_after(60):
        while (await client.call_tool("rlm", {"query": "Say b"})).is_error:
            await anyio.sleep(0.05)


async def main() -> None:
    headers = {"Authorization": f"Bearer {KEY}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(URL, http_client=http)) as client:
            await check(client, is_limited=False)
    parameters = StdioServerParameters(command=PROGRAM, args=ARGS)
    async with Client(stdio_client(parameters, errlog=sys.stderr)) as client:
        await check(client, is_limited=True)
    # Use the handshake of earlier protocol versions.
    async with Client(stdio_client(parameters, errlog=sys.stderr), mode="legacy") as client:
        await check(client, is_limited=True)
    print("ok")


anyio.run(main)
