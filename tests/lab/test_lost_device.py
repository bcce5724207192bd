"""The engine when a device is lost, runs out of room or yields NaN: told, and it goes on.

The child is the real one; experiments that fail as a GPU would lie beside the shipped ones.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quizapp.lab.client import Engine, Job
from quizapp.report import Report

#: An experiment as short as one can be; its body is what goes wrong.
EXPERIMENT = """
from quizapp.lab.experiment import BaseParams, metric, param

CLAIM = METHOD = {{"en": "it fails", "zh": "它会失败"}}
METRICS = {{"number": metric("", "number", "a number")}}
PLOTS = ()


class Params(BaseParams):
    size: int = param(8, low=1, high=2**40, en="size", zh="大小")


def memory(params):
    return params.size


def run(params, ctx):
    import torch

    {body}
    yield ctx.report(metrics={{"number": 1.0}}, final=True)


def check(params, ctx):
    {check}
    return {{"number": 1.0}}
"""
LOSES = {
    "asserts": "raise RuntimeError('CUDA error: device-side assert triggered')",
    "fails_to_launch": "raise RuntimeError('CUDA error: unspecified launch failure')",
    "hangs": "raise RuntimeError('MPS: command buffer exited with error status. GPU Hang')",
}
OTHERS = {
    "too_large": "torch.empty(10**15)",
    "not_a_number": "yield ctx.report(metrics={'number': float('nan')})",
    "sound": "pass",
}


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    for name, body in {**LOSES, **OTHERS}.items():
        (tmp_path / f"{name}.py").write_text(EXPERIMENT.format(body=body, check="pass"))
    lost = EXPERIMENT.format(body="pass", check=LOSES["asserts"])
    (tmp_path / "asserts_later.py").write_text(lost)
    code = (
        f"from quizapp.lab import experiments; experiments.__path__.append({str(tmp_path)!r});"
        "import runpy; runpy.run_module('quizapp.lab.engine', run_name='__main__')"
    )
    made = Engine((sys.executable, "-c", code))
    yield made
    await made.close()


async def collect(job: Job) -> list[Report]:
    return [report async for report in job]


async def last(engine: Engine, name: str, **params: object) -> Report:
    return (await collect(await engine.submit(name, params, "cpu")))[-1]


def kind(report: Report) -> str:
    return "" if report.failure is None else report.failure.kind


@pytest.mark.parametrize("name", LOSES)
async def test_a_lost_device_is_named_and_the_engine_begins_anew(engine: Engine, name: str) -> None:
    await engine.ready()
    before = engine.pid
    report = await last(engine, name)
    assert kind(report) == "lost"
    assert report.failure is not None
    assert "was lost" in report.failure.text.to("en")
    assert (await last(engine, "sound")).status == "final"
    assert engine.pid not in (None, before)


async def test_runs_that_wait_behind_a_lost_device_are_made_by_the_next_engine(
    engine: Engine,
) -> None:
    names = ("asserts", "sound", "hangs", "sound")
    jobs = [await engine.submit(name, {}, "cpu") for name in names]
    ends = [(await collect(job))[-1] for job in jobs]
    assert [kind(end) for end in ends] == ["lost", "", "lost", ""]
    assert [end.metrics["number"].value for end in ends[1::2]] == [1.0, 1.0]
    assert ends[-1].cross_check is not None


async def test_numbers_stay_where_the_device_is_lost_in_the_next_run(engine: Engine) -> None:
    first = await engine.submit("sound", {}, "cpu")
    second = await engine.submit("asserts", {}, "cpu")
    assert kind((await collect(second))[-1]) == "lost"
    seen = await collect(first)
    assert seen[0].status == "final"
    assert seen[-1].failure is None


async def test_a_device_lost_in_the_cross_check_is_named_too(engine: Engine) -> None:
    seen = await collect(await engine.submit("asserts_later", {}, "cpu"))
    assert [report.status for report in seen] == ["final", "failed"]
    assert kind(seen[-1]) == "lost"
    assert (await last(engine, "sound")).status == "final"


async def test_closing_while_an_engine_begins_anew_leaves_nobody_waiting(engine: Engine) -> None:
    jobs = [await engine.submit(name, {}, "cpu") for name in ("asserts", "sound")]
    await collect(jobs[0])
    await engine.close()
    assert engine.pid is None
    await collect(jobs[1])  # it ends, with numbers or without


async def test_too_little_memory_and_nan_leave_the_engine_as_it_is(engine: Engine) -> None:
    await engine.ready()
    before = engine.pid
    assert kind(await last(engine, "too_large")) == "memory"
    refused = await last(engine, "sound", size=2**40)
    assert kind(refused) == "memory"
    assert refused.failure is not None
    assert "needs about 1024.0 GiB" in refused.failure.text.to("en")
    assert "Lower size to" in refused.failure.text.to("en")
    seen = await collect(await engine.submit("not_a_number", {}, "cpu"))
    assert [warning.to("en") for warning in seen[0].warnings] == ["NaN or infinite here: number"]
    assert (await last(engine, "sound")).status == "final"
    assert engine.pid == before
