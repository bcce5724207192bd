"""The runner: whatever a run raises becomes a named result, and the engine goes on."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import torch

from quizapp.lab.context import RunContext
from quizapp.lab.engine import runner
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


@pytest.mark.parametrize(
    ("available", "wanted", "picked"),
    [
        (("cuda", "mps", "cpu"), "auto", "cuda"),
        (("mps", "cpu"), "auto", "mps"),
        (("cpu",), "auto", "cpu"),
        (("cuda", "cpu"), "cpu", "cpu"),
    ],
)
def test_auto_takes_cuda_then_mps_then_cpu(
    available: tuple[str, ...], wanted: str, picked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "devices", lambda: available)
    assert runner.pick_device(wanted) == picked


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


@pytest.mark.gpu
@pytest.mark.skipif(len(runner.devices()) < 2, reason="this machine has no accelerator")
def test_an_accelerator_agrees_with_the_cpu() -> None:
    name = runner.devices()[0]
    for experiment in ("score_variance", "attention_entropy", "flash_attention"):
        there = list(runner.reports(experiment, {}, name))[-1]
        assert there.cross_check is not None
        assert there.cross_check.ok
        assert there.provenance is not None
        assert there.provenance.device == name
