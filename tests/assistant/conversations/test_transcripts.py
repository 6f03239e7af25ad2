"""What is kept of a question, of which shape, and where."""

from __future__ import annotations

import asyncio
import gzip
import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fake_endpoint import Status, endpoint
from recorded import PLANNED, ask_and_keep, scripted
from small_documents import QUESTION

from assistant.conversations.session import Session, final_reply
from assistant.conversations.transcripts import transcript_folder as store_module
from assistant.conversations.transcripts.contents import known_fingerprint
from assistant.conversations.transcripts.form import Transcript
from assistant.conversations.transcripts.transcript_folder import Store, days_ago, read, touched
from assistant.conversations.transcripts.transcript_text import heading_lines, markdown, summary_line
from assistant.shared.model_choice import ModelChoice
from assistant.shared.spending_limits import Budget
from assistant.shared.user_folders import state_folder
from kb.errors import BadFileError, UsageError
from kb.store.fingerprint import fingerprint
from kb.store.knowledge_base import KnowledgeBase
from tools.planning.plan import Constraint, Plan


def kept(file: Path, folder: Path, *questions: str, **options: Any) -> list[Transcript]:
    """Transcripts of the questions, in their order."""
    asyncio.run(ask_and_keep(file, folder, *questions, **options))
    return [read(summary.path) for summary in reversed(Store(folder).summaries())]


def test_an_offline_question_is_kept_whole(small_file: Path, tmp_path: Path) -> None:
    (one,) = kept(small_file, tmp_path, QUESTION)
    assert (one.question, one.standalone, one.model, one.top) == (QUESTION, QUESTION, ModelChoice(), 10)
    assert one.knowledge_base.path == str(small_file)
    assert one.knowledge_base.fingerprint == fingerprint(small_file)
    assert one.knowledge_base.passages == 12
    assert one.reply.answer == "Tarnow Bay"
    assert [call.tool for call in one.calls] == [use.name for use in one.reply.tools]
    assert one.calls[0].arguments["constraints"][0]["head"] == "The Glass Harbour"
    cited = {citation.number: citation.passage_id for citation in one.reply.citations}
    assert cited.items() <= {found.number: found.passage for found in one.evidence}.items()
    assert all(found.text and found.tools for found in one.evidence)
    assert {state.status for state in one.states} <= {"resolved", "unresolved", "recovered"}
    assert ("The Glass Harbour", "silent film directed by", "Irena Valdis") in {
        (f.head, f.relation, f.tail) for f in one.facts
    }
    assert one.exchanges == ()
    assert one.messages[0]["parts"][0]["content"] == QUESTION
    assert datetime.fromisoformat(one.when).tzinfo is not None


def test_json_gives_back_an_equal_transcript(small_file: Path, tmp_path: Path) -> None:
    plan = Plan((Constraint("Oskar Valdis", "born in", "?place", ("birthplace",)),), "?place", answer_type="place")
    first, second = kept(
        small_file, tmp_path, "Where was he born?", "And when did he die?", plan=plan, budget=Budget(tokens=900)
    )
    for one in (first, second):
        assert Transcript.from_json(json.loads(json.dumps(one.to_json()))) == one
    assert (first.plan, first.budget.tokens, first.earlier) == (plan, 900, ())
    assert [turn.question for turn in second.earlier] == ["Where was he born?"]


@pytest.mark.usefixtures("model_requests_allowed")
def test_offline_and_scripted_model_give_transcripts_of_the_same_shape(small_file: Path, tmp_path: Path) -> None:
    questions = (QUESTION, "Which film is older, The Glass Harbour or Seven Lanterns?", "Who composed the anthem?")
    offline = kept(small_file, tmp_path / "offline", *questions)
    with endpoint([*PLANNED] * 3) as server:
        scripted_ones = kept(small_file, tmp_path / "scripted", *questions, choice=scripted(server.url))
    for one, other in zip(offline, scripted_ones, strict=True):
        assert_same_shape(*(json.loads(json.dumps(each.to_json())) for each in (one, other)))
        assert [message["kind"] for message in one.messages][:2] == ["request", "response"]
        assert {message["kind"] for message in other.messages} == {"request", "response"}
        # Only the offline model makes no request.
        assert (len(one.exchanges), len(other.exchanges)) == (0, 2)


