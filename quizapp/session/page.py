"""A report as one HTML page: numbers, tables, plots and trace, and how to make them again.

Self-contained: plots are inline SVG, the little style is in the page, and its content
security policy lets nothing else in. Every text is escaped.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from html import escape

from quizapp.plot.cells import lines_of
from quizapp.plot.describe import Plot, describe
from quizapp.plot.drawings import draw_step, table_grid
from quizapp.plot.look import Look
from quizapp.plot.svg import svg
from quizapp.report import ExperimentInfo, Report, Table
from quizapp.session.printing import value
from quizapp.session.readings import checked, difference, made, pinned_heading, swept
from quizapp.session.sweep import Sweep
from quizapp.session.takes import plain
from quizapp.text import clean
from quizapp.text.i18n import _, language

_STYLE = """
body { font: 16px/1.5 sans-serif; color: #222; background: #fff; max-width: 60rem;
       margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #ddd;
         vertical-align: top; }
td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
code, pre { font-family: monospace; background: #f4f4f4; }
pre { padding: .6rem; overflow-x: auto; }
figure { margin: 1.5rem 0; } svg { max-width: 100%; height: auto; }
figcaption, .quiet { color: #555; }
"""
#: Columns of a trace step: as wide as a page shows it.
_STEP = 100


def html_page(
    report: Report,
    info: ExperimentInfo,
    *,
    pinned: Report | None = None,
    sweep: Sweep | None = None,
) -> str:
    """The page of `report` in the current language; `pinned` beside it, and a sweep below."""
    said = language()
    title = f"{info.name} — quizapp"
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html lang="{said}">',
            '<head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style></head>",
            "<body>",
            *_head(report, info),
            *_numbers(report, pinned),
            *(line for table in report.tables for line in _table(table)),
            *(_figure(plot) for plot in plots(report)),
            *_trace(report),
            *_sweep(sweep),
            *_source(report, info),
            *_pinned(pinned),
            "</body>",
            "</html>",
            "",
        ]
    )


def plots(report: Report) -> tuple[Plot, ...]:
    """Every plot of `report`: curves, histograms, heat maps."""
    return (*report.curves, *report.histograms, *report.heat_maps)


def _said(text: str) -> str:
    return escape(clean(text))


def _heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>"


def _head(report: Report, info: ExperimentInfo) -> Iterator[str]:
    yield f"<h1>{escape(info.name)}</h1>"
    yield f"<p>{_said(info.claim.to(language()))}</p>"
    if report.summary is not None:
        yield f"<p><strong>{_said(report.summary.to(language()))}</strong></p>"


def _numbers(report: Report, pinned: Report | None) -> Iterator[str]:
    yield _heading(_("numbers"))
    yield "<table>"
    if pinned is not None:
        heads = (_("now"), pinned_heading(pinned), "", "")
        yield f"<tr><th></th>{''.join(f'<th>{escape(head)}</th>' for head in heads)}</tr>"
    for name, metric in report.metrics.items():
        cells = [value(metric, 4)]
        kept = None if pinned is None else pinned.metrics.get(name)
        if pinned is not None:
            cells += ["–", ""] if kept is None else [value(kept, 4), difference(metric, kept)]
        numbers = "".join(f'<td class="number">{escape(cell)}</td>' for cell in cells)
        yield (
            f"<tr><th>{_said(metric.label.to(language()))}<br><code>{escape(name)}</code></th>"
            f"{numbers}<td>{_said(metric.meaning.to(language()))}</td></tr>"
        )
    yield "</table>"


def _sweep(sweep: Sweep | None) -> Iterator[str]:
    if sweep is None or sweep.table is None:
        return
    yield _heading(_("sweep"))
    yield f"<p>{escape(swept(sweep))}</p>"
    if sweep.curve is not None:
        yield _figure(sweep.curve)
    yield from _table(sweep.table)


def _pinned(pinned: Report | None) -> Iterator[str]:
    """How to make the pinned run again."""
    if pinned is not None:
        yield f"<p>{escape(pinned_heading(pinned))}</p>"
        yield f"<pre>{escape(command(pinned))}</pre>"


def _table(table: Table) -> Iterator[str]:
    grid = table_grid(table, language())
    yield "<table>"
    heads = "".join(f"<th>{escape(heading)}</th>" for heading in grid.headings)
    yield f"<tr><th>{escape(grid.corner)}</th>{heads}</tr>"
    for row in grid.rows:
        cells = "".join(f'<td class="number">{escape(cell)}</td>' for cell in row.cells)
        yield f"<tr><th>{_said(row.label)}</th>{cells}</tr>"
    yield "</table>"


def _figure(plot: Plot) -> str:
    said = language()
    return (
        f"<figure>{svg(plot, said)}<figcaption>{escape(describe(plot, said))}</figcaption></figure>"
    )


def _trace(report: Report) -> Iterator[str]:
    if not report.trace:
        return
    yield _heading(_("trace"))
    for step in report.trace:
        title, *lines = lines_of(draw_step(step, _STEP, Look(), language()))
        yield f"<h3>{escape(title)}</h3>"
        yield f"<pre>{escape(chr(10).join(lines))}</pre>"


def _source(report: Report, info: ExperimentInfo) -> Iterator[str]:
    """Parameters, the command that makes the same numbers, and whether they agree."""
    yield _heading(_("where the numbers come from"))
    source = report.provenance
    if source is not None:
        yield "<table>"
        for name, given in source.params.items():
            help_text = info.params[name].help.to(language()) if name in info.params else ""
            yield (
                f'<tr><th><code>{escape(name)}</code></th><td class="number">'
                f"{escape(plain(given))}</td><td>{_said(help_text)}</td></tr>"
            )
        yield "</table>"
        yield f"<pre>{escape(command(report))}</pre>"
    yield from (f"<p>{_said(warning.to(language()))}</p>" for warning in report.warnings)
    yield f'<p class="quiet">{escape(made(report))}<br>{escape(checked(report))}</p>'
    if report.cross_check is not None:
        yield f'<p class="quiet">{_said(report.cross_check.method.to(language()))}</p>'


def command(report: Report) -> str:
    """The command line that makes the same numbers again."""
    source = report.provenance
    words = ["quizapp", "run", report.experiment]
    if source is not None:
        for name, given in source.params.items():
            words += ["--set", f"{name}={plain(given)}"]
        words += ["--device", source.device, *(["--tf32"] if source.tf32 else [])]
        words += ["--attention", source.function] if source.function else []
    return shlex.join(words)
