"""A hand-written MCP server over stdio: tools that answer, fail, hang, crash, or say too much."""
import json
import os
import signal
import sys

OBJECT = {"type": "object"}
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOLS = [
    {"name": "echo", "description": "Returns `text`.", "inputSchema": TEXT},
    {"name": "parts", "description": "Returns a text and an image.", "inputSchema": OBJECT},
    {"name": "data", "description": "Returns structured data.", "inputSchema": OBJECT},
    {"name": "env", "description": "Returns the names in its environment.", "inputSchema": OBJECT},
    {"name": "fail", "description": "Fails.", "inputSchema": OBJECT},
    {"name": "refuse", "description": "Answers with an error of the protocol.", "inputSchema": OBJECT},
    {"name": "crash", "description": "Ends the server.", "inputSchema": OBJECT},
    {"name": "pid", "description": "Returns the process id.", "inputSchema": OBJECT},
    {"name": "long", "description": "Returns a long text.", "inputSchema": OBJECT},
    {"name": "hang", "description": "Never answers.", "inputSchema": OBJECT},
    {"name": "noise", "description": "Prints what is not JSON, then answers.", "inputSchema": OBJECT},
]


def text(*texts):
    return {"content": [{"type": "text", "text": text} for text in texts]}


def call(name, arguments):
    match name:
        case "echo":
            return text(arguments["text"])
        case "parts":
            image = {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}
            return {"content": [{"type": "text", "text": "see"}, image]}
        case "data":
            return {"content": [], "structuredContent": {"n": [1, 2]}}
        case "env":
            return text(",".join(sorted(os.environ)))
        case "fail":
            return {**text("no such note"), "isError": True}
        case "pid":
            return text(str(os.getpid()))
        case "long":
            return text("x" * 5_000_000)
        case "noise":
            sys.stdout.buffer.write(b'\xff\xfe\n{"jsonrpc": "2.0", "id": 999, "result": {}}\n[]\n')
            return text("quiet")
        case "hang":
            signal.pause()
        case "crash":
            print("out of paper", file=sys.stderr, flush=True)
            os._exit(3)


def answer(request):
    match request["method"]:
        case "initialize":
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "notes", "version": "1"},
            }
        case "tools/list":
            return {"tools": TOOLS}
        case "tools/call":
            return call(request["params"]["name"], request["params"].get("arguments") or {})


for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    reply = {"jsonrpc": "2.0", "id": request["id"]}
    if request.get("params", {}).get("name") == "refuse":
        reply["error"] = {"code": -32602, "message": "not today"}
    else:
        reply["result"] = answer(request)
    print(json.dumps(reply), flush=True)
