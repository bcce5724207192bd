"""Beliefs against numbers."""

import pytest
from helpers import report

from quizapp.bank import Expectation
from quizapp.session.expect import find, in_words, judge_expectation, split_path
from quizapp.text import i18n

RUN = report({"std": 8.0, "other": 2.0, "list": (1.0, 2.0, 3.0)})


@pytest.mark.parametrize(
    ("fields", "held", "margin"),
    [
        ({"below": 10}, True, 2.0),
        ({"below": 8}, True, 0.0),
        ({"below": 7}, False, -1.0),
        ({"above": 7}, True, 1.0),
        ({"above": 9}, False, -1.0),
        ({"about": 8.3, "rtol": 0.05}, True, 0.05 * 8.3 - 0.3),
        ({"about": 9, "atol": 0.5}, False, -0.5),
        ({"about": "other", "times": 4, "rtol": 0.01}, True, 0.08),
        ({"above": "other", "times": 5}, False, -2.0),
    ],
)
def test_a_belief_is_held_by_its_margin(
    fields: dict[str, object], held: bool, margin: float
) -> None:
    judged = judge_expectation(Expectation.model_validate({"metric": "std", **fields}), RUN)
    assert judged.held is held
    assert judged.margin == pytest.approx(margin)


def test_what_has_not_been_measured_decides_nothing() -> None:
    belief = Expectation.model_validate({"metric": "missing", "below": 1})
    assert judge_expectation(belief, RUN).held is None
    assert judge_expectation(belief, None).held is None
    other = Expectation.model_validate({"metric": "std", "below": "missing"})
    assert judge_expectation(other, RUN).held is None


def test_a_list_is_read_by_its_index() -> None:
    assert split_path("list[2]") == ("list", 2)
    found = find(RUN, "list[2]")
    assert found is not None
    assert found[1] == 3.0
    assert find(RUN, "list[3]") is None


def test_expectations_in_words() -> None:
    def words(**fields: object) -> str:
        belief = Expectation.model_validate({"metric": "std", **fields})
        return in_words(judge_expectation(belief, RUN), "")

    assert words(below=0.01) == "below 0.01"
    assert words(above="other") == "above 2"
    assert words(about=8, rtol=0.1) == "about 8"
    assert words(about=8, rtol=0.1, shown={"en": "most", "zh": "多数"}) == "most"
    i18n.set_language("zh")
    assert words(about=8, rtol=0.1, shown={"en": "most", "zh": "多数"}) == "多数"
    i18n.set_language("en")


def test_a_share_is_told_in_percent() -> None:
    belief = Expectation.model_validate({"metric": "std", "above": 0.5})
    assert in_words(judge_expectation(belief, RUN), "share") == "above 50 %"
