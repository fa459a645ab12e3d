#!/usr/bin/env python3
"""Checks that imports between crates, and between the top-level modules of a crate, run downward
only, that no files of a crate import each other in a cycle, and that no file outside a benchmark's
folder names the benchmark.

In the tables below, each line is a layer, the lowest first. A module may import only modules on its
own line and on earlier ones. A new module needs an entry. Unit tests may import anything.
"""

import re
import sys
import tomllib
from pathlib import Path

# Workspace crates on which each crate may depend, by folder. Tests may also depend on others.
CRATES = {
    "sandbox": [],
    "model": [],
    "harness": ["sandbox", "model"],
    "benchmarks": ["model"],
    "browser": ["model"],
    "eval/statistics": [],
    "eval/records": ["model"],
    "eval/report": ["model", "statistics", "records"],
    "eval/view": ["model", "records", "report"],
    "eval/queue": [],
    "eval/serve": ["model"],
    "eval/mcp": ["serve"],
    "eval": ["harness", "model", "benchmarks", "browser", "records", "report", "view", "queue", "serve", "mcp"],
    "perf": [],
    "harness/tests/fault-server": [],
    "eval/records/tests/run-fixture": ["model", "records"],
    "eval/queue/tests/nats-fixture": [],
    "eval/serve/tests/http-fixture": [],
}

LAYERS = {
    "sandbox": """
        expression text_cache limits encodings rewrite cpu_clock output stack_trace engine_handles randomness heap jobs platform buffers time_zone
        name watchdog rejections stack_hook
        functions
        message
        clock inbox session_lost
        host_state router
        native session
        inspection
        ops
        engine
        boot
        snapshot
        isolate
        worker
        thread
        process
        isolation
        warm_pool
    """,
    "model": """
        excerpt lenient_json
        protocol sampling tool_call
        message role
        sample task long_answer
        outcome
        web
        event
    """,
    "harness": """
        text settings
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
        image environment fields score
        dataset context_file template user_environment
        options table
        entry generated rows
        longbench ruler
        BENCHMARKS
        catalog
        user_dataset
        open
    """,
    "browser": """
        environment address tab dump devtools keys
        reach
        gate
        error
        wire input
        unprivileged settings
        chromium page
        pool frame script
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
        spending
        run_dir
        program_versions
    """,
    "eval/report": """
        sanitize run_name race_folder
        columns
        summary
        differences
        compare
        race
        report
    """,
    "eval/queue": """
        error name
        envelope
        accounts rate
        message
        broker
        nats nats_absent
        run_queue
    """,
    # prose: module names
    "eval/view": """
        assets error file_digest find_runs histogram inputs answer_match outcome run_file search
        trajectory
        failures filter overview query served
        guard library sample_list
        comparison input runs_page
        neighbors
        api
        export server
    """,
    "eval/serve": """
        error turn events
        keys admission
        agents guard metrics
        request interface
        conversation
        chat responses
        handler
        server
    """,
    "eval/mcp": """
        toolbox
        interface
        handler lines server_process
        absent http server stdio
    """,
    "eval": """
        process fetch providers
        run web
        reporter
        grader models settings mcp_servers
        runner sweep
        folders
        error
        exit
        command cli
        start
    """,
    "harness/tests/fault-server": """
        exchange
        shapes
    """,
    "eval/records/tests/run-fixture": "",
    "eval/queue/tests/nats-fixture": "",
    "eval/serve/tests/http-fixture": """
        gate response
        http_client
        running_server
    """,
    "perf": """
        arguments cost plan report
        server
        bench
        suite
    """,
}

ROOT = Path(__file__).resolve().parent.parent

# Folders of benchmarks, which the table calls BENCHMARKS. None may import another.
BENCHMARKS = {file.parent.name for file in (ROOT / "benchmarks/src").glob("*/model.yaml")}
LAYERS["benchmarks"] = LAYERS["benchmarks"].replace("BENCHMARKS", " ".join(BENCHMARKS))

