"""A knowledge base on a server that is built, changed and asked there, and all that can go wrong."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest
from servers import Server

from kb.build import Progress, add, build, remove
from kb.errors import BadFileError, LockedFileError, NewerFileError, NotAKnowledgeBase, UsageError, WriteError
from kb.store.addresses import ServerAddress, environment, place
from kb.store.check import check
from kb.store.fingerprint import fingerprint
from kb.store.following import FileWatch
from kb.store.knowledge_base import KnowledgeBase
from kb.store.open_base import open_to_write
from kb.store.postgres import connecting, server_schema

NOTES = {
    "film": ("Red River (film)", "Red River was directed by Ada Stone. It was shot in Ostby."),
    "director": ("Ada Stone", "Ada Stone was born in Ostby. Her father was Carl Stone."),
    "father": ("Carl Stone", "Carl Stone was a miller. He kept Zanzibarian parrots."),
}
Note = tuple[str, str]


def corpus(folder: Path, notes: Mapping[str, Note]) -> str:
    path = folder / "corpus.jsonl"
    lines = [json.dumps({"id": key, "title": title, "text": text}) for key, (title, text) in notes.items()]
    path.write_text("\n".join(lines))
    return str(path)


@pytest.fixture
def base(server: Server, tmp_path: Path) -> ServerAddress:
    address = server.new()
    build([corpus(tmp_path, NOTES)], address)
    return address


def schema_of(address: ServerAddress) -> str:
    return str(address).rpartition("%3D")[2].partition("%2C")[0]


# -- addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "shown", "password", "name"),
    [
        ("postgresql://ada:s%40lt@h:5432/notes", "postgresql://ada@h:5432/notes", "s@lt", "notes"),
        ("postgres://ada@h/notes?password=salt&sslmode=require", "postgresql://ada@h/notes?sslmode=require", "salt",
         "notes"),
        ("postgresql://ada:sa/lt@h/notes", "postgresql://ada@h/notes", "sa/lt", "notes"),
        ("postgresql:///notes", "postgresql:///notes", None, "notes"),
        ("postgresql:/eve@h/notes", "postgresql://eve@h/notes", None, "notes"),
        ("postgresql://h/notes?passw%6Frd=salt", "postgresql://h/notes", "salt", "notes"),
        ("Postgresql://ada:salt@h/notes", "postgresql://ada@h/notes", "salt", "notes"),
        ("  postgres://ada:salt@h/notes ", "postgresql://ada@h/notes", "salt", "notes"),
        ("postgres+psycopg://ada:salt@h/notes", "postgresql://ada@h/notes", "salt", "notes"),
        ("postgresql://?service=notes", "postgresql://?service=notes", None, "notes"),
        ("postgresql://ada@/?dbname=no%74es", "postgresql://ada@/?dbname=no%74es", None, "notes"),
    ],
)  # fmt: skip
def test_an_address_never_shows_its_password(given: str, shown: str, password: str | None, name: str) -> None:
    address = place(given)
    assert isinstance(address, ServerAddress)
    assert (str(address), str(address.resolve()), address.name) == (shown, shown, name)
    assert address.password == password
    for text in (repr(address), f"{address}", str(pickle.loads(pickle.dumps(address)))):
        assert "salt" not in text
        assert "s%40lt" not in text


@pytest.mark.parametrize(
    ("password", "said", "shown"),
    [
        ("p", "connection to server on port 1 failed", "connection to server on port 1 failed"),
        ("p", "no such host in u:p@h, password=p", "no such host in u:***@h, password=***"),
        ("salt", "the word salt", "the word ***"),
    ],
)
def test_a_password_is_blotted_out_and_no_word_that_has_its_letters(password: str, said: str, shown: str) -> None:
    error = SimpleNamespace(diag=SimpleNamespace(message_primary=said))
    assert connecting._said(ServerAddress(f"postgresql://u:{password}@h/notes"), error) == shown


def test_every_secret_of_an_address_is_kept_apart() -> None:
    secrets = {
        "password": "one", "sslpassword": "two", "oauth_client_secret": "three", "scram_client_key": "four",
        "scram_server_key": "five%",
    }  # fmt: skip
    query = "&".join(f"{name}={secret.replace('%', '%25')}" for name, secret in secrets.items())
    address = ServerAddress(f"postgresql://h/kept?{query}&sslmode=require&connect_timeout=3")
    assert str(address) == "postgresql://h/kept?sslmode=require&connect_timeout=3"
    assert address.secrets == secrets
    assert connecting._settings(address) == {**secrets, "fallback_application_name": "clew"}


def test_a_process_of_ours_is_given_every_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    address = ServerAddress("postgresql://u:one@h/given?sslpassword=two")
    given = environment(["x", str(address)])
    assert given["PGPASSWORD"] == "one"
    monkeypatch.setattr("kb.store.addresses._given", {})
    assert address.secrets == {}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert address.secrets == {"password": "one", "sslpassword": "two"}


@pytest.mark.parametrize(
    "given",
    [
        "postgresql://ada:hush?x@h/notes",
        "postgresql://h:hush/notes?x=@h",
        "postgresql://h/notes?passwd=hush",
        "postgresql://h/notes?Password=hush",
        "postgresql://h/notes?password=a&hush",
        "jdbc:postgresql://h/notes?user=ada&password=hush",
        "'postgresql://ada:hush@h/notes'",
        "host=h password=hush dbname=notes",
        "dbname = notes user=hush",
        "pgsql://ada:hush@h/notes",
    ],
)
def test_what_is_nearly_an_address_is_refused_without_a_secret(given: str) -> None:
    with pytest.raises(UsageError, match="write postgresql://") as told:
        place(given)
    assert "hush" not in str(told.value)
    assert "\n" not in str(told.value)


def test_what_the_driver_does_not_understand_is_one_line(server: Server) -> None:
    for given in ("postgresql://h/notes%zz", server.url(schema="%zz")):
        with pytest.raises(UsageError, match="is not understood") as told:
            KnowledgeBase.open(given)
        assert "zz" not in str(told.value)
        assert "\n" not in str(told.value)


@pytest.mark.parametrize("given", ["postgresql://h"])
def test_half_an_address_is_refused_without_a_secret(given: str) -> None:
    with pytest.raises(UsageError, match="write postgresql://") as told:
        place(given)
    assert "hush" not in str(told.value)


def test_a_path_is_a_path() -> None:
    for name in ("notes.clew", "postgresql", "notes on postgres.clew", "../pg/notes.clew", "a=b.clew", "user=ada.clew"):
        assert type(place(name)) is type(Path(name))
        assert str(place(name)) == name


def test_a_service_names_the_base(
    server: Server, base: ServerAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "services").write_text(
        f"[notes]\nhost={server.folder}\nuser=postgres\ndbname=postgres\n"
        f"options=-csearch_path={schema_of(base)},public\n"
    )
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    assert fingerprint(place("postgresql:///?service=notes")) == fingerprint(base)


def test_a_nul_matches_nothing(base: ServerAddress, tmp_path: Path) -> None:
    file = tmp_path / "file.clew"
    build([corpus(tmp_path, NOTES)], file)
    for path in (base, file):
        with KnowledgeBase.open(path) as kb:
            assert kb.search_words("Ada\0", 3) == kb.search_words("Ada", 3)
            assert kb.search_words("\0", 3) == []
            assert kb.document_passages("fi\0lm") == []
        with pytest.raises(UsageError, match="there is no document"):
            remove(path, ["fi\0lm"])


def test_a_nul_that_is_to_be_written_is_one_line(base: ServerAddress) -> None:
    writer = open_to_write(base, lambda _: None)
    row = ("a\0b", "x")
    try:
        for write in (
            lambda: writer.execute("INSERT INTO meta(key, value) VALUES (?, ?)", row),
            lambda: writer.many("INSERT INTO meta(key, value) VALUES (?, ?)", [row]),
            lambda: writer.fill("meta", ("key", "value"), [row]),
        ):
            with pytest.raises(WriteError, match="cannot hold the character NUL") as told:
                write()
            assert "\n" not in str(told.value)
    finally:
        writer.close()


# -- building ---------------------------------------------------------------------------------------------------------


def test_what_is_built_there_is_what_is_built_in_a_file(base: ServerAddress, tmp_path: Path) -> None:
    file = tmp_path / "file.clew"
    build([corpus(tmp_path, NOTES)], file)
    changed = {**NOTES, "father": ("Carl Stone", "Carl Stone was a baker at Ostby.")}
    fewer = {key: note for key, note in changed.items() if key != "film"}
    more = tmp_path / "more"
    more.mkdir()
    for notes in (NOTES, changed, fewer):
        reports = [build([corpus(tmp_path, notes)], path) for path in (base, file)]
        assert [(one.added, one.changed, one.removed) for one in reports[:1]] * 2 == [
            (one.added, one.changed, one.removed) for one in reports
        ]
        assert fingerprint(base) == fingerprint(file)
    for path in (base, file):
        add([corpus(more, {"mill": ("The mill at Ostby", "Carl Stone sold the mill in 1931.")})], path)
    assert fingerprint(base) == fingerprint(file)
    assert remove(base, ["Carl Stone"]) == remove(file, ["Carl Stone"]) == ["father"]
    assert fingerprint(base) == fingerprint(file)
    assert check(base) == check(file) == []


def test_who_reads_sees_that_something_has_changed(base: ServerAddress, tmp_path: Path) -> None:
    watch = FileWatch(base)
    watch.opening()
    assert not watch.look()
    with KnowledgeBase.open(base) as opened:
        (passage,) = (one.id for one in opened.document_passages("father"))
        remove(base, ["father"])
        with pytest.raises(LockedFileError, match="ask again"):
            opened.passage_vectors([passage])
    assert watch.look()
    assert watch.changed == 1


def test_one_writes_at_a_time(base: ServerAddress) -> None:
    writer = open_to_write(base, lambda _: None)
    try:
        with pytest.raises(LockedFileError, match=r"another process, the server's process .* since"):
            remove(base, ["film"])
        with KnowledgeBase.open(base) as kb:  # and who asks does not wait
            assert kb.search_words("parrots", 3)
    finally:
        writer.close()
    assert remove(base, ["film"]) == ["film"]


def test_a_role_that_may_only_read_asks(server: Server, base: ServerAddress) -> None:
    schema = schema_of(base)
    server.run(
        "CREATE ROLE asker LOGIN", f"GRANT USAGE ON SCHEMA {schema} TO asker",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO asker",
    )  # fmt: skip
    asker = ServerAddress(server.url(user="asker", schema=schema))
    with KnowledgeBase.open(asker) as kb:
        assert kb.passage(kb.search_words("parrots", 1)[0][0]).document == "father"
        assert kb.search_dense(kb.embed(["a man who grinds grain"])[0], 1)
    with pytest.raises(WriteError, match="does not let this user do that"):
        remove(asker, ["film"])


def test_a_migration_that_is_stopped_leaves_the_schema_as_it_was(
    base: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fingerprint(base)
    monkeypatch.setitem(server_schema.STEPS, "p002_half", "ALTER TABLE meta ADD COLUMN note TEXT; SELECT 1 / 0")
    with pytest.raises(BadFileError, match="division by zero"):
        remove(base, ["film"])
    assert fingerprint(base) == before
    with KnowledgeBase.open(base) as kb:
        assert kb.info().schema == "p001_first"
    monkeypatch.setitem(server_schema.STEPS, "p002_half", "ALTER TABLE meta ADD COLUMN note TEXT")
    monkeypatch.setattr("kb.store.postgres.connecting.SCHEMA", "p002_half")
    remove(base, ["film"])
    with KnowledgeBase.open(base) as kb:
        assert kb.info().schema == "p002_half"


# -- what can go wrong ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("psycopg")
def test_a_server_that_is_away() -> None:
    with pytest.raises(BadFileError, match=r"cannot be reached .*; check that the server runs") as told:
        KnowledgeBase.open("postgresql://ada:hush@127.0.0.1:1/notes")
    assert "hush" not in str(told.value)
    assert "\n" not in str(told.value)


def test_no_such_database(server: Server) -> None:
    with pytest.raises(NotAKnowledgeBase, match="createdb nothing"):
        KnowledgeBase.open(server.url(database="nothing"))


@pytest.fixture
def locked_out(server: Server) -> Iterator[None]:
    """The role `guarded` needs its password."""
    (file,) = server.run("SHOW hba_file")[0]
    before = Path(file).read_text()
    server.run("CREATE ROLE guarded LOGIN PASSWORD 'right'")
    Path(file).write_text(f"local all guarded scram-sha-256\n{before}")
    server.run("SELECT pg_reload_conf()")
    yield
    Path(file).write_text(before)
    server.run("SELECT pg_reload_conf()", "DROP ROLE guarded")


@pytest.mark.usefixtures("locked_out")
def test_a_wrong_password_is_not_shown(server: Server) -> None:
    for user in ("guarded:hush", "guarded"):
        with pytest.raises(BadFileError, match="does not let this user in: check the name, and the password") as told:
            KnowledgeBase.open(server.url(user=user))
        assert "hush" not in str(told.value)
        assert told.value.__cause__ is None
    with pytest.raises(NotAKnowledgeBase):  # the right one is let in
        KnowledgeBase.open(server.url(user="guarded:right", schema="pg_temp"))


def test_a_database_that_is_not_ours(server: Server, tmp_path: Path) -> None:
    address = server.new()
    with pytest.raises(NotAKnowledgeBase, match="is empty; fill it"):
        KnowledgeBase.open(address)
    server.run(f"CREATE TABLE {schema_of(address)}.invoices (id int)")
    for use in (KnowledgeBase.open, lambda one: build([corpus(tmp_path, NOTES)], one)):
        with pytest.raises(NotAKnowledgeBase, match="tables that are not clew's"):
            use(address)


def test_a_database_of_a_newer_clew(server: Server, base: ServerAddress) -> None:
    server.run(f"UPDATE {schema_of(base)}.clew_base SET schema = 'p999_later'")  # noqa: S608
    for use in (KnowledgeBase.open, lambda one: remove(one, ["film"])):
        with pytest.raises(NewerFileError, match="p999_later"):
            use(base)


def test_an_older_pgvector(server: Server, base: ServerAddress) -> None:
    (now,) = server.run("SELECT extversion FROM pg_extension WHERE extname = 'vector'")[0]
    try:
        server.run("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
        with pytest.raises(BadFileError, match=r"has pgvector 0\.7\.4, and clew needs 0\.8; upgrade it"):
            KnowledgeBase.open(base)
    finally:
        server.run(f"UPDATE pg_extension SET extversion = '{now}' WHERE extname = 'vector'")  # noqa: S608


FAIL = """
CREATE FUNCTION {schema}.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file "base/5/16": No space left on device' USING ERRCODE = '53100';
END $$;
CREATE TRIGGER fail BEFORE INSERT ON {schema}.mentions FOR EACH STATEMENT EXECUTE FUNCTION {schema}.fail()
"""


def test_a_full_disk_loses_nothing_and_the_build_carries_on(
    server: Server, base: ServerAddress, tmp_path: Path
) -> None:
    schema, before = schema_of(base), fingerprint(base)
    server.run(FAIL.format(schema=schema))
    more = {**NOTES, "mill": ("The mill", "Carl Stone sold the mill in 1931.")}
    with pytest.raises(WriteError, match="the disk or the memory of the server is full") as told:
        build([corpus(tmp_path, more)], base)
    assert "\n" not in str(told.value)
    assert fingerprint(base) == before
    server.run(f"DROP TRIGGER fail ON {schema}.mentions")
    assert build([corpus(tmp_path, more)], base).added == 1
    assert check(base) == []


def cut_off(server: Server) -> None:
    """End all connections but the one that does it."""
    server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'clew'")


def test_a_connection_lost_in_the_middle_of_a_question(server: Server, base: ServerAddress) -> None:
    with KnowledgeBase.open(base) as kb:
        before = kb.search_words("parrots", 3)
        cut_off(server)
        with pytest.raises(BadFileError, match=r"the connection to .* was lost .* run it again") as told:
            kb.search_words("parrots at Lindholm", 3)  # the same words would not be searched for again
        assert "\n" not in str(told.value)
        assert kb.search_words("parrots", 3) == before  # the next question has a new one


def test_a_connection_lost_in_the_middle_of_a_build(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.build._BATCH", 8)
    address = server.new()
    many = {f"n{at}": (f"Note {at}", f"Ada Stone wrote note {at} at Ostby.") for at in range(12)}
    told: list[Progress] = []

    def lose(progress: Progress) -> None:
        told.append(progress)
        if progress.stage == "embedding" and progress.done >= 8:
            cut_off(server)

    with pytest.raises(BadFileError, match=r"the connection to .* was lost"):
        build([corpus(tmp_path, many)], address, progress=lose)
    with KnowledgeBase.open(address) as kb:
        assert not kb.is_finished
        assert kb.info().passages == 8
    report = build([corpus(tmp_path, many)], address)
    assert report.passages == 4
    file = tmp_path / "file.clew"
    build([corpus(tmp_path, many)], file)
    assert fingerprint(address) == fingerprint(file)


def test_without_the_driver_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(UsageError, match=r"pip install 'clew\[postgres\]'"):
        KnowledgeBase.open("postgresql://h/notes")
