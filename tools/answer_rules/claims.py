"""Whether the passages say of a thing what a question claims of it: "both are film directors", "which is American"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tools.answer_rules.countries import country_of, is_demonym
from tools.answer_rules.docs import Doc, Evidence
from tools.answer_rules.places import topic_countries
from tools.answer_rules.text import content_stems, name_score, stem, words
from tools.answer_rules.walk import Chain, Step
from tools.planning.plan import Constraint

# Words of a claim that say how it is put, not what it says.
_EMPTY = frozenset(stem(word) for word in "type kind same known called described considered all two each".split())
# Letters by which words of a claim and of a text are held to be the same: "Africa" and "African".
_PREFIX = 6


@dataclass(frozen=True, slots=True)
class Claim:
    """What was found about a claim: the share of its words that hold (0..1), and the passage that says so."""

    option: str
    share: float
    chain: Chain
    sure: float

    @property
    def holds(self) -> bool:
        return self.share >= 0.99


def claims_hold(evidence: Evidence, option: str, claims: Sequence[Constraint]) -> Claim:
    """How much of what is claimed of an option its passages say; a chain with a missing step where it has none."""
    about = [pair for pair in evidence.about(option) if not pair[0].is_talk]
    if not about or not claims:
        claimed = claims[0] if claims else Constraint(option, "is", "")
        return Claim(option, 0.0, Chain((Step(claimed, "", None, option),)), 0.0)
    doc = about[0][0]
    shares = [max(_share(one, _claimed(option, claim)) for one, _ in about) for claim in claims]
    share = min(shares)
    at = max(0, doc.copula)
    step = Step(claims[0], "", doc.found(at, min(len(doc.text), at + 40), share), option)
    return Claim(option, share, Chain((step,), score=share), 0.3 + 0.4 * abs(2 * share - 1))


def _claimed(option: str, claim: Constraint) -> str:
    """The words of a claim beside the option: its other end, or its relation where that is all there is."""
    ends = [end for end in (claim.head, claim.tail) if end and name_score(end, option) < 0.7]
    return " ".join(ends) or claim.relation


def _share(doc: Doc, claimed: str) -> float:
    """The share of the claimed words that the start of a passage says; a nationality holds by its country."""
    held, total = 0, 0
    start = {one[:_PREFIX] for one in frozenset[str]().union(*doc.sentence_stems[:3])}
    countries = {country_of(one.text) for one in topic_countries(doc) if one.score >= 0.5}
    for word in dict.fromkeys(words(claimed)):
        if is_demonym(word):
            total += 1
            held += country_of(word) in countries
        elif content_stems(word) and stem(word) not in _EMPTY:
            total += 1
            held += stem(word)[:_PREFIX] in start
    return held / total if total else 0.0


def likelier(evidence: Evidence, options: Sequence[str], question: str) -> tuple[str, Step | None]:
    """The option whose passage shares more of the question's other words; "" where two share as many or none any."""
    wanted = set(content_stems(question)) - {one for option in options for one in content_stems(option)}
    scored: list[tuple[float, str, Doc]] = []
    for option in options:
        about = evidence.about(option)
        if about:
            scored.append((len(wanted & about[0][0].stems), option, about[0][0]))
    scored.sort(key=lambda entry: -entry[0])
    if not scored or scored[0][0] == 0 or (len(scored) > 1 and scored[0][0] == scored[1][0]):
        return "", None
    _, option, doc = scored[0]
    constraint = Constraint(option, "is", " ".join(sorted(wanted & doc.stems)))
    return option, Step(constraint, "", doc.as_found, option)
