"""One number over the values of one parameter."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest
from driving import LocalEngine
from helpers import SMALL

from quizapp.errors import UsageError
from quizapp.lab.client import Engine
from quizapp.report import ParamInfo, ParamValue
from quizapp.session import readings
from quizapp.session.bench import Bench, open_bench
from quizapp.session.session import open_session
from quizapp.session.sweep import POINTS, ladder
from quizapp.text import Text

NONE = Text.of("x")


@pytest.mark.parametrize(
    ("info", "now", "values"),
    [
        (ParamInfo("d", "int", 64, NONE, 1, 128, step="double"), 64, (1, 2, 4, 8, 16, 32, 64, 128)),
        (ParamInfo("d", "int", 64, NONE, 1, 4096, step="double"), 8, (2, 8, 32, 128, 512, 2048)),
        (ParamInfo("n", "int", 3, NONE, 2, 5), 3, (2, 3, 4, 5)),
        (ParamInfo("x", "float", 0.0, NONE, 0, 4), 0.3, (0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4)),
        (ParamInfo("c", "choice", "b", NONE, choices=("a", "b")), "b", ("a", "b")),
        (ParamInfo("b", "bool", False, NONE), False, (False, True)),
        (ParamInfo("l", "floats", (1.0,), NONE), (1.0,), ()),
        (ParamInfo("seed", "int", 0, NONE, 0, 2**31 - 1), 4, tuple(range(4, 13))),
    ],
)  # fmt: skip
def test_the_values_of_a_sweep(
    info: ParamInfo, now: ParamValue, values: tuple[ParamValue, ...]
) -> None:
    assert ladder(info, now) == values
    assert len(values) <= POINTS


@pytest.fixture
def engine() -> LocalEngine:
    return LocalEngine()


@pytest.fixture
async def softmax(tmp_path: Path, engine: LocalEngine) -> AsyncIterator[Bench]:
    session = open_session(home=tmp_path, engine=cast(Engine, engine), banks=SMALL)
    bench = await open_bench(session, "softmax")
    await bench.run(lambda: None, settle=0)
    yield bench
    await session.close()


async def test_a_sweep_becomes_a_curve_and_a_table(softmax: Bench, engine: LocalEngine) -> None:
    seen: list[int] = []
    softmax.begin_sweep("temperature", "max_weight")
    assert softmax.sweep is not None
    await softmax.run_sweep(lambda: seen.append(len(softmax.sweep.points if softmax.sweep else ())))
    curve, table = softmax.sweep.curve, softmax.sweep.table
    assert seen == [*range(8), 7]
    assert curve is not None
    assert table is not None
    assert curve.x == (0.015625, 0.0625, 0.25, 1.0, 4.0, 16.0, 64.0)
    values = curve.series[0].values
    assert values[0] == 1.0  # next to nothing but the largest logit
    assert values[-1] == pytest.approx(1 / 3, abs=0.01)  # hot: uniform
    assert [row.cells[0] for row in table.rows] == list(values)
    assert softmax.values["temperature"] == 1.0  # the form stays as it was
    assert all(job.cancelled for job in engine.jobs[1:])  # no cross-check is waited for
    assert "max_weight over temperature: cpu, seed 0" in readings.swept(softmax.sweep)
    assert not softmax.running


async def test_values_that_do_not_go_with_the_others_are_told(
    softmax: Bench, engine: LocalEngine
) -> None:
    softmax.begin_sweep("target", "entropy")
    await softmax.run_sweep(lambda: None)
    sweep = softmax.sweep
    assert sweep is not None
    assert [value for value, *_ in sweep.points] == [0, 2]
    assert sweep.refused == [4, 6, 8, 9, 11, 13, 15]
    assert "did not run: 4, 6" in readings.swept(sweep)
    assert len(engine.jobs) == 3


async def test_choices_become_a_table_alone(tmp_path: Path, engine: LocalEngine) -> None:
    session = open_session(home=tmp_path, engine=cast(Engine, engine), banks=SMALL)
    bench = await open_bench(session, "walkthrough")
    await bench.run(lambda: None, settle=0)
    bench.begin_sweep("causal", "entropy")
    await bench.run_sweep(lambda: None)
    assert bench.sweep is not None
    assert bench.sweep.curve is None
    assert bench.sweep.table is not None
    assert [row.label.to("en") for row in bench.sweep.table.rows] == ["no", "yes"]
    await session.close()


@pytest.mark.parametrize(
    ("name", "metric", "words"),
    [
        ("temperature", "probabilities", "Highlight a single number"),
        ("logits", "entropy", "logits is a list"),
    ],
)
async def test_what_cannot_be_swept_is_told(
    softmax: Bench, name: str, metric: str, words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        softmax.begin_sweep(name, metric)
    assert softmax.sweep is None


async def test_a_sweep_that_is_left_stops_every_run(softmax: Bench, engine: LocalEngine) -> None:
    engine.gate.clear()
    softmax.begin_sweep("temperature", "entropy")
    task = asyncio.create_task(softmax.run_sweep(lambda: None))
    for _ in range(100):
        await asyncio.sleep(0)
    assert readings.state(softmax) == "sweep 0/7"
    task.cancel()
    await asyncio.wait([task])
    assert all(job.cancelled for job in engine.jobs[1:])
    assert not softmax.running
    assert readings.state(softmax) == ""
