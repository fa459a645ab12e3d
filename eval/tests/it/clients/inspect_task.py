"""Evaluates a task of three samples with Inspect through the server; the agent solves two of
them.
"""

import sys
import tempfile

from inspect_ai import Task, eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

base, key = sys.argv[1:3]
model = get_model("openai-api/rlm/rlm/scripted:echo.yaml", base_url=base, api_key=key)
long = "Find the word. " + "hay " * 6000 + "needle " + "hay " * 6000
dataset = [
    Sample(input="Say shortest", target="shortest"),
    Sample(input="Say nothing", target="something else"),
    Sample(input=long, target="needle"),
]
with tempfile.TemporaryDirectory() as folder:
    [log] = evaluate(
        Task(dataset=dataset, solver=generate(), scorer=includes()), model=model, log_dir=folder, display="none"
    )
    assert log.status == "success", log.error
    scores = [sample.scores["includes"].value for sample in log.samples]
    assert scores == ["C", "I", "C"], scores
    [usage] = log.stats.model_usage.values()
    assert usage.total_tokens == 360, usage
print("ok")
