"""Makes the fixtures of the loaders: runs every `fixture.py` of `src`, each in its own folder,
with the functions below.

Needs pyarrow: `pip install pyarrow && python3 benchmarks/tests/make_fixtures.py`.
"""

import json
import os
import pathlib
import runpy

import pyarrow
import pyarrow.parquet


def parquet(path, rows):
    """Rows in groups of three, so that a file has several."""
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    table = pyarrow.Table.from_pylist(rows)
    pyarrow.parquet.write_table(table, path, row_group_size=3, compression="zstd")


def jsonl(path, rows, end="\n"):
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    text = end.join(json.dumps(row, ensure_ascii=False) for row in rows) + end
    pathlib.Path(path).write_bytes(text.encode())


for script in sorted(pathlib.Path(__file__).parent.parent.glob("src/*/fixture.py")):
    script = script.resolve()
    os.chdir(script.parent)
    runpy.run_path(str(script), {"parquet": parquet, "jsonl": jsonl})
