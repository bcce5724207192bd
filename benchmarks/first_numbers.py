"""Enter to the first measured numbers on the screen, against the same torch operations alone.

    python -m benchmarks.first_numbers [--rounds 5] [--questions 0] [--each]

Every shipped question is answered in the real app with its engine warm, once for each run
an answer can lead to; after each, the run that gave the first numbers is made directly, in
a warm process without an app. The first round is thrown away: it warms both sides alike.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator
from typing import Final, NamedTuple

from benchmarks.direct import Direct
from benchmarks.driven import Driven, driven
from benchmarks.figures import Figure, table
from quizapp.bank.walk import run_behind
from quizapp.session.library import Entry
from quizapp.session.trial import Planned

BOUND: Final = 0.100


class Case(NamedTuple):
    """One answer: the question, and which option from 0."""

    entry: Entry
    pick: int


class Timed(NamedTuple):
    """What a case ran, and its (painted, direct) seconds."""

    run: Planned
    pairs: list[tuple[float, float]]


#: The kinds that one key and Enter, or a typed number, answer.
_KINDS = frozenset({"single", "multi", "numeric", "predict", "claim", "open"})


def cases(entries: list[Entry]) -> Iterator[Case]:
    """For each question one answer for each run that an option leads to."""
    for entry in entries:
        question = entry.question
        if question.kind != "single":
            yield Case(entry, 0)
            continue
        runs = [Planned.of(run_behind(question, choice)) for choice in question.choices]
        for pick, run in enumerate(runs):
            if run not in runs[:pick]:
                yield Case(entry, pick)


async def _measure(rounds: int, limit: int) -> dict[tuple[str, int], Timed]:
    found: dict[tuple[str, int], Timed] = {}
    with Direct() as direct:
        async with driven() as drive:
            await drive.ready()
            assert drive.app.session is not None
            known = drive.app.session.library.entries.values()
            posed = [entry.posed(0) for entry in known]
            entries = [one for one in posed if one.question.kind in _KINDS][: limit or None]
            for number in range(rounds + 1):
                for case in cases(entries):
                    await _answer(drive, direct, case, found if number else {})
    return found


async def _answer(
    drive: Driven, direct: Direct, case: Case, found: dict[tuple[str, int], Timed]
) -> None:
    await drive.ask(case.entry)
    painted = await drive.answer(case.pick)
    assert drive.trial is not None
    run = drive.trial.plan()[0]
    shown = {path.partition("[")[0] for path in drive.trial.paths()}
    alone = await asyncio.to_thread(direct.seconds, run.experiment, dict(run.params), shown)
    if painted is not None:
        key = (case.entry.reference, case.pick)
        found.setdefault(key, Timed(run, [])).pairs.append((painted, alone))


def measure(rounds: int, limit: int = 0, *, each: bool = False) -> list[Figure]:
    """One figure for each experiment: that of its slowest answer, or of `each` answer.

    limit: how many questions, 0 for all.
    """
    figures: dict[str, Figure] = {}
    for (reference, pick), timed in asyncio.run(_measure(rounds, limit)).items():
        where, experiment = f"{reference} {pick + 1}", timed.run.experiment
        figure = Figure.of_pairs(
            f"first numbers of {experiment}",
            "run alone",
            timed.pairs,
            most_seconds=BOUND,
            note=where,
        )
        name = where if each else experiment
        if name not in figures or figures[name].value < figure.value:
            figures[name] = figure
    return [figures[name] for name in sorted(figures)]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--questions", type=int, default=0, help="how many; 0 for all")
    parser.add_argument("--each", action="store_true", help="a line for every answer")
    options = parser.parse_args()
    print(table(measure(options.rounds, options.questions, each=options.each)))


if __name__ == "__main__":
    main()
