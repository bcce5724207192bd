"""Saves a report: JSON for programs, CSV for tables, HTML for people."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final, Literal, get_args

from quizapp.errors import MachineError, UsageError
from quizapp.lab import catalogue
from quizapp.report import Report
from quizapp.session.sweep import Sweep
from quizapp.text.i18n import _

Format = Literal["html", "json", "csv"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)

_COLUMNS: Final = ("experiment", "metric", "index", "value", "stderr", "unit", "device", "seed")


def written_as(
    report: Report, how: Format, *, pinned: Report | None = None, sweep: Sweep | None = None
) -> str:
    """The whole of `report` in that format; HTML in the current language.

    A page also shows the run it was compared with and the sweep: the others are data of one run.
    """
    if how == "json":
        return report.model_dump_json(indent=2) + "\n"
    if how == "csv":
        return _csv(report)
    from quizapp.session.page import html_page

    info = catalogue.describe(report.experiment)
    return html_page(report, info, pinned=pinned, sweep=sweep)


def _csv(report: Report) -> str:
    """A row for each number, a list's entries one by one; device and seed in each of them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows(_rows(report))
    return out.getvalue()


def _rows(report: Report) -> Iterator[tuple[object, ...]]:
    made = report.provenance
    source = ("", "") if made is None else (made.device, made.seed)
    for name, metric in report.metrics.items():
        listed = isinstance(metric.value, tuple)
        values = metric.value if isinstance(metric.value, tuple) else (metric.value,)
        for index, number in enumerate(values):
            error = metric.error(index)
            yield (
                report.experiment,
                name,
                index if listed else "",
                repr(number),
                "" if error is None else repr(error),
                metric.unit,
                *source,
            )


def format_of(path: Path) -> Format:
    """The format a file's name asks for. Raises UsageError for a name that says none."""
    ending = path.suffix.lower().lstrip(".")
    for how in FORMATS:
        if ending == how:
            return how
    raise UsageError(
        _("{name} does not say how to write it").format(name=path.name or str(path)),
        remedy=_("End the name in .html, .json or .csv."),
    )


def save(
    report: Report,
    path: Path,
    *,
    how: Format | None = None,
    replace: bool = False,
    pinned: Report | None = None,
    sweep: Sweep | None = None,
) -> Path:
    """Write `report` to `path`, in the format its name ends in unless `how` says another.

    Raises UsageError for a file that is there already, unless it may be replaced, and
    MachineError where it cannot be written.
    """
    path = path.expanduser()
    text = written_as(report, how or format_of(path), pinned=pinned, sweep=sweep)
    try:
        with path.open("w" if replace else "x", encoding="utf-8", newline="") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(
            _("{path} is there already").format(path=path), remedy=_("Choose another name.")
        ) from None
    except OSError as error:
        raise MachineError(
            _("{path} cannot be written").format(path=path), remedy=error.strerror or str(error)
        ) from error
    return path


def free_name(report: Report, folder: Path) -> Path:
    """A name for `report` that no file in `folder` has: "softmax-seed0.html"."""
    made = report.provenance
    stem = report.experiment if made is None else f"{report.experiment}-seed{made.seed}"
    names = (f"{stem}.html" if n == 1 else f"{stem}-{n}.html" for n in count(1))
    return next(path for name in names if not (path := folder / name).exists())
