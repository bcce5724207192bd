"""What a front and a judge say to each other: one JSON object a line.

front → judge   Task
judge → front   Ready once, then one Grade for every Task
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from quizapp.report import HeatMap
from quizapp.text import Text

#: The longest line either side accepts.
LINE_LIMIT: Final = 8 * 2**20
#: The longest source a front sends; whoever writes more by hand has another problem.
SOURCE_LIMIT: Final = 2**20

Verdict = Literal["passed", "failed", "could_not_run"]
Kind = Literal[
    "ok",
    "wrong",
    "contract",
    "missing-function",
    "exception",
    "syntax",
    "timeout",
    "memory",
    "crash",
    "exit",
    "output-flood",
    "forbidden",
    "protocol",
    "mutates-input",
    "no-grad",
]


class _Message(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        ser_json_inf_nan="strings",
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )


class Argument(_Message):
    """One argument: a tensor with an axis name or size per dimension, or a plain number."""

    name: str
    shape: tuple[str, ...] | None
    optional: bool = False
    broadcast: bool = False


class Returned(_Message):
    """One tensor that is given back."""

    name: str
    shape: tuple[str, ...]


class Mistake(_Message):
    """A wrong implementation with a name: `text` completes "Your result equals …"."""

    file: str
    diagnosis: str
    text: Text


class Signature(_Message):
    """What a submission defines and what it is called with."""

    entry: str
    class_name: str | None
    class_init: tuple[str, ...]
    arguments: tuple[Argument, ...]
    returns: tuple[Returned, ...]


class Task(_Message):
    """Grade `source` on the exercise in `folder`."""

    op: Literal["grade"] = "grade"
    id: int
    exercise: str
    folder: str
    signature: Signature
    forbidden: tuple[str, ...]
    seconds: float  # one call's deadline
    memory: int  # bytes of address space beyond the warm process
    mistakes: tuple[Mistake, ...]
    solution: str  # path of a right implementation: what a mistake must differ from
    source: bytes


class Diagnosis(_Message):
    """Which mistake it is."""

    id: str
    text: Text


class TestResult(_Message):
    """One test of the exercise, named by a sentence."""

    __test__ = False  # not a test of ours

    name: Text
    outcome: Literal["passed", "failed", "not_run"]
    kind: Kind | None = None
    message: Text | None = None
    pictures: tuple[HeatMap, ...] = ()


class Grade(_Message):
    """What came of one submission."""

    op: Literal["grade"] = "grade"
    id: int
    verdict: Verdict
    kind: Kind | None  # None only where the grader could not run
    diagnosis: Diagnosis | None = None
    message: Text | None = None  # what is wrong, where it is not one test's own
    tests: tuple[TestResult, ...] = ()
    seconds: float
    isolation: Literal["strict", "limits"]
    output: str = ""  # what the submission printed, cleaned


class Ready(_Message):
    """The judge can take tasks. `problem` says why not."""

    op: Literal["ready"] = "ready"
    isolation: Literal["strict", "limits"] | None
    problem: str = ""
    seconds: float = 0.0


answers: Final[TypeAdapter[Ready | Grade]] = TypeAdapter(
    Annotated[Ready | Grade, Field(discriminator="op")]
)
