import torch


def stable_softmax(x, dim):
    scores = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    exps = scores.exp()
    total = exps.sum(dim, keepdim=True)
    return (exps / total.masked_fill(total == 0, 1.0)).to(x.dtype)
