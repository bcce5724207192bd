"""What `walkthrough` measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric

METRICS = {
    "transpose_raises": metric(
        "",
        both("Q @ K-transposed fails", "Q 乘 K 转置报错"),
        both("1 where the product raises an error, else 0", "乘积报错为 1，否则为 0"),
    ),
    "transposed_shape": metric(
        "",
        both("shape of K transposed", "K 转置后的形状"),
        both("shape of K after .mT or .T, from (1, S, d_k)", "(1, S, d_k) 转置后的形状"),
    ),
    "weighted_sum_raises": metric(
        "",
        both("weights @ V fails", "weights @ V 报错"),
        both("1 where weights @ V raises an error, else 0", "报错为 1，否则为 0"),
    ),
    "scores": metric(
        "",
        both("scores", "分数"),
        both("QKᵀ before scale and mask, row by row", "缩放与掩码之前的 QKᵀ，逐行"),
    ),
    "scores_shape": metric(
        "", both("shape of the scores", "分数的形状"), both("shape of QKᵀ", "形状")
    ),
    "scale": metric("", both("scale", "缩放因子"), both("factor on the scores", "分数乘的因子")),
    "score_std": metric(
        "",
        both("std of these scores", "这些分数的标准差"),
        both("standard deviation of this draw's raw scores", "本次原始分数的标准差"),
        low=0,
    ),
    "scaled_std": metric(
        "",
        both("std after the scale", "缩放后的标准差"),
        both("standard deviation of this draw's scores × scale", "分数乘因子后的标准差"),
        low=0,
    ),
    "weights": metric(
        "share",
        both("weights", "权重"),
        both("attention weights, row by row", "注意力权重，逐行"),
        low=0,
        high=1,
    ),
    "weights_shape": metric("", both("shape of the weights", "权重的形状"), both("shape", "形状")),
    "row_sums": metric(
        "",
        both("row sums of weights", "权重各行之和"),
        both("sum of each query's weights over the keys", "每个查询的权重之和"),
    ),
    "column_sums": metric(
        "",
        both("column sums of weights", "权重各列之和"),
        both("weight each key gets from all queries", "每个键从所有查询得到的权重"),
    ),
    "row_sum_error": metric(
        "",
        both("furthest row sum from 1", "行和离 1 最远"),
        both("largest |row sum − 1|", "|行和 − 1| 的最大值"),
        low=0,
    ),
    "max_weight": metric(
        "share",
        both("largest weight, mean", "最大权重均值"),
        both("largest weight of a row, mean over rows", "每行最大权重的均值"),
        low=0,
        high=1,
    ),
    "entropy": metric(
        "nats",
        both("entropy, mean", "熵均值"),
        both("entropy of a row of weights, mean over rows", "每行权重熵的均值"),
        low=0,
    ),
    "hidden_weight": metric(
        "",
        both("weight on later keys", "落在后面键的权重"),
        both("sum of all weights above the diagonal", "对角线以上权重之和"),
        low=0,
    ),
    "top_key_kept": metric(
        "share",
        both("top key same unscaled", "缩放前后首位一致"),
        both(
            "share of rows whose largest score is at the same key with and without scale",
            "缩放前后最大分数在同一个键的行的比例",
        ),
        low=0,
        high=1,
    ),
    "asymmetry": metric(
        "",
        both("weights − transposed", "权重与其转置之差"),
        both("largest |weights − weightsᵀ|: i to j is not j to i", "|权重 − 转置| 最大值"),
        low=0,
    ),
    "output": metric("", both("output", "输出"), both("weights · V, row by row", "逐行")),
    "output_shape": metric("", both("shape of the output", "输出的形状"), both("shape", "形状")),
    "output_in_hull": metric(
        "",
        both("output within values", "输出在值范围内"),
        both(
            "1 where every output column stays between V's least and greatest, else 0",
            "每列输出都在 V 该列最小与最大值之间为 1，否则为 0",
        ),
    ),
    "permute_pairs_change": metric(
        "",
        both("K, V reordered together", "K、V 同时换序"),
        both("largest change of output when keys move with values", "输出的最大变化"),
        low=0,
    ),
    "permute_values_change": metric(
        "",
        both("V reordered alone", "只把 V 换序"),
        both("largest change of output when values alone move", "输出的最大变化"),
        low=0,
    ),
    "permute_queries_error": metric(
        "",
        both("Q reordered", "Q 换序"),
        both("largest |output of moved Q − moved output|", "与换序后输出之差的最大值"),
        low=0,
    ),
    "permute_all_error": metric(
        "",
        both("Q, K, V reordered", "Q、K、V 一起换序"),
        both("largest |output of moved tokens − moved output|", "与换序后输出之差的最大值"),
        low=0,
    ),
    "future_influence": metric(
        "",
        both("last token on the others", "末 token 对其余影响"),
        both(
            "largest change in all rows but the last when the last key and value gain 1",
            "末键、末值各加 1 时，除末行外输出的最大变化",
        ),
        low=0,
    ),
    "query_influence": metric(
        "",
        both("last query on the others", "末查询对其余影响"),
        both(
            "largest change in all rows but the last when the last query gains 1",
            "末查询各元素加 1 时，除末行外输出的最大变化",
        ),
        low=0,
    ),
    "first_output_error": metric(
        "",
        both("output[0] − v[0]", "output[0] − v[0]"),
        both("largest |output[0] − v[0]|: 0 where row 0 sees only itself", "最大绝对差"),
        low=0,
    ),
}
