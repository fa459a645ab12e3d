"""BrowseComp-Plus, encrypted as by its authors: rows of the real schema with invented texts.
Run by `tests/make_fixtures.py`.
"""

import base64
import hashlib
import itertools
import pathlib

CANARY = pathlib.Path("canary.txt").read_text().rstrip()


def encrypted(value):
    if isinstance(value, list):
        return [encrypted(item) for item in value]
    if isinstance(value, dict):
        return {key: item if key == "query_id" else encrypted(item) for key, item in value.items()}
    key = hashlib.sha256(CANARY.encode()).digest()
    mixed = bytes(a ^ b for a, b in zip(value.encode(), itertools.cycle(key)))
    return base64.b64encode(mixed).decode()


def browsecomp():
    def document(id, text):
        return {"docid": str(id), "url": f"https://pages.example/{id}", "text": text}

    bridge = document(11, "The Vellum Bridge was built by Ira Quist in 1908.")
    mill = document(12, "The Old Mill of Sorrel burned down twice. Its owner, Änne Brook, rebuilt it.")
    noise = [document(id, f"Page {id} is about weather.") for id in (21, 22, 23)]
    rows = [
        {"query_id": "769", "query": "Who built the Vellum Bridge?", "answer": "Ira Quist",
         "evidence_docs": [bridge, mill], "gold_docs": [bridge], "negative_docs": noise},
        {"query_id": "770", "query": "Who rebuilt the Old Mill of Sorrel?", "answer": "Änne Brook",
         "evidence_docs": [mill], "gold_docs": [mill], "negative_docs": noise[:1]},
    ]
    return [encrypted(row) for row in rows]


parquet("fixture/data/test-00000-of-00001.parquet", browsecomp())
jsonl("fixture-jsonl/test.jsonl", browsecomp())
