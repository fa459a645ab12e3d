#!/usr/bin/env python3
"""Builds the tests of a Cargo command and runs all test binaries concurrently.

`cargo test` runs one binary after another, so cores are idle while the tests of a binary wait. This
script starts all binaries concurrently, the slowest first, and prints the output of each binary
when it ends.

  scripts/run-tests.py [--rounds N] [--load N] [--package NAME] [--filter TEXT] [-- CARGO FLAGS]

With --package, only the binaries of that package run. All packages are built, because for a single
package Cargo would rebuild the dependencies with other features.

With several rounds, the list at the end contains every test that failed in at least one of them.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

RESULT = re.compile(r"^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored.*)$")
SUMMARY = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored")
# Packages with the slowest tests, slowest first; the others follow.
SLOWEST = ["eval", "sandbox", "browser", "harness", "benchmarks", "queue"]
# Many tests wait for servers and processes, so more of them run than there are cores.
THREADS = 2 * (os.cpu_count() or 1)
# Tests that take minutes, by package. Each test runs in its own process, so that it starts early.
LONG = {"eval": ["view_browser::"]}


def binaries(flags):
    """Builds the test binaries. Returns the package, target, package folder and path of each."""
    command = ["cargo", "test", "--no-run", "--message-format=json-render-diagnostics", *flags]
    built = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if built.returncode:
        sys.exit(built.returncode)
    found = []
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") != "compiler-artifact" or not message.get("executable"):
            continue
        if message["profile"]["test"]:
            folder = os.path.dirname(message["manifest_path"])
            found.append((os.path.basename(folder), message["target"]["name"], folder, message["executable"]))
    rank = {name: place for place, name in enumerate(SLOWEST)}
    return sorted(found, key=lambda one: (one[1] != "it", rank.get(one[0], len(rank))))


def parts(binary):
    """Returns the name and arguments of each process that runs a part of a binary."""
    package, target, _, _ = binary
    long = LONG.get(package, []) if target == "it" else []
    rest = [argument for name in long for argument in ("--skip", name)]
    return [(f"{package}::{target} {name}".strip(), [name]) for name in long] + [
        (f"{package}::{target}", rest)
    ]


def run(binary, name, arguments):
    """Runs a part of a binary; returns its name, exit status, seconds and output."""
    _, _, folder, executable = binary
    began = time.monotonic()
    ran = subprocess.run(
        [executable, *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={"RUST_TEST_THREADS": str(THREADS), **os.environ, "CARGO_MANIFEST_DIR": folder},
    )
    return name, ran.returncode, time.monotonic() - began, ran.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1, help="number of times to run all tests")
    parser.add_argument("--load", type=int, default=0, help="number of busy loops to run next to the tests")
    parser.add_argument("--package", action="append", help="run only the tests of this package")
    parser.add_argument("--filter", default="", help="run only the tests whose names contain this")
    parser.add_argument("cargo", nargs="*", help="flags of cargo test, after --")
    options = parser.parse_args()

    all_binaries = binaries(options.cargo)
    if options.package:
        all_binaries = [binary for binary in all_binaries if binary[0] in options.package]
    if not all_binaries:
        sys.exit("error: no test binary to run")
    if options.filter:
        processes = [(binary, f"{binary[0]}::{binary[1]}", [options.filter]) for binary in all_binaries]
    else:
        processes = [(binary, *part) for binary in all_binaries for part in parts(binary)]
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.load)
    ]
    missed = collections.defaultdict(list)
    passed = failed = skipped = 0
    try:
        for number in range(1, options.rounds + 1):
            if options.rounds > 1:
                print(f"== round {number} of {options.rounds}", flush=True)
            with ThreadPoolExecutor(len(processes)) as pool:
                ran = [pool.submit(run, *process) for process in processes]
                for one in as_completed(ran):
                    name, status, seconds, output = one.result()
                    counts = [SUMMARY.match(line) for line in output.splitlines()]
                    counts = [count for count in counts if count]
                    tests = sum(int(count[1]) + int(count[2]) for count in counts)
                    failures = {
                        line[1]
                        for line in map(RESULT.match, output.splitlines())
                        if line and line[2] == "FAILED"
                    }
                    if status and not failures:
                        failures = {f"(exit status {status} of the binary)"}
                    for failure in failures:
                        missed[f"{name} {failure}"].append(number)
                    if tests or failures:
                        print(f"     Ran {name} ({seconds:.1f} s)")
                        print(output, flush=True)
                    passed += sum(int(count[1]) for count in counts)
                    failed += max(sum(int(count[2]) for count in counts), len(failures))
                    skipped += sum(int(count[3]) for count in counts)
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    if missed:
        print("failed tests:")
        for test, rounds in sorted(missed.items()):
            print(f"  {test}: {len(rounds)} of {options.rounds} rounds")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
