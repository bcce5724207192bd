"""What `kv_cache` measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric

CACHED = both("from the cache", "用缓存")
RECOMPUTED = both("recomputed", "全部重算")
COSTS = both("multiply-adds", "乘加次数")
STEP = both("new token", "新词元")


_RELATIVE = {
    "error": (
        ("error of new tokens", "新词元的误差"),
        (
            "rms difference of the new tokens' outputs from the cache to those recomputed from "
            "all tokens, over their rms",
            "新词元用缓存得到的输出与全部重算之差的均方根，除以后者的均方根",
        ),
    ),
    "first_error": (
        ("error, first new token", "首个新词元的误差"),
        ("the same of the first new token alone", "同上，只看首个新词元"),
    ),
    "prompt_error": (
        ("error of the prompt", "提示部分的误差"),
        (
            "the same of the prompt's outputs, against one causal pass over all tokens",
            "同上，看提示词元的输出，与对全部词元的一次因果计算相比",
        ),
    ),
    "max_error": (
        ("largest difference", "最大差"),
        (
            "largest difference of the new tokens' outputs from the cache to those recomputed, "
            "mean over draws",
            "新词元用缓存得到的输出与全部重算的最大差，对各次抽样取均值",
        ),
    ),
    "cache_error_by_layer": (
        ("cached V, by layer", "各层缓存 V 的误差"),
        (
            "rms difference of the cached values to those of one causal pass over all tokens, over "
            "their rms, layer by layer",
            "缓存的值与对全部词元一次因果计算所得的值之差的均方根，除以后者的均方根，逐层",
        ),
    ),
    "output_rms": (
        ("output", "输出"),
        ("root mean square of the new tokens' outputs", "新词元输出的均方根"),
    ),
}
_PRODUCTS = {
    "prefill_products": (
        ("prefill", "预填充"),
        (
            "multiply-adds of reading the prompt at once, one sequence, hidden scores counted",
            "一次读完提示的乘加次数，一条序列，被掩去的分数也计入",
        ),
    ),
    "decode_products": (
        ("all decode steps", "全部解码步"),
        (
            "multiply-adds of all new tokens from the cache, one sequence",
            "用缓存解码所有新词元的乘加次数，一条序列",
        ),
    ),
    "recompute_products": (
        ("recomputing all", "全部重算"),
        (
            "multiply-adds where every new token recomputes all tokens before it, one sequence",
            "每个新词元都重算之前所有词元时的乘加次数，一条序列",
        ),
    ),
}
_RATIOS = {
    "products_ratio": (
        ("recomputed / cached", "重算 / 用缓存"),
        (
            "multiply-adds of recomputing over those of prefill and decode steps together",
            "重算的乘加次数与预填充加解码之比",
        ),
    ),
    "last_step_ratio": (
        ("last step, re- / cached", "最后一步，重算 / 缓存"),
        (
            "multiply-adds of recomputing the last token over those of its step from the cache",
            "重算最后一个词元的乘加次数与用缓存的该步之比",
        ),
    ),
    "step_growth": (
        ("last step / first", "末步 / 首步"),
        (
            "multiply-adds of the last step from the cache over those of the first",
            "用缓存时最后一步与第一步的乘加次数之比",
        ),
    ),
    "attention_growth": (
        ("attention, last / first", "注意力，末步 / 首步"),
        (
            "the same of scores and weighted sums alone, the projections aside",
            "同上，只看分数与加权求和，不含投影",
        ),
    ),
    "cache_growth": (
        ("cache at end / start", "缓存：末尾 / 开头"),
        (
            "tokens held after the last step over those after prefill",
            "最后一步之后所持词元数与预填充之后之比",
        ),
    ),
    "prefill_intensity": (
        ("prefill, per byte", "预填充，每字节"),
        (
            "multiply-adds of prefill for each byte its products read and write, one sequence",
            "预填充中乘加次数与矩阵乘读写字节数之比，一条序列",
        ),
    ),
    "decode_intensity": (
        ("decode, per byte", "解码，每字节"),
        (
            "multiply-adds of the decode steps for each byte their products read and write",
            "解码步中乘加次数与矩阵乘读写字节数之比，一条序列",
        ),
    ),
}
_BYTES = {
    "cache_bytes": (
        ("cache", "缓存"),
        (
            "bytes of all layers' cached keys and values after the last token, one sequence",
            "最后一个词元之后各层缓存的键与值的字节数，一条序列",
        ),
    ),
    "bytes_per_token": (
        ("cache per token", "每个词元的缓存"),
        ("bytes that one token adds to the cache", "每个词元为缓存增加的字节数"),
    ),
    "weights_bytes": (
        ("all weights, if kept", "若保存全部权重"),
        (
            "bytes that a weight for every pair of tokens, head and layer would take",
            "若为每对词元、每个头、每层保存一个权重所需的字节数",
        ),
    ),
}

METRICS = {
    **{
        name: metric("", both(*label), both(*meaning), low=0, sampled=True)
        for name, (label, meaning) in _RELATIVE.items()
    },
    **{
        name: metric("count", both(*label), both(*meaning), low=0)
        for name, (label, meaning) in _PRODUCTS.items()
    },
    **{
        name: metric("", both(*label), both(*meaning), low=0)
        for name, (label, meaning) in _RATIOS.items()
    },
    **{
        name: metric("B", both(*label), both(*meaning), low=0)
        for name, (label, meaning) in _BYTES.items()
    },
}
