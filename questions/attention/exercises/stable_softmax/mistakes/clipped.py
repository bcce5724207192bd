def stable_softmax(x, dim):
    exps = x.clamp(max=80).exp()
    return exps / exps.sum(dim, keepdim=True)
