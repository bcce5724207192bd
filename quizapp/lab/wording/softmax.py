"""What `softmax` measures, in words."""

from __future__ import annotations

from quizapp.lab.experiment import both, metric

METRICS = {
    "probabilities": metric(
        "",
        both("softmax", "softmax"),
        both("softmax of the logits, in their order", "logits 的 softmax，按原顺序"),
        low=0,
        high=1,
    ),
    "probability_sum": metric(
        "",
        both("sum of the weights", "权重之和"),
        both("sum of all probabilities", "全部概率之和"),
        low=0,
        high=2,
    ),
    "max_weight": metric(
        "",
        both("largest weight", "最大权重"),
        both("largest probability", "最大的概率"),
        low=0,
        high=1,
    ),
    "entropy": metric(
        "nats", both("entropy", "熵"), both("entropy of the probabilities", "概率分布的熵"), low=0
    ),
    "logit_gap": metric(
        "",
        both("top logit's lead", "最大 logit 的领先"),
        both(
            "largest logit minus the second largest, after the temperature",
            "最大与次大 logit 之差（除以温度之后）",
        ),
        low=0,
    ),
    "jacobian": metric(
        "",
        both("Jacobian", "雅可比"),
        both(
            "all entries of ∂p/∂z = diag(p) − ppᵀ, row by row",
            "∂p/∂z = diag(p) − ppᵀ 的全部元素，逐行排列",
        ),
        low=-0.25,
        high=0.25,
    ),
    "jacobian_norm": metric(
        "",
        both("Jacobian norm", "雅可比范数"),
        both("Frobenius norm of the Jacobian", "雅可比的 Frobenius 范数"),
        low=0,
        high=0.5,
    ),
    "diagonal": metric(
        "",
        both("pᵢ(1 − pᵢ)", "pᵢ(1 − pᵢ)"),
        both("diagonal of the Jacobian, in the logits' order", "雅可比对角线，按原顺序"),
        low=0,
        high=0.25,
    ),
    "top_diagonal": metric(
        "",
        both("p(1 − p) of the top", "最大权重的 p(1 − p)"),
        both(
            "derivative of the largest weight by its own logit; 0.25 at most",
            "最大权重对自身 logit 的导数，至多 0.25",
        ),
        low=0,
        high=0.25,
    ),
    "off_diagonal_max": metric(
        "",
        both("largest |Jᵢⱼ|, i ≠ j", "最大的 |Jᵢⱼ|，i ≠ j"),
        both("largest size of an entry off the diagonal", "非对角元素绝对值的最大值"),
        low=0,
        high=0.25,
    ),
    "off_diagonal_share": metric(
        "share",
        both("off-diagonal part", "非对角部分"),
        both(
            "share of the Jacobian's squared norm that lies off the diagonal",
            "雅可比范数平方中非对角元素所占比例",
        ),
        low=0,
        high=1,
    ),
    "scaled_probabilities": metric(
        "",
        both("softmax, times factor", "乘以 factor 后的 softmax"),
        both("softmax of all logits times the factor", "全部 logits 乘以 factor 的 softmax"),
        low=0,
        high=1,
    ),
    "scaled_entropy": metric(
        "nats",
        both("entropy, times factor", "乘以 factor 后的熵"),
        both(
            "entropy when all logits are multiplied by the factor", "全部 logits 乘以 factor 后的熵"
        ),
        low=0,
    ),
    "scaled_jacobian_norm": metric(
        "",
        both("‖J‖, times factor", "乘以 factor 后的 ‖J‖"),
        both(
            "Jacobian norm when all logits are multiplied by the factor",
            "全部 logits 乘以 factor 后的雅可比范数",
        ),
        low=0,
        high=0.5,
    ),
    "shifted_difference": metric(
        "",
        both("change by a shift", "平移引起的变化"),
        both(
            "largest change of a probability when the shift is added to every logit",
            "每个 logit 都加上 shift 后概率的最大变化",
        ),
        low=0,
        high=1e-6,
    ),
    "naive_overflows": metric(
        "share",
        both("exp overflows", "exp 溢出"),
        both(
            "share of exp(z) that is infinite in float32 without subtracting the maximum",
            "不减最大值时 float32 中 exp(z) 为无穷的比例",
        ),
        low=0,
        high=1,
    ),
    "naive_non_finite": metric(
        "share",
        both("naive weights NaN", "朴素权重为 NaN"),
        both(
            "share of float32 weights that are NaN without subtracting the maximum",
            "不减最大值时 float32 权重为 NaN 的比例",
        ),
        low=0,
        high=1,
    ),
    "cross_entropy_gradient": metric(
        "",
        both("∂(−ln p)/∂z", "∂(−ln p)/∂z"),
        both(
            "gradient of the cross-entropy by the logits: p − onehot(target)",
            "交叉熵对 logits 的梯度：p − onehot(target)",
        ),
        low=-1,
        high=1,
    ),
}
