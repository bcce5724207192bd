"""What `head_split` measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric
from quizapp.lab.maths.rows import row_metrics
from quizapp.report import MetricInfo

#: The three kinds of scaling a head is run under.
KINDS = {
    "unscaled": both("no scale", "不缩放"),
    "scaled": both("1/√d_k", "1/√d_k"),
    "wrong": both("1/√d_model", "1/√d_model"),
}
#: Columns of the table by kind.
MEASURES = {
    "score_std": both("std", "标准差"),
    "entropy": both("entropy", "熵"),
    "max_weight": both("top weight", "最大权重"),
    "jacobian_median": both("‖J‖ median", "‖J‖ 中位数"),
    "dead_share": both("below 0.01", "低于 0.01"),
}
#: Columns of the table by the number of heads.
COLUMNS = {
    "unscaled_score_std": both("std, raw", "标准差，原始"),
    "unscaled_entropy": both("entropy, raw", "熵，原始"),
    "scaled_entropy": both("entropy, 1/√d_k", "熵，除以 √d_k"),
    "unscaled_max_weight": both("top weight, raw", "最大权重，原始"),
    "unscaled_dead_share": both("below 0.01, raw", "低于 0.01，原始"),
}
#: Metrics that also come as one list over the head counts: label of that list.
BY_HEADS = {
    "unscaled_score_std": both("std by heads, raw", "各头数的标准差（原始）"),
    "unscaled_entropy": both("entropy by heads, raw", "各头数的熵（原始）"),
    "scaled_entropy": both("entropy by heads, scaled", "各头数的熵（缩放）"),
    "unscaled_max_weight": both("top weight by heads, raw", "各头数的最大权重（原始）"),
    "unscaled_jacobian_median": both("‖J‖ by heads, raw", "各头数的 ‖J‖ 中位数（原始）"),
    "unscaled_dead_share": both("dead rows by heads, raw", "各头数的近零梯度行（原始）"),
}

_KIND_WORDS = {
    "unscaled": ((", raw", "（原始）"), ("without a scale", "不缩放"), "q·k", "q·k"),
    "scaled": (
        (", scaled", "（缩放）"),
        ("scores over √d_k", "分数除以 √d_k"),
        "q·k / √d_k",
        "q·k / √d_k",
    ),
    "wrong": (
        (", wrong", "（误用）"),
        ("scores wrongly over √d_model", "分数误除以 √d_model"),
        "q·k / √d_model",
        "q·k / √d_model",
    ),
}


def _kind_metrics() -> dict[str, MetricInfo]:
    found: dict[str, MetricInfo] = {}
    for kind, (label, meaning, en, zh) in _KIND_WORDS.items():
        found[f"{kind}_score_std"] = metric(
            "",
            both(f"std of scores{label[0]}", f"分数标准差{label[1]}"),
            both(f"standard deviation of {en} in one head", f"单个头中 {zh} 的标准差"),
            low=0,
            sampled=True,
        )
        found |= row_metrics(f"{kind}_", label, meaning)
    return found


_KINDS = _kind_metrics()


def _by_heads(name: str, label: dict[str, str]) -> MetricInfo:
    one = _KINDS[name]
    return metric(
        one.unit,
        label,
        both(
            f"{one.meaning.to('en')}: for each number of heads in head_counts",
            f"{one.meaning.to('zh')}：依次对应 head_counts 中的头数",
        ),
        low=one.low,
        high=one.high,
        sampled=True,
    )


METRICS = {
    "head_width": metric(
        "",
        both("width of a head", "头的宽度"),
        both("d_k = d_model / heads", "d_k = d_model / 头数"),
        low=1,
    ),
    **_KINDS,
    "unscaled_std_per_head": metric(
        "",
        both("std of each head, raw", "各头的标准差（原始）"),
        both(
            "standard deviation of q·k in each of the first 8 heads",
            "前 8 个头各自 q·k 的标准差",
        ),
        low=0,
        sampled=True,
    ),
    "unscaled_entropy_per_head": metric(
        "nats",
        both("entropy per head, raw", "各头的熵（原始）"),
        both(
            "mean entropy of a row in each of the first 8 heads, without a scale",
            "前 8 个头各自的每行平均熵（不缩放）",
        ),
        low=0,
        sampled=True,
    ),
    "scaled_entropy_per_head": metric(
        "nats",
        both("entropy per head, scaled", "各头的熵（缩放）"),
        both(
            "mean entropy of a row in each of the first 8 heads, scores over √d_k",
            "前 8 个头各自的每行平均熵（分数除以 √d_k）",
        ),
        low=0,
        sampled=True,
    ),
    "head_counts": metric(
        "",
        both("heads of the lists", "列表对应的头数"),
        both(
            "the numbers of heads of every list, in their order: powers of two that divide d_model",
            "各列表依次对应的头数：能整除 d_model 的 2 的幂",
        ),
        low=1,
    ),
    **{f"{name}_by_heads": _by_heads(name, label) for name, label in BY_HEADS.items()},
}
