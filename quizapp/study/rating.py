"""Turn an answer into the rating that the scheduler understands.

| Verdict              | Hint used or "guess" | otherwise           |
|----------------------|----------------------|---------------------|
| unrated              | none                 | none                |
| wrong                | Again                | Again               |
| partial, share < 1/2 | Again                | Again               |
| partial, share ≥ 1/2 | Hard                 | Hard                |
| right                | Hard                 | Good ("certain" too)|

`share` is the share of an open question's points that the answer had. A partial answer
without one (a wrong choice among right ones) had something in it refuted: Again. Easy is
given by nobody but the learner, who says so afterwards. Certainty does not raise a
rating: it is what calibration measures, and a rating that rewarded it would bend it.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Literal

Verdict = Literal["right", "wrong", "partial", "unrated"]
Confidence = Literal["guess", "fairly", "certain"]


class Rating(IntEnum):
    """The four ratings of FSRS, by its numbers."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


def rate(
    verdict: Verdict,
    *,
    hints: int = 0,
    confidence: Confidence | None = None,
    share: float | None = None,
) -> Rating | None:
    """The rating by the table above; None changes no card. ValueError for a share outside 0–1."""
    if share is not None and not 0 <= share <= 1:
        raise ValueError(f"share must be between 0 and 1, got {share}")
    if verdict == "unrated":
        return None
    if verdict == "wrong":
        return Rating.AGAIN
    if verdict == "partial":
        return Rating.HARD if share is not None and share >= 0.5 else Rating.AGAIN
    return Rating.HARD if hints > 0 or confidence == "guess" else Rating.GOOD


def verdict_of(share: float) -> Verdict:
    """The verdict on an open answer that had this share of the points (0–1)."""
    if share >= 1:
        return "right"
    return "partial" if share > 0 else "wrong"
