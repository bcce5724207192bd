"""What `scale_choice` compares and measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric
from quizapp.lab.maths.rows import row_metrics
from quizapp.lab.wording import listed

#: Each way of scaling, in the order of `quizapp.lab.maths.scales.SCALES`.
SCALE = {
    "none": both("no scale", "不缩放"),
    "log_d_k": both("ln d_k", "除以 ln d_k"),
    "cbrt_d_k": both("∛d_k", "除以 ∛d_k"),
    "sqrt_d_k": both("√d_k", "除以 √d_k"),
    "d_k": both("d_k", "除以 d_k"),
    "sqrt_n": both("√n", "除以 √n"),
    "sqrt_d_model": both("√d_model", "除以 √d_model"),
    "fourth_root_each": both("Q, K each over d_k^¼", "Q、K 各除以 d_k^¼"),
    "sqrt_each": both("Q, K each over √d_k", "Q、K 各除以 √d_k"),
    "values_only": both("V over √d_k", "V 除以 √d_k"),
    "subtract_max": both("scores − row maximum", "分数减去行最大值"),
    "after_softmax": both("weights over √d_k", "权重除以 √d_k"),
}
WEIGHTS = both("weights of one draw, as chosen", "一次抽样的权重（所选取法）")
#: Columns of the table that sets all ways side by side.
COLUMNS = {
    "score_std": both("std", "标准差"),
    "entropy": both("entropy", "熵"),
    "max_weight": both("top weight", "最大权重"),
    "jacobian_median": both("‖J‖ median", "‖J‖ 中位数"),
    "jacobian_p10": both("‖J‖ p10", "‖J‖ p10"),
    "dead_share": both("below 0.01", "低于 0.01"),
    "output_difference": both("output diff.", "输出差"),
}
#: Metrics that also come as one list over all ways: label of that list.
BY_SCALE = {
    "score_std": both("std by scale", "各取法的标准差"),
    "entropy": both("entropy by scale", "各取法的熵"),
    "max_weight": both("top weight by scale", "各取法的最大权重"),
    "jacobian_median": both("median ‖J‖ by scale", "各取法的 ‖J‖ 中位数"),
    "jacobian_p10": both("‖J‖ p10 by scale", "各取法的 ‖J‖ p10"),
    "dead_share": both("dead rows by scale", "各取法的近零梯度行"),
    "saturated_share": both("saturated by scale", "各取法的饱和行"),
    "output_difference": both("output diff. by scale", "各取法的输出差"),
}
#: Plot id, title, y label, and the measures it draws.
CURVES = (
    (
        "entropy_by_exponent",
        both("entropy, scores over d_k to a power", "分数除以 d_k 的幂后的熵"),
        both("nats", "nats"),
        {"entropy": both("mean entropy of a row", "每行平均熵")},
    ),
    (
        "jacobian_by_exponent",
        both("row Jacobian norm, scores over d_k to a power", "分数除以 d_k 的幂后的行雅可比范数"),
        both("norm", "范数"),
        {
            "jacobian_median": both("median", "中位数"),
            "jacobian_p10": both("lowest tenth", "最低一成"),
        },
    ),
)

_SINGLE = {
    "score_std": metric(
        "",
        both("std of the scores", "分数的标准差"),
        both(
            "standard deviation of the scores that enter the softmax", "进入 softmax 的分数的标准差"
        ),
        low=0,
        sampled=True,
    ),
    **row_metrics(),
    "row_sum": metric(
        "",
        both("sum of a row", "行和"),
        both("mean sum of a row of the final weights", "最终权重每行之和的均值"),
        low=0,
        high=1.001,
        sampled=True,
    ),
    "raw_jacobian_median": metric(
        "",
        both("‖∂w/∂(q·k)‖, median", "‖∂w/∂(q·k)‖ 中位数"),
        both(
            "median norm of the weights' derivative by the raw dot product, the scale included",
            "权重对原始点积的导数范数的中位数（含缩放因子）",
        ),
        low=0,
        high=0.5,
        sampled=True,
    ),
    "output_std": metric(
        "",
        both("std of the output", "输出的标准差"),
        both("standard deviation of the output's entries", "输出元素的标准差"),
        low=0,
        sampled=True,
    ),
    "output_difference": metric(
        "",
        both("output vs 1/√d_k", "与 1/√d_k 的输出差"),
        both(
            "largest difference of a draw's output to that under 1/√d_k, mean over draws",
            "每次抽样输出与 1/√d_k 输出的最大差，对各次抽样取均值",
        ),
        low=0,
        sampled=True,
    ),
    "unscaled_difference": metric(
        "",
        both("output vs no scale", "与不缩放的输出差"),
        both(
            "largest difference of a draw's output to that without a scale, mean over draws",
            "每次抽样输出与不缩放输出的最大差，对各次抽样取均值",
        ),
        low=0,
        sampled=True,
    ),
    "diagonal_mean": metric(
        "",
        both("own key's score, mean", "自身键分数的均值"),
        both(
            "mean score, as the softmax sees it, of a query with its own key",
            "查询与自身对应键的分数（进入 softmax 时）的均值",
        ),
        sampled=True,
    ),
    "diagonal_rms": metric(
        "",
        both("own key's score, rms", "自身键分数的均方根"),
        both(
            "root mean square score, as the softmax sees it, of a query with its own key",
            "查询与自身对应键的分数（进入 softmax 时）的均方根",
        ),
        low=0,
        sampled=True,
    ),
    "diagonal_weight": metric(
        "",
        both("own key's weight", "自身键的权重"),
        both("mean weight of a query on its own key", "查询放在自身对应键上的平均权重"),
        low=0,
        high=1,
        sampled=True,
    ),
}


METRICS = {
    **_SINGLE,
    **listed(_SINGLE, BY_SCALE, "scale", SCALE),
}
