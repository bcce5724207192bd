"""What `scaling_chain` measures, in words: the derivation, then each link raw and scaled."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric
from quizapp.lab.maths.rows import row_metrics
from quizapp.report import MetricInfo

#: The two ways the same inputs are run: prefix → how a label and a meaning end.
WAYS = {
    "raw": (("", "（原始）"), ("without a scale", "不缩放")),
    "scaled": ((", scaled", "（缩放）"), ("scores divided by √d_k", "分数除以 √d_k")),
}

DERIVATION = {
    "mean_product": metric(
        "",
        both("E[q]·E[k]", "E[q]·E[k]"),
        both(
            "product of the mean entry of q and of k, mean over dimensions",
            "q 与 k 元素均值之积，对维度取平均",
        ),
        sampled=True,
    ),
    "term_mean": metric(
        "",
        both("E[qᵢkᵢ]", "E[qᵢkᵢ]"),
        both("mean of one term of the dot product", "点积中一项的均值"),
        sampled=True,
    ),
    "square_product": metric(
        "",
        both("E[q²]·E[k²]", "E[q²]·E[k²]"),
        both(
            "product of the mean squares of q and of k, mean over dimensions",
            "q 与 k 的均方之积，对维度取平均",
        ),
        low=0,
        sampled=True,
    ),
    "term_variance": metric(
        "",
        both("Var(qᵢkᵢ)", "Var(qᵢkᵢ)"),
        both("variance of one term, mean over dimensions", "一项的方差，对维度取平均"),
        low=0,
        sampled=True,
    ),
    "sum_of_variances": metric(
        "",
        both("Σ Var(qᵢkᵢ)", "Σ Var(qᵢkᵢ)"),
        both("variances of all d_k terms added up", "全部 d_k 项的方差之和"),
        low=0,
        sampled=True,
    ),
    "covariance_sum": metric(
        "",
        both("Σ Cov, i ≠ j", "Σ Cov（i ≠ j）"),
        both(
            "covariances of all pairs of different terms added up: 0 if they are independent",
            "所有不同项两两协方差之和：独立时为 0",
        ),
        sampled=True,
    ),
    "covariance_share": metric(
        "share",
        both("covariances, share", "协方差占比"),
        both(
            "part of the score's variance that the covariances between terms make up",
            "分数方差中来自项间协方差的部分",
        ),
        high=1,
        sampled=True,
    ),
    "score_variance": metric(
        "",
        both("Var(q·k)", "Var(q·k)"),
        both("variance of the dot product", "点积的方差"),
        low=0,
        sampled=True,
    ),
    "scaled_variance": metric(
        "",
        both("Var(q·k/√d_k)", "Var(q·k/√d_k)"),
        both("variance of the dot product divided by √d_k", "点积除以 √d_k 之后的方差"),
        low=0,
        sampled=True,
    ),
}

_LINKS = {
    # name: English label, Chinese label, English meaning, Chinese meaning
    "score_std": (
        "std of scores",
        "分数标准差",
        "standard deviation of all scores of a draw",
        "一次抽样中全部分数的标准差",
    ),
    "top_gap": (
        "top-two gap",
        "前两名之差",
        "largest minus second largest logit of a row, mean over rows",
        "每行最大与次大 logit 之差，对行取平均",
    ),
    "logit_gradient": (
        "logit gradient",
        "logit 梯度",
        "norm of the gradient that reaches a row's logits, median over rows",
        "到达一行 logits 的梯度范数，取各行中位数",
    ),
    "logit_gradient_p10": (
        "logit grad. p10",
        "logit 梯度 p10",
        "norm of the gradient at the logits that the lowest tenth of rows stays below",
        "最低一成的行低于此 logits 梯度范数",
    ),
    "query_gradient": (
        "gradient at q",
        "q 的梯度",
        "norm of the gradient that reaches a query, median over rows",
        "到达一个查询的梯度范数，取各行中位数",
    ),
    "query_gradient_p10": (
        "q gradient p10",
        "q 的梯度 p10",
        "norm of the gradient at q that the lowest tenth of rows stays below",
        "最低一成的行低于此 q 的梯度范数",
    ),
}


def _links() -> dict[str, MetricInfo]:
    made: dict[str, MetricInfo] = {}
    for way, (label, meaning) in WAYS.items():
        for name, (en, zh, en_meaning, zh_meaning) in _LINKS.items():
            made[f"{way}_{name}"] = metric(
                "",
                both(en + label[0], zh + label[1]),
                both(f"{en_meaning}, {meaning[0]}", f"{zh_meaning}（{meaning[1]}）"),
                low=0,
                sampled=True,
            )
        made |= row_metrics(f"{way}_", label, meaning)
    return made


METRICS = DERIVATION | _links()
