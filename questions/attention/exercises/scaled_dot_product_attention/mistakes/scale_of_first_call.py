import torch

_scale = None


def scaled_dot_product_attention(Q, K, V, mask=None):
    global _scale
    if _scale is None:
        _scale = Q.shape[-1] ** -0.5
    scores = Q @ K.transpose(-2, -1) * _scale
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
