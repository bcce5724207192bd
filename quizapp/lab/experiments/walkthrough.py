"""Attention hands each query a weighted mean of the values: every step, with its matrices.

    scores = QKᵀ,  weights = softmax(scores/√d_k),  output = weights · V

S tokens, entries of Q, K (1, S, d_k) and V (1, S, d_v) i.i.d. N(0,1), a batch of one.
What may be changed is what goes wrong in practice: the scale, the axis of the softmax,
and `.T` where `.mT` is meant. Metrics of one small draw describe that draw.

Vaswani et al. 2017, section 3.2.1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import model_validator

from quizapp.lab.experiment import (
    BaseParams,
    Context,
    Reference,
    Run,
    Tolerant,
    UnfitError,
    Value,
    param,
)
from quizapp.lab.wording import walkthrough as wording

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray


CLAIM = {
    "en": "each output row is a weighted mean of the values: every step with its matrices",
    "zh": "每行输出都是值的加权平均：逐步给出全部矩阵",
}


class Params(BaseParams):
    """The sizes, and the variations worth getting wrong once."""

    seq_len: int = param(5, low=3, high=6, en="tokens", zh="token 数")
    d_k: int = param(4, low=2, high=8, en="width of a query or key", zh="查询、键的维度")
    d_v: int = param(3, low=2, high=8, en="width of a value", zh="值的维度")
    causal: Literal["no", "yes"] = param("no", en="hide later keys", zh="隐藏后面的键")
    scaled: Literal["yes", "no"] = param("yes", en="multiply by 1/√d_k", zh="乘以 1/√d_k")
    softmax: Literal["keys", "queries"] = param(
        "keys", en="axis the softmax runs over", zh="softmax 沿哪个轴"
    )
    key_transpose: Literal[".mT", ".T"] = param(
        ".mT", en="how K is transposed", zh="K 用什么方式转置"
    )

    @model_validator(mode="after")
    def _t_stands_alone(self) -> Params:
        if self.key_transpose == ".T" and (self.causal == "yes" or self.softmax == "queries"):
            raise UnfitError(
                "key_transpose=.T goes with causal=no and softmax=keys only",
                "key_transpose=.T 只能与 causal=no、softmax=keys 一起使用",
            )
        return self


METRICS = wording.METRICS
PLOTS = ("weights",)


def run(params: Params, ctx: Context) -> Run:
    """One walk; small enough for a single report."""
    from quizapp.lab.maths import walk
    from quizapp.lab.pictures import walk as walk_steps
    from quizapp.lab.pictures.rows import weight_map

    ctx.checkpoint()
    q, k, v = (ctx.normal(name, 1, *shape) for name, shape in _shapes(params))
    scale = params.d_k**-0.5 if params.scaled == "yes" else 1.0
    if params.key_transpose == ".T":
        walked = walk.walk_with_t(q, k, v, scale=scale)
        measured: dict[str, Value] = {}
    else:
        mask = _causal(q) if params.causal == "yes" else None

        def under_study(
            q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, s: float, m: torch.Tensor | None
        ) -> tuple[torch.Tensor, torch.Tensor]:
            return ctx.attention(q, k, v, scale=s, mask=m)

        attend = under_study if params.softmax == "keys" else walk.over_queries
        walked = walk.walk(q, k, v, scale=scale, mask=mask, axis=params.softmax, attend=attend)
        measured = walk.laws(walked, attend)
    metrics = {**walk.shapes(walked), **walk.figures(walked), **measured}
    shown = None if walked.weights is None else walked.weights.squeeze(-1).squeeze(0)
    title = {"en": "weights", "zh": "权重"}
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=walk_steps.summary(walked),
        heat_maps=[] if shown is None else [weight_map("weights", title, shown)],
        trace=walk_steps.steps(walked),
    )


def _shapes(params: Params) -> list[tuple[str, tuple[int, int]]]:
    S = params.seq_len
    return [("q", (S, params.d_k)), ("k", (S, params.d_k)), ("v", (S, params.d_v))]


def _causal(q: torch.Tensor) -> torch.Tensor:
    """(S, S), True where the key is not later than the query."""
    return q.new_ones(q.shape[-2], q.shape[-2]).tril().bool()


METHOD = {
    "en": "scores from lengths; weight j = 1/Σ exp(sᵢ − sⱼ) over the keys that may be seen",
    "zh": "分数由长度求得；权重 j = 1/Σ exp(sᵢ − sⱼ)，只对可见的键求和",
}


def check(params: Params, ctx: Context) -> Reference:
    """Scores by polarisation, weights from differences of visible scores, output as a sum."""
    import numpy as np

    q, k, v = (ctx.normal64(name, 1, *shape)[0] for name, shape in _shapes(params))
    S = params.seq_len
    if params.key_transpose == ".T":
        if params.d_k != S:  # batches d_k and 1 broadcast, yet S×d_k does not go with S×1
            return {"transpose_raises": 1.0}
        # What Q @ K.T computes: Σⱼ q[i, j] k[j, b] at [b, i].
        return {"transpose_raises": 0.0, "scores": np.einsum("ij,jb->bi", q, k).ravel().tolist()}
    total, difference = q[:, None] + k, q[:, None] - k  # (S, S, d_k)
    scores = ((total**2).sum(-1) - (difference**2).sum(-1)) / 4
    scale = 1 / np.sqrt(params.d_k) if params.scaled == "yes" else 1.0
    causal, by_column = params.causal == "yes", params.softmax == "queries"
    weights = _weights(scores * scale, causal=causal, by_column=by_column)
    asked = scores.copy()
    asked[-1] += k.sum(-1)  # what a last query that gains 1 everywhere does to its scores
    moved = _weights(asked * scale, causal=causal, by_column=by_column) - weights
    influence = float(np.abs(moved[:-1] @ v).max())
    return {
        "scores": scores.ravel().tolist(),
        "score_std": float(scores.std(ddof=1)),
        "weights": weights.ravel().tolist(),
        "row_sums": [sum(row) for row in weights.tolist()],
        "column_sums": [sum(column) for column in weights.T.tolist()],
        "max_weight": float(np.sort(weights)[:, -1].mean()),
        "entropy": float(-np.log(weights[weights > 0]) @ weights[weights > 0] / S),
        "output": sum(weights[:, j, None] * v[j] for j in range(S)).ravel().tolist(),
        "query_influence": Tolerant(influence, max(2e-4 * influence, 1e-6)),  # 0 but for rounding
    }


def _weights(logits: NDArray[np.float64], *, causal: bool, by_column: bool) -> NDArray[np.float64]:
    """Softmax as 1/Σ exp(differences), over the visible keys (or queries) alone: (S, S)."""
    import numpy as np

    S = len(logits)
    weights = np.zeros((S, S))
    for i in range(S):
        for j in range(i + 1 if causal else S):
            if by_column:
                rivals = logits[(j if causal else 0) :, j]
            else:
                rivals = logits[i, : i + 1 if causal else S]
            weights[i, j] = 1 / np.exp(rivals - logits[i, j]).sum()
    return weights
