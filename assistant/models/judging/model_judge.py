"""The judgements inside the techniques, put to a language model in as few requests as they need.

Every answer is checked before it counts and kept once it has been; where there is none, the offline judgement stands
in. What a model is shown of the knowledge base is data, and what it gives back can only pick, score or name.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from assistant.models.budget import Meter
from assistant.models.calling.rungs import Rungs
from assistant.models.judging import data, parsing
from assistant.models.judging.cache import JudgementCache, note
from assistant.models.judging.one_judgement import SECONDS, Asker, Malformed, Reader, Value, version
from kb.records import Entity, Passage, Triple, answer_key
from kb.store.knowledge_base import KnowledgeBase
from tools.judgements.judge import Choice, Concept, Edge
from tools.judgements.offline_judge import OfflineJudge
from tools.search.word_match import stems

if TYPE_CHECKING:
    from pydantic_ai.models import Model

T = TypeVar("T")

EDGE_BYTES = 5_000
"""Of the edges of one question that a model scores, some thirty of up to 75; they are those that score best offline."""
FRONTIER_BYTES = 3_000
"""Of the facts that are filtered, or offered at a hop, closest to the question first: some forty."""
FOUND_FACTS = 5
"""Facts found beforehand that edges are scored with: as many as a walk starts from."""
KNOWN_FACTS = 12
"""Facts of a graph that are shown as known, the last ones."""
ANSWERS = 5
"""Known answers that paths are judged by; more are other spellings of one."""
ENTITY_BYTES = 900
"""Of an entity's facts in a summary's request: twenty or so."""
SUMMARY_BYTES = 4_000
"""Of all facts in a request for summaries: four or five entities. The others are judged by the facts closest to the
question, and summarised when a later question meets them."""

_NAMES = {
    "concepts": "concepts",
    "facts": "choice of facts",
    "edges": "scores of edges",
    "choice": "choice of the next facts",
    "summaries": "summaries of entities",
    "paths": "choice of paths",
}


class ModelJudge:
    """A `tools.judgements.judge.Judge` for one question, whose judgements come from `model`, which lives in `loop`.

    Its methods are called in the knowledge base's thread and wait there; a context manager, to be left in the loop when
    the question has ended, however it has: then nothing waits any more. `name` is the model's, for the cache; `rungs`
    has what its server is known to take; `meter` tells what a judgement may cost. What the answer's reader should know
    is added to `notes`, one sentence for each kind of judgement. `used` has every judgement of the model that counted,
    asked for now or kept, by key.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        model: Model,
        *,
        name: str,
        loop: asyncio.AbstractEventLoop,
        cache: JudgementCache,
        notes: list[str],
        meter: Meter | None = None,
        rungs: Rungs | None = None,
        seconds: float = SECONDS,
    ) -> None:
        self.used: dict[str, Value] = {}
        self._offline = OfflineJudge(kb)
        self._name, self._cache, self._notes = name, cache, notes
        self._asker = Asker(model, loop, self._failed, meter, rungs, seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def failure(self) -> str:
        """What the model failed with, for the reader, to stand after its name; "" where it answered."""
        return self._asker.failure

    def stop(self) -> None:
        """Let go of what is being waited for; all judgements from now on are the offline ones. From any thread."""
        self._asker.stop()

    # -- the judgements -----------------------------------------------------------------------------------------------

    def concepts(self, question: str, passages: Sequence[Passage]) -> tuple[Concept, ...]:
        """As `Judge.concepts`."""
        judged = self._concepts(question, passages)
        return judged[0] if judged else self._offline.concepts(question, passages)

    def is_answered(self, question: str, passages: Sequence[Passage]) -> bool:
        """As `Judge.is_answered`; asked together with the concepts, which are wanted where it is not."""
        judged = self._concepts(question, passages) if passages else None
        return judged[1] if judged else self._offline.is_answered(question, passages)

    def filter_facts(self, question: str, facts: Sequence[Triple]) -> tuple[int, ...]:
        """As `Judge.filter_facts`."""
        if not facts:
            return ()
        lines = [data.fact_line(fact) for fact in facts]
        shown = data.fitting(lines, FRONTIER_BYTES)

        def read(value: Value) -> tuple[int, ...]:
            return parsing.read_numbers(value, "helpful", shown)

        helpful = self._judged("facts", data.asked(question, data.numbered(lines[:shown])), read)
        if helpful is None:
            return self._offline.filter_facts(question, facts)
        rest = self._offline.filter_facts(question, facts[shown:])
        return (*(fact.id for at, fact in enumerate(facts[:shown]) if at in helpful), *rest)

    def score_edges(self, question: str, edges: Sequence[Edge], facts: Sequence[Triple] = ()) -> tuple[float, ...]:
        """As `Judge.score_edges`: the model's scores of those that look best, the offline ones of the rest.

        An edge is kept by itself, so that one that comes again among others is not asked about again.
        """
        offline = self._offline.score_edges(question, edges, facts)
        order = sorted(range(len(edges)), key=lambda at: (-offline[at], at))
        lines = [data.edge_line(edges[at]) for at in order]
        about = tuple(f"Fact: {data.fact_line(fact)}" for fact in facts[:FOUND_FACTS])
        items = _Items(
            "edges",
            lines,
            EDGE_BYTES,
            question,
            "scores",
            lambda value, told: parsing.read_scores(value, len(told)),
            about,
        )
        scores = list(offline)
        for place, score in self._each(items).items():
            scores[order[place]] = score
        return tuple(scores)

    def choose_facts(self, question: str, known: Sequence[Triple], frontier: Sequence[Triple], most: int) -> Choice:
        """As `Judge.choose_facts`."""
        met = {fact.id for fact in known}
        fresh = list({fact.id: fact for fact in frontier if fact.id not in met}.values())
        lines = [data.fact_line(fact) for fact in fresh]
        shown = data.fitting(lines, FRONTIER_BYTES)
        about = "".join(f"Known: {data.fact_line(fact)}\n" for fact in known[-KNOWN_FACTS:])

        def read(value: Value) -> Choice:
            picked = parsing.read_numbers(value, "facts", shown)[: max(most, 0)]
            return Choice(tuple(fresh[at].id for at in picked), parsing.read_enough(value))

        asked = data.asked(question, [*about.splitlines(), *data.numbered(lines[:shown])])
        choice = self._judged("choice", asked, read) if fresh and most > 0 else None
        return choice or self._offline.choose_facts(question, known, frontier, most)

    def summarise(self, entities: Sequence[Entity], facts: Sequence[Sequence[Triple]], most: int) -> tuple[str, ...]:
        """As `Judge.summarise`: the model's where it has made one of these facts, or makes it now."""
        pairs = zip(entities, facts, strict=True)
        lines = [data.entity_line(entity, of, ENTITY_BYTES) if of else "" for entity, of in pairs]
        places = [at for at, line in enumerate(lines) if line]
        items = _Items(
            "summaries", [lines[at] for at in places], SUMMARY_BYTES, "", "summaries", parsing.read_summaries
        )
        summaries = list(self._offline.summarise(entities, facts, most))
        for place, summary in self._each(items).items():
            summaries[places[place]] = summary
        return tuple(summaries)

    def sensible_paths(
        self, question: str, answers: Sequence[str], paths: Sequence[Sequence[Triple]]
    ) -> tuple[int, ...]:
        """As `Judge.sensible_paths`."""
        lines = [data.path_line(path) for path in paths]
        shown = data.fitting(lines, FRONTIER_BYTES)
        about = [f"Answer: {data.cleaned(one, data.FACT)}" for one in answers[:ANSWERS]]

        def read(value: Value) -> tuple[int, ...]:
            return parsing.read_numbers(value, "sensible", shown)

        asked = data.asked(question, [*about, *data.numbered(lines[:shown])])
        sensible = self._judged("paths", asked, read) if shown else None
        if sensible is None:
            return self._offline.sensible_paths(question, answers, paths)
        rest = self._offline.sensible_paths(question, answers, paths[shown:])
        return (*sorted(sensible), *(shown + at for at in rest))

    # -- asking and keeping -------------------------------------------------------------------------------------------

    def _concepts(self, question: str, passages: Sequence[Passage]) -> tuple[tuple[Concept, ...], bool] | None:
        """The concepts, and whether the passages answer already."""
        if not stems(question):
            return None
        lines = [data.passage_data(passage) for passage in passages]

        def read(value: Value) -> tuple[tuple[Concept, ...], bool]:
            answered = parsing.read_numbers(value, "answered_by", len(lines))
            return parsing.read_concepts(value, question, lines), bool(answered)

        return self._judged("concepts", data.asked(question, data.numbered(lines)), read)

    def _judged(self, kind: str, asked: str, read: Reader[T]) -> T | None:
        """A judgement that was kept, else the model's, which is; None where there is neither."""
        content, key = self._key(kind, asked)
        for value in self._cache.get([key]).values():
            with suppress(Malformed):
                judgement = read(value)
                self.used[key] = value
                return judgement
        answer = self._asker.ask(kind, asked, read)
        if answer is None:
            return None
        self._keep(kind, {content: answer.value}, answer.tokens)
        return answer.judgement

    def _each(self, items: _Items[T]) -> dict[int, T]:
        """Judgements by place, as far as there are any: those that were kept, and those of one request for the rest."""
        keys = [self._key(items.kind, items.asked([place])) for place in range(len(items.lines))]
        kept = self._cache.get([key for _, key in keys])
        found: dict[int, T] = {}
        for place, (_, key) in enumerate(keys):
            if key in kept:
                with suppress(Malformed):
                    found |= items.read(kept[key], [place])
                    self.used[key] = kept[key]
        missing = [place for place in range(len(keys)) if place not in found]
        missing = missing[: data.fitting([items.lines[place] for place in missing], items.most)]
        if not missing:
            return found
        answer = self._asker.ask(items.kind, items.asked(missing), lambda value: items.read(value, missing))
        if answer is not None:
            alone = {keys[place][0]: {items.field: {"1": judged}} for place, judged in answer.judgement.items()}
            self._keep(items.kind, alone, answer.tokens)
            found |= answer.judgement
        return found

    def _keep(self, kind: str, judged: Mapping[str, Value], tokens: tuple[int, int]) -> None:
        self.used |= {answer_key(kind, content, self._name, version(kind)): value for content, value in judged.items()}
        self._cache.put(kind, self._name, version(kind), judged, tokens)
        if self._cache.trouble and (told := note(self._cache.trouble)) not in self._notes:
            self._notes.append(told)

    def _key(self, kind: str, asked: str) -> tuple[str, str]:
        """What a judgement is about, and its key; both the same in any file that holds the same text."""
        content = hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()
        return content, answer_key(kind, content, self._name, version(kind))

    def _failed(self, kind: str, how: str) -> None:
        told = f"the model's {_NAMES[kind]} {how}, so clew judged for itself"
        if told not in self._notes:
            self._notes.append(told)


@dataclass(frozen=True, slots=True)
class _Items(Generic[T]):
    """Lines that are judged one by one, though asked about together, in at most `most` bytes.

    The model answers with an object of judgements by number under `field`; `reads` makes them of it, by place, given
    the lines that were asked about. `about` are lines that go before them, whichever are asked about.
    """

    kind: str
    lines: Sequence[str]
    most: int
    question: str
    field: str
    reads: Callable[[Value, Sequence[str]], Mapping[int, T]]
    about: Sequence[str] = ()

    def asked(self, places: Sequence[int]) -> str:
        """What the model is shown for these lines."""
        return data.asked(self.question, [*self.about, *data.numbered([self.lines[place] for place in places])])

    def read(self, value: Value, places: Sequence[int]) -> dict[int, T]:
        """Judgements by place among all lines. Raises Malformed."""
        judged = self.reads(value, [self.lines[place] for place in places])
        return {places[at]: one for at, one in judged.items()}
