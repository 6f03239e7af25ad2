"""The columns that a question asks for without their names: "How many ...", "Where ... from", "Who was at ..."."""

from __future__ import annotations

import re

from tools.answer_rules.text import content_stems

# Beginnings of questions for who is in a group or was at a meeting, and for who was away from one.
WHO_IS_IN = (
    r"^who (?:all )?(?:(?:is|are|was|were|sits?|works?|belongs?)\s+"
    r"(?:(?:all|the|there|present|part|members?|everyone|a)\s+)*(?:in|on|at|to|of)\b"
    r"|(?:attended|came to|took part in)\b)"
)
_WORDS_OF_BEING = (
    "be sit work belong part there everyone everybody else team group member members present attend attended came took "
    "meeting"
)
WHO_IS_AWAY = (
    r"^who (?:all )?(?:(?:is|are|was|were)\s+(?:absent|away|missing|excused|not\s+(?:there|present|in|at))\b"
    r"|(?:is|was|were)n['’]t\s+(?:there|present|in|at)\b|missed\b|did(?: not|n['’]t)\s+(?:attend|come to)\b"
    r"|could(?: not|n['’]t)\s+(?:attend|come|make it|be (?:there|at))\b|(?:sent|gave)\s+(?:\w+\s+)?apolog)"
)
_WORDS_OF_ABSENCE = (
    "absent away missing excused there present missed attend come make sent gave apologies apology meeting"
)
OF_A_MEETING = re.compile(
    rf"{WHO_IS_AWAY}|^who (?:all )?(?:attended|came to|took part in|was at|were at)\b", re.IGNORECASE
)
MEETING = frozenset(content_stems("meeting session last latest"))
PRESENT = frozenset(content_stems(_WORDS_OF_BEING))
EXPECTED = tuple(
    (re.compile(said, re.IGNORECASE), frozenset(content_stems(columns)), frozenset(content_stems(besides)))
    for said, columns, besides in (
        (WHO_IS_AWAY, "apologies apology apols sorry absent absentees regrets excused away", _WORDS_OF_ABSENCE),
        (r"\bhow many\b", "quantity number count qty amount stock copies total", "own got there hold keep left"),
        (
            r"\bhow much (?:is|are|was|were|do|does|did|for)\b|\b(?:cost|price)s?\b|\bpay for\b|\bcome to$",
            "price cost fee amount fare rate charge",
            "cost price pay each per buy come bill charge",
        ),
        (r"\bhow heavy\b|\bhow much (?:does|do|did) .+ weigh\b", "weight mass kg", "weigh heavy weight"),
        (r"\bhow old\b|\b(?:what|which) age\b", "age", "old age"),
        (r"\bhow (?:tall|high)\b", "height", "tall high"),
        (r"\bhow far\b", "distance km miles", "far away go"),
        (r"\bhow fast\b", "speed", "fast go drive run sail travel"),
        (r"\bhow deep\b", "depth", "deep"),
        (r"\bhow wide\b", "width breadth", "wide"),
        (r"\bhow thick\b", "thickness", "thick"),
        (r"\bhow (?:hot|cold|warm)\b", "temperature temp", "hot cold warm get become"),
        (r"\bhow (?:big|large)\b", "size area", "big large"),
        (
            r"\b(?:where|who|which shop).*\bfrom\b|^from (?:whom|where|which (?:firm|company|shop|supplier))\b",
            "supplier source shop dealer vendor origin seller",
            "come buy bought order whom",
        ),
        (
            r"^where\b(?!.*\bfrom\b)",
            "place location room venue address shelf desk office building base town city",
            "find kept keep stored live stand sit work based",
        ),
        (
            r"^who (?:looks? after|minds?|takes? care of|(?:is|are) (?:responsible for|in charge of))\b",
            "minder responsible keeper carer lead owner",
            "look after mind take care responsible charge",
        ),
        (
            r"^(?:who|which (?:firm|company|shop|supplier)) (?:delivers?|supplies|sells?)\b",
            "supplier dealer source vendor seller shop mill",
            "deliver supply supplies sell firm company",
        ),
        (r"^(?:(?:on|at) )?(?:which|what) days? (?:do|does)\b.*\bwork\b", "days day hours shift", "work day"),
        (
            WHO_IS_IN,
            "members member present attendance attendees attending participants crew",
            _WORDS_OF_BEING,
        ),
        (r"^how long\b", "length duration", "take takes last"),
        (r"^when\b", "date day when deadline due", "take place happen held"),
    )
)
"""What a question says that asks so, the columns that tell it, and what such a question says besides."""
