"""What an exercise's tests.py is written with: inputs, comparisons, laws, and names for people.

A test gets the fixture `submission`, calls it, and holds the results to a float64 reference
or to a law. Every helper raises `Mismatch`, which says in both languages what is off. This
runs in the judge's process only: it needs torch.
"""

from quizapp.grader.testing.calling import Call, Submission, results
from quizapp.grader.testing.comparing import TOLERANCES, agree, finite, same_dtype
from quizapp.grader.testing.gradients import gradients_agree, gradients_flow, unchanged
from quizapp.grader.testing.inputs import draw, draw_mask, strided
from quizapp.grader.testing.laws import (
    hides,
    ignores_hidden_keys,
    ignores_order_of_keys,
    ignores_the_future,
    rows_sum_to_1,
    within_hull,
)
from quizapp.grader.testing.memory import stays_small
from quizapp.grader.testing.mismatch import Mismatch
from quizapp.grader.testing.naming import is_only_class, named, only_class, title_of

__all__ = [
    "TOLERANCES",
    "Call",
    "Mismatch",
    "Submission",
    "agree",
    "draw",
    "draw_mask",
    "finite",
    "gradients_agree",
    "gradients_flow",
    "hides",
    "ignores_hidden_keys",
    "ignores_order_of_keys",
    "ignores_the_future",
    "is_only_class",
    "named",
    "only_class",
    "results",
    "rows_sum_to_1",
    "same_dtype",
    "stays_small",
    "strided",
    "title_of",
    "unchanged",
    "within_hull",
]