# Comments, strings and characters (but not lifetimes), which cannot contain imports.
BLANKED = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | \bb?r(?P<hashes>\#*)".*?"(?P=hashes) | \bb?"(?:\\.|[^"\\])*" | "(?:\\.|[^"\\])*"
      | b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\])'""",
    re.VERBOSE | re.DOTALL,
)
VISIBILITY = re.compile(r"\bpub\s*\(in [^)]*\)")
USE = re.compile(r"\buse\s+([^;]+);")
# Paths that begin with `crate`, `super`, or the name of a submodule.
PATH = re.compile(r"(?<![:\w])(?:crate|super|[a-z]\w*)(?:\s*::\s*\w+)+")
# A module whose body is in the same file, such as its unit tests.
INLINE_MODULE = re.compile(r"^( *)(?:pub(?:\([^)]*\))? )?mod (\w+) \{$.*?^\1\}", re.MULTILINE | re.DOTALL)


def code(text):
    """Returns the text without unit tests, and with comments and literals blanked. Line numbers
    stay the same."""
    text = text.split("\n#[cfg(test)]\nmod tests")[0]
    return BLANKED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def paths_of(tree):
    """Returns the paths of a `use`, with its groups expanded, each with the name that it gets."""
    tree = tree.strip()
    head, brace, rest = tree.partition("{")
    if not brace:
        path, _, name = re.sub(r"\s+", " ", tree).partition(" as ")
        path = re.sub(r"\s", "", path)
        return [(path, name or path.split("::")[-1])]
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
    return [(head + path, name) for part in parts if part.strip() for path, name in paths_of(part)]


class Crate:
    """The modules of a crate, and the paths that each of them names."""

    def __init__(self, name):
        self.name = name
        self.source = ROOT / name / "src"
        self.files = {}
        for file in sorted(self.source.rglob("*.rs")):
            parts = file.relative_to(self.source).with_suffix("").parts
            if parts[0] == "bin" or parts[-1] == "tests":
                continue
            if parts[-1] in ("mod", "lib", "main"):
                parts = parts[:-1]
            self.files.setdefault(parts, []).append(file)
        # For each module, its `pub use` items: the path of each, or None for one of another crate.
        self.reexports = {}
        self.named = [
            (module, file, line, path)
            for module, files in self.files.items()
            for file in files
            for line, path in self.read(module, file)
        ]

    def read(self, module, file):
        text = code(file.read_text())
        inline = [(*match.span(), match[2]) for match in INLINE_MODULE.finditer(text)]

        def module_at(at):
            """Returns the module at an offset in the file."""
            return next((module + (name,) for start, end, name in inline if start <= at < end), module)

        for match in USE.finditer(text):
            before = text[: match.start()]
            is_public = re.search(r"\bpub(\([^)]*\))?\s+$", before)
            for path, name in paths_of(match[1]):
                found = self.resolve(module_at(match.start()), path.split("::"))
                if is_public:
                    self.reexports.setdefault(module, {})[name] = found
                elif found is not None:
                    yield before.count("\n") + 1, found
        blank = lambda match: re.sub(r"[^\n]", " ", match[0])
        text = VISIBILITY.sub(blank, USE.sub(blank, text))
        for match in PATH.finditer(text):
            path = re.sub(r"\s", "", match[0]).split("::")
            found = self.resolve(module_at(match.start()), path)
            if found is not None:
                yield text[: match.start()].count("\n") + 1, found

    def resolve(self, module, path):
        """Returns a path as seen from the crate's root, or None if it leads to another crate."""
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
        if path and here + (path[0],) in self.files:
            return here + tuple(path)
        return None

    def home(self, path):
        """Returns the module that defines a path, or None if another crate does."""
        for _ in range(10):
            end = max((n for n in range(len(path) + 1) if path[:n] in self.files), default=0)
            module, rest = path[:end], path[end:]
            reexports = self.reexports.get(module, {})
            if not rest or rest[0] not in reexports:
                return module
            further = reexports[rest[0]]
            if further is None or further == path:
                return None
            path = further + rest[1:]
        return path

    def cycles(self):
        """Returns the groups of modules that import each other, directly or through others."""
        imports = {module: set() for module in self.files}
        for module, _, _, path in self.named:
            home = self.home(path)
            if home is not None and home != module:
                imports[module].add(home)
        # The algorithm of R. Tarjan (1972), without recursion.
        index, low, stack, groups = {}, {}, [], []
        for start in imports:
            work = [(start, iter(sorted(imports[start])))] if start not in index else []
            while work:
                module, others = work[-1]
                if module not in index:
                    index[module] = low[module] = len(index)
                    stack.append(module)
                for other in others:
                    if other not in index:
                        work.append((other, iter(sorted(imports[other]))))
                        break
                    if other in stack:
                        low[module] = min(low[module], index[other])
                else:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[module])
                    if low[module] == index[module]:
                        at = stack.index(module)
                        groups.append(sorted(stack[at:]))
                        del stack[at:]
        return [group for group in groups if len(group) > 1]

    def faults(self):
        layers = enumerate(LAYERS[self.name].split("\n"))
        place = {module: height for height, line in layers for module in line.split()}
        modules = {module[0] for module in self.files if module}
        for module in sorted(modules - place.keys()):
            yield f"{self.name}/src: the module `{module}` is in no layer: add it to LAYERS in scripts/check-layers.py"
        for module in sorted(place.keys() - modules):
            yield f"scripts/check-layers.py: module not found: `{module}` of {self.name}"
        between = 0
        for module, file, line, path in self.named:
            home = self.home(path)
            if not module or not home or home[0] == module[0] or not {module[0], home[0]} <= place.keys():
                continue
            between += 1
            between_benchmarks = self.name == "benchmarks" and {module[0], home[0]} <= BENCHMARKS
            if place[home[0]] > place[module[0]] or between_benchmarks:
                at = f"{file.relative_to(ROOT)}:{line}"
                yield f"{at}: `{module[0]}` must not import `{'::'.join(path)}`: `{home[0]}` is " + (
                    "another benchmark" if between_benchmarks else "in a higher layer"
                )
        if between == 0 and len(place) > 1:
            yield f"{self.name}/src: no imports between modules found: is this script broken?"
        for group in self.cycles():
            names = ", ".join("::".join(module) or "lib" for module in group)
            yield f"{self.name}/src: these files import each other: {names}"
            for module, file, line, path in self.named:
                if module in group and self.home(path) in group and self.home(path) != module:
                    yield f"  {file.relative_to(ROOT)}:{line} imports {'::'.join(path)}"


