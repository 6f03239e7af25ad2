"""Questions for yes or no as people type them, with the question first: a case is often put before it, or what is asked
has no verb, or the order of a statement.
"""

from __future__ import annotations

import re

from tools.reading.yes_or_no import HELPING

ASKS = r"(?:who|whos|whose|whom|what|which|when|where|why|how)\b"
_IN = r"(?:[^?,.;:]|[.,:](?=\d))"
"""A letter within a clause: "2.8" is one word."""
_SAID = rf"(?P<said>(?:(?!\b{ASKS})[^?])+?)"
_ASKED = (
    rf"(?P<asked>{HELPING} (?!(?:you (?:tell|say|know|remember|look|check|remind)|anyone|someone)\b)"
    rf"(?:(?!\b(?:what|which|whos)\b|\b{ASKS}$|[,–—-] {ASKS}){_IN})+)"
)
_ASKED_IF = re.compile(
    rf"(?P<if>(?:if|when(?! {HELPING}\b)|in case) [^,?]+), (?:then )?(?P<asked>{HELPING} [^?]+)\??", re.I
)
"""A condition and what is asked under it; "When was it built, is it old?" begins with a question of its own."""
_ASKED_UNDER = re.compile(
    rf"(?P<said>(?:if|in case|unless|after|before|without|with|during|since|until|from|for|on|at|in|by|as|under)"
    rf" (?:(?!\b(?:{ASKS}|{HELPING}\b)){_IN})+?) (?!(?:am|need)\b){_ASKED}\?",
    re.I,
)
"""A condition without a comma behind it: "after a power cut does the delayed start survive?"."""
_SAID_FIRST = re.compile(
    rf"(?P<said>(?!{ASKS}|{HELPING}\b)(?:(?!\b{ASKS})[^?])+?) ?[.;,:–—!-]+ +(?:(?:so|and|but|then) )?{_ASKED}\??", re.I
)
"""What is said before it is asked for yes or no: "I have no voucher yet, can I come in?"."""
_TAG = re.compile(
    rf"(?:so |and )?(?P<claim>(?:(?!\b{ASKS})[^?])+?), (?:right|correct|yeah|is that (?:right|so|true)"
    rf"|{HELPING} (?:i|we|you|they|he|she|it|there))\?",
    re.I,
)
"""A statement with a word behind it that asks: "the pond is cleared in August, right?", "…, isn't it?"."""
_JUDGED = (
    r"(?:(?:still|really|always|not|good|quick|far|long|big|old|warm|late|early) )?"
    r"(?:ok|okay|allowed|possible|alright|all right|permitted|acceptable|safe|enough|welcome|compulsory|mandatory"
    r"|forbidden|overdue|worth it|too \w+)"
)
_IS_IT = re.compile(rf"(?P<asked>{_JUDGED} (?:if|to|for|that|when) (?:(?!\b{ASKS})[^?])+)\?", re.I)
"""What is judged behind the word that judges it: "ok if i bring my dog?"."""
_SAID_IS_IT = re.compile(
    rf"{_SAID}(?: ?[.;,:–—!-]+ +| (?=ok\b|okay\b))"
    rf"(?P<asked>(?:{_JUDGED}|fine|free)(?: (?:if|to|for|in|on|at|as|with) {_IN}+)?)\?",
    re.I,
)
"""What is judged before it: "48 degrees under tiles, allowed?"."""
_ANY = re.compile(rf"(?:{_SAID} ?[.;,:–—!-]+ )?(?P<asked>any (?!idea\b)[^?.;,]+)\?", re.I)
"""What is asked for without a verb: "any gales in november?"."""
_PERSON = (
    r"(?:(?:i|we|you|he|she|it|they|there|that)(?:['’](?:m|re|s|ll|ve|d))?|this|these|those|nobody|everyone|somebody)"
)
_OWNER = r"(?:the|an?|my|our|your|his|her|their|its|this|that|these|those|all|both|no)"
_VERB = (
    r"(?:(?:is|are|was|were|has|have|had|does|do|can|could|will|would|should|must|may|might)"
    r"|(?:is|are|was|were|has|have|had|does|did|do|ca|could|wo|would|should|must)n['’]t|gets?|got|goes|went|needs?|still)"
)
_JOINS = r"(?:after|before|once|when|while|if|since|unless|until|as|because|than|and|that|by|for|to|of|in|on|at)"
_STATED = re.compile(
    rf"(?:{_SAID} ?[.;,:–—!-]+ (?:so |then )?)?"
    rf"(?P<claim>{_PERSON} (?!want|wonder|need to know)(?:(?!\b{ASKS}| [–—-] ){_IN}|, )+"
    rf"|{_OWNER} (?:(?!{_JOINS}\b|{ASKS}|{_PERSON}\b|{_VERB}\b)[\w'’-]+ ){{1,4}}{_VERB} (?:(?!\b{ASKS}){_IN}|, )+?)"
    rf"(?<!\b(?:as|to|by|of|in|on|at))(?<!\bfor)\?",
    re.I,
)
"""A statement with a question mark: "it stays open all night?", "my account has a limit?". Of a thing it needs one of
those verbs with no clause before it: "the ship that we had?" asks which.
"""
_SO = re.compile(rf"so (?P<claim>(?!{ASKS}|{HELPING}\b)(?:(?!\b{ASKS})[^?.;])+)\?", re.I)
"""What is begun with "so" may have any verb: "so the green jars get used too?"."""
_OR = re.compile(r"\bor\b", re.I)
_LONGEST = 500
"""Characters of a question that are looked at: nobody tells more before he asks."""
_LEADS = re.compile(rf"^(?:so|and|but|then) (?={HELPING}\b)", re.I)


def asked_first(question: str) -> str:
    """A question for yes or no with its question first and its verb before it: "If I am ill, do I ring?" asks "do I
    ring if I am ill?", "I have no ticket, can I come in?" asks "can I come in, I have no ticket?", "so it stays open?"
    asks "Is it true that it stays open?". Other questions as they are.
    """
    text = _LEADS.sub("", question.strip(), count=1)
    if len(text) > _LONGEST:
        return question
    if asked := _ASKED_IF.fullmatch(text):
        return f"{asked['asked']} {asked['if'][0].lower()}{asked['if'][1:]}?"
    if tagged := _TAG.fullmatch(text):
        return f"Is it true that {tagged['claim']}?"
    if said := _SAID_FIRST.fullmatch(text) or _ASKED_UNDER.fullmatch(text):
        return f"{said['asked']}, {said['said']}?"
    if re.match(rf"{HELPING}\b", text, re.I) or _OR.search(text):
        return question
    return _with_its_verb(text) or question


def _with_its_verb(text: str) -> str:
    """What asks for yes or no by a mere word or in the order of a statement, as a question; "" for anything else."""
    if judged := _IS_IT.fullmatch(text):
        return f"Is it {judged['asked']}?"
    if judged := _SAID_IS_IT.fullmatch(text):
        return f"Is it {judged['asked']}, {judged['said']}?"
    if found := _ANY.fullmatch(text):
        said = f", {found['said']}" if found["said"] else ""
        return f"Is there {found['asked']}{said}?"
    if stated := _SO.fullmatch(text):
        return f"Is it true that {stated['claim']}?"
    if stated := _STATED.fullmatch(text):
        said = f", {stated['said']}" if stated["said"] else ""
        return f"Is it true that {stated['claim']}{said}?"
    return ""
