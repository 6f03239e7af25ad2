"""How right the answers to our own questions are, by kind and by how sure they say they are.

    clew run examples.clew examples/held_out/examples.jsonl -o out.jsonl
    python -m benchmarks.own_questions out.jsonl examples/held_out/examples.jsonl [--show]

Right is: an accepted answer exactly, or one that contains it or is contained in it with an F1 of a half; for questions
that sentences answer, and where a sentence is quoted instead of a few words, a sentence with an accepted phrase; for
two questions in one, both parts; for a list, every member; for a question without an answer, none. `--show` prints
every question with what became of it.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from assistant.evaluation.evaluate import best_f1, contains_answer, exact_match, normalise

_TOLD = {"definition", "why", "how", "happened", "about", "which"}
_CODE = re.compile(r"[-_$=(){}/<>]")
_SAME = {"true": "yes", "false": "no"}


def verdict(asked: dict[str, Any], line: dict[str, Any]) -> str:
    """ "right", "wrong" or "refused"; of a question without an answer, "refused" is as it should be."""
    if not line["found"]:
        return "refused"
    gold, said = asked["answers"], line["answer"]
    if not gold:
        return "wrong"
    told = f"{said} {line['explanation']}"
    if asked.get("type") in _TOLD:
        return "right" if any(is_said(told, one) for one in gold) else "wrong"
    if parts := asked.get("parts"):
        held = all(any(normalise(one) in normalise(said) for one in accepted) for accepted in parts)
        return "right" if held else "wrong"
    if members := asked.get("members"):
        return "right" if all(normalise(one) in normalise(said) for one in members) else "wrong"
    accepted = [_SAME.get(one.lower(), one) for one in gold]
    said = _SAME.get(said.lower(), said)
    if line["is_sentence"]:
        return "right" if contains_answer(said, accepted) else "wrong"
    near = contains_answer(said, accepted) or any(contains_answer(one, [said]) for one in accepted)
    is_right = exact_match(said, accepted) or (near and best_f1(said, accepted) >= 0.5)
    return "right" if is_right else "wrong"


def is_said(text: str, phrase: str) -> bool:
    """Whether a text has a phrase: one of code letter for letter ("--check" is not "check"), any other by its words."""
    if not _CODE.search(phrase):
        return normalise(phrase) in normalise(text)
    text, phrase = (" ".join(one.replace("`", "").casefold().split()) for one in (text, phrase))
    before = r"(?<![\w-])" if phrase[:1].isalnum() or phrase[:1] == "-" else ""
    behind = r"(?![\w-])" if phrase[-1:].isalnum() else ""
    return bool(phrase) and re.search(before + re.escape(phrase) + behind, text) is not None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    lines = {line["id"]: line for line in map(json.loads, arguments.run.read_text().splitlines())}
    asked = [json.loads(line) for line in arguments.questions.read_text().splitlines()]
    told = [(one, lines[one["id"]]) for one in asked if one["id"] in lines]
    outcomes = [(one, line, verdict(one, line)) for one, line in told]
    if arguments.show:
        for one, line, came in outcomes:
            said = line["answer"] if line["found"] else f"— {line['missing']}"
            sure = f"{line.get('certainty', ''):7}{line.get('confidence', 0):.2f}"
            print(f"{came:8}{sure} {one['type']:12}{one['question']} | {said} | {one['answers']}")
    answerable = [one for one in outcomes if one[0]["answers"]]
    none = [one for one in outcomes if not one[0]["answers"]]
    kinds = Counter((one["type"], came) for one, _, came in outcomes)
    for kind in sorted({one["type"] for one, _, _ in outcomes}):
        print(f"{kind:14}" + "  ".join(f"{came} {kinds[kind, came]}" for came in ("right", "wrong", "refused")))
    right = sum(came == "right" for _, _, came in answerable)
    print(f"right {right} of {len(answerable)}")
    print(f"without an answer: {sum(came == 'wrong' for *_, came in none)} of {len(none)} answered")
    for levels in (("sure",), ("likely",), ("sure", "likely")):
        some = [came for _, line, came in outcomes if line.get("certainty") in levels]
        print(f"{' and '.join(levels)}: {sum(came == 'right' for came in some)} of {len(some)} right")


if __name__ == "__main__":
    main()