def disallowed_dependencies(name):
    """Yields the dependencies of a crate that CRATES does not allow."""
    manifest = tomllib.loads((ROOT / name / "Cargo.toml").read_text())
    tables = [manifest, *manifest.get("target", {}).values()]
    names = {Path(folder).name for folder in CRATES}
    for table in tables:
        for kind in ("dependencies", "build-dependencies"):
            for other in table.get(kind, {}):
                if other in names and other not in CRATES[name]:
                    yield f"{name}/Cargo.toml: `{name}` must not depend on `{other}`"


# Examples at the end of a command's help, which may name benchmarks.
EXAMPLES = re.compile(r'const (?:DETAILS|EXAMPLES): &str =\s*"(?:\\.|[^"\\])*"', re.DOTALL)


def names_of_benchmarks():
    """Yields the places outside a benchmark's folder that contain its name as a whole word.

    Comments, tests and examples of commands may contain it. Benchmarks of one family, whose names
    have the same beginning, may name each other.
    """
    if not BENCHMARKS:
        yield "benchmarks/src: no benchmarks found: is this script broken?"
    words = "|".join(home.replace("_", "[_-]") for home in sorted(BENCHMARKS))
    # The `mod` line registers a benchmark.
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
                yield f"{path}:{line}: only the folder of the benchmark `{match[0]}` may name it"


def main():
    members = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["members"]
    faults = [f"Cargo.toml: the crate `{name}` is missing in CRATES of scripts/check-layers.py" for name in members if name not in CRATES]
    for name in CRATES:
        faults += [*disallowed_dependencies(name), *Crate(name).faults()]
    faults += names_of_benchmarks()
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print("hint: see Layers in CONTRIBUTING.md", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
