def stable_softmax(x, dim):
    highest = x.abs().amax(dim, keepdim=True)
    exps = (x - highest).exp()
    return exps / exps.sum(dim, keepdim=True)
