"""Rows to train the reader on: a question, a passage, and where in it the answer stands, if it stands there at all.

Four sources: the questions with their passages under reading/; facts (Re-DocRED's) asked in the ways that the hops of
a plan ask, over prose, over records of `Key: value` lines as notes and tables have them, and told in the first person
as in a talk; made-up records of work (`benchmarks/record_rows.py`); and for a third of the first two a near passage
that does not hold the answer, without which a reader finds one everywhere. Everything is drawn with the seed that is
given. The train questions of the benchmarks are left out, so that what the reader says of them can train the certainty
of answers.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.record_rows import record_rows
from benchmarks.row import Row

_PERSONS = {
    "director", "author", "composer", "performer", "spouse", "father", "mother", "child", "sibling", "producer",
    "screenwriter", "founded by", "creator", "head of government", "head of state", "cast member", "chairperson",
    "lyrics by", "employer", "owned by", "developer", "publisher", "manufacturer", "operator",
}  # fmt: skip
_ASKED = {
    "date of birth": ("When was {} born?", "What is the date of birth of {}?"),
    "date of death": ("When did {} die?", "What is the date of death of {}?"),
    "place of birth": ("Where was {} born?", "What is the birthplace of {}?"),
    "place of death": ("Where did {} die?", "What is the place of death of {}?"),
    "country of citizenship": ("What nationality is {}?", "What country is {} from?", "nationality of {}"),
    "country": ("What country is {} in?", "In which country is {}?"),
    "located in the administrative territorial entity": ("Where is {} located?", "Where is {}?"),
    "performer": ("Who performed {}?", "Who sang {}?"),
    "director": ("Who directed {}?", "Who is the director of {}?"),
    "author": ("Who wrote {}?", "Who is the author of {}?"),
    "composer": ("Who composed {}?", "Who wrote the music of {}?"),
    "publication date": ("When was {} released?", "When did {} come out?", "When was {} published?"),
    "inception": ("When was {} founded?", "When was {} established?"),
    "spouse": ("Who is {} married to?", "Who did {} marry?", "Who is the wife of {}?", "Who is the husband of {}?"),
    "founded by": ("Who founded {}?", "Who is the founder of {}?"),
    "educated at": ("Where did {} study?", "Which school did {} attend?"),
    "employer": ("Who did {} work for?", "Where does {} work?"),
    "record label": ("On which label was {} released?", "What record label is {} on?"),
    "member of sports team": ("What team does {} play for?",),
    "owned by": ("Who owns {}?",),
    "headquarters location": ("Where is {} based?", "Where are the headquarters of {}?"),
    "developer": ("Who developed {}?",),
    "notable work": ("What is {} known for?",),
    "award received": ("What award did {} win?",),
    "position held": ("What position did {} hold?",),
    "religion": ("What is the religion of {}?",),
    "residence": ("Where did {} live?",),
}


def read_lines(path: Path) -> list[dict[str, Any]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def held_out(context: str) -> bool:
    """Whether a context, one in twenty, is kept from the reader, to train and measure what is made of its readings."""
    return hashlib.sha256(context.encode()).digest()[0] < 13


def all_rows(folder: Path, seed: int = 0) -> list[Row]:
    """Every training row that the reading folder gives, in a shuffled order that the seed decides."""
    draw = random.Random(seed)
    asked = [*_question_rows(folder, draw), *_fact_rows(folder, draw)]
    asked += _spoken_rows(asked, draw)
    rows = [*asked, *_near_misses(asked, draw), *_other_subjects(asked, draw), *_other_names(asked, draw)]
    rows += record_rows(4000, draw)
    draw.shuffle(rows)
    return rows


def _question_rows(folder: Path, draw: random.Random) -> Iterator[Row]:
    shares = {"qamr": 0.5, "qasrl": 0.4}
    for name in ("squad", "squad2", "nq", "quoref", "qamr", "qasrl", "iirc", "nq-swap", "hotpot", "disflqa"):
        for raw in read_lines(folder / f"{name}.jsonl.gz"):
            if not held_out(raw["context"]) and draw.random() < shares.get(name, 1.0):
                yield _question_row(name, raw, draw)
    for raw in read_lines(folder / "boolq.jsonl.gz"):
        if held_out(raw["context"]):
            continue
        yield Row("boolq", raw["question"], raw["context"], "yes" if raw["answer"] == "True" else "no")
    for raw in read_lines(folder / "strategyqa.jsonl.gz"):
        yield Row("strategyqa", raw["question"], " ".join(raw["facts"]), raw["answer"])


def _question_row(name: str, raw: dict[str, Any], draw: random.Random) -> Row:
    passage, question = raw["context"], raw.get("disfluent") or raw["question"]
    if name == "nq-swap":
        passage = re.sub(r"<[^>]{0,40}>", lambda tag: " " * len(tag.group()), passage)
    if draw.random() < 0.15:
        question = question.lower().rstrip("?")
    answer = raw["answer"] or ""
    if answer.lower() in ("yes", "no"):
        return Row(name, question, passage, "yes" if answer.lower() == "yes" else "no")
    start = raw["answer_start"]
    title = f"{raw['title'].replace('_', ' ')}. " if raw.get("title") and draw.random() < 0.6 else ""
    if start < 0:
        return Row(name, question, title + passage, "none")
    return Row(name, question, title + passage, "span", len(title) + start, len(title) + start + len(answer))


def _fact_rows(folder: Path, draw: random.Random) -> Iterator[Row]:
    for document in read_lines(folder / "redocred.jsonl.gz"):
        if not held_out(document["title"]):
            yield from _document_rows(document, draw)


def ask_relation(subject: str, relation: str, draw: random.Random) -> str:
    """A relation of a subject asked in one of the ways that people and plans ask it."""
    if draw.random() < 0.6 and relation in _ASKED:
        asked = draw.choice(_ASKED[relation]).format(subject)
    else:
        word = "Who" if relation in _PERSONS else "What"
        forms = ("{1}: {0}?", "{2} is the {0} of {1}?", "{1} {0}", "{0} of {1}", "{2} is {1}'s {0}?")
        asked = draw.choice(forms).format(relation, subject, word)
    return asked.lower() if draw.random() < 0.1 else asked


def _document_rows(document: dict[str, Any], draw: random.Random) -> Iterator[Row]:
    entities, sentences = document["entities"], document["sentences"]
    known: dict[tuple[int, str], list[int]] = defaultdict(list)
    for triple in document["triples"]:
        known[triple["head"], triple["relation"]].append(triple["tail"])
    facts = [(key, tails) for key, tails in sorted(known.items()) if not key[1].startswith("P7")]
    draw.shuffle(facts)
    often: dict[str, int] = defaultdict(int)
    for (head, relation), tails in facts:
        if len(tails) > 2 or often[relation] >= 3 or sum(often.values()) >= 14:
            continue
        often[relation] += 1
        subject = draw.choice(entities[head]["names"])
        names = [name for tail in tails for name in entities[tail]["names"]]
        yield from _prose_row(document, subject, relation, names, sentences, draw)
    records = {(entities[h]["names"][0], r): entities[t[0]]["names"][0] for (h, r), t in facts if len(t) == 1}
    yield from _record_rows(document["title"], records, draw)


def _prose_row(
    document: dict[str, Any], subject: str, relation: str, names: list[str], sentences: list[str], draw: random.Random
) -> Iterator[Row]:
    text = f"{document['title']}. " + " ".join(sentences)
    found = [(m.start(), m.end()) for name in names for m in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    found = [span for span in found if span[0] >= len(document["title"]) + 2]
    if not found:
        return
    near = [m.start() for m in re.finditer(re.escape(subject), text)] or [0]
    start, end = min(found, key=lambda span: (min(abs(span[0] - at) for at in near), span))
    if draw.random() < 0.12:
        wrong = [e["names"][0] for e in document["entities"] if e["names"][0] not in names and e["names"][0] != subject]
        if wrong:
            asked = f"Is it true that the {relation} of {subject} is {{}}?"
            yield Row("truth", asked.format(text[start:end]), text, "yes")
            yield Row("truth", asked.format(draw.choice(wrong)), text, "no")
            return
    yield Row("redocred", ask_relation(subject, relation, draw), text, "span", start, end, relation)


def _record_rows(title: str, records: dict[tuple[str, str], str], draw: random.Random) -> Iterator[Row]:
    """The document's facts written as notes and tables write them, and a few of them asked for."""
    by_subject: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for (subject, relation), value in records.items():
        by_subject[subject].append((relation, value))
    subjects = draw.sample(sorted(by_subject), min(len(by_subject), draw.randint(2, 5)))
    if len(subjects) < 2:
        return
    text, places = _written_records(title, {s: by_subject[s][:4] for s in subjects}, draw)
    for subject, relation in draw.sample(sorted(places), min(2, len(places))):
        start, end = places[subject, relation]
        yield Row("records", ask_relation(subject, relation, draw), text, "span", start, end)
    missing = [(s, r) for s in subjects for t in subjects for r, _ in by_subject[t] if (s, r) not in records]
    if missing:
        yield Row("records", ask_relation(*draw.choice(missing), draw), text, "none")


