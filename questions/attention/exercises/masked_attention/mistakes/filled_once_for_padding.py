import math

import torch


def masked_attention(Q, K, V, key_mask=None, causal=False):
    S_q, S_k = Q.shape[-2], K.shape[-2]
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    visible = torch.ones(S_q, S_k, dtype=torch.bool)
    if key_mask is not None:
        scores = scores.masked_fill(~key_mask[:, None, None, :], float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if causal:
        weights = weights * visible.tril(S_k - S_q)
    return weights @ V, weights
