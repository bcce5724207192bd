def stable_softmax(x, dim):
    total = x.exp().sum(dim, keepdim=True)
    return (x - total.log()).exp()
