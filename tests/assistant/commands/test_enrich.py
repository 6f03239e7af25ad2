"""Which passages questions have touched, and `clew enrich` over them against a real server on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from extraction_endpoint import Behaviour, ExtractionServer, Passage, Refusal, extraction_server

from assistant.commands.cli import main
from assistant.commands.touched_passages import most_asked_first, touched_in_results
from assistant.conversations.session import answer
from assistant.conversations.transcripts.transcript_folder import touched
from assistant.models.judging.cache import judgements_file
from assistant.shared.user_folders import transcripts_folder
from kb.build import build
from kb.errors import UsageError
from kb.store.answer_store import AnswerStore, StoredAnswer, answers_in
from kb.store.check import check
from kb.store.knowledge_base import KnowledgeBase
from kb.store.model_cache import ModelAnswer, answer_key

pytestmark = pytest.mark.usefixtures("model_requests_allowed")


def born(at: int) -> str:
    return f"Ada Stone{at} was born in Town{at} in {1800 + at}."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    lines = [{"id": f"d{at}", "title": f"Number {at}", "text": born(at)} for at in range(8)]
    source = tmp_path / "corpus.jsonl"
    source.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    build([str(source)], tmp_path / "a.clew")
    return tmp_path / "a.clew"


def passage(file: Path, at: int) -> int:
    with KnowledgeBase.open(file) as kb:
        return kb.document_passages(f"d{at}")[0].id


def results(file: Path, *questions: tuple[int, ...]) -> Path:
    """A results file whose questions had the passages of these documents."""
    lines = [
        {"id": f"q{number}", "question": "?", "passages": [{"id": passage(file, at)} for at in documents]}
        for number, documents in enumerate(questions)
    ]
    path = file.with_name("results.jsonl")
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def enrich(file: Path, server: ExtractionServer, *more: str) -> Result:
    model = ("--model", "scripted", "--base-url", server.url)
    return CliRunner().invoke(main, ["enrich", str(file), "-q", *model, *more], catch_exceptions=False)


def told(result: Result, exit_code: int = 0) -> dict[str, Any]:
    assert result.exit_code == exit_code, result.output
    value: dict[str, Any] = json.loads(result.stdout)
    return value


def test_passages_come_by_how_many_questions_touched_them_then_by_id() -> None:
    assert most_asked_first([{7: 1, 3: 2, 9: 1}, {9: 1, 5: 1}]) == [3, 9, 5, 7]
    assert most_asked_first([]) == []


def test_of_a_result_the_first_ten_passages_count(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    passages = [{"id": number} for number in range(1, 13)]
    path.write_text(json.dumps({"id": "q", "passages": [*passages[:1], *passages]}) + "\n", "utf-8")
    assert touched_in_results(path) == dict.fromkeys(range(1, 10), 1)


def test_what_is_no_results_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text('{"id": "q"}\n', "utf-8")
    with pytest.raises(UsageError, match="line 1"):
        touched_in_results(path)


def test_the_most_asked_passages_are_extracted_and_no_others(file: Path) -> None:
    source = results(file, (1, 2), (2, 3), (2, 1))
    with extraction_server() as server:
        report = told(enrich(file, server, "--from", str(source), "--json"))
        titles = [json.loads(line)["title"] for line in server.bodies[0]["messages"][-1]["content"].splitlines()]
        assert titles == ["Number 2", "Number 1", "Number 3"]
        assert (report["touched"], report["by_model"], report["facts"]) == (3, 3, 3)
        assert told(enrich(file, server, "--from", str(source), "--json"))["by_model"] == 0
        assert server.requests == 1
    with KnowledgeBase.open(file) as kb:
        (triple,) = kb.passage_triples([passage(file, 2)])
        assert (triple.relation, kb.qualifiers([triple.id])) == ("born in", {triple.id: {"year": "1802"}})
        assert kb.info().model_extracted == 3
        assert kb.qualifiers([one.id for one in kb.passage_triples([passage(file, 4)])]) == {}
    assert check(file) == []


def test_questions_that_were_asked_leave_what_enriching_starts_from(file: Path) -> None:
    answer(file, "Where was Ada Stone5 born?", transcripts=transcripts_folder())
    counts = touched(file)
    assert counts[passage(file, 5)] == 1
    with extraction_server() as server:
        assert told(enrich(file, server, "--json"))["by_model"] == len(counts)
    assert server.asked["Number 5"] == 1


def test_a_budget_ends_it_and_the_next_one_goes_on(file: Path) -> None:
    source = results(file, tuple(range(8)))
    with extraction_server() as server:
        first = told(enrich(file, server, "--from", str(source), "--json", "--max-tokens", "900"), 5)
        assert (first["by_model"], first["left"]["passages"]) == (4, 4)
        assert first["usage"]["input_tokens"] + first["usage"]["output_tokens"] <= 900
        assert "900 tokens" in first["stopped"]
        second = told(enrich(file, server, "--from", str(source), "--json"))
    assert (second["by_model"], second["left"]) == (4, None)
    assert set(server.asked.values()) == {1}


def test_a_passage_that_fails_keeps_its_facts(file: Path) -> None:
    def script(number: int, passages: list[Passage]) -> Behaviour:
        return Refusal(400) if any(one["title"] == "Number 1" for one in passages) else None

    with KnowledgeBase.open(file) as kb:
        before = kb.passage_triples([passage(file, 1)])
    with extraction_server(script) as server:
        result = enrich(file, server, "--from", str(results(file, (1, 2))))
    assert result.exit_code == 0
    assert "'Number 1': the model answered with HTTP status 400" in result.stderr
    with KnowledgeBase.open(file) as kb:
        assert kb.passage_triples([passage(file, 1)]) == before
        assert kb.qualifiers([one.id for one in kb.passage_triples([passage(file, 2)])])


def test_an_estimate_counts_what_is_not_known_yet_and_changes_nothing(file: Path) -> None:
    source = results(file, (1, 2, 3))
    with extraction_server() as server:
        enrich(file, server, "--from", str(results(file, (1,))))
        source = results(file, (1, 2, 3))
        before = file.read_bytes()
        estimate = told(enrich(file, server, "--from", str(source), "--estimate", "--json"))
    assert (estimate["passages"], estimate["requests"], server.requests) == (2, 1, 1)
    assert file.read_bytes() == before


def test_where_nothing_was_asked_there_is_nothing_to_do(file: Path) -> None:
    with extraction_server() as server:
        result = CliRunner().invoke(main, ["enrich", str(file), "--model", "scripted", "--base-url", server.url])
    assert (result.exit_code, server.requests) == (0, 0)
    assert "no question has touched a passage" in result.stderr


def test_without_a_language_model_it_says_what_is_missing(file: Path) -> None:
    result = CliRunner().invoke(main, ["enrich", str(file)])
    assert result.exit_code == 2
    assert "clew enrich needs a language model: give --model NAME" in result.stderr


def test_a_server_that_is_not_there_is_one_error_and_the_file_stays_as_it_is(file: Path) -> None:
    source, before = results(file, (1, 2)), file.read_bytes()
    result = enrich(file, ExtractionServer("http://127.0.0.1:9/v1"), "--from", str(source))
    assert result.exit_code == 4
    assert result.stderr.count("\n") == 1
    with KnowledgeBase.open(file) as kb:
        assert kb.qualifiers([one.id for one in kb.passage_triples([passage(file, 1)])]) == {}
    assert len(before) == len(file.read_bytes())


def test_what_a_model_has_judged_goes_into_the_file(file: Path) -> None:
    store = AnswerStore(judgements_file())
    store.put([StoredAnswer("facts", "m", "v1", ModelAnswer("a", '{"helpful": [1]}'))], file, 0)
    store.close()
    with extraction_server() as server:
        assert told(enrich(file, server, "--json"))["judgements"] == 1
        assert told(enrich(file, server, "--json"))["judgements"] == 1
    with KnowledgeBase.open(file) as kb:
        assert list(answers_in(kb, [answer_key("facts", "a", "m", "v1")]).values()) == ['{"helpful": [1]}']
