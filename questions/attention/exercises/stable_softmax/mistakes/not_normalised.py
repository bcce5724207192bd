def stable_softmax(x, dim):
    highest = x.amax(dim, keepdim=True)
    return (x - highest).exp()
