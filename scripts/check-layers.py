#!/usr/bin/env python3
"""Checks that imports run downward only, between the crates and between the top-level modules of each; and that nothing knows a
benchmark by its name but its own folder.

In the tables below each line is a layer, the ground first. A module may import from earlier lines alone: from nothing on
its own line or on a later one. `a+b` are modules that import each other. A new module needs a place.
"""

import re
import sys
import tomllib
from pathlib import Path

# The crates of the workspace, by their folders, that each may depend on, tests apart.
CRATES = {
    "sandbox": [],
    "harness/model": [],
    "harness": ["sandbox", "model"],
    "benchmarks": ["model"],
    "browser": [],
    "eval/statistics": [],
    "eval/records": ["model"],
    "eval/report": ["model", "statistics", "records"],
    "eval/view": ["model", "records", "report"],
    "eval/queue": [],
    "eval/serve": ["model"],
    "eval/mcp": ["serve"],
    "eval": ["harness", "model", "benchmarks", "browser", "records", "report", "view", "queue", "serve", "mcp"],
    "bench": [],
    "fault-server": [],
}

LAYERS = {
    "sandbox": """
        expression kept limits encodings rewrite cpu_clock output stack_trace engine_handles randomness heap jobs platform buffers time_zone
        name watchdog rejections stack_hook
        functions
        message
        clock inbox router+session
        engine+inspection+native+ops
        boot+isolate+snapshot+thread+worker
        process
        isolation
        warm_pool
    """,
    "harness/model": """
        lenient_json
        protocol sampling tool_call
        message role
        task long_answer
        outcome
        web
        event
    """,
    "harness": """
        text
        script_file
        prompt
        provider
        journal
        hook tool
        agent
        protocol
        engine treatment
    """,
    "benchmarks": """
        contained unicode
        decimal
        image environment
        sample
        catalog+context_file+dataset+generated+own_world+user_dataset+rows+score+table+template
        longbench ruler
    """,
    "browser": """
        environment address tab dump devtools keys
        gate+reach
        error
        wire input
        unprivileged
        chromium+page+pool+profile
        frame script
    """,
    "eval/statistics": """
        attempts betting holm mcnemar quantile
        method
        cluster
        race
        stopped
        tango wilson
        estimate inference
        paired
        power
    """,
    "eval/records": """
        program record trajectory
        spent
        run_dir
        makers
    """,
    "eval/report": """
        sanitize
        columns
        summary
        compare+differences
        race
        report
    """,
    "eval/queue": """
        books+message+name+rate+error
        broker
        nats nats_absent
        run_queue
    """,
    "eval/view": """
        assets error find_runs histogram inputs matches outcome run_file search
        trajectory
        failures filter overview query served
        guard library sample_list
        comparison input runs_page
        neighbours
        api
        export server
    """,
    "eval/serve": """
        agents error
        keys gate metrics
        guard
        conversation+request
        chat+events+responses
        desk
        server
    """,
    "eval/mcp": """
        toolbox
        interface
        handler lines server_process
        absent http server stdio
    """,
    "eval": """
        process_guard
        env_vars fetch invocation journal machine_memory open_files program protocol_fit providers run_event web
        reporter run_store terminal
        import merge panic_hook request_recorder
        cli+grader+models+settings+mcp_servers
        record selection sweep
        folders rescore runner
        command+error+exit
        start
    """,
    "fault-server": "shapes",
    "bench": """
        cost plan report
        server
        bench+suite
    """,
}

ROOT = Path(__file__).resolve().parent.parent

# The folders that are benchmarks. Each may import what they share, and none another.
BENCHMARKS = {file.parent.name for file in (ROOT / "benchmarks/src").glob("*/model.yaml")}
LAYERS["benchmarks"] += " ".join(BENCHMARKS)

# Comments, strings and characters, which hold no imports. A lifetime is no character.
BLANKED = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | \bb?r(?P<hashes>\#*)".*?"(?P=hashes) | \bb?"(?:\\.|[^"\\])*" | "(?:\\.|[^"\\])*"
      | b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\])'""",
    re.VERBOSE | re.DOTALL,
)
USE = re.compile(r"\buse\s+([^;]+);")
PATH = re.compile(r"\b(?:crate|super)(?:\s*::\s*\w+)+")


def code(text):
    """The text with everything blanked that is no code; lines stay where they are."""
    return BLANKED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def paths_of(tree):
    """The paths of a `use`, its groups taken apart."""
    tree = tree.strip()
    head, brace, rest = tree.partition("{")
    if not brace:
        return [re.sub(r"\s+as\s+\w+|\s", "", tree)]
    parts, depth, part = [], 0, ""
    for char in rest[: rest.rindex("}")]:
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += char
    parts.append(part)
    head = re.sub(r"\s", "", head)
    return [head + path for part in parts if part.strip() for path in paths_of(part)]


