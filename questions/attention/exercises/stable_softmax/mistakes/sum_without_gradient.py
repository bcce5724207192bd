import torch


def stable_softmax(x, dim):
    scores = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    highest = scores.amax(dim, keepdim=True)
    highest = highest.masked_fill(highest == float("-inf"), 0.0)
    exps = (scores - highest).exp()
    total = exps.sum(dim, keepdim=True).detach()
    return (exps / total.masked_fill(total == 0, 1.0)).to(x.dtype)
