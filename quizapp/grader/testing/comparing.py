"""Compares a result with a float64 reference, and says exactly where and by how much it is off.

Symbols: B batch, H heads, S_q queries, S_k keys, d_k and d_v widths.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor

from quizapp.grader.testing.mismatch import Mismatch
from quizapp.grader.testing.pictures import weight_maps
from quizapp.report import HeatMap

#: (relative, absolute) error allowed by dtype. float64 leaves room for a scale that was
#: rounded to float32 (`torch.tensor(d_k)`); float32 for logits near 50, whose rounding exp
#: magnifies; the half ones for scores that were rounded before the softmax.
TOLERANCES: Final = {
    torch.float64: (1e-6, 1e-7),
    torch.float32: (5e-5, 5e-6),
    torch.bfloat16: (4e-2, 2e-2),
    torch.float16: (5e-3, 2e-3),
}

#: One finding in both languages.
Line = tuple[str, str]


def agree(
    got: Tensor,
    expected: Tensor,
    what: str = "output",
    axes: Sequence[str] = ("B", "H", "S_q", "d_v"),
    *,
    dtype: torch.dtype = torch.float32,
    rtol: float | None = None,
    atol: float | None = None,
    lead: Line | None = None,
) -> None:
    """Raise Mismatch unless `got`, of `dtype`, equals `expected` (float64) within tolerance.

    axes: a name for each dimension, for the index of the worst value.
    rtol, atol: in place of what the dtype allows. lead: said first when they differ.
    Where the reference's rows are weights (not negative, sum 1), rows and hidden places
    of `got` are looked at too, and both are drawn.
    """
    same_dtype(got, dtype, what)
    same_shape(got, expected, what, axes)
    got, expected = got.detach().double(), expected.detach().double()
    finite(got, what, axes)
    allowed = TOLERANCES[dtype]
    relative, absolute = (a if g is None else g for g, a in zip((rtol, atol), allowed, strict=True))
    difference = (got - expected).abs()
    wrong = difference > absolute + relative * expected.abs()
    if not wrong.any():
        return
    lines = [] if lead is None else [lead]
    worst = first_index(torch.where(wrong, difference, -1.0) == difference[wrong].max())
    is_, be = pair(float(got[worst]), float(expected[worst]))
    count, total, at = int(wrong.sum()), got.numel(), place(worst, axes)
    lines.append(
        (
            f"{what}: {count} of {total} values differ, largest at {at}: got {is_}, expected {be}",
            f"{what}：{total} 个值中有 {count} 个不同，最大在 {at}：得到 {is_}，应为 {be}",
        )
    )
    pictures: tuple[HeatMap, ...] = ()
    if _are_weights(expected):
        lines += row_sums(got, what, axes, absolute + relative)
        lines += hidden_weight(got, expected != 0, what, axes, absolute)
        pictures = weight_maps(got, expected, worst)
    raise Mismatch("wrong", en=_text(lines, 0), zh=_text(lines, 1), pictures=pictures)


def same_shape(got: Tensor, expected: Tensor, what: str, axes: Sequence[str]) -> None:
    """Raise Mismatch unless both have the same shape, told by the names of the axes."""
    if got.shape != expected.shape:
        wanted = ", ".join(f"{a}={n}" for a, n in zip(axes, expected.shape, strict=True))
        shape = tuple(got.shape)
        raise Mismatch(
            "wrong",
            en=f"{what} has the shape {shape}, expected ({wanted})",
            zh=f"{what} 的形状是 {shape}，应为 ({wanted})",
        )


def same_dtype(got: Tensor, dtype: torch.dtype, what: str = "output") -> None:
    """Raise Mismatch unless the result has the dtype of the inputs."""
    if got.dtype != dtype:
        is_, be = (str(d).removeprefix("torch.") for d in (got.dtype, dtype))
        raise Mismatch(
            "wrong",
            en=f"{what} is {is_}, expected {be} as the inputs",
            zh=f"{what} 的 dtype 是 {is_}，应与输入同为 {be}",
        )


def tolerance_of(got: Tensor, what: str) -> tuple[float, float]:
    """(relative, absolute) error that the dtype of a result allows; Mismatch for no such dtype."""
    if got.dtype not in TOLERANCES:
        is_ = str(got.dtype).removeprefix("torch.")
        raise Mismatch(
            "wrong",
            en=f"{what} is {is_}, expected a real floating-point dtype",
            zh=f"{what} 的 dtype 是 {is_}，应为实数浮点类型",
        )
    return TOLERANCES[got.dtype]


def finite(got: Tensor, what: str, axes: Sequence[str]) -> None:
    """Raise Mismatch where a result is NaN or infinite: how many, and the first."""
    strange = ~torch.isfinite(got)
    if not strange.any():
        return
    first = first_index(strange)
    value = "NaN" if torch.isnan(got[first]) else ("inf" if got[first] > 0 else "-inf")
    count, total, at = int(strange.sum()), got.numel(), place(first, axes)
    raise Mismatch(
        "wrong",
        en=f"{what}: {count} of {total} values are NaN or infinite, first {value} at {at}",
        zh=f"{what}：{total} 个值中有 {count} 个是 NaN 或无穷，第一个在 {at}：{value}",
    )


def row_sums(weights: Tensor, what: str, axes: Sequence[str], tolerance: float) -> list[Line]:
    """What is wrong with the sums over the last axis, where they should be 1."""
    sums = weights.sum(-1)
    off = (sums - 1).abs()
    if not (off > tolerance).any():
        return []
    worst = first_index(off == off.max())
    at, (shown, _) = place(worst, axes), pair(float(sums[worst]), 1.0)
    count, rows = int((off > tolerance).sum()), sums.numel()
    return [
        (
            f"{what}: {count} of {rows} rows do not sum to 1, worst at {at}: {shown}",
            f"{what}：{rows} 行中有 {count} 行之和不为 1，最差在 {at}：{shown}",
        )
    ]


def hidden_weight(
    weights: Tensor, visible: Tensor, what: str, axes: Sequence[str], tolerance: float
) -> list[Line]:
    """What is wrong at hidden positions, where the weight should be 0."""
    hidden = torch.where(visible, 0.0, weights.abs())
    if not (hidden > tolerance).any():
        return []
    worst = first_index(hidden == hidden.max())
    at, (shown, _) = place(worst, axes), pair(float(hidden[worst]), 0.0)
    return [
        (
            f"{what}: hidden positions get weight, most at {at}: {shown}",
            f"{what}：被隐藏的位置得到了权重，最大在 {at}：{shown}",
        )
    ]


def first_index(where: Tensor) -> tuple[int, ...]:
    """The first index at which `where` is true."""
    return tuple(int(i) for i in where.nonzero()[0])


def place(index: Sequence[int], axes: Sequence[str]) -> str:
    """An index by the names of its axes: [b=0, h=1, q=2, k=3]."""
    names = (a.removeprefix("S_") if a.startswith("S_") else a for a in axes)
    named = (n if "_" in n else n.lower() for n in names)
    return "[" + ", ".join(f"{n}={i}" for n, i in zip(named, index, strict=False)) + "]"


def pair(one: float, other: float) -> tuple[str, str]:
    """Two numbers with four significant digits, or as many as it takes to tell them apart."""
    for digits in range(4, 18):
        shown = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if shown[0] != shown[1]:
            return shown
    return f"{one:.4g}", f"{other:.4g}"


def _are_weights(expected: Tensor) -> bool:
    if expected.dim() < 2 or (expected < 0).any():
        return False
    return bool(((expected.sum(-1) - 1).abs() < 1e-9).all())


def _text(lines: Sequence[Line], language: int) -> str:
    return "\n".join(line[language] for line in lines)
