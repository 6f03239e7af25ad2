"""Answers to questions about the knowledge base itself: from its catalogue, or as quotations from its documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from assistant.agent.final_answer import Found, NotFound, Output
from assistant.agent.offline.about_base.diary import open_tasks, told_of_day
from assistant.agent.offline.about_base.kinds import things_of_kind
from assistant.agent.offline.about_base.meetings import minutes_of, told_of_meeting
from assistant.agent.offline.about_base.quoting import QUOTED, cite, one_line
from assistant.agent.offline.about_base.recognising import EXTRACT, SAID, Request, recognised
from assistant.agent.offline.about_base.side_by_side import side_by_side
from assistant.agent.offline.about_base.telling_sentences import SHORTEST, Said, how_many, telling_sentences
from assistant.agent.offline.wording import as_known
from assistant.agent.short_text import clip
from assistant.agent.workspace import Workspace
from assistant.shared.rendering import counted, escape_markdown
from kb.documents.structure import structured_lines
from kb.name_keys import name_key
from kb.records import Passage
from kb.store import listing
from kb.store.knowledge_base import KnowledgeBase
from kb.store.vocabulary import folded, in_names, written_in
from tools.answer_rules.text import content_stems, says, sentence_spans, told_sentences, words

SHOWN = 20
"""Things of a list that are told; more are counted."""
IN_SHORT = 8
"""Names in the short answer to what there is of a kind."""
SPREAD = 12
"""Documents told in an overview of a file without folders, from all over the alphabet."""
FOLDERS = 12
OF_A_FOLDER = 4
"""Documents told of each folder, or other part, in an overview."""
EXAMPLES = 3
DOCUMENTS_IN_ONE = 3
"""Documents of one name that an extract is made of."""
MOST_FOUND = 1000
"""Passages looked through for what mentions a thing."""
_TALK = frozenset({"greeting", "thanks", "help", "doubt", "objection", "more"})
"""What tells nothing that could be more or less sure."""
_WHO = re.compile(r"\bwho\b", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_LINKS = re.compile(r"\s+(?:of|from|for|on|about|dated|the)(?=\s)", re.IGNORECASE)
"""What a request puts between the words of a title."""
_JOINTS = re.compile(r",? (?:and|with|to|against) ")
_FILE = re.compile(r"[^/]+\.\w{1,5}")
READ = 40
"""Passages of a long document, or about one thing, that an extract is made of."""


def about_base(kb: KnowledgeBase, workspace: Workspace) -> Output | None:
    """The answer where the question is about the knowledge base itself, with its passages in the Workspace; None where
    it is a question like others.
    """
    request = recognised(workspace.standalone)
    if request is None:
        return None
    subject, notes = request.subject, tuple[str, ...]()
    if request.kind != "kind" and not _files_called(kb, subject):
        subject, notes = as_known(kb, subject)
    output = _ANSWERS[request.kind](kb, workspace, Request(request.kind, subject, request.sure))
    if output is not None:
        workspace.about_base = True
        workspace.is_talk = request.kind in _TALK
        # What a follow-up names is who was asked about, and not what is quoted of them.
        workspace.is_sentence = request.kind == "definition"
        workspace.notes += notes
    return output


# -- small talk --------------------------------------------------------------------------------------------------------


def _greeted(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output:
    return Found(answer="Hello.", explanation=_what_to_ask(kb, workspace), cited=[])


def _doubted(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output:
    """How sure the last answer is, and what it rests on."""
    before = workspace.before
    if before is None:
        return Found(answer="There is no answer yet.", explanation=_what_to_ask(kb, workspace), cited=[])
    if not before.answer:
        return Found(answer="I am not sure of any answer to that.", explanation="", cited=[])
    how = "This is sure" if before.certainty == "sure" else "This is likely, but not sure"
    return Found(answer=f"{how}: {before.answer}", explanation=_rests_on(kb, workspace), cited=[])


def _objected(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output:
    """What the documents say, since nothing else is known."""
    answer = "My answers come from the documents alone."
    before = workspace.before
    told = f"They are to be put right there, and built again.\n\n{_rests_on(kb, workspace)}" if before else ""
    return Found(answer=answer, explanation=told.strip(), cited=[])


def _rests_on(kb: KnowledgeBase, workspace: Workspace) -> str:
    """What the last answer cites, quoted; passages that have gone since are left out."""
    quoted = dict(workspace.before.rests_on) if workspace.before else {}
    return "\n".join(
        f"- {_quoted(quoted[passage.id] or passage.text)} [{cite(workspace, passage)}]"
        for passage in kb.passages(list(quoted))[:SHOWN]
    )


def _thanked(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output:
    return Found(answer="You are welcome.", explanation="", cited=[])


def _helped(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output:
    lines = [
        _what_to_ask(kb, workspace),
        "",
        "- A question whose answer is spread over several documents: “Where was the composer of … born?”",
        "- A follow-up: “and when did he die?”, “what about …?”",
        "- What there is: “what is in here?”, “which documents mention …?”, “list all …”",
        "- A document in short: “summarise …”, “tell me about …”",
        "",
        "In the chat, `/help` shows the commands and `/browse` goes through the documents.",
    ]
    answer = "This is clew: I answer questions from the documents in this file, and show where each answer stands."
    return Found(answer=answer, explanation="\n".join(lines), cited=[])


def _what_to_ask(kb: KnowledgeBase, workspace: Workspace) -> str:
    page = listing.list_documents(kb, limit=SHOWN)
    if not page.total:
        return "There is no document in this file yet."
    step = max(len(page.items) // EXAMPLES, 1)
    some = _opened(kb, [line.key for line in page.items[::step][:EXAMPLES]])
    named = ", ".join(f"{_title(passage)} [{cite(workspace, passage)}]" for passage in some)
    return f"Ask about what {_are(page.total, 'document')} here, for example {named}."


def _are(number: int, noun: str) -> str:
    return f"the {counted(number, noun)} say" if number > 1 else f"the {noun} says"


# -- the catalogue -----------------------------------------------------------------------------------------------------


def _contents(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output:
    """An overview: the folders that the documents come from, else the files where one has several documents as a table
    has rows, with some documents of each.
    """
    info = kb.info()
    folders, of_files = listing.folders(kb, OF_A_FOLDER), ""
    lines = []
    if not 2 <= len(folders) <= FOLDERS:
        folders = listing.files(kb, OF_A_FOLDER)
        of_files = f"{counted(len(folders), 'file')} with "
    if not 2 <= len(folders) <= FOLDERS or len(folders) == info.documents:
        return _listed(kb, workspace, listing.spread(kb, SPREAD), info.documents)
    for folder in folders:
        some = _opened(kb, folder.keys)
        named = ", ".join(f"{_title(passage)} [{cite(workspace, passage)}]" for passage in some)
        more = f", and {folder.documents - len(some):,} more" if folder.documents > len(some) else ""
        lines.append(f"- {escape_markdown(folder.name, 80) or 'others'} ({folder.documents:,}): {named}{more}")
    return Found(answer=of_files + _size(info.documents, info.passages), explanation="\n".join(lines), cited=[])


def _documents(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output:
    page = listing.list_documents(kb, limit=SHOWN)
    return _listed(kb, workspace, [line.key for line in page.items], page.total)


def _listed(kb: KnowledgeBase, workspace: Workspace, keys: Sequence[str], total: int) -> Output:
    """Some documents of all in the file, each with its first passage."""
    if not total:
        return NotFound(missing="documents: there is none in this file yet")
    opened = _opened(kb, keys)
    lines = [f"- {_title(passage)} [{cite(workspace, passage)}]" for passage in opened]
    explanation = "\n".join([*lines, *_and_more(total - len(opened))])
    return Found(answer=_size(total, kb.info().passages), explanation=explanation, cited=[])


def _size(documents: int, passages: int) -> str:
    return f"{counted(documents, 'document')} in {counted(passages, 'passage')}"


def _and_more(left: int) -> list[str]:
    return [f"- and {left:,} more; `clew browse` and, in the chat, `/browse` show all"] if left > 0 else []


def _mentioning(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output:
    subject = request.subject
    passages = _saying(kb, _ARTICLE.sub("", subject))
    by_document: dict[str, list[Passage]] = {}
    for passage in passages:
        by_document.setdefault(passage.document, []).append(passage)
    if not by_document:
        return NotFound(missing=f"a document that mentions {clip(subject, 80)}")
    lines = [_mention_line(workspace, found, subject) for found in list(by_document.values())[:SHOWN]]
    verb = "mentions" if len(by_document) == 1 else "mention"
    answer = f"{counted(len(by_document), 'document')} {verb} {clip(subject, 80)}"
    explanation = "\n".join([*lines, *_and_more(len(by_document) - len(lines))])
    return Found(answer=answer, explanation=explanation, cited=[])


def _saying(kb: KnowledgeBase, subject: str) -> list[Passage]:
    """The passages that have the subject, or else its words apart. A name must be written as one: "the Moon" is none of
    the moons of Uranus.
    """
    passages = listing.passages_saying(kb, [subject], limit=MOST_FOUND)
    if subject[:1].isupper():
        return [one for one in passages if _names_it(one, subject)]
    return passages or listing.passages_saying(kb, [subject], whole=False, limit=MOST_FOUND)


def _names_it(passage: Passage, name: str) -> bool:
    written = written_in(f"{passage.title}\n{passage.text}", name)
    return any(not one[0].islower() for one in written)


def _mention_line(workspace: Workspace, passages: Sequence[Passage], subject: str) -> str:
    """A document with its first sentence that has all words of the subject, or else most of them."""
    wanted = set(content_stems(subject))
    said = [(passage, sentence) for passage in passages for sentence in told_sentences(passage.text)]
    has = [len(wanted & set(content_stems(sentence))) for _, sentence in said]
    best = max(has, default=0)
    passage, sentence = said[has.index(best)] if best else (passages[0], "")
    return _quoted_line(workspace, passage.title, passage, sentence)


# -- things of a kind --------------------------------------------------------------------------------------------------


def _of_kind(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output | None:
    kind = request.subject
    things, is_all = things_of_kind(kb, kind)
    if not things:
        is_named = bool(listing.passages_saying(kb, [kind], limit=1))
        # What is nowhere said to be one may still be a list's or a table's: then it is a question like others.
        return None if is_named else NotFound(missing=f"a document that calls something {_one(kind)}")
    shown = things[:SHOWN]
    lines = [_quoted_line(workspace, thing.name, thing.passage, thing.sentence) for thing in shown]
    more = [f"- and {len(things) - len(shown):,} more"] if len(things) > len(shown) else []
    left = len(things) - IN_SHORT
    named = ", ".join(thing.name for thing in things[:IN_SHORT]) + (f" and {left:,} more" if left > 0 else "")
    called = "whom a document is about" if kind in ("person", "man", "woman") else "that a document calls so"
    note = f"The list may be incomplete: it has those {called}."
    explanation = "\n".join([*lines, *more, "", note])
    workspace.may_lack = True
    count = f"{'' if is_all else 'at least '}{len(things):,} {_plural(kind, len(things))}"
    return Found(answer=f"{count}: {named}", explanation=explanation, cited=[])


def _one(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _plural(kind: str, number: int) -> str:
    irregular = {"person": "people", "man": "men", "woman": "women", "child": "children"}
    if number == 1:
        return kind
    if kind in irregular:
        return irregular[kind]
    if kind.endswith("y") and kind[-2:-1] not in "aeiou":
        return kind[:-1] + "ies"
    return kind + ("es" if kind.endswith(("s", "x", "ch", "sh")) else "s")


# -- extracts ----------------------------------------------------------------------------------------------------------


def _extract(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output | None:
    subject = request.subject
    keys = _documents_called(kb, subject, loosely=request.sure)
    if keys:
        return _extract_of(kb, workspace, keys[:DOCUMENTS_IN_ONE])
    is_named = request.sure and subject[0].isupper() and bool(kb.named([name_key(subject)]) or in_names(kb, subject))
    said = _known(kb, workspace, request) if is_named else None
    return said or (NotFound(missing=f"a document on {clip(subject, 80)}") if request.sure else None)


def _definition(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output | None:
    """What a document on the thing says first; of what has none, the reading knows a definition from a mention."""
    # "What is Clippy?" is not told by what is called "Benchmarking Clippy", as a person is by the surname.
    keys = _documents_called(kb, request.subject, by_surname=bool(_WHO.search(workspace.standalone)))
    return _extract_of(kb, workspace, keys[:DOCUMENTS_IN_ONE], defined=request.subject) if keys else None


def _known(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output | None:
    """What its own documents say of a thing, else sentences of others that name it; several words that are no name may
    be a part of a title.
    """
    bare = _ARTICLE.sub("", request.subject)
    is_part = any(word.islower() for word in bare.split()) and len(content_stems(bare)) > 1
    if keys := _documents_called(kb, request.subject, loosely=is_part):
        return _extract_of(kb, workspace, keys[:DOCUMENTS_IN_ONE])
    ids = [one for found in kb.named([name_key(request.subject)]).values() for one in found]
    ways = [request.subject, *_first_name(kb, request.subject, ids[:1])]
    passages = [one for found in ids[:1] for one in listing.passages_mentioning(kb, found, limit=READ).items]
    passages += [one for one in listing.passages_saying(kb, ways, limit=READ) if one not in passages]
    said = [
        Said(sentence, passage.id)
        for passage in passages
        for sentence in told_sentences(passage.text)
        if folded(request.subject) in folded(sentence) or any(says(sentence, way) for way in ways[1:])
    ]
    # What begins with the name tells of it; what only has it in the middle may tell of something else.
    said.sort(key=lambda one: not any(words(one.text)[: len(words(way))] == words(way) for way in ways))
    chosen = telling_sentences(said, how_many(len(said)))
    if not chosen:
        return None
    by_id = {passage.id: passage for passage in passages}
    lines = [f"- {_quoted(one.text)} [{cite(workspace, by_id[one.passage])}]" for one in chosen]
    return Found(answer=f"{SAID}{clip(request.subject, 80)}", explanation="\n".join(lines), cited=[])


def _first_name(kb: KnowledgeBase, name: str, ids: Sequence[int]) -> list[str]:
    """The first of several names of somebody, where nobody else with more than that name has it; else []."""
    first, _, rest = name.partition(" ")
    known = [one for found in kb.named([name_key(first)]).values() for one in found] if rest and ids else []
    others = [one for one in known if one not in ids]
    is_alone = all(name_key(entity.name) == name_key(first) for entity in kb.entities(others))
    return [first] if len(others) < len(known) and is_alone else []


def _beside(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output | None:
    """Two documents that are records, as the rows of a table are, with what both tell of the same side by side."""
    for joint in _JOINTS.finditer(request.subject):
        names = request.subject[: joint.start()], request.subject[joint.end() :]
        keys = [_documents_called(kb, name) for name in names]
        if all(len(one) == 1 for one in keys):
            passages = _opened(kb, [keys[0][0], keys[1][0]])
            told = side_by_side(workspace, passages) if len(passages) == len(names) else None
            answer = f"{EXTRACT}{'; '.join(passage.title for passage in passages)}"
            return Found(answer=answer, explanation=told, cited=[]) if told else None
    return None


def _extract_of(kb: KnowledgeBase, workspace: Workspace, keys: Sequence[str], *, defined: str = "") -> Output | None:
    """The most telling sentences of documents under their titles or, where something is to be `defined`, under what its
    title says of it ("OPS-44: fog and wind"), else under the first of all.
    """
    parts, titles, first = [], [], ""
    for key in keys:
        passages = listing.passages_of_document(kb, key, limit=READ).items
        by_id = {passage.id: passage for passage in passages}
        said = _said(kb, passages)
        chosen = telling_sentences(said, how_many(len(said)) if len(keys) == 1 else 2)
        lines = [f"- {_quoted(one.text)} [{cite(workspace, by_id[one.passage])}]" for one in chosen]
        if lines:
            first = first or clip(chosen[0].text, QUOTED)
            titles.append(passages[0].title)
            heading = [f"{_title(passages[0])}:", ""] if len(keys) > 1 else []
            parts.append("\n".join([*heading, *lines]))
    if not parts:
        return None
    told = re.match(rf"{re.escape(defined)}\s*[:–—]\s*(?=\S)", titles[0], re.IGNORECASE) if defined else None
    first = titles[0][told.end() :] if told else first
    answer = first if defined else f"{EXTRACT}{'; '.join(titles)}"
    return Found(answer=answer, explanation="\n\n".join(parts), cited=[])


def _said(kb: KnowledgeBase, passages: Sequence[Passage]) -> list[Said]:
    """The sentences of the passages, with how much each names; lines of a record only where there is no prose."""
    mentions = kb.passage_mentions([passage.id for passage in passages])
    prose: list[Said] = []
    records: list[Said] = []
    for passage in passages:
        starts = [start for at, start, _, _ in mentions if at == passage.id]
        lines = [line for line in structured_lines(passage.title, passage.text) if line.kind != "turn"]
        for first, last in sentence_spans(passage.text):
            one = Said(one_line(passage.text[first:last]), passage.id, sum(first <= start < last for start in starts))
            if one.text and not _is_heading(one.text):
                in_line = any(line.start < last and first < line.end for line in lines)
                (records if in_line else prose).append(one)
    return prose if any(len(one.text) >= SHORTEST for one in prose) else [*records, *prose]


def _is_heading(text: str) -> bool:
    return text[-1].isalnum()


def _documents_called(kb: KnowledgeBase, subject: str, loosely: bool = False, *, by_surname: bool = True) -> list[str]:
    """The keys of the documents with this key, title or other name; `loosely`, of those whose title has its words, an
    article before them left out, else, `by_surname`, of the only one whose title ends with them: that of a person.
    """
    if files := _files_called(kb, subject):
        return files
    ids = [one for found in kb.named([name_key(subject)]).values() for one in found]
    keys = [line.key for one in ids for line in listing.documents_about(kb, one)]
    if keys or not name_key(subject):
        return keys
    if not loosely:
        return listing.keys_by_surname(kb, subject) if by_surname else []
    bare = _ARTICLE.sub("", subject)
    # "The minutes of 4 June" are titled without "of".
    return _titled(kb, bare) or _titled(kb, _LINKS.sub(" ", bare)) or minutes_of(kb, bare)


def _files_called(kb: KnowledgeBase, said: str) -> list[str]:
    """The key that is said, else those of the files of that name in whatever folder, if it has its ending."""
    if listing.document_facts(kb, said) is not None:
        return [said]
    if not _FILE.fullmatch(said):
        return []
    lines = listing.list_documents(kb, said, limit=SHOWN).items
    return [line.key for line in lines if line.key.rpartition("/")[2].casefold() == said.casefold()]


def _titled(kb: KnowledgeBase, said: str) -> list[str]:
    """The keys of the documents whose title has all these words."""
    wanted = set(name_key(said).split())
    lines = listing.list_documents(kb, said, limit=SHOWN).items if wanted else ()
    return [line.key for line in lines if wanted <= set(name_key(line.title).split())]


# -- diaries -----------------------------------------------------------------------------------------------------------


def _of_day(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output | None:
    told = told_of_day(kb, workspace, request.subject)
    return Found(answer=told[0], explanation=told[1], cited=[]) if told else None


def _of_meeting(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output | None:
    told = told_of_meeting(kb, workspace, request.subject, decided=request.kind == "decided")
    workspace.may_lack = told is not None  # what was decided may stand in other words, and elsewhere
    return Found(answer=told[0], explanation=told[1], cited=[]) if told else None


def _tasks(kb: KnowledgeBase, workspace: Workspace, request: Request) -> Output | None:
    told = open_tasks(kb, workspace)
    return Found(answer=told[0], explanation=told[1], cited=[]) if told else None


# -- passages and quotations -------------------------------------------------------------------------------------------


def _opened(kb: KnowledgeBase, keys: Sequence[str]) -> list[Passage]:
    """The first passages of these documents, in their order."""
    found = listing.opening_passages(kb, keys)
    return [found[key] for key in keys if key in found]


def _title(passage: Passage) -> str:
    return escape_markdown(passage.title, 120) or escape_markdown(passage.document, 120) or "untitled"


def _quoted_line(workspace: Workspace, name: str, passage: Passage, sentence: str) -> str:
    said = f": {_quoted(sentence)}" if sentence else ""
    return f"- {escape_markdown(name, 120) or 'untitled'}{said} [{cite(workspace, passage)}]"


def _quoted(sentence: str) -> str:
    return f"“{escape_markdown(clip(sentence, QUOTED))}”"


_Answer = Callable[[KnowledgeBase, Workspace, Request], Output | None]
_ANSWERS: dict[str, _Answer] = {
    "greeting": _greeted,
    "thanks": _thanked,
    "doubt": _doubted,
    "objection": _objected,
    "more": _doubted,
    "help": _helped,
    "contents": _contents,
    "documents": _documents,
    "tasks": _tasks,
    "day": _of_day,
    "decided": _of_meeting,
    "discussed": _of_meeting,
    "mentions": _mentioning,
    "kind": _of_kind,
    "extract": _extract,
    "known": _known,
    "definition": _definition,
    "beside": _beside,
}
