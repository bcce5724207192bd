"""Can a wrong choice's numbers be told from the right one's?

The verdict puts the run of a wrong choice beside that of the right one. Where no row of
it differs, nothing on the screen separates the two, however wrong the belief may be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import mean, stdev
from typing import Final

from quizapp.bank import Choice, Question
from quizapp.report import Report
from quizapp.session.expect import find
from quizapp.text.numbers import quantity

#: By how many seed spreads a number must differ from another to be told from it.
SPREADS: Final = 3.0


def rows(question: Question, choice: Choice) -> tuple[str, ...]:
    """The metrics the verdict shows of a wrong choice, and those its belief is held against."""
    named = dict.fromkeys(expectation.metric for expectation in choice.expects)
    for expectation in choice.expects:
        for wanted in (expectation.below, expectation.above, expectation.about):
            if isinstance(wanted, str):
                named[wanted] = None
    return tuple(named | dict.fromkeys(row.metric for row in question.show.rows))


def alike(paths: Sequence[str], mine: Sequence[Report], right: Sequence[Report]) -> tuple[str, ...]:
    """Every number that both runs make, as ``path = mine against right``; none where one differs.

    mine, right: complete reports of the two runs, one for each seed, in the same order.
    """
    same = []
    for path in paths:
        pairs = tuple(_pairs(path, mine, right))
        if _differ(pairs):
            return ()
        if pairs:
            ours, theirs = (_figures(side) for side in zip(*pairs, strict=True))
            same.append(f"{path} = {ours} against {theirs}")
    return tuple(same)


def _pairs(
    path: str, mine: Sequence[Report], right: Sequence[Report]
) -> Iterator[tuple[float, float]]:
    for ours, theirs in zip(mine, right, strict=True):
        if (a := find(ours, path)) is not None and (b := find(theirs, path)) is not None:
            yield a[1], b[1]


def _differ(pairs: Sequence[tuple[float, float]]) -> bool:
    """Whether a reader could tell the sides: by more than the seeds differ among themselves,
    and in figures as they are shown.
    """
    if all(_shown(a) == _shown(b) for a, b in pairs):
        return False
    if not all(math.isfinite(value) for pair in pairs for value in pair):
        return True
    ours, theirs = [a for a, _ in pairs], [b for _, b in pairs]
    around = max(stdev(ours), stdev(theirs)) if len(pairs) > 1 else 0.0
    return abs(mean(ours) - mean(theirs)) > SPREADS * around


def _shown(value: float) -> str:
    return quantity(value, "")


def _figures(values: Sequence[float]) -> str:
    """The mean over the seeds and, where they differ, their spread."""
    around = stdev(values) if len(values) > 1 and all(map(math.isfinite, values)) else 0.0
    middle = f"{mean(values):.4g}"
    return f"{middle} (spread {around:.2g})" if around else middle
