"""Orders, pairs and blanks as models: what needs what, and what an edit of them changes."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from quizapp.bank import MultiQuestion, OrderQuestion, Question, identify
from quizapp.bank.kinds.ordering import needed

_question: TypeAdapter[Question] = TypeAdapter(Question)
WORD = {"en": "Word", "zh": "词"}


def question(kind: str, **fields: Any) -> Question:
    every = dict.fromkeys(("title", "prompt", "explanation", "summary", "say"), WORD)
    run = {"run": "softmax"}
    whole = {"id": "one", "kind": kind, "tags": ["a"], "difficulty": 1, "experiment": run}
    return _question.validate_python({**whole, **every, **fields})


def steps(*named: tuple[str, list[str] | None]) -> OrderQuestion:
    entries = []
    for name, after in named:
        given = {} if after is None else {"after": after}
        entries.append({"id": name, "text": name, "feedback": WORD, **given})
    made = question("order", steps=entries)
    assert isinstance(made, OrderQuestion)
    return made


def test_a_step_needs_the_one_above_it_and_all_that_one_needs() -> None:
    chain = needed(steps(("a", None), ("b", None), ("c", None)))
    assert chain == {"a": set(), "b": {"a"}, "c": {"a", "b"}}
    partly = needed(steps(("a", []), ("b", []), ("c", ["a"]), ("d", ["b", "c"])))
    assert partly == {"a": set(), "b": set(), "c": {"a"}, "d": {"a", "b", "c"}}


def test_steps_that_need_each_other_name_one_another() -> None:
    circle = needed(steps(("a", ["c"]), ("b", None), ("c", None)))
    assert all(name in wanted for name, wanted in circle.items())


def meaning(made: Question) -> str:
    return identify("bank", made).meaning


def test_only_what_steps_need_decides_not_the_order_they_are_listed_in() -> None:
    listed = steps(("a", []), ("b", []), ("c", ["a", "b"]))
    turned = steps(("b", []), ("a", []), ("c", ["b", "a"]))
    chain = steps(("a", []), ("b", ["a"]), ("c", ["a", "b"]))
    assert meaning(listed) == meaning(turned) != meaning(chain)
    assert meaning(chain) == meaning(steps(("a", None), ("b", None), ("c", None)))


def written(forms: list[str]) -> Question:
    answer = {"id": "w", "text": "d_k", "forms": forms, "correct": True, "feedback": WORD}
    blank = {"id": "x", "label": WORD, "written": [answer]}
    return question("blank", sentence="[[x]]", blanks=[blank], feedback=WORD)


def test_another_spelling_that_is_taken_changes_the_meaning() -> None:
    assert meaning(written(["64"])) != meaning(written([]))
    assert meaning(written(["64", "dk"])) == meaning(written(["dk", "64"]))


def multi(**fields: Any) -> Question:
    choices = [
        {"id": name, "text": name, "feedback": WORD, "correct": name == "a"} for name in "ab"
    ]
    return question("multi", choices=choices, **fields)


def test_a_scoring_left_at_its_default_leaves_history_alone() -> None:
    plain = multi()
    assert isinstance(plain, MultiQuestion)
    assert meaning(plain) == meaning(multi(scoring="all")) != meaning(multi(scoring="net"))


def shape(**fields: Any) -> Question:
    answer = {"metric": "weights_shape", "axes": ["heads", "queries"]}
    return question("shape", feedback=WORD, **{"answer": answer, **fields})


def test_the_name_of_an_axis_is_wording_and_their_number_is_meaning() -> None:
    other = shape(answer={"metric": "weights_shape", "axes": ["H", "S_q"]})
    more = shape(answer={"metric": "weights_shape", "axes": ["heads", "queries", "keys"]})
    assert meaning(shape()) == meaning(other) != meaning(more)
    assert identify("bank", shape()).wording != identify("bank", other).wording


@pytest.mark.parametrize("given", [{}, {"choices": []}])
def test_a_blank_is_filled_in_exactly_one_way(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="exactly one of choices, written, answer"):
        question(
            "blank", sentence="[[x]]", blanks=[{"id": "x", "label": WORD, **given}], feedback=WORD
        )
