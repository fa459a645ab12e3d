// Runs $SAMPLES samples of two iterations with rllm, $CONCURRENCY at a time, against the model at
// $BASE_URL.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.cwd() + "/");
const { RLLM } = await import(pathToFileURL(require.resolve("rllm")).href);

const samples = Number(process.env.SAMPLES);
const context = "A line of text that says nothing new at all.\n".repeat(178);
const client = { model: "rllm", provider: "custom", baseUrl: process.env.BASE_URL, apiKey: "none" };
let next = 0;
async function work() {
  while (next++ < samples) {
    const { answer, iterations } = await new RLLM({ client }).completion("plan=loop/2; What is it?", { context });
    const text = typeof answer === "string" ? answer : answer?.message;
    if (text !== "42" || iterations !== 2) throw new Error(`${JSON.stringify(answer)} after ${iterations} iterations`);
  }
}
await Promise.all(Array.from({ length: Number(process.env.CONCURRENCY) }, work));
