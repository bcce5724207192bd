"""One experiment whose file is broken: a named failure of its own, and nobody else's."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quizapp.errors import ContentError
from quizapp.lab import catalogue, experiments
from quizapp.lab.engine import warm
from quizapp.lab.engine.runner import reports
from quizapp.session.experiments import found, listed

NAME = "broken_for_a_test"
SOUND = '''
from quizapp.lab.experiment import BaseParams, metric
CLAIM = METHOD = {"en": "x", "zh": "x"}
METRICS = {"x": metric("", "x", "x")}
PLOTS = ()
class Params(BaseParams):
    """None of its own."""
def run(params, ctx): yield ctx.report(metrics={"x": 1.0}, final=True)
def check(params, ctx): return {"x": 1.0}
'''
BROKEN = {
    "syntax": ("CLAIM = {\n", ":1", "SyntaxError"),
    "import": ("\nimport no_such_module_at_all\n", ":2", "ModuleNotFoundError"),
    "raises": ("\n\n1 / 0\n", ":3", "ZeroDivisionError: division by zero"),
    "exits": ("raise SystemExit('no')\n", ":1", "SystemExit: no"),
    "lacks": (SOUND.replace("def check", "def other"), "", "it has no check"),
    "params": (SOUND.replace('"""None of its own."""', "x: set[int]"), "", "cannot be a set"),
    "claim": (
        SOUND.replace('CLAIM = METHOD = {"en": "x", "zh": "x"}', "CLAIM = METHOD = 3"),
        "",
        "",
    ),
}
Broken = Callable[[str], None]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Broken]:
    """Puts an experiment of that source among the shipped ones."""
    caches = (catalogue.names, catalogue.describe, catalogue.catalogue)

    def write(source: str) -> None:
        (tmp_path / f"{NAME}.py").write_text(source)
        if str(tmp_path) not in experiments.__path__:
            monkeypatch.setattr(experiments, "__path__", [*experiments.__path__, str(tmp_path)])
        importlib.invalidate_caches()
        for cache in caches:
            cache.cache_clear()

    yield write
    monkeypatch.undo()
    sys.modules.pop(f"{experiments.__name__}.{NAME}", None)
    for cache in caches:
        cache.cache_clear()


@pytest.mark.parametrize("how", BROKEN)
def test_the_others_go_on_and_the_broken_one_is_named(how: str, put: Broken) -> None:
    source, line, words = BROKEN[how]
    put(source)
    warm.up()  # what the engine does before its first run
    assert list(reports("softmax", {}, "cpu"))[-1].status == "final"
    (only,) = reports(NAME, {}, "cpu")
    assert only.failure is not None
    assert only.failure.kind == "broken"
    assert f"{NAME}.py{line}: the experiment {NAME} cannot be loaded" in only.failure.text.to("en")
    assert f"实验 {NAME} 无法加载" in only.failure.text.to("zh")
    assert words in only.failure.text.to("en")


def test_lists_have_it_with_what_is_wrong(put: Broken) -> None:
    put(BROKEN["raises"][0])
    known = catalogue.catalogue()
    assert NAME not in known.experiments
    assert set(known.experiments) == set(catalogue.names()) - {NAME}
    assert "division by zero" in known.broken[NAME]
    for names in (dict(listed()), dict(found(""))):
        assert "division by zero" in names[NAME]
        assert len(names) == len(catalogue.names())
    with pytest.raises(ContentError, match="cannot be loaded"):
        catalogue.describe(NAME)


def test_mended_it_runs(put: Broken, tmp_path: Path) -> None:
    put(BROKEN["exits"][0])
    assert next(reports(NAME, {}, "cpu")).failure is not None
    put(SOUND)
    assert list(reports(NAME, {}, "cpu"))[-1].metrics["x"].scalar() == 1
