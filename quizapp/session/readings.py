"""What the lab shows of a `Bench`, as strings and grids in the current language."""

from __future__ import annotations

import math

from quizapp.plot.grid import Grid, GridRow
from quizapp.plot.width import display_width, truncate
from quizapp.report import Failure, Metric, Report
from quizapp.session.bench import Bench
from quizapp.session.printing import value
from quizapp.session.sweep import Sweep
from quizapp.session.takes import bounds, plain, takes, written
from quizapp.text import clean
from quizapp.text.i18n import _, language
from quizapp.text.numbers import figure, quantity

#: Columns a parameter's value may take in the form; the field shows all of it.
_VALUE = 22


def form(bench: Bench, at: int) -> Grid:
    """A row for each parameter: its value, its bounds, and its pinned value where that differs."""
    rows = []
    for index, name in enumerate(bench.names):
        cells = [truncate(written(bench.values[name]), _VALUE), bounds(bench.param(name))]
        if bench.pinned is not None:
            kept = bench.pinned.values[name]
            same = kept == bench.values[name]
            cells.insert(1, "" if same else truncate(written(kept), _VALUE))
        rows.append(GridRow(name, tuple(cells), deciding=index == at))
    headings = ("", "") if bench.pinned is None else ("", _("pinned"), "")
    return Grid(headings, tuple(rows))


def help_line(bench: Bench, at: int) -> str:
    """What the parameter is, and what it takes."""
    info = bench.param(bench.names[at])
    # The default is no constant of the form: an experiment opened from a question starts elsewhere.
    return _("{name}: {help} — {takes}; default {default}").format(
        name=info.name,
        help=clean(info.help.to(language())),
        takes=takes(info),
        default=written(info.default),
    )


def numbers(bench: Bench, at: int, *, columns: int) -> Grid:
    """A row for each metric: value ± standard error, the pinned run's, and what differs.

    columns: how many a list may take; of a longer one the first entries are shown.
    """
    report, kept = bench.report, bench.pinned
    if report is None:
        return Grid(("",), ())
    rows = []
    for index, (name, metric) in enumerate(report.metrics.items()):
        cells = [_cell(metric, columns)]
        if kept is not None:
            other = kept.report.metrics.get(name)
            cells.append("–" if other is None else _cell(other, columns))
            cells.append("" if other is None else difference(metric, other))
        label = clean(metric.label.to(language()))
        rows.append(GridRow(label, tuple(cells), deciding=index == at))
    if kept is None:
        return Grid(("",), tuple(rows))
    return Grid((_("now"), pinned_heading(kept.report), ""), tuple(rows))


def _cell(metric: Metric, columns: int) -> str:
    room = len(metric.value) if isinstance(metric.value, tuple) else 1
    while room > 1 and display_width(value(metric, room)) > columns:
        room -= 1
    return value(metric, room)


def pinned_heading(report: Report) -> str:
    """ "pinned: cpu, seed 0"."""
    made = report.provenance
    if made is None:
        return _("pinned")
    return _("pinned: {device}, seed {seed}").format(device=made.device, seed=made.seed)


def difference(now: Metric, kept: Metric) -> str:
    """How far `now` is from `kept`: "=", "≈" within two standard errors, "×2.0" or "+0.3"."""
    if now.value == kept.value:
        return "="
    if isinstance(now.value, tuple) or isinstance(kept.value, tuple):
        return "≠"
    a, b = now.value, kept.value
    if not (math.isfinite(a) and math.isfinite(b)):
        return "=" if math.isnan(a) and math.isnan(b) else "≠"
    error = math.hypot(now.error() or 0.0, kept.error() or 0.0)
    if error and abs(a - b) <= 2 * error:
        return "≈"
    if a * b > 0 and now.unit != "share":
        return f"×{figure(a / b)}"
    sign = "+" if a > b else "-"
    return sign + quantity(abs(a - b), now.unit)


def meaning(report: Report, name: str) -> str:
    """The highlighted number in a sentence, under the name that `quizapp run` gives it."""
    metric = report.metrics[name]
    words = _("{name}: {meaning}").format(name=name, meaning=clean(metric.meaning.to(language())))
    return _("{words} ({unit})").format(words=words, unit=metric.unit) if metric.unit else words


