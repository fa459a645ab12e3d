"""Tests OpenAI's Python library: both interfaces, whole and streamed, and errors."""

import sys

import openai

base, key = sys.argv[1:3]
client = openai.OpenAI(base_url=base, api_key=key, max_retries=0)
model = "rlm/scripted:echo.yaml"
asked = [{"role": "user", "content": "What is in the context?"}]
extra = {"rlm": {"context": "a needle"}}

names = [one.id for one in client.models.list()]
assert model in names and "rlm-coordinator/scripted:echo.yaml" in names, names
assert client.models.retrieve(model).id == model

whole = client.chat.completions.create(model=model, messages=asked, extra_body=extra)
assert whole.choices[0].message.content == "context: a needle", whole
assert whole.choices[0].finish_reason == "stop"
assert (whole.usage.prompt_tokens, whole.usage.completion_tokens, whole.usage.total_tokens) == (100, 20, 120), whole.usage
assert whole.rlm["status"] == "ok" and whole.rlm["cost_usd"] == 0.001, whole.rlm

stream = client.chat.completions.create(
    model=model, messages=asked, extra_body=extra, stream=True, stream_options={"include_usage": True}
)
text, thought, usage = "", "", None
for chunk in stream:
    usage = chunk.usage or usage
    for choice in chunk.choices:
        text += choice.delta.content or ""
        thought += getattr(choice.delta, "reasoning_content", None) or ""
assert text == "context: a needle", text
assert "iteration 1" in thought, thought
assert usage.total_tokens == 120, usage

response = client.responses.create(model=model, input="What is in the context?", extra_body=extra)
assert response.output_text == "context: a needle", response
assert response.status == "completed" and response.usage.total_tokens == 120

with client.responses.stream(model=model, input="What is in the context?", extra_body=extra) as events:
    kinds = [event.type for event in events]
    final = events.get_final_response()
assert final.output_text == "context: a needle", final
assert kinds[0] == "response.created" and kinds[-1] == "response.completed", kinds
assert "response.reasoning_summary_text.delta" in kinds and "response.output_text.delta" in kinds, kinds


def fails(kind, **request):
    try:
        client.chat.completions.create(**{"model": model, "messages": asked, **request})
    except kind as error:
        return error
    raise AssertionError(f"{request}: no {kind.__name__}")


assert fails(openai.NotFoundError, model="rlm/none").code == "model_not_found"
assert fails(openai.BadRequestError, n=2).param == "n"
assert fails(openai.InternalServerError, messages=[{"role": "user", "content": "fail"}]).code == "agent_failed"
assert fails(openai.BadRequestError, extra_body={"rlm": {"quary": "x"}}).param == "rlm.quary"
client.api_key = "sk-no-such-key-0000"
assert fails(openai.AuthenticationError).code == "invalid_api_key"
print("ok")
