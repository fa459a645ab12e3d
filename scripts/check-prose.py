#!/usr/bin/env python3
"""Checks the wording and the width of prose: comments, messages and documentation.

    python3 scripts/check-prose.py              # the whole repository
    python3 scripts/check-prose.py docs eval    # only these files and folders
    python3 scripts/check-prose.py --summary    # only the number of findings in each folder

Checked are comments and ordinary string literals of several words in .rs and .py files (raw strings
hold code and data), comments of .sh, .toml, .yaml and .yml files, and the text of .md files outside code blocks.
Text in backticks and placeholders of format strings are code. Prose lines have at most 100 columns,
except tables and lines with a URL.

A line that must stay as it is carries a comment that says why, on the same line or the line before:
`// prose: REASON` in Rust, `# prose: REASON` in scripts, TOML and YAML, `<!-- prose: REASON -->` in
Markdown. For a string literal, the line before its beginning also works. Whole files are listed in
EXEMPT. Findings are printed as `FILE:LINE: FOUND: write …`; the exit code is then 1.
"""

import collections
import fnmatch
import io
import re
import subprocess
import sys
import tokenize

WIDTH = 100

COMPARATIVE = "longer|more|less|fewer|later|earlier|better|worse|larger|smaller|higher|lower"

# Wrong wordings, each with its replacement. A space matches any white space.
PATTERNS = [
    (r"how-manieth", "the number of …, 1-based"),
    (rf"(?<!there )(?:is|was) no (?!{COMPARATIVE})", "is not a …"),
    (rf"(?<!there )(?:are|were) no (?!{COMPARATIVE})", "are not …"),
    (r"of one's own", "its own …, or: separate, user-supplied"),
    (r"what there is", "what exists, or the noun"),
    (r"so many (?!that)", "at most …, or the number"),
    (r"(?:go|goes|went|going) on with", "continues, or: continues with"),
    (r"(?:says|said|say) of", "states, describes, declares"),
    (r"(?:makes|made|make) of (?=it|that|them|this|the|a )", "the verb: parses, interprets"),
    (r"such an? ", "a … like this, or the noun"),
    (r"as it has it", "according to …, or the noun"),
    (r"(?<!when it )comes to (?!an end)", "is, equals, totals"),
    (r"by themselves", "on their own, automatically"),
    (r"at once", "concurrently, or: immediately"),
    (r"told", "reported, informed, distinguished"),
    (r"(?:is|are|was|be) had", "is available, can be obtained"),
    (r"goes by", "depends on, is matched by"),
    (r"right (?:is|are)(?= [`{\"\d])", "expected …"),
    (r"(?:has|have) no words for", "does not support"),
    (r"that which", "the noun"),
    (r"too(?=[.;:)]|$)", "also (before the verb)"),
    (r"(?:behaviou|colou|neighbou|favou|honou)r\w*", "American spelling: -or"),
    (r"(?:serial|optim|normal|initial|recogn|summar|organ|minim|maxim)is(?:e|ed|es|ing|ation)",
     "American spelling: -ize"),
]
PATTERNS = [(re.compile(rf"(?<![\w-]){wrong}(?!\w)".replace(" ", r"\s"), re.I), better)
            for wrong, better in PATTERNS]

# Files that are not checked, each with the reason.
EXEMPT = {
    "harness/prompts/*": "sent to models",
    "harness/drivers/*": "sent to models",
    "harness/tools/*": "sent to models",
    "harness/src/*.md": "sent to models",
    "benchmarks/src/*.md": "sent to models",
    "eval/src/*.md": "sent to models",
    "harness/src/protocol/agent_turn/agent-turn.yaml": "part of every fingerprint",
    "docs/examples/prompts/*": "sent to models",
    "docs/examples/team/*": "sent to models",
    "harness/tests/it/tools/prompts/*": "sent to models",
    "*model.yaml": "scripted replies",
    "*.case.yaml": "test cases, compared by the byte",
    "*/cases/*": "test cases, compared by the byte",
    "*/fixture/*": "recorded data",
    "*/fixtures/*": "recorded data",
    "*/golden/*": "recorded data",
    "*/snapshots/*": "recorded output",
    "docs/reference/flags.md": "generated from the help texts, which are checked in the sources",
    "scripts/check-prose.py": "contains the patterns",
}

RUST = re.compile(
    r'(?P<comment>//[^\n]*)|/\*.*?\*/|\b[bc]?r(?P<hashes>#*)".*?"(?P=hashes)'
    r'|(?:\b[bc])?(?P<string>"(?:\\.|[^"\\])*")|\'(?:\\[^\n]*?|[^\\\'\n])\'', re.S)
