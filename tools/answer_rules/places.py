"""What a text says of where things are: countries by adjective, name or address, and the parts of an address."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tools.answer_rules.countries import CountryMention, form_of, is_adjective
from tools.answer_rules.docs import Doc, Evidence, Found
from tools.answer_rules.names import Span
from tools.answer_rules.text import STOP_WORDS, name_score, words

_BORN_LATER = re.compile(r"[\s-]*(?:born|descent|heritage|origin|ancestry|based|roots|extraction|parents)\b")
_LEFT_DEFINITION = re.compile(r"[,;(]|\b(?:by|from|in|of|with|directed|who)\b")
_ADDRESSED = re.compile(r"(?:,|\b(?:in|of|from|the))\s*(?:the\s+)?$")
_SITUATED = re.compile(
    r"\b(?:located|situated|based|headquartered|headquarters|lies|lying|found|set|held|built|home|offices?|campus|"
    r"stands|centered|centred|"
    r"established|founded|formed|born|lived|resides|lives|residing|settled|native|took place|place|part|city|town|"
    r"village|community|"
    r"municipality|county|district|suburb|neighbou?rhood|river|lake|mountain|island|school|university|college|"
    r"station|area|region|"
    r"province|state|territory|airport|company|club|team|band|building|church|settlement|locality|parish|township|"
    r"capital)\b"
    r"(?:[\w\s,'’()-]{0,60}?)\s(?:in|of|at|near|on|within|from)\s+(?:the\s+)?",
)  # fmt: skip
_ADDRESS = re.compile(r",\s(?:[^\d,.;:()]{1,30},\s){0,2}")
# Sorts that a name does not show, or that the table of countries knows.
_SHOWN = frozenset(("state", "country", "city", "town"))
_LINK = re.compile(r"(?:,|,?\s+in|,?\s+of|\s+in\s+(?:the\s+)?[a-z]+(?:ern)?(?:\s+part\s+of)?)\s+(?:the\s+)?")
_SORTS: dict[str, re.Pattern[str]] = {
    "county": re.compile(r"\bCounty\b|^County\b|shire$|\bParish\b|\bBorough\b"),
    "district": re.compile(r"\bDistrict\b|\bMunicipality\b|\bTaluk\b|\bBorough\b|\bCounty\b"),
    "province": re.compile(r"\bProvince\b|\bOblast\b|\bState\b"),
    "region": re.compile(r"\bRegion\b|\bProvince\b|\bOblast\b|\bValley\b|\bCounty\b"),
    "river": re.compile(r"\bRiver\b|\bCreek\b"),
    "island": re.compile(r"\bIslands?\b"),
    "continent": re.compile(r"^(?:(?:North|South|Central)\s+America|Africa|Europe|Asia|Oceania|Antarctica|Australia|"
    "(?:East|West|Southern|"
                            r"South|North|Northern|Southeast|Central|Eastern|Western)\s+(?:Africa|Europe|Asia))$"),
    "range": re.compile(r"\b(?:Range|Mountains|Alps|Hills)\b"),
    "park": re.compile(r"\bPark\b"),
    "ocean": re.compile(r"\b(?:Ocean|Sea)\b"),
}  # fmt: skip


def find_countries(evidence: Evidence, subject: str) -> Iterator[Found]:
    """The country of a subject: from its own passages, else from the words around mentions of it."""
    for doc, certainty in evidence.about(subject):
        yield from (doc.found(one.start, one.end, one.score * (0.4 + 0.6 * certainty)) for one in topic_countries(doc))
    for doc in evidence.docs:
        for start, end in doc.mentions(subject):
            yield from _beside(doc, start, end)


def topic_countries(doc: Doc) -> list[Found]:
    """The country of a passage's topic: by the adjective that defines it, by an address, or by a place inside it."""
    lead_end = doc.sentence_span(max(doc.copula, 0))[1]
    scored = ((mention, _country_score(doc, mention, lead_end)) for mention in doc.countries)
    return [doc.found(mention.start, mention.end, score) for mention, score in scored if score]


def _country_score(doc: Doc, mention: CountryMention, lead_end: int) -> float:
    text = doc.text
    defining = doc.copula >= 0 and doc.copula <= mention.start < lead_end
    near = defining and mention.start - doc.copula < 45 and not _LEFT_DEFINITION.search(text, doc.copula, mention.start)
    if _BORN_LATER.match(text, mention.end, mention.end + 14):
        return 0.6 if near else 0.4
    if mention.form == "adjective":
        return 0.95 if near else 0.55 if defining else 0.3
    if mention.form == "name":
        addressed = defining and _ADDRESSED.search(text[max(0, mention.start - 8) : mention.start])
        return 0.9 if near else 0.85 if addressed else 0.45
    return 0.5 if defining else 0.2