def _written_records(
    title: str, records: dict[str, list[tuple[str, str]]], draw: random.Random
) -> tuple[str, dict[tuple[str, str], tuple[int, int]]]:
    ways = [
        ("\n## {}\n", "- {}: ", "\n", ""),
        ("{}. ", "{}: ", ". ", " "),
        (" {} - ", "{}: ", "; ", "|"),
        ("\n{}\n", "{}: ", "\n", "\n"),
    ]
    head, key, item, between = draw.choice(ways)
    text = f"{title}. " if draw.random() < 0.7 else ""
    places: dict[tuple[str, str], tuple[int, int]] = {}
    for subject, pairs in records.items():
        text += head.format(subject)
        for relation, value in pairs:
            text += key.format(relation.capitalize() if draw.random() < 0.5 else relation)
            places[subject, relation] = (len(text), len(text) + len(value))
            text += value + item
        text += between
    return text, places


_SPEAKING = (
    (r"(?<![\w-])(?:he|she|He|She) (?:is|was)\b", "I was"),
    (r"(?<![\w-])(?:he|she|He|She) has\b", "I have"),
    (r"(?<![\w-])(?:he|she|He|She)(?!\w)", "I"),
    (r"(?<![\w-])(?:his|her|His|Her)(?!\w)", "my"),
    (r"(?<![\w-])him(?!\w)", "me"),
    (r"(?<![\w-])(?:himself|herself)(?!\w)", "myself"),
)
_REMARKS = (
    "Wow, that's great!", "Oh, tell me more.", "Really? I did not know that.", "That sounds lovely.", "Ha, of course.",
    "Thanks for asking! How have you been?", "Same here.", "I can imagine. What happened then?", "Good to see you!",
)  # fmt: skip
_FIRST_NAMES = ("Ana", "Tom", "Mia", "Ravi", "Joan", "Sam", "Lena", "Omar", "Grace", "Victor", "Nina", "Paul")


