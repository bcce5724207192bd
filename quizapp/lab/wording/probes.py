"""What `probes` measures, in words, and the probes and faults it knows."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric
from quizapp.report import MetricInfo

#: Fault → what it is, as code. The first is no fault at all.
FAULTS = {
    "none": both("healthy", "健康"),
    "no_scale": both("scores not divided by √d_k", "分数不除以 √d_k"),
    "wrong_axis": both("softmax over queries (dim=-2)", "softmax 沿查询轴（dim=-2）"),
    "mask_after_softmax": both(
        "mask multiplied on after softmax", "softmax 之后才乘掩码，未重新归一"
    ),
    "no_mask": both("no causal mask", "没有因果掩码"),
    "bad_init": both("W_q and W_k 4 times too large", "W_q、W_k 大 4 倍"),
    "tiny_init": both("W_q and W_k 20 times too small", "W_q、W_k 小 20 倍"),
    "wrong_reshape": both(
        "view(B, H, S, d_k), no transpose", "直接 view(B, H, S, d_k)，没有 transpose"
    ),
    "detached_value": both("attention(q, k, v.detach())", "attention(q, k, v.detach())"),
}
#: Probe → its label. Forward ones first; the last two need a backward pass.
PROBES = {
    "score_mean": both("score mean", "分数均值"),
    "score_std": both("score std", "分数标准差"),
    "q_variance": both("Var(q)", "Var(q)"),
    "row_sums": both("row sums", "行和"),
    "masked_weight": both("hidden weight", "被掩权重"),
    "max_weight": both("largest weight", "最大权重"),
    "entropy": both("entropy", "熵"),
    "future": both("future leak", "未来泄漏"),
    "past": both("past reach", "过去可达"),
    "loss": both("first loss", "初始损失"),
    "gradient_qk": both("W_q, W_k gradient", "W_q、W_k 梯度"),
    "gradient_v": both("W_v gradient", "W_v 梯度"),
}
BACKWARD = ("gradient_qk", "gradient_v")
#: The four that guides name first: mean and std of the scores, largest weight, gradients.
CLASSIC = ("score_mean", "score_std", "max_weight", *BACKWARD)
#: Faults as headings of narrow columns.
HEADS = {
    "no_scale": both("no scale", "不缩放"),
    "wrong_axis": both("wrong axis", "轴错"),
    "mask_after_softmax": both("mask after", "后掩码"),
    "no_mask": both("no mask", "无掩码"),
    "bad_init": both("init large", "初始过大"),
    "tiny_init": both("init small", "初始过小"),
    "wrong_reshape": both("bad view", "view 错"),
    "detached_value": both("v cut off", "v 断开"),
}
WEIGHTS = both("layer 1, head 1: weights", "第 1 层第 1 个头的权重")

#: Reading → label, what it is, and which layer or head stands for all (none: there is one).
_READINGS = {
    "score_mean": (
        both("mean of the scores", "分数的均值"),
        both("mean of the visible scores as softmax gets them", "进入 softmax 的可见分数的均值"),
        both("layer farthest from 0", "离 0 最远的层"),
    ),
    "score_std": (
        both("std of the scores", "分数的标准差"),
        both("std of the visible scores as softmax gets them", "进入 softmax 的可见分数的标准差"),
        both("largest layer", "最大的层"),
    ),
    "q_variance": (
        both("Var(q)", "Var(q)"),
        both("variance of the entries of q", "q 的元素方差"),
        both("largest layer", "最大的层"),
    ),
    "row_sum_error": (
        both("row sum off 1 by", "行和与 1 之差"),
        both("largest difference of a row's sum from 1", "权重行和与 1 的最大差"),
        both("all layers", "所有层"),
    ),
    "masked_weight": (
        both("weight on hidden keys", "被掩位置的权重"),
        both("largest weight on a key the query must not see", "查询不该看到的键的最大权重"),
        both("all layers", "所有层"),
    ),
    "max_weight": (
        both("largest weight", "最大权重"),
        both("mean largest weight of the last quarter of rows", "后四分之一各行最大权重的均值"),
        both("head where it is largest", "最大的头"),
    ),
    "entropy_share": (
        both("entropy / ln(keys)", "熵 / ln(键数)"),
        both(
            "entropy over its maximum in the last quarter of rows", "后四分之一各行的熵与上限之比"
        ),
        both("head where it is smallest", "最小的头"),
    ),
    "jacobian_median": (
        both("Jacobian median", "雅可比范数中位数"),
        both(
            "median norm of the softmax Jacobian in the last quarter of rows",
            "后四分之一各行 softmax 雅可比范数的中位数",
        ),
        both("all heads", "所有头"),
    ),
    "future_influence": (
        both("future moves past by", "未来对过去的影响"),
        both(
            "largest change of earlier logits when the last token is replaced",
            "替换最后一个 token 时，之前位置 logits 的最大变化",
        ),
        None,
    ),
    "past_influence": (
        both("first moves last by", "首 token 对末位的影响"),
        both(
            "largest change of the last logits when the first token is replaced",
            "替换第一个 token 时，最后位置 logits 的最大变化",
        ),
        None,
    ),
    "loss": (
        both("first loss", "初始损失"),
        both("cross-entropy of the next token, untrained", "未训练时下一个 token 的交叉熵"),
        None,
    ),
    "grad_qk": (
        both("gradient of W_q, W_k", "W_q、W_k 的梯度"),
        both("norm of the loss's gradient at W_q and W_k", "损失对 W_q、W_k 的梯度范数"),
        both("smallest layer", "最小的层"),
    ),
    "grad_v": (
        both("gradient of W_v", "W_v 的梯度"),
        both("norm of the loss's gradient at W_v", "损失对 W_v 的梯度范数"),
        both("smallest layer", "最小的层"),
    ),
    "grad_qk_share": (
        both("W_q, W_k beside W_o", "W_q、W_k 与 W_o 之比"),
        both("gradient norm at W_q and W_k over that at W_o", "W_q、W_k 与 W_o 的梯度范数之比"),
        both("smallest layer", "最小的层"),
    ),
    "loss_after": (
        both("loss after the steps", "训练几步后的损失"),
        both("loss on the one batch after the SGD steps", "同一批上做完 SGD 各步之后的损失"),
        None,
    ),
}
#: Readings that also come as a list over the layers, or over all heads of layer 1, 2 …
BY_LAYER = ("score_mean", "score_std", "q_variance", "grad_qk", "grad_v")
BY_HEAD = ("max_weight", "entropy_share")
_BY = {
    "score_mean": "score mean by layer",
    "score_std": "score std by layer",
    "q_variance": "Var(q) by layer",
    "grad_qk": "W_q, W_k grad by layer",
    "grad_v": "W_v gradient by layer",
    "max_weight": "largest weight by head",
    "entropy_share": "entropy share by head",
}
_IN_ORDER = f"for {', '.join(FAULTS)}", f"依次为 {', '.join(FAULTS)}"
#: Count → label and meaning.
_COUNTS = {
    "fired": (
        both("probes that fire", "报警的探针"),
        both("how many probes fire on this model", "此模型上报警的探针数"),
    ),
    "forward_fired": (
        both("forward probes firing", "报警的前向探针"),
        both("how many probes of the forward pass fire", "报警的前向探针数"),
    ),
    "backward_fired": (
        both("backward probes firing", "报警的反向探针"),
        both("how many probes of the backward pass fire", "报警的反向探针数"),
    ),
    "classic_fired": (
        both("classic probes firing", "报警的经典探针"),
        both(
            "of score mean, score std, largest weight and gradients: how many fire",
            "分数均值、分数标准差、最大权重与梯度中报警的个数",
        ),
    ),
    "faults_tried": (
        both("faults tried", "试过的故障"),
        both("how many faults were tried one by one", "逐一试过的故障数"),
    ),
    "faults_seen": (
        both("faults seen", "查出的故障"),
        both("faults on which any probe fires", "至少有一个探针报警的故障数"),
    ),
    "faults_seen_forward": (
        both("faults seen in forward", "前向查出的故障"),
        both("faults on which a probe of the forward pass fires", "前向探针会报警的故障数"),
    ),
    "faults_seen_classic": (
        both("seen by the classic ones", "经典探针查出的故障"),
        both(
            "faults on which score mean, score std, largest weight or gradients fire",
            "分数均值、分数标准差、最大权重或梯度会报警的故障数",
        ),
    ),
    "fired_by_fault": (
        both("probes firing by fault", "各故障的报警数"),
        both(f"how many probes fire: {_IN_ORDER[0]}", f"报警的探针数：{_IN_ORDER[1]}"),
    ),
    "forward_by_fault": (
        both("forward ones by fault", "各故障的前向报警数"),
        both(f"how many forward probes fire: {_IN_ORDER[0]}", f"报警的前向探针数：{_IN_ORDER[1]}"),
    ),
    "faults_by_probe": (
        both("faults by probe", "各探针查出的故障"),
        both(
            f"on how many faults a probe fires: for {', '.join(PROBES)}",
            f"各探针会报警的故障数：依次为 {', '.join(PROBES)}",
        ),
    ),
}


def _readings() -> dict[str, MetricInfo]:
    """Each reading of the chosen model and of the healthy one."""
    found = {}
    for name, (label, meaning, worst) in _READINGS.items():
        low = float("-inf") if name == "score_mean" else 0.0
        en = meaning["en"] + (f", {worst['en']}" if worst else "")
        zh = meaning["zh"] + (f"（{worst['zh']}）" if worst else "")
        found[name] = metric("", label, both(en, zh), low=low)
        found[f"healthy_{name}"] = metric(
            "",
            both(label["en"], f"{label['zh']}（健康）"),
            both(f"{en}; without the fault", f"{zh}；无故障时"),
            low=low,
        )
    return found


def _lists() -> dict[str, MetricInfo]:
    """The readings layer by layer, or head by head."""
    found = {}
    for name in (*BY_LAYER, *BY_HEAD):
        of = both("layer", "层") if name in BY_LAYER else both("head", "头")
        label, meaning, _ = _READINGS[name]
        found[f"{name}_by_{of['en']}"] = metric(
            "",
            both(_BY[name], f"{label['zh']}（各{of['zh']}）"),
            both(f"{meaning['en']}, {of['en']} by {of['en']}", f"{meaning['zh']}（各{of['zh']}）"),
        )
    return found


def _flags() -> dict[str, MetricInfo]:
    return {
        f"fires_{name}": metric(
            "",
            both(f"{label['en']} fires", f"{label['zh']}报警"),
            both(
                f"1 where the probe “{label['en']}” fires on this model, else 0",
                f"“{label['zh']}”探针在此模型上报警为 1，否则为 0",
            ),
            low=0,
            high=1,
        )
        for name, label in PROBES.items()
    }


METRICS = {
    **_readings(),
    "uniform_loss": metric(
        "",
        both("ln V", "ln V"),
        both("loss of equal probabilities for all tokens", "对所有 token 给出相同概率时的损失"),
        low=0,
    ),
    **_flags(),
    **_lists(),
    **{name: metric("", label, meaning, low=0) for name, (label, meaning) in _COUNTS.items()},
}
