def stable_softmax(x, dim):
    x = x.masked_fill(x == float("-inf"), -10.0)
    highest = x.amax(dim, keepdim=True)
    exps = (x - highest).exp()
    return exps / exps.sum(dim, keepdim=True)
