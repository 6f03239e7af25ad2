"""All measurements of a folder of benchmark data, in order, each kept as soon as it is done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.evaluation.bench.ablations import ABLATIONS
from assistant.evaluation.bench.damaged_copies import RHOS, SCOPES, Around, Scope, damage_runners, spoilt_copy
from assistant.evaluation.bench.folders import CORPUS, DataFolder
from assistant.evaluation.bench.measure import (
    Outcome,
    Runner,
    agent_runner,
    finder,
    judged_runners,
    measure,
    technique_runners,
)
from assistant.evaluation.bench.stages import StageFolder, digest, slug
from assistant.evaluation.bench.tables import Damaged, FolderResult, ablation, choices, damaged, quality
from assistant.models.judging.one_judgement import version
from assistant.models.judging.schemas import SCHEMAS
from assistant.shared.model_choice import ModelChoice
from kb.build import Progress as BuildProgress
from kb.build import build
from kb.errors import UsageError
from kb.store.damage import MODES, Mode
from kb.store.fingerprint import fingerprint
from kb.store.knowledge_base import KnowledgeBase

Where = tuple[Scope, Around | None]

Progress = Callable[[str, int, int], None]
"""Told the stage, the questions done and their number."""


@dataclass(slots=True)
class FolderBench:
    """The measurements of one folder.

    Techniques that have `presets` of these names are measured with them besides, those that make judgements with
    `judge`, unless it is the offline model.
    `kb_path` is a knowledge base that is there already, or None to have one built in `work`. `seeds` is the number of
    damaged copies for each mode, scope and rho.
    """

    folder: DataFolder
    work: Path
    stages: StageFolder
    kb_path: Path | None
    seeds: int
    progress: Progress
    presets: Sequence[str] = ()
    judge: ModelChoice = field(default_factory=ModelChoice)
    fingerprint: str = ""
    entities: int = 0
    triples: int = 0
    result: FolderResult = field(init=False)
    path: Path = field(init=False)

    def __post_init__(self) -> None:
        # Named after the corpus as well: another one of the same folder name must not be mixed into what is there.
        name = f"{slug(self.folder.name)}-{self.folder.hashes[CORPUS][:12]}.clew"
        self.path = self.kb_path or self.work / "knowledge-bases" / name
        self.result = FolderResult(
            self.folder.name,
            0,
            len(self.folder.questions),
            len(self.folder.with_supporting),
            len(self.folder.with_answers),
            list(self.folder.notes),
        )

    def run(self, parts: Sequence[str]) -> FolderResult:
        """Measure the parts, of "quality", "ablations" and "damage", once prepared. Raises BadFileError, WriteError."""
        if "quality" in parts:
            self._quality()
        if "ablations" in parts:
            self._ablations()
        if "damage" in parts:
            self._damage()
        return self.result

    def prepare(self) -> None:
        """Build the knowledge base, or open the one that is there, and hold the gold against it.

        Raises UsageError where it is of other data, BadFileError, WriteError.
        """
        if self.kb_path is None:
            self.stages.timed(f"{self.folder.name} build", self._build)
        with KnowledgeBase.open(self.path) as kb:
            info = kb.info()
            known = {key for key, *_ in kb.documents()}
        if not info.complete:
            self.result.notes.append("the knowledge base is not finished: a build of it was stopped")
        self.result.passages, self.entities, self.triples = info.passages, info.entities, info.triples
        self.fingerprint = fingerprint(self.path)
        self._check_gold(known)

    def _build(self) -> None:
        def told(step: BuildProgress) -> None:
            self.progress(f"{self.folder.name} {step.stage}", step.done, step.total)

        self.path.parent.mkdir(parents=True, exist_ok=True)
        report = build([str(self.folder.path / CORPUS)], self.path, progress=told)
        corpus = str(self.folder.path / CORPUS)
        self.result.notes += [f"left out: {str(problem).replace(corpus, CORPUS)}" for problem in report.problems]

    def _check_gold(self, known: set[str]) -> None:
        wanted = {one for question in self.folder.questions for one in question.supporting}
        missing = sorted(wanted - known)
        if missing and len(missing) == len(wanted):
            raise UsageError(
                f"{self.folder.name}: none of the {len(wanted)} supporting documents, such as {missing[0]!r}, is in "
                "the knowledge base; do the corpus and the questions belong together?"
            )
        if missing:
            self.result.notes.append(
                f"{len(missing)} of {len(wanted)} supporting documents, such as {missing[0]!r}, are not in the corpus: "
                "they count as not found"
            )

    # -- the parts ----------------------------------------------------------------------------------------------------

    def _quality(self) -> None:
        runners = technique_runners(self.presets)
        runners += [] if self.judge.offline else judged_runners(self.judge, self.presets)
        runners.append(agent_runner())
        if self.folder.plans:
            runners.append(agent_runner(self.folder.plans))
            asked = len(self.folder.questions)
            self.result.notes.append(f"recorded plans are there for {len(self.folder.plans)} of {asked} questions")
        meter = self._meter("quality", runners)
        for runner in runners:
            outcomes = self._measured(runner, self.path, meter)
            if outcomes:
                self.result.quality.append(quality(runner.name, outcomes))
            self._note_judgements(runner.name, outcomes)
            if runner.name == agent_runner().name:
                types = {question.id: question.type for question in self.folder.questions}
                self.result.choices = choices(outcomes, types)
        self._note_errors()

    def _ablations(self) -> None:
        if not self.folder.with_supporting:
            self.result.notes.append("no ablations: no question has supporting documents")
            return
        variants = [
            (method, without, finder(f"{method} without {without}" if without else method, find))
            for method, variants_of in ABLATIONS.items()
            for without, find in variants_of()
        ]
        meter = self._meter("ablations", [runner for *_, runner in variants])
        whole: list[Outcome] = []
        for method, without, runner in variants:
            outcomes = self._measured(runner, self.path, meter)
            whole = whole if without else outcomes
            self.result.ablations.append(ablation(method, without, outcomes, whole))

    def _damage(self) -> None:
        runners = [one for one in damage_runners() if one.asked(self.folder.questions)]
        meter = self._meter("damage", runners, 1 + len(MODES) * len(SCOPES) * len(RHOS) * self.seeds)
        sound = {runner.name: self._measured(runner, self.path, meter) for runner in runners}
        for scope in SCOPES:
            around = scope.around(self.path, self.folder.questions)
            if around is not None and not around[0]:
                self.result.notes.append(f"no damage {scope.name}: the questions name nothing that the graph knows")
                continue
            for mode in MODES:
                self.result.damage += self._damaged(runners, sound, mode, (scope, around), meter)

    def _damaged(
        self, runners: Sequence[Runner], sound: Mapping[str, list[Outcome]], mode: Mode, where: Where, meter: Meter
    ) -> list[Damaged]:
        scope = where[0].name
        rows = [damaged(name, mode, scope, 0.0, [outcomes]) for name, outcomes in sound.items()]
        for rho in RHOS:
            seeds = [self._spoilt(runners, mode, where, rho, seed, meter) for seed in range(self.seeds)]
            rows += [damaged(runner.name, mode, scope, rho, [one[runner.name] for one in seeds]) for runner in runners]
        return rows

    def _spoilt(
        self, runners: Sequence[Runner], mode: Mode, where: Where, rho: float, seed: int, meter: Meter
    ) -> dict[str, list[Outcome]]:
        """The outcomes of all runners on one damaged copy, which is only made where one of them is still to run."""
        scope, around = where
        key = {"mode": mode, "scope": scope.name, "rho": rho, "seed": seed}
        if all(self.stages.holds(*self._key(runner, key)) for runner in runners):
            return {runner.name: self._measured(runner, self.path, meter, key) for runner in runners}
        with spoilt_copy(self.path, self.work, mode, rho, seed, around, mentions=scope.mentions) as path:
            return {runner.name: self._measured(runner, path, meter, key) for runner in runners}

    # -- one measurement ----------------------------------------------------------------------------------------------

    def _measured(
        self, runner: Runner, path: Path, meter: Meter, spoilt: Mapping[str, Any] | None = None
    ) -> list[Outcome]:
        name, key = self._key(runner, spoilt)
        before = meter.done
        outcomes = self.stages.outcomes(
            name, key, lambda: measure(runner, path, self.folder.questions, lambda: meter.add(1))
        )
        if kept := before + len(outcomes) - meter.done:
            meter.add(kept)
        return outcomes

    def _key(self, runner: Runner, spoilt: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
        asked = [(one.id, one.text, one.answers, one.supporting) for one in runner.asked(self.folder.questions)]
        scope_of = [one.text for one in self.folder.questions] if spoilt else []
        plans = {name: [repr(one) for one in plan] for name, plan in self.folder.plans.items()}
        key = {
            "knowledge_base": self.fingerprint,
            "runner": runner.name,
            "questions": digest(asked),
            "plans": digest(plans) if runner.plans else "",
            "damage": {**spoilt, "questions": digest(scope_of)} if spoilt else None,
        }
        if runner.judge is not None:
            key["judge"] = _asked_how(runner.judge)
        how = "-".join(str(value) for value in spoilt.values()) if spoilt else ""
        return " ".join(filter(None, (self.folder.name, runner.name, how))), key

    def _meter(self, part: str, runners: Sequence[Runner], copies: int = 1) -> Meter:
        total = copies * sum(len(runner.asked(self.folder.questions)) for runner in runners)
        return Meter(f"{self.folder.name} {part}", total, self.progress)

    def _note_judgements(self, name: str, outcomes: Sequence[Outcome]) -> None:
        told = [one.notes for one in outcomes if one.notes]
        if told:
            self.result.notes.append(f"{name}: on {len(told)} of {len(outcomes)} questions {'; '.join(told[0])}")

    def _note_errors(self) -> None:
        for row in self.result.quality:
            if row.errors:
                self.result.notes.append(f"{row.technique} failed on {row.errors} of {row.questions} questions")


def _asked_how(judge: ModelChoice) -> str:
    """A digest, as addresses and further fields may hold secrets, of what decides what a judge says."""
    prompts = {kind: version(kind) for kind in SCHEMAS}
    return digest([judge.name, judge.base_url, judge.calling, judge.thinking, dict(judge.extra), prompts])


@dataclass(slots=True)
class Meter:
    """Counts questions towards the total of a part, and tells of it."""

    stage: str
    total: int
    progress: Progress
    done: int = 0

    def add(self, count: int) -> None:
        """That many more are done."""
        self.done += count
        self.progress(self.stage, self.done, self.total)
