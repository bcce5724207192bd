def stable_softmax(x, dim):
    exps = (x.amin(dim, keepdim=True) - x).exp()
    return exps / exps.sum(dim, keepdim=True)
