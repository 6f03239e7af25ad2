"""How long a question over a folder of generated working notes takes, once the session is warm.

    python -m benchmarks.notes_speed [--notes N] [--questions N]

The notes are of services, teams and people with invented names, and of meetings about them: `Key: value` lines, tables,
links, tasks and sentences. A third of the questions ask for a fact of one note, a third for what a meeting's sentence
says, a third for two facts in two notes. Printed: seconds of the build; p50 and p95 of the questions in seconds and
seconds of the processor, the first three left out; how many of the answers given are right.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
import time
from pathlib import Path
from statistics import quantiles

from assistant.conversations.session import Session, final_reply
from kb.build import build

WARM_UP = 3
_SYLLABLES = "bar cor dal fen gor hal kel lim mor nar pol quin ros sel tam ur vel wyn yor zan".split()
_LANGUAGES = "Kotlin Python Go Rust TypeScript Java Elixir Scala".split()
_FIRST = "Ana Tom Mia Jonas Greta Ossie Priya Callum Noor Sami Ifeoma Leif Rosa Henrik Dewi Lu".split()
_DONE = ("mended the login", "tested the backup", "moved the logs", "wrote the manual")

Asked = tuple[str, str]


def name(number: int) -> str:
    """An invented name of three syllables, another for each number below 8,000."""
    parts = [_SYLLABLES[number // 20**place % 20] for place in range(3)]
    return "".join(parts).capitalize()


def person(number: int) -> str:
    return f"{_FIRST[number % len(_FIRST)]} {name(7 * number + 11)}"


def write_notes(folder: Path, count: int) -> list[Asked]:
    """Write `count` notes, one in fifty a team's, two in five a service's; returns questions with their answers."""
    chance = random.Random(0)
    teams = [f"Team {name(4000 + number)}" for number in range(max(count // 50, 1))]
    leads = {team: person(number) for number, team in enumerate(teams)}
    asked: list[Asked] = []
    for number, team in enumerate(teams):
        text = (
            f"# {team}\n\nLead: {leads[team]}\nFloor: {number % 9 + 1}\n\n{team} meets on Mondays and eats together.\n"
        )
        write(folder / "teams" / f"team-{number}.md", text)
    for number in range(count - len(teams)):
        service, team, language = name(number), chance.choice(teams), chance.choice(_LANGUAGES)
        if number % 5 < 2:
            text = f"# {service}\n\nTeam: [[{team}]]\nLanguage: {language}\nPort: {3000 + number}\n\n"
            text += f"{service} keeps what others send and gives it back.\n\n"
            text += f"| Key | Value |\n|---|---|\n| Tier | {number % 3} |\n"
            write(folder / "services" / f"{number // 100}" / f"{service.lower()}.md", text)
            asked += [
                (f"What is the language of {service}?", language),
                (f"Who leads the team of {service}?", leads[team]),
            ]
        else:
            who, done = person(number), chance.choice(_DONE)
            text = (
                f"# Meeting {number}\n\nDate: {number % 28 + 1} May 2025\n\n{who} {done} of {service} in an afternoon. "
            )
            text += f"Nobody else was asked.\n\n- [ ] {who}: tell {leads[team]}\n"
            write(folder / "meetings" / f"{number // 100}" / f"meeting-{number}.md", text)
            asked.append((f"Who {done} of {service}?", who))
    chance.shuffle(asked)
    kinds = [[one for one in asked if one[0].startswith(start)] for start in ("What", "Who leads", "Who ")]
    kinds[2] = [one for one in kinds[2] if one not in kinds[1]]
    return [one for some in zip(*kinds, strict=False) for one in some]


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


async def timed(path: Path, asked: list[Asked]) -> list[tuple[float, float, bool, bool]]:
    """For each question seconds, seconds of the processor, whether it was answered, and whether that is right."""
    found = []
    with Session.open(path) as session:
        for question, answer in asked:
            start, cpu = time.perf_counter(), time.process_time()
            reply = await final_reply(session, question)
            seconds = time.perf_counter() - start, time.process_time() - cpu
            found.append((*seconds, reply.found, reply.found and answer.casefold() in reply.answer.casefold()))
            session.resume(())
    return found[WARM_UP:]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--notes", type=int, default=5_000)
    parser.add_argument("--questions", type=int, default=63)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        asked = write_notes(folder / "notes", options.notes)[: options.questions]
        started = time.perf_counter()
        report = build([str(folder / "notes")], folder / "notes.clew")
        print(
            f"build: {report.added} notes, {report.passages} passages, {time.perf_counter() - started:.0f} s",
            flush=True,
        )
        found = asyncio.run(timed(folder / "notes.clew", asked))
    for what, column in (("seconds", 0), ("processor", 1)):
        parts = quantiles([one[column] for one in found], n=20)
        print(f"{what}: p50 {parts[9]:.2f}, p95 {parts[18]:.2f}")
    given, right = (sum(one[column] for one in found) for column in (2, 3))
    print(f"{len(found)} questions, {given} answered, {right} of them right")


if __name__ == "__main__":
    main()
