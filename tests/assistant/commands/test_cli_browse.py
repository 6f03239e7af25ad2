"""The command that looks around."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from assistant.commands.cli import main


def browse(file: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["browse", str(file), *arguments])


def test_documents_and_entities_are_listed(small_file: Path) -> None:
    result = browse(small_file, "vald")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "documents (3)"
    assert lines[1] == "  Irena Valdis  valdis · 1 passage"
    assert "  Irena Valdis  title · in 2 passages" in lines[lines.index("documents (3)") + 4 :]
    assert "documents" not in browse(small_file, "vald", "--entities").stdout
    assert "entities" not in browse(small_file, "vald", "--documents").stdout


def test_what_is_left_out_is_said(small_file: Path) -> None:
    assert "… and 7 more; --offset 5 goes on" in browse(small_file, "--documents", "--limit", "5").stdout
    found = json.loads(browse(small_file, "--documents", "--limit", "5", "--offset", "10", "--json").stdout)
    assert (found["documents"]["total"], len(found["documents"]["list"])) == (12, 2)


def test_a_neighbourhood_is_printed_and_given_as_json(small_file: Path) -> None:
    lines = browse(small_file, "Irena", "Valdis", "--around").stdout.splitlines()
    assert lines[0] == "Irena Valdis  title · in 2 passages"
    assert "└─ The Glass Harbour silent film directed by → it" in lines
    found = json.loads(browse(small_file, "irena valdis", "--around", "--json").stdout)
    assert found["entity"]["name"] == "Irena Valdis"
    assert [one["key"] for one in found["documents"]] == ["valdis"]
    assert found["facts_to"]["list"][0]["head_name"] == "The Glass Harbour"


def test_a_document_is_read(small_file: Path) -> None:
    assert (
        "Karsk is a village on the river Oder. Its mill burned down in 1911."
        in browse(small_file, "karsk", "--read").stdout
    )
    found = json.loads(browse(small_file, "Karsk", "--read", "--json").stdout)
    assert found["key"] == "karsk"
    assert [one["ordinal"] for one in found["texts"]] == [0]


def test_what_is_wrong_is_one_line(small_file: Path, tmp_path: Path) -> None:
    for arguments, message, code in (
        ((small_file, "--around"), "--around needs a name", 2),
        ((small_file, "nobody", "--around"), "no entity is called 'nobody'", 2),
        ((small_file, "nothing", "--read"), "there is no document 'nothing'", 2),
        ((tmp_path / "none.clew",), "there is no file", 3),
    ):
        result = browse(*arguments)  # type: ignore[arg-type]
        assert result.exit_code == code
        assert message in result.stderr
        assert result.stderr.count("\n") == 1
