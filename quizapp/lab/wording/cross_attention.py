"""What `cross_attention` measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric
from quizapp.lab.maths.rows import row_metrics
from quizapp.lab.wording import listed

WEIGHTS = both("weights of head 0", "第 0 个头的权重")
#: Metrics that also come as one list over all layers: label of that list.
BY_INIT = {
    "var_q": both("Var(q) by layer", "各层的 Var(q)"),
    "score_std": both("std of q·k by layer", "各层 q·k 的标准差"),
}
#: The names of `quizapp.lab.maths.projections.INITS` in their order, without torch.
LAYERS = (
    "identity",
    "xavier",
    "xavier_narrow",
    "kaiming",
    "linear_default",
    "mha_packed",
    "gpt2",
    "t5",
    "too_large",
    "too_small",
)

#: Heads the column that says how a layer comes by its weights.
MADE_BY = both("made by", "初始化方式")

_SINGLE = {
    "var_q": metric(
        "",
        both("Var(q)", "Var(q)"),
        both("variance of the entries of q, after W_q", "q 的元素方差（经 W_q 之后）"),
        low=0,
        sampled=True,
    ),
    "var_k": metric(
        "",
        both("Var(k)", "Var(k)"),
        both("variance of the entries of k, after W_k", "k 的元素方差（经 W_k 之后）"),
        low=0,
        sampled=True,
    ),
    "gain_q": metric(
        "",
        both("gain of W_q", "W_q 的增益"),
        both(
            "mean square of q over mean square of the queries' inputs",
            "q 的均方除以其输入的均方",
        ),
        low=0,
        sampled=True,
    ),
    "gain_k": metric(
        "",
        both("gain of W_k", "W_k 的增益"),
        both("mean square of k over mean square of the keys' inputs", "k 的均方除以其输入的均方"),
        low=0,
        sampled=True,
    ),
    "score_mean": metric(
        "",
        both("mean of q·k", "q·k 的均值"),
        both("mean of the raw scores", "原始分数的均值"),
        sampled=True,
    ),
    "score_std": metric(
        "",
        both("std of q·k", "q·k 的标准差"),
        both("standard deviation of the raw scores of a draw", "一次抽样中原始分数的标准差"),
        low=0,
        sampled=True,
    ),
    "scaled_std": metric(
        "",
        both("std of q·k / √d_k", "q·k / √d_k 的标准差"),
        both("standard deviation after dividing by √d_k", "除以 √d_k 之后的标准差"),
        low=0,
        sampled=True,
    ),
    "predicted_std": metric(
        "",
        both("√(Var q · Var k)", "√(Var q · Var k)"),
        both(
            "what the scaled standard deviation would be if all entries were independent, mean 0",
            "若所有元素独立且均值为 0，缩放后标准差应为此值",
        ),
        low=0,
        sampled=True,
    ),
    "scale_holds": metric(
        "",
        both("the scale holds", "缩放成立"),
        both(
            "1 where the scaled standard deviation is within 0.1 of 1, else 0",
            "缩放后标准差与 1 相差不超过 0.1 为 1，否则为 0",
        ),
        low=0,
        high=1,
    ),
    "uniform_entropy": metric(
        "nats",
        both("ln of the keys", "ln(键数)"),
        both("entropy of equal weights on all keys", "所有键权重相等时的熵"),
        low=0,
    ),
    "weights_shape": metric(
        "",
        both("shape of the weights", "权重的形状"),
        both("heads, queries, keys", "头数、查询数、键数"),
    ),
    "output_shape": metric(
        "",
        both("shape of the output", "输出的形状"),
        both("queries, heads × d_v", "查询数、头数 × d_v"),
    ),
    "sdpa_difference": metric(
        "",
        both("against PyTorch's own", "与 PyTorch 自带之差"),
        both(
            "largest difference from torch's scaled_dot_product_attention on the same q, k, v",
            "同样的 q、k、v 上与 scaled_dot_product_attention 的最大差",
        ),
        low=0,
    ),
    **row_metrics(),
}


METRICS = {
    **_SINGLE,
    **listed(_SINGLE, BY_INIT, "init", LAYERS),
}
