import torch


def stable_softmax(x, dim):
    scores = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return (exps / exps.sum(dim, keepdim=True)).to(x.dtype)
