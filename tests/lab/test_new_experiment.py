"""An experiment begun by `quizapp new experiment` runs, and its cross-check can fail."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quizapp.lab import catalogue, experiments
from quizapp.lab.context import RunContext
from quizapp.lab.engine.crosscheck import compare
from quizapp.lab.engine.runner import reports
from quizapp.session.writing import new_experiment

NAME = "begun_by_a_test"


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    made = new_experiment(tmp_path / f"{NAME}.py")
    assert str(Path(experiments.__path__[0])) in made.onward
    monkeypatch.setattr(experiments, "__path__", [*experiments.__path__, str(tmp_path)])
    caches = (catalogue.names, catalogue.describe, catalogue.catalogue)
    for cache in caches:
        cache.cache_clear()
    yield NAME
    monkeypatch.undo()
    for cache in caches:
        cache.cache_clear()


def test_it_is_found_runs_and_agrees_with_itself(begun: str) -> None:
    assert begun in catalogue.names()
    info, last = catalogue.describe(begun), list(reports(begun, {"d_k": 16}, "cpu"))[-1]
    assert last.failure is None
    assert last.cross_check is not None
    assert last.cross_check.ok, last.cross_check
    assert set(last.metrics) == set(info.metrics)
    assert [plot.id for plot in last.histograms] == list(info.plots)
    for name, metric in last.metrics.items():
        assert (metric.stderr is not None) == info.metrics[name].sampled, name


def test_one_percent_off_fails_the_check(begun: str) -> None:
    module = catalogue.load(begun)
    params = module.Params()
    wanted = module.check(params, RunContext(begun, module.METRICS, params, "cpu"))
    last = list(reports(begun, {}, "cpu"))[-1]
    assert last.provenance is not None
    assert set(wanted) == set(last.metrics)
    for name, metric in last.metrics.items():
        assert isinstance(metric.value, float)
        off = {name: metric.model_copy(update={"value": 1.01 * metric.value})}
        found = compare(off, {name: wanted[name]}, last.provenance.dtype, module.METHOD)
        assert not found.ok, name
