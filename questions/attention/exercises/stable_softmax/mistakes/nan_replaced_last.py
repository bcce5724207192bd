import torch


def stable_softmax(x, dim):
    scores = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    weights = exps / exps.sum(dim, keepdim=True)
    return weights.nan_to_num(nan=0.0).to(x.dtype)
