"""Attention and sums in few digits, a second way: float64 NumPy rounded by hand at every step.

Shapes as in `quizapp.lab.maths.precision`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quizapp.lab.experiment import Context, Tolerant
from quizapp.lab.maths.precision import Order
from quizapp.lab.second_way.formats import FORMATS, Array, Format

#: Terms added between two looks at the clock.
STRIDE = 256
#: Agreement of rounding errors: sums kept in float32 make a rare one fall the other way.
AGREE = 2e-3
#: Rows from which one such rounding is less than the error that a check must catch.
ENOUGH = 520
#: Shares of fewer than these are not compared.
FEWEST = 200


def exact(q: Array, k: Array, v: Array) -> tuple[Array, Array, Array]:
    """Scores, weights and output in float64, the weights from odds against the top key."""
    scores = np.einsum("dqc,dkc->dqk", q, k) / np.sqrt(q.shape[-1])
    odds = np.exp(scores - scores.max(-1, keepdims=True))
    total = odds.sum(-1, keepdims=True)
    return scores, odds / total, np.einsum("dqk,dkv->dqv", odds, v) / total


def rounded(order: Order, kind: Format, q: Array, k: Array, v: Array) -> tuple[Array, Array, Array]:
    """The same with every result rounded to the format."""
    scale = q.shape[-1] ** -0.5
    if order == "q":
        scores = kind.round(kind.round(q * scale) @ k.swapaxes(-1, -2))
    elif order == "scores":
        scores = kind.round(kind.round(q @ k.swapaxes(-1, -2)) * scale)
    else:
        q, k = (kind.round(x * scale**0.5) for x in (q, k))
        scores = kind.round(q @ k.swapaxes(-1, -2))
    with np.errstate(invalid="ignore"):  # ∞ − ∞, where the format overflowed
        odds = np.exp(scores - scores.max(-1, keepdims=True))
        weights = kind.round(odds / odds.sum(-1, keepdims=True))
        return scores, weights, kind.round(weights @ v)


def errors(got: tuple[Array, Array, Array], true: tuple[Array, Array, Array]) -> dict[str, float]:
    """What `quizapp.lab.maths.precision.compare` finds, averaged over draws."""
    finite, nan = np.isfinite(got[0]), np.asarray(np.isnan(got[2]).any(-1))
    off = np.where(finite, got[0], true[0]) - true[0]
    found: dict[str, float] = {}
    if finite.mean() >= 0.5:  # of fewer, one rounding decides
        error = _ratio(off, true[0])
        found["score_error"] = Tolerant(error, AGREE * error)
    rows = nan.size
    if rows >= ENOUGH:
        # A large weight that rounds the other way moves its row by several mean errors.
        share = AGREE + 4 / rows
        sizes = {
            "weight_error": float(np.abs(np.nan_to_num(got[1]) - true[1]).sum(-1).mean()),
            "output_error": _ratio(np.nan_to_num(got[2]) - true[2], true[2]),
        }
        found |= {name: Tolerant(value, share * value) for name, value in sizes.items()}
    return {
        **found,
        **_share("overflow_share", ~finite),
        **_share("nan_rows", nan),
    }


def _share(name: str, found: NDArray[np.bool_]) -> dict[str, float]:
    """None where one flip of a rounding would be more than the error to be caught."""
    share = float(found.mean())
    if 0 < found.sum() < FEWEST:
        return {}
    return {name: Tolerant(share, 1.5 / found.size)}


def inputs(true: tuple[Array, Array, Array], wide: tuple[Array, Array, Array]) -> dict[str, float]:
    """The exact results from rounded inputs beside those from the inputs as they were drawn."""
    d_k = true[2].shape[-1]
    return {
        "input_error": _ratio(true[2] - wide[2], wide[2]),
        "largest_raw_score": float(np.abs(true[0]).max((-2, -1)).mean() * np.sqrt(d_k)),
    }


def _ratio(error: Array, size: Array) -> float:
    return float(
        (np.linalg.norm(error, axis=(-2, -1)) / np.linalg.norm(size, axis=(-2, -1))).mean()
    )


def overflow(q: Array, k: Array) -> dict[str, float]:
    """The factor on q and k (n, d_k) at which float16 scores reach its range: a square root."""
    largest = float(np.abs(q @ k.T).max())
    scale = q.shape[-1] ** -0.5
    found: dict[str, float] = {}
    for order, factor in (("q", scale), ("scores", 1.0), ("split", scale)):
        std = float(np.exp(FORMATS["float16"].log_infinity / 2) / np.sqrt(largest * factor))
        found[f"overflow_std_{order}"] = Tolerant(std, 4e-3 * std)
    return found


def long_sums(a: Array, b: Array, dtype: str, ctx: Context) -> dict[str, float]:
    """Errors of every kind of long sum of a·b and a·a (P, T), inputs already in the format."""
    found: dict[str, float] = {}
    for name, (got, true) in sums(a, b, dtype, ctx).items():
        if dtype == "float32" and name.endswith("fp32"):
            continue  # the library's own order of adding decides those digits
        value = float(np.linalg.norm(got - true) / np.linalg.norm(true))
        found[name] = Tolerant(value, AGREE * value)
        if name == "norm_sequential":
            lost = float((1 - got / true).mean())
            found["norm_lost"] = Tolerant(lost, AGREE * abs(lost))
    return found


def sums(a: Array, b: Array, dtype: str, ctx: Context) -> dict[str, tuple[Array, Array]]:
    """Each kind of sum of a·b (P, T) and the exact one (P,), rounded by hand: {name: pair}."""
    kind = FORMATS[dtype]
    found: dict[str, tuple[Array, Array]] = {}
    for name, other in (("dot", b), ("norm", a)):
        products = a * other
        true, terms = products.sum(-1), kind.round(products)
        total = np.zeros(len(a))
        for i, column in enumerate(np.ascontiguousarray(terms.T)):
            if i % STRIDE == 0:
                ctx.checkpoint()
            total = kind.round(total + column)
        found[f"{name}_sequential"] = total, true
        found[f"{name}_fp32"] = kind.round(true), true
        found[f"{name}_pairwise"] = _halved(terms, kind), true
    return found


def _halved(terms: Array, kind: Format) -> Array:
    """Neighbours added, then their sums, by splitting recursively at even places."""
    if terms.shape[-1] == 1:
        return np.asarray(terms[..., 0])
    tail = terms[..., -1:] if terms.shape[-1] % 2 else terms[..., :0]
    paired = terms[..., : terms.shape[-1] // 2 * 2].reshape(*terms.shape[:-1], -1, 2).sum(-1)
    return _halved(np.concatenate([kind.round(paired), tail], -1), kind)
