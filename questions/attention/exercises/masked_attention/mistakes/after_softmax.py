import math

import torch


def masked_attention(Q, K, V, key_mask=None, causal=False):
    S_q, S_k = Q.shape[-2], K.shape[-2]
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    visible = torch.ones(S_q, S_k, dtype=torch.bool)
    if causal:
        visible = visible.tril(S_k - S_q)
    if key_mask is not None:
        visible = visible & key_mask[:, None, None, :]
    weights = torch.softmax(scores, dim=-1)
    weights = weights.masked_fill(~visible, 0.0)
    return weights @ V, weights
