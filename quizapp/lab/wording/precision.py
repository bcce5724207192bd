"""What `precision` compares and measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric
from quizapp.report import MetricInfo

#: Where the factor 1/√d_k goes, in the order of `quizapp.lab.maths.precision.ORDERS`.
ORDER = {
    "q": both("scale q first", "先缩放 q"),
    "scores": both("scale scores after", "后缩放分数"),
    "split": both("q and k by d_k^−¼", "q、k 各乘 d_k^−¼"),
}
#: How a long sum is kept, in the order of `quizapp.lab.maths.precision.SUMS`.
SUM = {
    "sequential": both("one by one", "逐项累加"),
    "pairwise": both("pairwise", "两两累加"),
    "fp32": both("in float32", "float32 累加"),
}
#: What is summed.
KIND = {"dot": both("dot product", "点积"), "norm": both("sum of squares", "平方和")}
COLUMNS = {
    "score_error": both("score error", "分数误差"),
    "weight_error": both("weight error", "权重误差"),
    "output_error": both("output error", "输出误差"),
    "nan_rows": both("rows NaN", "NaN 行"),
}
DTYPES = ("float16", "bfloat16", "float32")

_ERRORS = {
    "score_error": (
        "",
        COLUMNS["score_error"],
        both(
            "root mean square error of the scaled scores over their own root mean square, "
            "finite ones",
            "缩放后分数的误差均方根与分数均方根之比（仅计有限值）",
        ),
    ),
    "weight_error": (
        "",
        COLUMNS["weight_error"],
        both(
            "sum over a row of |weight − exact weight|, NaN as 0, mean over rows",
            "每行 |权重 − 精确权重| 之和（NaN 记为 0），对行取均值",
        ),
    ),
    "output_error": (
        "",
        COLUMNS["output_error"],
        both(
            "root mean square error of the output over its own root mean square, NaN as 0",
            "输出的误差均方根与输出均方根之比（NaN 记为 0）",
        ),
    ),
    "overflow_share": (
        "share",
        both("infinite scores", "非有限的分数"),
        both("share of scores that are not finite", "不是有限数的分数所占比例"),
    ),
    "nan_rows": (
        "share",
        both("rows with NaN", "含 NaN 的输出行"),
        both("share of output rows with a NaN", "含 NaN 的输出行所占比例"),
    ),
}


def _errors(prefix: str, label: dict[str, str], tail: dict[str, str]) -> dict[str, MetricInfo]:
    return {
        f"{prefix}{name}": metric(
            unit,
            both(f"{words['en']}{label['en']}", f"{words['zh']}{label['zh']}"),
            both(f"{meaning['en']}{tail['en']}", f"{meaning['zh']}{tail['zh']}"),
            low=0,
            high=1 if unit else float("inf"),
            sampled=True,
        )
        for name, (unit, words, meaning) in _ERRORS.items()
    }


def _sums() -> dict[str, MetricInfo]:
    found = {}
    for kind, kind_words in KIND.items():
        for way, words in SUM.items():
            found[f"{kind}_{way}"] = metric(
                "",
                both(f"{kind} error, {words['en']}", f"{kind_words['zh']}误差，{words['zh']}"),
                both(
                    f"root mean square error of a long {kind_words['en']} over its own root mean "
                    f"square, added {words['en']}",
                    f"长{kind_words['zh']}的误差均方根与其均方根之比（{words['zh']}）",
                ),
                low=0,
                sampled=True,
            )
    return found


_SHORT = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}
_SHORT_ORDER = {
    "q": both("q first", "先缩放 q"),
    "scores": both("scores", "后缩放分数"),
    "split": both("split", "各乘 d_k^−¼"),
}

METRICS: dict[str, MetricInfo] = {
    **_errors("", both("", ""), both("", "")),
    "input_error": metric(
        "",
        both("error of rounded inputs", "仅舍入输入的误差"),
        both(
            "relative output error when q, k and v alone are rounded and all else is float64",
            "仅将 q、k、v 舍入、其余用 float64 计算时输出的相对误差",
        ),
        low=0,
        sampled=True,
    ),
    "largest_raw_score": metric(
        "",
        both("largest |q·k|", "最大的 |q·k|"),
        both("largest |q·k| of a draw, without a scale", "一次抽样中未缩放的最大 |q·k|"),
        low=0,
        sampled=True,
    ),
    **{
        key: info
        for dtype, short in _SHORT.items()
        for key, info in _errors(
            f"{dtype}_", both(f", {short}", f"，{short}"), both(f", in {dtype}", f"，{dtype}")
        ).items()
    },
    **{
        key: info
        for order, words in ORDER.items()
        for key, info in _errors(
            f"{order}_",
            both(f", {_SHORT_ORDER[order]['en']}", f"，{_SHORT_ORDER[order]['zh']}"),
            both(f": {words['en']}", f"：{words['zh']}"),
        ).items()
    },
    **{
        f"overflow_std_{order}": metric(
            "",
            both(f"overflow std, {_SHORT_ORDER[order]['en']}", f"溢出的标准差，{words['zh']}"),
            both(
                f"std of the entries of q and k at which the first of a draw's scores, of at most "
                f"64 queries and keys, is not finite: {words['en']}",
                "使一次抽样中（至多 64 个查询与键）首个分数不再有限的 q、k 元素标准差："
                f"{words['zh']}",
            ),
            low=0,
        )
        for order, words in ORDER.items()
    },
    **_sums(),
    "norm_lost": metric(
        "share",
        both("lost of a sum of squares", "平方和丢失的比例"),
        both(
            "share of a long sum of squares that adding one by one in the format leaves out",
            "在该格式中逐项累加长平方和时丢失的比例",
        ),
        low=-1,
        high=1,
        sampled=True,
    ),
    "stall": metric(
        "",
        both("adding 1 stops at", "加 1 不再变化于"),
        both(
            "power of two to which adding 1 changes nothing in the format",
            "在该格式中加 1 不再改变的 2 的幂",
        ),
        low=1,
    ),
    "stall_by_dtype": metric(
        "",
        both("adding 1 stops by format", "各格式加 1 停滞处"),
        both(
            "that power of two in float16, bfloat16, float32",
            "float16、bfloat16、float32 中的该 2 的幂",
        ),
        low=1,
    ),
}
