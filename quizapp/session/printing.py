"""A Report as lines of text, for `quizapp run`: the same numbers the screen shows."""

from __future__ import annotations

from collections.abc import Iterator

from quizapp.report import Metric, Report, Table
from quizapp.text import clean
from quizapp.text.i18n import _, language
from quizapp.text.numbers import quantity, spread


def lines(report: Report) -> Iterator[str]:
    """Metrics with their meanings, tables, the cross-check and where the numbers come from."""
    said = language()
    if report.summary is not None:
        yield clean(report.summary.to(said))
        yield ""
    for name, metric in report.metrics.items():
        yield f"{name:<26} {value(metric):<24} {metric.meaning.to(said)}"
    for table in report.tables:
        yield ""
        yield from _table(table)
    yield ""
    for warning in report.warnings:
        yield clean(warning.to(said))
    check = report.cross_check
    if check is not None:
        word = _("agrees") if check.ok else _("DISAGREES")
        yield _(
            "cross-check {word}: {method}; at most {diff:.2g} off, {tolerance:.2g} allowed"
        ).format(
            word=word,
            method=check.method.to(said),
            diff=check.max_abs_diff,
            tolerance=check.tolerance,
        )
    made = report.provenance
    if made is not None:
        dtype = f"{made.dtype} (TF32)" if made.tf32 else made.dtype
        if made.function:
            yield _("attention: {file}, confined").format(file=clean(made.function))
        yield f"{made.device} {dtype} torch {made.torch} seed {made.seed} {made.seconds:.3f} s"


def value(metric: Metric, room: int = 6) -> str:
    """One metric's value, a list in brackets (its first `room` entries)."""
    if not isinstance(metric.value, tuple):
        error = metric.stderr if isinstance(metric.stderr, float) else None
        return spread(metric.value, error, metric.unit)
    # Sizes and counts are whole: decimals would only say that they could be otherwise.
    whole = not metric.unit and all(item.is_integer() and abs(item) < 1e9 for item in metric.value)
    shown = [
        f"{item:.0f}" if whole else quantity(item, metric.unit, 4) for item in metric.value[:room]
    ]
    more = ", …" if len(metric.value) > room else ""
    return f"[{', '.join(shown)}{more}]"


def _table(table: Table) -> Iterator[str]:
    from quizapp.plot.grid import Grid, GridRow, draw_grid

    said = language()
    units = table.units or ("",) * len(table.columns)
    rows = []
    for row in table.rows:
        cells = []
        for cell, unit in zip(row.cells, units, strict=True):
            if cell is None:
                cells.append("")
            elif isinstance(cell, float):
                cells.append(quantity(cell, unit))
            else:
                cells.append(cell.to(said))
        rows.append(GridRow(row.label.to(said), tuple(cells)))
    headings = tuple(column.to(said) for column in table.columns)
    yield from draw_grid(Grid(headings, tuple(rows), table.title.to(said), numeric=True), 100)
