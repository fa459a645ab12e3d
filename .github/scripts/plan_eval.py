#!/usr/bin/env python3
"""Plans a run of the workflow `eval`: checks the inputs and the earlier runs that they name.

Reads the inputs as JSON from $INPUTS, and variables that GitHub sets for every job. A pull request
has no inputs and uses PULL_REQUEST instead. Writes these values to $GITHUB_OUTPUT; later jobs read
them instead of the inputs:
  shards        shard numbers from 1, as a JSON list
  count         number of shards
  arguments     arguments of `rlm-eval run` for each shard, as a JSON list: the input NAME becomes
                the flag --NAME, followed by the words of the input `flags`
  whole         the same arguments with undivided budgets
  commit        commit that the jobs check out: the one that the resumed run built, otherwise this
                run's
  min-score     minimum mean score of the merged run, or empty
  key-secret    name of the secret that contains the API key, or empty
  key-variable  environment variable to set to that secret, or empty
  resume-run, compare-run  ids of earlier runs, or empty

An invalid input ends the script with exit code 2 and an error on the job page. Inputs are never
executed. The next job validates the arguments themselves with --dry-run.
"""

import json
import os
import re
import shlex
import sys
import urllib.error
import urllib.request
from decimal import ROUND_FLOOR, Decimal

# Inputs of the workflow itself; all others are flags of `rlm-eval run`.
OWN_INPUTS = ("shards", "flags", "min-score", "key-secret", "resume-run", "compare-run")
# Flags that the workflow sets itself, that belong to a dry run, or whose runs cannot be merged.
OWN_FLAGS = ("check-key", "dry-run", "log-dir", "partition", "pilot", "queue", "resume", "retry-errors")
# Inputs for a pull request: a small run that needs no key, with all drivers that can be combined.
# The scripted model finds each needle, so a score below 1 indicates a faulty change.
PULL_REQUEST = {
    "benchmark": "s-niah",
    "model": "scripted",
    "drivers": "chunk-and-map,deadline-return,exact-format,exploration-budget,hypothesis-budget,reuse-state,verify-before-return",
    "context-len": "8k",
    "shards": "2",
    "min-score": "1",
    "flags": "--samples-per-length 4",
}
# Former flag names, which `rlm-eval run` still accepts, with their current names.
EARLIER_NAMES = {"max-tasks": "max-samples"}
# Budgets that are divided evenly among the shards, with the unit to which each part is rounded
# down.
DIVIDED = {"max-cost": Decimal("0.000001"), "max-tokens": Decimal(1), "max-llm-calls": Decimal(1)}
MOST_SHARDS = 64
# Prefix of the name of the artifact that records which commit the job `build` built.
BUILT = "commit-"
# Table of servers, each with the environment variable of its API key.
ENDPOINTS = "harness/endpoints.yaml"


class Refused(Exception):
    """An invalid input, with the reason."""


def shards(typed):
    if not re.fullmatch(r"[0-9]{1,2}", typed, re.ASCII) or not 1 <= int(typed) <= MOST_SHARDS:
        raise Refused(f"invalid shards {typed!r}: expected a whole number from 1 to {MOST_SHARDS}")
    return list(range(1, int(typed) + 1))


def part(name, typed, of):
    """Returns one shard's part of a budget."""
    if not re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", typed, re.ASCII):
        raise Refused(f"invalid {name} {typed!r}: expected a number, such as 5 or 2.50")
    each = (Decimal(typed) / of).quantize(DIVIDED[name], ROUND_FLOOR)
    if each == 0:
        raise Refused(f"{name} {typed} is too small for {of} shards")
    return f"{each.normalize():f}"


def min_score(typed):
    if typed and (not re.fullmatch(r"[0-9]{1,15}(\.[0-9]{1,15})?", typed, re.ASCII) or Decimal(typed) > 1):
        raise Refused(f"invalid min-score {typed!r}: expected a number from 0 to 1, such as 0.5")
    return typed


def key(typed):
    """Returns the name of a secret, and the environment variable of the API key that it contains.

    The secret's name must begin with the variable's, so that a secret with another purpose is never
    sent to a server.
    """
    if not typed:
        return "", ""
    # The names of GitHub's secrets are case-insensitive.
    secret = typed.upper() if typed.isascii() else typed
    with open(ENDPOINTS, encoding="utf-8") as table:
        variables = sorted(set(re.findall(r"^ +key: ([A-Z0-9_]+)$", table.read(), re.MULTILINE)))
    if re.fullmatch(r"[A-Z0-9_]+", secret, re.ASCII):
        for variable in variables:
            if secret == variable or secret.startswith(f"{variable}_"):
                return secret, variable
    raise Refused(
        f"invalid key-secret {typed!r}: expected the variable of an API key, optionally with a suffix, such as "
        f"OPENAI_API_KEY or OPENAI_API_KEY_TEAM; the variables are {', '.join(variables)}"
    )


