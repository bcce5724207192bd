"""ALiBi lowers a score in proportion to the distance, so a head's reach stays as long as it was.

    weights = softmax(q·k/√d_k − m_h (i − j)),  j ≤ i
    m_h = 2^(−8h/H), h = 1 … H, for H a power of two; else see `maths/alibi.py`
    causal rows: −m(i − j) = m j − m i, and m i is the same for the whole row

q, k (D, n, d_k), entries i.i.d. N(0,1), untrained; D draws. For queries at the end of n and of
2n tokens: within how many recent keys 90 % of the weight lies, head by head, and how much lies
past n; beside it rotary and sinusoidal positions and none. Then the same positions shifted, the
two forms of the bias, and one key far away that stands out. No model is trained: what holds is
about weights, not about losses past a trained length.

Press et al. 2022, "Train Short, Test Long: Attention with Linear Biases Enables Input Length
Extrapolation", section 3.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Literal

from pydantic import model_validator

from quizapp.lab.experiment import (
    BaseParams,
    Context,
    Measured,
    Reference,
    Run,
    UnfitError,
    both,
    param,
)
from quizapp.lab.maths import alibi
from quizapp.lab.maths.alibi import Form, Rule
from quizapp.lab.wording import alibi as wording

if TYPE_CHECKING:
    import torch

CLAIM = both(
    "ALiBi gives each head a reach that stays when the text doubles; which heads keep it",
    "ALiBi 给每个头固定的视野，文本加倍也不变；哪些头真是如此",
)
#: Queries of each draw, all at the last position.
QUERIES: Final = 8
#: Tokens of the test of shifts: every query sees every key before it.
SHORT: Final = 64
#: Weights of one run, all heads together, or entries of its keys.
MOST: Final = 8_000_000


class Params(BaseParams):
    """The heads, how the bias enters, and how long the text is."""

    heads: int = param(8, low=1, high=64, step="double", en="heads", zh="头数")
    slopes: Rule = param(
        "paper",
        en="slopes where H is no power of two: the paper's code, or one geometric series",
        zh="头数不是 2 的幂时的斜率：论文代码，或单一等比数列",
    )
    placed: Literal["after_scale", "before_scale"] = param(
        "after_scale",
        en="added to q·k/√d_k, or to q·k and then divided",
        zh="加在 q·k/√d_k 上，或加在 q·k 上再一起除",
    )
    form: Form = param(
        "distance", en="bias −m(i−j), or m·j for all queries", zh="偏置写成 −m(i−j)，或统一为 m·j"
    )
    stored: Literal["float32", "bfloat16"] = param(
        "float32", en="number format the bias is stored in", zh="偏置存储的数值格式"
    )
    shift: int = param(
        1000, low=0, high=1_000_000, step="double", en="added to all positions", zh="所有位置的平移"
    )
    d_k: int = param(64, low=4, high=256, step="double", en="width of one head", zh="单个头的维度")
    score_std: float = param(
        1.0, low=0, high=8, en="standard deviation of q·k/√d_k", zh="q·k/√d_k 的标准差"
    )
    seq_len: int = param(
        256,
        low=16,
        high=1024,
        step="double",
        en="tokens n; also measured: 2n",
        zh="词元数 n；另测 2n",
    )
    match_distance: int = param(
        64,
        low=1,
        high=1000,
        step="double",
        en="distance of the key that matches",
        zh="匹配键的距离",
    )
    match_score: float = param(
        8.0, low=0, high=40, en="its score before the bias", zh="其加偏置前的分数"
    )
    draws: int = param(
        20, low=2, high=100, step="double", en="independent draws", zh="独立抽样次数"
    )

    @model_validator(mode="after")
    def _fits(self) -> Params:
        if self.match_distance >= self.seq_len:
            raise UnfitError(
                f"match_distance must be below seq_len {self.seq_len}, not {self.match_distance}",
                f"match_distance 须小于 seq_len {self.seq_len}，而不是 {self.match_distance}",
            )
        weights = self.draws * self.heads * max(2 * QUERIES * self.seq_len, 3 * SHORT**2)
        work = max(weights, self.draws * 2 * self.seq_len * self.d_k)
        if work > MOST:
            raise UnfitError(
                f"this is {work / MOST:.1f} times what one run may do: lower draws, heads, "
                "seq_len or d_k",
                f"工作量是一次运行上限的 {work / MOST:.1f} 倍：请调小 draws、heads、seq_len 或 d_k",
            )
        return self

    @property
    def slope_factor(self) -> float:
        """What the place of the bias multiplies the slopes by."""
        return 1.0 if self.placed == "after_scale" else self.d_k**-0.5


METRICS = wording.METRICS
PLOTS = ("by_distance", "windows", "reach")


def run(params: Params, ctx: Context) -> Run:
    """Windows of every head, then the other methods, then shifts and forms."""
    from quizapp.lab.maths import alibi_rows
    from quizapp.lab.pictures import alibi as pictures

    content = alibi_rows.content(params, ctx)
    heads = alibi_rows.by_head(params, ctx, content)
    metrics: dict[str, Measured] = {**heads.metrics()}
    windows, near = pictures.windows(heads), pictures.by_distance(heads)
    yield ctx.report(metrics=metrics, curves=[near, windows], progress=0.4)
    others = alibi_rows.by_method(params, ctx, heads)
    metrics |= others.metrics()
    reach = pictures.reach(others, params.seq_len)
    yield ctx.report(metrics=metrics, curves=[near, windows, reach], progress=0.7)
    metrics |= alibi_rows.shifted(params, ctx)
    yield ctx.report(
        metrics=metrics,
        final=True,
        summary=pictures.summary(params, metrics),
        tables=[pictures.table(metrics)],
        curves=[near, windows, reach],
    )


METHOD = both(
    "float64: the denominator as a sum that decays by e^(−m) from key to key; rotary as complex "
    "numbers; slopes by square roots",
    "float64：分母按键递推，每步衰减 e^(−m)；旋转用复数；斜率由逐次开方求得",
)


def check(params: Params, ctx: Context) -> Reference:
    """The same windows and shares without a softmax over biased scores."""
    from quizapp.lab.second_way.alibi import reference64

    return reference64(params, ctx)


def scaled(params: Params) -> float:
    """What q and k are each multiplied by for scores of the standard deviation asked for."""
    return math.sqrt(params.score_std)


def slopes(params: Params) -> torch.Tensor:
    """Slopes as they act on q·k/√d_k, (H,) float64."""
    return alibi.slopes(params.heads, params.slopes) * params.slope_factor
