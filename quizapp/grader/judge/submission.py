"""What a hidden test calls: the remote function, held to its contract, each call remembered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import torch
from torch import Tensor

from quizapp.grader.judge import contract, faults
from quizapp.grader.judge.contract import SubmissionFault
from quizapp.grader.wire import Task
from quizapp.sandbox.confinement import Limits
from quizapp.sandbox.host import Fault, Worker
from quizapp.sandbox.proxy import Budget, Remote

#: A submission whose worker has ended this often is not given another.
LIVES: Final = 3
#: Of a call's deadline, after one was missed.
_SECOND_CHANCE: Final = 0.2
#: What all calls of a grade may take together, in one call's deadline. The front gives a judge
#: twice that before it counts as stuck.
TOGETHER: Final = 4


@dataclass(frozen=True, slots=True)
class Call:
    """One call: arguments as sent, and what came of it."""

    arguments: tuple[Any, ...]
    init: Mapping[str, int] | None  # constructor values other than the sizes of the arguments
    results: tuple[Tensor, ...] = ()
    mutated: tuple[str, ...] = ()
    detached: tuple[str, ...] = ()
    fault: SubmissionFault | None = None


@dataclass(slots=True)
class Lives:
    """The workers of one submission: one at a time, a new one when the last has ended."""

    fork: Callable[[Limits], Worker]
    task: Task
    memory: int
    budget: Budget
    output: str = ""
    ended: int = 0
    remote: Remote | None = None
    last: SubmissionFault | None = None
    form: Literal["function", "class"] | None = None  # known from the first load on

    def loaded(self) -> Remote:
        """A worker with the source loaded. Raises SubmissionFault."""
        if self.remote is None:
            if self.ended >= LIVES and self.last is not None:
                raise self.last.repeated()
            cpu = max(10, round(2 * self.task.seconds * TOGETHER))
            worker = self.fork(Limits(self.memory, cpu))
            # Who has run out of time once is not waited for as long again.
            late = self.last is not None and self.last.kind == "timeout"
            seconds = self.task.seconds * (_SECOND_CHANCE if late else 1)
            self.remote = Remote(worker, seconds, self.budget)
            signature = self.task.signature
            try:
                with self.faults_told():
                    self.remote.load(
                        self.task.source,
                        signature.entry,
                        signature.class_name,
                        self.task.forbidden,
                    )
            except SubmissionFault as fault:
                if self.remote is not None:
                    self.drop(fault)
                raise
            self.form = self.remote.form
        return self.remote

    def faults_told(self) -> _Told:
        """A worker's faults as SubmissionFaults; after some of them it is not used again."""
        return _Told(self)

    def told(self, fault: Fault) -> SubmissionFault:
        """A worker's fault in words; a worker that ended with it is given up."""
        if fault.kind == "memory":
            fault.facts["mib"] = self.memory // 2**20
        worded = faults.told(fault, self.task.signature.entry)
        if self.remote is not None and self.remote.worker.ended:
            self.drop(worded)
        return worded

    def drop(self, fault: SubmissionFault) -> None:
        """Give the worker up: what runs in it cannot be relied on."""
        self.ended += 1
        self.last = fault
        self.close()

    def printed(self) -> str:
        """What every worker so far has printed."""
        return self.output + (self.remote.worker.output if self.remote is not None else "")

    def close(self) -> int | None:
        """End the worker, keeping what it printed; the most memory it took, in bytes."""
        if self.remote is None:
            return None
        peak: int = self.remote.worker.end()["peak"]
        self.output += self.remote.worker.output
        self.remote = None
        return peak


class _Told:
    """Context in which a worker's Fault becomes a SubmissionFault."""

    def __init__(self, lives: Lives) -> None:
        self._lives = lives

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> Literal[False]:
        if isinstance(error, Fault):
            raise self._lives.told(error) from error
        return False


@dataclass(slots=True)
class Submission:
    """The `submission` fixture: call it as the exercise says."""

    lives: Lives
    init: Mapping[str, int] | None = None
    calls: list[Call] = field(default_factory=list)

    @property
    def form(self) -> Literal["function", "class"]:
        """Whether a function or a class was handed in."""
        return self.lives.form or self.lives.loaded().form

    def with_init(self, **sizes: int) -> Submission:
        """The same class, constructed with these values instead of the arguments' sizes."""
        return Submission(self.lives, sizes, self.calls)

    def fresh(self, *, memory_mib: int) -> Submission:
        """The same source in a worker of its own with that much memory. `close` it."""
        lives = self.lives
        apart = Lives(lives.fork, lives.task, memory_mib * 2**20, lives.budget)
        # A list of its own: the diagnosis would run every mistake on calls made to be large.
        return Submission(apart, self.init)

    def peak_bytes(self) -> int:
        """The most memory its worker has held, by the kernel's count; ends the worker."""
        return self.lives.close() or 0

    def __call__(self, *arguments: Any) -> Tensor | tuple[Tensor, ...]:
        """One tensor, or a tuple, as the exercise's `returns` says. Raises SubmissionFault."""
        kept = tuple(_copy(value) for value in arguments)
        try:
            call = self._call(arguments, kept)
        except SubmissionFault as fault:
            self.calls.append(Call(kept, self.init, fault.results, fault=fault))
            raise
        self.calls.append(call)
        return call.results[0] if len(call.results) == 1 else call.results

    def _call(self, arguments: tuple[Any, ...], kept: tuple[Any, ...]) -> Call:
        signature = self.lives.task.signature
        remote = self.lives.loaded()
        init = self._init_values(arguments) if remote.form == "class" else []
        with self.lives.faults_told():
            answer = remote.call(arguments, init)
        results = contract.check(signature, arguments, answer)
        names = [argument.name for argument in signature.arguments]
        return Call(
            kept,
            self.init,
            results,
            mutated=tuple(names[index] for index in answer.mutated),
            detached=tuple(signature.returns[index].name for index in answer.detached),
        )

    def _init_values(self, arguments: Sequence[Any]) -> list[int]:
        signature = self.lives.task.signature
        sizes = contract.bind(signature, arguments) | dict(self.init or {})
        return [sizes[name] for name in signature.class_init]


def _copy(value: Any) -> Any:
    """A private copy with the same strides: a test may change its own tensor later."""
    if not isinstance(value, torch.Tensor):
        return value
    copy = value.detach().clone(memory_format=torch.preserve_format)
    return copy.requires_grad_() if value.requires_grad else copy