def _beside(doc: Doc, start: int, end: int) -> Iterator[Found]:
    """ "the Norwegian playwright SUBJECT" and "SUBJECT, Minas Gerais, Brazil"."""
    for mention in doc.countries:
        before = doc.text[mention.end : start] if mention.end <= start else None
        if before is not None and mention.form == "adjective" and _describes(before):
            yield doc.found(mention.start, mention.end, 0.75)
        after = doc.text[end : mention.start] if mention.start >= end else None
        if after is not None and mention.form == "name" and _ADDRESS.fullmatch(after[:90]):
            yield doc.found(mention.start, mention.end, 0.75)
        elif mention.form == "name" and doc.sentence_index(mention.start) == doc.sentence_index(start):
            yield doc.found(mention.start, mention.end, 0.4)


def _describes(gap: str) -> bool:
    """Whether what stands between an adjective and a name says only what the named one is: "playwright"."""
    told = words(gap)
    return bool(
        len(gap) < 80
        and re.fullmatch(r"(?:[\s/-]+[a-z]+){1,5}\s[\"“]?", gap)
        and not any(word in STOP_WORDS or word.endswith("ed") for word in told)
    )


def find_locations(evidence: Evidence, subject: str, sort: str) -> Iterator[Found]:
    """Where a subject lies: the part of its address that is of a sort ("county", "state", "city" ...; "" for any)."""
    for doc, certainty in evidence.about(subject):
        for match in _SITUATED.finditer(doc.text):
            chain = _chain(doc, match.end())
            score = (0.9 - 0.04 * min(8, doc.sentence_index(match.start()))) * (0.4 + 0.6 * certainty)
            yield from _picked(doc, chain, sort, score)
    for doc in evidence.docs:
        for _, end in doc.mentions(subject):
            gap = re.match(r",\s+|\s+in\s+(?:the\s+)?|\s*\(", doc.text[end : end + 12])
            if gap:
                yield from _picked(doc, _chain(doc, end + gap.end()), sort, 0.7)


def _chain(doc: Doc, position: int) -> list[Span]:
    """The names of an address that starts at a position, innermost first."""
    names = doc.names_between(position, position + 300)[:5]
    chain: list[Span] = []
    for span in names:
        gap = doc.text[(chain[-1].end if chain else position) : span.start]
        if (chain and not (len(gap) < 60 and _LINK.fullmatch(gap))) or (not chain and len(gap) > 40):
            break
        chain.append(span)
    return chain


def _picked(doc: Doc, chain: Sequence[Span], sort: str, score: float) -> Iterator[Found]:
    for i, span in enumerate(chain):
        text = doc.text[span.start : span.end]
        if is_adjective(text) or name_score(text, doc.topic) >= 0.5:
            continue
        if _is_of(text, sort, i):
            end = span.end
            following = chain[i + 1] if i + 1 < len(chain) else None
            if not sort and following and _is_region(doc, following) and doc.text[end : following.start] == ", ":
                end = following.end
            yield doc.found(span.start, end, score - 0.03 * i)


def _is_of(text: str, sort: str, position: int) -> bool:
    if sort in _SORTS:
        return bool(_SORTS[sort].search(text))
    if sort == "state":
        return form_of(text) == "region"
    if sort == "country":
        return form_of(text) == "name"
    return position == 0


def _is_region(doc: Doc, span: Span) -> bool:
    return form_of(doc.text[span.start : span.end]) in ("name", "region")


def address_part(found: Found, sort: str) -> Found | None:
    """The part of a sort in the address that starts with a find: itself, or a name behind it; None without one."""
    for i, span in enumerate(_chain(found.doc, found.start)):
        if _is_of(found.doc.text[span.start : span.end], sort, i):
            return found.doc.found(span.start, span.end, found.score)
    return None


def sort_of(phrase: str) -> str:
    """The sort of place that a phrase names by its last known word ("?home_county2" gives county), "" for any."""
    told = [word.rstrip("0123456789") for word in words(phrase.replace("_", " "))]
    known = [word for word in told if word in _SORTS or word in _SHOWN]
    return known[-1] if known else ""
