"""A grade in words: the diagnosis first, the same finding once, prints bounded and plain."""

from __future__ import annotations

import pytest
from fake_judge import could_not_run, failed, passed

from quizapp.plot.checklist import Item
from quizapp.session.graded import PRINTED, told
from quizapp.text import i18n


def test_a_pass() -> None:
    words = told(passed())
    assert words.passed
    assert words.headline == "Passed: all 2 tests"
    assert words.made == "0.10 s; confined: no files, no network"
    assert words.first == ()
    assert [item.mark for item in words.further] == ["held", "held"]


def test_a_failure_names_the_mistake_in_either_language() -> None:
    grade = failed("weights: wrong", diagnosis=True)
    assert told(grade).diagnosis == "Your result equals a softmax over the columns."
    assert told(grade).first == (
        Item("it is the formula", "refuted"),
        Item("weights: wrong", level=1),
    )
    assert [picture.id for picture in told(grade).pictures] == ["got", "expected"]
    i18n.set_language("zh")
    assert told(grade).diagnosis == "你的结果等于沿列方向的 softmax。"
    assert told(grade).headline == "未通过：2 项测试中通过 1 项"


def test_what_several_tests_found_is_said_once() -> None:
    words = told(failed("NotImplementedError", "NotImplementedError"))
    assert words.headline == "Failed: 0 of 2 tests pass"
    assert words.first == (
        Item("NotImplementedError"),
        Item("it is the formula", "refuted", 1),
        Item("one column gives ones [/]", "refuted", 1),
    )
    assert words.further == ()


def test_different_findings_stand_apart() -> None:
    words = told(failed("one", "two"))
    assert words.further[:2] == (
        Item("one column gives ones [/]", "refuted"),
        Item("two", level=1),
    )


def test_before_the_first_test() -> None:
    grade = failed().model_copy(update={"tests": ()})
    assert told(grade).headline == "Failed before the first test"


def test_our_own_fault_is_told_as_ours() -> None:
    words = told(could_not_run(), "not logged")
    assert words.ours
    assert not words.passed
    assert "Your code is not at fault." in words.headline
    assert words.problem == "the judge ended: out of memory"
    assert words.unlogged == "not logged"


def test_a_test_that_never_began_is_neither() -> None:
    grade = passed()
    last = grade.tests[1].model_copy(update={"outcome": "not_run"})
    words = told(grade.model_copy(update={"verdict": "failed", "tests": (grade.tests[0], last)}))
    assert Item("one column gives ones [/] (not run)", "open") in words.further


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("", ""),
        ("a\x1b[31mb\u202e\n[/]\n", "ab\n[/]"),
        ("x\n" * (PRINTED + 3), "x\n" * PRINTED + "(3 more lines)"),
    ],
)
def test_prints_are_plain_and_bounded(output: str, shown: str) -> None:
    assert told(failed("no", output=output)).printed == shown


def test_weak_isolation_is_said() -> None:
    grade = passed().model_copy(update={"isolation": "limits"})
    assert "files and network were within its reach" in told(grade).made
