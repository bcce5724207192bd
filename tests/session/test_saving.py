"""Reports saved for others: JSON that reads back, CSV with every number, one HTML page."""

from __future__ import annotations

import csv
import io
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import cast
from xml.etree import ElementTree as ET

import pytest
from driving import LocalEngine
from helpers import SMALL

from quizapp.errors import MachineError, UsageError
from quizapp.lab.client import Engine
from quizapp.lab.engine.runner import reports
from quizapp.report import Report
from quizapp.session.bench import open_bench
from quizapp.session.page import command
from quizapp.session.saving import format_of, free_name, save, written_as
from quizapp.session.session import open_session
from quizapp.text import Text, i18n

#: Tags without an end of their own.
VOID = {"meta", "br"}


@cache
def made(name: str) -> Report:
    """A complete report."""
    small: dict[str, dict[str, object]] = {"attention_entropy": {"draws": 2, "seq_len": 32}}
    return list(reports(name, small.get(name, {}), "cpu"))[-1]


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    i18n.set_language("en")
    yield
    i18n.set_language("en")


class Page(HTMLParser):
    """Checks that tags nest, and keeps which there are, their attributes and the text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_json_reads_back() -> None:
    assert Report.model_validate_json(written_as(made("softmax"), "json")) == made("softmax")


def test_csv_has_every_number_with_its_source() -> None:
    report = made("attention_entropy")
    rows = list(csv.DictReader(io.StringIO(written_as(report, "csv"))))
    wanted = sum(len(m.value) if isinstance(m.value, tuple) else 1 for m in report.metrics.values())
    assert len(rows) == wanted
    assert {(row["device"], row["seed"]) for row in rows} == {("cpu", "0")}
    row = next(row for row in rows if row["metric"] == "scaled_entropy")
    metric = report.metrics["scaled_entropy"]
    assert (float(row["value"]), float(row["stderr"]), row["unit"]) == (
        metric.value,
        metric.stderr,
        "nats",
    )


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["attention_entropy", "walkthrough"])
def test_the_page_is_whole_and_brings_everything_with_it(name: str, language: str) -> None:
    i18n.set_language(language)
    report = made(name)
    text = written_as(report, "html")
    page = Page(text)
    assert ("lang", language) in page.attributes
    plots = (*report.curves, *report.histograms, *report.heat_maps)
    assert page.seen.count("svg") == len(plots) > 0
    assert page.seen.count("h3") == len(report.trace)
    assert all(metric.meaning.to(language) in page.text for metric in report.metrics.values())
    assert "seed 0" in page.text or "种子 0" in page.text
    assert not {"script", "link", "img", "iframe", "object", "a"} & set(page.seen)
    brings = [value for name, value in page.attributes if name in ("href", "src", "style")]
    assert brings == []
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    for part in text.split("<svg")[1:]:
        ET.fromstring("<svg" + part.partition("</svg>")[0] + "</svg>")


def test_texts_on_the_page_are_never_markup() -> None:
    evil = "<img src=x onerror=alert(1)> & [/]"
    report = made("walkthrough")
    step = report.trace[0].model_copy(update={"title": Text.of(evil), "note": Text.of(evil)})
    (heat,) = report.heat_maps
    page = Page(
        written_as(
            report.model_copy(
                update={
                    "summary": Text.of(evil),
                    "trace": (step,),
                    "heat_maps": (heat.model_copy(update={"title": Text.of(evil)}),),
                    "metrics": {
                        name: metric.model_copy(update={"label": Text.of(evil)})
                        for name, metric in report.metrics.items()
                    },
                }
            ),
            "html",
        )
    )
    assert "img" not in page.seen
    assert evil in page.text


async def test_a_page_shows_the_run_compared_with_and_the_sweep(tmp_path: Path) -> None:
    session = open_session(home=tmp_path, engine=cast(Engine, LocalEngine()), banks=SMALL)
    bench = await open_bench(session, "softmax")
    await bench.run(lambda: None, settle=0)
    bench.pin()
    bench.put("temperature", "2")
    await bench.run(lambda: None, settle=0)
    bench.begin_sweep("factor", "scaled_entropy")
    await bench.run_sweep(lambda: None)
    assert bench.report is not None
    assert bench.pinned is not None
    text = written_as(bench.report, "html", pinned=bench.pinned.report, sweep=bench.sweep)
    page = Page(text)
    assert "pinned: cpu, seed 0" in page.text
    assert "×0.765" in page.text
    assert "scaled_entropy over factor" in page.text
    assert page.seen.count("svg") == 3  # the run's own two, and the sweep
    assert "temperature=1 " in page.text  # how to make the pinned run again
    assert "temperature=2 " in page.text
    await session.close()


def test_the_command_on_the_page_makes_the_same_run() -> None:
    report = made("softmax")
    words = shlex.split(command(report))
    assert words[:3] == ["quizapp", "run", "softmax"]
    assert "logits=2,1,0.5" in words
    assert words[-2:] == ["--device", "cpu"]


def test_a_page_opens_in_a_browser(tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("there is no Chromium here to open the page with")
    path = save(made("attention_entropy"), tmp_path / "page.html")
    ran = subprocess.run(
        [
            *(browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
            *(f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", path.as_uri()),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    assert ran.returncode == 0, ran.stderr
    seen = ran.stdout
    assert "<h1>attention_entropy</h1>" in seen
    report = made("attention_entropy")
    plots = (*report.curves, *report.histograms, *report.heat_maps)
    assert seen.count("</svg>") == len(plots)
    assert seen.count("<polyline") == sum(len(curve.series) for curve in report.curves)


def test_files_are_named_written_once_and_never_overwritten_unasked(tmp_path: Path) -> None:
    report = made("softmax")
    path = free_name(report, tmp_path)
    assert path.name == "softmax-seed0.html"
    save(report, path)
    before = path.read_text(encoding="utf-8")
    assert free_name(report, tmp_path).name == "softmax-seed0-2.html"
    with pytest.raises(UsageError, match="is there already"):
        save(report, path)
    assert path.read_text(encoding="utf-8") == before
    save(report, path, how="csv", replace=True)
    assert path.read_text(encoding="utf-8").startswith("experiment,")


def test_what_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not say how"):
        format_of(Path("numbers.txt"))
    with pytest.raises(MachineError, match="cannot be written"):
        save(made("softmax"), tmp_path / "missing" / "x.csv")
