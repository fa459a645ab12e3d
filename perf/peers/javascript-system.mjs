// Runs samples in the JavaScript system whose source is in the current folder, with an in-process
// model that replies immediately. Arguments: number of samples, concurrency, iterations per sample,
// and the output file for the total wall time and CPU time in milliseconds, without program
// startup. $STEP is the model's reply, $LAST its final reply, $CONTEXT the context.
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [samples, atOnce, iterations] = process.argv.slice(2, 5).map(Number);
const { rlm } = await import(pathToFileURL(`${process.cwd()}/src/rlm.ts`));
const { STEP: step, LAST: last, CONTEXT: context } = process.env;
const callLLM = async (messages) => {
  const turn = messages.filter(({ role }) => role === "assistant").length + 1;
  return turn < iterations ? step : last;
};

const cpu = process.cpuUsage();
const began = performance.now();
let next = 0;
const work = async () => {
  while (next++ < samples) {
    const { answer } = await rlm("What is it?", context, { callLLM, maxIterations: iterations + 5, maxDepth: 2 });
    if (answer !== "42") throw new Error(`wrong answer: ${answer}`);
  }
};
await Promise.all(Array.from({ length: atOnce }, work));
const ms = performance.now() - began;
const { user, system } = process.cpuUsage(cpu);
fs.writeFileSync(process.argv[5], JSON.stringify({ ms, cpu_ms: (user + system) / 1000 }));
process.exit(0);
