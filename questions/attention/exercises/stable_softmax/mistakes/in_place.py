import torch


def stable_softmax(x, dim):
    scores = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    highest = scores.detach().amax(dim, keepdim=True)
    scores -= highest.masked_fill(highest == float("-inf"), 0.0)
    exps = scores.exp()
    total = exps.sum(dim, keepdim=True)
    return (exps / total.masked_fill(total == 0, 1.0)).to(x.dtype)
