import math


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = scores.masked_fill(scores == float("-inf"), 0.0)
    weights = weights / weights.sum(-1, keepdim=True)
    return weights @ V, weights
