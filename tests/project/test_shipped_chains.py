"""The shipped questions as an interviewer would chain them: every claim is led to."""

from __future__ import annotations

from pathlib import Path

from quizapp.bank import Question
from quizapp.session.library import read

LIBRARY = read([Path(__file__).parents[2] / "questions"])


def followed(question: Question) -> tuple[str, ...]:
    names = (question.followups.right, question.followups.wrong)
    return tuple(name for name in names if name is not None)


def test_every_question_leads_on() -> None:
    silent = [ref for ref, e in LIBRARY.entries.items() if not followed(e.question)]
    assert silent == []


def test_every_claim_and_prediction_is_led_to_by_another_question() -> None:
    led_to = {
        found.reference
        for entry in LIBRARY.entries.values()
        for name in followed(entry.question)
        if (found := LIBRARY.follow(entry, name)) is not None
    }
    asked = {
        reference
        for reference, entry in LIBRARY.entries.items()
        if entry.question.kind in ("claim", "predict")
    }
    assert asked - led_to == set()


def test_questions_of_other_kinds_lead_to_claims_after_right_and_after_wrong_answers() -> None:
    sides = {
        side
        for entry in LIBRARY.entries.values()
        if entry.question.kind != "claim"
        for side in ("right", "wrong")
        if (found := LIBRARY.follow(entry, getattr(entry.question.followups, side))) is not None
        and found.question.kind == "claim"
    }
    assert sides == {"right", "wrong"}
