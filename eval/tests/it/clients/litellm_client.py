"""Tests LiteLLM as a client of a server with OpenAI's format."""

import sys

import litellm

base, key = sys.argv[1:3]
at = {"model": "openai/rlm/scripted:echo.yaml", "api_base": base, "api_key": key, "num_retries": 0}
asked = [{"role": "user", "content": "What is in the context?"}]
extra = {"extra_body": {"rlm": {"context": "a needle"}}}

whole = litellm.completion(messages=asked, **at, **extra)
assert whole.choices[0].message.content == "context: a needle", whole
assert whole.usage.total_tokens == 120, whole.usage

text, thought = "", ""
for chunk in litellm.completion(messages=asked, stream=True, **at, **extra):
    text += chunk.choices[0].delta.content or ""
    thought += getattr(chunk.choices[0].delta, "reasoning_content", None) or ""
assert text == "context: a needle", text
assert "iteration 1" in thought, thought

try:
    litellm.completion(messages=asked, **{**at, "model": "openai/rlm/none"})
except litellm.NotFoundError as error:
    assert "rlm/none" in str(error)
else:
    raise AssertionError("an unknown model was answered")
print("ok")
