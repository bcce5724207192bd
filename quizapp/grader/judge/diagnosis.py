"""Which known mistake gives the same numbers as the submission, on the inputs of the tests.

Every mistake of the exercise is run on the recorded calls. One that a call tells from the
right answer must there agree with the submission; the mistake that agrees most often, and
never disagrees, is the diagnosis. Where a mistake gives the right numbers, the call says
nothing about it; where it gives NaN, the same NaN in the same places speaks for it, and other
numbers do not speak against it: whether 0/0 was guarded is another matter.

Learners make two mistakes at a time. So a call that raises, NaN where the mistake has a number,
and the right digits in another dtype do not speak against a mistake: each has a message of its
own, and what is left may still tell. They do not speak for it either.
"""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import torch
from torch import Tensor

from quizapp.grader.judge.contract import bind
from quizapp.grader.judge.submission import Call
from quizapp.grader.testing import TOLERANCES
from quizapp.grader.wire import Diagnosis, Mistake, Signature, Task

#: Two results are the same mistake's when they differ by no more than rounding would.
_SLACK: Final = 4.0


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call did: its results, or the error it raised, and what it did on the side."""

    results: tuple[Tensor, ...] = ()
    raised: str = ""
    mutated: tuple[str, ...] = ()
    detached: tuple[str, ...] = ()

    def same(self, other: Effect) -> bool:
        """Whether the two cannot be told apart beyond rounding."""
        if (self.raised, self.mutated) != (other.raised, other.mutated):
            return False
        if self.detached != other.detached or len(self.results) != len(other.results):
            return False
        return all(map(_close, self.results, other.results))

    def bears(self, other: Effect, right: Effect) -> bool:
        """Whether `other` may be this and a fault this has not: raising, NaN, a wrong dtype."""
        if other.raised:
            return True
        if self.raised or not len(self.results) == len(other.results) == len(right.results):
            return False
        return all(map(_alike, self.results, other.results, right.results))

    @property
    def finite(self) -> bool:
        """Whether every number is."""
        return all(bool(torch.isfinite(result).all()) for result in self.results)

    @property
    def telling(self) -> bool:
        """Whether there is a number at all: NaN throughout is like any other."""
        return any(bool(torch.isfinite(result).any()) for result in self.results)


def diagnose(task: Task, calls: Sequence[Call], failing: Sequence[int]) -> Diagnosis | None:
    """The mistake that explains the calls, the failing ones first; None when none does."""
    order = [*failing, *(index for index in range(len(calls)) if index not in set(failing))]
    heard = [_heard(calls[index]) for index in range(len(calls))]
    right = Implementation(task.signature, Path(task.solution))
    wanted = {index: right.effect(calls[index]) for index in order}
    best: tuple[tuple[int, int], Mistake] | None = None
    for mistake in task.mistakes:
        agreements = _agreements(
            Implementation(task.signature, Path(mistake.file)), calls, order, heard, wanted
        )
        if agreements is not None and (best is None or agreements > best[0]):
            best = agreements, mistake
    return None if best is None else Diagnosis(id=best[1].diagnosis, text=best[1].text)


def _agreements(
    mistake: Implementation,
    calls: Sequence[Call],
    order: Sequence[int],
    heard: Sequence[Effect],
    wanted: Mapping[int, Effect | None],
) -> tuple[int, int] | None:
    """On how many calls the submission does what the mistake does, and how many it must bear.

    None where there is none, or a contradiction; of the second number the negative, so that
    the larger pair is the better explanation. Raising alike is no agreement: whatever is
    broken raises.
    """
    count = borne = 0
    for index in order:
        effect, right = mistake.effect(calls[index]), wanted[index]
        if effect is None or right is None or effect.same(right):
            continue
        if effect.same(heard[index]):
            count += effect.telling
        elif effect.finite:
            if not effect.bears(heard[index], right):
                return None
            borne += 1
    return (count, -borne) if count else None


def _heard(call: Call) -> Effect:
    # Results of a wrong shape are still results: a mistake may give the same.
    raised = "" if call.fault is None or call.results else call.fault.kind
    return Effect(call.results, raised, call.mutated, call.detached)


def _close(one: Tensor, other: Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    relative, absolute = TOLERANCES.get(one.dtype, (0.0, 0.0))
    return torch.allclose(
        one.detach().double(),
        other.detach().double(),
        _SLACK * relative,
        _SLACK * absolute,
        equal_nan=True,
    )


def _alike(one: Tensor, other: Tensor, right: Tensor) -> bool:
    """Whether the numbers that both have are the same, in the coarser of the two dtypes.

    Of the two dtypes only the other's may be wrong.
    """
    if one.shape != other.shape or one.dtype not in (other.dtype, right.dtype):
        return False
    known = (TOLERANCES.get(each.dtype, (0.0, 0.0)) for each in (one, other))
    relative, absolute = (_SLACK * max(pair) for pair in zip(*known, strict=True))
    mine, theirs = one.detach().double(), other.detach().double()
    both = torch.isfinite(mine) & torch.isfinite(theirs)
    return torch.allclose(mine[both], theirs[both], relative, absolute)


class Implementation:
    """One of the exercise's own files, run here: these are trusted."""

    def __init__(self, signature: Signature, path: Path) -> None:
        self._signature = signature
        module = types.ModuleType(path.stem)
        exec(_compiled(path, path.stat().st_mtime_ns), module.__dict__)
        self._function: Callable[..., Any] | None = vars(module).get(signature.entry)
        self._class = vars(module).get(signature.class_name) if signature.class_name else None

    def effect(self, call: Call) -> Effect | None:
        """What this implementation does on the same arguments; None where it cannot be asked."""
        function = self._callable(call)
        if function is None:
            return None
        names = [argument.name for argument in self._signature.arguments]
        given = [_fresh(value) for value in call.arguments]
        try:
            with warnings.catch_warnings(action="ignore"):
                returned = function(*given)
        except Exception:  # noqa: BLE001 - a mistake may raise anything
            return Effect(raised="exception")
        several = isinstance(returned, tuple | list)
        results = tuple(returned) if several else (returned,)
        if not all(isinstance(result, Tensor) for result in results):
            return None
        asked = any(isinstance(value, Tensor) and value.requires_grad for value in given)
        returns = self._signature.returns
        return Effect(
            results,
            mutated=tuple(
                name
                for name, value, before in zip(names, given, call.arguments, strict=False)
                if isinstance(value, Tensor) and not torch.equal(value, before)
            ),
            detached=tuple(
                item.name
                for item, result in zip(returns, results, strict=False)
                if asked and not result.requires_grad
            ),
        )

    def _callable(self, call: Call) -> Callable[..., Any] | None:
        if self._function is not None:
            # A function has no constructor: a call with one of its own says nothing of it.
            return None if call.init else self._function
        if self._class is None:
            return None
        sizes = bind(self._signature, call.arguments) | dict(call.init or {})
        instance = self._class(*(sizes[name] for name in self._signature.class_init))
        return instance.eval() if isinstance(instance, torch.nn.Module) else instance


def _fresh(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    copy = value.detach().clone(memory_format=torch.preserve_format)
    # As in the worker: not a leaf, so that a change in place is possible.
    return copy.requires_grad_().clone() if value.requires_grad else copy


@lru_cache(maxsize=256)
def _compiled(path: Path, _changed: int) -> types.CodeType:
    return compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
