"""The lab's bench: parameters, runs of which the newest wins, and what is told of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from driving import LocalEngine
from helpers import SMALL, report

from quizapp.errors import UsageError
from quizapp.lab.client import Engine
from quizapp.report import Failure, Metric, MetricInfo, Report
from quizapp.session import readings
from quizapp.session.bench import Bench, open_bench
from quizapp.session.experiments import exists, found
from quizapp.session.session import Session, open_session
from quizapp.text import Text, i18n


@pytest.fixture
def engine() -> LocalEngine:
    return LocalEngine()


@pytest.fixture
async def session(tmp_path: Path, engine: LocalEngine) -> AsyncIterator[Session]:
    made = open_session(home=tmp_path, engine=cast(Engine, engine), banks=SMALL)
    yield made
    await made.close()


@pytest.fixture
async def softmax(session: Session) -> Bench:
    return await open_bench(session, "softmax")


async def ran(bench: Bench) -> Report:
    await bench.run(lambda: None, settle=0)
    assert bench.report is not None
    return bench.report


async def asked(engine: LocalEngine, runs: int) -> None:
    """Until the engine has been asked for so many runs."""
    for _ in range(100):
        if len(engine.jobs) >= runs:
            return
        await asyncio.sleep(0)
    pytest.fail(f"{len(engine.jobs)} runs of {runs} were asked for")


# --- finding one -----------------------------------------------------------------------


def test_search_reads_names_and_claims_of_every_language() -> None:
    assert "softmax" in dict(found("softMAX"))
    assert "walkthrough" in dict(found("加权平均 矩阵"))
    assert "walkthrough" in dict(found("weighted matrices"))
    assert found("weighted nonsense-word") == ()
    i18n.set_language("zh")
    assert "加权平均" in dict(found("walkthrough"))["walkthrough"]


async def test_an_unknown_name_is_answered_with_the_closest(session: Session) -> None:
    with pytest.raises(UsageError, match="Did you mean 'softmax'"):
        exists("softmx")
    with pytest.raises(UsageError, match="softmx"):
        await open_bench(session, "softmx")


# --- parameters ------------------------------------------------------------------------


async def test_parameters_step_cycle_and_go_back(session: Session) -> None:
    bench = await open_bench(session, "scale_choice", {"d_k": 16})
    assert bench.names[-1] == "seed"
    assert bench.step("d_k", 1)
    assert bench.values["d_k"] == 32
    assert bench.cycle("scale")
    assert not bench.cycle("d_k")
    assert bench.changed == {"scale": "d_k", "d_k": 32}
    bench.reseed()
    bench.reset()
    assert bench.changed == {"d_k": 16}  # not the default: what it was opened with


async def test_only_steps_that_lead_somewhere_are_offered(session: Session) -> None:
    bench = await open_bench(session, "flash_attention", {"causal": True})
    assert (bench.steps("causal", 1), bench.steps("causal", -1)) == (False, True)
    assert (bench.steps("seq_len", 1), bench.steps("seq_len", -1)) == (True, True)
    softmax = await open_bench(session, "softmax")
    assert not softmax.steps("logits", 1)


async def test_a_list_of_a_question_is_taken(session: Session) -> None:
    bench = await open_bench(session, "softmax", {"logits": [3, 1.5]})
    assert bench.typed("logits") == "3,1.5"
    await ran(bench)
    assert bench.failure is None
    assert readings.copied(bench, "entropy").endswith("— softmax, logits 3,1.5, seed 0, cpu")


async def test_the_last_choice_is_followed_by_the_first(session: Session) -> None:
    bench = await open_bench(session, "scale_choice", {"scale": "after_softmax"})
    assert not bench.step("scale", 1)
    bench.cycle("scale")
    assert bench.values["scale"] == "none"


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("temperature", " 0.5 ", 0.5),
        ("target", "1e0", 1),
        ("logits", "3, -1,0.5", (3.0, -1.0, 0.5)),
    ],
)
async def test_what_is_typed_is_read(softmax: Bench, name: str, typed: str, value: object) -> None:
    softmax.put(name, typed)
    assert softmax.values[name] == value


@pytest.mark.parametrize(
    ("name", "typed", "remedy"),
    [
        ("temperature", "0", "a number from 0.01 to 100"),
        ("temperature", "[/]", "a number from 0.01 to 100"),
        ("target", "1.5", "a whole number from 0 to 15"),
        ("target", "１", "a whole number from 0 to 15"),
        ("target", "", "a whole number from 0 to 15"),
        ("logits", "1,,2", "numbers separated by commas"),
        ("logits", "nan", "numbers separated by commas"),
    ],
)
async def test_what_cannot_be_is_refused_and_changes_nothing(
    softmax: Bench, name: str, typed: str, remedy: str
) -> None:
    before = dict(softmax.values)
    with pytest.raises(UsageError) as refused:
        softmax.put(name, typed)
    assert refused.value.remedy == remedy
    assert softmax.values == before


# --- runs ------------------------------------------------------------------------------


async def test_a_run_brings_numbers_and_their_check(softmax: Bench) -> None:
    seen: list[tuple[bool, bool]] = []
    await softmax.run(lambda: seen.append((softmax.stale, softmax.running)), settle=0)
    assert seen[0] == (True, True)
    assert seen[-1] == (False, False)
    assert softmax.report is not None
    assert softmax.report.cross_check is not None
    assert softmax.report.cross_check.ok


async def test_the_newest_run_wins(softmax: Bench, engine: LocalEngine) -> None:
    engine.gate.clear()
    first = asyncio.create_task(softmax.run(lambda: None, settle=0))
    await asked(engine, 1)
    softmax.values["temperature"] = 2.0
    second = asyncio.create_task(softmax.run(lambda: None, settle=0))
    await asked(engine, 2)
    first.cancel()
    engine.gate.set()
    await asyncio.wait([first, second])
    assert first.cancelled()
    assert engine.jobs[0].cancelled
    assert softmax.report is not None
    assert softmax.report.provenance is not None
    assert softmax.report.provenance.params["temperature"] == 2.0
    assert (softmax.stale, softmax.running) == (False, False)


async def test_a_change_that_is_changed_again_never_reaches_the_engine(
    softmax: Bench, engine: LocalEngine
) -> None:
    waiting = asyncio.create_task(softmax.run(lambda: None, settle=60))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    await ran(softmax)
    assert len(engine.jobs) == 1


async def test_values_that_do_not_go_together_are_a_named_result(
    softmax: Bench, engine: LocalEngine
) -> None:
    kept = await ran(softmax)
    softmax.values["target"] = 9
    assert await ran(softmax) is kept
    assert softmax.stale
    assert softmax.failure is not None
    assert softmax.failure.kind == "params"
    assert "do not go together" in readings.failed(softmax.failure)
    assert len(engine.jobs) == 1
    softmax.reset()
    await ran(softmax)
    assert softmax.failure is None
    assert not softmax.stale


@pytest.mark.parametrize(
    "kind", ["memory", "device", "lost", "torch", "not-finite", "crashed", "error"]
)
async def test_a_failed_run_keeps_the_old_numbers(
    softmax: Bench, engine: LocalEngine, kind: str
) -> None:
    kept = await ran(softmax)
    engine.failure = Failure(kind=kind, text=Text.of("what [/] happened"))
    assert await ran(softmax) is kept
    assert softmax.stale
    assert softmax.failure is not None
    title, what = readings.failed(softmax.failure).split("\n")
    assert title
    assert what == "what [/] happened"


async def test_a_stopped_run_says_so_and_the_next_one_works(
    softmax: Bench, engine: LocalEngine
) -> None:
    engine.gate.clear()
    task = asyncio.create_task(softmax.run(lambda: None, settle=0))
    await asked(engine, 1)
    await softmax.stop()
    assert softmax.cancelled
    engine.gate.set()
    await task
    assert softmax.report is None
    await ran(softmax)
    assert not softmax.cancelled


# --- what is told ----------------------------------------------------------------------


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    i18n.set_language("en")
    yield
    i18n.set_language("en")


async def test_the_form_has_a_row_for_every_parameter(softmax: Bench) -> None:
    grid = readings.form(softmax, 0)
    assert [row.label for row in grid.rows] == list(softmax.names)
    assert [row.deciding for row in grid.rows][:2] == [True, False]
    assert readings.help_line(softmax, 1).endswith("a number from 0.01 to 100; default 1")
    i18n.set_language("zh")
    assert "0.01" in readings.help_line(softmax, 1)


async def test_a_pinned_run_stands_beside_the_present_one(softmax: Bench) -> None:
    assert not softmax.pin()  # nothing to keep yet
    await ran(softmax)
    assert softmax.pin()
    softmax.step("temperature", 1)
    assert readings.form(softmax, 0).rows[1].cells[1] == "1"
    await ran(softmax)
    grid = readings.numbers(softmax, 0, columns=20)
    assert grid.headings == ("now", "pinned: cpu, seed 0", "")
    marks = {row.label: row.cells[2] for row in grid.rows}
    assert "=" in marks.values()
    assert any(mark.startswith("×") for mark in marks.values())
    assert softmax.pin()
    assert len(readings.numbers(softmax, 0, columns=20).headings) == 1


@pytest.mark.parametrize(
    ("now", "kept", "mark"),
    [
        ({"value": 2.0}, {"value": 2.0}, "="),
        ({"value": 8.0}, {"value": 4.0}, "×2.00"),
        ({"value": 1.0}, {"value": -1.0}, "+2.00"),
        ({"value": 0.0}, {"value": 0.5}, "-0.500"),
        ({"value": 8.0, "stderr": 0.1}, {"value": 8.2, "stderr": 0.1}, "≈"),
        ({"value": 8.0, "stderr": 0.1}, {"value": 9.0, "stderr": 0.1}, "×0.889"),
        ({"value": 0.2, "unit": "share"}, {"value": 0.1, "unit": "share"}, "+10 %"),
        ({"value": float("inf")}, {"value": 1.0}, "≠"),
        ({"value": float("nan")}, {"value": float("nan")}, "="),
        ({"value": (1.0, 2.0)}, {"value": (1.0, 3.0)}, "≠"),
        ({"value": (1.0, 2.0)}, {"value": (1.0, 2.0)}, "="),
    ],
)
def test_the_difference_is_told(now: Mapping[str, Any], kept: Mapping[str, Any], mark: str) -> None:
    def metric(fields: Mapping[str, Any]) -> Metric:
        named = {"unit": "", "meaning": "x", "label": "x", **fields}
        return Metric.model_validate(named)

    assert readings.difference(metric(now), metric(kept)) == mark


async def test_a_list_shows_what_fits(softmax: Bench) -> None:
    await ran(softmax)
    for columns in (12, 20, 60):
        first = readings.numbers(softmax, 0, columns=columns).rows[0].cells[0]
        assert len(first) <= columns
        assert first.endswith("…]") == (columns < 60)


async def test_a_copied_number_can_be_made_again(softmax: Bench) -> None:
    softmax.put("logits", "3,1")
    await ran(softmax)
    line = readings.copied(softmax, "max_weight")
    assert line.endswith("— softmax, logits 3,1, seed 0, cpu")
    assert "(max_weight): 0.881" in line


async def test_where_numbers_come_from_is_told(softmax: Bench) -> None:
    await ran(softmax)
    assert softmax.report is not None
    assert readings.made(softmax.report).startswith("cpu float64")
    assert "seed 0" in readings.made(softmax.report)
    assert "agrees" in readings.checked(softmax.report)
    assert readings.checked(report({"x": 1.0})) == "cross-check …"


def test_a_meaning_is_told_with_its_unit_in_the_reader_s_brackets() -> None:
    info = MetricInfo("nats", Text.of("entropy"), Text.of({"en": "entropy", "zh": "熵"}))
    report = Report(
        experiment="softmax",
        status="final",
        metrics={"e": Metric(value=1.0, unit="nats", label=info.label, meaning=info.meaning)},
    )
    assert readings.meaning(report, "e") == "e: entropy (nats)"
    i18n.set_language("zh")
    try:
        assert readings.meaning(report, "e") == "e：熵（nats）"
    finally:
        i18n.set_language("en")
