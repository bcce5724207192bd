def stable_softmax(x, dim):
    highest = x.amax(dim, keepdim=True)
    exps = (x - highest).exp()
    return exps / exps.sum(-1, keepdim=True)
