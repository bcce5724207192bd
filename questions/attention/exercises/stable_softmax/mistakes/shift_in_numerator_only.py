def stable_softmax(x, dim):
    highest = x.amax(dim, keepdim=True)
    exps = (x - highest).exp()
    return exps / x.exp().sum(dim, keepdim=True)