def arguments(inputs, of):
    values = {name: value for name, value in inputs.items() if name not in OWN_INPUTS and value}
    values |= {name: part(name, values[name], of) for name in DIVIDED if name in values}
    named = [f"--{name}={value}" for name, value in values.items()]
    try:
        words = shlex.split(inputs["flags"])
    except ValueError as problem:
        raise Refused(f"invalid flags {inputs['flags']!r}: {str(problem).lower()}") from None
    for word in words:
        if "\0" in word:
            raise Refused(f"invalid flags: NUL character in {word!r}")
        flag = word.partition("=")[0].removeprefix("--")
        if not word.startswith("--"):
            continue
        if flag in OWN_FLAGS:
            raise Refused(f"invalid flags: the workflow does not accept --{flag}")
        name = EARLIER_NAMES.get(flag, flag)
        if name in inputs:
            raise Refused(f"invalid flags: instead of --{flag}, use the input {name}")
    return named + words


class Repository:
    """This repository in GitHub's API, accessed with the job's token."""

    def __init__(self, environment):
        self.name = environment["GITHUB_REPOSITORY"]
        self.commit = environment["GITHUB_SHA"]
        # OWNER/REPO/PATH@REF of the running workflow.
        self.workflow = environment["GITHUB_WORKFLOW_REF"].removeprefix(f"{self.name}/").partition("@")[0]
        self.api = environment["GITHUB_API_URL"]
        self.token = environment["GH_TOKEN"]

    def get(self, path, what):
        request = urllib.request.Request(f"{self.api}/repos/{self.name}/{path}")
        request.add_header("Accept", "application/vnd.github+json")
        # A redirect target does not receive the token.
        request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as problem:
            if problem.code == 404:
                raise Refused(f"{what} not found in {self.name}") from None
            raise Refused(f"cannot look up {what}: GitHub's API returned {problem.code}") from None
        except (OSError, ValueError) as problem:
            raise Refused(f"cannot look up {what}: {problem}") from None

    def earlier(self, name, run):
        """Returns an earlier run, if it is a completed manual run of this workflow.

        `name` is the input that contains the id `run`.
        """
        if not re.fullmatch(r"[1-9][0-9]{0,18}", run, re.ASCII):
            raise Refused(f"invalid {name} {run!r}: expected the id of a run, as `gh run list` shows it")
        found = self.get(f"actions/runs/{run}", f"{name} {run}")
        workflow = str(found.get("path")).partition("@")[0]
        if workflow != self.workflow:
            raise Refused(f"{name} {run} is a run of {workflow!r}, not of {self.workflow}")
        for key in ("repository", "head_repository"):
            # Null if the fork was deleted.
            owner = (found.get(key) or {}).get("full_name")
            if owner != self.name:
                raise Refused(f"{name} {run} belongs to the repository {owner!r}, not to {self.name}")
        if found.get("event") != "workflow_dispatch":
            raise Refused(f"{name} {run} was started by {found.get('event')!r}, not by hand")
        if found.get("status") != "completed":
            raise Refused(f"{name} {run} has status {found.get('status')!r}: wait for it to complete, or cancel it")
        return found

    def commit_to_resume(self, run):
        """Returns the commit of the run to resume.

        A run that resumed another one built that run's commit, not its own. The commit that a run
        built is in the name of an artifact, which runs of earlier versions of the workflow lack.

        It must be in the history of this run's commit, because the jobs run its code with this
        branch's keys, which other branches may not be allowed to use.
        """
        found = self.earlier("resume-run", run)
        # A run has at most 67 artifacts: MOST_SHARDS and three others.
        stored = self.get(f"actions/runs/{run}/artifacts?per_page=100", f"the artifacts of resume-run {run}")
        names = [str(artifact.get("name")) for artifact in stored.get("artifacts", [])]
        built = [name.removeprefix(BUILT) for name in names if name.startswith(BUILT)]
        commit = built[0] if built else str(found.get("head_sha"))
        if not re.fullmatch(r"[0-9a-f]{40}|[0-9a-f]{64}", commit, re.ASCII):
            raise Refused(f"resume-run {run} has an invalid commit: {commit!r}")
        compared = self.get(f"compare/{commit}...{self.commit}", f"the commit {commit} of resume-run {run}")
        if compared.get("status") not in ("ahead", "identical"):
            raise Refused(
                f"the commit {commit} of resume-run {run} is not in the history of {self.commit}: "
                "start the workflow on the branch of that run"
            )
        return commit


def plan(environment):
    typed = PULL_REQUEST if environment["GITHUB_EVENT_NAME"] == "pull_request" else json.loads(environment["INPUTS"])
    inputs = dict.fromkeys(OWN_INPUTS, "") | {name: value.strip() for name, value in typed.items()}
    numbers = shards(inputs["shards"])
    planned = {
        "shards": json.dumps(numbers),
        "count": str(len(numbers)),
        "arguments": json.dumps(arguments(inputs, len(numbers))),
        "whole": json.dumps(arguments(inputs, 1)),
        "min-score": min_score(inputs["min-score"]),
        "resume-run": inputs["resume-run"],
        "compare-run": inputs["compare-run"],
    }
    planned["key-secret"], planned["key-variable"] = key(inputs["key-secret"])
    repository = Repository(environment)
    planned["commit"] = repository.commit
    if inputs["resume-run"]:
        planned["commit"] = repository.commit_to_resume(inputs["resume-run"])
    if inputs["compare-run"]:
        repository.earlier("compare-run", inputs["compare-run"])
    return planned


def main():
    try:
        planned = plan(os.environ)
    except Refused as problem:
        # Escaped so that GitHub does not interpret any of its lines as a workflow command.
        message = str(problem).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        print(f"::error::{message}")
        return 2
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as output:
        for name, value in planned.items():
            output.write(f"{name}={value}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
