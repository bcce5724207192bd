"""What `stable_softmax` compares and measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric
from quizapp.report import MetricInfo

#: Each way of writing it, in the order of `quizapp.lab.maths.stable_softmax.WAYS`.
WAY = {
    "naive": both("exp / sum", "exp / 求和"),
    "max": both("minus row max", "减行最大值"),
    "lse": both("log-sum-exp", "log-sum-exp"),
    "mean": both("minus row mean", "减行均值"),
    "clamp": both("clamped", "截断"),
    "epsilon": both("ε in the sum", "分母加 ε"),
}
COLUMNS = {
    "broken": both("rows broken", "坏行比例"),
    "error": both("weight error", "权重误差"),
}
FORMATS = {
    "overflow": both("exp overflows above", "exp 上溢点"),
    "underflow": both("exp is 0 from", "exp 下溢点"),
    "broken": both("naive rows broken", "朴素写法坏行"),
}


def _ways() -> dict[str, MetricInfo]:
    found = {}
    for way, label in WAY.items():
        found[f"{way}_broken"] = metric(
            "share",
            both(f"broken, {label['en']}", f"坏行，{label['zh']}"),
            both(
                f"share of rows with a weight that is not finite, or a sum off 1 by over 0.1: "
                f"{label['en']}",
                f"含非有限权重、或权重之和偏离 1 超过 0.1 的行所占比例：{label['zh']}",
            ),
            low=0,
            high=1,
            sampled=True,
        )
        found[f"{way}_error"] = metric(
            "",
            both(f"error, {label['en']}", f"误差，{label['zh']}"),
            both(
                f"sum over a row of |weight − exact weight|, NaN as 0, mean over rows: "
                f"{label['en']}",
                f"每行 |权重 − 精确权重| 之和（NaN 记为 0），对行取均值：{label['zh']}",
            ),
            low=0,
            sampled=True,
        )
    return found


def _share(en: str, zh: str, meaning_en: str, meaning_zh: str) -> MetricInfo:
    return metric("share", both(en, zh), both(meaning_en, meaning_zh), low=0, high=1, sampled=True)


METRICS: dict[str, MetricInfo] = {
    "overflow_logit": metric(
        "",
        both("largest logit for exp", "exp 可承受的最大值"),
        both(
            "largest logit of the format whose exp is finite in it, found by bisection",
            "该格式中 exp 仍有限的最大 logit，用二分法测得",
        ),
        low=0,
    ),
    "underflow_logit": metric(
        "",
        both("exp is 0 from here down", "exp 从此下溢为 0"),
        both(
            "largest logit of the format whose exp is exactly 0 in it, found by bisection",
            "该格式中 exp 恰为 0 的最大 logit，用二分法测得",
        ),
        high=0,
    ),
    "overflow_by_dtype": metric(
        "",
        both("largest logit by format", "各格式的最大 logit"),
        both(
            "that overflow point for float16, bfloat16, float32, float64",
            "float16、bfloat16、float32、float64 各自的上溢点",
        ),
        low=0,
    ),
    "underflow_by_dtype": metric(
        "",
        both("underflow by format", "各格式的下溢点"),
        both(
            "that underflow point for float16, bfloat16, float32, float64",
            "float16、bfloat16、float32、float64 各自的下溢点",
        ),
        high=0,
    ),
    "largest_logit": metric(
        "",
        both("largest logit of a row", "行内最大 logit"),
        both("mean over rows of the largest logit", "每行最大 logit 的均值"),
        sampled=True,
    ),
    **_ways(),
    "overflow_share": _share(
        "rows where exp is ∞",
        "exp 为 ∞ 的行",
        "share of rows with at least one infinite exp",
        "至少有一个 exp 为无穷大的行所占比例",
    ),
    "underflow_share": _share(
        "rows where all exp are 0",
        "exp 全为 0 的行",
        "share of rows in which every exp is 0, so that the naive way divides 0 by 0",
        "所有 exp 都为 0 的行所占比例，此时朴素写法是 0 除以 0",
    ),
    "nan_share": _share(
        "naive rows with NaN",
        "朴素写法含 NaN 的行",
        "share of rows in which the naive way leaves a NaN",
        "朴素写法产生 NaN 的行所占比例",
    ),
    "zero_rows": _share(
        "naive rows all 0",
        "朴素写法全 0 的行",
        "share of rows whose naive weights are all 0: the sum is infinite, no single exp is",
        "朴素权重全为 0 的行所占比例：单个 exp 有限，求和却成了无穷大",
    ),
    "zero_share": _share(
        "weights that are 0",
        "为 0 的权重",
        "share of weights that are exactly 0 once the row maximum is subtracted",
        "减去行最大值后恰好为 0 的权重所占比例",
    ),
    "log_infinite": _share(
        "log of weight is −∞",
        "log(权重) 为 −∞",
        "share of keys at which log(softmax) is −∞, the maximum subtracted",
        "减去最大值后 log(softmax) 为 −∞ 的键所占比例",
    ),
    "log_softmax_infinite": _share(
        "x − log-sum-exp is −∞",
        "x − LSE 为 −∞",
        "share of keys at which x − log Σ exp x is not finite",
        "x − log Σ exp x 不是有限数的键所占比例",
    ),
    "broken_by_dtype": metric(
        "share",
        both("naive broken by format", "各格式朴素写法坏行"),
        both(
            "share of broken rows of the naive way in float16, bfloat16, float32, float64",
            "float16、bfloat16、float32、float64 中朴素写法的坏行比例",
        ),
        low=0,
        high=1,
        sampled=True,
    ),
}
