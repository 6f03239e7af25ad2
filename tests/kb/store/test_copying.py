from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from servers import Server

from kb.errors import BadFileError, LockedFileError, NotAKnowledgeBase, UsageError
from kb.store.addresses import ServerAddress
from kb.store.check import check
from kb.store.copying import copy
from kb.store.file_state import file_state, has_log
from kb.store.fingerprint import fingerprint
from kb.store.knowledge_base import KnowledgeBase
from kb.store.open_base import open_to_read, open_to_write
from kb.store.postgres import connecting, server_schema
from kb.store.sqlite import open_writer


def said(path: Path) -> list[object]:
    """What searches and look-ups of all kinds say of a knowledge base."""
    with KnowledgeBase.open(path) as kb:
        question = "Who was the mother of the sailor?"
        ids = [one for one, _ in kb.search_dense(kb.embed([question])[0], 8)]
        names = kb.graph.entities.tolist()
        sentences = [row[3] for row in kb.passage_sentences(ids)]
        return [
            ids,
            kb.search_words(question, 8),
            kb.find_entities("Ada", 5),
            kb.passage_vectors(ids).tolist(),
            kb.sentence_vectors.rows_of(sentences).tolist(),
            kb.passage_triples(ids),
            kb.links.degrees(names),
            kb.links.links_from(ids),
            kb.graph.passage_vectors.tolist(),
            kb.fact_graph.name_vectors.tolist(),
            kb.fact_graph.synonyms.tolist(),
        ]


def test_there_and_back_is_the_same(small_file: Path, server: Server, tmp_path: Path) -> None:
    address, back = server.new(), tmp_path / "back.clew"
    content = copy(small_file, address)
    assert copy(address, back) == content == fingerprint(small_file) == fingerprint(address) == fingerprint(back)
    assert said(small_file) == said(address) == said(back)
    assert check(address) == check(back) == []
    assert [one.name for one in tmp_path.iterdir()] == ["back.clew"]


def test_nothing_is_replaced_unless_that_is_said(small_file: Path, server: Server, tmp_path: Path) -> None:
    address, file = server.new(), tmp_path / "here.clew"
    for target in (address, file):
        copy(small_file, target)
        with pytest.raises(UsageError, match="--replace"):
            copy(small_file, target)
        before = fingerprint(target)
        assert copy(small_file, target, replace=True) == before
    other = tmp_path / "notes.txt"
    other.write_text("no knowledge base")
    with pytest.raises(NotAKnowledgeBase):
        copy(small_file, other, replace=True)
    assert other.read_text() == "no knowledge base"
    with pytest.raises(UsageError, match="to itself"):
        copy(address, ServerAddress(str(address)))


def test_what_is_not_finished_is_not_copied(small_file: Path, tmp_path: Path) -> None:
    stopped = tmp_path / "stopped.clew"
    copy(small_file, stopped)
    with open_writer(stopped) as db:  # type: ignore[attr-defined]
        db.execute("UPDATE meta SET value = '0' WHERE key = 'finished'")
    with pytest.raises(BadFileError, match="run its build again"):
        copy(stopped, tmp_path / "copy.clew")
    assert not (tmp_path / "copy.clew").exists()


KILLED = """
import os, signal, sys
from pathlib import Path
from kb.store.addresses import place
from kb.store.copying import copy

def report(what, done, total):
    if what == "triples":
        print("here", flush=True)
        signal.pause()

copy(place(sys.argv[1]), place(sys.argv[2]), replace=True, report=report)
"""


@pytest.mark.parametrize("target", ["server", "file"])
def test_a_copy_that_is_killed_leaves_what_was_there(
    small_file: Path, request: pytest.FixtureRequest, tmp_path: Path, target: str
) -> None:
    place: Path = request.getfixturevalue("server").new() if target == "server" else tmp_path / "copy.clew"
    content = copy(small_file, place)
    command = [sys.executable, "-c", KILLED, str(small_file), str(place)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        process.send_signal(signal.SIGKILL)
    assert fingerprint(place) == content
    deadline = time.monotonic() + 10  # a server notices a moment later that its client is gone
    while True:
        try:
            assert copy(small_file, place, replace=True) == content
            break
        except BadFileError:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    assert check(place) == []


KILLED_WRITER = """
import os, signal, sys
from pathlib import Path
from kb.store.open_base import open_to_read, open_to_write
from kb.store.postgres import connecting, server_schema

writer = open_to_write(Path(sys.argv[1]), lambda _: None)
writer.execute("PRAGMA wal_autocheckpoint = 0")
with writer.atomic():
    writer.execute("UPDATE passages SET text = text || ' And more.'")
os.kill(os.getpid(), signal.SIGKILL)
"""


def leave_log(path: Path) -> None:
    """What a writer leaves beside `path` that is killed when it has changed all passages."""
    command = [sys.executable, "-c", KILLED_WRITER, str(path)]
    assert subprocess.run(command, cwd=Path(__file__).parents[3], check=False).returncode == -signal.SIGKILL
    assert path.with_name(path.name + "-wal").stat().st_size


def test_rows_that_are_given_up_half_way_do_not_mind_that_the_file_is_closed(small_file: Path) -> None:
    engine = open_to_read(small_file)
    rows = engine.each("SELECT key FROM documents")
    next(rows)
    engine.close()
    rows.close()  # type: ignore[attr-defined]  # as Python does when Ctrl-C has ended a copy


def test_what_a_killed_writer_left_is_not_replayed_into_the_copy(small_file: Path, tmp_path: Path) -> None:
    target = tmp_path / "base.clew"
    content = copy(small_file, target)
    leave_log(target)
    assert copy(small_file, target, replace=True) == content == fingerprint(target)
    assert check(target) == []
    assert [one.name for one in tmp_path.iterdir()] == ["base.clew"]


def test_a_log_whose_file_is_gone_is_not_replayed_either(small_file: Path, tmp_path: Path) -> None:
    target = tmp_path / "base.clew"
    content = copy(small_file, target)
    leave_log(target)
    target.unlink()
    assert copy(small_file, target) == content == fingerprint(target)
    assert check(target) == []


def test_a_copy_that_fails_keeps_what_a_killed_writer_had_finished(
    small_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "base.clew"
    content = copy(small_file, target)
    leave_log(target)
    before = fingerprint(target)
    assert before != content
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("no room")))
    with pytest.raises(BadFileError, match="no room"):
        copy(small_file, target, replace=True)
    assert fingerprint(target) == before
    assert check(target) == []


