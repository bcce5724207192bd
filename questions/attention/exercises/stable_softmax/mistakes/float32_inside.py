def stable_softmax(x, dim):
    scores = x.float()
    exps = (scores - scores.amax(dim, keepdim=True)).exp()
    return (exps / exps.sum(dim, keepdim=True)).to(x.dtype)
