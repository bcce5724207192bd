"""What `complexity` measures, in words."""

from __future__ import annotations

from typing import Final

from quizapp.lab.experiment import both, metric

PART: Final = {
    "projections": both("projections", "投影"),
    "naive": both("naive attention", "朴素注意力"),
    "fused": both("fused attention", "融合注意力"),
}
_WHAT = {
    "projections": ("the four projections", "四个投影"),
    "naive": ("attention with all scores in memory", "把全部分数存入内存的注意力"),
    "fused": ("attention in torch's fused kernel", "torch 融合核的注意力"),
}
_LARGEST = ("at the largest size", "（最大规模）")

_FLOPS = {
    f"flops_{part}": metric(
        "count",
        both(f"FLOPs, {PART[part]['en']}", f"{PART[part]['zh']} FLOPs"),
        both(f"FLOPs of {en}, {_LARGEST[0]}", f"{zh}的 FLOPs{_LARGEST[1]}"),
        low=0,
    )
    for part, (en, zh) in _WHAT.items()
}
_SHARES = {
    "share": ("attention", "注意力", *_LARGEST),
    "share_short": ("short: attention", "短序列：注意力", "at the shortest length", "（最短序列）"),
}
_GROWTHS = {
    "growth_short": (
        "short n doubled",
        "短 n 加倍",
        "shortest length is doubled",
        "最短序列加倍",
    ),
    "growth_long": (
        "long n doubled",
        "长 n 加倍",
        "half of the longest is doubled",
        "最长序列的一半加倍",
    ),
}
_EXACT = {
    "flops_slope_n": (
        "FLOPs ~ n^, layer",
        "整层 FLOPs 对 n 的斜率",
        "log-log slope of the layer's FLOPs on n, naive attention with its projections",
        "整层 FLOPs 对 n 的双对数斜率，朴素注意力加投影",
    ),
    "flops_slope_n_attention": (
        "FLOPs ~ n^, attention",
        "注意力 FLOPs 对 n 的斜率",
        "log-log slope on n of the FLOPs of scores and weighted sum alone",
        "只算分数与加权求和时 FLOPs 对 n 的双对数斜率",
    ),
    "flops_slope_n_fused": (
        "FLOPs ~ n^, fused",
        "融合核 FLOPs 对 n 的斜率",
        "log-log slope on n of the fused kernel's FLOPs",
        "融合核 FLOPs 对 n 的双对数斜率",
    ),
    "flops_slope_d": (
        "FLOPs ~ d^, layer",
        "整层 FLOPs 对 d 的斜率",
        "log-log slope of the layer's FLOPs on d, at the longest length",
        "整层 FLOPs 对 d 的双对数斜率，最长序列",
    ),
    "flops_slope_d_attention": (
        "FLOPs ~ d^, attention",
        "注意力 FLOPs 对 d 的斜率",
        "log-log slope on d of the FLOPs of scores and weighted sum alone",
        "只算分数与加权求和时 FLOPs 对 d 的双对数斜率",
    ),
    "flops_crossover": (
        "n of equal FLOPs",
        "FLOPs 相等的 n",
        "length at which scores and weighted sum take as many FLOPs as the four projections",
        "分数与加权求和的 FLOPs 等于四个投影时的序列长度",
    ),
    "output_rms_naive": (
        "output, naive",
        "朴素注意力的输出",
        "root mean square of the naive output, at the largest size",
        "朴素注意力输出的均方根（最大规模）",
    ),
    "output_rms_fused": (
        "output, fused",
        "融合核的输出",
        "root mean square of the fused kernel's output, at the largest size",
        "融合核输出的均方根（最大规模）",
    ),
    "max_difference": (
        "naive − fused, largest",
        "朴素与融合的最大差",
        "largest difference of the two outputs, at the largest size",
        "两种输出的最大差（最大规模）",
    ),
    "peak_ratio": (
        "peak, naive / fused",
        "峰值内存，朴素 / 融合",
        "bytes held at the peak, naive over fused, at the largest size",
        "峰值字节数，朴素与融合之比（最大规模）",
    ),
    "bytes_slope_n_naive": (
        "bytes ~ n^, naive",
        "朴素内存对 n 的斜率",
        "log-log slope on n of the naive attention's peak bytes",
        "朴素注意力峰值字节数对 n 的双对数斜率",
    ),
    "bytes_slope_n_fused": (
        "bytes ~ n^, fused",
        "融合内存对 n 的斜率",
        "log-log slope on n of the fused kernel's peak bytes, tiles inside it not seen",
        "融合核峰值字节数对 n 的双对数斜率，不含核内分块",
    ),
}
_BYTES = {
    f"peak_bytes_{part}": metric(
        "B",
        both(f"peak, {PART[part]['en']}", f"{PART[part]['zh']}峰值内存"),
        both(
            f"bytes that {_WHAT[part][0]} holds at most beyond its inputs, {_LARGEST[0]}",
            f"{_WHAT[part][1]}除输入外最多占用的字节数{_LARGEST[1]}",
        ),
        low=0,
    )
    for part in ("naive", "fused")
}
_TIMES = {
    f"ms_{part}": metric(
        "ms",
        both(f"time, {PART[part]['en']}", f"{PART[part]['zh']}用时"),
        both(f"median time of {en}, {_LARGEST[0]}", f"{zh}的用时中位数{_LARGEST[1]}"),
        low=0,
        sampled=True,
    )
    for part, (en, zh) in _WHAT.items()
}
_CLOCK = {
    "fused_speedup": (
        "time, naive / fused",
        "用时，朴素 / 融合",
        "time of naive attention over the fused kernel's, at the largest size",
        "朴素注意力与融合核的用时之比（最大规模）",
    ),
    "time_slope_n": (
        "time ~ n^, layer",
        "整层用时对 n 的斜率",
        "log-log slope of the layer's time on n, naive attention with its projections",
        "整层用时对 n 的双对数斜率，朴素注意力加投影",
    ),
    "time_slope_d": (
        "time ~ d^, layer",
        "整层用时对 d 的斜率",
        "log-log slope of the layer's time on d, at the longest length",
        "整层用时对 d 的双对数斜率，最长序列",
    ),
    **{
        f"time_slope_{by}_{part}": (
            f"time ~ {by}^, {part}",
            f"{PART[part]['zh']}用时对 {by} 的斜率",
            f"log-log slope on {by} of the time of {en}",
            f"{zh}用时对 {by} 的双对数斜率",
        )
        for by in "nd"
        for part, (en, zh) in _WHAT.items()
    },
    "time_crossover": (
        "n of equal time",
        "用时相等的 n",
        "length at which naive attention takes as long as the projections, by straight lines "
        "between sizes; an end of the grid where they do not cross inside it",
        "朴素注意力与投影用时相等的序列长度，按相邻规模连线求得；网格内不相交时取端点",
    ),
}

