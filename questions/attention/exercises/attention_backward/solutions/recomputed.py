import math

import torch


def attention_backward(Q, K, V, dO, mask=None):
    # en FlashAttention's way: keep one number per query from the forward pass, the logsumexp,
    # en and recompute the weights a tile of keys at a time. S_q × S_k never exists at once.
    # zh FlashAttention 的做法：前向只给每个查询留下一个数 logsumexp，
    # zh 反向时按键分块重新算权重。S_q × S_k 的矩阵从不整个存在。
    tile = 2
    Q = Q / math.sqrt(Q.shape[-1])
    shape = (*Q.shape[:-1], K.shape[-2])
    hidden = None if mask is None else (mask == 0).expand(shape)

    def scores_of(keys):
        scores = Q @ K[..., keys, :].mT
        return scores if hidden is None else scores.masked_fill(hidden[..., keys], -math.inf)

    tiles = [slice(first, first + tile) for first in range(0, K.shape[-2], tile)]

    # en One pass for logsumexp and output; a real kernel brings both from its forward pass.
    # zh 先过一遍，得到 logsumexp 和输出；真正的内核从前向就带着这两样。
    lse = torch.stack([scores_of(keys).logsumexp(-1) for keys in tiles], -1)
    lse = lse.logsumexp(-1, keepdim=True)
    O = sum((scores_of(keys) - lse).exp() @ V[..., keys, :] for keys in tiles)

    # en Σ_k p·dP = Σ_k p·(dO·v_k) = dO·Σ_k p·v_k = dO·O: the row sum of the softmax's gradient,
    # en without ever seeing a whole row.
    # zh Σ_k p·dP = Σ_k p·(dO·v_k) = dO·Σ_k p·v_k = dO·O：
    # zh softmax 梯度里的行和，不必见到完整的一行就能算。
    delta = (dO * O).sum(-1, keepdim=True)

    dQ, dK, dV = 0, [], []
    for keys in tiles:
        P = (scores_of(keys) - lse).exp()  # final weights at once: lse is already known
        dS = P * (dO @ V[..., keys, :].mT - delta)
        dV.append(P.mT @ dO)
        # en Q carries the scale already, so dK has it; dQ is still the scaled Q's gradient.
        # zh Q 已经带着缩放系数，所以 dK 已经有了；dQ 目前还是缩放后的 Q 的梯度。
        dK.append(dS.mT @ Q)
        dQ = dQ + dS @ K[..., keys, :]
    return dQ / math.sqrt(K.shape[-1]), torch.cat(dK, -2), torch.cat(dV, -2)
