#!/usr/bin/env python3
"""Holds docs/SPECIFICATION.md against the sources: each row has its own number, the files that it names exist, the tests that it names are
tests of their crates, and a row without a test says that it departs or is missing."""

import re
import sys
from pathlib import Path

PAGE = Path("docs/SPECIFICATION.md")
# `CRATE MODULE::NAME` of the integration tests, or `FILE::NAME` beside the code.
TEST = re.compile(r"^(?:(\w+) (\w+)|([\w/-]+\.rs))::(\w+)$")


def is_test(crate, module, file, name):
    """Whether `name` is a test of that file, not only a function."""
    file = Path(file) if file else Path(crate, "tests/it", f"{module}.rs")
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
                    yield line, f"there is no test `{name}`"
            elif row and "/" in name and " " not in name and "." in name and not Path(name).is_file():
                yield line, f"there is no file `{name}`"
        if not row:
            continue
        if len(cells) != 4:
            yield line, f"row {cells[0]} has {len(cells)} cells, not 4"
            continue
        if cells[0] in numbers:
            yield line, f"there are two rows {cells[0]}"
        numbers.add(cells[0])
        _, requirement, where, shown = cells
        departs = "**otherwise**" in shown or "**missing**" in shown
        evidence = [name for name in re.findall(r"`([^`]+)`", shown) if TEST.match(name) or "/tests/" in name]
        if not requirement or not (where or departs):
            yield line, f"row {cells[0]} does not say what is asked for, or where it is"
        if not (evidence or departs):
            yield line, f"row {cells[0]} names no test, and does not say why"
    if not numbers:
        yield 1, "there are no rows"


found = list(faults())
for line, problem in found:
    print(f"{PAGE}:{line}: {problem}", file=sys.stderr)
sys.exit(1 if found else 0)
