"""One small attention, step by step: what each step leaves behind, and what it obeys.

Shapes: a batch of one, S tokens; q, k (1, S, d_k), v (1, S, d_v). Tokens count from 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import torch

from quizapp.lab.attention import entropy
from quizapp.lab.experiment import Value

#: (q, k, v, scale, mask) → output (1, S, d_v), weights (1, S, S)
Attend = Callable[
    [torch.Tensor, torch.Tensor, torch.Tensor, float, torch.Tensor | None],
    tuple[torch.Tensor, torch.Tensor],
]


@dataclass(frozen=True)
class Walk:
    """Everything one attention leaves behind, in order; None where a step raised.

    logits are the scores after scale and mask; `failure` is torch's own message.
    """

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    scale: float
    mask: torch.Tensor | None
    axis: str
    transposed_shape: tuple[int, ...]
    scores: torch.Tensor | None = None
    logits: torch.Tensor | None = None
    weights: torch.Tensor | None = None
    output: torch.Tensor | None = None
    failure: str = ""


def over_queries(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, scale: float, mask: torch.Tensor | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention with the classic slip: the softmax runs over the queries, dim −2."""
    logits = q @ k.mT * scale
    if mask is not None:
        logits = logits.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(logits, dim=-2)
    return weights @ v, weights


def walk(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    scale: float,
    mask: torch.Tensor | None,
    axis: str,
    attend: Attend,
) -> Walk:
    """The walk with K transposed rightly, by `.mT`."""
    scores = q @ k.mT  # (1, S, S)
    logits = scores * scale
    if mask is not None:
        logits = logits.masked_fill(mask == 0, float("-inf"))
    output, weights = attend(q, k, v, scale, mask)
    return Walk(q, k, v, scale, mask, axis, tuple(k.mT.shape), scores, logits, weights, output)


def walk_with_t(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, scale: float) -> Walk:
    """The walk with `K.T`, which reverses all three dimensions: (1, S, d_k) → (d_k, S, 1).

    Q @ K.T then needs d_k = S, and what it gives in that case, (S, S, 1), is Q @ K.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch deprecates .T beyond two dimensions
        transposed = k.T
    start = Walk(q, k, v, scale, None, "keys", tuple(transposed.shape))
    try:
        scores = q @ transposed
    except RuntimeError as error:
        return _replace(start, failure=_first_line(error))
    weights = torch.softmax(scores * scale, dim=-1)  # over an axis of length 1
    walked = _replace(start, scores=scores, logits=scores * scale, weights=weights)
    try:
        return _replace(walked, output=weights @ v)
    except RuntimeError as error:
        return _replace(walked, failure=_first_line(error))


def _replace(walked: Walk, **changes: object) -> Walk:
    return Walk(**(walked.__dict__ | changes))


def _first_line(error: RuntimeError) -> str:
    return str(error).splitlines()[0]


def shapes(w: Walk) -> dict[str, Value]:
    """What the transpose did, and the shapes that exist."""
    found: dict[str, Value] = {
        "transpose_raises": float(w.scores is None),
        "transposed_shape": list(w.transposed_shape),
        "weighted_sum_raises": float(w.output is None),
        "scale": w.scale,
    }
    for name in ("scores", "weights", "output"):
        tensor = getattr(w, name)
        if tensor is not None:
            found[name] = tensor.flatten().tolist()
            found[f"{name}_shape"] = list(tensor.shape)
    return found


def figures(w: Walk) -> dict[str, Value]:
    """Figures of this draw's scores and weights."""
    if w.scores is None or w.weights is None:
        return {}
    sums = w.weights.sum(-1)
    found: dict[str, Value] = {
        "score_std": w.scores.std().item(),
        "scaled_std": (w.scores * w.scale).std().item(),
        "row_sums": sums.flatten().tolist(),
        "row_sum_error": (sums - 1).abs().max().item(),
        "max_weight": w.weights.amax(-1).mean().item(),
        "entropy": entropy(w.weights).mean().item(),
    }
    if w.output is not None:
        found |= {
            "column_sums": w.weights.sum(-2).flatten().tolist(),
            "hidden_weight": w.weights.triu(1).sum().item(),
            "asymmetry": _largest(w.weights - w.weights.mT),
            "top_key_kept": (w.scores.argmax(-1) == (w.scores * w.scale).argmax(-1))
            .float()
            .mean()
            .item(),
            "output_in_hull": float(_in_hull(w.output, w.v)),
            "first_output_error": _largest(w.output[:, 0] - w.v[:, 0]),
        }
    return found


def _in_hull(output: torch.Tensor, v: torch.Tensor) -> bool:
    """Whether every column of output lies between the least and greatest value of that column."""
    slack = 1e-5  # float32 rounding of a sum of weights
    low, high = v.amin(-2, keepdim=True) - slack, v.amax(-2, keepdim=True) + slack
    return bool(((output >= low) & (output <= high)).all())


def laws(w: Walk, attend: Attend) -> dict[str, Value]:
    """What reordering, and a changed last query or last key and value, do to the output."""
    assert w.output is not None  # only a walk by .T lacks one
    q, k, v, out = w.q, w.k, w.v, w.output
    moved_q, moved_k, moved_v, moved_out = (x.roll(1, dims=-2) for x in (q, k, v, out))
    changed_q, changed_k, changed_v = q.clone(), k.clone(), v.clone()
    for changed in (changed_q, changed_k, changed_v):
        changed[:, -1] += 1

    def output(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return attend(q, k, v, w.scale, w.mask)[0]

    return {
        "permute_pairs_change": _largest(output(q, moved_k, moved_v) - out),
        "permute_values_change": _largest(output(q, k, moved_v) - out),
        "permute_queries_error": _largest(output(moved_q, k, v) - moved_out),
        "permute_all_error": _largest(output(moved_q, moved_k, moved_v) - moved_out),
        "future_influence": _largest((output(q, changed_k, changed_v) - out)[:, :-1]),
        "query_influence": _largest((output(changed_q, k, v) - out)[:, :-1]),
    }


def _largest(difference: torch.Tensor) -> float:
    return difference.abs().max().item()
