"""The runner: whatever a run raises becomes a named result, and the engine goes on."""

import dataclasses
import math
import weakref
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import torch

from quizapp.lab.context import RunContext
from quizapp.lab.engine import runner
from quizapp.lab.experiment import Measured
from quizapp.lab.experiments import softmax
from quizapp.report import Report


def failing(error: BaseException) -> SimpleNamespace:
    """An experiment like softmax whose run raises `error`."""

    def run(*_: object) -> Iterator[Report]:
        raise error
        yield

    return SimpleNamespace(
        METRICS=softmax.METRICS, METHOD=softmax.METHOD, run=run, check=softmax.check
    )


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (MemoryError(), "memory", "not enough memory"),
        (torch.OutOfMemoryError("CUDA out of memory"), "memory", "Try smaller sizes"),
        (
            RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried 9 PB"),
            "memory",
            "not enough memory",
        ),
        (ValueError("the shapes [/] differ"), "error", "ValueError: the shapes [/] differ"),
    ],
)
def test_a_failing_run_is_a_named_result(
    error: BaseException, kind: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "load", lambda _: failing(error))
    (only,) = runner.reports("softmax", {}, "cpu")
    assert only.status == "failed"
    assert only.failure is not None
    assert only.failure.kind == kind
    assert words in only.failure.text.to("en")
    assert set(only.failure.text.languages) == {"en", "zh"}


def test_a_run_without_a_final_report_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = SimpleNamespace(METRICS=softmax.METRICS, run=lambda *_: iter(()))
    monkeypatch.setattr(runner, "load", lambda _: empty)
    (only,) = runner.reports("softmax", {}, "cpu")
    assert only.failure is not None
    assert "without a final report" in only.failure.text.to("en")


def test_partials_that_come_too_fast_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_: object, ctx: RunContext) -> Iterator[Report]:
        numbers = dict.fromkeys(softmax.METRICS, 0.0)
        for step in range(50):
            yield ctx.report(metrics=numbers, progress=step / 50)
        yield ctx.report(metrics=numbers, final=True)

    chatty = SimpleNamespace(
        METRICS=softmax.METRICS, METHOD=softmax.METHOD, run=run, check=lambda *_: {"entropy": 0.0}
    )
    monkeypatch.setattr(runner, "load", lambda _: chatty)
    ticks = iter(0.01 * n for n in range(10_000))
    seen = list(runner.reports("softmax", {}, "cpu", clock=lambda: next(ticks)))
    assert [report.status for report in seen[-2:]] == ["final", "final"]
    assert 2 < len(seen) < 30


def test_a_new_number_is_shown_however_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_: object, ctx: RunContext) -> Iterator[Report]:
        numbers: dict[str, Measured] = {}
        for name in softmax.METRICS:
            numbers |= {name: 0.0}
            yield ctx.report(metrics=numbers, progress=0.1)
        yield ctx.report(metrics=numbers, final=True)

    growing = SimpleNamespace(
        METRICS=softmax.METRICS, METHOD=softmax.METHOD, run=run, check=lambda *_: {"entropy": 0.0}
    )
    monkeypatch.setattr(runner, "load", lambda _: growing)
    seen = list(runner.reports("softmax", {}, "cpu", clock=lambda: 0.0))
    assert [len(one.metrics) for one in seen[:-2]] == [*range(1, len(softmax.METRICS) + 1)]


def measuring(*values: float) -> SimpleNamespace:
    """An experiment like softmax whose numbers are `values`, the rest 0."""

    def run(_: object, ctx: RunContext) -> Iterator[Report]:
        numbers = dict.fromkeys(softmax.METRICS, 0.0)
        numbers |= dict(zip(softmax.METRICS, values, strict=False))
        yield ctx.report(metrics=numbers, final=True)

    return SimpleNamespace(
        METRICS=softmax.METRICS, METHOD=softmax.METHOD, run=run, check=lambda *_: {"entropy": 0.0}
    )


def test_a_number_that_is_none_is_named_beside_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "load", lambda _: measuring(math.nan))
    last = list(runner.reports("softmax", {}, "cpu"))[-1]
    assert last.status == "final"
    assert last.cross_check is not None
    (warning,) = last.warnings
    assert warning.to("en") == f"NaN or infinite here: {next(iter(softmax.METRICS))}"
    assert "NaN" in warning.to("zh")


def test_a_warning_names_a_few_and_counts_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "load", lambda _: measuring(*[math.nan] * 6))
    (warning,) = list(runner.reports("softmax", {}, "cpu"))[-1].warnings
    assert warning.to("en").count(",") == runner.SEVERAL - 1
    assert warning.to("en").endswith(f" and {6 - runner.SEVERAL} more")


def test_an_infinity_that_is_measured_on_purpose_is_no_fault() -> None:
    last = list(runner.reports("masks", {}, "cpu"))[-1]
    assert last.metrics["number_added"].value == -math.inf
    assert last.warnings == ()


def test_memory_is_given_back_after_a_run_that_had_too_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[str] = []
    monkeypatch.setattr(runner, "give_back", given.append)
    monkeypatch.setattr(runner, "load", lambda _: failing(torch.OutOfMemoryError("CUDA out of")))
    list(runner.reports("softmax", {}, "cpu"))
    assert given == ["cpu"]


def test_a_failed_run_lets_go_of_its_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[weakref.ref[torch.Tensor]] = []

    def run(*_: object) -> Iterator[Report]:
        tensor = torch.ones(10)
        held.append(weakref.ref(tensor))
        raise torch.OutOfMemoryError("CUDA out of memory")
        yield

    monkeypatch.setattr(runner, "load", lambda _: SimpleNamespace(METRICS={}, run=run))
    (only,) = runner.reports("softmax", {}, "cpu")
    assert only.failure is not None
    assert only.failure.kind == "memory"
    assert held[0]() is None


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_nan_that_is_the_lesson_is_no_fault(dtype: str) -> None:
    method = "minus_inf" if dtype == "float32" else "minus_1e9"
    values: dict[str, object] = {
        "method": method,
        "dtype": dtype,
        "seq_len": 16,
        "hidden_rows": 2,
        "draws": 4,
    }
    last = list(runner.reports("masks", values, "cpu"))[-1]
    assert math.isnan(last.metrics["hidden_row_sum"].scalar())
    assert last.metrics["nan_output"].scalar() > 0
    assert last.warnings == ()


def test_infinity_where_nan_is_expected_is_still_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    name = next(iter(softmax.METRICS))
    info = dataclasses.replace(softmax.METRICS[name], nan=True, low=0.0, high=1.0)
    for number, warned in ((math.nan, 0), (math.inf, 1)):
        broken = measuring(number)
        broken.METRICS = {**broken.METRICS, name: info}
        monkeypatch.setattr(runner, "load", lambda _, broken=broken: broken)
        assert len(list(runner.reports("softmax", {}, "cpu"))[-1].warnings) == warned
