"""What `grouped_queries` measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric

WEIGHTS = both("two heads of a group", "同组的两个头")
BY_KV_HEADS = both("fewer key/value heads", "减少键值头数")
KV_HEADS = both("key/value heads", "键值头数")
#: Columns of the table over all numbers of key/value heads.
COLUMNS = {
    "bytes_by_kv_heads": both("cache", "缓存"),
    "error_by_kv_heads": both("error against MHA", "相对 MHA 的误差"),
}

METRICS = {
    "cache_bytes": metric(
        "B",
        both("cache", "缓存"),
        both(
            "bytes of the key and value tensors held after the last token: one layer, one sequence",
            "最后一个词元之后所持有的键、值张量的字节数：一层、一条序列",
        ),
        low=0,
    ),
    "cache_bytes_mha": metric(
        "B",
        both("cache of MHA", "MHA 的缓存"),
        both(
            "bytes of the same cache where every query head has its own keys and values",
            "每个查询头各有自己的键和值时，同样的缓存的字节数",
        ),
        low=0,
    ),
    "bytes_per_token": metric(
        "B",
        both("cache per token", "每个词元的缓存"),
        both("bytes that one token adds to that cache", "每个词元为该缓存增加的字节数"),
        low=0,
    ),
    "cache_shape": metric(
        "",
        both("shape of the cached K", "缓存中 K 的形状"),
        both(
            "key/value heads, positions, width: the cached keys of one layer and one sequence",
            "键值头数、位置数、维度：一层、一条序列所缓存的键",
        ),
        low=0,
    ),
    "decode_error": metric(
        "",
        both("decode against whole", "逐步解码的误差"),
        both(
            "rms difference of outputs decoded token by token from the cache to those computed "
            "at once under a causal mask, over their rms",
            "用缓存逐个词元解码的输出，与因果掩码下一次算出的输出之差的均方根，除以后者的均方根",
        ),
        low=0,
        sampled=True,
    ),
    "copy_error": metric(
        "",
        both("MHA on copied K, V", "复制 K、V 的 MHA"),
        both(
            "rms difference of MHA on K and V copied for every head to the grouped output, over "
            "its rms",
            "为每个头复制 K、V 后做 MHA，与分组输出之差的均方根，除以后者的均方根",
        ),
        low=0,
        sampled=True,
    ),
    "copied_bytes": metric(
        "B",
        both("copied K and V", "复制后的 K、V"),
        both("bytes of K and V once copied for every head", "为每个头复制之后 K、V 的字节数"),
        low=0,
    ),
    "pooling_error": metric(
        "",
        both("error against MHA", "相对 MHA 的误差"),
        both(
            "rms difference of the output to that of the MHA its keys and values were made from, "
            "over its rms",
            "输出与其键值所来自的 MHA 的输出之差的均方根，除以后者的均方根",
        ),
        low=0,
        sampled=True,
    ),
    "group_distance": metric(
        "",
        both("distance within a group", "同组头的权重差异"),
        both(
            "mean total variation between the weights of neighbouring heads of one group: 0 alike, "
            "1 disjoint",
            "同组相邻两个头的权重之间的平均全变差：0 相同，1 不相交",
        ),
        low=0,
        high=1,
        sampled=True,
    ),
    "output_rms": metric(
        "",
        both("output", "输出"),
        both("root mean square of the grouped output", "分组输出的均方根"),
        low=0,
        sampled=True,
    ),
    "step_products": metric(
        "count",
        both("multiply-adds, last step", "最后一步的乘加数"),
        both(
            "multiply-adds of attention in the last decoded step, all heads, projections aside",
            "解码最后一步中注意力的乘加次数，所有头合计，不含投影",
        ),
        low=0,
    ),
    "step_products_mha": metric(
        "count",
        both("the same of MHA", "MHA 的乘加数"),
        both(
            "multiply-adds of that step where every query head has its own keys and values",
            "每个查询头各有自己的键和值时，该步的乘加次数",
        ),
        low=0,
    ),
    "products_per_byte": metric(
        "",
        both("multiply-adds per byte", "每字节的乘加数"),
        both(
            "multiply-adds of that step for each byte of the cache, each read once",
            "该步的乘加次数与缓存字节数（各读一次）之比",
        ),
        low=0,
    ),
    "error_by_kv_heads": metric(
        "",
        both("error by kv heads", "各键值头数的误差"),
        both(
            "that error against the MHA for each divisor of the query heads, from 1 up",
            "键值头数取查询头数的每个约数（从 1 起）时相对 MHA 的误差",
        ),
        low=0,
        sampled=True,
    ),
    "bytes_by_kv_heads": metric(
        "B",
        both("cache by kv heads", "各键值头数的缓存"),
        both(
            "bytes of the cache for each divisor of the query heads, from 1 up",
            "键值头数取查询头数的每个约数（从 1 起）时缓存的字节数",
        ),
        low=0,
    ),
}