class Crate:
    """The modules of a crate and what each names of the others."""

    def __init__(self, name):
        self.name = name
        self.source = ROOT / name / "src"
        self.files = {}
        for file in sorted(self.source.rglob("*.rs")):
            parts = file.relative_to(self.source).with_suffix("").parts
            if parts[0] == "bin":
                continue
            if parts[-1] in ("mod", "lib", "main"):
                parts = parts[:-1]
            self.files.setdefault(parts, []).append(file)
        self.handed_on = {}
        self.named = [
            (module, file, line, path)
            for module, files in self.files.items()
            for file in files
            for line, path in self.read(module, file)
        ]

    def read(self, module, file):
        text = code(file.read_text())
        for match in USE.finditer(text):
            before = text[: match.start()]
            is_public = re.search(r"\bpub(\([^)]*\))?\s+$", before)
            for path in paths_of(match[1]):
                found = self.resolve(module, path.split("::"), inside_of_use=True)
                if found is None:
                    continue
                if is_public:
                    self.handed_on.setdefault(module, {})[found[-1]] = found
                yield before.count("\n") + 1, found
        text = USE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
        for match in PATH.finditer(text):
            path = re.sub(r"\s", "", match[0]).split("::")
            found = self.resolve(module, path, inside_of_use=False)
            if found is not None:
                yield text[: match.start()].count("\n") + 1, found

    def resolve(self, module, path, inside_of_use):
        """A path from the crate's root, or none for one that leads elsewhere."""
        if path[-1] == "self":
            path = path[:-1]
        if path and path[0] == "crate":
            return tuple(path[1:]) or None
        here = module
        if path and path[0] in ("self", "super"):
            while path and path[0] in ("self", "super"):
                here = here[:-1] if path[0] == "super" else here
                path = path[1:]
            return (here + tuple(path)) or None
        if inside_of_use and path and here + (path[0],) in self.files:
            return here + tuple(path)
        return None

    def home(self, path):
        """The top-level module that a path leads to, through what modules hand on; none for the crate's root itself."""
        for _ in range(10):
            end = max((n for n in range(len(path) + 1) if path[:n] in self.files), default=0)
            module, rest = path[:end], path[end:]
            further = self.handed_on.get(module, {}).get(rest[0]) if rest else None
            if further is None:
                return module[0] if module else None
            path = further + rest[1:]
        return path[0]

    def faults(self):
        place = {}
        for height, line in enumerate(LAYERS[self.name].split("\n")):
            for tied in line.split():
                for module in tied.split("+"):
                    place[module] = (height, tied)
        modules = {module[0] for module in self.files if module}
        for module in sorted(modules - place.keys()):
            yield f"{self.name}/src: the module `{module}` has no layer; give it one in scripts/check-layers.py"
        for module in sorted(place.keys() - modules):
            yield f"scripts/check-layers.py: {self.name} has no module `{module}`"
        between = 0
        for module, file, line, path in self.named:
            at = f"{file.relative_to(ROOT)}:{line}"
            if not module or module[0] not in place:
                continue
            home = self.home(path)
            if home == module[0] or home not in place:
                continue
            between += 1
            (height, tied), (other, others_tied) = place[module[0]], place[home]
            if other < height or tied == others_tied:
                continue
            layer = "a higher layer" if other > height else "the same layer"
            yield f"{at}: `{module[0]}` imports `{'::'.join(path)}`, and `{home}` is of {layer}"
        if between == 0 and len(place) > 1:
            yield f"{self.name}/src: no import between modules was found; is this script broken?"


def of_manifest(name):
    """Dependencies that the law of crates does not allow."""
    manifest = tomllib.loads((ROOT / name / "Cargo.toml").read_text())
    tables = [manifest, *manifest.get("target", {}).values()]
    names = {Path(folder).name for folder in CRATES}
    for table in tables:
        for kind in ("dependencies", "build-dependencies"):
            for other in table.get(kind, {}):
                if other in names and other not in CRATES[name]:
                    yield f"{name}/Cargo.toml: `{name}` must not depend on `{other}`"


# The end of a command's help, with examples.
EXAMPLES = re.compile(r'const (?:DETAILS|EXAMPLES): &str =\s*"(?:\\.|[^"\\])*"', re.DOTALL)


def names_of_benchmarks():
    """Where a benchmark is named outside of its folder, as a whole word: in no comment, test or example of a command. Benchmarks
    of one family, whose names begin alike, may name each other."""
    if not BENCHMARKS:
        yield "benchmarks/src: no benchmark was found; is this script broken?"
    words = "|".join(home.replace("_", "[_-]") for home in sorted(BENCHMARKS))
    # Not in the `mod` line that registers it.
    name = re.compile(rf"(?<![\w-])(?<!\bmod )(?:{words})(?![\w-])")
    for file in sorted({file for crate in CRATES for file in (ROOT / crate).rglob("*")}):
        path = file.relative_to(ROOT)
        tests = {"tests", "examples", "tests.rs"} & set(path.parts)
        if tests or file.suffix not in (".rs", ".js", ".yaml", ".json", ".md", ".html"):
            continue
        text = file.read_text()
        if not name.search(text):
            continue
        if file.suffix == ".yaml":
            text = re.sub(r"(^|\s)#.*", "", text)
        elif file.suffix in (".rs", ".js"):
            blank = lambda match: re.sub(r"[^\n]", "", match[0])
            text = text.split("\n#[cfg(test)]\nmod ")[0]
            text = BLANKED.sub(lambda match: blank(match) if match[0].startswith("/") else match[0], text)
            text = EXAMPLES.sub(blank, text)
        for match in name.finditer(text):
            home = match[0].replace("-", "_")
            folder = path.parts[2] if path.parts[:2] == ("benchmarks", "src") else "-"
            if not home.startswith(folder) and not folder.startswith(home):
                line = text[: match.start()].count("\n") + 1
                yield f"{path}:{line}: names the benchmark `{match[0]}`, which only its folder knows"


def main():
    members = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["members"]
    faults = [f"Cargo.toml: the crate `{name}` has no layers" for name in members if name not in CRATES]
    for name in CRATES:
        faults += [*of_manifest(name), *Crate(name).faults()]
    faults += names_of_benchmarks()
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print("See Layers in CONTRIBUTING.md.", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
