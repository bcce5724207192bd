"""An exercise's tests against a file in this process: quick, and for files that are trusted.

`LocalSubmission` keeps the contract of the judge's `submission` fixture without a worker, so
that the tests themselves can be tested: solutions pass, mistakes fail, and where.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import torch
from torch import Tensor

from quizapp.bank import Exercise, ExerciseFolder
from quizapp.grader.testing import Mismatch, is_only_class, results


class Fault(Exception):  # noqa: N818 - the submission's, not ours
    """The submission broke a rule or raised; tests never catch it."""


@dataclass(frozen=True, eq=False)
class LocalCall:
    """One call, as tests see it; `init` is what a class was constructed with, asked or not."""

    arguments: tuple[Any, ...]
    results: tuple[Tensor, ...]
    mutated: tuple[str, ...]
    detached: tuple[str, ...]
    init: tuple[int, ...]


def load(path: Path) -> ModuleType:
    """A new module from a file; none is ever shared, and nothing is written beside it."""
    module = ModuleType(path.stem)
    exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), vars(module))
    return module


class LocalSubmission:
    """The function or class of one file, called in this process on private copies."""

    def __init__(
        self,
        exercise: Exercise,
        module: ModuleType,
        calls: list[LocalCall],
        init: dict[str, int] | None = None,
    ) -> None:
        self._exercise, self._module, self._init = exercise, module, init
        self.calls = calls
        self.form: Literal["function", "class"] = (
            "function" if hasattr(module, exercise.entry) else "class"
        )

    def with_init(self, **sizes: int) -> LocalSubmission:
        return LocalSubmission(self._exercise, self._module, self.calls, sizes)

    def fresh(self, *, memory_mib: int) -> LocalSubmission:
        return Forked(self._exercise, self._module, [])

    def peak_bytes(self) -> int:
        raise NotImplementedError("only what `fresh` gives is measured here")

    def __call__(self, *arguments: Any) -> Any:
        sizes = self._sizes(arguments)
        copies = [x.clone() if isinstance(x, Tensor) else x for x in arguments]
        made_with: tuple[int, ...] = ()
        if self.form == "class":
            shape = self._exercise.class_
            assert shape is not None
            made_with = tuple((self._init or sizes)[name] for name in shape.init)
            function = getattr(self._module, shape.name)(*made_with)
        else:
            function = getattr(self._module, self._exercise.entry)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # nobody reads a submission's warnings
                returned = function(*copies)
        except Exception as error:
            raise Fault(f"{type(error).__name__}: {error}") from error
        got = self._checked(returned, sizes)
        names = [a.name for a in self._exercise.arguments]
        wanted = any(isinstance(x, Tensor) and x.requires_grad for x in arguments)
        call = LocalCall(
            arguments,
            got,
            tuple(
                name
                for name, before, after in zip(names, arguments, copies, strict=False)
                if isinstance(before, Tensor) and not torch.equal(before, after)
            ),
            tuple(
                name.name
                for name, y in zip(self._exercise.returns, got, strict=True)
                if wanted and not y.requires_grad
            ),
            made_with,
        )
        self.calls.append(call)
        return got if len(self._exercise.returns) > 1 else got[0]

    def _sizes(self, arguments: Sequence[Any]) -> dict[str, int]:
        sizes: dict[str, int] = {}
        for argument, value in zip(self._exercise.arguments, arguments, strict=False):
            if isinstance(value, Tensor) and argument.shape and not argument.broadcast:
                for axis, size in zip(argument.shape, value.shape, strict=True):
                    assert sizes.setdefault(axis, size) == size
            elif argument.type is not None:
                sizes[argument.name] = value
        return sizes

    def _checked(self, returned: Any, sizes: dict[str, int]) -> tuple[Tensor, ...]:
        wanted = self._exercise.returns
        if len(wanted) > 1 and not isinstance(returned, tuple | list):
            raise Fault(f"returned {type(returned).__name__}, expected {len(wanted)} tensors")
        got = results(returned)
        if len(got) != len(wanted) or not all(isinstance(y, Tensor) for y in got):
            raise Fault(f"returned {len(got)} results, expected {len(wanted)} tensors")
        for one, y in zip(wanted, got, strict=True):
            shape = tuple(
                sum(int(t) if t.isdigit() else sizes[t] for t in axis.split("+"))
                for axis in one.shape
            )
            if tuple(y.shape) != shape:
                raise Fault(f"{one.name} has the shape {tuple(y.shape)}, expected {shape}")
        return got


class Forked(LocalSubmission):
    """What `fresh` gives: each call in a child of its own, for the kernel to count its memory.

    Only what was raised comes back. The headroom is not enforced: the peak tells.
    """

    _peak = 0

    def __call__(self, *arguments: Any) -> None:
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                super().__call__(*arguments)
            except Exception as error:  # noqa: BLE001 - the parent raises it
                os.write(write, (str(error) or repr(error)).encode()[:4000])
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            raised = pipe.read().decode()
        self._peak = os.wait4(pid, 0)[2].ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        if raised:
            raise Fault(raised)

    def peak_bytes(self) -> int:
        return self._peak


@dataclass(frozen=True)
class Outcome:
    """How one test ended: `error` is None where it passed."""

    test: str
    error: Exception | None
    calls: tuple[LocalCall, ...]


def hidden_tests(folder: ExerciseFolder) -> list[Callable[..., None]]:
    """The test functions of an exercise, in the order they stand in."""
    module = load(folder.tests)
    return [test for name, test in vars(module).items() if name.startswith("test_")]


def grade(
    folder: ExerciseFolder, path: Path, tests: Sequence[Callable[..., None]]
) -> Iterator[Outcome]:
    """Each test's outcome for the file at `path`; all of them run in one module, as in a worker."""
    module = load(path)
    for test in tests:
        calls: list[LocalCall] = []
        submission = LocalSubmission(folder.exercise, module, calls)
        if is_only_class(test) and submission.form != "class":
            continue
        error: Exception | None = None
        try:
            test(submission)
        except (Mismatch, Fault) as found:
            error = found
        except RuntimeError as raised:  # in a backward pass, which runs outside the call
            error = Fault(f"{type(raised).__name__}: {raised}")
        yield Outcome(test.__name__, error, tuple(calls))
