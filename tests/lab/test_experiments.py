"""Every experiment: reproducible, cross-checked, and a check that can fail."""

import math
import sys
from collections.abc import Mapping
from functools import cache
from itertools import zip_longest

import pytest

from quizapp.lab.catalogue import describe, load, names
from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.engine.runner import reports
from quizapp.lab.experiment import Cancelled, Value
from quizapp.plot.grid import draw_grid
from quizapp.plot.tables import table_grid
from quizapp.report import CURVE_POINTS, HEAT_MAP_SIDE, Metric, Report
from quizapp.text import LANGUAGES

#: Columns that a table has on a screen of 80.
INNER = 76


@cache
def run(name: str, seed: int = 0) -> tuple[Report, ...]:
    return tuple(reports(name, {"seed": seed}, "cpu"))


@cache
def reference(name: str) -> Mapping[str, Value]:
    module = load(name)
    params = module.Params()
    return module.check(params, RunContext(name, module.METRICS, params, "cpu"))


@pytest.mark.parametrize("name", names())
def test_the_cross_check_agrees(name: str) -> None:
    last = run(name)[-1]
    assert last.failure is None
    assert last.status == "final"
    assert last.cross_check is not None
    assert last.cross_check.ok, last.cross_check


def _grown(metrics: Mapping[str, Metric], name: str) -> dict[str, Metric]:
    """`metrics` with one of them off by one percent of its size.

    The size of a sampled number is at least its standard error: one percent of a mean
    that happens to lie at zero is no error anybody could make.
    """
    metric = metrics[name]

    def off(value: float, stderr: float | None) -> float:
        return value + 0.01 * math.copysign(max(abs(value), stderr or 0.0), value)

    if not isinstance(metric.value, tuple):
        stderr = metric.stderr if isinstance(metric.stderr, float) else None
        grown: float | tuple[float, ...] = off(metric.value, stderr)
    else:
        errors = metric.stderr if isinstance(metric.stderr, tuple) else ()
        grown = tuple(off(value, error) for value, error in zip_longest(metric.value, errors))
    return {**metrics, name: metric.model_copy(update={"value": grown})}


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("said", LANGUAGES)
def test_no_label_of_a_table_is_cut_at_80_columns(name: str, said: str) -> None:
    for table in run(name)[-1].tables:
        drawn = "\n".join(draw_grid(table_grid(table, said), INNER))
        for row in table.rows:
            assert row.label.to(said) in drawn, f"{table.id}: {row.label.to(said)}"


@pytest.mark.parametrize("name", names())
def test_the_check_fails_when_a_number_is_off_by_one_percent(name: str) -> None:
    wanted, last, method = reference(name), run(name)[-1], load(name).METHOD
    assert last.provenance is not None
    dtype = last.provenance.dtype
    for metric in wanted:
        value, stderr = last.metrics[metric].value, last.metrics[metric].stderr
        if not any(value if isinstance(value, tuple) else (value, stderr or 0)):
            continue  # exactly 0, and so is one percent more
        alone = {metric: wanted[metric]}
        assert compare(last.metrics, alone, dtype, method).ok, metric
        assert not compare(_grown(last.metrics, metric), alone, dtype, method).ok, metric


@pytest.mark.parametrize("name", names())
def test_a_check_covers_several_numbers_or_all_there_are(name: str) -> None:
    covered = set(reference(name))
    assert covered <= set(describe(name).metrics)
    assert len(covered) >= min(3, len(describe(name).metrics))


@pytest.mark.parametrize("name", names())
def test_reports_are_plausible_small_and_complete(name: str) -> None:
    info, last = describe(name), run(name)[-1]
    assert set(last.metrics) == set(info.metrics)
    for key, metric in last.metrics.items():
        values = metric.value if isinstance(metric.value, tuple) else (metric.value,)
        assert all(info.metrics[key].low <= v <= info.metrics[key].high for v in values), key
        assert (metric.stderr is not None) == info.metrics[key].sampled, key
    plots = [p.id for p in last.curves] + [p.id for p in last.histograms]
    plots += [p.id for p in last.heat_maps]
    assert sorted(plots) == sorted(info.plots)
    assert all(len(curve.x) <= CURVE_POINTS for curve in last.curves)
    for heat_map in last.heat_maps:
        assert len(heat_map.values) <= HEAT_MAP_SIDE
        assert all(len(row) <= HEAT_MAP_SIDE for row in heat_map.values)
    assert Report.model_validate_json(last.model_dump_json()) == last


@pytest.mark.parametrize("name", names())
def test_the_same_seed_gives_the_same_numbers(name: str) -> None:
    again = tuple(reports(name, {"seed": 0}, "cpu"))[-1]
    timed: frozenset[str] = getattr(load(name), "TIMED", frozenset())  # ratios and slopes of times
    for key, metric in again.metrics.items():
        if key not in timed and (metric.unit not in ("s", "ms") or name == "redis_lock"):
            assert metric == run(name)[-1].metrics[key]


@pytest.mark.parametrize("name", names())
def test_a_run_can_be_cancelled(name: str) -> None:
    with pytest.raises(Cancelled):
        list(reports(name, {}, "cpu", cancelled=lambda: True))


def test_reading_the_catalogue_loads_neither_torch_nor_numpy() -> None:
    import subprocess

    code = (
        "import sys; from quizapp.lab.catalogue import catalogue; catalogue();"
        "print(sorted({'torch', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
