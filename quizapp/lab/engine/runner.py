"""Runs one experiment: reports as they come, then the cross-check, or a named failure."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from typing import Final

import torch

from quizapp.errors import QuizappError, UsageError
from quizapp.lab.catalogue import load
from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.experiment import BaseParams, Cancelled
from quizapp.lab.params import validate
from quizapp.report import Failure, Report
from quizapp.text import Text

#: Partial reports closer together than this are dropped: no eye follows more than 15 a second.
INTERVAL: Final = 1 / 15


def devices() -> tuple[str, ...]:
    """The devices torch can use here, best first."""
    found = []
    if torch.cuda.is_available():
        found.append("cuda")
    if torch.backends.mps.is_available():
        found.append("mps")
    return (*found, "cpu")


def pick_device(wanted: str) -> str:
    """A real device for "auto", "cpu", "cuda" or "mps". Raises UsageError where it is absent."""
    available = devices()
    if wanted == "auto":
        return available[0]
    if wanted not in available:
        raise UsageError(
            f"device {wanted!r} is not there", remedy=f"This machine has: {', '.join(available)}."
        )
    return wanted


def reports(
    name: str,
    values: dict[str, object],
    device: str,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[Report]:
    """Ever fuller Reports of one run; the last one carries the cross-check.

    Never raises for what can go wrong in a run: the last report then is `failed`.
    Raises Cancelled when `cancelled()` turns true.
    """
    try:
        params = validate(name, values)
        real = pick_device(device)
        context = RunContext(
            name, load(name).METRICS, params, real, cancelled=cancelled, clock=clock
        )
        yield from _run(name, params, context, clock)
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a run raises becomes a named result
        yield Report(experiment=name, status="failed", failure=_failure(error))


def _run(
    name: str, params: BaseParams, context: RunContext, clock: Callable[[], float]
) -> Iterator[Report]:
    module, last, shown = load(name), None, 0.0
    for report in module.run(params, context):
        context.checkpoint()
        if report.status == "partial" and last is not None and clock() - shown < INTERVAL:
            continue
        last, shown = report, clock()
        yield report
    if last is None or last.status != "final":
        raise RuntimeError(f"{name} ended without a final report")
    context.checkpoint()  # a check that waited its turn may no longer be wanted
    checked = compare(last.metrics, module.check(params, context), context.dtype, module.METHOD)
    yield last.model_copy(update={"cross_check": checked})


def _failure(error: Exception) -> Failure:
    if isinstance(error, UsageError):
        kind = "device" if "device" in error.what else "params"
        return Failure(kind=kind, text=Text.of(str(error)))
    if isinstance(error, QuizappError):
        return Failure(kind="error", text=Text.of(str(error)))
    out_of_memory = isinstance(error, (MemoryError, torch.OutOfMemoryError)) or (
        isinstance(error, RuntimeError) and "allocate memory" in str(error)
    )
    if out_of_memory:
        wording = {
            "en": "There was not enough memory for this run. Try smaller sizes.",
            "zh": "内存不足，无法完成这次运行。请把参数调小后再试。",
        }
        return Failure(kind="memory", text=Text.of(wording))
    traceback.print_exc()  # to the engine's stderr, which `--debug` shows
    said = f"{type(error).__name__}: {error}"
    return Failure(kind="error", text=Text.of({"en": said, "zh": said}))
