"""GGUF files in the folders of other programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from assistant.commands.cli import main
from assistant.models.local import files
from assistant.models.local.files import file_bytes, model_files, readable, usual_folders


def gguf(path: Path, size: int = 1_000) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"GGUF".ljust(size))
    return path


def names(folder: Path) -> list[str]:
    return [one.name for one in model_files({"X": folder})]


def test_hugging_faces_cache_has_links_to_its_own_files(tmp_path: Path) -> None:
    repository = tmp_path / "models--org--name"
    blob = gguf(repository / "blobs" / "abc")
    snapshot = repository / "snapshots" / "1" / "small-q4.gguf"
    snapshot.parent.mkdir(parents=True)
    snapshot.symlink_to(blob)
    (one,) = model_files({"Hugging Face": tmp_path})
    assert (one.path, one.name, one.place, one.size) == (snapshot, "small-q4.gguf", "Hugging Face", 1_000)


def test_ollamas_files_have_the_names_that_people_use(tmp_path: Path) -> None:
    digest = "sha256:" + "0a" * 32
    blob = gguf(tmp_path / "blobs" / digest.replace(":", "-"))
    note = tmp_path / "manifests" / "registry.ollama.ai" / "library" / "qwen2.5" / "1.5b"
    note.parent.mkdir(parents=True)
    layers = [
        {"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:" + "1" * 64},
        {"mediaType": "application/vnd.ollama.image.model", "digest": digest},
    ]
    note.write_text(json.dumps({"layers": layers}))
    (note.parent / "broken").write_text("{")
    (note.parent / "elsewhere").write_text(json.dumps({"layers": [{**layers[1], "digest": "../../secret"}]}))
    (one,) = model_files({"Ollama": tmp_path})
    assert (one.name, one.path) == ("qwen2.5:1.5b", blob)


def test_no_link_leads_out_of_a_folder(tmp_path: Path) -> None:
    outside = gguf(tmp_path / "outside" / "big.gguf")
    folder = tmp_path / "models"
    gguf(folder / "in.gguf")
    (folder / "link.gguf").symlink_to(outside)
    (folder / "folder").symlink_to(outside.parent)
    assert names(folder) == ["in.gguf"]


def test_what_is_no_model_is_left_out(tmp_path: Path) -> None:
    gguf(tmp_path / "a" / "model.gguf")
    gguf(tmp_path / "a" / "mmproj-f16.gguf")
    (tmp_path / "page.gguf").write_text("<html>")
    (tmp_path / "part.gguf").mkdir()
    gguf(tmp_path / "other.bin")
    assert names(tmp_path) == ["model.gguf"]
    assert model_files({"X": tmp_path / "none"}) == []


def test_a_split_model_is_one_with_the_size_of_all_its_parts(tmp_path: Path) -> None:
    first, *_ = [gguf(tmp_path / f"big-0000{part}-of-00003.gguf", 500) for part in (1, 2, 3)]
    assert names(tmp_path) == [first.name]
    assert file_bytes(first) == 1_500


def test_the_search_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path.joinpath(*"abcdefghi") / "deep.gguf"
    gguf(deep)
    gguf(tmp_path / "a" / "near.gguf")
    assert names(tmp_path) == ["near.gguf"]
    monkeypatch.setattr(files, "ENTRIES", 0)
    assert names(tmp_path) == []


def test_the_folders_are_where_their_programs_are_told_to_keep_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("OLLAMA_MODELS", "/big/ollama")
    monkeypatch.setenv("HF_HOME", "/big/hf")
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    folders = usual_folders()
    assert (folders["Ollama"], folders["Hugging Face"]) == (Path("/big/ollama"), Path("/big/hf/hub"))


def test_sizes_for_people() -> None:
    assert [readable(size) for size in (98_362_432, 1_117_320_768)] == ["98 MB", "1.1 GB"]


def test_the_doctor_lists_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = gguf(tmp_path / "lm" / "small.gguf", 2_000_000)
    monkeypatch.setattr(files, "usual_folders", lambda: {"LM Studio": tmp_path / "lm"})
    result = CliRunner().invoke(main, ["doctor", "--json"])
    checks = json.loads(result.stdout)["checks"]
    assert [one["says"] for one in checks if one["what"] == "model file"] == [f"small.gguf, 2 MB, LM Studio: {path}"]
