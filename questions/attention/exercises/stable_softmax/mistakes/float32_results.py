def stable_softmax(x, dim):
    x = x.float()
    highest = x.amax(dim, keepdim=True)
    exps = (x - highest).exp()
    return exps / exps.sum(dim, keepdim=True)
