def stable_softmax(x, dim):
    highest = x.amax(dim, keepdim=True)
    exps = (x - highest).exp()
    return exps / exps.norm(dim=dim, keepdim=True)
