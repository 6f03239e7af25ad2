"""Questions to train the choice of answers on, over passages that the reader has not seen.

    python -m benchmarks.choice_questions --data DATA -o FOLDER

Writes into FOLDER: `reading/` and `boolq/`, a corpus.jsonl and a questions.jsonl each of the contexts kept from the
reader; and `claims.jsonl`, claims made of the evidence of 2Wiki's train questions, half of them with another's value.
With the train folders and `benchmarks/development/` they are what `benchmarks/record_questions.py` is run on.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.reading_rows import held_out, read_lines

_EACH = 260
_CLAIMS, _BOOLQ = 140, 160
_SAID = {
    "place of birth": "{} was born in {}",
    "date of birth": "{} was born on {}",
    "director": "{} was directed by {}",
    "date of death": "{} died on {}",
    "place of death": "{} died in {}",
    "country of citizenship": "{} is from {}",
    "spouse": "{} was married to {}",
    "performer": "{} was performed by {}",
    "father": "the father of {} is {}",
    "educated at": "{} studied at {}",
    "country of origin": "{} is from {}",
    "publication date": "{} was released on {}",
    "composer": "{} was composed by {}",
}


def write_lines(path: Path, lines: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def read_questions(reading: Path, out: Path) -> None:
    """Questions of the sets with a span, and those of them without an answer, over all contexts kept back."""
    documents: dict[str, dict[str, Any]] = {}
    asked = []
    for name in ("squad", "squad2", "nq", "quoref", "disflqa"):
        for place, raw in enumerate(read_lines(reading / f"{name}.jsonl.gz")):
            context = raw["context"]
            if not held_out(context):
                continue
            title = raw.get("title", "").replace("_", " ") or " ".join(context.split()[:4])
            made = {"id": f"{name}{len(documents)}", "title": title, "text": context}
            key = documents.setdefault(context, made)["id"]
            has_answer = raw["answer_start"] >= 0
            answers = (raw.get("answers") or [raw["answer"]]) if has_answer else []
            kind = name if has_answer else f"{name}-none"
            question = {"id": f"{name}-{place}", "question": raw["question"], "answers": answers, "type": kind}
            asked.append({**question, "supporting": [key] if has_answer else []})
    random.Random(5).shuffle(asked)
    often: Counter[str] = Counter()
    kept = []
    for one in asked:
        often[one["type"]] += 1
        if often[one["type"]] <= _EACH:
            kept.append(one)
    write_lines(out / "corpus.jsonl", documents.values())
    write_lines(out / "questions.jsonl", kept)


def boolq_questions(reading: Path, out: Path) -> None:
    rows = [row for row in read_lines(reading / "boolq.jsonl.gz") if held_out(row["context"])][:_BOOLQ]
    documents: dict[str, dict[str, Any]] = {}
    asked = []
    for place, row in enumerate(rows):
        title, _, text = row["context"].partition(" -- ")
        made = {"id": f"b{place}", "title": title if text else "", "text": text or title}
        documents.setdefault(row["context"], made)
        answer = "yes" if row["answer"] == "True" else "no"
        asked.append({"id": f"q{place}", "question": row["question"], "answers": [answer], "type": "boolq"})
    write_lines(out / "corpus.jsonl", documents.values())
    write_lines(out / "questions.jsonl", asked)


def claims(questions: Path, out: Path) -> None:
    draw = random.Random(3)
    facts = {(s, r): o for line in reversed(read_lines(questions)) for s, r, o in reversed(line["evidences"])}
    values: dict[str, list[str]] = {}
    for (_, relation), value in facts.items():
        values.setdefault(relation, []).append(value)
    chosen = [fact for fact in facts.items() if fact[0][1] in _SAID]
    draw.shuffle(chosen)
    made = []
    for place, ((subject, relation), value) in enumerate(chosen[:_CLAIMS]):
        is_true = draw.random() < 0.5
        told = value if is_true else draw.choice([one for one in values[relation] if one != value])
        form = draw.choice(("Is it true that {}?", "Is it correct that {}?", "true or false: {}"))
        question = form.format(_SAID[relation].format(subject, told))
        made.append({"id": f"t{place}", "question": question, "answers": ["yes" if is_true else "no"], "type": "truth"})
    write_lines(out, made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    read_questions(arguments.data / "reading", arguments.out / "reading")
    boolq_questions(arguments.data / "reading", arguments.out / "boolq")
    claims(arguments.data / "2wiki-train" / "questions.jsonl", arguments.out / "claims.jsonl")


if __name__ == "__main__":
    main()
