"""What a call must give back, by the names of the axes: sizes bound from the arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from quizapp.grader.wire import Kind, Returned, Signature
from quizapp.sandbox.proxy import Answer, Foreign
from quizapp.text import Text

Sizes = dict[str, int]


class SubmissionFault(Exception):  # noqa: N818 - the submission's, not ours
    """The submission broke its contract, or did something else than return.

    results: the tensors that came back all the same, of whatever shape and number.
    """

    results: tuple[Tensor, ...] = ()
    given_up: bool = False  # nothing was asked of it any more: it had ended too often

    def __init__(self, kind: Kind, *, en: str, zh: str) -> None:
        super().__init__(en)
        self.kind: Kind = kind
        self.message = Text.of({"en": en, "zh": zh})

    def repeated(self) -> SubmissionFault:
        """The same for a call that was not made, because of it."""
        again = SubmissionFault(self.kind, en=self.message.to("en"), zh=self.message.to("zh"))
        again.given_up = True
        return again


def bind(signature: Signature, arguments: Sequence[Any]) -> Sizes:
    """The size of every axis that the arguments name, and their numbers. Raises ValueError.

    An error here is the test's: it called with shapes that contradict the exercise.
    """
    sizes: Sizes = {}
    for argument, value in zip(signature.arguments, arguments, strict=False):
        if isinstance(value, int) and not isinstance(value, bool):
            sizes[argument.name] = value
        if argument.shape is None or argument.broadcast or not isinstance(value, Tensor):
            continue
        if len(argument.shape) != value.dim():
            raise ValueError(f"{argument.name} has {value.dim()} axes, not {argument.shape}")
        for axis, size in zip(argument.shape, value.shape, strict=True):
            if axis.isidentifier() and sizes.setdefault(axis, size) != size:
                raise ValueError(f"{axis} is both {sizes[axis]} and {size}")
    return sizes


def evaluate(axis: str, sizes: Mapping[str, int]) -> int:
    """The size of `S_k`, `2` or `S_past+S_new`. Raises KeyError for an unknown name."""
    return sum(int(part) if part.isdigit() else sizes[part] for part in axis.split("+"))


def check(signature: Signature, arguments: Sequence[Any], answer: Answer) -> tuple[Tensor, ...]:
    """The results, when their number, types and shapes are right. Raises SubmissionFault."""
    try:
        return _checked(signature, arguments, answer)
    except SubmissionFault as fault:
        fault.results = tuple(r for r in answer.results if isinstance(r, Tensor))
        raise


def _checked(signature: Signature, arguments: Sequence[Any], answer: Answer) -> tuple[Tensor, ...]:
    wanted = signature.returns
    if len(wanted) > 1 and not answer.several:
        _one_for_several(wanted, answer)
    results = answer.results
    if len(wanted) == 1 and answer.several and len(results) == 1:
        _refuse_wrapping(wanted[0])
    if len(results) != len(wanted):
        names = ", ".join(item.name for item in wanted)
        raise SubmissionFault(
            "contract",
            en=f"{len(results)} values were returned, expected {len(wanted)}: ({names})",
            zh=f"返回了 {len(results)} 个值，应为 {len(wanted)} 个：({names})",
        )
    sizes = bind(signature, arguments)
    return tuple(
        _check_one(item, result, sizes) for item, result in zip(wanted, results, strict=True)
    )


def _one_for_several(wanted: Sequence[Returned], answer: Answer) -> None:
    names = ", ".join(item.name for item in wanted)
    got = _described(answer.results[0]) if answer.results else ("nothing", "空值")
    raise SubmissionFault(
        "contract",
        en=f"{got[0]} was returned, expected a tuple ({names})",
        zh=f"返回的是 {got[1]}，应为元组 ({names})",
    )


def _refuse_wrapping(wanted: Returned) -> None:
    raise SubmissionFault(
        "contract",
        en=f"a tuple was returned, expected the tensor {wanted.name} itself",
        zh=f"返回的是元组，应直接返回张量 {wanted.name}",
    )


def _check_one(wanted: Returned, result: Tensor | Foreign, sizes: Sizes) -> Tensor:
    shape = tuple(evaluate(axis, sizes) for axis in wanted.shape)
    got = result.shape if isinstance(result, Foreign) else tuple(result.shape)
    if got is None:
        en, zh = _described(result)
        raise SubmissionFault(
            "contract",
            en=f"{wanted.name} is {en}, expected a tensor",
            zh=f"{wanted.name} 是 {zh}，应为张量",
        )
    if got != shape:
        _refuse_shape(wanted, shape, got, sizes)
    if isinstance(result, Foreign):
        raise SubmissionFault(
            "contract",
            en=f"{wanted.name} cannot be read: {result.what}",
            zh=f"无法读取 {wanted.name}：{result.what}",
        )
    return result


def _refuse_shape(
    wanted: Returned, shape: tuple[int, ...], got: tuple[int, ...], sizes: Sizes
) -> None:
    named = ", ".join(map(_named, wanted.shape, shape))
    read = ", ".join(_as_axes(got, sizes, wanted.shape))
    raise SubmissionFault(
        "wrong",
        en=f"{wanted.name} has shape ({read}), expected ({named})",
        zh=f"{wanted.name} 的形状是 ({read})，应为 ({named})",
    )


def _as_axes(got: tuple[int, ...], sizes: Sizes, expected: Sequence[str]) -> list[str]:
    """Each size with the axis it most likely is: the expected one, else the only one so large."""
    read = []
    for place, size in enumerate(got):
        axis = expected[place] if place < len(expected) else ""
        if axis and evaluate(axis, sizes) == size:
            read.append(_named(axis, size))
            continue
        others = [name for name, known in sizes.items() if known == size]
        read.append(_named(others[0] if len(others) == 1 else "", size))
    return read


def _named(axis: str, size: int) -> str:
    """`S_k=5`; a fixed size and an unknown axis are the number alone."""
    return f"{axis}={size}" if axis and not axis.isdigit() else str(size)


def _described(result: Tensor | Foreign) -> tuple[str, str]:
    if isinstance(result, Tensor):
        return "a single tensor", "单个张量"
    return result.what, result.what
