"""The rating table, row by row."""

from __future__ import annotations

import pytest

from quizapp.study.rating import Confidence, Rating, Verdict, rate, verdict_of


@pytest.mark.parametrize(
    ("verdict", "hints", "confidence", "share", "expected"),
    [
        ("right", 0, None, None, Rating.GOOD),
        ("right", 0, "fairly", None, Rating.GOOD),
        ("right", 0, "certain", None, Rating.GOOD),
        ("right", 0, "guess", None, Rating.HARD),
        ("right", 1, "certain", None, Rating.HARD),
        ("right", 0, None, 1.0, Rating.GOOD),
        ("right", 2, None, 1.0, Rating.HARD),
        ("wrong", 0, "certain", None, Rating.AGAIN),
        ("wrong", 3, "guess", 0.0, Rating.AGAIN),
        ("partial", 0, None, 0.5, Rating.HARD),
        ("partial", 0, "certain", 0.99, Rating.HARD),
        ("partial", 0, None, 0.49, Rating.AGAIN),
        ("partial", 1, "guess", 0.75, Rating.HARD),
        ("partial", 0, None, None, Rating.AGAIN),
        ("unrated", 0, "certain", None, None),
    ],
)
def test_table(
    verdict: Verdict,
    hints: int,
    confidence: Confidence | None,
    share: float | None,
    expected: Rating | None,
) -> None:
    assert rate(verdict, hints=hints, confidence=confidence, share=share) == expected


def test_nobody_but_the_learner_says_easy() -> None:
    verdicts: tuple[Verdict, ...] = ("right", "wrong", "partial", "unrated")
    levels: tuple[Confidence | None, ...] = (None, "guess", "fairly", "certain")
    given = {
        rate(v, hints=h, confidence=c, share=s)
        for v in verdicts
        for h in (0, 1)
        for c in levels
        for s in (None, 0.0, 0.5, 1.0)
    }
    assert given == {None, Rating.AGAIN, Rating.HARD, Rating.GOOD}


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_is_a_share(share: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        rate("partial", share=share)


def test_verdict_of_an_open_answer() -> None:
    assert [verdict_of(share) for share in (0, 0.01, 0.99, 1)] == [
        "wrong",
        "partial",
        "partial",
        "right",
    ]
