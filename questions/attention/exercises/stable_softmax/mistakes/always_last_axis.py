def stable_softmax(x, dim):
    highest = x.amax(-1, keepdim=True)
    exps = (x - highest).exp()
    return exps / exps.sum(-1, keepdim=True)
