"""What `alibi` measures, in words."""

from __future__ import annotations

from typing import Final

from quizapp.lab.experiment import both, metric
from quizapp.report import MetricInfo

#: The ways to tell a position, in the order of `maths.alibi.METHODS`.
METHODS: Final = {
    "alibi": both("ALiBi, mean of heads", "ALiBi，各头平均"),
    "rotary": both("rotary", "旋转"),
    "sinusoidal": both("sinusoidal, added", "正弦，相加"),
    "none": both("none", "无"),
}
_METHODS_EN = "ALiBi (mean of heads), rotary, sinusoidal added to q and k, none"
_METHODS_ZH = "ALiBi（各头平均）、旋转、正弦（加到 q 与 k 上）、无位置"

_OF_HEADS: Final = {
    # name: English and Chinese label, meaning; high
    "window": (
        "window at n",
        "n 处的窗口",
        "nearest keys that hold 90 % of the weight of a query after n tokens",
        "第 n 个词元的查询：最近多少个键占 90 % 权重",
        float("inf"),
    ),
    "doubled_window": (
        "window at 2n",
        "2n 处的窗口",
        "nearest keys that hold 90 % of the weight of a query after 2n tokens",
        "第 2n 个词元的查询：最近多少个键占 90 % 权重",
        float("inf"),
    ),
    "window_growth": (
        "growth n to 2n",
        "n 到 2n 的增长",
        "window after 2n tokens over that after n, mean over draws",
        "2n 处窗口与 n 处窗口之比，对各次抽样取均值",
        float("inf"),
    ),
    "far_weight": (
        "weight past n",
        "n 之外的权重",
        "weight that a query after 2n tokens gives to distances of n and more",
        "第 2n 个词元的查询给距离不小于 n 的键的权重",
        1.001,
    ),
    "match_weight": (
        "weight on the match",
        "匹配键的权重",
        "weight on the one key with the score match_score at match_distance, after n tokens",
        "距离 match_distance、分数 match_score 的那个键所得权重（第 n 个词元）",
        1.001,
    ),
}


def _of_heads() -> dict[str, MetricInfo]:
    found: dict[str, MetricInfo] = {}
    for name, (en, zh, meaning, meaning_zh, high) in _OF_HEADS.items():
        for suffix, tail, tail_zh, note, note_zh in (
            ("steepest", ", steepest", "，最陡头", "the head of the largest slope", "斜率最大的头"),
            ("gentlest", ", gentlest", "，最缓头", "the head of the least slope", "斜率最小的头"),
            ("by_head", ", heads", "，各头", "head by head", "逐头"),
        ):
            found[f"{name}_{suffix}"] = metric(
                "",
                both(en + tail, zh + tail_zh),
                both(f"{meaning}: {note}", f"{meaning_zh}：{note_zh}"),
                low=0,
                high=high,
                sampled=True,
            )
    return found


def _change(en: str, zh: str, meaning: str, meaning_zh: str) -> MetricInfo:
    return metric(
        "",
        both(en, zh),
        both(f"largest {meaning}, mean over draws", f"{meaning_zh}，取最大值，对各次抽样取均值"),
        low=0,
        sampled=True,
    )


def _of_methods(en: str, zh: str, meaning: str, meaning_zh: str, *, low: float = 0) -> MetricInfo:
    return metric(
        "",
        both(en, zh),
        both(f"{meaning}: {_METHODS_EN}", f"{meaning_zh}：依次为{_METHODS_ZH}"),
        low=low,
        sampled=True,
    )


METRICS = {
    "slopes": metric(
        "",
        both("slopes, heads", "斜率，各头"),
        both(
            "what one more token of distance takes off q·k/√d_k: head by head",
            "距离每增加一个词元，从 q·k/√d_k 中减去多少：逐头",
        ),
        low=0,
        high=1,
    ),
    "slope_steepest": metric(
        "",
        both("largest slope", "最大斜率"),
        both("slope of the steepest head", "最陡的头的斜率"),
        low=0,
    ),
    "slope_gentlest": metric(
        "",
        both("least slope", "最小斜率"),
        both("slope of the gentlest head", "最缓的头的斜率"),
        low=0,
    ),
    "wide_heads": metric(
        "share",
        both("heads reaching past n", "视野超过 n 的头"),
        both(
            "share of heads whose window after 2n tokens is longer than n",
            "2n 处窗口超过 n 的头所占比例",
        ),
        low=0,
        high=1,
        sampled=True,
    ),
    **_of_heads(),
    "window_growth_by_method": _of_methods(
        "window growth, methods",
        "窗口增长，各方法",
        "mean window after 2n tokens over that after n",
        "2n 处平均窗口与 n 处平均窗口之比",
    ),
    "far_weight_by_method": _of_methods(
        "weight past n, methods",
        "n 之外的权重，各方法",
        "weight that a query after 2n tokens gives to distances of n and more",
        "第 2n 个词元的查询给距离不小于 n 的键的权重",
    ),
    "entropy_growth_by_method": _of_methods(
        "entropy gain, methods",
        "熵的增量，各方法",
        "entropy of a row of 2n keys less that of n, in nats",
        "2n 个键的行熵减去 n 个键的行熵，单位 nats",
        low=-10,
    ),
    "score_shift": _change(
        "score change by shift",
        "平移后分数的变化",
        "change of a visible score when all positions are shifted",
        "所有位置一同平移时可见分数的变化",
    ),
    "weight_shift": _change(
        "weight change by shift",
        "平移后权重的变化",
        "change of a weight when all positions are shifted",
        "所有位置一同平移时权重的变化",
    ),
    "weight_shift_added": _change(
        "the same, sinusoidal",
        "同上，正弦相加",
        "change of a weight by that shift where sinusoids are added to q and k instead",
        "改为把正弦编码加到 q 与 k 上时，同样平移下权重的变化",
    ),
    "bias_error": _change(
        "error of the weights",
        "权重的误差",
        "difference of a weight at the shifted positions from the bias −m(i−j) in float32",
        "平移后的权重与 float32 下 −m(i−j) 之差",
    ),
    "form_difference": _change(
        "m·j for −m(i−j), causal",
        "m·j 代 −m(i−j)，因果",
        "difference of a weight between the two forms of the bias, causal rows",
        "因果行中偏置两种写法的权重之差",
    ),
    "form_difference_both": _change(
        "m·j for −m|i−j|, no mask",
        "m·j 代 −m|i−j|，无掩码",
        "difference of a weight between the two forms where queries see later keys too",
        "查询也能看到后面的键时偏置两种写法的权重之差",
    ),
}
