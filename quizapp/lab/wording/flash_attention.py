"""What `flash_attention` measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric

#: The ways in the order of tables and curves.
WAYS = {
    "standard": both("standard", "标准"),
    "tiled": both("tiled, by hand", "手写分块"),
    "fused": both("torch's own", "torch 自带"),
}
#: Columns of the table of ways, with their units; and which metric fills each for a way.
COLUMN_LABELS = (
    (both("off by", "误差"), ""),
    (both("gradients off by", "梯度误差"), ""),
    (both("peak memory", "峰值内存"), "B"),
    (both("kept for backward", "反向所需"), "B"),
    (both("time", "耗时"), "s"),
)
COLUMNS: dict[str, tuple[str | None, ...]] = {
    "standard": (None, None, "peak_bytes_standard", "saved_bytes_standard", "seconds_standard"),
    "tiled": (
        "max_abs_error",
        "grad_error",
        "peak_bytes_tiled",
        "saved_bytes_tiled",
        "seconds_tiled",
    ),
    "fused": (
        "fused_error",
        "fused_grad_error",
        "peak_bytes_fused",
        "saved_bytes_fused",
        "seconds_fused",
    ),
}

METRICS = {
    "max_abs_error": metric(
        "",
        both("largest error", "最大误差"),
        both(
            "largest difference between the tiled output and the standard one",
            "分块输出与标准输出的最大绝对差",
        ),
        low=0,
    ),
    "relative_error": metric(
        "",
        both("error / output, rms", "误差与输出之比"),
        both(
            "root mean square of the error over that of the standard output",
            "误差的均方根除以标准输出的均方根",
        ),
        low=0,
    ),
    "output_rms": metric(
        "",
        both("rms of the output", "输出的均方根"),
        both("root mean square of the tiled output", "分块输出的均方根"),
        low=0,
    ),
    "standard_rms": metric(
        "",
        both("rms, standard", "标准输出的均方根"),
        both("root mean square of the standard, scaled output", "标准（带缩放）输出的均方根"),
        low=0,
    ),
    "lse_mean": metric(
        "",
        both("log-sum-exp, mean", "log-sum-exp 均值"),
        both("m + ln l of a row at the end, mean over rows", "每行最终 m + ln l 的均值"),
    ),
    "lse_error": metric(
        "",
        both("log-sum-exp error", "log-sum-exp 误差"),
        both(
            "largest difference of a row's m + ln l from the standard log-sum-exp",
            "每行 m + ln l 与标准 log-sum-exp 的最大差",
        ),
        low=0,
    ),
    "max_rises": metric(
        "",
        both("maximum rises, mean", "最大值上升次数"),
        both(
            "tiles after the first that raise a row's running maximum, mean over rows",
            "首块之后使行内最大值上升的块数，对行取平均",
        ),
        low=0,
    ),
    "key_tiles": metric(
        "",
        both("tiles of keys", "键的块数"),
        both("tiles that the keys are cut into", "键被切成的块数"),
        low=1,
    ),
    "tiles": metric(
        "count",
        both("tiles computed", "计算的块数"),
        both("tiles of scores, queries by keys, that the loop computes", "循环实际计算的分数块数"),
        low=1,
    ),
    "tiles_skipped": metric(
        "count",
        both("tiles skipped", "跳过的块数"),
        both(
            "tiles of scores skipped because every key comes after every query",
            "因所有键都排在所有查询之后而跳过的分数块数",
        ),
        low=0,
    ),
    "grad_error": metric(
        "",
        both("largest gradient error", "最大梯度误差"),
        both(
            "largest difference of the recomputed gradients of Q, K, V from autograd's",
            "重计算得到的 Q、K、V 梯度与 autograd 的最大差",
        ),
        low=0,
    ),
    "peak_bytes_standard": metric(
        "B",
        both("peak memory, standard", "峰值内存（标准）"),
        both("most memory held at once beyond the inputs, standard", "标准做法除输入外的峰值内存"),
        low=0,
    ),
    "peak_bytes_tiled": metric(
        "B",
        both("peak memory, tiled", "峰值内存（分块）"),
        both("most memory held at once beyond the inputs, tiled", "分块做法除输入外的峰值内存"),
        low=0,
    ),
    "peak_ratio": metric(
        "",
        both("standard / tiled peak", "峰值之比"),
        both("peak memory of the standard way over the tiled one", "标准与分块的峰值内存之比"),
        low=0,
    ),
    "peak_bytes_fused": metric(
        "B",
        both("peak memory, fused", "峰值内存（融合）"),
        both(
            "most memory held at once beyond the inputs by torch's own kernel, its work space "
            "included",
            "torch 自带内核除输入外的峰值内存，含内部工作区",
        ),
        low=0,
    ),
    "saved_bytes_standard": metric(
        "B",
        both("kept for backward", "反向所需（标准）"),
        both(
            "bytes that autograd keeps for the backward pass, standard", "autograd 为反向保留的字节"
        ),
        low=0,
    ),
    "saved_bytes_tiled": metric(
        "B",
        both("kept for backward, tiled", "反向所需（分块）"),
        both("bytes of output and log-sum-exp, all that recomputation needs", "重计算所需的字节"),
        low=0,
    ),
    "saved_bytes_fused": metric(
        "B",
        both("kept for backward, fused", "反向所需（融合）"),
        both(
            "bytes that autograd keeps for the backward pass of torch's own kernel",
            "autograd 为 torch 自带内核的反向保留的字节",
        ),
        low=0,
    ),
    "fused_error": metric(
        "",
        both("fused, largest error", "融合内核的最大误差"),
        both(
            "largest difference between torch's own kernel and the standard output",
            "torch 自带内核与标准输出的最大绝对差",
        ),
        low=0,
    ),
    "fused_grad_error": metric(
        "",
        both("fused, gradient error", "融合内核的梯度误差"),
        both(
            "largest difference of the gradients of Q, K, V by torch's own kernel from the "
            "standard ones",
            "torch 自带内核的 Q、K、V 梯度与标准梯度的最大差",
        ),
        low=0,
    ),
    "flops_standard": metric(
        "",
        both("matmul FLOPs", "矩阵乘 FLOPs"),
        both(
            "floating point operations in matrix products, standard", "标准做法矩阵乘的浮点运算数"
        ),
        low=0,
    ),
    "flops_tiled": metric(
        "",
        both("matmul FLOPs, tiled", "矩阵乘 FLOPs（分块）"),
        both("floating point operations in matrix products, tiled", "分块做法矩阵乘的浮点运算数"),
        low=0,
    ),
    "flops_ratio": metric(
        "",
        both("tiled / standard FLOPs", "FLOPs 之比"),
        both(
            "matrix-product FLOPs of the tiled forward pass over those of the standard one",
            "分块与标准前向的矩阵乘 FLOPs 之比",
        ),
        low=0,
    ),
    "backward_flops_ratio": metric(
        "",
        both("backward FLOPs, ratio", "反向 FLOPs 之比"),
        both(
            "FLOPs of the recomputing backward pass over those of autograd's",
            "重计算反向与 autograd 反向的 FLOPs 之比",
        ),
        low=0,
    ),
    "seconds_standard": metric(
        "s",
        both("time, standard", "耗时（标准）"),
        both("best of up to three forward passes, standard", "标准做法至多三次前向的最短耗时"),
        low=0,
    ),
    "seconds_tiled": metric(
        "s",
        both("time, tiled", "耗时（分块）"),
        both(
            "best of up to three forward passes, tiled, in eager Python",
            "分块至多三次前向的最短耗时",
        ),
        low=0,
    ),
    "seconds_fused": metric(
        "s",
        both("time, fused", "耗时（融合）"),
        both(
            "best of up to three forward passes of torch's own kernel",
            "torch 自带内核至多三次前向的最短耗时",
        ),
        low=0,
    ),
}
