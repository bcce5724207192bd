"""What the front and the engine say to each other: one JSON object a line.

front → engine   run, cancel
engine → front   ready once, then for every run: report …, done
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from quizapp.report import Report

#: The engine ends so when its hold on a device is lost: only a new process gets another.
LOST_DEVICE: Final = 75
#: The longest line either side accepts. asyncio's default of 64 KiB breaks on one heat map.
LINE_LIMIT: Final = 8 * 2**20


class _Message(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        ser_json_inf_nan="strings",
        ser_json_bytes="base64",
        val_json_bytes="base64",
    )


class Own(_Message):
    """A learner's function to compute attention with, in place of ours; run confined.

    name: what its numbers are said to come from. class_init: how many constructor values a
    class takes, each of them d_k.
    """

    name: str
    source: bytes
    entry: str
    class_name: str | None = None
    class_init: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()


class RunRequest(_Message):
    """Run an experiment; `params` are checked again on the other side."""

    op: Literal["run"] = "run"
    id: int
    experiment: str
    params: dict[str, object]
    device: str
    tf32: bool = False
    own: Own | None = None


class CancelRequest(_Message):
    """Stop the run with that id; a run that has already ended is no error."""

    op: Literal["cancel"] = "cancel"
    id: int


class Ready(_Message):
    """The engine can take runs. torch None: it cannot, and `problem` says why."""

    op: Literal["ready"] = "ready"
    torch: str | None
    devices: tuple[str, ...] = ()
    problem: str = ""
    seconds: float = 0.0


class Reported(_Message):
    """The newest Report of the run `id`."""

    op: Literal["report"] = "report"
    id: int
    report: Report


class Done(_Message):
    """The run `id` has ended; nothing more comes of it."""

    op: Literal["done"] = "done"
    id: int
    cancelled: bool = False


Request = Annotated[RunRequest | CancelRequest, Field(discriminator="op")]
Answer = Annotated[Ready | Reported | Done, Field(discriminator="op")]
requests: Final[TypeAdapter[RunRequest | CancelRequest]] = TypeAdapter(Request)
answers: Final[TypeAdapter[Ready | Reported | Done]] = TypeAdapter(Answer)
