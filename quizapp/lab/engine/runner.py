"""Runs one experiment: reports as they come, then the cross-check, or a named failure."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Final

from quizapp.lab.catalogue import load
from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.engine.devices import give_back, pick_device, refuse_format, use_tf32
from quizapp.lab.engine.failures import failure_of
from quizapp.lab.engine.memory import refuse_too_large
from quizapp.lab.experiment import BaseParams, Cancelled
from quizapp.lab.params import validate
from quizapp.lab.wire import Own
from quizapp.report import Failure, Metric, MetricInfo, Report
from quizapp.text import Text

#: Partial reports closer together than this are dropped, unless they bring a number for the
#: first time: no eye follows more than 15 a second.
INTERVAL: Final = 1 / 15
#: How many numbers a warning names.
SEVERAL: Final = 4
_NOT_YOURS: Final = Text.of(
    {
        "en": "This experiment computes no attention of the kind you wrote: its numbers are ours.",
        "zh": "这个实验不计算你写的那种注意力：数字来自我们的实现。",
    }
)


def reports(
    name: str,
    values: dict[str, object],
    device: str,
    *,
    tf32: bool = False,
    own: Own | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[Report]:
    """Ever fuller Reports of one run; the last one carries the cross-check.

    Never raises for what can go wrong in a run: the last report then is `failed`.
    Raises Cancelled when `cancelled()` turns true.
    """
    real, function = device, None
    try:
        params, module = validate(name, values), load(name)
        real = pick_device(device)
        refuse_format(params, real)
        refuse_too_large(module, params, real)
        if own is not None:
            from quizapp.lab.engine.own import OwnAttention

            function = OwnAttention(own)
        context = RunContext(
            name,
            module.METRICS,
            params,
            real,
            tf32=use_tf32(real, tf32),
            function=function,
            function_name="" if own is None else own.name,
            cancelled=cancelled,
            clock=clock,
        )
        yield from _run(name, params, context, clock, own=own is not None)
        return
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a run raises becomes a named result
        failure = failure_of(error, real)
    finally:
        if function is not None:
            function.close()
    # Only here has the error let go of the frames that hold the run's tensors.
    yield _failed(name, failure, real)


def _failed(name: str, failure: Failure, device: str) -> Report:
    if failure.kind == "memory":
        give_back(device)
    return Report(experiment=name, status="failed", failure=failure)


def _run(
    name: str, params: BaseParams, context: RunContext, clock: Callable[[], float], *, own: bool
) -> Iterator[Report]:
    module, last, shown = load(name), None, 0.0
    for bare in module.run(params, context):
        context.checkpoint()
        if last is not None and _tells_little(bare, last) and clock() - shown < INTERVAL:
            continue
        report = _warned(bare, module.METRICS)
        if own and report.status == "final" and not context.function_called:
            report = report.model_copy(update={"warnings": (*report.warnings, _NOT_YOURS)})
        last, shown = report, clock()
        yield report
    if last is None or last.status != "final":
        raise RuntimeError(f"{name} ended without a final report")
    context.checkpoint()  # a check that waited its turn may no longer be wanted
    checked = compare(last.metrics, module.check(params, context), context.dtype, module.METHOD)
    yield last.model_copy(update={"cross_check": checked})


def _tells_little(report: Report, last: Report) -> bool:
    """Whether a partial report only refines the last one: a first number never waits."""
    return report.status == "partial" and report.metrics.keys() <= last.metrics.keys()


def _warned(report: Report, known: dict[str, MetricInfo]) -> Report:
    """`report` with a warning that names every number which is none, if there is one.

    An infinity is one only where the metric's plausible range ends, and NaN where the metric
    says that it is meant: some are measured on purpose.
    """
    broken = [name for name, metric in report.metrics.items() if _is_broken(metric, known[name])]
    if not broken:
        return report
    names = ", ".join(broken[:SEVERAL])
    more = len(broken) - SEVERAL
    words = {
        "en": f"NaN or infinite here: {names}" + (f" and {more} more" if more > 0 else ""),
        "zh": f"此处为 NaN 或无穷大：{names}" + (f" 等 {len(broken)} 项" if more > 0 else ""),
    }
    return report.model_copy(update={"warnings": (*report.warnings, Text.of(words))})


def _is_broken(metric: Metric, info: MetricInfo) -> bool:
    values = metric.value if isinstance(metric.value, tuple) else (metric.value,)
    return any(
        not info.nan if math.isnan(v) else math.isinf(v) and not info.low <= v <= info.high
        for v in values
    )
