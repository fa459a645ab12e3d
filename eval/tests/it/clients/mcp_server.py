"""A server of notes written with the official Python SDK."""

from mcp.server.mcpserver import Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("notes")
notes: list[str] = []


@server.tool()
def add(text: str) -> int:
    """Adds a note and returns the number of notes."""
    notes.append(text)
    return len(notes)


@server.tool()
def list() -> str:
    """Returns all notes, one a line."""
    return "\n".join(notes)


@server.tool()
def remove(index: int) -> str:
    """Removes a note by its index, which begins at 0."""
    if index >= len(notes):
        raise ToolError(f"there is no note {index}")
    return notes.pop(index)


@server.tool()
def picture() -> Image:
    """Returns a picture of the notes."""
    return Image(data=b"\x89PNG", format="png")


server.run()
