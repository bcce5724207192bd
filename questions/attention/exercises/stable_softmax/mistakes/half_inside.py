def stable_softmax(x, dim):
    highest = x.amax(dim, keepdim=True)
    highest = highest.masked_fill(highest == float("-inf"), 0.0)
    exps = (x - highest).exp()
    total = exps.sum(dim, keepdim=True)
    return exps / total.masked_fill(total == 0, 1.0)
