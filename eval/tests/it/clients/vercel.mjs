// Tests the Vercel AI SDK with its provider for OpenAI (Responses) and the one for compatible servers (Chat Completions).

import assert from "node:assert";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [base, key, libraries] = process.argv.slice(2);
const { resolve } = createRequire(`${libraries}/package.json`);
const load = (name) => import(pathToFileURL(resolve(name)));
const { generateText, streamText } = await load("ai");
const { createOpenAI } = await load("@ai-sdk/openai");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");

const name = "rlm/scripted:echo.yaml";
const prompt = "Say shortest";
const openai = createOpenAI({ baseURL: base, apiKey: key });
const compatible = createOpenAICompatible({ name: "rlm", baseURL: base, apiKey: key, includeUsage: true });

for (const model of [openai(name), openai.chat(name), compatible(name)]) {
  const whole = await generateText({ model, prompt, maxRetries: 0 });
  assert.equal(whole.text, "asked: Say shortest", model.provider);
  assert.equal(whole.usage.totalTokens, 120, model.provider);

  const streamed = streamText({ model, prompt, maxRetries: 0, onError: ({ error }) => assert.fail(String(error)) });
  let text = "";
  for await (const part of streamed.textStream) text += part;
  assert.equal(text, "asked: Say shortest", model.provider);
  assert.equal(await streamed.finishReason, "stop", model.provider);
  if (model !== undefined && model.provider !== "openai.chat") {
    assert.match((await streamed.reasoningText) ?? "", /iteration 1/, model.provider);
  }
  await assert.rejects(generateText({ model: openai("rlm/none"), prompt, maxRetries: 0 }), { statusCode: 404 });
}
console.log("ok");
