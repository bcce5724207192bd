"""Which mistake explains a submission: agreement on numbers, and never a contradiction."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from quizapp.grader.judge.contract import SubmissionFault
from quizapp.grader.judge.diagnosis import diagnose
from quizapp.grader.judge.submission import Call
from quizapp.grader.wire import Argument, Mistake, Returned, Signature, Task
from quizapp.text import Text

SIGNATURE = Signature(
    entry="f",
    class_name="F",
    class_init=("n",),
    arguments=(Argument(name="x", shape=("n",)),),
    returns=(Returned(name="y", shape=("n",)),),
)
SOLUTION = "def f(x): return 2 * x\n"
MISTAKES = {
    "thrice": "def f(x): return 3 * x\n",
    "squared": "def f(x): return x * x\n",
    "summed": "def f(x): return (2 * x).sum()\n",
    "raises": "def f(x): raise ValueError\n",
    "nan": "def f(x): return x * float('nan')\n",
    "half_nan": "def f(x):\n    y = 3 * x\n    y[:1] = float('nan')\n    return y\n",
    "in_place": "def f(x):\n    x *= 2\n    return x\n",
    "cut": "def f(x): return 2 * x.detach()\n",
    "first_kept": "kept = []\ndef f(x):\n    kept.append(2 * x)\n    return kept[0]\n",
    "single": "def f(x):\n    y = (2 * x).float()\n    y[x > 90] = 0\n    return y\n",
    "fixed_size": "class F:\n    def __init__(self, n): self.n = n\n"
    "    def __call__(self, x): return 2 * x * len(x) / self.n\n",
}
A, B = torch.tensor([1.0, 3.0]), torch.tensor([-1.0, 0.5])
FAULT = SubmissionFault("exception", en="boom", zh="出错")


@pytest.fixture
def task(tmp_path: Path) -> Task:
    def written(name: str, source: str) -> str:
        (tmp_path / f"{name}.py").write_text(source)
        return str(tmp_path / f"{name}.py")

    return Task(
        id=0,
        exercise="double",
        folder=str(tmp_path),
        signature=SIGNATURE,
        forbidden=(),
        seconds=1.0,
        memory=2**29,
        mistakes=tuple(
            Mistake(file=written(name, source), diagnosis=name, text=Text.of(name))
            for name, source in MISTAKES.items()
        ),
        solution=written("solution", SOLUTION),
        source=b"",
    )


def named(task: Task, calls: Sequence[Call]) -> str | None:
    found = diagnose(task, calls, [0])
    return None if found is None else found.id


def call(x: torch.Tensor, y: torch.Tensor, **more: object) -> Call:
    return Call((x,), None, (y,), **more)  # type: ignore[arg-type]


def test_the_mistake_with_the_same_numbers_is_named(task: Task) -> None:
    assert named(task, [call(A, 3 * A), call(B, 3 * B)]) == "thrice"
    assert named(task, [call(A, A * A), call(B, B * B)]) == "squared"


def test_one_contradiction_is_enough(task: Task) -> None:
    assert named(task, [call(A, 3 * A), call(B, 4 * B)]) is None
    # At x = 3 alone thrice and squared are the same: the other call tells.
    three = torch.tensor([3.0, 3.0])
    assert named(task, [call(three, 3 * three), call(B, B * B)]) == "squared"


def test_numbers_are_compared_up_to_rounding(task: Task) -> None:
    assert named(task, [call(A, 3 * A * (1 + 1e-5))]) == "thrice"
    assert named(task, [call(A, 3 * A * (1 + 1e-2))]) is None


def test_nan_in_the_same_places_tells_and_guarded_nan_is_no_contradiction(task: Task) -> None:
    broken = 3 * A
    broken[0] = torch.nan
    assert named(task, [call(A, broken)]) == "half_nan"
    assert named(task, [call(A, broken), call(B, 3 * B)]) == "half_nan"
    everywhere = torch.full_like(A, torch.nan)
    assert named(task, [call(A, everywhere)]) is None


def test_a_second_fault_does_not_hide_the_first(task: Task) -> None:
    raising = Call((B,), None, fault=FAULT)
    assert named(task, [call(A, 3 * A), raising]) == "thrice"
    assert named(task, [call(A, A * A), call(B, B * B / (B > 0))]) == "squared"
    assert named(task, [call(A, A * A), call(B, 5 * B / (B > 0))]) is None
    halved = (3 * B).bfloat16()
    assert named(task, [call(A, 3 * A), call(B, halved)]) == "thrice"
    assert named(task, [call(A, 3 * A), call(B, halved * 2)]) is None


def test_a_second_fault_alone_names_nothing(task: Task) -> None:
    assert named(task, [call(A, (3 * A).bfloat16())]) is None
    assert named(task, [call(A, 2 * A), Call((B,), None, fault=FAULT)]) is None
    # Only the submission's own dtype may be a second fault, not the mistake's.
    large, exact = torch.tensor([1.0, 99.0]), A.double()
    assert named(task, [call(large, torch.tensor([2.0, 0.0]))]) == "single"
    assert named(task, [call(large, torch.tensor([2.0, 0.0])), call(exact, 2 * exact)]) is None


def test_right_numbers_and_faults_alone_say_nothing(task: Task) -> None:
    assert named(task, [call(A, 2 * A)]) is None
    assert named(task, [Call((A,), None, fault=FAULT), Call((B,), None, fault=FAULT)]) is None


def test_a_wrong_shape_is_a_result_too(task: Task) -> None:
    total = (2 * A).sum()
    assert named(task, [Call((A,), None, (total,), fault=FAULT)]) == "summed"


def test_what_happens_on_the_side_tells(task: Task) -> None:
    assert named(task, [call(A, 2 * A, mutated=("x",))]) == "in_place"
    wanting = A.clone().requires_grad_()
    assert named(task, [call(wanting, 2 * A, detached=("y",))]) == "cut"


def test_state_is_followed_from_call_to_call(task: Task) -> None:
    assert named(task, [call(A, 2 * A), call(B, 2 * A)]) == "first_kept"


def test_a_constructor_of_its_own_tells_a_class(task: Task) -> None:
    of_four = Call((A,), {"n": 4}, (A,))
    assert named(task, [of_four]) is None  # the solution is a function: nothing to compare with
    class_solution = Path(task.solution)
    class_solution.write_text(
        "class F:\n    def __init__(self, n): pass\n    def __call__(self, x): return 2 * x\n"
    )
    assert named(task, [of_four]) == "fixed_size"
