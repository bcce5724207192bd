"""What `attention_variants` compares and measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric
from quizapp.lab.wording import listed

#: Each variant, in the order of `quizapp.lab.maths.variants.VARIANTS`.
VARIANT = {
    "full": both("full softmax", "完整 softmax"),
    "linear_relu": both("linear, ReLU", "线性，ReLU"),
    "linear_elu": both("linear, elu + 1", "线性，elu + 1"),
    "linear_relu_raw": both("ReLU, not normalised", "ReLU，不归一"),
    "linear_elu_raw": both("elu + 1, not normalised", "elu + 1，不归一"),
    "window": both("sliding window", "滑动窗口"),
    "top_k": both("top-k keys", "top-k 键"),
}
WEIGHTS = both("weights of one draw, as chosen", "一次抽样的权重（所选变体）")
#: Columns of the table that sets all variants side by side.
COLUMNS = {
    "scale_change": both("scale's effect", "缩放的影响"),
    "entropy_scaled": both("entropy, scaled", "熵，缩放"),
    "entropy_unscaled": both("entropy, raw", "熵，不缩放"),
    "error": both("error", "误差"),
}
#: Metrics that also come as one list over all variants: label of that list.
BY_VARIANT = {
    "scale_change": both("scale effect by variant", "各变体中缩放的影响"),
    "output_ratio": both("output ratio by variant", "各变体的输出比"),
    "entropy_scaled": both("scaled entropy, each", "各变体缩放后的熵"),
    "entropy_unscaled": both("raw entropy, each", "各变体不缩放的熵"),
    "error": both("error by variant", "各变体的误差"),
    "effective_keys": both("effective keys, each", "各变体的有效键数"),
}

_SAMPLED = {
    "scale_change": metric(
        "",
        both("change without scale", "去掉缩放的变化"),
        both(
            "rms change of the output when 1/√d_k is dropped, over its rms with it",
            "去掉 1/√d_k 时输出变化的均方根，与缩放时输出均方根之比",
        ),
        low=0,
        sampled=True,
    ),
    "output_ratio": metric(
        "",
        both("output, raw / scaled", "输出：不缩放 / 缩放"),
        both(
            "rms of the output without 1/√d_k over the rms with it",
            "不缩放时输出的均方根与缩放时之比",
        ),
        low=0,
        sampled=True,
    ),
    "entropy_scaled": metric(
        "nats",
        both("entropy, scaled", "熵，缩放"),
        both(
            "mean entropy of a row of weights, made to sum to 1, with 1/√d_k",
            "缩放时每行权重（归一后）的平均熵",
        ),
        low=0,
        sampled=True,
    ),
    "entropy_unscaled": metric(
        "nats",
        both("entropy, no scale", "熵，不缩放"),
        both(
            "mean entropy of a row of weights, made to sum to 1, without a scale",
            "不缩放时每行权重（归一后）的平均熵",
        ),
        low=0,
        sampled=True,
    ),
    "effective_keys": metric(
        "",
        both("effective keys", "有效键数"),
        both(
            "exp of a row's entropy, mean over rows: the number of equal weights as spread out",
            "每行熵的指数的均值：同样分散的等权键的个数",
        ),
        low=0,
        sampled=True,
    ),
    "max_weight": metric(
        "",
        both("largest weight", "最大权重"),
        both("mean largest weight of a row, made to sum to 1", "每行（归一后）最大权重的均值"),
        low=0,
        high=1,
        sampled=True,
    ),
    "mass_kept": metric(
        "share",
        both("full weight on kept keys", "保留键上的完整权重"),
        both(
            "share of full attention's weight that lies on keys the variant keeps",
            "完整注意力落在该变体保留的键上的权重比例",
        ),
        low=0,
        high=1.001,
        sampled=True,
    ),
    "row_sum": metric(
        "",
        both("sum of a row", "行和"),
        both("mean sum of a row of the variant's own weights", "该变体自身权重每行之和的均值"),
        low=0,
        sampled=True,
    ),
    "error": metric(
        "",
        both("error to full attention", "与完整注意力的误差"),
        both(
            "rms difference to full attention's output under the same scale, over its rms",
            "与同样缩放下完整注意力输出之差的均方根，与后者均方根之比",
        ),
        low=0,
        sampled=True,
    ),
    "route_difference": metric(
        "",
        both("cheap vs dense route", "省算与稠密两条路径之差"),
        both(
            "rms difference of the output by the cheap route and by dense weights, over its rms",
            "省算路径与稠密权重所得输出之差的均方根，与输出均方根之比",
        ),
        low=0,
        sampled=True,
    ),
}
_EXACT = {
    "keys_used": metric(
        "",
        both("keys with a weight", "有权重的键数"),
        both("mean number of keys with a weight above 0", "权重大于 0 的键的平均个数"),
        low=0,
    ),
    "reach": metric(
        "",
        both("reach after all layers", "多层后的可达距离"),
        both(
            "farthest distance from which a token is reached through the given number of layers",
            "经过给定层数后，信息可以到达的最远距离",
        ),
        low=0,
    ),
    "multiply_adds": metric(
        "",
        both("multiply-adds", "乘加次数"),
        both(
            "multiply-adds of the matrix products of one head, by the cheap route",
            "单个头按省算路径做矩阵乘的乘加次数",
        ),
        low=0,
    ),
    "multiply_adds_full": metric(
        "",
        both("multiply-adds, full", "乘加次数，完整"),
        both("the same for full attention", "完整注意力的乘加次数"),
        low=0,
    ),
    "cost_ratio": metric(
        "",
        both("times fewer than full", "比完整少的倍数"),
        both(
            "multiply-adds of full attention over those of the variant",
            "完整注意力与该变体的乘加次数之比",
        ),
        low=0,
    ),
    "cost_ratio_by_variant": metric(
        "",
        both("times fewer, each", "各变体少的倍数"),
        both(
            f"multiply-adds of full attention over the variant's: for {', '.join(VARIANT)}",
            f"完整注意力与各变体的乘加次数之比：依次为 {', '.join(VARIANT)}",
        ),
        low=0,
    ),
    "seconds": metric(
        "s",
        both("time", "用时"),
        both("best time of the cheap route, one head", "单个头省算路径的最短用时"),
        low=0,
    ),
    "seconds_full": metric(
        "s",
        both("time, full", "用时，完整"),
        both("best time of full attention, one head", "单个头完整注意力的最短用时"),
        low=0,
    ),
}


METRICS = {
    **_SAMPLED,
    **_EXACT,
    **listed(_SAMPLED, BY_VARIANT, "variant", VARIANT),
}
