"""On an accelerator: the numbers of the CPU, TF32 off, and an engine that outlives its faults.

Run them where there is one: ``pytest -m gpu``. Elsewhere they are skipped.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import torch

from quizapp.lab.catalogue import Experiment, describe, names
from quizapp.lab.client import Engine, Job
from quizapp.lab.context import RunContext
from quizapp.lab.engine import devices, memory, runner
from quizapp.lab.engine.failures import Refused
from quizapp.lab.experiments import score_variance, softmax
from quizapp.report import Metric, Report

DEVICE = devices.devices()[0]
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(DEVICE == "cpu", reason="this machine has no accelerator"),
]
cuda = pytest.mark.skipif(DEVICE != "cuda", reason="this machine has no CUDA device")
#: What differs between devices for good reason: clocks, and what their allocators hand out.
OF_THE_MACHINE = ("s", "ms", "B")
#: Relative difference by number format: sums of some hundred terms, in another order.
TOLERANCE = {"float64": 1e-9, "float32": 2e-3, "bfloat16": 4e-2, "float16": 1e-2}


def last(name: str, values: dict[str, object], device: str, *, tf32: bool = False) -> Report:
    found = list(runner.reports(name, values, device, tf32=tf32))[-1]
    assert found.failure is None, found.failure
    return found


def listed(metric: Metric, what: str) -> list[float]:
    value = getattr(metric, what)
    return [] if value is None else list(value) if isinstance(value, tuple) else [value]


# --- the same inputs, the same numbers ------------------------------------------------------


def test_the_same_seed_draws_the_same_inputs_everywhere() -> None:
    params = score_variance.Params()
    here, there = (RunContext("x", {}, params, device) for device in ("cpu", DEVICE))
    assert torch.equal(here.normal("q", 100, 64), there.normal("q", 100, 64).cpu())


@pytest.mark.parametrize("name", names())
def test_every_experiment_runs_there_and_its_cross_check_agrees(name: str) -> None:
    found = last(name, {}, DEVICE)
    assert found.cross_check is not None
    assert found.cross_check.ok, found.cross_check
    assert found.provenance is not None
    assert found.provenance.device == DEVICE
    assert set(found.metrics) == set(describe(name).metrics)


@pytest.mark.parametrize("name", ["score_variance", "attention_entropy", "masks", "temperature"])
def test_sampled_numbers_are_those_of_the_cpu(name: str) -> None:
    here, there = last(name, {}, "cpu"), last(name, {}, DEVICE)
    assert here.provenance is not None
    share = TOLERANCE[here.provenance.dtype]
    for key, metric in here.metrics.items():
        if metric.unit in OF_THE_MACHINE or not listed(metric, "stderr"):
            continue
        both = zip(listed(metric, "value"), listed(there.metrics[key], "value"), strict=True)
        for (a, b), error in zip(both, listed(metric, "stderr"), strict=True):
            # The draws are the same, so what is left of the difference is rounding.
            assert abs(a - b) <= share * max(abs(a), error, 1e-3), key


@pytest.mark.parametrize("dtype", devices.FORMATS)
def test_attention_in_each_format_is_that_of_float64(dtype: str) -> None:
    if not devices.has(DEVICE, dtype):
        pytest.skip(f"{DEVICE} has no {dtype}")
    ctx = RunContext("x", {}, score_variance.Params(), "cpu")
    q, k, v = (ctx.normal(name, 4, 128, 64) for name in "qkv")
    # Rounded once, so that both sides start from the same numbers.
    few = [x.to(getattr(torch, dtype)) for x in (q, k, v)]
    there, _ = ctx.attention(*(x.to(DEVICE) for x in few))
    exact, _ = ctx.attention(*(x.double() for x in few))
    off = (there.cpu().double() - exact).norm() / exact.norm()
    assert off < TOLERANCE[dtype]


# --- TF32 -------------------------------------------------------------------------------


def product_error() -> float:
    """Relative error of a float32 product on the device, against float64."""
    generator = torch.Generator().manual_seed(0)
    a, b = (torch.randn(512, 512, generator=generator) for _ in range(2))
    exact = a.double() @ b.double()
    return float(((a.to(DEVICE) @ b.to(DEVICE)).cpu().double() - exact).norm() / exact.norm())


@pytest.fixture
def tf32_as_it_was() -> Iterator[None]:
    before = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    yield
    torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = before


@cuda
@pytest.mark.usefixtures("tf32_as_it_was")
def test_float32_is_float32_unless_tf32_is_asked_for() -> None:
    torch.backends.cuda.matmul.allow_tf32 = True
    plain = last("softmax", {}, DEVICE)
    assert plain.provenance is not None
    assert plain.provenance.tf32 is False
    assert product_error() < 2e-6
    asked = last("softmax", {}, DEVICE, tf32=True)
    assert asked.provenance is not None
    assert asked.provenance.tf32 is True
    if torch.cuda.get_device_capability() >= (8, 0):  # older ones have no such mode
        assert product_error() > 5e-5


# --- what goes wrong ---------------------------------------------------------------------


def test_what_is_larger_than_the_device_is_refused() -> None:
    room = memory.available(DEVICE)
    assert room is not None
    need = cast(Experiment, SimpleNamespace(memory=lambda params: params.pairs * room // 1500))
    with pytest.raises(Refused, match=r"Lower pairs to 1,[45]") as caught:
        memory.refuse_too_large(need, score_variance.Params(pairs=2000), DEVICE)
    assert caught.value.failure.kind == "memory"


def test_a_run_that_finds_no_room_is_named_and_leaves_the_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(_: object, ctx: RunContext) -> Iterator[Report]:
        held = [torch.empty(2**28, dtype=torch.uint8, device=ctx.device)]
        while True:
            held.append(torch.empty(2**36, dtype=torch.uint8, device=ctx.device))
            yield ctx.report(metrics={})

    before = memory.available(DEVICE)
    greedy = SimpleNamespace(METRICS=softmax.METRICS, run=run)
    with monkeypatch.context() as patch:
        patch.setattr(runner, "load", lambda _: greedy)
        found = list(runner.reports("softmax", {}, DEVICE))[-1]
    assert found.failure is not None
    assert found.failure.kind == "memory"
    after = memory.available(DEVICE)
    assert before is not None
    assert after is not None
    assert after > before - 2**27  # what was held is free again
    assert last("softmax", {}, DEVICE).status == "final"


#: Reads past the end of a tensor on the device: the kernel's own assertion fails.
ASSERTS = """
from quizapp.lab.experiment import BaseParams, metric

