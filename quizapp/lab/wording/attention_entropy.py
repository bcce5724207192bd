"""What `attention_entropy` measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric
from quizapp.lab.maths.rows import row_metrics
from quizapp.report import MetricInfo

#: Names of the two kinds of rows, in plots and table columns.
SERIES = {"unscaled": both("no scale", "不缩放"), "scaled": both("1/√d_k", "1/√d_k")}
HEAT_MAPS = {
    "unscaled": both("weights of one draw, no scale", "一次抽样的权重，不缩放"),
    "scaled": both("weights of one draw, 1/√d_k", "一次抽样的权重，除以 √d_k"),
}
SIDE_BY_SIDE_MAP = both("weights: left no scale, right 1/√d_k", "权重：左不缩放，右除以 √d_k")
#: Rows of the table that sets both kinds side by side.
SIDE_BY_SIDE = {
    "score_std": both("std of the scores", "分数的标准差"),
    "entropy": both("entropy", "熵"),
    "max_weight": both("largest weight", "最大权重"),
    "jacobian_median": both("row Jacobian norm, median", "行雅可比范数，中位数"),
    "jacobian_p10": both("  its lowest tenth", "  最低一成"),
    "dead_share": both("rows below 0.01", "范数低于 0.01 的行"),
    "saturated_share": both("saturated rows", "饱和行"),
}
#: Columns of the table by width.
COLUMNS = {
    "unscaled_entropy": both("entropy, no scale", "熵，不缩放"),
    "unscaled_entropy_spread": both("spread", "抽样间离散"),
    "scaled_entropy": both("entropy, 1/√d_k", "熵，除以 √d_k"),
    "scaled_entropy_spread": both("spread", "抽样间离散"),
    "unscaled_dead_share": both("dead rows, no scale", "近零梯度行，不缩放"),
}
#: Metrics that also come as one list over the widths: label of that list.
BY_WIDTH = {
    "unscaled_entropy": both("entropy by d_k, raw", "各 d_k 的熵（原始）"),
    "scaled_entropy": both("entropy by d_k, scaled", "各 d_k 的熵（缩放）"),
    "unscaled_max_weight": both("top weight by d_k, raw", "各 d_k 的最大权重（原始）"),
    "unscaled_jacobian_mean": both("‖J‖ by d_k, raw", "各 d_k 的 ‖J‖ 均值（原始）"),
    "scaled_jacobian_mean": both("‖J‖ by d_k, scaled", "各 d_k 的 ‖J‖ 均值（缩放）"),
    "unscaled_jacobian_median": both("median ‖J‖ by d_k, raw", "各 d_k 的 ‖J‖ 中位数（原始）"),
    "unscaled_dead_share": both("dead rows by d_k, raw", "各 d_k 的近零梯度行（原始）"),
    "unscaled_saturated_share": both("saturated by d_k, raw", "各 d_k 的饱和行（原始）"),
}

_ROWS = {
    **row_metrics("unscaled_", (", raw", "（原始）"), ("without a scale", "不缩放")),
    **row_metrics("scaled_", (", scaled", "（缩放）"), ("scores over √d_k", "分数除以 √d_k")),
}


def _by_width(name: str, label: dict[str, str]) -> MetricInfo:
    one = _ROWS[name]
    return metric(
        one.unit,
        label,
        both(
            f"{one.meaning.to('en')}: at d_k = 16, 64, 256, 1024",
            f"{one.meaning.to('zh')}：d_k = 16、64、256、1024",
        ),
        low=one.low,
        high=one.high,
        sampled=True,
    )


METRICS = {
    "unscaled_score_std": metric(
        "",
        both("std of scores, raw", "分数标准差（原始）"),
        both("standard deviation of q·k", "q·k 的标准差"),
        low=0,
        sampled=True,
    ),
    "scaled_score_std": metric(
        "",
        both("std of scores, scaled", "分数标准差（缩放）"),
        both("standard deviation of q·k / √d_k", "q·k / √d_k 的标准差"),
        low=0,
        sampled=True,
    ),
    "uniform_entropy": metric(
        "nats",
        both("ln n", "ln n"),
        both("entropy of n equal weights, the most there is", "n 个相等权重的熵，即上限"),
        low=0,
    ),
    **_ROWS,
    "unscaled_entropy_spread": metric(
        "nats",
        both("entropy spread, raw", "熵的抽样间离散（原始）"),
        both(
            "standard deviation between draws of a draw's mean entropy, without a scale",
            "各次抽样平均熵之间的标准差（不缩放）",
        ),
        low=0,
        sampled=True,
    ),
    "scaled_entropy_spread": metric(
        "nats",
        both("entropy spread, scaled", "熵的抽样间离散（缩放）"),
        both(
            "standard deviation between draws of a draw's mean entropy, scores over √d_k",
            "各次抽样平均熵之间的标准差（分数除以 √d_k）",
        ),
        low=0,
        sampled=True,
    ),
    "same_top_key": metric(
        "share",
        both("same top key", "首位键相同的行"),
        both(
            "share of rows whose largest weight is on the same key with and without the scale",
            "缩放前后最大权重落在同一个键上的行所占比例",
        ),
        low=0,
        high=1,
        sampled=True,
    ),
    "unscaled_non_finite": metric(
        "share",
        both("NaN weights, raw", "NaN 权重（原始）"),
        both(
            "share of weights that are NaN or infinite without a scale",
            "不缩放时为 NaN 或无穷的权重所占比例",
        ),
        low=0,
        high=1,
        sampled=True,
    ),
    "widths": metric(
        "",
        both("d_k of the lists", "列表对应的 d_k"),
        both("the head widths of every list, in their order", "各列表依次对应的头维度"),
        low=1,
    ),
    **{f"{name}_by_d_k": _by_width(name, label) for name, label in BY_WIDTH.items()},
}