def _spoken_rows(rows: Sequence[Row], draw: random.Random) -> Iterator[Row]:
    """Passages about one person, told by that person in a talk between two: "I" and "my" are whoever speaks."""
    for row in rows:
        pronouns = len(re.findall(r"\b(?:he|she|He|She|his|her|His|Her)\b", row.passage))
        title = row.passage.split(". ")[0]
        name = title.split(" ")[-1]
        if row.kind != "span" or pronouns < 2 or len(title) > 40 or name not in row.question:
            continue
        speaker, other = draw.sample(_FIRST_NAMES, 2)
        question = re.sub(rf"(?:{re.escape(title)}|{re.escape(name)})", speaker, row.question)
        pieces = [_spoken(p, title, name) for p in (row.passage[len(title) + 2 : row.start], row.passage[row.end :])]
        answer = row.passage[row.start : row.end]
        if name in answer:
            continue
        text = _as_talk(pieces[0] + "\x00" + answer + "\x01" + pieces[1], speaker, other, draw)
        start = text.index("\x00")
        text = text.replace("\x00", "").replace("\x01", "")
        yield Row(f"spoken-{row.source}", question, text, "span", start, start + len(answer))


def _spoken(text: str, title: str, name: str) -> str:
    text = re.sub(rf"(?:{re.escape(title)}|{re.escape(name)})(?!['’\w])", "he", text)
    for pattern, said in _SPEAKING:
        text = re.sub(pattern, said, text)
    return text


