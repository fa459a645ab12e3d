// A server of notes written with the official TypeScript SDK.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(pathToFileURL(`${process.env.LIBRARIES}/`));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { McpServer } = await load("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = await load("@modelcontextprotocol/sdk/server/stdio.js");
const { z } = await load("zod");

const server = new McpServer({ name: "notes", version: "1.0.0" });
const notes = [];
const text = (text) => ({ content: [{ type: "text", text }] });

server.registerTool(
  "add",
  { description: "Adds a note and returns the number of notes.", inputSchema: { text: z.string() } },
  async ({ text: note }) => text(String(notes.push(note))),
);
server.registerTool("list", { description: "Returns all notes, one a line." }, async () => text(notes.join("\n")));
server.registerTool(
  "remove",
  { description: "Removes a note by its index, which begins at 0.", inputSchema: { index: z.number().int() } },
  async ({ index }) => {
    if (index >= notes.length) throw new Error(`there is no note ${index}`);
    return text(notes.splice(index, 1)[0]);
  },
);
server.registerTool("picture", { description: "Returns a picture of the notes." }, async () => ({
  content: [{ type: "image", data: "iVBORw==", mimeType: "image/png" }],
}));

await server.connect(new StdioServerTransport());