def assert_same_shape(one: Any, other: Any, name: str = "transcript") -> None:
    """The same keys and kinds of values all the way down; of lists, whose length is free, the first items."""
    if isinstance(one, dict) and isinstance(other, dict):
        if name in FREE:
            return
        assert one.keys() == other.keys(), name
        for key in one:
            assert_same_shape(one[key], other[key], key)
    elif isinstance(one, list) and isinstance(other, list):
        if one and other:
            assert_same_shape(one[0], other[0], name)
    else:
        assert kind(one) == kind(other), name


FREE = ("arguments", "bindings")
"""Their keys are names of arguments and of variables."""


def kind(value: Any) -> str:
    return "number" if value is None or isinstance(value, (int, float)) else type(value).__name__


@pytest.mark.usefixtures("model_requests_allowed")
def test_every_request_is_kept_with_its_response_and_usage(small_file: Path, tmp_path: Path) -> None:
    with endpoint(PLANNED) as server:
        (one,) = kept(small_file, tmp_path, QUESTION, choice=scripted(server.url))
    first, second = one.exchanges
    assert first.response is not None
    assert first.response["parts"][0]["tool_name"] == "constraint_retrieval"
    assert first.response["usage"]["input_tokens"] == 100
    assert second.response is not None
    assert second.response["parts"][0]["tool_name"] == "answer"
    assert first.request != second.request
    assert (first.role, first.kind) == (second.role, "agent")
    assert (one.reply.usage.input_tokens, one.reply.usage.requests) == (200, 2)
    assert all(exchange.seconds > 0 for exchange in one.exchanges)


