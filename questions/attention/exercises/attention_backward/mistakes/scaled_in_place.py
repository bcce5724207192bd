import math

import torch


def attention_backward(Q, K, V, dO, mask=None):
    scale = 1 / math.sqrt(Q.shape[-1])
    Q *= scale
    scores = Q @ K.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    P = torch.softmax(scores, dim=-1)
    dV = P.transpose(-2, -1) @ dO
    dP = dO @ V.transpose(-2, -1)
    dS = P * (dP - (P * dP).sum(-1, keepdim=True))
    dQ = dS @ K * scale
    dK = dS.transpose(-2, -1) @ Q
    return dQ, dK, dV
