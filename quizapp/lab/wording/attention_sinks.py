"""What `attention_sinks` measures, in words."""

from __future__ import annotations

from typing import Final

from quizapp.lab.experiment import both, metric
from quizapp.lab.wording import listed

#: The arms by name.
ARMS: Final = {
    "softmax": both("softmax", "softmax"),
    "off_by_one": both("softmax off by one", "分母加一"),
    "learned": both("learned sink score", "可学汇聚分数"),
    "gate": both("gated output", "门控输出"),
}
_LATER = both("later half of positions", "后半位置")


def _later(en: str, zh: str) -> dict[str, str]:
    return both(f"{en}, {_LATER['en']}", f"{zh}（{_LATER['zh']}）")


_SINGLE = {
    "first_weight": metric(
        "",
        both("idle: first token", "空闲：首词元权重"),
        _later(
            "mean weight on the first token by queries with nothing to copy",
            "无需复制的查询给首词元的平均权重",
        ),
        low=0,
        high=1.001,
        sampled=True,
    ),
    "copying_first_weight": metric(
        "",
        both("copying: first token", "复制：首词元权重"),
        _later(
            "mean weight on the first token by queries that ask to copy",
            "要求复制的查询给首词元的平均权重",
        ),
        low=0,
        high=1.001,
        sampled=True,
    ),
    "previous_weight": metric(
        "",
        both("copying: word before", "复制：前一词权重"),
        _later(
            "mean weight on the word before by queries that ask to copy it",
            "要求复制的查询给前一个词的平均权重",
        ),
        low=0,
        high=1.001,
        sampled=True,
    ),
    "own_weight": metric(
        "",
        both("idle: own token", "空闲：自身权重"),
        _later(
            "mean weight on themselves by queries with nothing to copy",
            "无需复制的查询给自身的平均权重",
        ),
        low=0,
        high=1.001,
        sampled=True,
    ),
    "let_through": metric(
        "",
        both("idle: let through", "空闲：放行总量"),
        _later(
            "sum of a row's weights on real tokens times its gate, mean over queries with "
            "nothing to copy: 1 where softmax has no way out",
            "一行中真实词元权重之和乘以门控值，对无需复制的查询取均值：没有出路的 softmax 为 1",
        ),
        low=0,
        high=1.001,
        sampled=True,
    ),
    "value_ratio": metric(
        "",
        both("‖v‖ of first / others", "首词元 ‖v‖ / 其余"),
        both(
            "mean length of the first token's value over that of the other tokens",
            "首词元值向量的平均长度与其余词元之比",
        ),
        low=0,
        sampled=True,
    ),
    "idle_output": metric(
        "",
        both("output, idle / copying", "输出长度，空闲/复制"),
        _later(
            "mean length of the attention output where there is nothing to copy, over that where "
            "there is",
            "无需复制处与需要复制处注意力输出的平均长度之比",
        ),
        low=0,
        sampled=True,
    ),
    "sink_share": metric(
        "share",
        both("heads with a sink", "有汇聚点的头"),
        _later(
            "share of heads, over runs, that give the first token over half of the weight of "
            "queries with nothing to copy",
            "空闲查询把一半以上权重给首词元的头所占比例，按各次重复统计",
        ),
        low=0,
        high=1,
        sampled=True,
    ),
    "excess_loss": metric(
        "nats",
        both("loss above the best", "高出最优的损失"),
        _later(
            "mean loss above that of the true probabilities on the same targets",
            "平均损失高出真实概率在同样目标上损失的部分",
        ),
        sampled=True,
    ),
    "idle_excess": metric(
        "nats",
        both("… nothing to copy", "……无需复制处"),
        _later("the same where there is nothing to copy", "同上，仅无需复制处"),
        sampled=True,
    ),
    "copying_excess": metric(
        "nats",
        both("… at copying words", "……复制词处"),
        _later("the same at words that ask to copy", "同上，仅要求复制的词"),
        sampled=True,
    ),
    "eviction_cost": metric(
        "nats",
        both("cost: recent keys only", "代价：只留最近的键"),
        _later(
            "rise of the loss when only the last `window` keys are kept",
            "只保留最近 window 个键时损失的上升",
        ),
        sampled=True,
    ),
    "kept_cost": metric(
        "nats",
        both("cost: recent and first", "代价：再留首词元"),
        _later(
            "rise of the loss when the last `window` keys and the first token are kept",
            "保留最近 window 个键与首词元时损失的上升",
        ),
        sampled=True,
    ),
    "without_first_cost": metric(
        "nats",
        both("cost: no first key", "代价：只删首词元"),
        _later(
            "rise of the loss when the first token's key alone is gone",
            "只删去首词元的键时损失的上升",
        ),
        sampled=True,
    ),
    "without_second_cost": metric(
        "nats",
        both("cost: no second key", "代价：只删第二个"),
        _later(
            "rise of the loss when the second token's key alone is gone",
            "只删去第二个词元的键时损失的上升",
        ),
        sampled=True,
    ),
    "initial_loss": metric(
        "nats",
        both("loss at the start", "起始损失"),
        both("loss on the first batch, before any step", "第一步之前在首个批次上的损失"),
        low=0,
        sampled=True,
    ),
    "initial_gradient": metric(
        "",
        both("gradient at the start", "起始梯度范数"),
        both(
            "norm of that loss's gradient at all weights of a model",
            "该损失对一个模型全部权重的梯度范数",
        ),
        low=0,
        sampled=True,
    ),
}

