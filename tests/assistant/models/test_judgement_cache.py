"""The judgements that are kept: where they are looked for, what they survive, and that no question fails for them."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from judge_scripts import Script, apart, judging

from assistant.models.judging.cache import JudgementCache, absorb, forget, judgements_file
from kb.errors import BadFileError
from kb.records import answer_key
from kb.store.answer_store import AnswerStore, StoredAnswer
from kb.store.knowledge_base import KnowledgeBase
from kb.store.migrations import migrate
from kb.store.model_cache import ModelAnswer, ModelCache
from kb.store.sqlite import close_writer, open_writer, sqlite3
from kb.store.sqlite_engine import SqliteWriter

QUESTION = "Who directed The Glass Harbour?"
TWO: dict[str, dict[str, Any]] = {"a": {"helpful": [1]}, "b": {"helpful": []}}


def key(content: str, model: str = "m") -> str:
    return answer_key("facts", content, model, "v1")


def put(cache: JudgementCache) -> None:
    cache.put("facts", "m", "v1", TWO, (100, 11))


def judged(content: str) -> StoredAnswer:
    return StoredAnswer("facts", "m", "v1", ModelAnswer(content, '{"helpful":[1]}'))


def rows(path: Path, sql: str = "SELECT * FROM answers ORDER BY rowid") -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return list(connection.execute(sql))
    finally:
        connection.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "judgements.db"


# -- reading and writing ----------------------------------------------------------------------------------------------


def test_judgements_come_back_in_another_process(small: KnowledgeBase, path: Path) -> None:
    first = JudgementCache(small, path)
    put(first)
    first.close()
    again = JudgementCache(small, path)
    assert again.get([key("a"), key("b"), key("c"), key("a", "other")]) == {key("a"): TWO["a"], key("b"): TWO["b"]}
    again.close()
    (row, _) = rows(path)
    assert row[:8] == (key("a"), "facts", "a", "m", "v1", '{"helpful":[1]}', 50, 5)
    assert row[8] == str(small.path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_lies_with_the_users_own_state(own_places: Path) -> None:
    assert judgements_file() == own_places / "state" / "judgements.db"


def test_nothing_is_made_before_it_is_needed(small: KnowledgeBase, path: Path) -> None:
    JudgementCache(small, path).close()
    assert not path.exists()


def test_the_knowledge_base_is_never_written_to(small_file: Path, path: Path) -> None:
    before = small_file.read_bytes()
    with KnowledgeBase.open(small_file) as kb:
        cache = JudgementCache(kb, path)
        put(cache)
        cache.close()
    assert small_file.read_bytes() == before


def test_the_oldest_go(path: Path) -> None:
    store = AnswerStore(path, max_rows=3)
    for content in "abcde":
        store.put([judged(content)], Path("x.clew"), 0)
    store.put([judged("c")], Path("x.clew"), 0)
    store.put([judged("f")], Path("x.clew"), 0)
    store.close()
    # "c" was written again, and so is younger than "d".
    assert [row[2] for row in rows(path)] == ["e", "c", "f"]


# -- the knowledge base's own judgements ------------------------------------------------------------------------------


def with_answers(small_file: Path, tmp_path: Path, users: Path) -> tuple[Path, int]:
    """A copy of the file that has taken in the judgements about it, and how many these were."""
    copy = tmp_path / "copy.clew"
    shutil.copy(small_file, copy)
    with KnowledgeBase.open(copy) as kb:
        cache = JudgementCache(kb, users)
        put(cache)
        cache.close()
    db = open_writer(copy)
    migrate(db, copy)
    taken = absorb(copy, ModelCache(SqliteWriter(copy, db)), users)
    close_writer(db)
    return copy, taken


def test_a_file_takes_in_the_judgements_about_it(small_file: Path, tmp_path: Path, path: Path) -> None:
    with KnowledgeBase.open(small_file) as kb:
        cache = JudgementCache(kb, path)
        cache.put("facts", "m", "v1", {"other": {"helpful": [7]}}, (0, 0))
        cache.close()
    copy, taken = with_answers(small_file, tmp_path, path)
    assert taken == 2
    path.unlink()
    with KnowledgeBase.open(copy) as kb:
        cache = JudgementCache(kb, path)
        assert cache.get([key("a"), key("b"), key("other")]) == {key("a"): TWO["a"], key("b"): TWO["b"]}
        cache.close()


def test_a_file_without_the_table_has_no_judgements(small_file: Path, tmp_path: Path, path: Path) -> None:
    old = tmp_path / "old.clew"
    shutil.copy(small_file, old)
    connection = sqlite3.connect(old)
    connection.execute("DROP TABLE IF EXISTS model_cache")
    connection.execute("DELETE FROM _sqlite_migrations WHERE name = 'm002_model_answers'")
    connection.commit()
    connection.close()
    with KnowledgeBase.open(old) as kb:
        cache = JudgementCache(kb, path)
        assert cache.get([key("a")]) == {}
        put(cache)
        assert cache.get([key("a")]) == {key("a"): TWO["a"]}
        assert cache.trouble == ""
        cache.close()


def test_nothing_to_take_in(small_file: Path, tmp_path: Path, path: Path) -> None:
    copy = tmp_path / "copy.clew"
    shutil.copy(small_file, copy)
    db = open_writer(copy)
    migrate(db, copy)
    assert absorb(copy, ModelCache(SqliteWriter(copy, db)), path) == 0
    path.parent.mkdir()
    path.write_bytes(b"no database at all" * 100)
    assert absorb(copy, ModelCache(SqliteWriter(copy, db)), path) == 0
    close_writer(db)


def test_what_is_forgotten_is_gone_from_the_disk(small: KnowledgeBase, path: Path) -> None:
    store = AnswerStore(path)
    store.put([StoredAnswer("summaries", "m", "v1", ModelAnswer("a", '{"of": "a hidden lighthouse"}'))], small.path, 0)
    store.put([judged("b")], Path("other.clew"), 0)
    store.close()
    assert b"hidden lighthouse" in path.read_bytes()
    assert (forget(small.path, path), forget(small.path, path)) == (1, 0)
    assert b"hidden lighthouse" not in b"".join(one.read_bytes() for one in path.parent.iterdir())
    assert [row[2] for row in rows(path)] == ["b"]
    assert forget(small.path, path.with_name("none.db")) == 0


@pytest.mark.parametrize("value", ["", "null", "[1]", "{torn", "[" * 100_000, "NaN"])
def test_what_is_no_object_is_unknown(small: KnowledgeBase, path: Path, value: str) -> None:
    store = AnswerStore(path)
    store.put([StoredAnswer("facts", "m", "v1", ModelAnswer("a", value))], small.path, 0)
    store.close()
    cache = JudgementCache(small, path)
    assert cache.get([key("a")]) == {}
    cache.close()


# -- a file that cannot be used ---------------------------------------------------------------------------------------


def broken(path: Path, how: str) -> None:
    path.parent.mkdir(exist_ok=True)
    match how:
        case "torn":
            store = AnswerStore(path)
            store.put([judged(str(at)) for at in range(2_000)], Path("x.clew"), 0)
            store.close()
            path.write_bytes(path.read_bytes()[:5_000])
        case "foreign":
            path.write_bytes(b"my diary\n" * 1000)
        case "other table":
            connection = sqlite3.connect(path)
            connection.execute("CREATE TABLE answers (key TEXT)")
            connection.commit()
            connection.close()
        case "a folder":
            path.mkdir()
        case "no folder":
            path.parent.rmdir()
            path.parent.write_text("a file")


@pytest.mark.parametrize("how", ["torn", "foreign", "other table", "a folder", "no folder"])
async def test_a_cache_that_cannot_be_used_costs_one_note(small: KnowledgeBase, path: Path, how: str) -> None:
    broken(path, how)
    notes: list[str] = []
    script = Script(facts={"helpful": [1]})
    facts = small.triples(small.fact_graph.facts.tolist())[:3]
    with judging(small, script, path=path, notes=notes) as judge:
        for question in (QUESTION, QUESTION, "Who painted ships?"):
            assert await apart(judge.filter_facts, question, facts) == (facts[0].id,)
    # Within the session memory serves.
    assert len(script.asked) == 2
    (note,) = notes
    assert note.startswith("judgements were not kept: ")
    assert "judgements.db" in note


def test_a_cache_that_another_process_holds_is_not_waited_for_long(small: KnowledgeBase, path: Path) -> None:
    AnswerStore(path).close()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    cache = JudgementCache(small, path)
    put(cache)
    assert "locked" in cache.trouble
    assert cache.get([key("a")]) == {key("a"): TWO["a"]}
    holder.execute("ROLLBACK")
    holder.close()
    # What comes later is kept.
    cache.put("facts", "m", "v1", {"later": {"helpful": []}}, (0, 0))
    cache.close()
    assert [row[2] for row in rows(path)] == ["later"]


def test_a_store_says_what_is_wrong(path: Path) -> None:
    broken(path, "foreign")
    with pytest.raises(BadFileError, match=r"judgements.db' cannot be used \(file is not a database\)"):
        AnswerStore(path)


# -- several processes, and their end ---------------------------------------------------------------------------------

WRITER = """
import sys
from pathlib import Path
from kb.store.answer_store import AnswerStore, StoredAnswer
from kb.store.model_cache import ModelAnswer
store = AnswerStore(Path(sys.argv[1]))
for at in range(int(sys.argv[3])):
    both = [StoredAnswer("facts", "m", "v1", ModelAnswer(f"{sys.argv[2]} {at} {half}", "{}")) for half in (1, 2)]
    store.put(both, Path("x.clew"), 0)
    print(at, flush=True)
store.close()
"""


def writer(path: Path, name: str, count: int) -> subprocess.Popen[str]:
    root = Path(__file__).parents[3]
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(count)],
        cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_two_processes_write_at_once(path: Path) -> None:
    both = [writer(path, name, 100) for name in ("one", "two")]
    for process in both:
        process.communicate(timeout=60)
    assert [process.returncode for process in both] == [0, 0]
    assert len(rows(path)) == 400


def test_killed_in_the_middle_it_holds_all_that_was_put(path: Path) -> None:
    process = writer(path, "killed", 100_000)
    assert process.stdout is not None
    last = 0
    for line in process.stdout:
        last = int(line)
        if last >= 50:
            process.send_signal(signal.SIGKILL)
            break
    rest = process.stdout.read().split()
    process.wait(60)
    process.stdout.close()
    last = max([last, *(int(one) for one in rest if one.isdigit())])
    store = AnswerStore(path)
    store.put([judged("after")], Path("x.clew"), int(time.time()))
    store.close()
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    contents = {str(row[2]) for row in rows(path)}
    assert contents >= {f"killed {at} {half}" for at in range(last) for half in (1, 2)}
    # Each pair is there or not, whole.
    assert len(contents) % 2 == 1
