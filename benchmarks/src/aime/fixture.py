"""AIME, in both spellings: rows of the real schema with invented texts. Run by
`tests/make_fixtures.py`.
"""

jsonl("fixture/aime25.jsonl", [
    {"id": "0", "problem": "Find the remainder when $7^{13}$ is divided by $1000$.", "answer": "407"},
    {"id": "1", "problem": "Find the sum of all integer bases $b>9$ for which $17_b$ is a divisor of $97_b.$", "answer": "70"},
])
jsonl("fixture-2024/aime_2024.jsonl", [
    {"ID": "2024-II-4", "Problem": "Find the remainder when $2^{10}$ is divided by $1000$.", "Solution": "\\boxed{24}", "Answer": 24},
])
