def stable_softmax(x, dim):
    exps = (x - x.amax(dim)).exp()
    return exps / exps.sum(dim)
