"""The whole of `clew bench`: folders in; tables, figures and a manifest out."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assistant.evaluation.bench import figures, manifest
from assistant.evaluation.bench.folder_run import FolderBench, Progress
from assistant.evaluation.bench.folders import DataFolder, read_folders
from assistant.evaluation.bench.report import markdown
from assistant.evaluation.bench.stages import StageFolder, slug, write_whole
from assistant.evaluation.bench.tables import FolderResult, to_json
from assistant.evaluation.significance import RESAMPLES, SEED
from assistant.shared.model_choice import ModelChoice
from kb.errors import NotAKnowledgeBase, UsageError, WriteError
from tools.registry import preset_techniques


@dataclass(frozen=True, slots=True)
class Options:
    """What to measure: parts, at most so many questions of a folder, damaged copies for each point, a knowledge base
    (or a folder with one for each data folder, NAME.clew) to be used instead of building, presets of techniques, and
    the model that judges inside them.
    """

    parts: Sequence[str]
    limit: int | None = None
    seeds: int = 3
    kb_path: Path | None = None
    presets: Sequence[str] = ()
    judge: ModelChoice = field(default_factory=ModelChoice)


@dataclass(slots=True)
class Report:
    """The results by folder, what was left out, and the names of the files written."""

    folders: list[FolderResult]
    notes: list[str]
    files: list[str]

    def to_json(self) -> dict[str, Any]:
        """As in results.json."""
        return {"folders": to_json(self.folders), "notes": self.notes}


def run_bench(path: Path, out: Path, options: Options, progress: Progress) -> Report:
    """Measure the folder, or folders, at `path` into `out`.

    Everything that can be refused is refused before anything is measured. Raises UsageError for unusable data or
    options, BadFileError for an unusable knowledge base, WriteError where `out` cannot be written.
    """
    figures.require_matplotlib()
    preset_techniques(options.presets)
    started, clock = datetime.now(UTC), time.perf_counter()
    folders, notes = read_folders(path, options.limit)
    paths = [_kb_of(folder, len(folders), options.kb_path) for folder in folders]
    _prepare(out, [path, *(folder.path for folder in folders)])
    about, environment = manifest.clew(), manifest.environment()
    stages = StageFolder(out / "stages", {"code": about["code"], **environment})
    benches = [
        FolderBench(folder, out, stages, kb_path, options.seeds, progress, options.presets, options.judge)
        for folder, kb_path in zip(folders, paths, strict=True)
    ]
    for bench in benches:
        bench.prepare()
    report = Report([bench.run(options.parts) for bench in benches], notes, [])
    _write(out, "results.json", _json(report.to_json()), report)
    _write(out, "results.md", markdown(report.folders, notes).encode("utf-8", "replace"), report)
    for result in report.folders:
        for name, data in figures.draw_all(result):
            _write(out, f"{slug(result.name)}-{name}", data, report)
    told = {
        "clew": about,
        **environment,
        **_inputs(benches, options),
        "models": manifest.model_files(),
        "started": started.isoformat(timespec="seconds"),
        "seconds": round(time.perf_counter() - clock, 3),
        "stages": [{"name": one.name, "seconds": round(one.seconds, 3), "reused": one.reused} for one in stages.done],
    }
    _write(out, "manifest.json", _json(told), report)
    return report


def _inputs(benches: Sequence[FolderBench], options: Options) -> dict[str, Any]:
    return {
        "options": {
            "parts": list(options.parts),
            "limit": options.limit,
            "seeds": options.seeds,
            "presets": list(options.presets),
            "judge": options.judge.title,
            "kb": options.kb_path.name if options.kb_path else None,
        },
        "seeds": {"bootstrap": SEED, "bootstrap_resamples": RESAMPLES, "damage": list(range(options.seeds))},
        "inputs": {bench.folder.name: dict(bench.folder.hashes) for bench in benches},
        "knowledge_bases": {bench.folder.name: _kb_facts(bench) for bench in benches},
    }


def _kb_of(folder: DataFolder, count: int, path: Path | None) -> Path | None:
    if path is None:
        return None
    if path.is_dir():
        found = path / f"{folder.name}.clew"
        if not found.is_file():
            raise NotAKnowledgeBase(f"there is no {found.name!r} in {str(path)!r}; build it, or leave out --kb")
        return found
    if count > 1:
        raise UsageError(
            f"{str(path)!r} is one file for {count} data folders; name a folder with NAME.clew for each with --kb"
        )
    return path


def _prepare(out: Path, inputs: Sequence[Path]) -> None:
    if any(out.resolve() == one.resolve() for one in inputs):
        raise UsageError(f"-o {str(out)!r} is a folder that is read here; name another one for the results")
    if out.exists() and not out.is_dir():
        raise UsageError(f"-o {str(out)!r} is a file; name a folder for the results")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"{str(out)!r} cannot be made ({error.strerror or error})") from error
    write_whole(out / "stages" / "README", b"What clew bench has measured, to be used again; may be deleted.\n")


def _kb_facts(bench: FolderBench) -> dict[str, Any]:
    return {
        "fingerprint": bench.fingerprint,
        "passages": bench.result.passages,
        "entities": bench.entities,
        "triples": bench.triples,
    }


def _write(out: Path, name: str, data: bytes, report: Report) -> None:
    write_whole(out / name, data)
    report.files.append(name)


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")
