"""The benchmark of how building and asking grow: what it keeps, and what it draws."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import scale
from benchmarks.scale_plot import draw, lines, refuse_undrawable
from kb import build as building
from kb.build import build
from kb.records import Document
from kb.store import deriving
from kb.store.writer import Writer

BUILT = {"passages a second": 300.0, "MB of file": 80.0, "MB of memory": 400}


def test_a_knowledge_base_that_is_not_built_to_its_end_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note, path = tmp_path / "note.md", tmp_path / "a.clew"
    note.write_text("# Ovens\n\nOvens are hot.\n", "utf-8")
    assert not scale.is_whole(path)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "optimize", killed)
        with pytest.raises(KeyboardInterrupt):
            build([str(note)], path)
    assert not scale.is_whole(path)
    build([str(note)], path)
    assert scale.is_whole(path)


def test_copies_are_built_with_what_was_learnt_of_the_originals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (building, deriving):
        monkeypatch.setattr(module, "load_embedder", module.load_embedder)  # put back when the test ends
    texts = ("Ada Moor was born in Lindholm.", "Lindholm is a town in England.")
    originals = [Document(text, text[:8], text, "", "") for text in texts]
    scale.write_corpus(tmp_path, originals, 2)
    assert scale.learn(tmp_path, 2, 0)["passages"] == 2
    scale.write_corpus(tmp_path, originals, 6)
    figures = scale.build(tmp_path, 6, 0)
    assert (figures["passages"], figures["vectors drawn"]) == (6, 0)


def test_figures_of_a_size_are_kept_step_by_step(tmp_path: Path) -> None:
    scale.keep(tmp_path, 100, "build", BUILT)
    scale.keep(tmp_path, 100, "cold", {"clew ask s": 2.0, "MB of memory": 300})
    assert scale.kept(tmp_path, 100)["build"] == BUILT
    assert lines({100: scale.kept(tmp_path, 100), 200: {}})["most memory, MB"] == {
        "build": [(100, 400)], "clew ask": [(100, 300)], "session": [],
    }  # fmt: skip


def test_a_plot_of_some_sizes_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    draw({100: {"build": BUILT}, 1000: {"build": BUILT}}, tmp_path / "scale.svg")
    assert (tmp_path / "scale.svg").read_text("utf-8").count('<g id="axes_') == 4
    with pytest.raises(SystemExit, match=r"a \.png or a \.svg"):
        refuse_undrawable(tmp_path / "scale.pdf")