def _as_talk(text: str, speaker: str, other: str, draw: random.Random) -> str:
    lines = [f"{other}: {draw.choice(_REMARKS)}"] if draw.random() < 0.5 else []
    for sentence in re.split(r"(?<=[a-z\x01]\.) ", text):
        lines.append(f"{speaker}: {sentence}")
        if draw.random() < 0.4:
            lines.append(f"{other}: {draw.choice(_REMARKS)}")
    return "\n".join(lines)


_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*")


def _other_subjects(rows: Sequence[Row], draw: random.Random) -> Iterator[Row]:
    """Facts asked of a passage that tells the same relation of somebody else: the name has to be minded."""
    by_relation: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row.relation:
            by_relation[row.relation].append(row)
    for row in rows:
        if row.relation and draw.random() < 0.9:
            other = draw.choice(by_relation[row.relation])
            names = _NAME.findall(f"of {row.question}") or row.question.split()
            if not any(name in other.passage for name in names):
                yield Row(f"other-{row.source}", row.question, other.passage, "none")


def _other_names(rows: Sequence[Row], draw: random.Random) -> Iterator[Row]:
    """Questions with their name replaced by another question's: what the passage tells is of somebody else."""
    named = [row for row in rows if row.kind == "span" and row.source in ("squad", "nq", "quoref", "qamr", "records")]
    names = sorted({name for row in named for name in _NAME.findall(row.question)})
    for row in named:
        found = [name for name in _NAME.findall(row.question) if name in row.passage]
        if found and draw.random() < 0.6:
            other = draw.choice(names)
            if other not in row.passage:
                yield Row(f"name-{row.source}", row.question.replace(found[-1], other), row.passage, "none")


def _near_misses(rows: Sequence[Row], draw: random.Random) -> Iterator[Row]:
    """For a third of the questions, a passage among the most alike (tf-idf) in which the answer does not stand."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    passages = sorted({row.passage[:1200] for row in rows if row.source not in ("qamr", "qasrl", "truth")})
    asked = [row for row in rows if row.kind != "none" and row.source != "truth" and draw.random() < 0.34]
    words = TfidfVectorizer(sublinear_tf=True, stop_words="english", dtype=np.float32)
    matrix = words.fit_transform(passages).T.tocsc()
    for at in range(0, len(asked), 512):
        part = asked[at : at + 512]
        alike = (words.transform([row.question for row in part]) @ matrix).toarray()
        for row, scores in zip(part, alike, strict=True):
            near = np.argsort(-scores, kind="stable")[:12]
            answer = row.passage[row.start : row.end].lower() if row.kind == "span" else row.question.lower()
            other = [
                passages[i] for i in near if answer not in passages[i].lower() and passages[i] != row.passage[:1200]
            ]
            if other:
                yield Row(f"near-{row.source}", row.question, draw.choice(other[:6]), "none")
