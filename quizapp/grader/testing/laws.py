"""Laws that attention keeps whatever the numbers are: no reference is needed to test them.

Shapes: Q (B, H, S_q, d_k), K (B, H, S_k, d_k), V (B, H, S_k, d_v), output (B, H, S_q, d_v),
weights (B, H, S_q, S_k).
"""

from __future__ import annotations

import torch
from torch import Tensor

from quizapp.grader.testing.calling import Submission, results
from quizapp.grader.testing.comparing import (
    agree,
    finite,
    first_index,
    hidden_weight,
    pair,
    place,
    row_sums,
    same_dtype,
    tolerance_of,
)
from quizapp.grader.testing.inputs import draw
from quizapp.grader.testing.mismatch import Mismatch

_WEIGHTS = ("B", "H", "S_q", "S_k")
_OUTPUT = ("B", "H", "S_q", "d_v")


def rows_sum_to_1(weights: Tensor, what: str = "weights") -> None:
    """Raise Mismatch unless every row sums to 1 and no weight is negative."""
    relative, absolute = tolerance_of(weights, what)
    weights = weights.detach().double()
    finite(weights, what, _WEIGHTS)
    if (weights < 0).any():
        at = first_index(weights == weights.min())
        shown = f"{float(weights[at]):.4g}"
        raise Mismatch(
            "wrong",
            en=f"{what}: negative, least at {place(at, _WEIGHTS)}: {shown}",
            zh=f"{what}：出现负数，最小在 {place(at, _WEIGHTS)}：{shown}",
        )
    for en, zh in row_sums(weights, what, _WEIGHTS, relative + absolute):
        raise Mismatch("wrong", en=en, zh=zh)


def hides(weights: Tensor, mask: Tensor, what: str = "weights") -> None:
    """Raise Mismatch unless the weight is 0 wherever `mask`, broadcast, is 0 or False."""
    _, absolute = tolerance_of(weights, what)
    finite(weights.detach(), what, _WEIGHTS)
    visible = (mask != 0).expand(weights.shape)
    found = hidden_weight(weights.detach().double(), visible, what, _WEIGHTS, absolute)
    for en, zh in found:
        raise Mismatch("wrong", en=en, zh=zh)


def ignores_order_of_keys(submission: Submission, Q: Tensor, K: Tensor, V: Tensor) -> None:
    """Keys permuted together with their values leave the output as it is."""
    order = torch.randperm(K.shape[-2], generator=torch.Generator().manual_seed(0))
    before = _output(submission, Q, K, V)
    after = _output(submission, Q, K[..., order, :], V[..., order, :])
    lead = (
        "Permuting the keys together with their values changed the output.",
        "键和值按同一顺序重排之后，输出变了。",
    )
    agree(after, before.double(), "output", _OUTPUT, dtype=Q.dtype, lead=lead)


def ignores_hidden_keys(
    submission: Submission, Q: Tensor, K: Tensor, V: Tensor, mask: Tensor
) -> None:
    """Other keys and values at places hidden from every query leave the output as it is.

    mask: broadcastable to (B, H, S_q, S_k); 0 or False hides.
    """
    scores = (*Q.shape[:-1], K.shape[-2])
    hidden = ~(mask != 0).expand(scores).any(-2)  # (B, H, S_k): from all queries
    others = [
        torch.where(hidden[..., None], draw(seed, *x.shape, dtype=x.dtype, std=3.0), x)
        for seed, x in ((1, K), (2, V))
    ]
    before = _output(submission, Q, K, V, mask)
    after = _output(submission, Q, *others, mask)
    lead = (
        "Changing only hidden keys and values changed the output.",
        "只改动被隐藏的键和值，输出却变了。",
    )
    agree(after, before.double(), "output", _OUTPUT, dtype=Q.dtype, lead=lead)


def ignores_the_future(
    submission: Submission, Q: Tensor, K: Tensor, V: Tensor, *rest: object
) -> None:
    """Causality: other keys and values from the middle on leave earlier outputs as they are."""
    middle = K.shape[-2] // 2
    others = [x.clone() for x in (K, V)]
    for seed, x in enumerate(others, 1):
        x[..., middle:, :] = draw(seed, *x[..., middle:, :].shape, dtype=x.dtype, std=3.0)
    before = _output(submission, Q, K, V, *rest)[..., :middle, :]
    after = _output(submission, Q, *others, *rest)[..., :middle, :]
    lead = (
        f"Changing keys and values from position {middle} on changed earlier outputs.",
        f"只改动第 {middle} 个及以后的键和值，更早的输出却变了。",
    )
    agree(after, before.double(), "output", _OUTPUT, dtype=Q.dtype, lead=lead)


def within_hull(output: Tensor, V: Tensor) -> None:
    """Each output row is an average of value rows: along no direction does it lie beyond them.

    Looks along the d_v axes and along d_v random directions.
    """
    relative, absolute = tolerance_of(output, "output")
    finite(output.detach(), "output", _OUTPUT)
    width = V.shape[-1]
    directions = torch.cat([torch.eye(width, dtype=torch.float64), draw(0, width, width).double()])
    values, averaged = V.double() @ directions.mT, output.detach().double() @ directions.mT
    low, high = values.amin(-2, keepdim=True), values.amax(-2, keepdim=True)
    # Numbers near the end of float64 overflow here: what is NaN then lies beyond as well.
    beyond = torch.maximum(averaged - high, low - averaged).nan_to_num(nan=torch.inf)
    slack = absolute * width + relative * values.abs().amax(-2, keepdim=True)
    if not (beyond > slack).any():
        return
    *row, direction = first_index(beyond == beyond.max())
    at = place(row, _OUTPUT)
    reached = float(averaged[(*row, direction)])
    least, most = (
        float(low[row[0], row[1], 0, direction]),
        float(high[row[0], row[1], 0, direction]),
    )
    limit, en, zh = (most, "most", "最多") if reached > most else (least, "least", "最少")
    shown = pair(reached, limit)
    raise Mismatch(
        "wrong",
        en=f"output: the row at {at} is no average of value rows: along one direction it "
        f"reaches {shown[0]}, and they {shown[1]} at {en}",
        zh=f"output：{at} 这一行不是各个值的平均：沿某个方向它到 {shown[0]}，值{zh}到 {shown[1]}",
    )


def _output(submission: Submission, Q: Tensor, *rest: object) -> Tensor:
    """The first result of a call, of the dtype of Q and finite, as a law can be held to."""
    output = results(submission(Q, *rest))[0]
    same_dtype(output, Q.dtype, "output")
    finite(output.detach(), "output", _OUTPUT)
    return output
