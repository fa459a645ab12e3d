// Runs recorded cells under Node.js, in a fresh context for each trajectory, and prints the CPU
// time and wall time of each cell as JSON. Argument: a file of {"trajectories": [{"context": "…",
// "cells": ["…"]}]}. CPU time covers the whole process, including its compiler threads. Cells run
// as in the REPL of Node.js, with the inspector's `replMode`.
import fs from "node:fs";
import { Session } from "node:inspector";
import vm from "node:vm";

const { trajectories } = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const session = new Session();
session.connect();
const contexts = [];
session.on("Runtime.executionContextCreated", ({ params }) => contexts.push(params.context));
const post = (method, parameters) =>
  new Promise((resolve, reject) => {
    session.post(method, parameters, (error, result) => (error ? reject(error) : resolve(result)));
  });
await post("Runtime.enable");
const measured = [];
for (const [number, { context, cells }] of trajectories.entries()) {
  let printed = [];
  const print = (...values) => printed.push(values.map(String).join(" "));
  const name = `trajectory ${number}`;
  const lost = () => Promise.reject(new Error("not recorded"));
  const globals = { context, console: { log: print, error: print, warn: print, info: print }, rlm: lost, llm: lost };
  vm.createContext(Object.assign(globals, { __return: () => {} }), { name });
  const { id } = contexts.find((known) => known.name === name);
  for (const cell of cells) {
    printed = [];
    // The recorded REPL defines `return(…)`; Node.js rejects `return` at the top level.
    const expression = cell.replace(/^(\s*)return\s*\(/gm, "$1__return(");
    const before = process.cpuUsage();
    const began = performance.now();
    await post("Runtime.evaluate", { expression, contextId: id, replMode: true, awaitPromise: true });
    const ms = performance.now() - began;
    const { user, system } = process.cpuUsage(before);
    measured.push({ cpu_ms: (user + system) / 1000, ms, output: printed.join("\n") });
  }
}
process.stdout.write(JSON.stringify(measured));
