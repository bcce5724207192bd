"""Shipped exercises hold what they promise, seen without a worker: quick, for authors.

Starters fail, every solution passes, every mistake fails, and the numbers of a mistake that
has a text are nobody else's.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from local_grading import Fault, LocalCall, LocalSubmission, grade, hidden_tests, load
from torch import Tensor

from quizapp.bank import ExerciseFolder, SameAs, load_banks
from quizapp.grader.testing import TOLERANCES
from quizapp.session.paths import shipped_banks

FOLDERS = [
    folder
    for loaded in load_banks(shipped_banks())
    if loaded.bank is not None
    for folder in loaded.bank.exercises.values()
]
every_exercise = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.path.name)
FILES = [
    pytest.param(folder, path, id=f"{folder.path.name}-{path.stem}")
    for folder in FOLDERS
    for path in folder.solutions
]
WRONG = [
    pytest.param(folder, name, id=f"{folder.path.name}-{name}")
    for folder in FOLDERS
    for name in folder.exercise.mistakes
]
#: How far beyond rounding two results must lie apart to be told apart.
SLACK = 4.0


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def failures(folder: ExerciseFolder, path: Path) -> dict[str, Exception]:
    """The tests that fail for a file, with what they say."""
    found = grade(folder, path, hidden_tests(folder))
    return {one.test: one.error for one in found if one.error is not None}


@every_exercise
def test_the_starter_fails_every_test(folder: ExerciseFolder) -> None:
    starter = failures(folder, folder.starter)
    assert len(starter) >= 8
    assert all("NotImplementedError" in str(error) for error in starter.values())


@pytest.mark.parametrize(("folder", "path"), FILES)
def test_a_solution_passes(folder: ExerciseFolder, path: Path) -> None:
    assert failures(folder, path) == {}


@pytest.mark.parametrize(("folder", "name"), WRONG)
def test_a_mistake_fails(folder: ExerciseFolder, name: str) -> None:
    outcomes = grade(folder, folder.mistake(name), hidden_tests(folder))
    assert any(one.error is not None for one in outcomes)  # the first failure is enough


def recorded(folder: ExerciseFolder) -> list[LocalCall]:
    """Every call that the tests make of a function, and of a class."""
    by_form: dict[str, list[LocalCall]] = {}
    for path in folder.solutions:
        form = LocalSubmission(folder.exercise, load(path), []).form
        if form not in by_form:
            outcomes = grade(folder, path, hidden_tests(folder))
            by_form[form] = [call for outcome in outcomes for call in outcome.calls]
    return [call for calls in by_form.values() for call in calls]


Effect = tuple[Tensor, ...] | None


def effects(folder: ExerciseFolder, name: str, calls: list[LocalCall]) -> list[Effect]:
    """What a mistake gives on each call; None where it raises or is not finite."""
    submission = LocalSubmission(folder.exercise, load(folder.mistake(name)), [])
    made_for = folder.exercise.class_
    found: list[Effect] = []
    for call in calls:
        asked = submission
        if submission.form == "class" and call.init and made_for is not None:
            asked = submission.with_init(**dict(zip(made_for.init, call.init, strict=True)))
        try:
            asked(*(x.detach() if isinstance(x, Tensor) else x for x in call.arguments))
        except Fault:
            found.append(None)
            continue
        got = submission.calls[-1].results
        found.append(got if all(bool(torch.isfinite(y).all()) for y in got) else None)
    return found


def apart(one: list[Effect], other: list[Effect]) -> bool:
    """Whether some call tells two implementations apart by finite numbers."""
    return any(
        a is not None and b is not None and not all(map(close, a, b))
        for a, b in zip(one, other, strict=True)
    )


def close(a: Tensor, b: Tensor) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    relative, absolute = (SLACK * x for x in TOLERANCES[a.dtype])
    return torch.allclose(a.detach().double(), b.detach().double(), relative, absolute)


@every_exercise
def test_mistakes_with_a_text_are_told_apart_by_their_numbers(folder: ExerciseFolder) -> None:
    calls = recorded(folder)
    told = [name for name in folder.exercise.mistakes if folder.exercise.diagnosis(name)]
    by_name = {name: effects(folder, name, calls) for name in told}
    right: list[Effect] = [call.results for call in calls]
    assert [name for name in told if not apart(by_name[name], right)] == []
    alike = [
        (one, other)
        for one, other in itertools.combinations(told, 2)
        if folder.exercise.diagnosis(one) != folder.exercise.diagnosis(other)
        and not apart(by_name[one], by_name[other])
    ]
    assert alike == []
    for name, diagnosis in folder.exercise.mistakes.items():
        if isinstance(diagnosis, SameAs):
            assert not apart(by_name[name], by_name[diagnosis.id]), name


ATTENTION = next(f for f in FOLDERS if f.path.name == "scaled_dot_product_attention")
HEAD = "import math\nimport numpy as np\nimport torch\nimport torch.nn.functional as F\n"
LINES = {
    "scale": "scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.size(-1))",
    "mask": "scores = scores.masked_fill(mask == 0, float('-inf'))",
    "softmax": "weights = torch.softmax(scores, dim=-1)",
    "end": "return torch.matmul(weights, V), weights",
}
#: Other ways to write a line that are right as well.
VARIATIONS = {
    "tensor root": {"scale": "scores = Q @ K.mT / torch.sqrt(torch.tensor(Q.size(-1)))"},
    "float32 root": {
        "scale": "scores = Q @ K.mT / torch.sqrt(torch.tensor(Q.size(-1), dtype=torch.float32))"
    },
    "numpy root": {"scale": "scores = Q @ K.transpose(2, 3) / np.sqrt(K.shape[-1])"},
    "scaled query": {"scale": "scores = (Q * Q.size(-1) ** -0.5) @ K.swapaxes(-1, -2)"},
    "minus 1e9": {"mask": "scores = scores.masked_fill(mask == 0, -1e9)"},
    "lowest": {"mask": "scores = torch.where(mask != 0, scores, torch.finfo(scores.dtype).min)"},
    "additive": {"mask": "scores = scores + (1 - mask.to(scores.dtype)) * -1e9"},
    "after, renormalised": {
        "mask": "hidden = mask == 0",
        "softmax": (
            "weights = torch.softmax(scores, dim=-1)\n"
            "    if mask is not None:\n"
            "        weights = weights.masked_fill(hidden, 0)\n"
            "        weights = weights / weights.sum(-1, keepdim=True)"
        ),
    },
    "upcast softmax": {
        "softmax": "weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(Q.dtype)"
    },
    "list": {"end": "return [weights @ V, weights]"},
    "not contiguous": {"end": "return (V.mT @ weights.mT).mT, weights"},
}


@pytest.mark.parametrize("lines", VARIATIONS.values(), ids=VARIATIONS)
def test_other_right_ways_to_write_attention_pass(lines: dict[str, str], tmp_path: Path) -> None:
    used = LINES | lines
    path = tmp_path / "submission.py"
    path.write_text(
        f"{HEAD}\n\ndef scaled_dot_product_attention(Q, K, V, mask=None):\n"
        f"    {used['scale']}\n    if mask is not None:\n        {used['mask']}\n"
        f"    {used['softmax']}\n    {used['end']}\n"
    )
    assert failures(ATTENTION, path) == {}


def test_the_first_exercise_is_deep() -> None:
    tests: list[Callable[..., None]] = hidden_tests(ATTENTION)
    assert 13 <= len(tests) <= 18
    assert len(ATTENTION.solutions) >= 3
    assert len(ATTENTION.exercise.mistakes) >= 16
