"""What `trained_scores` measures, in words."""

from __future__ import annotations

import math
from typing import Final

from quizapp.lab.experiment import both, metric

#: What q·k is multiplied by, in the order of every list.
FACTOR: Final = {
    "none": both("no scale", "不缩放"),
    "sqrt_d_k": both("1/√d_k", "1/√d_k"),
    "d_k": both("1/d_k", "1/d_k"),
}
_ORDER: Final = (
    "; without a scale, with 1/√d_k, with 1/d_k, each at its own best rate",
    "；依次为不缩放、1/√d_k、1/d_k，各用最佳学习率",
)
_START: Final = (
    "; without a scale, with 1/√d_k, with 1/d_k, before training",
    "；依次为不缩放、1/√d_k、1/d_k，训练之前",
)
_INITIAL = {
    "initial_std": (
        "",
        "score std, start",
        "分数标准差，初始",
        "std of the scores as the softmax sees them",
        "softmax 所见分数的标准差",
    ),
    "initial_entropy": (
        "nats",
        "entropy, start",
        "熵，初始",
        "mean entropy of a row of weights",
        "每行权重的平均熵",
    ),
    "initial_loss": ("", "loss, start", "损失，初始", "loss of the first step", "第一步的损失"),
    "initial_qk_gradient": (
        "",
        "gradient at W_q, W_k",
        "W_q、W_k 的梯度",
        "norm of the first step's gradient at W_q and W_k",
        "第一步在 W_q、W_k 处的梯度范数",
    ),
}
_FINAL = {
    "final_std": (
        "",
        "score std, trained",
        "分数标准差，训练后",
        "std of the trained scores as the softmax sees them",
        "训练后 softmax 所见分数的标准差",
    ),
    "growth": (
        "",
        "growth of the std",
        "标准差增长倍数",
        "std of the seen scores after training over that before",
        "所见分数的标准差，训练后与训练前之比",
    ),
    "length_growth": (
        "",
        "… by length",
        "其中来自长度",
        "rms length of q times that of k, after training over before",
        "q 与 k 均方根长度之积，训练后与训练前之比",
    ),
    "independent_std": (
        "",
        "std if independent",
        "若相互独立的标准差",
        "what the std would be for q and k of the trained lengths, entries independent",
        "若 q、k 长度同训练后、元素相互独立，标准差应为多少",
    ),
    "alignment": (
        "",
        "std over independent",
        "实测 / 独立",
        "measured std over the one of independent entries of the same lengths",
        "实测标准差与同样长度、元素独立时之比",
    ),
    "raw_std": (
        "",
        "std of q·k, trained",
        "q·k 标准差，训练后",
        "std of the trained dot products before any factor",
        "训练后点积本身（未乘系数）的标准差",
    ),
    "unit_factor": (
        "",
        "factor for std 1",
        "使标准差为 1 的系数",
        "what q·k would have to be multiplied by for a std of 1",
        "q·k 乘以多少，标准差才为 1",
    ),
    "own_score": (
        "",
        "score of own keys",
        "自己的键的分数",
        "mean seen score of a query with its own keys",
        "查询与自己的键的分数均值",
    ),
    "other_std": (
        "",
        "std, other keys",
        "其他键的标准差",
        "std of the seen scores of a query with keys not its own",
        "查询与其他键的分数标准差",
    ),
    "cosine": (
        "",
        "cosine, own keys",
        "与自己的键的余弦",
        "mean cosine of a query with its own keys",
        "查询与自己的键的平均余弦",
    ),
    "final_entropy": (
        "nats",
        "entropy, trained",
        "熵，训练后",
        "mean entropy of a row of trained weights",
        "训练后每行权重的平均熵",
    ),
    "max_weight": (
        "",
        "largest weight, trained",
        "最大权重，训练后",
        "mean of the largest trained weight in a row",
        "训练后每行最大权重的均值",
    ),
    "effective_scale": (
        "",
        "effective scale",
        "有效缩放",
        "what one unit of two codes' dot product adds to the seen score",
        "两个编码的点积每增 1，所见分数增加多少",
    ),
    "final_loss": (
        "",
        "loss, trained",
        "损失，训练后",
        "mean loss over the last tenth of the steps",
        "最后十分之一步的平均损失",
    ),
}
_SIGNED: Final = ("own_score", "cosine", "effective_scale")
_RATIO: Final = ("std ratio, {}", "标准差之比，{}")

METRICS = {
    **{
        name: metric(
            unit, both(en, zh), both(en_m + _START[0], zh_m + _START[1]), low=0, sampled=True
        )
        for name, (unit, en, zh, en_m, zh_m) in _INITIAL.items()
    },
    **{
        name: metric(
            unit,
            both(en, zh),
            both(en_m + _ORDER[0], zh_m + _ORDER[1]),
            low=-math.inf if name in _SIGNED else 0,
            high=1 if name in ("cosine", "max_weight") else math.inf,
            sampled=True,
        )
        for name, (unit, en, zh, en_m, zh_m) in _FINAL.items()
    },
    **{
        f"std_ratio_{when}": metric(
            "",
            both(f"std, √d_k / d_k, {en}", f"标准差，√d_k / d_k，{zh}"),
            both(
                f"std of the seen scores with 1/√d_k over that with 1/d_k, {meant}",
                f"1/√d_k 与 1/d_k 下所见分数的标准差之比，{zh}",
            ),
            low=0,
            sampled=True,
        )
        for when, en, zh, meant in (
            ("start", "start", "初始", "before training"),
            ("end", "end", "训练后", "after it"),
        )
    },
    "best_rate": metric(
        "",
        both("best rate", "最佳学习率"),
        both(
            "rate with the lowest loss at the end" + _ORDER[0].split(", each")[0],
            "末尾损失最低的学习率；依次为不缩放、1/√d_k、1/d_k",
        ),
        low=0,
    ),
    "best_at_edge": metric(
        "",
        both("best rate at an end", "最佳值在网格端点"),
        both(
            "1 where the best rate is an end of the grid, else 0",
            "最佳学习率在网格端点为 1，否则为 0",
        ),
        low=0,
        high=1,
    ),
    "guess_loss": metric(
        "",
        both("loss of guessing", "瞎猜的损失"),
        both(
            "loss of the best answer that does not look at the memory", "不看记忆的最佳回答的损失"
        ),
        low=0,
    ),
    "uniform_entropy": metric(
        "nats",
        both("entropy of a flat row", "均匀行的熵"),
        both("entropy of a row that weighs all pairs alike", "对所有键值对权重相同的行的熵"),
        low=0,
    ),
}
