"""A number that its metric cannot have is told where the question asks for the run."""

from __future__ import annotations

import pytest
from driving import SMALL

from quizapp.bank import Bank, load_bank
from quizapp.report import CrossCheck, Metric, Report
from quizapp.session.plausible import implausible
from quizapp.session.tried import troubles
from quizapp.text import Text


def measured(value: float | tuple[float, ...], name: str = "score_std") -> Report:
    metric = Metric(value=value, unit="", meaning=Text.of("m"), label=Text.of("l"))
    check = CrossCheck(
        ok=True,
        max_abs_diff=0.0,
        tolerance=0.01,
        metric=name,
        compared=(name,),
        method=Text.of("by hand"),
    )
    return Report(
        experiment="score_variance", status="final", metrics={name: metric}, cross_check=check
    )


@pytest.fixture
def bank() -> Bank:
    found = load_bank(SMALL).bank
    assert found is not None
    return found


@pytest.mark.parametrize("value", [8.0, 0.0, -1e-9, float("inf"), float("nan")])
def test_a_plausible_number_is_not_told(value: float) -> None:
    assert list(implausible(measured(value))) == []


def test_one_outside_is_told_with_its_range() -> None:
    assert list(implausible(measured(-3.0))) == ["score_std = -3, which lies from 0 to inf"]
    assert len(list(implausible(measured((8.0, -3.0, -4.0))))) == 1
    assert list(implausible(measured(-3.0, "unknown"))) == []


def test_it_points_at_the_run(bank: Bank) -> None:
    question = next(iter(bank.questions.values()))
    found = list(troubles(bank, question, ("experiment",), [measured(8.0), measured(-3.0)]))
    assert [one.code for one in found] == ["QB056"]
    assert found[0].message == (
        "the run measured with seed 1 what it cannot: score_std = -3, which lies from 0 to inf"
    )
    assert found[0].source_line.lstrip().startswith("experiment:")