_BY_ARM = {
    "first_weight": both("… first token, by arm", "……首词元权重，各种"),
    "copying_first_weight": both("… copying, by arm", "……复制时，各种"),
    "previous_weight": both("… word before, by arm", "……前一词权重，各种"),
    "own_weight": both("… own token, by arm", "……自身权重，各种"),
    "let_through": both("… let through, by arm", "……放行总量，各种"),
    "value_ratio": both("… ‖v‖ ratio, by arm", "……‖v‖ 之比，各种"),
    "idle_output": both("… output, by arm", "……输出之比，各种"),
    "sink_share": both("… with a sink, by arm", "……有汇聚点，各种"),
    "excess_loss": both("… loss above, by arm", "……高出的损失，各种"),
    "idle_excess": both("… idle loss, by arm", "……空闲处损失，各种"),
    "copying_excess": both("… copying loss, by arm", "……复制处损失，各种"),
    "eviction_cost": both("… recent only, by arm", "……只留最近，各种"),
    "kept_cost": both("… and first, by arm", "……再留首词元，各种"),
    "without_first_cost": both("… no first, by arm", "……只删首个，各种"),
    "without_second_cost": both("… no second, by arm", "……只删第二个，各种"),
    "initial_loss": both("… start loss, by arm", "……起始损失，各种"),
    "initial_gradient": both("… start slope, by arm", "……起始梯度，各种"),
}

METRICS = {
    **_SINGLE,
    "first_weight_by_head": metric(
        "",
        both("idle: first, by head", "空闲：首词元，各头"),
        _later(
            "mean weight on the first token by queries with nothing to copy: head by head, layer "
            "by layer",
            "无需复制的查询给首词元的平均权重：逐层逐头",
        ),
        low=0,
        high=1.001,
        sampled=True,
    ),
    "value_ratio_by_head": metric(
        "",
        both("‖v‖ ratio, by head", "‖v‖ 之比，各头"),
        both(
            "length of the first token's value over that of the others: head by head, layer by "
            "layer",
            "首词元值向量长度与其余之比：逐层逐头",
        ),
        low=0,
        sampled=True,
    ),
    "even_weight": metric(
        "",
        both("first token, if even", "均匀时的首词元权重"),
        _later(
            "mean of 1/keys: what the first token gets from a row of equal weights",
            "键数倒数的均值：权重相等时首词元所得",
        ),
        low=0,
        high=1,
    ),
    "best_loss": metric(
        "nats",
        both("best possible loss", "最优损失"),
        _later("loss of the true probabilities on the same targets", "真实概率在同样目标上的损失"),
        low=0,
        sampled=True,
    ),
    **listed(_SINGLE, _BY_ARM, "arm", ARMS),
}