HASH = re.compile(r"(?:^|(?<=\s))#(?!!).*")
URL = re.compile(r"https?://")
CODE = re.compile(r"`[^`]*`|\{[^{}\n]*\}")  # also placeholders of format strings

# A passage is a list of (line number, text); each pattern is searched across its lines.


def rust_passages(source):
    comments = []
    for found in RUST.finditer(source):
        line = source.count("\n", 0, found.start()) + 1
        if found["comment"]:
            comments.append((line, re.sub(r"^//[/!]?", "", found["comment"])))
        elif found["string"] and re.search(r"\s", found["string"]):  # one word is a name
            yield "string", literal(line, found["string"])
    yield from (("comment", block) for block in blocks(comments))


def python_passages(source):
    comments = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comments.append((token.start[0], token.string.lstrip("#")))
        elif token.type == tokenize.STRING and not re.match(r"\w*r", token.string, re.I):
            docstring = token.line.lstrip().startswith('"""')
            kind = "comment" if docstring else "string"
            yield kind, literal(token.start[0], token.string)
    yield from (("comment", block) for block in blocks(comments))


def hash_passages(source):
    comments = []
    for number, line in enumerate(source.split("\n"), 1):
        for found in HASH.finditer(line):
            before = line[:found.start()]
            if before.count('"') % 2 == 0 and before.count("'") % 2 == 0:  # not in a string
                comments.append((number, found[0].lstrip("#")))
                break
    yield from (("comment", block) for block in blocks(comments))


def markdown_passages(source):
    lines, fence = [], None
    for number, line in enumerate(source.split("\n"), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and fence in (None, mark[1]):
            fence = None if fence else mark[1]
        elif not fence and line.strip():
            lines.append((number, line))
    yield from (("comment", block) for block in blocks(lines))


def literal(line, text):
    return [(line + n, part.rstrip("\\").strip()) for n, part in enumerate(text.split("\n"))]


def blocks(lines):
    """Joins neighboring lines into passages; empty lines and code blocks separate them."""
    block, fenced = [], False
    for number, text in lines:
        mark = text.strip().startswith("```")
        fenced ^= mark
        if block and (number != block[-1][0] + 1 or not text.strip() or mark):
            yield block
            block = []
        if text.strip() and not mark and not fenced:
            block.append((number, text))
    if block:
        yield block


PASSAGES = {"rs": rust_passages, "py": python_passages, "md": markdown_passages,
            "sh": hash_passages, "toml": hash_passages, "yaml": hash_passages, "yml": hash_passages}


def findings(path, source):
    lines = source.split("\n")
    excused = {number for number, line in enumerate(lines, 1) if re.search(r"\bprose: \w", line)}
    for kind, passage in PASSAGES[path.rsplit(".", 1)[-1]](source):
        text = "\n".join(part for _, part in passage)
        text = CODE.sub(lambda code: re.sub(r"[^\n]", "_", code[0]), text)
        for pattern, better in PATTERNS:
            for found in pattern.finditer(text):
                number = passage[text.count("\n", 0, found.start())][0]
                before = passage[0][0] - 1 if kind == "string" else number - 1
                if not excused & {number, number - 1, before}:
                    yield number, f"{' '.join(found[0].split())}: write {better}"
        for number, part in passage:
            line = lines[number - 1]
            own_line = re.fullmatch(r"\s*(?://[/!]?|#+)?", line[: len(line) - len(part)])
            exempt = part.lstrip().startswith("|") or URL.search(line)
            if kind == "comment" and own_line and not exempt and len(line) > WIDTH and not excused & {number, number - 1}:
                yield number, f"{len(line)} columns: write at most {WIDTH}"


def main(arguments):
    summary = "--summary" in arguments
    paths = [argument for argument in arguments if argument != "--summary"]
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard",
                             "--", *paths], check=True, capture_output=True, text=True).stdout
    counts = collections.Counter()
    for path in sorted(set(listed.split("\0")) - {""}):
        if path.rsplit(".", 1)[-1] not in PASSAGES:
            continue
        if any(fnmatch.fnmatch(path, glob) for glob in EXEMPT):
            continue
        try:
            source = open(path, encoding="utf-8").read()
        except FileNotFoundError:  # deleted, but not yet in git
            continue
        for number, finding in sorted(set(findings(path, source))):
            counts["/".join(path.split("/")[:2]) if "/" in path else "."] += 1
            if not summary:
                print(f"{path}:{number}: {finding}")
    if summary:
        for folder, count in sorted(counts.items()):
            print(f"{count:5} {folder}")
    if counts:
        print(f"{sum(counts.values())} findings; see the head of scripts/check-prose.py",
              file=sys.stderr)
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