def made(report: Report) -> str:
    """Where the numbers come from: device, dtype, torch, seed and seconds."""
    source = report.provenance
    if source is None:
        return ""
    seconds = source.seconds
    yours = f"  {clean(source.function)}" if source.function else ""
    return (
        _("{device} {dtype}  torch {torch}  seed {seed}  {time}").format(
            device=source.device,
            dtype=f"{source.dtype} (TF32)" if source.tf32 else source.dtype,
            torch=source.torch,
            seed=source.seed,
            time=f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms",
        )
        + yours
    )


def checked(report: Report) -> str:
    """Whether the numbers, found a second way, agree."""
    check = report.cross_check
    if check is None:
        return _("cross-check …")
    word = _("agrees") if check.ok else _("DISAGREES")
    return _("cross-check {word}: {metric} off by {diff}, {tolerance} allowed").format(
        word=word,
        diff=figure(check.max_abs_diff, 2),
        tolerance=figure(check.tolerance, 2),
        metric=check.metric,
    )


def place(bench: Bench) -> str:
    """The experiment and, where a learner came with a function, whose attention it runs."""
    if bench.given_own is None:
        return bench.info.name
    if bench.own is None:
        return _("{name}, our attention").format(name=bench.info.name)
    return _("{name}, attention by {file}").format(name=bench.info.name, file=clean(bench.own.name))


def source(bench: Bench) -> str:
    """Where the numbers on show come from, and whether they were found a second way."""
    if bench.report is None:
        return ""
    return "\n".join(part for part in (made(bench.report), checked(bench.report)) if part)


def state(bench: Bench) -> str:
    """ "running", and how far it has come; empty when all is done but the cross-check."""
    if not bench.running:
        return ""
    report, sweep = bench.report, bench.sweep
    if sweep is not None and sweep.running:
        done, all_of = len(sweep.points) + len(sweep.refused), len(sweep.values)
        return _("sweep {done}/{all}").format(done=done, all=all_of)
    if bench.stale or report is None or report.progress is None:
        return _("running") if bench.stale else ""
    return _("running {share:.0%}").format(share=report.progress)


def swept(sweep: Sweep) -> str:
    """What a sweep shows, where its numbers come from, and what it had to leave out."""
    words = _("{metric} over {param}: {device}, seed {seed}, no cross-check").format(
        metric=sweep.metric,
        param=sweep.param.name,
        device=sweep.device or "…",
        seed=sweep.base["seed"] if sweep.param.name != "seed" else "…",
    )
    if sweep.refused:
        left = ", ".join(written(value) for value in sweep.refused)
        words += "; " + _("did not run: {values}").format(values=left)
    return words


def trouble(bench: Bench) -> str:
    """Why there are no numbers of these values, or what is wrong with them; else empty."""
    parts = [] if bench.failure is None else [failed(bench.failure)]
    if bench.report is not None and not bench.stale:
        parts += [clean(warning.to(language())) for warning in bench.report.warnings]
    if bench.cancelled:
        parts.append(_("Cancelled. Any change runs again."))
    return "\n".join(parts)


def copied(bench: Bench, name: str) -> str:
    """One number as a line worth keeping: with what it takes to make it again."""
    assert bench.report is not None
    metric = bench.report.metrics[name]
    source = bench.report.provenance
    params = {} if source is None else source.params
    known = bench.info.params
    changed = [
        f"{key} {plain(given)}"
        for key, given in params.items()
        if key != "seed" and plain(given) != written(known[key].default)
    ]
    seed = [] if source is None else [f"seed {source.seed}", source.device]
    where = ", ".join([bench.info.name, *changed, *seed])
    return f"{clean(metric.label.to(language()))} ({name}): {value(metric)} — {where}"


def failed(failure: Failure) -> str:
    """A run that has no numbers, as a result with a name."""
    names = {
        "memory": _("Not enough memory"),
        "device": _("Not on this device"),
        "lost": _("The device was lost"),
        "torch": _("The lab is not there"),
        "params": _("These values do not go together"),
        "not-finite": _("Not a number"),
        "crashed": _("The engine ended"),
        "broken": _("The experiment's file is broken"),
    }
    name = names.get(failure.kind, _("The run failed"))
    return f"{name}\n{clean(failure.text.to(language()))}"
