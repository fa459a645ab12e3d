// The official TypeScript SDK as a client of `rlm-eval mcp`, over HTTP and stdio.
import assert from "node:assert";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const [url, key, program, libraries] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${libraries}/`));
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");

const args = [
  "mcp", "--model", "scripted:echo.yaml", "--confirm-first-return", "false", "--timer-timeout", "3600",
  "--root", "docs", "--max-concurrency", "1", "--max-queue", "0", "--log-dir", "own",
];

async function check(transport, isLimited) {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const call = (name, input, options) => client.callTool({ name, arguments: input }, undefined, options);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), ["rlm", "llm_map", "read_run", "compare_runs"]);
  const steps = [];
  const onprogress = ({ message }) => steps.push(message);
  let result = await call("rlm", { query: "Say hello" }, { onprogress });
  assert.equal(result.content[0].text, "asked: Say hello");
  assert.equal(result.structuredContent.status, "ok");
  // This SDK drops progress that arrives together with the result.
  assert.equal(steps[0], "root: iteration 1");
  result = await call("rlm", { query: "x", files: ["a.txt"] });
  assert.equal(result.content[0].text, "context: text a");
  result = await call("rlm", { query: "x", files: ["../echo.yaml"] });
  assert.ok(result.isError && result.content[0].text.includes("does not exist in a folder"));
  result = await call("llm_map", { instruction: "x", items: ["a", "b"] });
  assert.deepEqual(result.structuredContent.results.map((one) => one.status), ["ok", "ok"]);
  await assert.rejects(call("shell", {}), /unknown tool/);
  // A cancelled call frees its slot.
  const aborted = new AbortController();
  const began = new Promise((resolve) => {
    call("rlm", { query: "wait" }, { signal: aborted.signal, onprogress: resolve }).catch(() => {});
  });
  await began;
  if (isLimited) {
    result = await call("rlm", { query: "Say b" });
    assert.ok(result.isError && result.content[0].text.includes("--max-concurrency"));
  }
  aborted.abort();
  const until = Date.now() + 60_000;
  while ((await call("rlm", { query: "Say b" })).isError) {
    assert.ok(Date.now() < until);
    await sleep(50);
  }
  await client.close();
}

const requestInit = { headers: { Authorization: `Bearer ${key}` } };
await check(new StreamableHTTPClientTransport(new URL(url), { requestInit }), false);
await check(new StdioClientTransport({ command: program, args, stderr: "inherit" }), true);
console.log("ok");
