"""What `masks` compares and measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric
from quizapp.lab.wording import listed

#: Each way of masking, in the order of `quizapp.lab.maths.masks.METHODS`.
METHOD = {
    "minus_inf": both("masked_fill −∞", "masked_fill −∞"),
    "add_inf": both("add −∞", "加 −∞"),
    "minus_1e9": both("add −1e9", "加 −1e9"),
    "minus_1e4": both("add −1e4", "加 −1e4"),
    "minus_10": both("add −10", "加 −10"),
    "renormalise": both("zero after, renormalise", "softmax 后置零并重新归一"),
    "after": both("zero after softmax", "softmax 后置零"),
    "multiply": both("scores × mask", "分数乘掩码"),
    "none": both("no mask", "不加掩码"),
}
WEIGHTS = both("weights of one draw, as chosen", "一次抽样的权重（所选做法）")
#: Columns of the table that sets all ways side by side.
COLUMNS = {
    "leak": both("leak", "泄漏"),
    "hidden_weight": both("hidden weight", "隐藏键权重"),
    "row_sum": both("row sum", "行和"),
    "output_error": both("output error", "输出误差"),
}
#: Metrics that also come as one list over all ways: label of that list.
BY_METHOD = {
    "leak": both("leak by method", "各做法的泄漏"),
    "hidden_weight": both("hidden weight by method", "各做法的隐藏键权重"),
    "row_sum": both("row sum by method", "各做法的行和"),
    "output_error": both("output error by method", "各做法的输出误差"),
}

_SAMPLED = {
    "leak": metric(
        "",
        both("output change", "输出变化"),
        both(
            "largest change of outputs that must not see the last token, when its key and value "
            "are replaced; mean over draws",
            "替换最后一个词元的键和值后，本不该看到它的输出的最大变化，对各次抽样取均值",
        ),
        low=0,
        sampled=True,
    ),
    "leak_share": metric(
        "",
        both("change / output", "变化 / 输出"),
        both(
            "root mean square of that change over that of the outputs themselves",
            "该变化的均方根与输出本身均方根之比",
        ),
        low=0,
        sampled=True,
    ),
    "hidden_weight": metric(
        "",
        both("weight on hidden keys", "隐藏键的总权重"),
        both(
            "total weight of a query on keys hidden from it, mean over those queries",
            "查询放在对它隐藏的键上的总权重，对这些查询取均值",
        ),
        low=0,
        high=1.01,
        sampled=True,
    ),
    "row_sum": metric(
        "",
        both("sum of a row", "行和"),
        both("mean sum of those queries' weights", "这些查询的权重之和的均值"),
        low=0,
        high=1.01,
        sampled=True,
    ),
    "output_error": metric(
        "",
        both("output error", "输出误差"),
        both(
            "largest difference of those outputs to exact masking in float64, mean over draws",
            "这些输出与 float64 精确掩码的最大差，对各次抽样取均值",
        ),
        low=0,
        sampled=True,
    ),
}
_EXACT = {
    "hidden_share": metric(
        "share",
        both("hidden keys", "隐藏键的比例"),
        both("mean share of keys hidden from those queries", "对这些查询隐藏的键的平均比例"),
        low=0,
        high=1,
    ),
    "number_added": metric(
        "",
        both("number added", "实际加上的数"),
        both(
            "what is added to a hidden score once the mask has the dtype of the scores",
            "掩码转为分数的数值格式之后，隐藏分数上实际加上的数",
        ),
        high=0,
    ),
    "fill_refused": metric(
        "",
        both("masked_fill refuses", "masked_fill 拒绝"),
        both(
            "1 where torch's masked_fill raises for that number in that dtype, else 0",
            "torch 的 masked_fill 对该数与该格式报错时为 1，否则为 0",
        ),
        low=0,
        high=1,
    ),
    "fully_hidden": metric(
        "share",
        both("fully hidden queries", "全遮蔽的查询"),
        both("share of queries from which every key is hidden", "所有键都被隐藏的查询的比例"),
        low=0,
        high=1,
    ),
    "hidden_row_sum": metric(
        "",
        both("fully hidden row sum", "全遮蔽行的行和"),
        both(
            "mean sum of the weights in fully hidden rows; 0 where there are none",
            "全遮蔽行的权重之和的均值；没有这样的行时为 0",
        ),
        low=0,
        high=1.01,
        nan=True,  # what a softmax over no key at all gives is what is asked
    ),
}
_NAN = {
    "nan_output": (("NaN in the output", "输出中的 NaN"), ("the output", "输出")),
    "nan_q_grad": (("NaN in q's gradient", "q 梯度中的 NaN"), ("the gradient of q", "q 的梯度")),
    "nan_k_grad": (("NaN in k's gradient", "k 梯度中的 NaN"), ("the gradient of k", "k 的梯度")),
    "nan_v_grad": (("NaN in v's gradient", "v 梯度中的 NaN"), ("the gradient of v", "v 的梯度")),
    "nan_fused": (
        ("NaN in fused output", "融合算子输出的 NaN"),
        (
            "the output of torch's scaled_dot_product_attention under the same boolean mask",
            "torch 的 scaled_dot_product_attention 在同一布尔掩码下的输出",
        ),
    ),
}


METRICS = {
    **_SAMPLED,
    **_EXACT,
    **{
        name: metric(
            "share",
            both(*label),
            both(f"share of NaN entries in {where[0]}", f"{where[1]}中 NaN 元素的比例"),
            low=0,
            high=1,
        )
        for name, (label, where) in _NAN.items()
    },
    **listed(_SAMPLED, BY_METHOD, "method", METHOD),
}
