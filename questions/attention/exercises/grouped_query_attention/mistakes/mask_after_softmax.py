import math

import torch


def grouped_query_attention(Q, K, V, mask=None):
    group = Q.shape[1] // K.shape[1]
    K = K.repeat_interleave(group, dim=1)
    V = V.repeat_interleave(group, dim=1)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(mask == 0, 0.0)
    output = weights @ V
    return output, weights
