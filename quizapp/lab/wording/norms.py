"""What `norms` measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric
from quizapp.lab.maths.rows import row_metrics
from quizapp.report import MetricInfo

NORM = {
    "none": both("no norm", "无归一化"),
    "layernorm": both("LayerNorm", "LayerNorm"),
    "rmsnorm": both("RMSNorm", "RMSNorm"),
}
PLACE = {"pre": both("pre", "前置"), "post": both("post", "后置")}
WEIGHTS = both("layer 1, head 1: weights of one draw", "第 1 层第 1 头：一次抽样的权重")

_NUMBERS = {
    # metric: English label, Chinese label, English meaning, Chinese meaning
    "score_std": (
        "score std, layer 1",
        "分数标准差，第 1 层",
        "standard deviation of the first layer's scores as the softmax sees them",
        "第 1 层进入 softmax 的分数的标准差",
    ),
    "last_score_std": (
        "score std, last layer",
        "分数标准差，末层",
        "standard deviation of the last layer's scores as the softmax sees them",
        "最后一层进入 softmax 的分数的标准差",
    ),
    "row_std": (
        "std in a row, layer 1",
        "行内标准差，第 1 层",
        "root mean variance of the first layer's scores within a row, all that softmax sees",
        "第 1 层分数行内方差均值的平方根，softmax 只看得到它",
    ),
    "max_score": (
        "largest |score|",
        "最大 |分数|",
        "largest absolute score of any layer and head, mean over draws",
        "所有层与头中分数绝对值的最大者，对各次抽样取均值",
    ),
    "stream_rms": (
        "stream rms at the end",
        "末端残差流均方根",
        "root mean square of the residual stream after the last layer",
        "最后一层之后残差流的均方根",
    ),
    "stream_growth": (
        "stream growth",
        "残差流增长倍数",
        "rms of the residual stream after the last layer over its rms at the input",
        "最后一层之后残差流均方根与输入处之比",
    ),
    "input_gradient": (
        "gradient at the input",
        "输入处的梯度",
        "rms of the gradient at the input, for a gradient of rms 1 at the output",
        "输出处梯度均方根为 1 时，输入处梯度的均方根",
    ),
    "query_gradient": (
        "gradient of W_q, layer 1",
        "W_q 的梯度，第 1 层",
        "rms of the first layer's gradient of W_q, for a gradient of rms 1 at the output",
        "输出处梯度均方根为 1 时，第 1 层 W_q 梯度的均方根",
    ),
}
#: Metrics that come as one list over the layers: labels, and what is measured.
BY_LAYER = {
    "score_std": (
        both("score std by layer", "各层分数标准差"),
        both("standard deviation of the scores, layer by layer", "各层分数的标准差"),
    ),
    "entropy": (
        both("entropy by layer", "各层的熵"),
        both("mean entropy of a row, layer by layer", "各层每行权重的平均熵"),
    ),
    "saturated_share": (
        both("saturated by layer", "各层饱和行"),
        both(
            "share of rows whose largest weight is above 0.99, layer by layer",
            "各层最大权重超过 0.99 的行所占比例",
        ),
    ),
    "stream_rms": (
        both("stream rms by layer", "各层残差流均方根"),
        both(
            "rms of the residual stream: at the input, then after each layer",
            "残差流的均方根：输入处，然后是每层之后",
        ),
    ),
    "gradient": (
        both("gradient by layer", "各层的梯度"),
        both(
            "rms of the gradient at the residual stream: at the input, then after each layer",
            "残差流处梯度的均方根：输入处，然后是每层之后",
        ),
    ),
    "query_gradient": (
        both("W_q gradient by layer", "各层 W_q 的梯度"),
        both("rms of the gradient of W_q, layer by layer", "各层 W_q 梯度的均方根"),
    ),
}


def _by_layer(name: str) -> MetricInfo:
    label, meaning = BY_LAYER[name]
    share = name.endswith("share")
    unit = "share" if share else "nats" if name == "entropy" else ""
    return metric(unit, label, meaning, low=0, high=1 if share else float("inf"), sampled=True)


METRICS = {
    **{
        name: metric("", both(en, zh), both(en_meaning, zh_meaning), low=0, sampled=True)
        for name, (en, zh, en_meaning, zh_meaning) in _NUMBERS.items()
    },
    **row_metrics("", (", layer 1", "，第 1 层"), ("first layer", "第 1 层")),
    **row_metrics("last_", (", last", "，末层"), ("last layer", "最后一层")),
    **{f"{name}_by_layer": _by_layer(name) for name in BY_LAYER},
}
