"""The engine process: runs, cancels, dies, comes back, and never speaks out of turn."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator

import pytest

from quizapp.errors import MachineError
from quizapp.lab.client import Engine, Job
from quizapp.report import Report

SLOW = {"d_k": 4096, "pairs": 400_000}


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    made = Engine()
    yield made
    await made.close()


async def collect(job: Job) -> list[Report]:
    return [report async for report in job]


async def first(job: Job) -> Report:
    return await anext(aiter(job))


async def test_a_run_streams_and_ends_with_the_cross_check(engine: Engine) -> None:
    ready = await engine.ready()
    assert ready.torch is not None
    assert "cpu" in ready.devices
    seen = await collect(await engine.submit("score_variance", {"d_k": 64}))
    assert [report.status for report in seen] == ["partial", "final", "final"]
    assert seen[-1].cross_check is not None
    assert seen[-1].cross_check.ok
    assert seen[-1].metrics["score_std"].scalar() == pytest.approx(8, rel=0.02)


async def test_cancel_stops_a_run_and_the_next_one_is_served(engine: Engine) -> None:
    job = await engine.submit("score_variance", SLOW)
    await first(job)
    pid = engine.pid
    await job.cancel()
    seen = await collect(await engine.submit("score_variance", {"d_k": 4}))
    assert seen[-1].status == "final"
    assert engine.pid == pid  # it stopped when asked: nothing had to be killed


async def test_a_killed_engine_is_named_and_replaced(engine: Engine) -> None:
    job = await engine.submit("score_variance", SLOW)
    await first(job)
    assert engine.pid is not None
    os.kill(engine.pid, signal.SIGKILL)
    last = (await collect(job))[-1]
    assert last.failure is not None
    assert last.failure.kind == "crashed"
    assert "killed" in last.failure.text.to("en")
    seen = await collect(await engine.submit("score_variance", {"d_k": 4}))
    assert seen[-1].status == "final"


async def test_a_stuck_engine_is_replaced_after_a_cancel(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quizapp.lab.client.PATIENCE", 0.05)
    job = await engine.submit("score_variance", SLOW)
    await first(job)
    assert engine.pid is not None
    os.kill(engine.pid, signal.SIGSTOP)
    await job.cancel()
    assert engine.pid is None
    assert (await collect(await engine.submit("softmax", {})))[-1].status == "final"


async def test_a_cross_check_that_nobody_waits_for_costs_no_engine(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quizapp.lab.client.PATIENCE", 0.05)
    job = await engine.submit("score_variance", SLOW)
    async for report in job:
        if report.status == "final":
            break
    pid = engine.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # as long as another run would keep it busy
    await job.cancel()
    assert engine.pid == pid
    os.kill(pid, signal.SIGCONT)
    assert (await collect(await engine.submit("softmax", {})))[-1].status == "final"
    assert engine.pid == pid


@pytest.mark.parametrize(
    ("params", "device", "kind", "words"),
    [
        ({"d_k": 0}, "auto", "params", "d_k takes a whole number from 1"),
        ({}, "tpu", "device", "This machine has:"),
    ],
)
async def test_what_cannot_run_is_a_named_result(
    engine: Engine, params: dict[str, object], device: str, kind: str, words: str
) -> None:
    (only,) = await collect(await engine.submit("score_variance", params, device))
    assert only.failure is not None
    assert only.failure.kind == kind
    assert words in only.failure.text.to("en")


async def test_without_torch_every_run_says_so(tmp_path: os.PathLike[str]) -> None:
    # A broken installation: a torch package that cannot be imported comes first on the path.
    broken = os.path.join(tmp_path, "torch.py")  # noqa: PTH118
    with open(broken, "w") as file:  # noqa: PTH123, ASYNC230
        file.write("raise ImportError('libtorch_cpu.so: no such file')")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import runpy;" + (
        "runpy.run_module('quizapp.lab.engine', run_name='__main__')"
    )
    engine = Engine((sys.executable, "-c", code))
    try:
        ready = await engine.ready()
        assert ready.torch is None
        (only,) = await collect(await engine.submit("softmax", {}))
        assert only.failure is not None
        assert only.failure.kind == "torch"
        assert "libtorch_cpu.so" in only.failure.text.to("en")
    finally:
        await engine.close()


async def test_an_engine_that_cannot_start_is_a_machine_error() -> None:
    with pytest.raises(MachineError, match="could not be started"):
        await Engine(("/does/not/exist",)).ready()


async def test_a_child_that_talks_nonsense_is_stopped() -> None:
    code = "import sys, time; print('hello', flush=True); time.sleep(60)"
    engine = Engine((sys.executable, "-c", code))
    ready = await engine.ready()
    assert ready.torch is None
    await engine.close()


async def test_the_child_ends_with_its_front() -> None:
    engine = Engine()
    await engine.ready()
    pid = engine.pid
    assert pid is not None
    assert engine._process is not None
    assert engine._process.stdin is not None
    engine._process.stdin.close()
    status = await asyncio.wait_for(engine._process.wait(), 10)
    assert status == 0
    await engine.close()