CLAIM = METHOD = {"en": "it fails", "zh": "它会失败"}
METRICS = {"number": metric("", "number", "a number")}
PLOTS = ()
Params = BaseParams


def run(params, ctx):
    import torch

    table, at = torch.ones(4, device=ctx.device), torch.tensor([10**6], device=ctx.device)
    yield ctx.report(metrics={"number": table[at].sum().item()}, final=True)


def check(params, ctx):
    return {"number": 1.0}
"""


@pytest.fixture
async def engine(tmp_path: Path) -> AsyncIterator[Engine]:
    (tmp_path / "asserts.py").write_text(ASSERTS)
    code = (
        f"from quizapp.lab import experiments; experiments.__path__.append({str(tmp_path)!r});"
        "import runpy; runpy.run_module('quizapp.lab.engine', run_name='__main__')"
    )
    made = Engine((sys.executable, "-c", code))
    yield made
    await made.close()


async def end(job: Job) -> Report:
    return [report async for report in job][-1]


@cuda
async def test_a_device_side_assert_costs_one_run_and_no_other(engine: Engine) -> None:
    await engine.ready()
    before = engine.pid
    broken = await engine.submit("asserts", {}, "cuda")
    waiting = await engine.submit("softmax", {}, "cuda")
    lost = await end(broken)
    assert lost.failure is not None
    assert lost.failure.kind == "lost"
    assert (await end(waiting)).failure is None
    assert engine.pid != before
