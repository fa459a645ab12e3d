"""LongBench-v2: rows of the real schema with invented texts. Run by `tests/make_fixtures.py`."""

import json
import pathlib


def longbench():
    def row(id, domain, question, choices, answer, context, **more):
        return {
            "_id": id, "domain": domain, "sub_domain": "Code repo QA", "difficulty": "hard", "length": "short",
            "question": question, **{f"choice_{letter}": text for letter, text in zip("ABCD", choices)},
            "answer": answer, "context": context, **more,
        }

    code = "Code Repository Understanding"
    return [
        row("66f36490821e116aacb2cc22", code, "Which function closes the socket?",
            ["open_door()", "shut_down()", "stay()", "wait()"], "B", "def shut_down():\r\n    socket.close()\n\ndef main(): pass\n"),
        row("66ebd22d5a08c7b9b35e0644", code, "What is the default port? <choice_A>",
            ["port = 80", "port = 8080", "port = 443", 9], "D", "port = 9 if dev else None  # ü\n"),
        row("66ec2374821e116aacb1b3ab", "Single-Document QA", "Who signs?",
            ["The tenant", "The landlord", "Both", "Nobody"], "C", "Both parties sign below.\n", sub_domain="Legal"),
    ]


pathlib.Path("fixture").mkdir(exist_ok=True)
pathlib.Path("fixture/data.json").write_text(json.dumps(longbench(), indent=2) + "\n")
