// Run directories for the tests: a tree of agents, hostile texts, grids, a long trajectory, a large run.

import { appendFileSync, closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";

const template = JSON.parse(readFileSync(new URL("../../records/tests/record.json", import.meta.url), "utf8"));

/** Writes a run directory. `identity` overrides the common identity; `planned` is the number of planned attempts, `origin` that of a fork. */
export function writeRun(folder, name, { identity = {}, records = [], planned = records.length, origin }) {
  const dir = join(folder, name);
  mkdirSync(join(dir, "trajectories"), { recursive: true });
  const run = { run_id: name, benchmark: "s-niah", model: "scripted/s-niah", protocol: "rlm", prompt_mode: "solver", drivers: "", max_depth: 2, max_iterations: 15, dataset_digest: "d1", scorer: "needle/1", fingerprint: `f-${name}`, ...identity };
  writeFileSync(join(dir, "lock.json"), JSON.stringify({ v: 1, fingerprint: { sha256: run.fingerprint, parts: {} }, run }));
  writeFileSync(join(dir, "config.json"), JSON.stringify({ v: 1, run, attempts_total: planned, origin }));
  writeFileSync(join(dir, "samples.jsonl"), records.map((one) => line(record(name, one))).join(""));
  return dir;
}

/** Scores that another scorer gave the answers of a run later: each the same. */
function writeScores(dir, scorer, score) {
  const records = readFileSync(join(dir, "samples.jsonl"), "utf8").trim().split("\n").map((one) => JSON.parse(one));
  mkdirSync(join(dir, "scores"));
  writeFileSync(join(dir, "scores", `${scorer.replace("/", "-")}.jsonl`), records.map((one) => line({ id: one.id, attempt: one.attempt, status: one.status, scorer, score, recorded_score: one.score })).join(""));
}

/** Appends a line to a file of a running run. */
export const append = (file, value) => appendFileSync(file, line(value));

const line = (value) => `${JSON.stringify(value)}\n`;

/** Returns a record of `samples.jsonl`: a default one with `changes`. */
export const record = (run, changes) => ({ ...template, run_id: run, ...changes });

/** Returns the path of an attempt's trajectory. Plain ids are file names. */
export function trajectoryFile(dir, sample, attempt = 1) {
  const safe = [...Buffer.from(sample)].map((byte) => (/[A-Za-z0-9._-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`));
  return join(dir, "trajectories", `${safe.join("")}.${attempt}.jsonl`);
}

/** Returns a function that creates events: each call returns a line of the trajectory. */
export function eventsOf(run, sample, attempt = 1) {
  return (at_ms, invocation, kind, { parent = null, depth = 0 } = {}) => ({ v: 1, run_id: run, sample, attempt, at_ms, invocation, parent, depth, kind });
}

const usage = (input_tokens, output_tokens) => ({ input_tokens, cached_input_tokens: 0, output_tokens, reasoning_tokens: 0, estimated: false });
const start = (role, query, more = {}) => ({ type: "invocation_start", role, query, model: "openai/gpt-test", max_iterations: 15, system_prompt: prompt, ...more });
const end = (answer, more = {}) => ({ type: "invocation_end", status: "ok", answer, error: null, iterations: 1, ...more });
const asked = (content, more = {}) => ({ type: "llm_request", new_messages: [{ role: "user", content, ...more }], messages: 1 });
const answered = (text, more = {}) => ({ type: "llm_response", text, reasoning: null, usage: usage(1200, 80), cost_usd: 0.0042, served_model: null, ms: 400, ...more });
const ran = (iteration, code, output, more = {}) => ({ type: "iteration_end", iteration, code, output, error: null, returned: null, intercepted: false, executed_ms: 12, dropped_blocks: 0, ...more });

const prompt = "You are an agent with a REPL.\n\n## Environment\n\nYou work in JavaScript.\n\n## Workflow\n\n1. Look.\n2. Return.\n";
const fenced = (code) => `I look first.\n\n\`\`\`javascript\n${code}\n\`\`\``;

/** A complete image of one pixel. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Hostile texts of a model. Each sets `window.pwned` if it runs. */
export const hostileTexts = [
  "<script>window.pwned = 1</script>",
  "<img src=x onerror=\"window.pwned = 2\">",
  "</script><script>window.pwned = 3</script>",
  "</pre><svg onload=window.pwned=4>",
  "[click](javascript:window.pwned=5) <a href=\"javascript:window.pwned=5\">here</a>",
  "\"><iframe srcdoc=\"<script>parent.pwned=6</script>\"></iframe>",
  "<!-- --><style>body{display:none}</style>]]>\u2028\u2029\u0000\u001b[31m",
  "<base href=\"https://example.org/\"><meta http-equiv=refresh content=\"0;url=https://example.org/\">",
  "{{constructor.constructor('window.pwned=7')()}} ${window.pwned=8}",
  "not \u202edesrever\u202c, \u2067nor this\u2069, \u200fnor that",
];
const hostile = hostileTexts.join("\n");

/** A root with four children, of which three run concurrently, one fails and one calls another agent. */
function writeTree(dir, run) {
  const event = eventsOf(run, "tree");
  const child = (id, depth = 1, parent = "root") => ({ parent, depth, id });
  const of = (one, at, kind) => event(at, one.id, kind, one);
  const [a, b, c, d] = ["d1-c0", "d1-c1", "d1-c2", "d1-c3"].map((id) => child(id));
  const deep = child("d1-c1.d2-c0", 2, "d1-c1");
  const screenshot = { images: [{ media_type: "image/png", data: pixel }] };
  const code = "const parts = split(context, 4); // four\nconst found = await Promise.all(parts.map((part) => rlm('Find it', part)));\nconsole.log(found);";
  const one = (agent, from, to, answer) => [
    of(agent, from, start("child", `Find it in the part of ${agent.id}`)),
    of(agent, from, { type: "iteration_start", iteration: 1 }),
    of(agent, from + 5, asked("The part.")),
    of(agent, to - 50, answered(fenced("return(42)"))),
    of(agent, to, ran(1, "return(42)", "", { returned: answer })),
    of(agent, to, end(answer)),
  ];
  const events = [
    event(0, "root", { type: "attempt_start", query: "Find the number.", context_chars: 4000 }),
    event(1, "root", start("root", "Find the number.")),
    event(1, "root", { type: "iteration_start", iteration: 1 }),
    event(2, "root", asked("The context has 4,000 characters.\n\nPAGE DUMP\n[1] <button> Send", screenshot)),
    event(100, "root", { type: "llm_retry", error: "503 overloaded", delay_ms: 200 }),
    event(300, "root", { type: "llm_wait", reason: "backoff", ms: 200 }),
    event(800, "root", answered(fenced(code), { reasoning: "Four parts are best.\nThey run at once." })),
    ...[a, b, c, d].map(({ id }) => event(810, "root", { type: "delegation_spawn", child: id, role: "child" })),
    ...one(a, 811, 1500, "42"),
    ...one(b, 811, 2200, "41"),
    of(deep, 1000, start("one_shot", "What is 6 × 7?", { max_iterations: 1 })),
    of(deep, 1001, asked("What is 6 × 7?")),
    of(deep, 1400, answered("42")),
    of(deep, 1400, end("42")),
    ...one(c, 1500, 2100, "40"),
    of(d, 811, start("child", "Find it in the last part")),
    of(d, 815, asked("The part.")),
    of(d, 900, { type: "llm_error", error: "503 Service Unavailable", ms: 85 }),
    of(d, 901, end(null, { status: "error", error: "the provider failed: 503" })),
    ...[a, b, c].map(({ id }) => event(2200, "root", { type: "delegation_return", child: id, answer_chars: 2 })),
    event(2200, "root", { type: "delegation_error", child: "d1-c3", error: "the provider failed: 503" }),
    event(2210, "root", ran(1, code, "[ '42', '41', '40' ]", { error: "TypeError: found.best is not a function" })),
    event(2211, "root", { type: "iteration_start", iteration: 2 }),
    event(2212, "root", asked("TypeError: found.best is not a function")),
    event(2600, "root", answered(fenced("return(42)"))),
    event(2610, "root", { type: "page_action", action: "click [1]", result: "The button was pressed.", screenshot: { media_type: "image/png", data: pixel } }),
    event(2620, "root", ran(2, "return(42)", "", { returned: "42" })),
    event(2621, "root", end("42", { iterations: 2 })),
    event(2622, "root", { type: "attempt_end", status: "ok", answer: "42", error: null }),
  ];
  writeFileSync(trajectoryFile(dir, "tree"), events.map(line).join(""));
}

/** A web agent with two turns: a page with ids and screenshot, a repaired envelope, a failed result, and the end. */
export function writeWeb(folder) {
  const name = "web-20261121-130000-0001";
  const dir = writeRun(folder, name, { identity: { benchmark: "webnav", protocol: "agent-turn" }, records: [{ id: "web", iterations: 2 }] });
  const event = eventsOf(name, "web");
  const web = (at, what) => event(at, "root", { type: "web", event: what });
  const dump = { url: "/lamps", title: "Lamps", viewport: [0, 900, 240], tree: `[3a2b]<a href="/">Home</a>\n${hostile}`, elements: [{ id: "3a2b", element: "a" }], truncated: false, millis: 2.5 };
  const actions = [{ narrate: hostileTexts[0] }, { tool: "click", args: { selector: "[3a2b]" } }, { tool: "border", args: {} }];
  const results = [{ action: "narrate", result: "done" }, { action: "click", result: "failed", problem: "stale_id", note: "[3a2b] is stale" }, { action: "border", result: "skipped", note: "skipped, because the action before it was not done" }];
  const envelope = { memory: "On the page of lamps.", todos_remaining: ["find the price"], actions };
  const events = [
    event(0, "root", { type: "attempt_start", query: "What does it cost?", context_chars: 0 }),
    event(1, "root", start("agent_turn", "What does it cost?")),
    event(2, "root", { type: "iteration_start", iteration: 1 }),
    web(3, { what: "page", dump, chars: 40, bytes: 40 }),
    web(4, { what: "screenshot", image: { media_type: "image/png", data: pixel } }),
    event(5, "root", asked("# Current page\n- URL: /lamps")),
    event(300, "root", answered("", { tool_calls: [{ id: "c1", name: "agent_turn", arguments: JSON.stringify(envelope) }] })),
    web(301, { what: "envelope", envelope, repairs: ["`args` was missing"] }),
    web(302, { what: "action_results", results }),
    event(303, "root", { type: "iteration_start", iteration: 2 }),
    web(304, { what: "no_page", problem: "the page did not answer" }),
    event(305, "root", asked("# Current page\n- URL: unknown")),
    event(500, "root", answered("Sorry")),
    web(501, { what: "envelope", envelope: null, problem: "it holds no call of `agent_turn`" }),
    web(502, { what: "turn_log", last_messages: [], last_page: null, turns: [] }),
    web(503, { what: "state", state: { posts: [] } }),
    web(503, { what: "page_call", function: "page.text", arguments: "{}", result: "All the text of the page. ".repeat(500), ms: 0 }),
    event(504, "root", end("20", { iterations: 2 })),
    event(505, "root", { type: "attempt_end", status: "ok", answer: "20", error: null }),
  ];
  writeFileSync(trajectoryFile(dir, "web"), events.map(line).join(""));
  return `#/run/${name}/web/1`;
}

/** An agent with JSON actions that launched an app and then a long one. */
export function writeApp(folder) {
  const name = "app-20261121-140000-0001";
  const state = { state: { check: ["0", "3"], apps: ["Counter"] }, actions: ["launch_app"], answer: "" };
  const dir = writeRun(folder, name, { identity: { benchmark: "webapp", protocol: "json-action" }, records: [{ id: "app", iterations: 2, answer: "", expected: { shows: ["0", "3"] }, state }] });
  const event = eventsOf(name, "app");
  const web = (at, what) => event(at, "root", { type: "web", event: what });
  const launch = (app) => answered(JSON.stringify({ action: "launch_app", app }));
  const long = `<h1>"Long"</h1>\n${Array.from({ length: 2000 }, (_, place) => `<p>${place}</p>`).join("\n")}${hostile}`;
  const events = [
    event(1, "root", start("json_action", "Build me a counter.")),
    event(200, "root", { type: "iteration_start", iteration: 1 }),
    event(201, "root", asked("Build me a counter.")),
    event(300, "root", launch('<!DOCTYPE html>\n<p id="count">0</p>\n<script>let n = 0;</script>')),
    web(301, { what: "json_action", action: "launch_app" }),
    event(400, "root", { type: "iteration_start", iteration: 2 }),
    event(401, "root", asked("Again.")),
    event(500, "root", launch(long)),
    web(501, { what: "json_action", action: "launch_app" }),
    web(900, { what: "state", state }),
    event(901, "root", end("", { iterations: 2 })),
  ];
  writeFileSync(trajectoryFile(dir, "app"), events.map(line).join(""));
  return `#/run/${name}/app/1`;
}

/** A root with this role that has received its first response. */
export function writeRole(folder, role) {
  const name = `role-${role}-20261121-150000-0001`;
  const dir = writeRun(folder, name, { records: [{ id: "one" }] });
  const event = eventsOf(name, "one");
  const events = [
    event(1, "root", start(role, "What is 6 × 7?")),
    event(2, "root", { type: "iteration_start", iteration: 1 }),
    event(3, "root", asked("What is 6 × 7?")),
    event(400, "root", answered("42")),
  ];
  writeFileSync(trajectoryFile(dir, "one"), events.map(line).join(""));
  return `#/run/${name}/one/1`;
}

/** A run in which every field from a model, a benchmark or a file contains hostile texts. */
function writeHostile(folder) {
  const name = "<img src=x onerror=window.pwned=10>";
  const sample = "<script>window.pwned=11</script>/../..";
  const more = { answer: hostile, expected: hostile, error: hostile, score_explanation: hostile, score: 0, metadata: { [hostile]: hostile }, agents: 2 };
  const dir = writeRun(folder, name, { identity: { benchmark: hostileTexts[1], model: hostile, drivers: hostile, scorer: hostile }, records: [{ id: sample, ...more }, { id: "javascript:window.pwned=12", ...more, answer: null }], origin: { run: hostile, sample: hostile, attempt: hostile, iteration: hostile, note: hostile } });
  const event = eventsOf(name, sample);
  const child = "d1-c0\"><script>window.pwned=13</script>";
  const code = `${hostile}\nreturn(1)`;
  const events = [
    event(0, "root", { type: "attempt_start", query: hostile, context_chars: 1 }),
    event(1, "root", start("root", hostile, { system_prompt: `## ${hostile}\n\n${hostile}\n## Two\n`, model: hostile })),
    event(1, "root", { type: "iteration_start", iteration: 1 }),
    event(2, "root", asked(hostile, { images: [{ media_type: "image/svg+xml", data: Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' onload='window.pwned=14'/>").toString("base64") }, { media_type: "image/png", data: "\"><script>window.pwned=15</script>" }] })),
    event(3, "root", answered(`${hostile}\n\`\`\`javascript" onclick="window.pwned=16\n${code}\n\`\`\`\n${hostile}`, { reasoning: hostile, served_model: hostile })),
    event(4, "root", { type: "delegation_spawn", child, role: "child" }),
    event(5, child, start("child", hostile), { parent: "root", depth: 1 }),
    event(6, child, end(hostile, { status: "error", error: hostile }), { parent: "root", depth: 1 }),
    event(7, "root", { type: "delegation_error", child, error: hostile }),
    event(8, "root", { type: "llm_error", error: hostile, ms: 1 }),
    event(9, "root", { type: hostileTexts[1], [hostileTexts[0]]: hostile, href: "javascript:window.pwned=17", onclick: "window.pwned=18" }),
    event(9, "root", ran(1, code, hostile.repeat(200), { error: hostile, returned: hostile })),
    event(10, "root", end(hostile)),
    event(11, "root", { type: "attempt_end", status: "ok", answer: hostile, error: null }),
  ];
  writeFileSync(trajectoryFile(dir, sample), `${events.map(line).join("")}this is no event\n`);
}

const grid = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 0, 1]];
const otherGrid = [[0, 1, 2, 3], [4, 5, 0, 7], [8, 9, 0, 2]];

function writeGrids(folder, name, changes, started_at) {
  const sample = (id, more) => ({ id, started_at, score: 1, answer: JSON.stringify(grid), expected: grid, ...more });
  const records = [sample("arc-one", changes), sample("arc-two"), sample("arc-three", { answer: "no grid", score: 0 }), sample("arc-four", { answer: null, score: null, status: "error", error: "503" }), sample("arc-five", { status: "limit", score: 0, cost_usd: 0.25 })];
  writeRun(folder, name, { identity: { benchmark: "arc", scorer: "arc-grid/1", prompt_mode: "coordinator", drivers: "verify" }, records });
}

/** An agent with `iterations`, every `each`th of which printed a megabyte. */
export function writeLong(folder, { iterations = 2000, each = 40 } = {}) {
  const name = "long-20261121-090000-0001";
  const dir = writeRun(folder, name, { records: [{ id: "long", iterations }] });
  const event = eventsOf(name, "long");
  const file = openSync(trajectoryFile(dir, "long"), "w");
  const write = (value) => writeSync(file, line(value));
  const output = "All work and no play makes Jack a dull boy.\n".repeat(24_000).slice(0, 1_000_000);
  write(event(0, "root", { type: "attempt_start", query: "Go on.", context_chars: 0 }));
  write(event(0, "root", start("root", "Go on.", { max_iterations: iterations })));
  for (let number = 1; number <= iterations; number += 1) {
    const at = number * 100;
    write(event(at, "root", { type: "iteration_start", iteration: number }));
    write(event(at + 1, "root", asked("Go on.")));
    write(event(at + 80, "root", answered(fenced(`console.log(${number});`))));
    write(event(at + 90, "root", ran(number, `console.log(${number});`, number % each ? `${number}\n` : output)));
  }
  write(event(iterations * 100 + 100, "root", end("done", { iterations })));
  closeSync(file);
}

/** A run with many samples and without trajectories. */
export function writeLarge(folder, { name = "large-20261121-100000-0001", samples = 5000, right = 0.7 } = {}) {
  const records = Array.from({ length: samples }, (_, place) => {
    const good = ((place * 7919) % 1000) / 1000 < right;
    return { id: `s-${place + 1}`, score: good ? 1 : 0, answer: good ? "42" : "41", iterations: 1 + (place % 9), total_time_s: 1 + (place % 13) / 3, cost_usd: 0.001 * (place % 17), agents: 1 + (place % 5 ? 0 : 3), started_at: "2026-11-21T10:00:00Z" };
  });
  return writeRun(folder, name, { identity: { prompt_mode: right > 0.7 ? "coordinator" : "solver" }, records });
}

/** Six runs of grids for a report. */
function writeReported(folder) {
  for (let place = 0; place < 6; place += 1) {
    const right = (index) => (index * 7 + place * 3) % 10 < 4 + place;
    const records = Array.from({ length: 12 }, (_, index) => ({ id: index ? `arc-${index}` : hostileTexts[1], score: right(index) ? 1 : 0, answer: JSON.stringify(right(index) ? grid : otherGrid), expected: grid, cost_usd: 0.01 * (place + 1), started_at: "2026-11-21T07:00:00Z" }));
    const name = `arc-2026112${place}-070000-0001`;
    const identity = { benchmark: "arc", scorer: "arc-grid/1", prompt_mode: place % 2 ? "coordinator" : "solver", drivers: place > 2 ? "verify+exact-format" : "", model: place < 2 ? "openai/a-model-of-a-rather-long-name-2026" : "anthropic/another-of-a-long-name", max_depth: 1 + (place % 3) };
    const dir = writeRun(folder, name, { identity, records });
    records.forEach(({ id }) => writeFileSync(trajectoryFile(dir, id), line(eventsOf(name, id)(1, "root", start("root", "Q")))));
  }
}

/** Writes all fixtures. */
export function writeAll(folder) {
  writeReported(join(folder, "../reported"));
  const name = "tree-20261121-080000-0001";
  const dir = writeRun(folder, name, { identity: { model: "openai/gpt-test", prompt_mode: "coordinator", drivers: "verify+exact-format" }, records: [{ id: "tree", agents: 6, cost_usd: 0.0294, total_time_s: 2.6, usage: usage(8400, 560), score_explanation: `the answer is "${"A".repeat(300)}"` }], origin: { run: "tree-20261120", sample: "tree", attempt: 2, iteration: 3, note: "Check the units.", inherited: { llm_calls: 4, cost_usd: 0.12 } } });
  writeTree(dir, name);
  writeHostile(folder);
  writeGrids(folder, "arc-20261121-070000-0001", { answer: JSON.stringify(otherGrid), score: 0 }, "2026-11-21T07:00:00Z");
  writeGrids(folder, "arc-20261121-070000-0002", {}, "2026-11-21T07:00:01Z");
  for (const run of ["arc-20261121-070000-0001", "arc-20261121-070000-0002"]) writeScores(join(folder, run), "strict/1", 0.125);
  writeLong(folder);
  writeLarge(folder);
  writeLarge(folder, { name: "large-20261121-110000-0002", right: 0.75 });
  const live = writeRun(folder, "live-20261121-120000-0001", { records: [{ id: "s-1" }], planned: 3 });
  writeFileSync(trajectoryFile(live, "s-2"), line(eventsOf("live-20261121-120000-0001", "s-2")(0, "root", start("root", "Live?"))));
  writeFileSync(join(live, "samples.jsonl"), `${readFileSync(join(live, "samples.jsonl"), "utf8")}{"v":1,"torn`);
}

if (process.argv[1] === new URL(import.meta.url).pathname) writeAll(process.argv[2]);
