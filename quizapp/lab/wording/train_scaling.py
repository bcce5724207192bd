"""What `train_scaling` measures, in words: at a shared rate, at each best rate, over the grid."""

from __future__ import annotations

import math
from collections.abc import Iterator

from quizapp.lab.experiment import both, metric
from quizapp.report import MetricInfo

#: The two scales with numbers of their own: how a label begins and how a meaning ends.
PREFIXES = {
    "unscaled": (both("unscaled ", "不缩放："), both("without a scale", "不缩放")),
    "scaled": (both("scaled ", "缩放："), both("scores over √d_k", "分数除以 √d_k")),
}
ORDER = both(
    "for none, log_d_k, cbrt_d_k, sqrt_d_k, d_k, then the rest (of two scales: none, sqrt_d_k)",
    "依次为 none、log_d_k、cbrt_d_k、sqrt_d_k、d_k 及其余（只比两种时：none、sqrt_d_k）",
)
TASKS = {
    "recall": both("associative recall", "联想回忆"),
    "regression": both("noisy regression by lookup", "含噪查找回归"),
}
BEYOND = both(
    " A best rate lies at an end of the grid: a better one may lie outside.",
    "有最佳学习率落在网格两端，网格之外可能更好。",
)
OPTIMISERS = {"sgd": "SGD", "adam": "Adam"}

_END = both("over the last tenth of the steps", "最后一成步数的平均")
_WHEN = {
    # prefix of the metric: label's beginning and end, meaning's end
    "initial": (both("first {}", "初始{}"), both("before the first step", "训练开始前")),
    "final": (
        both("last {}", "末尾{}"),
        both(f"at the shared rate, {_END['en']}", f"共用学习率下，{_END['zh']}"),
    ),
    "best": (
        both("{} (best)", "{}（最佳）"),
        both(f"at the scale's own best rate, {_END['en']}", f"各自最佳学习率下，{_END['zh']}"),
    ),
}
_WHAT = {
    # measure: unit, short label en and zh, meaning en and zh
    "gradient": (
        "",
        both("gradient", "梯度"),
        both("norm of the loss's gradient at all weights", "损失对全部权重的梯度范数"),
    ),
    "qk_gradient": (
        "",
        both("qk grad.", "qk 梯度"),
        both("norm of the loss's gradient at W_q and W_k", "损失对 W_q、W_k 的梯度范数"),
    ),
    "entropy": (
        "nats",
        both("entropy", "熵"),
        both("mean entropy of a row of weights", "每行权重的平均熵"),
    ),
}
_LOSSES = {
    "initial_loss": (
        both("first loss", "初始损失"),
        both("mean loss before the first step", "训练开始前的平均损失"),
    ),
    "loss": (
        both("loss (shared)", "损失（共用）"),
        both(
            f"mean loss at the shared rate, {_END['en']}", f"共用学习率下的平均损失，{_END['zh']}"
        ),
    ),
    "best_loss": (
        both("loss (own best)", "损失（最佳）"),
        both(
            f"mean loss at the scale's own best rate, {_END['en']}",
            f"各自最佳学习率下的平均损失，{_END['zh']}",
        ),
    ),
}
_SHARES = {
    "diverged_share": (
        both("diverged", "发散比例"),
        both(
            "share of runs, over all rates, whose loss ends above 1.5 × guessing or not finite",
            "所有学习率的训练中，结束时损失高于瞎猜的 1.5 倍或不是有限数的比例",
        ),
    ),
    "learned_share": (
        both("learned", "学会比例"),
        both(
            "share of runs, over all rates, that end below half the loss of guessing",
            "所有学习率的训练中，结束时损失低于瞎猜一半的比例",
        ),
    ),
}


def _measures() -> Iterator[tuple[str, str, dict[str, str], dict[str, str], float]]:
    """Each measure that exists per scale: name, unit, label, meaning, upper bound."""
    for name, (label, meaning) in _LOSSES.items():
        yield name, "", label, meaning, math.inf
    for name, (label, meaning) in _SHARES.items():
        yield name, "share", label, meaning, 1
    for when, (form, end) in _WHEN.items():
        for what, (unit, short, meaning) in _WHAT.items():
            label = {at: form[at].format(short[at]) for at in short}
            whole = both(f"{meaning['en']} {end['en']}", f"{meaning['zh']}（{end['zh']}）")
            yield f"{when}_{what}", unit, label, whole, math.inf


def _per_scale() -> dict[str, MetricInfo]:
    found = {}
    for name, unit, label, meaning, high in _measures():
        for prefix, (begin, end) in PREFIXES.items():
            words = both(f"{meaning['en']}, {end['en']}", f"{meaning['zh']}，{end['zh']}")
            named = {at: begin[at] + label[at] for at in label}
            found[f"{prefix}_{name}"] = metric(unit, named, words, low=0, high=high, sampled=True)
        found[f"{name}_by_scale"] = metric(
            unit,
            both(f"{label['en']} by scale", f"各取法的{label['zh']}"),
            both(f"{meaning['en']}: {ORDER['en']}", f"{meaning['zh']}：{ORDER['zh']}"),
            low=0,
            high=high,
            sampled=True,
        )
    return found


