"""Chats: whatever exports them gives the same turns below the same days, and passages that tell who speaks and when."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kb.build import build
from kb.documents.chat_text import read_txt
from kb.documents.data_files import read_json
from kb.documents.passages import cut
from kb.documents.plaintext import Content
from kb.documents.sources import read_sources
from kb.records import Document
from kb.store.knowledge_base import KnowledgeBase

CHAT = """\
Participants: Ana Souza, Tom

## Friday 3 May 2024

[09:13] Ana Souza: I moved to Lisbon yesterday.
[09:14] Tom: Really? Which street?

## Saturday 4 May 2024

[21:05] Ana Souza: Rua do Carmo."""

WORDS = ("I moved to Lisbon yesterday.", "Really? Which street?", "Rua do Carmo.")
TIMES = ("2024-05-03T09:13:22", "2024-05-03T09:14:02", "2024-05-04T21:05:00")
SPEAKERS = ("Ana Souza", "Tom", "Ana Souza")


def text_of(*lines: str) -> Content:
    return read_txt("\n".join(lines).encode())


@pytest.mark.parametrize(
    "stamps",
    [
        ("03/05/2024, 09:13 - ", "03/05/2024, 09:14 - ", "04/05/2024, 21:05 - "),
        ("5/3/24, 9:13 AM - ", "5/3/24, 9:14\u202fAM - ", "5/4/24, 9:05\u202fPM - "),
        ("\u200e[03.05.24, 09:13:22] ", "[03.05.24, 09:14:02] ", "[04.05.24, 21:05:00] "),
        ("03.05.24, 09.13 - ", "03.05.24, 09.14 - ", "04.05.24, 21.05 - "),
        ("[2024-05-03 09:13] ", "[2024-05-03 09:14] ", "[2024-05-04 21:05] "),
        ("2024-05-03T09:13:22Z ", "2024-05-03T09:14:02Z ", "2024-05-04T21:05:00Z "),
        ("[3 May 2024, 09:13] ", "[May 3, 2024, 09:14] ", "[4 May 2024 at 9:05 pm] "),
        ("Friday 3 May 2024\n09:13 ", "(09:14) ", "--- 4 May 2024 ---\n\n[21:05] "),
    ],
)
def test_text_of_any_messenger_gives_the_same_turns(stamps: tuple[str, ...]) -> None:
    lines = [f"{stamp}{who}: {words}" for stamp, who, words in zip(stamps, SPEAKERS, WORDS, strict=True)]
    assert text_of(*lines) == Content("", CHAT)


def _slack() -> object:
    return [
        {"type": "message", "user": who, "text": words, "ts": ts}
        for who, words, ts in zip(
            ("U0ANASOUZA", "U0TOMTOM01", "U0ANASOUZA"),
            WORDS,
            ("1714727602.0", "1714727642.5", "1714856700.1"),
            strict=True,
        )
    ]


@pytest.mark.parametrize(
    ("title", "export"),
    [
        ("Crew", {"name": "Crew", "type": "personal_chat", "messages": [
            {"type": "message", "date": when, "from": who, "text": [words[:2], {"type": "bold", "text": words[2:]}]}
            for when, who, words in zip(TIMES, SPEAKERS, WORDS, strict=True)
        ] + [{"id": 9, "type": "service", "date": TIMES[0], "actor": "Tom", "text": ""}]}),
        ("crew", {"guild": {"name": "Us"}, "channel": {"name": "crew"}, "messages": [
            {"timestamp": f"{when}.123+00:00", "content": words, "author": {"id": "7", "name": who, "isBot": False}}
            for when, who, words in zip(TIMES, SPEAKERS, WORDS, strict=True)
        ]}),
        ("", [
            {"author": {"username": who}, "content": words, "timestamp": when}
            for when, who, words in reversed(list(zip(TIMES, SPEAKERS, WORDS, strict=True)))
        ]),
        ("", _slack()),
    ],
    ids=["telegram", "discord", "newest first", "slack"],
)  # fmt: skip
def test_json_of_any_messenger_gives_the_same_turns(title: str, export: object) -> None:
    people = {"U0ANASOUZA": "Ana Souza", "U0TOMTOM01": "Tom"}
    assert read_json(json.dumps(export).encode(), lambda: people) == Content(title, CHAT)


def test_a_mention_is_whoever_speaks_under_that_id() -> None:
    messages = [
        {"user": "U0TOMTOM01", "user_profile": {"real_name": "Tom Hill"}, "text": "Hello", "ts": "1714727602.0"},
        {"user": "U0ANASOUZA", "text": "<@U0TOMTOM01> and <@U0NOBODY99>, hello", "ts": "1714727642.5"},
        {"user": "U0TOMTOM01", "text": "Bye", "ts": "1714727702.0"},
    ]
    assert read_json(json.dumps(messages).encode(), dict).text.split("\n")[-3:] == [
        "[09:13] Tom Hill: Hello", "[09:14] U0ANASOUZA: @Tom Hill and @U0NOBODY99, hello", "[09:15] Tom Hill: Bye",
    ]  # fmt: skip


def test_several_chats_are_headings() -> None:
    chats = [{"name": name, "messages": [{"from": "Ana", "text": "Hi", "date": TIMES[0]}]} for name in ("One", "Two")]
    text = read_json(json.dumps({"chats": {"list": chats}}).encode()).text
    assert text.split("\n\n")[:3] == ["# One", "## Friday 3 May 2024", "[09:13] Ana: Hi"]
    assert "# Two\n" in text


@pytest.mark.parametrize(
    "value",
    [
        [{"author": "Ana", "date": "2024-05-03", "title": "On oil", "text": "Words."}],
        [{"name": "Ana", "text": "Words."}],
        {"messages": ["one", "two"]},
        {"messages": [{"from": "Ana", "text": "Hi", "date": "some day"}]},
        [{"user": "ana", "text": "Hi", "ts": 1e300}],
        [{"user": 42, "text": "Hi", "ts": 1.7e9}],
        {"chats": {"list": [1, None]}},
    ],
)
def test_other_json_is_no_chat(value: object) -> None:
    assert "[" not in read_json(json.dumps(value).encode()).text


def test_what_a_messenger_adds_is_left_out() -> None:
    text = text_of(
        "12/05/2024, 09:13 - Messages and calls are end-to-end encrypted. No one can read them.",
        "12/05/2024, 09:14 - Ana: first line",
        "second line",
        "",
        "third line",
        "12/05/2024, 09:15 - Tom added Mia",
        "12/05/2024, 09:16 - ~ Tom (work): <Media omitted>",
        "12/05/2024, 09:17 - ~ Tom (work): fine",
    ).text.split("\n")
    assert text[2:] == [
        "## Sunday 12 May 2024", "", "[09:14] Ana: first line second line third line", "[09:15] Tom added Mia",
        "[09:17] Tom: fine",
    ]  # fmt: skip


def test_a_chat_is_titled_by_what_stands_above_it() -> None:
    content = text_of(
        "Crew channel", "", "Saturday 24 May 2025", "06:20 Tobias: morning", "06:31 Una: clear", "06:40 Tobias: ok"
    )
    assert (content.title, content.text.split("\n\n")[1]) == ("Crew channel", "## Saturday 24 May 2025")


def test_the_order_of_day_and_month_shows_in_all_dates_together() -> None:
    def days(*dates: str) -> list[str]:
        text = text_of(*(f"{one}, 09:13 - Ana: hm" for one in dates)).text
        return [line[3:] for line in text.split("\n") if line.startswith("## ")]

    assert days("01/02/2024", "01/13/2024", "02/01/2024")[1] == "Saturday 13 January 2024"
    assert days("01/02/2024", "13/02/2024", "01/03/2024")[2] == "Friday 1 March 2024"
    assert days("03/01/2024", "03/02/2024", "04/01/2024")[2] == "Monday 1 April 2024", "in this order time goes on"
    assert days("99/99/2024", "45/45/2024", "00/00/2024") == [], "no day at all"


def test_running_text_is_no_chat() -> None:
    text = "Log\n\n09:13 the pump failed. We waited.\n\nNobody came: it rained. A second paragraph tells of the night."
    assert text_of(text).text == text.removeprefix("Log\n\n") or text_of(text).text == text
    assert "Participants" not in text_of(text).text


def test_a_day_alone_above_turns_without_times_is_a_heading() -> None:
    content = text_of("8 May 2023", "", "Ana: I moved.", "Tom: Really?", "", "9 May 2023", "", "Ana: Yes.")
    assert content == Content(
        "", "## Monday 8 May 2023\n\nAna: I moved.\nTom: Really?\n\n## Tuesday 9 May 2023\n\nAna: Yes."
    )


def words(texts: list[str]) -> list[int]:
    return [len(text.split()) for text in texts]


def long_chat(turns: int, sentences: int) -> str:
    said = " ".join("That is how it was." for _ in range(sentences))
    lines = [f"[09:{n:02}] {('Ana', 'Tom')[n % 2]}: {said}" for n in range(turns)]
    return "## Friday 3 May 2024\n\n" + "\n".join(lines)


def test_passages_of_a_chat_are_whole_turns_that_know_their_day() -> None:
    pieces = list(cut(Document("k", "Crew", long_chat(12, 3), "s"), lambda texts: words(list(texts)), budget=60))
    assert len(pieces) > 3
    assert all(piece.text.startswith(("[09:", "## Friday")) for piece in pieces)
    assert {piece.above for piece in pieces[1:]} == {("Friday 3 May 2024",)}


def test_a_turn_too_long_for_a_passage_keeps_its_speaker() -> None:
    pieces = list(cut(Document("k", "Crew", long_chat(2, 40), "s"), lambda texts: words(list(texts)), budget=60))
    within = [piece for piece in pieces if not piece.text.startswith(("[09:", "## Friday"))]
    assert within
    assert {piece.above for piece in within} == {("Friday 3 May 2024", "Ana"), ("Friday 3 May 2024", "Tom")}


def test_people_of_a_slack_export_are_in_the_folder_above(tmp_path: Path) -> None:
    (tmp_path / "crew").mkdir()
    users = [{"id": "U0ANASOUZA", "name": "ana", "real_name": "Ana Souza"}, {"id": "U0TOMTOM01", "name": "Tom"}]
    (tmp_path / "users.json").write_text(json.dumps(users))
    (tmp_path / "crew" / "2024-05-03.json").write_text(json.dumps(_slack()))
    (document, *_) = read_sources([str(tmp_path)])
    assert isinstance(document, Document)
    assert (document.title, document.text) == ("Crew 2024-05-03", CHAT)
    (alone,) = read_sources([str(tmp_path / "crew")])
    assert isinstance(alone, Document)
    assert "Ana Souza" not in alone.text, "what is outside the folder is not read"


def test_a_turn_is_a_fact_of_its_speaker(tmp_path: Path) -> None:
    chat = [
        f"0{n}/05/2024, 09:13 - {who}: {said}" for n, (who, said) in enumerate(zip(SPEAKERS, WORDS, strict=True), 1)
    ]
    (tmp_path / "chat.txt").write_text("\n".join(chat))
    build([str(tmp_path)], tmp_path / "kb.clew")
    with KnowledgeBase.open(tmp_path / "kb.clew") as kb:
        (passage,) = kb.document_passages("chat.txt")
        facts = {triple.text() for triple in kb.passage_triples([passage.id])}
    assert {"Ana Souza I moved to Lisbon", "Chat Participants Tom"} <= facts
