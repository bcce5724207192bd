import torch


def linear_attention(Q, K, V, causal=False):
    dtype = torch.promote_types(Q.dtype, torch.float32)
    q, k, v = (x.to(dtype) for x in (Q, K, V))
    scores = q @ k.mT / q.shape[-1] ** 0.5
    if causal:
        scores = scores.masked_fill(~torch.ones_like(scores).tril().bool(), float("-inf"))
    return (scores.softmax(-1) @ v).to(Q.dtype)