_AXES = {
    "divisors": metric(
        "",
        both("divisors", "除数"),
        both(f"what q·k is divided by: {ORDER['en']}", f"q·k 的除数：{ORDER['zh']}"),
        low=0,
    ),
    "rates": metric(
        "",
        both("learning rates", "学习率"),
        both("learning rates of the grid, each twice the one before", "学习率网格，逐个翻倍"),
        low=0,
    ),
    "shared_rate": metric(
        "",
        both("shared rate", "共用学习率"),
        both("the learning rate that all scales share", "所有取法共用的学习率"),
        low=0,
    ),
    "guess_loss": metric(
        "",
        both("loss of guessing", "瞎猜的损失"),
        both("loss of the best answer that ignores the memory", "不看记忆时最优回答的损失"),
        low=0,
    ),
    "best_rate_by_scale": metric(
        "",
        both("best rate by scale", "各取法的最佳学习率"),
        both(
            f"rate of the grid with the lowest mean loss at the end: {ORDER['en']}",
            f"末尾平均损失最低的学习率：{ORDER['zh']}",
        ),
        low=0,
    ),
    "best_at_edge_by_scale": metric(
        "",
        both("best rate at an edge", "最佳学习率在边缘"),
        both(
            f"1 where the best rate is the grid's lowest or highest, so that a better one may lie "
            f"outside: {ORDER['en']}",
            f"最佳学习率落在网格两端时为 1，此时网格外可能更好：{ORDER['zh']}",
        ),
        low=0,
        high=1,
    ),
}


def _pair() -> dict[str, MetricInfo]:
    """Numbers of no scale and √d_k alone, and what lies between the two."""
    found = {}
    for prefix, (begin, end) in PREFIXES.items():
        found[f"{prefix}_best_rate"] = metric(
            "",
            both(f"{begin['en']}best rate", f"{begin['zh']}最佳学习率"),
            both(
                f"rate of the grid with the lowest mean loss at the end, {end['en']}",
                f"末尾平均损失最低的学习率，{end['zh']}",
            ),
            low=0,
        )
        found[f"{prefix}_loss_by_rate"] = metric(
            "",
            both(f"{begin['en']}loss by rate", f"{begin['zh']}各学习率的损失"),
            both(
                f"mean loss {_END['en']} for each rate, {end['en']}",
                f"各学习率下的平均损失（{_END['zh']}），{end['zh']}",
            ),
            low=0,
            sampled=True,
        )
        en, zh = ("less", "低") if prefix == "unscaled" else ("more", "高")
        found[f"{prefix}_lead"] = metric(
            "",
            both(f"{begin['en']}lead", f"{begin['zh']}领先"),
            both(
                f"how much {en} the unscaled loss is than the scaled one at the rate "
                "where that is largest; no loss counts for more than guessing",
                f"不缩放的损失比缩放的{zh}多少，取差距最大的学习率（高于瞎猜的损失按瞎猜计）",
            ),
            sampled=True,
        )
        leads = f"{begin['zh'].rstrip('：')}领先最多的学习率"
        found[f"{prefix}_lead_rate"] = metric(
            "",
            both(f"rate of {begin['en']}lead", f"{begin['zh']}领先的学习率"),
            both(f"the rate at which {prefix} training is furthest ahead", leads),
            low=0,
        )
    found["best_rate_ratio"] = metric(
        "",
        both("best rates, ratio", "最佳学习率之比"),
        both(
            "best rate without a scale over the best rate with scores over √d_k",
            "不缩放的最佳学习率除以缩放的最佳学习率",
        ),
        low=0,
    )
    found["loss_gap"] = metric(
        "",
        both("gap (shared)", "损失差（共用）"),
        both(
            "unscaled loss minus scaled loss at the shared rate",
            "共用学习率下，不缩放减缩放的损失差",
        ),
        sampled=True,
    )
    found["best_gap"] = metric(
        "",
        both("gap (own best)", "损失差（最佳）"),
        both(
            "unscaled loss minus scaled loss, each at its own best rate",
            "各自最佳学习率下，不缩放减缩放的损失差",
        ),
        sampled=True,
    )
    return found


#: Unscaled ways set against the scaled training: label, and what was changed.
TWINS = {
    "reparameterised": (
        both("init and qk rate", "改初始化与 qk 学习率"),
        both(
            "unscaled with W_q, W_k started at d_k^(−¼) times their size and their rate lowered "
            "(over √d_k for SGD, over d_k^¼ for Adam)",
            "不缩放，W_q、W_k 初始化乘 d_k^(−¼)，并降低二者的学习率"
            "（SGD 除以 √d_k，Adam 除以 d_k^¼）",
        ),
    ),
    "init_only": (
        both("init alone", "只改初始化"),
        both(
            "unscaled with W_q, W_k started at d_k^(−¼) times their size",
            "不缩放，W_q、W_k 初始化乘 d_k^(−¼)",
        ),
    ),
    "rate_only": (
        both("qk rate alone", "只改 qk 学习率"),
        both(
            "unscaled with the rate of W_q and W_k lowered, started as the scaled one",
            "不缩放，降低 W_q、W_k 的学习率，初始化与缩放时相同",
        ),
    ),
    "every_rate": (
        both("init and every rate", "改初始化与全部学习率"),
        both(
            "unscaled with W_q, W_k started at d_k^(−¼) times their size and the rate of all "
            "weights lowered",
            "不缩放，W_q、W_k 初始化乘 d_k^(−¼)，并降低全部权重的学习率",
        ),
    ),
}

METRICS = {
    **_per_scale(),
    **_pair(),
    **_AXES,
    **{
        f"{name}_difference": metric(
            "",
            both(f"off: {label['en']}", f"偏差：{label['zh']}"),
            both(
                "largest difference of loss to the scaled training at its best rate, over runs and "
                f"the first 100 steps, float64: {changed['en']}",
                f"与缩放训练（取其最佳学习率）的最大损失差，前 100 步，float64：{changed['zh']}",
            ),
            low=0,
        )
        for name, (label, changed) in TWINS.items()
    },
}
