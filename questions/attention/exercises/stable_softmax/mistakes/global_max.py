def stable_softmax(x, dim):
    exps = (x - x.max()).exp()
    return exps / exps.sum(dim, keepdim=True)
