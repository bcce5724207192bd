"""What `temperature` measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric
from quizapp.lab.maths.rows import row_metrics
from quizapp.report import MetricInfo

#: Columns of the table, and metrics that also come as a list over the factors.
BY_FACTOR = {
    "entropy": both("entropy", "熵"),
    "max_weight": both("largest weight", "最大权重"),
    "jacobian_median": both("Jacobian", "雅可比"),
    "raw_gradient_median": both("Jacobian / T", "雅可比 / T"),
    "distinct": both("distinct keys", "不同键数"),
}
#: What a column's short heading leaves out.
TYPICAL = {
    "jacobian_median": both("median row Jacobian norm", "行雅可比范数的中位数"),
    "raw_gradient_median": both("median row Jacobian norm / T", "行雅可比范数中位数除以 T"),
}
_UNITS = {"entropy": "nats"}


def _sampled(
    unit: str, label: dict[str, str], meaning: dict[str, str], high: float = float("inf")
) -> MetricInfo:
    return metric(unit, label, meaning, low=0, high=high, sampled=True)


METRICS: dict[str, MetricInfo] = {
    **row_metrics(),
    "scaled_std": _sampled(
        "",
        both("std of q·k / T", "q·k / T 的标准差"),
        both("standard deviation of the scores after dividing by T", "除以 T 之后分数的标准差"),
    ),
    "raw_gradient_median": _sampled(
        "",
        both("Jacobian / T, median", "雅可比 / T，中位数"),
        both(
            "median Frobenius norm of ∂p/∂(q·k): a row's softmax Jacobian divided by T",
            "∂p/∂(q·k) 的 Frobenius 范数中位数：每行 softmax 雅可比再除以 T",
        ),
    ),
    "raw_gradient_mean": _sampled(
        "",
        both("Jacobian / T, mean", "雅可比 / T，均值"),
        both(
            "mean Frobenius norm of ∂p/∂(q·k), which few rows near a tie may carry",
            "∂p/∂(q·k) 的 Frobenius 范数均值，可能主要来自少数接近并列的行",
        ),
    ),
    "perplexity": _sampled(
        "",
        both("effective keys", "有效键数 e^熵"),
        both("mean over rows of e to the entropy", "每行 e 的熵次方的均值"),
    ),
    "agree": _sampled(
        "share",
        both("two samples agree", "两次采样相同"),
        both(
            "probability that two keys sampled from a row are the same, mean over rows",
            "从同一行采样的两个键相同的概率，对行取均值",
        ),
        high=1,
    ),
    "distinct": _sampled(
        "",
        both("distinct sampled keys", "采到的不同键数"),
        both(
            "expected number of distinct keys among the samples of a row, mean over rows",
            "一行采样中不同键的期望个数，对行取均值",
        ),
    ),
    "nucleus": _sampled(
        "",
        both("keys that hold 90 %", "占 90% 权重的键数"),
        both(
            "fewest keys of a row that hold 90 % of its weight, mean over rows",
            "占一行 90% 权重所需的最少键数，对行取均值",
        ),
    ),
    "top_kept": metric(
        "share",
        both("same top key as T = 1", "首位键与 T = 1 相同"),
        both(
            "share of rows whose largest weight is on the same key as at temperature 1",
            "最大权重所在的键与温度 1 时相同的行所占比例",
        ),
        low=0,
        high=1,
    ),
    "scaled_difference": metric(
        "",
        both("differs from 1/√d_k by", "与 1/√d_k 的差"),
        both(
            "largest difference of a weight from that of attention with scale 1/√d_k",
            "与采用 1/√d_k 缩放的注意力相比，权重的最大差",
        ),
        low=0,
        high=1,
    ),
    "uniform_entropy": metric(
        "nats",
        both("entropy if uniform", "均匀分布的熵"),
        both("ln n, the entropy of a uniform row", "ln n，均匀行的熵"),
        low=0,
    ),
    "jacobian_peak": metric(
        "",
        both("T of top Jacobian", "雅可比最大的 T"),
        both(
            "temperature of the curve at which the median Jacobian norm is largest",
            "曲线上雅可比范数中位数最大处的温度",
        ),
        low=0,
    ),
    "raw_gradient_peak": metric(
        "",
        both("T of top Jacobian / T", "雅可比 / T 最大的 T"),
        both(
            "temperature of the curve at which the median norm of ∂p/∂(q·k) is largest",
            "曲线上 ∂p/∂(q·k) 范数中位数最大处的温度",
        ),
        low=0,
    ),
    **{
        f"{name}_by_factor": _sampled(
            _UNITS.get(name, ""),
            both(f"{label['en']}, by T", f"各温度的{label['zh']}"),
            both(
                f"{TYPICAL.get(name, label)['en']} at ¼, ½, 1, 2 and 4 times the temperature",
                f"温度取 ¼、½、1、2、4 倍时的{TYPICAL.get(name, label)['zh']}",
            ),
        )
        for name, label in BY_FACTOR.items()
    },
}
