"""`Figure`: one measured number beside what it is held against, and the table of them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table.

    value, reference: medians, in seconds. ratio: the median of the ratios of the
    pairs, each measured one right after the other; None where the bound is a time.
    bound: the most `ratio` may be, or `value` in seconds where there is no ratio.
    """

    name: str
    value: float
    against: str
    reference: float
    bound: float
    ratio: float | None = None

    @property
    def held(self) -> bool:
        """Whether the bound is kept."""
        return (self.value if self.ratio is None else self.ratio) <= self.bound

    @classmethod
    def of_pairs(
        cls, name: str, against: str, pairs: Sequence[tuple[float, float]], bound: float
    ) -> Figure:
        """The figure of (measured, reference) pairs, bounded in its ratio."""
        ours, theirs = zip(*pairs, strict=True)
        ratio = statistics.median(mine / other for mine, other in pairs)
        return cls(name, statistics.median(ours), against, statistics.median(theirs), bound, ratio)


def span(seconds: float) -> str:
    """Seconds as a person reads them: "312 ms", "4.12 s"."""
    return f"{seconds:.2f} s" if seconds >= 2 else f"{1000 * seconds:.0f} ms"


def table(figures: Iterable[Figure]) -> str:
    """The figures as aligned lines, one each."""
    rows = [("figure", "median", "against", "median", "ratio", "bound", "")]
    rows += [
        (
            one.name,
            span(one.value),
            one.against,
            span(one.reference),
            "" if one.ratio is None else f"{one.ratio:.2f}",
            span(one.bound) if one.ratio is None else f"{one.bound:.2f}",
            "kept" if one.held else "MISSED",
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
