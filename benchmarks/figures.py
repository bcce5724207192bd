"""`Figure`: one measured number beside what it is held against, and the table of them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from quizapp.text.numbers import size


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table.

    value, reference: medians, in seconds, or in bytes where `unit` is "B". ratio: the median
    of the ratios of the pairs, each measured one right after the other. most: the bound, on
    `ratio` where `of_ratio`, else on `value` in its unit. note: what else is worth a word.
    """

    name: str
    value: float
    against: str
    reference: float
    ratio: float
    most: float
    of_ratio: bool
    note: str = ""
    unit: Literal["s", "B"] = "s"

    @property
    def held(self) -> bool:
        """Whether the bound is kept."""
        return (self.ratio if self.of_ratio else self.value) <= self.most

    @classmethod
    def of_pairs(
        cls,
        name: str,
        against: str,
        pairs: Sequence[tuple[float, float]],
        *,
        most_ratio: float | None = None,
        most_seconds: float = 0.0,
        note: str = "",
    ) -> Figure:
        """The figure of (measured, reference) seconds, bounded in its ratio or in its time."""
        ours, theirs = zip(*pairs, strict=True)
        ratio = statistics.median(mine / other for mine, other in pairs)
        of_ratio = most_ratio is not None
        most = most_seconds if most_ratio is None else most_ratio
        value, reference = statistics.median(ours), statistics.median(theirs)
        return cls(name, value, against, reference, ratio, most, of_ratio, note)

    def at_most(self, seconds: float) -> Figure:
        """The same, with another bound on its time: one that depends on the reference."""
        return replace(self, most=seconds, of_ratio=False)


def span(seconds: float) -> str:
    """Seconds as a person reads them: "312 ms", "4.12 s"."""
    if seconds >= 2:
        return f"{seconds:.2f} s"
    return f"{1000 * seconds:.{0 if seconds >= 0.0995 else 1}f} ms"


def shown(value: float, unit: Literal["s", "B"]) -> str:
    """A time or a number of bytes as a person reads it."""
    return span(value) if unit == "s" else size(value)


def table(figures: Iterable[Figure]) -> str:
    """The figures as aligned lines, one each."""
    rows = [("figure", "median", "against", "median", "ratio", "at most", "", "")]
    rows += [
        (
            one.name,
            shown(one.value, one.unit),
            one.against,
            shown(one.reference, one.unit),
            f"{one.ratio:.2f}",
            f"{one.most:.2f} ×" if one.of_ratio else shown(one.most, one.unit),
            "kept" if one.held else "MISSED",
            one.note,
        )
        for one in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    numbers = {1, 3, 4, 5}
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