def test_what_is_being_written_is_not_replaced(small_file: Path, tmp_path: Path) -> None:
    target = tmp_path / "base.clew"
    content = copy(small_file, target)
    writer = open_to_write(target, lambda _: None)
    try:
        with pytest.raises(LockedFileError, match="is being written by another process"):
            copy(small_file, target, replace=True)
        writer.execute("UPDATE passages SET text = text || ' And more.'")
    finally:
        writer.close()
    assert fingerprint(target) != content  # what was written meanwhile is there
    assert check(target) == []


def test_one_copies_to_a_target_at_a_time(small_file: Path, server: Server, tmp_path: Path) -> None:
    for target in (tmp_path / "base.clew", server.new()):
        said: list[str] = []

        def again(what: str, _done: int, _total: int, target: Path = target, said: list[str] = said) -> None:
            if what == "triples" and not said:
                with pytest.raises(LockedFileError, match="is being written by another process") as told:
                    copy(small_file, target, replace=True)
                said.append(str(told.value))

        assert copy(small_file, target, report=again) == fingerprint(target)
        assert said
        assert check(target) == []


def test_a_copy_is_for_whom_the_file_was_that_it_replaces(small_file: Path, tmp_path: Path) -> None:
    target, seen = tmp_path / "base.clew", set()
    copy(small_file, target)
    target.chmod(0o600)

    def look(_what: str, _done: int, _total: int) -> None:
        seen.update(one.stat().st_mode & 0o777 for one in tmp_path.glob("base.clew-copying*"))

    copy(small_file, target, replace=True, report=look)
    assert seen == {0o600}
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_base_on_a_server_is_not_copied_to_itself_by_another_spelling(
    small_file: Path, server: Server, tmp_path: Path
) -> None:
    address = server.new()
    content = copy(small_file, address)
    other = ServerAddress(str(address).replace("@/postgres?", "@/?dbname=postgres&"))
    assert str(other) != str(address)
    for replace in (True, False):
        with pytest.raises(UsageError, match="cannot be copied to itself"):
            copy(address, other, replace=replace)
    assert fingerprint(address) == content
    server.run("REVOKE EXECUTE ON FUNCTION pg_control_system() FROM public", "CREATE ROLE plain LOGIN SUPERUSER")
    schema = str(address).rpartition("%3D")[2].partition("%2C")[0]
    server.run("ALTER ROLE plain NOSUPERUSER", f"GRANT USAGE ON SCHEMA {schema} TO plain",
               f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO plain")  # fmt: skip
    with pytest.raises(UsageError, match="cannot be copied to itself"):  # where a role may not know the server either
        copy(ServerAddress(server.url(user="plain", schema=schema)), address, replace=True)
    server.run("GRANT EXECUTE ON FUNCTION pg_control_system() TO public")
    second = server.new()
    assert copy(address, second) == copy(address, second, replace=True) == content


def test_a_copy_does_not_wait_for_ever_for_who_reads(
    small_file: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = server.new()
    content = copy(small_file, address)
    assert "60s" in connecting._WRITES
    monkeypatch.setattr(connecting, "_WRITES", connecting._WRITES.replace("60s", "200ms"))
    with KnowledgeBase.open(address) as kb, kb._engine.snapshot():
        kb.info()
        with pytest.raises(LockedFileError, match="is in use by another process for too long") as told:
            copy(small_file, address, replace=True)
    assert "\n" not in str(told.value)
    assert copy(small_file, address, replace=True) == content


def test_a_copy_has_the_schema_of_today(small_file: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(server_schema.STEPS, "p002_note", "ALTER TABLE meta ADD COLUMN note TEXT")
    monkeypatch.setattr("kb.store.postgres.connecting.SCHEMA", "p002_note")
    address = server.new()
    copy(small_file, address)
    with closing(open_to_read(address)) as engine:
        assert engine.schema() == "p002_note"
        assert engine.rows("SELECT note FROM meta LIMIT 1") == [(None,)]


def test_the_log_of_a_base_is_found_through_a_link_to_it(small_file: Path, tmp_path: Path) -> None:
    own = Path(shutil.copy(small_file, tmp_path / "own.clew"))
    (tmp_path / "sub").mkdir()
    (link := tmp_path / "sub" / "link.clew").symlink_to(own)
    assert not has_log(link)
    before = file_state(link)
    leave_log(own)
    assert has_log(link)
    assert file_state(link) != before
