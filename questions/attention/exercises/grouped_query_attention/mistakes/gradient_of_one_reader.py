import math

import torch


def grouped_query_attention(Q, K, V, mask=None):
    group = Q.shape[1] // K.shape[1]
    K = torch.stack([K] + [K.detach()] * (group - 1), dim=2).flatten(1, 2)
    V = torch.stack([V] + [V.detach()] * (group - 1), dim=2).flatten(1, 2)
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = weights @ V
    return output, weights