_CLOCKED = {
    **_TIMES,
    **{
        name: metric(
            "", both(en, zh), both(en_m, zh_m), low=-4 if "slope" in name else 0, sampled=True
        )
        for name, (en, zh, en_m, zh_m) in _CLOCK.items()
    },
    **{
        f"time_{name}": metric(
            "share",
            both(f"{en}, time", f"{zh}用时占比"),
            both(f"share of the layer's time in attention, {at}", f"注意力占整层用时的比例{at_zh}"),
            low=0,
            high=1,
            sampled=True,
        )
        for name, (en, zh, at, at_zh) in _SHARES.items()
    },
    **{
        f"time_{name}": metric(
            "",
            both(f"{en}: time ×", f"{zh}：用时倍数"),
            both(f"factor of the layer's time when the {at}", f"{at_zh}时整层用时的倍数"),
            low=0,
            sampled=True,
        )
        for name, (en, zh, at, at_zh) in _GROWTHS.items()
    },
}
METRICS = {
    **_FLOPS,
    **{
        f"flops_{name}": metric(
            "share",
            both(f"{en}, FLOPs", f"{zh} FLOPs 占比"),
            both(
                f"share of the layer's FLOPs in attention, {at}",
                f"注意力占整层 FLOPs 的比例{at_zh}",
            ),
            low=0,
            high=1,
        )
        for name, (en, zh, at, at_zh) in _SHARES.items()
    },
    **{
        f"flops_{name}": metric(
            "",
            both(f"{en}: FLOPs ×", f"{zh}：FLOPs 倍数"),
            both(f"factor of the layer's FLOPs when the {at}", f"{at_zh}时整层 FLOPs 的倍数"),
            low=0,
        )
        for name, (en, zh, at, at_zh) in _GROWTHS.items()
    },
    **{
        name: metric("", both(en, zh), both(en_m, zh_m), low=0)
        for name, (en, zh, en_m, zh_m) in _EXACT.items()
    },
    **_BYTES,
    **_CLOCKED,
}
#: Metrics from a clock.
TIMED: Final = frozenset(_CLOCKED)
