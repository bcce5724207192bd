import math

import torch


def grouped_query_attention(Q, K, V, mask=None):
    group = Q.shape[1] // K.shape[1]
    K = K.repeat_interleave(group, dim=1)
    V = V.mean(1, keepdim=True)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = weights @ V
    return output, weights
