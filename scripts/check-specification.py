#!/usr/bin/env python3
"""Checks docs/SPECIFICATION.md against the sources.

Each row must have a unique number and name only files and tests that exist. A row without a test
must be marked as **otherwise** or **missing**.
"""

import re
import sys
from pathlib import Path

PAGE = Path("docs/SPECIFICATION.md")
# `CRATE MODULE::NAME` for integration tests, or `FILE::NAME` for unit tests.
TEST = re.compile(r"^(?:(\w+) (\w+)|([\w/-]+\.rs))::(\w+)$")


def is_test(crate, module, file, name):
    """Returns whether `name` is a test function in that file."""
    if file:
        file = Path(file)
    else:
        # The crates that only `eval` uses are in its folder.
        folder = Path(crate) if Path(crate).is_dir() else Path("eval", crate)
        file = folder / "tests/it" / f"{module}.rs"
    if not file.is_file():
        return False
    attribute = r"#\[(?:test|tokio::test)[^\n]*\]\s*(?:#\[[^\n]*\]\s*)*(?:async )?fn "
    return re.search(attribute + name + r"\b", file.read_text()) is not None


def faults():
    numbers = set()
    for line, text in enumerate(PAGE.read_text().splitlines(), 1):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", text)[1:-1]]
        row = re.fullmatch(r"[A-Z]\d+", cells[0]) if cells else None
        names = re.findall(r"`([^`]+)`", text if not row else " ".join(cells[2:]))
        for name in names:
            test = TEST.match(name)
            if test:
                if not is_test(*test.groups()):
                    yield line, f"test not found: `{name}`"
            elif row and "/" in name and " " not in name and "." in name and not Path(name).is_file():
                yield line, f"file not found: `{name}`"
        if not row:
            continue
        if len(cells) != 4:
            yield line, f"row {cells[0]} has {len(cells)} cells: expected 4"
            continue
        if cells[0] in numbers:
            yield line, f"duplicate row {cells[0]}"
        numbers.add(cells[0])
        _, requirement, where, shown = cells
        departs = "**otherwise**" in shown or "**missing**" in shown
        evidence = [name for name in re.findall(r"`([^`]+)`", shown) if TEST.match(name) or "/tests/" in name]
        if not requirement or not (where or departs):
            yield line, f"row {cells[0]} lacks the requirement or the file that implements it"
        if not (evidence or departs):
            yield line, f"row {cells[0]} names no test: expected one, or **otherwise** or **missing** with a reason"
    if not numbers:
        yield 1, "no rows found"


found = list(faults())
for line, problem in found:
    print(f"{PAGE}:{line}: {problem}", file=sys.stderr)
sys.exit(1 if found else 0)
