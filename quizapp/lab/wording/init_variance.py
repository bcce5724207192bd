"""What `init_variance` measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric
from quizapp.lab.maths.rows import row_metrics
from quizapp.lab.wording import cross_attention, listed

#: The layers, in the order of every list by layer.
LAYERS = cross_attention.LAYERS
#: Scores of the plot, by the tokens they belong to.
OTHERS, OWN = both("two tokens", "不同 token"), both("a token with itself", "token 与自身")
#: Metrics that also come as one list over all layers: label of that list.
BY_INIT = {
    "var_q": both("Var(q) by layer", "各层的 Var(q)"),
    "var_k": both("Var(k) by layer", "各层的 Var(k)"),
    "scaled_std": both("scaled std by layer", "各层缩放后标准差"),
}

_MEASURED = {
    "var_q": metric(
        "",
        both("Var(q)", "Var(q)"),
        both("variance of the entries of q", "q 的元素方差"),
        low=0,
        sampled=True,
    ),
    "var_k": metric(
        "",
        both("Var(k)", "Var(k)"),
        both("variance of the entries of k", "k 的元素方差"),
        low=0,
        sampled=True,
    ),
    "score_variance": metric(
        "",
        both("Var(q·k)", "Var(q·k)"),
        both(
            "variance of the raw scores of two different tokens", "两个不同 token 的原始分数的方差"
        ),
        low=0,
        sampled=True,
    ),
    "score_std": metric(
        "",
        both("std of q·k", "q·k 的标准差"),
        both(
            "standard deviation of the raw scores of two different tokens",
            "两个不同 token 的原始分数的标准差",
        ),
        low=0,
        sampled=True,
    ),
    "scaled_std": metric(
        "",
        both("std of q·k / √d_k", "q·k / √d_k 的标准差"),
        both(
            "standard deviation of those scores after dividing by √d_k",
            "上述分数除以 √d_k 之后的标准差",
        ),
        low=0,
        sampled=True,
    ),
    "own_score": metric(
        "",
        both("a token's own score", "token 对自身的分数"),
        both(
            "mean scaled score of a token's query with its own key",
            "token 的查询与自身的键的平均分数（缩放后）",
        ),
        sampled=True,
    ),
    "own_weight": metric(
        "",
        both("weight on oneself", "对自身的权重"),
        both("mean weight that a token gives itself", "token 给自身的平均权重"),
        low=0,
        high=1,
        sampled=True,
    ),
    "gain_for_one": metric(
        "",
        both("gain for Var(q) = 1", "使 Var(q) = 1 的倍数"),
        both(
            "factor on q that would make its measured variance 1: 1/√Var(q)",
            "q 乘以多少可使实测方差为 1：1/√Var(q)",
        ),
        low=0,
        sampled=True,
    ),
}
_DERIVED = {
    "promised_var_q": metric(
        "",
        both("Var(q) by theory", "Var(q) 理论值"),
        both("d_model · Var(W_q) · Var(x) + Var(b)", "d_model · Var(W_q) · Var(x) + Var(b)"),
        low=0,
    ),
    "promised_var_k": metric(
        "",
        both("Var(k) by theory", "Var(k) 理论值"),
        both("d_model · Var(W_k) · Var(x) + Var(b)", "d_model · Var(W_k) · Var(x) + Var(b)"),
        low=0,
    ),
    "promised_scaled_std": metric(
        "",
        both("scaled std by theory", "缩放后标准差理论值"),
        both(
            "√(Var(q) · Var(k)) of the theory; more where W_q and W_k are one matrix",
            "理论的 √(Var(q) · Var(k))；W_q 与 W_k 共用矩阵时更大",
        ),
        low=0,
    ),
    "folklore_score_std": metric(
        "",
        both("√d_k", "√d_k"),
        both(
            "standard deviation of q·k if Var(q) and Var(k) were 1",
            "若 Var(q)、Var(k) 均为 1，q·k 的标准差",
        ),
        low=0,
    ),
    "unit_variance": metric(
        "",
        both("Var(q) = Var(k) = 1?", "Var(q) = Var(k) = 1？"),
        both(
            "1 where both variances are within 0.1 of 1, else 0",
            "两个方差与 1 相差都不超过 0.1 为 1，否则为 0",
        ),
        low=0,
        high=1,
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
    "widths": metric(
        "",
        both("widths", "维度"),
        both("d_model of the lists by width", "按维度列出的各项所用的 d_model"),
        low=1,
    ),
    "var_q_by_width": metric(
        "",
        both("Var(q) by width", "各维度的 Var(q)"),
        both("variance of the entries of q at each of the widths", "各维度下 q 的元素方差"),
        low=0,
        sampled=True,
    ),
    "promised_by_width": metric(
        "",
        both("theory by width", "各维度的理论值"),
        both("Var(q) by theory at each of the widths", "各维度下 Var(q) 的理论值"),
        low=0,
    ),
    "promised_by_init": metric(
        "",
        both("theory by layer", "各层的理论值"),
        both(
            f"Var(q) by theory: for {', '.join(LAYERS)}",
            f"Var(q) 的理论值：依次为 {', '.join(LAYERS)}",
        ),
        low=0,
    ),
}


METRICS = {
    **_MEASURED,
    **_DERIVED,
    **row_metrics(),
    **listed(_MEASURED, BY_INIT, "init", LAYERS),
}
