"""Runs $SAMPLES samples of two iterations with rlms, one after another, against the model at
$BASE_URL.

Ignores $CONCURRENCY, because its local environment redirects the standard output of the whole
process.
"""

import os

from rlm import RLM

context = "A line of text that says nothing new at all.\n" * 178
for _ in range(int(os.environ["SAMPLES"])):
    rlm = RLM(
        backend="openai",
        backend_kwargs={"model_name": "rlms", "base_url": os.environ["BASE_URL"], "api_key": "none"},
        environment="local",
    )
    answer = rlm.completion(context, root_prompt="plan=loop/2; What is it?").response
    assert answer == "42", answer
