"""A pass needs positive evidence; a fault gets words; a shape is told by its axes."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
import torch

from quizapp.grader.judge import contract, faults
from quizapp.grader.judge.contract import SubmissionFault
from quizapp.grader.judge.running import JudgeError, Outcome, TestFile, demand_evidence
from quizapp.grader.judge.submission import Lives, Submission
from quizapp.grader.testing import Mismatch
from quizapp.grader.wire import Argument, Kind, Returned, Signature, Task
from quizapp.sandbox.host import Fault, Worker
from quizapp.sandbox.proxy import Answer, Budget, Foreign
from quizapp.text import Text

OK, FAILED = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED
TITLE = Text.of("a title")


def outcome(function: str, error: BaseException | None = None, *, done: bool = True) -> Outcome:
    return Outcome(TITLE, function, range(0), error, done)


WRONG = Mismatch("wrong", en="off", zh="错")


def test_full_runs_are_accepted() -> None:
    names = frozenset({"test_a", "test_b"})
    both = [outcome("test_a"), outcome("test_b")]
    demand_evidence(names, OK, [], both)
    demand_evidence(names, OK, [], [*both, outcome("test_b")])  # parametrized
    demand_evidence(names, FAILED, [], [outcome("test_a", WRONG), outcome("test_b")])


@pytest.mark.parametrize(
    ("status", "problems", "outcomes"),
    [
        (OK, [], []),
        (OK, [], [outcome("test_a")]),
        (OK, [], [outcome("test_a"), outcome("test_b", done=False)]),
        (OK, [], [outcome("test_a"), outcome("test_b"), outcome("test_c")]),
        (OK, ["fixture broke"], [outcome("test_a"), outcome("test_b")]),
        (OK, [], [outcome("test_a", WRONG), outcome("test_b")]),
        (FAILED, [], [outcome("test_a"), outcome("test_b")]),
        (pytest.ExitCode.NO_TESTS_COLLECTED, [], []),
        (pytest.ExitCode.INTERNAL_ERROR, [], [outcome("test_a"), outcome("test_b")]),
        (pytest.ExitCode.INTERRUPTED, [], [outcome("test_a"), outcome("test_b")]),
        (pytest.ExitCode.USAGE_ERROR, [], [outcome("test_a"), outcome("test_b")]),
    ],
)
def test_anything_less_is_no_verdict(
    status: int, problems: list[str], outcomes: list[Outcome]
) -> None:
    with pytest.raises(JudgeError):
        demand_evidence(frozenset({"test_a", "test_b"}), status, problems, outcomes)


def test_what_must_run_is_read_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "tests.py"
    path.write_text(
        "def test_a(submission): pass\n@only_class\ndef test_b(submission): pass\n"
        "def helper(): pass\nclass Other:\n    def test_c(self): pass\n"
    )
    tests = TestFile.read(path)
    assert tests.expected("function") == {"test_a"}
    assert tests.expected("class") == {"test_a", "test_b"}
    path.write_text("def broken(")
    with pytest.raises(JudgeError):
        TestFile.read(path)
    with pytest.raises(JudgeError):
        TestFile.read(tmp_path / "missing.py")


def test_an_error_of_the_test_itself_is_not_the_submissions() -> None:
    with pytest.raises(JudgeError):
        outcome("test_a", ZeroDivisionError()).result()
    assert outcome("test_a", AssertionError("no")).result().kind == "wrong"
    fault = SubmissionFault("timeout", en="slow", zh="慢")
    assert outcome("test_a", fault).result().kind == "timeout"
    assert outcome("test_a", fault.repeated()).result().outcome == "not_run"
    assert outcome("test_a", done=False).result().outcome == "not_run"


KINDS = [kind for kind in get_args(Kind) if kind not in {"ok", "wrong", "contract"}]


@pytest.mark.parametrize("kind", [*KINDS, "made up by the worker"])
@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"line": 3, "code": "x = [/]", "type": "E", "text": "\x1b[2J", "defined": ["\x1b[1mf"]},
        {"line": "3", "code": 5, "seconds": "x", "signal": 999, "defined": {"a": 1}, "name": None},
    ],
    ids=["nothing", "hostile", "absurd"],
)
def test_every_fault_has_words_whatever_its_facts(kind: str, facts: dict[str, object]) -> None:
    told = faults.told(Fault(kind, **facts), "f")
    assert told.kind in get_args(Kind)
    assert told.message.languages == {"en", "zh"}
    for language in ("en", "zh"):
        assert told.message.to(language).isprintable()


SIGNATURE = Signature(
    entry="f",
    class_name=None,
    class_init=(),
    arguments=(
        Argument(name="Q", shape=("B", "S_q", "d")),
        Argument(name="K", shape=("B", "S_k", "d")),
        Argument(name="mask", shape=("S_q", "S_k"), optional=True, broadcast=True),
        Argument(name="n", shape=None, optional=True),
    ),
    returns=(
        Returned(name="output", shape=("B", "S_q", "2")),
        Returned(name="weights", shape=("B", "S_q", "S_k+1")),
    ),
)
ARGUMENTS = [torch.ones(2, 3, 4), torch.ones(2, 5, 4), torch.ones(1, 5), 9]
RIGHT = (torch.ones(2, 3, 2), torch.ones(2, 3, 6))


def told(*results: torch.Tensor | Foreign, several: bool = True) -> tuple[str, str, str]:
    answer = Answer(results, several=several, mutated=(), detached=())
    with pytest.raises(SubmissionFault) as caught:
        contract.check(SIGNATURE, ARGUMENTS, answer)
    fault = caught.value
    return fault.kind, fault.message.to("en"), fault.message.to("zh")


def test_sizes_are_bound_from_the_arguments() -> None:
    sizes = contract.bind(SIGNATURE, ARGUMENTS)
    assert sizes == {"B": 2, "S_q": 3, "S_k": 5, "d": 4, "n": 9}
    assert contract.evaluate("S_k+n+2", sizes) == 16
    answer = Answer(RIGHT, several=True, mutated=(), detached=())
    assert contract.check(SIGNATURE, ARGUMENTS, answer) == RIGHT
    with pytest.raises(ValueError, match="d is both 4 and 7"):
        contract.bind(SIGNATURE, [torch.ones(2, 3, 4), torch.ones(2, 5, 7)])
    with pytest.raises(ValueError, match="2 axes"):
        contract.bind(SIGNATURE, [torch.ones(2, 3)])


def test_a_wrong_shape_is_told_by_its_axes() -> None:
    assert told(torch.ones(2, 5, 2), RIGHT[1]) == (
        "wrong",
        "output has shape (B=2, S_k=5, 2), expected (B=2, S_q=3, 2)",
        "output 的形状是 (B=2, S_k=5, 2)，应为 (B=2, S_q=3, 2)",
    )
    assert told(RIGHT[0], Foreign("too large", (1 << 20, 3)))[0] == "wrong"


def test_wrong_structures_are_told() -> None:
    assert told(RIGHT[0], several=False)[:2] == (
        "contract",
        "a single tensor was returned, expected a tuple (output, weights)",
    )
    assert told(*RIGHT, RIGHT[0])[:2] == (
        "contract",
        "3 values were returned, expected 2: (output, weights)",
    )
    assert told(RIGHT[0], Foreign("dict"))[:2] == (
        "contract",
        "weights is dict, expected a tensor",
    )


def test_a_fresh_worker_keeps_its_calls_apart() -> None:
    """Calls made to be large must not reach the diagnosis, which repeats each of them."""
    task = Task(
        id=0,
        exercise="e",
        folder="",
        signature=SIGNATURE,
        forbidden=(),
        seconds=1.0,
        memory=2**29,
        mistakes=(),
        solution="",
        source=b"",
    )

    def never(_: object) -> Worker:
        raise AssertionError("no worker is wanted before a call")

    submission = Submission(Lives(never, task, task.memory, Budget(1.0)))
    apart = submission.fresh(memory_mib=64)
    assert apart.calls is not submission.calls
    assert apart.lives.memory == 64 * 2**20
