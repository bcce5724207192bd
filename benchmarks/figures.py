"""`Figure`: one measured number beside what it is held against, and the table of them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table.

    value, reference: medians, in seconds. ratio: the median of the ratios of the pairs,
    each measured one right after the other. most: the bound, on `ratio` where `of_ratio`,
    else on `value` in seconds. note: what else is worth a word.
    """

    name: str
    value: float
    against: str
    reference: float
    ratio: float
    most: float
    of_ratio: bool
    note: str = ""

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


def span(seconds: float) -> str:
    """Seconds as a person reads them: "312 ms", "4.12 s"."""
    if seconds >= 2:
        return f"{seconds:.2f} s"
    return f"{1000 * seconds:.{0 if seconds >= 0.0995 else 1}f} ms"


def table(figures: Iterable[Figure]) -> str:
    """The figures as aligned lines, one each."""
    rows = [("figure", "median", "against", "median", "ratio", "at most", "", "")]
    rows += [
        (
            one.name,
            span(one.value),
            one.against,
            span(one.reference),
            f"{one.ratio:.2f}",
            f"{one.most:.2f} ×" if one.of_ratio else span(one.most),
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
