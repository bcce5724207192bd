import math

import torch


def attention_backward(Q, K, V, dO, mask=None):
    # en Forward first, in three lines: S = QKᵀ·scale, P = softmax(S), O = PV. Only P is needed.
    # zh 先写前向，三行：S = QKᵀ·scale，P = softmax(S)，O = PV。之后只用到 P。
    scale = 1 / math.sqrt(Q.shape[-1])
    scores = Q @ K.transpose(-2, -1) * scale  # (B, H, S_q, S_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    P = torch.softmax(scores, dim=-1)

    # en O = PV is linear in each factor. A value was read by every query, so its gradient
    # en sums over the queries: Pᵀ·dO. The shapes allow nothing else.
    # zh O = PV 对两个因子都是线性的。每个值被所有查询读过，
    # zh 所以它的梯度对查询求和：Pᵀ·dO。形状也只允许这样写。
    dV = P.transpose(-2, -1) @ dO  # (B, H, S_k, d_v)
    dP = dO @ V.transpose(-2, -1)  # (B, H, S_q, S_k)

    # en The Jacobian of softmax is diag(p) − ppᵀ, symmetric. Times dP, without building it:
    # en p·(dP − Σ p·dP). The sum is how raising one score takes weight from all the others.
    # zh softmax 的雅可比矩阵是 diag(p) − ppᵀ，对称。不必构造它，直接乘 dP：
    # zh p·(dP − Σ p·dP)。这个和表示：一个分数升高，会从其余所有键那里拿走权重。
    # en Where a key is hidden p is 0, so dS is 0 there: the mask needs no line of its own.
    # zh 被隐藏的键 p = 0，dS 也就是 0：掩码在反向中不需要单独处理。
    dS = P * (dP - (P * dP).sum(dim=-1, keepdim=True))

    # en S = QKᵀ·scale: the scale is a factor of both gradients.
    # zh S = QKᵀ·scale：两个梯度都带着这个系数。
    dQ = dS @ K * scale  # (B, H, S_q, d_k)
    dK = dS.transpose(-2, -1) @ Q * scale  # (B, H, S_k, d_k)
    return dQ, dK, dV
