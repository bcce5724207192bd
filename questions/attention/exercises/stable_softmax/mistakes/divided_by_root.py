def stable_softmax(x, dim):
    x = x / x.shape[dim] ** 0.5
    highest = x.amax(dim, keepdim=True)
    exps = (x - highest).exp()
    return exps / exps.sum(dim, keepdim=True)
