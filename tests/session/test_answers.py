"""Right or wrong."""

import pytest
from helpers import question, report

from quizapp.session.answers import Answer, judge

RUN = report({"score_std": 16.1})


@pytest.mark.parametrize(("chosen", "outcome"), [("eight", "right"), ("one", "wrong")])
def test_single(chosen: str, outcome: str) -> None:
    assert judge(question("spread"), Answer(chosen=(chosen,)), None) == outcome


@pytest.mark.parametrize(
    ("chosen", "outcome"),
    [
        (("four", "sixteen"), "right"),
        (("sixteen", "four"), "right"),
        (("four",), "wrong"),
        (("four", "sixteen", "mean"), "wrong"),
        ((), "wrong"),
    ],
)
def test_multi_takes_exactly_the_right_ones(chosen: tuple[str, ...], outcome: str) -> None:
    assert judge(question("true-ones"), Answer(chosen=chosen), None) == outcome


@pytest.mark.parametrize(
    ("number", "outcome"), [(16.0, "right"), (16.9, "right"), (15.2, "wrong"), (17.0, "wrong")]
)
def test_a_number_is_judged_by_the_run(number: float, outcome: str) -> None:
    assert judge(question("number"), Answer(number=number), RUN) == outcome


def test_a_number_waits_for_a_complete_run() -> None:
    answer = Answer(number=16.0)
    assert judge(question("number"), answer, None) is None
    assert judge(question("number"), answer, report({"score_std": 16}, status="partial")) is None


def test_a_number_without_an_engine_is_unrated() -> None:
    failed = report({}, status="failed")
    assert judge(question("number"), Answer(number=16.0), failed) == "unrated"


@pytest.mark.parametrize(
    ("ticked", "outcome"),
    [
        (("variance", "root", "softmax"), "right"),
        (("variance", "root"), "partial"),
        (("root",), "wrong"),
        ((), "wrong"),
    ],
)
def test_open_goes_by_the_points_ticked(ticked: tuple[str, ...], outcome: str) -> None:
    assert judge(question("aloud"), Answer(chosen=ticked), None) == outcome
