// Tests OpenAI's TypeScript library: both interfaces, whole and streamed, errors, and an aborted request.

import assert from "node:assert";
import { createRequire } from "node:module";

const [base, key, libraries] = process.argv.slice(2);
const { default: OpenAI } = createRequire(`${libraries}/package.json`)("openai");
const client = new OpenAI({ baseURL: base, apiKey: key, maxRetries: 0 });
const model = "rlm/scripted:echo.yaml";
const messages = [{ role: "user", content: "What is in the context?" }];
const rlm = { context: "a needle" };

const names = (await client.models.list()).data.map((one) => one.id);
assert(names.includes(model), names.join());

const whole = await client.chat.completions.create({ model, messages, rlm });
assert.equal(whole.choices[0].message.content, "context: a needle");
assert.equal(whole.usage.total_tokens, 120);

let text = "";
for await (const chunk of await client.chat.completions.create({ model, messages, rlm, stream: true })) {
  text += chunk.choices[0]?.delta?.content ?? "";
}
assert.equal(text, "context: a needle");

const response = await client.responses.create({ model, input: "What is in the context?", rlm });
assert.equal(response.output_text, "context: a needle");

const stream = client.responses.stream({ model, input: "What is in the context?", rlm });
for await (const event of stream) assert(event.type.startsWith("response."), event.type);
assert.equal((await stream.finalResponse()).output_text, "context: a needle");

await assert.rejects(client.chat.completions.create({ model: "rlm/none", messages }), { status: 404, code: "model_not_found" });
await assert.rejects(client.chat.completions.create({ model, messages, tools: [{ type: "function", function: { name: "f" } }] }), {
  status: 400,
  param: "tools",
});

const abort = new AbortController();
const slow = client.chat.completions.create({ model, messages: [{ role: "user", content: "wait" }] }, { signal: abort.signal });
setTimeout(() => abort.abort(), 300);
await assert.rejects(slow, OpenAI.APIUserAbortError);
console.log("ok");