@pytest.mark.usefixtures("model_requests_allowed")
@pytest.mark.parametrize("status", [401, 500])
def test_a_key_is_in_no_transcript(
    small_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    key = 'sk-zq"secret\\1234'
    monkeypatch.setenv("CLEW_API_KEY", key)
    said = f"no, not with {key}"

    def tell_the_key(_: Any) -> Any:
        return [("passage_search", {"query": f"who has the key {key}?"})]

    with endpoint([PLANNED[0], tell_the_key, lambda _: Status(status, said)]) as server:
        url = server.url.replace("http://", "http://user:password@") + "?api_key=hidden"
        (one,) = kept(small_file, tmp_path, QUESTION, choice=ModelChoice("scripted", url, extra={"note": "hidden"}))
    (file,) = tmp_path.iterdir()
    text = gzip.decompress(file.read_bytes()).decode()
    for secret in (key, json.dumps(key)[1:-1], "sk-zq", "password", "hidden"):
        assert secret not in text
    assert (one.model.base_url, one.model.extra) == (server.url, {"note": None})
    assert one.calls[1].arguments["query"] == "who has the key [key]?"
    assert one.reply.partial
    failure = one.exchanges[-1].failure
    assert failure is not None
    assert failure.status == status


def test_a_key_that_is_a_word_spoils_nothing(small_file: Path, tmp_path: Path) -> None:
    (one,) = kept(small_file, tmp_path, QUESTION)
    for word in ("answer", "passages", "knowledge_base"):
        file = Store(tmp_path / word).write(one, [word])
        assert read(file).reply.answer == "Tarnow Bay"


def test_files_are_the_owners_only_and_one_is_written_in_one_step(small_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "state" / "transcripts"
    kept(small_file, folder, QUESTION)
    (file,) = folder.iterdir()
    assert (file.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert file.name.endswith(f"Z-{read(file).id}.json.gz")


@pytest.mark.parametrize("block", ["file in the way", "read-only"])
def test_what_cannot_be_kept_is_said_and_the_question_answered(
    small_file: Path, tmp_path: Path, block: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "transcripts"
    if block == "read-only":

        def refused(*_: Any, **__: Any) -> Any:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(store_module, "replace_file", refused)
    else:
        folder.write_text("")
    (reply,) = asyncio.run(ask_and_keep(small_file, folder, QUESTION))
    assert reply.answer == "Tarnow Bay"
    (note,) = reply.notes
    assert note.startswith("no transcript of this answer could be kept in ")
    assert "No space left" in note or "File exists" in note


def test_a_file_that_was_deleted_while_it_was_open_is_not_told_to_be_built(small_file: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(small_file, tmp_path / "small.clew"))
    with Session.open(path, transcripts=tmp_path / "transcripts") as session:
        path.unlink()
        reply = asyncio.run(final_reply(session, QUESTION))
    (note,) = reply.notes
    assert "was moved, deleted or replaced since it was opened" in note
    assert "build it first" not in note


def test_a_list_is_latest_first_and_can_be_searched(small_file: Path, tmp_path: Path) -> None:
    kept(small_file, tmp_path, QUESTION, "When did Irena Valdis die?", "Who composed the anthem of Ruritania?")
    store = Store(tmp_path)
    assert [one.question[:4] for one in store.summaries()] == ["Who ", "When", "Wher"]
    (one,) = store.summaries(words="VALDIS june")
    assert (one.answer, one.found, one.tokens, one.model) == ("2 June 1970", True, 0, "offline")
    assert store.summaries(words="valdis lantern") == []
    assert len(store.summaries(knowledge_base=small_file)) == 3
    assert len(store.summaries(knowledge_base=fingerprint(small_file))) == 3
    assert store.summaries(knowledge_base=tmp_path / "other.clew") == []
    assert store.summaries(knowledge_base="0" * 64) == []
    assert Store(tmp_path / "nothing").summaries() == []


def test_a_file_of_another_kind_or_torn_is_left_out_of_the_list(small_file: Path, tmp_path: Path) -> None:
    kept(small_file, tmp_path, QUESTION)
    (file,) = tmp_path.iterdir()
    data = file.read_bytes()
    for number, other in enumerate([b"", b"{}", data[:200], gzip.compress(b"[]\n"), gzip.compress(b'{"a": 1}')]):
        (tmp_path / f"20200101T00000000000{number}Z-0000000{number}.json.gz").write_bytes(other)
    (tmp_path / "notes.txt").write_text("mine")
    assert [one.path for one in Store(tmp_path).summaries()] == [file]


def test_a_transcript_is_found_by_id_and_as_the_last(small_file: Path, tmp_path: Path) -> None:
    first, second = kept(small_file, tmp_path, QUESTION, "When did Irena Valdis die?")
    store = Store(tmp_path)
    assert read(store.find("last")) == second
    assert read(store.find(first.id)) == first
    assert read(store.find(str(store.find(first.id[:7])))) == first
    for name, message in {
        "": "is no transcript",
        "nothing": "is no transcript",
        "abcdef012": "is no transcript",
    }.items():
        with pytest.raises(UsageError, match=message):
            store.find(name)
    with pytest.raises(UsageError, match="no transcript yet"):
        Store(tmp_path / "none").find("last")


def test_an_id_of_two_transcripts_or_of_none(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"20200101T00000000000{number}Z-aaaaaaa{number}.json.gz").write_bytes(b"")
    with pytest.raises(UsageError, match="2 transcripts have an id"):
        Store(tmp_path).find("aaaaaaa")
    with pytest.raises(UsageError, match="no transcript has an id"):
        Store(tmp_path).find("b")


def test_deleting_takes_what_is_old_and_nothing_else(small_file: Path, tmp_path: Path) -> None:
    (one,) = kept(small_file, tmp_path, QUESTION)
    store = Store(tmp_path)
    old = replace(one, id="00000001", when=(datetime.now(UTC) - timedelta(days=3)).isoformat())
    store.write(old)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / ".20200101T000000000000Z-00000002.json.gz.abc_1").write_text("half")
    assert store.clear(days_ago(2), dry=True) == 1
    assert store.clear(days_ago(2)) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([store.find(one.id).name, "notes.txt"])
    assert store.clear() == 1
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    with pytest.raises(UsageError, match="no time"):
        days_ago(1e12)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no transcript of clew, or a torn one"),
        (b"\x1f\x8b", "no transcript of clew, or a torn one"),
        (b"\xff\xfe", "no transcript of clew, or a torn one"),
        (b"[" * 100_000, "no transcript of clew, or a torn one"),
        (b"[]", "it is no transcript"),
        (b'{"clew_transcript": "1"}', "it is no transcript"),
        (b'{"clew_transcript": 2}', "version 2 and this clew reads 1; update"),
        (b'{"clew_transcript": 1, "id": 7}', "damaged transcript"),
    ],
)
def test_what_is_no_transcript_is_one_clear_error(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "bad.json"
    file.write_bytes(content)
    with pytest.raises(BadFileError, match=message) as caught:
        read(file)
    assert "\n" not in str(caught.value)
    assert "bad.json" in str(caught.value)


def test_torn_newer_huge_and_special_files(small_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = kept(small_file, tmp_path, QUESTION)
    (file,) = tmp_path.iterdir()
    for size in (10, 1000, file.stat().st_size - 1):
        (tmp_path / "torn").write_bytes(file.read_bytes()[:size])
        with pytest.raises(BadFileError, match="torn"):
            read(tmp_path / "torn")
    for wrong, message in (
        ({"reply": {"question": 3}}, r"reply\.question"),
        ({"top": 10**9}, "top: 1000000000 is not"),
        ({"budget": {"tokens": -5}}, "a budget of -5 tokens"),
        ({"rung": "ladder"}, "rung"),
    ):
        (tmp_path / "broken").write_text(json.dumps({**one.to_json(), **wrong}))
        with pytest.raises(BadFileError, match=message):
            read(tmp_path / "broken")
    monkeypatch.setattr(store_module, "MAX_BYTES", 10_000)
    with pytest.raises(BadFileError, match="larger"):
        read(file)
    for other, message in ((tmp_path, "no regular file"), (tmp_path / "none", "no such file")):
        with pytest.raises(BadFileError, match=message):
            read(other)


def test_touched_counts_questions_for_each_passage(small_file: Path, tmp_path: Path) -> None:
    assert touched(small_file, tmp_path) == {}
    transcripts = kept(small_file, tmp_path, QUESTION, "When did Irena Valdis die?", top=2)
    counts = touched(small_file, tmp_path)
    with KnowledgeBase.open(small_file) as kb:
        titles = {kb.passage(passage).title: count for passage, count in counts.items()}
    assert titles["Irena Valdis"] == 2
    assert titles["The Glass Harbour"] >= 1
    assert sum(counts.values()) == sum(len(one.passages_touched) for one in transcripts)
    assert list(counts.values()) == sorted(counts.values(), reverse=True)
    assert touched(fingerprint(small_file), tmp_path) == counts
    assert touched("0" * 64, tmp_path) == {}


def test_a_fingerprint_is_remembered_until_the_file_changes(small_file: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.clew"
    copy.write_bytes(small_file.read_bytes())
    assert known_fingerprint(copy) == fingerprint(small_file)
    # Known now, so not computed: what is remembered is what is given.
    memory = next(state_folder().glob("fingerprints.json"))
    memory.write_text(memory.read_text().replace(fingerprint(copy), "f" * 64))
    assert known_fingerprint(copy) == "f" * 64
    with copy.open("r+b") as file:
        file.seek(0)
        file.write(b"SQLite")
    assert known_fingerprint(copy) == fingerprint(small_file)
    memory.write_text("[")
    assert known_fingerprint(copy) == fingerprint(small_file)


HOSTILE = "\x1b]0;x\x07# big [a](javascript:x) <b onclick=x> ![i](http://evil/x.png)\n# head\n\n---\n| `x` \u202e @all"


def test_hostile_texts_of_a_transcript_are_shown_as_text(small_file: Path, tmp_path: Path) -> None:
    from markdown_it import MarkdownIt

    (one,) = kept(small_file, tmp_path, QUESTION)
    evidence = tuple(replace(found, title=HOSTILE, text=HOSTILE, document=HOSTILE) for found in one.evidence)
    reply = replace(one.reply, answer=HOSTILE, explanation=HOSTILE, notes=(HOSTILE,), model=HOSTILE)
    calls = tuple(replace(call, tool=HOSTILE, summary=HOSTILE, arguments={"q": HOSTILE}) for call in one.calls)
    bad = replace(
        one,
        id=HOSTILE,
        when=HOSTILE,
        question=HOSTILE,
        reply=replace(reply, seconds=float("nan")),
        evidence=evidence,
        calls=calls,
        error=HOSTILE,
    )
    text = markdown(bad)
    tokens = MarkdownIt("commonmark").parse(text)
    inline = [child.type for token in tokens for child in token.children or ()]
    assert not {"link_open", "image", "html_inline", "code_inline"} & set(inline)
    assert not {"html_block", "hr", "fence"} & {token.type for token in tokens}
    headings = [tokens[place + 1].content for place, token in enumerate(tokens) if token.type == "heading_open"]
    assert headings[1:] == ["Answer", "Chain", "Passages", "Tool calls"]
    store = Store(tmp_path)
    store.write(replace(bad, id="00000000", when=one.when))
    shown = [summary_line(summary).text for summary in store.summaries()]
    shown += [line.text for line in heading_lines(bad)]
    assert not any(mark in line for line in (*shown, text) for mark in ("\x1b", "\x07", "\u202e"))


def test_markdown_holds_question_answer_chain_passages_and_calls(small_file: Path, tmp_path: Path) -> None:
    (one,) = kept(small_file, tmp_path, QUESTION)
    text = markdown(one)
    assert text.startswith(f"# Question: {QUESTION}\n")
    assert "**Answer:** Tarnow Bay" in text
    assert "1. The Glass Harbour — director → Irena Valdis (resolved)" in text
    assert "> “The Glass Harbour is a 1931 silent film directed by Irena Valdis.”" in text
    assert "- ✓ constraint\\_retrieval" in text
