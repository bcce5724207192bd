"""What `flash_attention` measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric

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
        both("best of three forward passes, standard", "标准做法三次前向的最短耗时"),
        low=0,
    ),
    "seconds_tiled": metric(
        "s",
        both("time, tiled", "耗时（分块）"),
        both("best of three forward passes, tiled, in eager Python", "分块三次前向的最短耗时"),
        low=0,
    ),
}
